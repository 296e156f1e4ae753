//! Roofline: what kernels compute and move, against what their device can do at most.
//!
//! Time is measured, peaks are read from vendors' documents, operations and bytes are inferred from shapes. Only what all three
//! are known of has a row; the time of every other kernel is listed by the reason. Nothing is defaulted.

mod device;
mod floor;
mod group;
mod hlo;
mod lay_out;
mod peaks;
mod row;
mod torch;
mod work;

pub use device::{Roof, UnknownDevice};
pub(super) use floor::Floors;
pub(super) use lay_out::report as report_roofline;
pub use peaks::{Model, Provenance, Rate, Source};
pub use row::{BoundBy, Row};
pub use work::{Element, Kind, Work};

use super::attribution::Attribution;
use super::hlo::{HloAttribution, KernelTotal};
use super::timeline::Timeline;
use crate::trace::{DeviceId, Trace};
use group::{Grouped, Key};

/// The roofline of a capture.
#[derive(Debug, Default)]
pub struct Roofline {
    /// Devices with work, those that have one roof together.
    pub devices: Vec<DeviceRoof>,
    /// Operations with operations, bytes and a peak, the one with the most time first.
    pub rows: Vec<Row>,
    /// The operation of each row.
    keys: Vec<Key>,
    /// Kernels of those rows.
    pub covered: KernelTotal,
    /// All other kernels, by reason.
    pub refused: Vec<(Refusal, KernelTotal)>,
    /// All kernels: the sum of the two.
    pub kernels: KernelTotal,
}

/// Devices that have one roof, or none for one reason.
#[derive(Debug)]
pub struct DeviceRoof {
    /// The devices.
    pub devices: Vec<DeviceId>,
    /// What they can do.
    pub roof: Result<Roof, UnknownDevice>,
}

/// Why a kernel has no place under a roof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// The device is not known.
    Device,
    /// It communicates: its time is that of its peers and links.
    Collective,
    /// Which instruction or operator it belongs to is not known.
    NoOperation,
    /// A graph replay launched it, and the operators around the replay are not its own.
    Replayed,
    /// No shapes were recorded, or they are not those that the operation has.
    Shapes,
    /// Operations or bytes of this operation are not modelled.
    NoModel,
    /// The element type has no size or no peak.
    Element,
    /// How often the operation ran is not certain.
    Instances,
    /// The shapes are too large to be counted.
    TooLarge,
}

impl Refusal {
    /// Every reason, in the order of reports.
    pub const ALL: [Self; 9] = [
        Self::Device,
        Self::Collective,
        Self::NoOperation,
        Self::Replayed,
        Self::Shapes,
        Self::NoModel,
        Self::Element,
        Self::Instances,
        Self::TooLarge,
    ];

    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Device => "the peaks of the device are not known",
            Self::Collective => "it communicates",
            Self::NoOperation => "its instruction or operator is not known",
            Self::Replayed => "a graph replay launched it, which has no shapes",
            Self::Shapes => "shapes are missing, or do not fit the operation",
            Self::NoModel => "operations and bytes of it are not modelled",
            Self::Element => "no peak is known for its element type",
            Self::Instances => "how often its operation ran is not certain",
            Self::TooLarge => "its shapes are too large to be counted",
        }
    }
}

/// What a roofline is made from.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) trace: &'a Trace,
    pub(super) timeline: &'a Timeline,
    pub(super) attribution: &'a Attribution,
    pub(super) hlo: Option<&'a HloAttribution>,
}

/// The roofline of a trace.
pub(super) fn roofline(evidence: Evidence<'_>) -> Roofline {
    let trace = evidence.trace;
    let (devices, of_device) = devices(evidence);
    let mut grouped = Grouped::default();
    let mut kernels = KernelTotal::default();
    for (index, event) in trace.device_events.iter().enumerate() {
        if !event.kind.is_kernel() {
            continue;
        }
        let time = event.interval.duration();
        add(&mut kernels, KernelTotal { n: 1, time });
        let roof = of_device[trace.stream(event.stream).device.index()];
        let roof = roof.filter(|&roof| devices[roof].roof.is_ok());
        grouped.take(evidence, index, roof);
    }
    let (mut rows, refused) = grouped.rows(trace, &devices);
    rows.sort_by(|(a, _), (b, _)| {
        let key = |row: &Row| (std::cmp::Reverse(row.total.time), row.roof);
        (key(a), &a.op, &a.instruction, &a.work.shapes).cmp(&(
            key(b),
            &b.op,
            &b.instruction,
            &b.work.shapes,
        ))
    });
    let (rows, keys): (Vec<Row>, Vec<Key>) = rows.into_iter().unzip();
    let mut covered = KernelTotal::default();
    rows.iter().for_each(|row| add(&mut covered, row.total));
    Roofline { devices, rows, keys, covered, refused, kernels }
}

impl Roofline {
    /// True where some row rests on documents alone.
    pub fn is_supported(&self) -> bool {
        self.rows.iter().any(|row| !self.is_recalled(row))
    }

    /// True where a row's peaks are only recalled.
    pub fn is_recalled(&self, row: &Row) -> bool {
        self.devices[row.roof].roof.as_ref().is_ok_and(Roof::is_recalled)
    }
}

/// Devices with work, by what they can do, and the place of each device.
fn devices(evidence: Evidence<'_>) -> (Vec<DeviceRoof>, Vec<Option<usize>>) {
    let Evidence { trace, timeline, .. } = evidence;
    let mut found: Vec<DeviceRoof> = Vec::new();
    let mut of_device = vec![None; trace.devices.len()];
    for device in timeline.devices.iter().map(|one| one.device) {
        let raw_id = trace.device(device).raw_id;
        let listed = trace.profiler.device_properties.iter().find(|one| one.id == raw_id);
        let roof = device::roof(listed);
        let is_same = |known: &DeviceRoof| match (&known.roof, &roof) {
            (Ok(a), Ok(b)) => (a.model.name, a.partition) == (b.model.name, b.partition),
            (Err(a), Err(b)) => a == b,
            _ => false,
        };
        let at = match found.iter().position(is_same) {
            Some(at) => at,
            None => {
                found.push(DeviceRoof { devices: Vec::new(), roof });
                found.len() - 1
            }
        };
        found[at].devices.push(device);
        of_device[device.index()] = Some(at);
    }
    (found, of_device)
}

fn add(sum: &mut KernelTotal, one: KernelTotal) {
    sum.n += one.n;
    sum.time += one.time;
}
