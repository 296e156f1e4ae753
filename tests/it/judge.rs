//! Judging, as tables: state × level × exception × claim.

use crate::policy::{VOCABULARY, parse};
use idleproof::checks::{self, BOUNDED, CHECKS, Check, Measurement};
use idleproof::judge::{conclude, judge, name_apart, refused};
use idleproof::policy::Policy;
use idleproof::report::{
    CaptureReport, CheckReport, Claim, ClaimReport, ClaimState, Claims, ErrorReport, Evidence,
    FileReport, FileRole, GoldenReport, GoldenState, IdleClaim, Level, NoticeReport, Outcome,
    Percent, PolicyFinding, Report, State, Verdict, WhyNotEvaluable,
};
use idleproof::units::Ratio;
use jiff::civil::{Date, date};

const TODAY: Date = date(2026, 12, 1);

/// An unjudged capture of one file; every claim has something to be computed from.
pub(crate) fn capture(path: &str) -> CaptureReport {
    let supported = || ClaimReport { state: ClaimState::Supported, by: Vec::new() };
    let half = Ratio::new(1, 2).map(Percent::of).map(|half| (half, half));
    let claims = Claims {
        idle: IdleClaim {
            state: ClaimState::Supported,
            by: Vec::new(),
            device_inactive_pct: half,
            host_starved_pct: half,
        },
        host_starved: supported(),
        kernel_time: supported(),
        ranking: supported(),
        op_attribution: supported(),
        source_line: supported(),
        step_time: supported(),
        critical_path: supported(),
        collective_split: supported(),
        roofline: supported(),
        estimate: supported(),
    };
    let error = ErrorReport {
        kind: String::new(),
        message: String::new(),
        help: String::new(),
        path: String::new(),
        line: None,
        column: None,
        offset: None,
    };
    let blank = refused(base_name(path), vec![file(path)], error);
    CaptureReport { outcome: Outcome::Report, error: None, claims, ..blank }
}

fn base_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

fn file(path: &str) -> FileReport {
    FileReport {
        path: path.to_owned(),
        format: None,
        role: FileRole::Record,
        bytes: 0,
        sha256: None,
        events: None,
    }
}

pub(crate) fn measured(id: &str, value: f64) -> (&'static Check, Measurement) {
    let evidence = Evidence::new();
    (
        check(id),
        Measurement::Measured { value, evidence, message: format!("{id} is {value}"), help: None },
    )
}

fn not_evaluable(id: &str, why: WhyNotEvaluable) -> (&'static Check, Measurement) {
    (check(id), Measurement::NotEvaluable { why, reason: format!("{why:?}") })
}

fn check(id: &str) -> &'static Check {
    checks::find(id).unwrap_or_else(|| panic!("no check `{id}`"))
}

fn judged_by(policy: &str, measurements: &[(&'static Check, Measurement)]) -> CaptureReport {
    let policy = parse(&format!("version = 1\n{policy}"));
    judge(capture("captures/a.json"), measurements, &policy, TODAY)
}

const ID: &str = "shared-correlation-ids";
const EXCEPTION: &str = "[[exceptions]]\ncheck = \"shared-correlation-ids\"\npaths = [\"captures/**\"]\nreason = \"old\"\nexpires = ";

#[test]
fn state_level_and_exception_decide_what_fails_and_what_is_withheld() {
    use State::{Excepted, Holds, NotEvaluable, Violated};
    use WhyNotEvaluable::{NoEvidence, NotApplicable, SwitchedOff};
    let (running, ended) = ("2026-12-01", "2026-11-30");
    let value = |value| measured(ID, value);
    let absent = |why| not_evaluable(ID, why);
    // level, missing, exception → measurement → state, why, fails, withheld, on the trust list
    for (level, missing, until, measurement, expected) in [
        ("deny", "warn", "", value(0.0), (Holds, None, false, false, false)),
        ("deny", "warn", "", value(2.0), (Violated, None, true, true, true)),
        ("warn", "warn", "", value(2.0), (Violated, None, false, true, true)),
        ("allow", "deny", "", value(2.0), (NotEvaluable, Some(SwitchedOff), false, false, true)),
        ("allow", "deny", "", value(0.0), (NotEvaluable, Some(SwitchedOff), false, false, true)),
        ("deny", "warn", running, value(0.0), (Holds, None, false, false, false)),
        ("deny", "warn", running, value(2.0), (Excepted, None, false, true, true)),
        ("warn", "warn", running, value(2.0), (Excepted, None, false, true, true)),
        ("deny", "warn", ended, value(2.0), (Violated, None, true, true, true)),
        (
            "deny",
            "deny",
            "",
            absent(NoEvidence),
            (NotEvaluable, Some(NoEvidence), true, true, true),
        ),
        (
            "warn",
            "deny",
            "",
            absent(NoEvidence),
            (NotEvaluable, Some(NoEvidence), true, true, true),
        ),
        (
            "deny",
            "warn",
            "",
            absent(NoEvidence),
            (NotEvaluable, Some(NoEvidence), false, false, true),
        ),
        (
            "deny",
            "allow",
            "",
            absent(NoEvidence),
            (NotEvaluable, Some(NoEvidence), false, false, false),
        ),
        (
            "deny",
            "deny",
            running,
            absent(NoEvidence),
            (NotEvaluable, Some(NoEvidence), false, true, true),
        ),
        (
            "deny",
            "deny",
            "",
            absent(NotApplicable),
            (NotEvaluable, Some(NotApplicable), false, false, false),
        ),
        ("deny", "warn", "", value(f64::NAN), (NotEvaluable, Some(NoEvidence), false, false, true)),
        (
            "deny",
            "deny",
            "",
            value(f64::INFINITY),
            (NotEvaluable, Some(NoEvidence), true, true, true),
        ),
    ] {
        let exception =
            if until.is_empty() { String::new() } else { format!("{EXCEPTION}{until}\n") };
        let policy = format!(
            "[checks]\n{ID} = {{ level = \"{level}\", missing = \"{missing}\" }}\n{exception}"
        );
        let report = judged_by(&policy, std::slice::from_ref(&measurement));
        let [judged] = &report.checks[..] else { panic!("one check in, one out") };
        let withheld = report.claims.op_attribution.state == ClaimState::Withheld;
        let seen =
            (judged.state, judged.why, judged.fails, withheld, !report.trust_list.is_empty());
        assert_eq!(seen, expected, "{policy}{measurement:?}");
        assert_eq!(
            judged.exception.is_some(),
            until == running
                && (judged.state == Excepted
                    || judged.fails != (missing == "deny" && judged.why == Some(NoEvidence))),
            "{policy}{measurement:?}"
        );
    }
}

#[test]
fn limits_are_sharp_and_judged_before_rounding() {
    for (id, value, state, printed) in [
        // `max`: equal holds.
        ("idle-with-queued-work", 0.015, State::Holds, 0.015),
        ("idle-with-queued-work", 0.015_000_4, State::Violated, 0.015_000_4),
        ("idle-with-queued-work", 0.015_001_4, State::Violated, 0.015_001),
        ("idle-with-queued-work", 0.015_000_000_1, State::Violated, 0.015_000_000_1),
        // `min`: equal holds.
        ("under-recorded-graph-replays", 1.0, State::Holds, 1.0),
        ("under-recorded-graph-replays", 0.999_999_999, State::Violated, 0.999_999_999),
        ("under-recorded-graph-replays", 0.023_437_5, State::Violated, 0.023_438),
    ] {
        let report = judged_by("", &[measured(id, value)]);
        assert_eq!(report.checks[0].state, state, "{id} {value}");
        let shown = report.checks[0].measured.unwrap();
        assert_eq!(shown.to_string(), printed.to_string(), "{id} {value}");
        // What is printed explains the state.
        assert_eq!(report.checks[0].limit.unwrap().is_violated_by(shown), state == State::Violated);
    }
}

#[test]
fn a_violation_withholds_what_its_check_guards_and_nothing_else() {
    for check in CHECKS {
        let limit =
            Policy::preset("default", VOCABULARY).unwrap().rule(check.id, &[]).unwrap().limit.value;
        let Some(violating) = [-1.0, 1e9].into_iter().find(|value| limit.is_violated_by(*value))
        else {
            continue;
        };
        let report = judged_by("", &[measured(check.id, violating)]);
        for claim in Claim::ALL {
            let implied = claim == Claim::HostStarved && check.guards.contains(&Claim::Idle);
            let expected = if check.guards.contains(&claim) || implied {
                (ClaimState::Withheld, vec![check.id.to_owned()])
            } else {
                (ClaimState::Supported, Vec::new())
            };
            let (state, by) = report.claims.get(claim);
            assert_eq!((state, by.to_vec()), expected, "{} {claim:?}", check.id);
        }
        let idle = &report.claims.idle;
        // Bounds outlive the claim where they contain what the check found.
        let stands = |state| state == ClaimState::Supported || BOUNDED.contains(&check.id);
        assert_eq!(idle.device_inactive_pct.is_some(), stands(idle.state), "{}", check.id);
        let starved = stands(report.claims.host_starved.state);
        assert_eq!(idle.host_starved_pct.is_some(), starved, "{}", check.id);
    }
}

#[test]
fn checks_that_the_bounds_contain_exist_and_guard_idle_or_a_part_of_it() {
    for id in BOUNDED {
        let check = CHECKS.iter().find(|check| check.id == *id).unwrap();
        let guards = |claim| check.guards.contains(&claim);
        assert!(guards(Claim::Idle) || guards(Claim::HostStarved), "{id}");
    }
}

#[test]
fn what_is_undefined_stays_so_and_names_what_speaks_against_it() {
    let mut draft = capture("a.json");
    draft.claims = Claims::default();
    let policy = parse("version = 1\n");
    let both = [measured("no-device-activity", 0.0), measured("under-recorded-graph-replays", 0.0)];
    let report = judge(draft, &both, &policy, TODAY);
    assert_eq!(report.claims.idle.state, ClaimState::Undefined);
    assert_eq!(report.claims.idle.by, ["no-device-activity", "under-recorded-graph-replays"]);
}

#[test]
fn a_check_that_rests_on_a_claim_is_judged_after_all_that_guard_it() {
    // In whatever order they come.
    let workload = measured("high-idle", 99.0);
    let guard = |value| measured("under-recorded-graph-replays", value);
    for (measurements, state, why) in [
        ([workload.clone(), guard(1.0)], State::Violated, None),
        ([workload.clone(), guard(0.5)], State::NotEvaluable, Some(WhyNotEvaluable::NoEvidence)),
        ([guard(0.5), workload.clone()], State::NotEvaluable, Some(WhyNotEvaluable::NoEvidence)),
    ] {
        let report = judged_by("", &measurements);
        let order: Vec<&str> = report.checks.iter().map(|check| check.id.as_str()).collect();
        assert_eq!(order, measurements.map(|(check, _)| check.id));
        let high_idle = report.checks.iter().find(|check| check.id == "high-idle").unwrap();
        assert_eq!((high_idle.state, high_idle.why, high_idle.fails), (state, why, false));
    }
    let mut draft = capture("a.json");
    draft.claims = Claims::default();
    let report = judge(draft, &[workload], &parse("version = 1\n"), TODAY);
    assert_eq!(report.checks[0].why, Some(WhyNotEvaluable::NotApplicable));
}

#[test]
fn checks_that_rest_on_a_claim_guard_none() {
    for check in CHECKS {
        assert!(check.requires.is_none() || check.guards.is_empty(), "{}", check.id);
    }
}

#[test]
fn overrides_and_exceptions_go_by_the_paths_of_the_files() {
    let policy = parse(
        "version = 1\n[[overrides]]\npaths = [\"captures/b/*\"]\nchecks = { shared-correlation-ids = \"warn\" }\n",
    );
    for (path, fails) in [
        ("captures/a/x.json", true),
        ("captures/b/x.json", false),
        ("./captures/b/x.json", false),
        ("b/x.json", true),
    ] {
        let report = judge(capture(path), &[measured(ID, 1.0)], &policy, TODAY);
        assert_eq!(report.checks[0].fails, fails, "{path}");
    }
}

#[test]
fn the_trust_list_tells_everything_that_limits_the_capture() {
    let policy = parse(&format!(
        "version = 1\n[checks]\nduplicated-records = \"allow\"\n{EXCEPTION}2027-01-31\n"
    ));
    let mut draft = capture("captures/a.json");
    draft.notices = vec![NoticeReport {
        code: "bom".into(),
        count: 1,
        message: "a byte order mark was skipped".into(),
    }];
    let mut counted = measured("launch-without-device-record", 3.0);
    if let Measurement::Measured { evidence, .. } = &mut counted.1 {
        evidence.insert("share".into(), 0.25.into());
    }
    let measurements = [
        measured("duplicated-records", 9.0),
        not_evaluable("kernel-before-launch", WhyNotEvaluable::NoEvidence),
        not_evaluable("incomplete-graph-replays", WhyNotEvaluable::NotApplicable),
        counted,
        measured(ID, 2.0),
        measured("under-recorded-graph-replays", 0.25),
        measured("damaged-records", 0.0),
    ];
    let report = judge(draft, &measurements, &policy, TODAY);
    let lines = report.trust_list.iter().map(|item| {
        let claims: Vec<&str> = item.claims.iter().map(|claim| claim.name()).collect();
        format!(
            "{}\n  {:?} {:?} {:?} {}\n",
            item.item,
            item.count,
            item.share,
            item.check,
            claims.join(" ")
        )
    });
    crate::snapshot("judge_trust_list", &lines.collect::<String>());
}

fn verdict(
    captures: Vec<CaptureReport>,
    goldens: Vec<GoldenReport>,
    findings: Vec<PolicyFinding>,
) -> Verdict {
    let policy = parse(
        "version = 1\n[[overrides]]\npaths = [\"lenient/*\"]\nchecks = { golden-differs = \"warn\" }\n",
    );
    conclude(captures, Vec::new(), Vec::new(), goldens, &policy, findings).verdict
}

fn judged(path: &str, value: f64) -> CaptureReport {
    judge(capture(path), &[measured(ID, value)], &parse("version = 1\n"), TODAY)
}

fn unreadable(path: &str) -> CaptureReport {
    let error = ErrorReport {
        kind: "truncated".into(),
        message: "the end is missing".into(),
        help: "capture again".into(),
        path: path.into(),
        line: None,
        column: None,
        offset: Some(12),
    };
    refused(path.to_owned(), vec![file(path)], error)
}

#[test]
fn the_verdict_is_the_worst_that_happened() {
    let finding =
        |level| PolicyFinding { id: "unused-exception".into(), level, message: String::new() };
    for (name, captures, findings, expected) in [
        ("nothing judged", vec![], vec![], Verdict::Error),
        ("all hold", vec![judged("a", 0.0)], vec![], Verdict::Pass),
        ("one violated", vec![judged("a", 0.0), judged("b", 1.0)], vec![], Verdict::Fail),
        ("one refused", vec![judged("a", 0.0), unreadable("b")], vec![], Verdict::Error),
        ("refused wins", vec![judged("a", 1.0), unreadable("b")], vec![], Verdict::Error),
        ("a finding to warn of", vec![judged("a", 0.0)], vec![finding(Level::Warn)], Verdict::Pass),
        ("a finding to deny", vec![judged("a", 0.0)], vec![finding(Level::Deny)], Verdict::Fail),
    ] {
        assert_eq!(verdict(captures, Vec::new(), findings), expected, "{name}");
    }
}

#[test]
fn goldens_fail_by_the_level_that_the_policy_gives_them() {
    let golden = |path: &str, state| GoldenReport {
        capture: base_name(path),
        output: "trust".into(),
        path: "goldens/x.snap".into(),
        state,
        level: Level::Allow,
        diff: None,
    };
    for (path, state, expected) in [
        ("strict/a", GoldenState::Same, Verdict::Pass),
        ("strict/a", GoldenState::Changed, Verdict::Fail),
        ("strict/a", GoldenState::Missing, Verdict::Fail),
        ("strict/a", GoldenState::Unreferenced, Verdict::Pass),
        ("lenient/a", GoldenState::Changed, Verdict::Pass),
        ("lenient/a", GoldenState::Missing, Verdict::Fail),
    ] {
        let reached = verdict(vec![judged(path, 0.0)], vec![golden(path, state)], Vec::new());
        assert_eq!(reached, expected, "{path} {state:?}");
    }
}

#[test]
fn refused_captures_state_nothing() {
    let report = unreadable("a.json");
    assert_eq!(report.outcome, Outcome::Refused);
    assert!(Claim::ALL.iter().all(|&claim| report.claims.get(claim).0 == ClaimState::Undefined));
    assert!(report.records.is_none() && report.checks.is_empty() && report.error.is_some());
}

#[test]
fn captures_come_in_order_of_names_that_are_apart() {
    let mut captures =
        vec![judged("b/x.json", 0.0), judged("a/x.json", 0.0), judged("a/w.json", 0.0)];
    name_apart(&mut captures);
    let policy = parse("version = 1\n");
    let report: Report =
        conclude(captures, Vec::new(), Vec::new(), Vec::new(), &policy, Vec::new());
    let names: Vec<&str> = report.captures.iter().map(|capture| capture.name.as_str()).collect();
    assert_eq!(names, ["a/x.json", "b/x.json", "w.json"]);
}

#[test]
fn a_judged_report_survives_json() {
    let report = conclude(
        vec![judged("a", 1.0), unreadable("b")],
        Vec::new(),
        Vec::new(),
        Vec::new(),
        &parse("version = 1\n"),
        Vec::new(),
    );
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    let checks: &[CheckReport] = &report.captures[0].checks;
    assert_eq!(checks.len(), 1);
}

/// What a change would save rests on idle and on the critical path: what withholds one of them withholds the estimates.
#[test]
fn estimates_go_with_what_they_rest_on() {
    let rests = |check: &&&idleproof::checks::Check| {
        let guards = check.guards;
        guards.contains(&Claim::Idle) || guards.contains(&Claim::CriticalPath)
    };
    for check in idleproof::checks::CHECKS.iter().filter(rests) {
        assert!(check.guards.contains(&Claim::Estimate), "{}", check.id);
    }
}
