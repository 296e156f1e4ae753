//! What the checks on two records of one run say alike.

use crate::analysis::Reconciliation;
use crate::trace::{Capture, NameId};
use serde_json::{Value, json};

/// Why nothing is compared.
pub(super) const ONE_RECORD: &str = "the run has one record";

/// Device events of the record that the figures stand on, and of the others.
pub(super) fn totals(compared: &[Reconciliation]) -> (u64, u64) {
    let of = |one: &Reconciliation| {
        let devices = one.devices.iter();
        devices.fold((0, 0), |(a, b), device| (a + device.n_primary, b + device.n_other))
    };
    let primary = compared.first().map_or(0, |one| of(one).0);
    (primary, compared.iter().map(|one| of(one).1).sum())
}

/// The counts of each device.
pub(super) fn devices(compared: &[Reconciliation]) -> Value {
    let rows = compared.iter().flat_map(|one| &one.devices).map(|device| {
        format!("gpu:{}: xplane {}, JSON {}", device.raw_id, device.n_primary, device.n_other)
    });
    json!(rows.collect::<Vec<_>>())
}

/// An event that one of the files lacks, as the end of a sentence.
pub(super) fn example(capture: &Capture, compared: &[Reconciliation]) -> String {
    let devices = || compared.iter().flat_map(|one| &one.devices);
    match devices().find_map(|device| Some((device.raw_id, device.only_primary.1?))) {
        Some((device, name)) => such_as(device, capture.primary().trace.name(name)),
        None => example_lost(capture, compared),
    }
}

/// An event that the xplane lacks, as the end of a sentence.
pub(super) fn example_lost(capture: &Capture, compared: &[Reconciliation]) -> String {
    let lost = compared.iter().find_map(|one| {
        let first = one
            .devices
            .iter()
            .find_map(|device| device.only_other.1.map(|name: NameId| (device.raw_id, name)));
        first.map(|(device, name)| (device, capture.records[one.record].trace.name(name)))
    });
    lost.map_or_else(String::new, |(device, name)| such_as(device, name))
}

fn such_as(device: i64, name: &str) -> String {
    format!(", such as `{name}` on gpu:{device}")
}
