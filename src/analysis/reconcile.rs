//! Two records of one run, held against each other: which device events both have, and which only one has.
//!
//! JAX writes each run twice, and the second file is made from what the first one holds. So every device event has its twin: on the
//! same device, with the same name, length and start. The two may count time from different origins, and the stream's
//! number is part of the twin only where both number streams alike.

use crate::trace::{Capture, DeviceEvent, NameId, Record, Stream, Trace};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How far apart the starts of twins may lie. Tracers write whole nanoseconds. The JSON's doubles give them back exactly for
/// 2.5 hours and to within half a nanosecond for weeks; the origin that both are compared from adds as much.
const TOLERANCE_PS: i128 = 1_000;

/// What comparing the record that the figures stand on with another one of the same run gave.
#[derive(Debug)]
pub struct Reconciliation {
    /// The other record, by its row in the capture.
    pub record: usize,
    /// Every device of either record, in order of its id.
    pub devices: Vec<DeviceTwins>,
}

/// The device events of one device in two records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceTwins {
    /// The id that the producer wrote.
    pub raw_id: i64,
    /// Events in the record that the figures stand on.
    pub n_primary: u64,
    /// Events in the other record.
    pub n_other: u64,
    /// Those without a twin in the other record, and the name of the earliest.
    pub only_primary: (u64, Option<NameId>),
    /// Those of the other record without a twin, and the name of the earliest: a name of that record.
    pub only_other: (u64, Option<NameId>),
}

impl Reconciliation {
    /// Events that only the record has that the figures stand on.
    pub fn n_only_primary(&self) -> u64 {
        self.devices.iter().map(|device| device.only_primary.0).sum()
    }

    /// Events that only the other record has.
    pub fn n_only_other(&self) -> u64 {
        self.devices.iter().map(|device| device.only_other.0).sum()
    }
}

/// A device event, reduced to what makes twins. The order is that of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    device: i64,
    /// 0 where the records number streams differently.
    stream: i64,
    /// Equal numbers for equal texts in both records.
    name: usize,
    /// To the nanosecond: the JSON writes one picosecond for no length at all.
    duration_ns: i64,
    /// On the file's own axis.
    start_ps: i128,
    id: NameId,
}

/// Compares the capture's first record with each of the others.
pub(super) fn reconcile(capture: &Capture) -> Vec<Reconciliation> {
    let others = capture.records.iter().enumerate().skip(1);
    others.map(|(row, other)| compare(capture.primary(), row, other)).collect()
}

fn compare(primary: &Record, record: usize, other: &Record) -> Reconciliation {
    let (primary, other) = (&primary.trace, &other.trace);
    let incomparable = differently_numbered(primary, other);
    let ours = rows(primary, &incomparable, &numbers(primary, primary));
    let theirs = rows(other, &incomparable, &numbers(other, primary));
    let alone = alone(&ours, &theirs);
    Reconciliation { record, devices: devices(&ours, &theirs, &alone) }
}

/// Numbers for the names of a record, equal for equal texts: by the rows of the first record's names, and behind them for a
/// name that it does not have.
fn numbers(trace: &Trace, first: &Trace) -> Vec<usize> {
    let number = |row: u32| {
        let name = trace.name(NameId::new(row));
        first.names.find(name).map_or(first.names.len() + row as usize, NameId::index)
    };
    (0_u32..).map(number).take(trace.names.len()).collect()
}

/// Devices of the other record with a stream that the first record does not number so.
fn differently_numbered(primary: &Trace, other: &Trace) -> FxHashSet<i64> {
    let numbered = |stream: &Stream, of: &Trace| (of.device(stream.device).raw_id, stream.raw_id);
    let known: FxHashSet<(i64, i64)> =
        primary.streams.iter().map(|stream| numbered(stream, primary)).collect();
    let streams = other.streams.iter().map(|stream| numbered(stream, other));
    streams.filter(|stream| !known.contains(stream)).map(|(device, _)| device).collect()
}

fn rows(trace: &Trace, incomparable: &FxHashSet<i64>, numbers: &[usize]) -> Vec<Row> {
    let row = |event: &DeviceEvent| {
        let stream = trace.stream(event.stream);
        let device = trace.device(stream.device).raw_id;
        Row {
            device,
            stream: if incomparable.contains(&device) { 0 } else { stream.raw_id },
            name: numbers[event.name.index()],
            duration_ns: (event.interval.duration().ps() + 500).div_euclid(1_000),
            start_ps: trace.origin.on_file_axis(event.interval.start()),
            id: event.name,
        }
    };
    let mut rows: Vec<Row> = trace.device_events.iter().map(row).collect();
    rows.sort_unstable();
    rows
}

/// Rows of either record without a twin.
#[derive(Default)]
struct Alone<'r> {
    ours: Vec<&'r Row>,
    theirs: Vec<&'r Row>,
}

impl Alone<'_> {
    fn len(&self) -> usize {
        self.ours.len() + self.theirs.len()
    }
}

/// The rows without a twin, on the axis that leaves the fewest: the files' own, or one on which the first or the last
/// events of both coincide.
fn alone<'r>(ours: &'r [Row], theirs: &'r [Row]) -> Alone<'r> {
    let mut best = walk(ours, theirs, 0);
    let starts = |rows: &[Row]| {
        let starts = rows.iter().map(|row| row.start_ps);
        starts.clone().min().zip(starts.max())
    };
    if let (false, Some(ours_span), Some(theirs_span)) =
        (best.len() == 0, starts(ours), starts(theirs))
    {
        for shift in [ours_span.0 - theirs_span.0, ours_span.1 - theirs_span.1] {
            let other = walk(ours, theirs, shift);
            if other.len() < best.len() {
                best = other;
            }
        }
    }
    best
}

/// Walks both sorted lists in step. Of equal rows the earliest pair up first, which leaves the fewest alone.
fn walk<'r>(ours: &'r [Row], theirs: &'r [Row], shift_ps: i128) -> Alone<'r> {
    let key = |row: &Row| (row.device, row.stream, row.name, row.duration_ns);
    let mut alone = Alone::default();
    let (mut a, mut b) = (ours.iter().peekable(), theirs.iter().peekable());
    while let (Some(&mine), Some(&other)) = (a.peek(), b.peek()) {
        let distance = mine.start_ps - (other.start_ps + shift_ps);
        let order = key(mine).cmp(&key(other)).then(match distance {
            _ if distance.abs() <= TOLERANCE_PS => Ordering::Equal,
            _ if distance < 0 => Ordering::Less,
            _ => Ordering::Greater,
        });
        match order {
            Ordering::Equal => drop((a.next(), b.next())),
            Ordering::Less => alone.ours.extend(a.next()),
            Ordering::Greater => alone.theirs.extend(b.next()),
        }
    }
    alone.ours.extend(a);
    alone.theirs.extend(b);
    alone
}

fn devices(ours: &[Row], theirs: &[Row], alone: &Alone<'_>) -> Vec<DeviceTwins> {
    let mut devices: BTreeMap<i64, DeviceTwins> = BTreeMap::new();
    let mut device = |row: &Row, count: fn(&mut DeviceTwins, &Row)| {
        let twins = DeviceTwins { raw_id: row.device, ..DeviceTwins::default() };
        count(devices.entry(row.device).or_insert(twins), row);
    };
    ours.iter().for_each(|row| device(row, |twins, _| twins.n_primary += 1));
    theirs.iter().for_each(|row| device(row, |twins, _| twins.n_other += 1));
    let earliest_first = |rows: &[&Row]| {
        let mut rows: Vec<Row> = rows.iter().map(|row| **row).collect();
        rows.sort_unstable_by_key(|row| (row.start_ps, row.name));
        rows
    };
    for row in earliest_first(&alone.ours) {
        device(&row, |twins, row| add(&mut twins.only_primary, row));
    }
    for row in earliest_first(&alone.theirs) {
        device(&row, |twins, row| add(&mut twins.only_other, row));
    }
    devices.into_values().collect()
}

/// Counts a row without a twin; the first one gives its name.
fn add((count, name): &mut (u64, Option<NameId>), row: &Row) {
    *count += 1;
    name.get_or_insert(row.id);
}
