//! Statements made elsewhere against what a capture allows to be said.

use crate::report::{
    CaptureReport, Claim, ClaimState, DeviceReading, DeviceRecords, Microseconds, StatedReport,
    StatedState,
};
use crate::statements::{Budget, Form, Quantity, Said, Statement};

/// Holds the statements that are about a capture against it.
pub(super) fn hold(statements: &[Statement], capture: &CaptureReport) -> Vec<StatedReport> {
    let paths = capture.paths();
    let about = statements.iter().filter(|one| one.subject.is(paths.iter().copied()));
    about.map(|statement| held(statement, capture)).collect()
}

/// The lowest and the highest number that the records allow.
type Range = (f64, f64);

/// What a capture allows of a quantity, in each way in which it may be meant, and the checks that keep it from saying more.
struct Allowed {
    ranges: Result<Vec<Range>, String>,
    by: Vec<String>,
}

fn held(statement: &Statement, capture: &CaptureReport) -> StatedReport {
    let Allowed { ranges, by } = allowed(&statement.quantity, capture);
    let (lowest, highest) = statement.said.range();
    let within = |&(lo, hi): &Range| lo >= lowest && hi <= highest;
    let outside = |&(lo, hi): &Range| hi < lowest || lo > highest;
    let state = match &ranges {
        Ok(ranges) if ranges.iter().any(within) => StatedState::Supported,
        Ok(ranges) if ranges.iter().all(outside) => StatedState::Refuted,
        _ => StatedState::Undetermined,
    };
    let range = ranges.and_then(hull);
    let said = format!("{} {}", statement.quantity, said(statement.said));
    let checks = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
    let message = match (&range, state) {
        (Ok(range), StatedState::Supported) => {
            format!("{said} is supported: the capture allows {}", shown(*range))
        }
        (Ok(range), StatedState::Refuted) => {
            let cause = reading(statement, capture).unwrap_or_default();
            format!("{said} is refuted: the capture allows {}{cause}", shown(*range))
        }
        (Ok(range), StatedState::Undetermined) => {
            format!("{said} is not decided: the capture allows {}{checks}", shown(*range))
        }
        (Err(reason), _) => format!("{said} is not decided: {reason}{checks}"),
    };
    StatedReport {
        quantity: statement.quantity.to_string(),
        value: statement.said.words(),
        source: statement.source.clone(),
        state,
        against: range.ok(),
        by,
        message,
    }
}

/// What is stated, in the words of a sentence.
fn said(said: Said) -> String {
    match said {
        Said::Value(value, 0.0) => format!("= {}", short(value)),
        Said::Value(value, tolerance) => format!("= {} ± {}", short(value), short(tolerance)),
        Said::Below(limit) => format!("below {}", short(limit)),
        Said::Above(limit) => format!("above {}", short(limit)),
    }
}

fn shown((lo, hi): Range) -> String {
    let (lo, hi) = (short(lo), short(hi));
    if lo == hi { lo } else { format!("{lo} to {hi}") }
}

/// To four decimals, without trailing zeros.
fn short(value: f64) -> String {
    // An empty sum of floats is -0.
    let text = format!("{:.4}", value + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn allowed(quantity: &Quantity, capture: &CaptureReport) -> Allowed {
    let claim = match quantity {
        Quantity::Budget(..) => Claim::Idle,
        Quantity::HostStarved(..) => Claim::HostStarved,
        Quantity::KernelShare(_) | Quantity::OpShare(_) => Claim::Ranking,
        Quantity::StepTime => Claim::StepTime,
    };
    let (state, by) = capture.claims.get(claim);
    let name = claim.name();
    let one = |range: Result<Range, String>| range.map(|range| vec![range]);
    let ranges = match quantity {
        _ if state == ClaimState::Undefined => {
            Err(format!("nothing is recorded that the {name} claim could rest on"))
        }
        // The bounds of idle stand where it is withheld for what they take into account.
        Quantity::Budget(budget, form, device) => match capture.claims.idle.device_inactive_pct {
            Some(_) => {
                one(devices(capture, device.as_deref(), |one| budget_range(one, *budget, *form)))
            }
            None => Err(format!("the {name} claim is withheld")),
        },
        Quantity::HostStarved(form, device) => match capture.claims.idle.host_starved_pct {
            Some(_) => one(devices(capture, device.as_deref(), |one| {
                in_form(one.idle.host_starved_us.map(us_pair)?, one.total_us, *form)
            })),
            None => Err(format!("the {name} claim is withheld")),
        },
        _ if state == ClaimState::Withheld => Err(format!("the {name} claim is withheld")),
        Quantity::KernelShare(kernel) => one(kernel_share(capture, kernel)),
        Quantity::OpShare(op) => op_share(capture, op),
        Quantity::StepTime => {
            let steps = capture.records.as_ref().and_then(|records| records.steps.as_ref());
            let median =
                steps.filter(|steps| steps.marked).map(|steps| steps.duration_us.median.as_f64());
            one(median.map(|at| (at, at)).ok_or_else(|| "no step is marked".to_owned()))
        }
    };
    Allowed { ranges, by: by.to_vec() }
}

/// The range over the devices, or of the one that is named.
fn devices(
    capture: &CaptureReport,
    named: Option<&str>,
    range: impl Fn(&DeviceRecords) -> Option<Range>,
) -> Result<Range, String> {
    let all = capture.records.iter().flat_map(|records| &records.devices);
    let meant: Vec<_> = all.filter(|one| named.is_none_or(|name| one.name == name)).collect();
    if let (Some(name), true) = (named, meant.is_empty()) {
        return Err(format!("no work was recorded on a device `{name}`"));
    }
    let ranges: Option<Vec<Range>> = meant.into_iter().map(range).collect();
    hull(ranges.unwrap_or_default())
}

/// From the lowest to the highest of several ranges.
fn hull(ranges: Vec<Range>) -> Result<Range, String> {
    let hull = ranges.into_iter().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    hull.ok_or_else(|| "the records do not tell it".to_owned())
}

fn us_pair((lo, hi): (Microseconds, Microseconds)) -> Range {
    (lo.as_f64(), hi.as_f64())
}

/// Times in microseconds as a statement puts them; `None` where a part of nothing is asked for.
fn in_form((lo, hi): Range, total: Microseconds, form: Form) -> Option<Range> {
    let total = total.as_f64();
    match form {
        Form::Microseconds => Some((lo, hi)),
        Form::Percent => (total > 0.0).then(|| (lo / total * 100.0, hi / total * 100.0)),
    }
}

/// A part of the budget, as the bounds of idle allow it.
///
/// Unrecorded work fills at most the recorded idle above the lower bound, and work of any kind may be recorded too long by what the
/// upper bound exceeds the recorded idle. It adds to one part of the budget, and by running beside others it hides what was exposed.
fn budget_range(device: &DeviceRecords, budget: Budget, form: Form) -> Option<Range> {
    let (lo, hi) = us_pair(device.idle.inactive_us?);
    let (total, idle) = (device.total_us.as_f64(), device.idle_us.as_f64());
    let (more, less) = ((idle - lo).max(0.0), (hi - idle).max(0.0));
    let part = |time: Microseconds, less: f64| {
        let time = time.as_f64();
        ((time - less).max(0.0), (time + more).min(total))
    };
    let range = match budget {
        Budget::Total => (total, total),
        Budget::Inactive => (lo, hi),
        Budget::Busy => (total - hi, total - lo),
        Budget::Compute => part(device.compute_us, less),
        Budget::Collective => part(device.collective_us, less),
        Budget::Memcpy => part(device.memcpy_us, less),
        Budget::ExposedCollective => part(device.exposed_collective_us, less + more),
        Budget::ExposedMemcpy => part(device.exposed_memcpy_us, less + more),
    };
    in_form(range, device.total_us, form)
}

fn kernel_share(capture: &CaptureReport, kernel: &str) -> Result<Range, String> {
    let Some(tables) = &capture.tables else {
        return Err("the tables of kernels were not made".to_owned());
    };
    let total: f64 = tables.kernels.iter().map(|row| row.time_us.as_f64()).sum();
    let of: Vec<_> = tables.kernels.iter().filter(|row| row.name == kernel).collect();
    let time: f64 = of.iter().map(|row| row.time_us.as_f64()).sum();
    if total <= 0.0 {
        return Err("no kernel took any time".to_owned());
    }
    if of.is_empty() {
        // A part of a name is no name: what the reader means may well have run.
        return Err("no kernel of exactly this name was recorded".to_owned());
    }
    Ok((time / total, time / total))
}

/// Kernels that are known to be the operator's, and those besides whose operator is not known: they may be its own. Tools differ on
/// whether copies are an operator's work, so the share may be meant with them or without.
fn op_share(capture: &CaptureReport, op: &str) -> Result<Vec<Range>, String> {
    let (Some(attribution), Some(records)) = (&capture.attribution, &capture.records) else {
        return Err("no kernel is attributed".to_owned());
    };
    let kernels: f64 = attribution.classes.values().map(|class| class.time_us.as_f64()).sum();
    let copies: f64 = records.devices.iter().map(|device| device.memcpy_us.as_f64()).sum();
    // A graph's operator launched the graph: which operator each of its kernels belongs to is not recorded.
    let known = attribution.ops.iter().filter(|row| row.class != "graph");
    let time_of = |of: &dyn Fn(&str) -> bool| -> f64 {
        known.clone().filter(|row| of(&row.name)).map(|row| row.time_us.as_f64()).sum()
    };
    if kernels <= 0.0 {
        return Err("no kernel took any time".to_owned());
    }
    if !attribution.ops.iter().any(|row| row.name == op) {
        return Err("no kernel is known to be of an operator of exactly this name".to_owned());
    }
    let (own, open) = (time_of(&|name| name == op), (kernels - time_of(&|_| true)).max(0.0));
    let all = kernels + copies;
    Ok(vec![(own / kernels, (own + open) / kernels), (own / all, (own + open + copies) / all)])
}

/// Where a refuted number is what another reading of the same records gives, the words that say which.
fn reading(statement: &Statement, capture: &CaptureReport) -> Option<String> {
    let Quantity::Budget(budget, form, device) = &statement.quantity else { return None };
    let devices = &capture.records.as_ref()?.devices;
    let meant = devices.iter().filter(|one| device.as_ref().is_none_or(|name| one.name == *name));
    let mut readings = meant.flat_map(|device| &device.readings);
    let (lowest, highest) = statement.said.range();
    let fits = |one: &&DeviceReading| {
        let value = reading_value(one, *budget, *form);
        value.is_some_and(|value| value >= lowest && value <= highest)
    };
    let found = readings.find(fits)?;
    Some(format!("; it is the number {}", found.words))
}

fn reading_value(reading: &DeviceReading, budget: Budget, form: Form) -> Option<f64> {
    let time = match budget {
        Budget::Total => reading.total_us,
        Budget::Busy => reading.busy_us,
        Budget::Inactive => reading.idle_us,
        _ => return None,
    };
    in_form(us_pair((time, time)), reading.total_us, form).map(|(value, _)| value)
}
