//! `above-roofline`: an operation is faster than its device can be.

use super::{Check, Doc, Measure, Measurement, count, us};
use crate::analysis::Analysis;
use crate::report::{Bound, Claim, Unit};
use crate::trace::Capture;
use serde_json::json;

pub(super) static CHECK: Check = Check {
    id: "above-roofline",
    summary: "an operation computes or moves more than its device can",
    doc: Doc {
        measures: "By how many percent of its roof an operation exceeds it, at least: the fewest operations that its shapes allow at the fastest \
            rate that its element type allows, and the bytes that no cache can have held, each against the recorded time of its kernels. 0 \
            where none does.",
        misleads: "It cannot be true. Shapes, element type, peaks or durations are wrong, and the other figures of the table come from them, \
            too.",
        remedy: "See whether kernels of the operation are missing (its time is then too short), whether clocks of the records are damaged, and \
            whether the device is the one that the capture names.",
        limit: "5 %: clocks above the stated one, and rounding of vendors' figures.",
        exceptions: "Data that fit into the largest cache need not come from memory, and only the rest is held against it. Convolutions with a wide \
            window may use Winograd's method or a Fourier transform, which need fewer operations: up to four times, or any number where the \
            kernel's name says so. TF32 counts for 32-bit products unless the program asks for full precision.",
    },
    since: "0.1.0",
    guards: &[Claim::Roofline],
    requires: None,
    bound: Bound::Max,
    unit: Unit::Percent,
    part_of: Some("beyond its roof"),
    measure: Measure::Capture(measure),
};

fn measure(_capture: &Capture, analysis: &Analysis) -> Measurement {
    let roofline = &analysis.roofline;
    let rows = roofline.rows.iter();
    let Some(worst) = rows.max_by(|a, b| a.floor.total_cmp(&b.floor)) else {
        return Measurement::not_applicable("no operation has a place under a roof");
    };
    let above = || roofline.rows.iter().filter(|row| row.is_above_roof());
    let name = worst.instruction.as_deref().unwrap_or(&worst.op);
    let message = format!(
        "{name} on {} took {}, at least {:.1} % of what the device can do",
        worst.work.shapes,
        worst.total.time.human(),
        worst.floor * 100.0
    );
    Measurement::measured(
        ((worst.floor - 1.0) * 100.0).max(0.0),
        [
            ("operation", json!(name)),
            ("shapes", json!(worst.work.shapes)),
            ("executions", json!(worst.n_instances)),
            ("time_us", us(worst.total.time)),
            ("flops", json!(worst.work.flops.map(|(lo, _)| lo))),
            ("bytes", json!(worst.work.bytes.0)),
            ("operations", json!(roofline.rows.len())),
            ("above", json!(count(above().count() as u64))),
        ],
        message,
    )
}
