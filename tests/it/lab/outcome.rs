//! What became of a damaged capture: which figures it falsifies, and whether the report still states them.

use super::capture::{Capture, Ns};
use super::rules;
use super::truth::{Truth, Window};
use idleproof::report::{
    CaptureReport, Claim, ClaimState, DeviceRecords, IdleRecords, Microseconds, State,
};
use idleproof::units::Picoseconds;
use std::collections::BTreeMap;

/// A figure is false from here: points of a window or of the kernel time.
pub(crate) const FALSE_BY: f64 = 2.0;

/// Kernels that truly differ by less, in points of the kernel time, are not ranked falsely.
pub(crate) const RANKS_APART: f64 = 1.0;

/// Times are rounded once: ends of bounds may miss by this.
const ROUNDING: Picoseconds = Picoseconds::new(10_000);

/// What became of one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is still true.
    True,
    /// It is false, and is not stated, or its bounds hold.
    Caught,
    /// It is false and stated.
    Missed,
}

/// What became of a damaged capture.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Device idle, as the records add it up.
    pub(crate) idle: Fate,
    /// The share of it in which the device waited for the host.
    pub(crate) host: Fate,
    /// Shares and ranks of kernels.
    pub(crate) ranking: Fate,
    /// How long kernels took.
    pub(crate) kernel_time: Fate,
    /// Whether the stated bounds of idle, and of waiting for the host, hold the truth; absent where none are stated.
    pub(crate) bounds_hold: [Option<bool>; 2],
    /// Width of the bounds of idle, in points, where the claim is stated or withheld with its bounds.
    pub(crate) width: Option<f64>,
    /// Whether the two published rules call idle unreliable.
    pub(crate) rules: [bool; 2],
    /// The checks that are violated.
    pub(crate) violated: Vec<String>,
}

impl Outcome {
    /// The fates of all figures.
    pub(crate) const fn fates(&self) -> [Fate; 4] {
        [self.idle, self.host, self.ranking, self.kernel_time]
    }

    /// True where no false figure is stated.
    pub(crate) fn is_told(&self) -> bool {
        !self.fates().contains(&Fate::Missed)
    }
}

/// The outcome of one damaged capture. Without the damaged file kernel times are taken as they are.
pub(crate) fn outcome(truth: &Truth, damaged: Option<&Capture>, report: &CaptureReport) -> Outcome {
    let windows = truth.windows(report);
    let devices: Vec<Device<'_>> = report
        .records
        .iter()
        .flat_map(|records| &records.devices)
        .filter_map(|records| Device::of(truth, windows.get(&records.name).copied()?, records))
        .collect();
    let claims = &report.claims;
    let stated_bounds = claims.idle.device_inactive_pct.is_some();
    let width = devices.iter().filter(|_| stated_bounds).map(Device::width).reduce(f64::max);
    let inactive_hold = width.map(|_| devices.iter().all(Device::inactive_holds));
    let starved_hold =
        claims.idle.host_starved_pct.map(|_| devices.iter().all(Device::starved_holds));
    let ranking = is_ranking_false(&truth.kernel_time(&windows), &recorded_time(report));
    let invented = damaged.map_or(0, |damaged| truth.invented_time(damaged));
    let true_time: Ns = truth.kernel_time(&windows).values().sum();
    Outcome {
        idle: fate(
            devices.iter().any(Device::is_idle_false),
            stated(report, Claim::Idle) && inactive_hold != Some(true),
        ),
        host: fate(
            devices.iter().any(Device::is_host_false),
            stated(report, Claim::HostStarved) && starved_hold != Some(true),
        ),
        ranking: fate(ranking, stated(report, Claim::Ranking)),
        kernel_time: fate(
            points(invented, true_time) > FALSE_BY,
            stated(report, Claim::KernelTime),
        ),
        bounds_hold: [inactive_hold, starved_hold],
        width,
        rules: damaged.map_or([false; 2], |damaged| {
            [rules::idle_and_graphs(damaged, report), rules::half_covered(damaged)]
        }),
        violated: report.checks_in(State::Violated).map(|check| check.id.clone()).collect(),
    }
}

fn fate(is_false: bool, is_stated: bool) -> Fate {
    match (is_false, is_stated) {
        (false, _) => Fate::True,
        (true, false) => Fate::Caught,
        (true, true) => Fate::Missed,
    }
}

fn stated(report: &CaptureReport, claim: Claim) -> bool {
    report.claims.get(claim).0 == ClaimState::Supported
}

/// One device of a report beside the truth about its window.
struct Device<'a> {
    window: Window,
    records: &'a DeviceRecords,
    idle: Picoseconds,
    starved: (Picoseconds, Picoseconds),
}

impl<'a> Device<'a> {
    fn of(truth: &Truth, window: Window, records: &'a DeviceRecords) -> Option<Self> {
        let idle = truth.idle(&records.name, window)?;
        let starved = truth.starved(&records.name, window)?;
        Some(Self { window, records, idle, starved })
    }

    fn width(&self) -> f64 {
        let (lo, hi) = self.records.idle.inactive_us.unwrap_or_default();
        self.points((time(lo), time(lo)), (time(hi), time(hi)))
    }

    fn is_idle_false(&self) -> bool {
        self.points(
            (time(self.records.idle_us), time(self.records.idle_us)),
            (self.idle, self.idle),
        ) > FALSE_BY
    }

    /// What a reader would call waiting for the host who suspects nothing.
    fn is_host_false(&self) -> bool {
        let classes = self.records.idle.classes.iter();
        let plain = classes
            .filter(|class| matches!(class.name.as_str(), "suspect" | "dispatch" | "host-starved"));
        let recorded: Picoseconds = plain.map(|class| time(class.time_us)).sum();
        self.records.idle.host_starved_us.is_some()
            && self.points((recorded, recorded), self.starved) > FALSE_BY
    }

    fn inactive_holds(&self) -> bool {
        self.hold(|idle| idle.inactive_us, (self.idle, self.idle))
    }

    fn starved_holds(&self) -> bool {
        self.hold(|idle| idle.host_starved_us, self.starved)
    }

    fn hold(
        &self,
        bounds: fn(&IdleRecords) -> Option<(Microseconds, Microseconds)>,
        truth: (Picoseconds, Picoseconds),
    ) -> bool {
        bounds(&self.records.idle)
            .is_none_or(|(lo, hi)| time(lo) <= truth.1 + ROUNDING && truth.0 <= time(hi) + ROUNDING)
    }

    /// The distance of two ranges in points of the window.
    fn points(&self, a: (Picoseconds, Picoseconds), b: (Picoseconds, Picoseconds)) -> f64 {
        let distance = (a.0 - b.1).max(b.0 - a.1).max(Picoseconds::ZERO);
        distance.share_of(self.window.length()).map_or(0.0, |share| share.percent())
    }
}

fn time(us: Microseconds) -> Picoseconds {
    Picoseconds::new(i64::try_from(us.ps()).unwrap_or(i64::MAX))
}

fn recorded_time(report: &CaptureReport) -> BTreeMap<&str, Ns> {
    let rows = report.hot_kernels.iter();
    rows.map(|row| (row.name.as_str(), time(row.time_us).ps() / 1_000)).collect()
}

/// True where shares by name are off by more than two points in all, or two of the first three names have traded places.
fn is_ranking_false(truth: &BTreeMap<&str, Ns>, recorded: &BTreeMap<&str, Ns>) -> bool {
    let (all_true, all_recorded) = (truth.values().sum(), recorded.values().sum());
    if all_true == 0 || all_recorded == 0 {
        return all_true != all_recorded;
    }
    let true_share = |name: &str| points(truth.get(name).copied().unwrap_or_default(), all_true);
    let share = |name: &str| points(recorded.get(name).copied().unwrap_or_default(), all_recorded);
    let mut names: Vec<&str> = truth.keys().chain(recorded.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let variation: f64 = names.iter().map(|name| (true_share(name) - share(name)).abs()).sum();
    let true_order = by_time(truth);
    let traded = true_order.iter().enumerate().take(3).any(|(at, first)| {
        let mut behind = true_order[at + 1..].iter();
        behind.any(|second| {
            share(second) > share(first) && true_share(first) - true_share(second) > RANKS_APART
        })
    });
    variation / 2.0 > FALSE_BY || traded
}

fn by_time<'a>(time: &BTreeMap<&'a str, Ns>) -> Vec<&'a str> {
    let mut names: Vec<(&str, Ns)> = time.iter().map(|(name, time)| (*name, *time)).collect();
    names.sort_by_key(|(name, time)| (-time, *name));
    names.into_iter().map(|(name, _)| name).collect()
}

fn points(part: Ns, whole: Ns) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 * 100.0 }
}
