//! Reports for the tests of outputs, small and complete: every field that a renderer reads is filled somewhere.

mod records;

use super::html::lanes;
use super::jax::{jax, tables};
use super::roofline::roofline;
use super::run::run;
use idleproof::checks;
use idleproof::report::*;
use idleproof::units::Ratio;
use records::records;
use serde_json::json;
use std::collections::BTreeMap;

/// A kernel's name that tries to break out of every output.
pub(crate) const HOSTILE: &str =
    "void k<T>|`x`<script>@octo\n::error::boom\u{1b}[31m]]>\0\u{202e}\u{fffe}";

/// The idle share of the incident's records: none of its forms may be printed.
pub(crate) const FALSE_IDLE: &[&str] =
    &["99.13", "99.1", "99,1", "7179", "7,179", "7.18 s", "7.179 s"];

pub(crate) fn us(us: i128) -> Microseconds {
    Microseconds::from_ps(us * 1_000_000)
}

fn pct(part: u64, whole: u64) -> Percent {
    Percent::of(Ratio::new(part, whole).expect("a whole"))
}

pub(crate) fn share(part: u64, whole: u64) -> Share {
    Share::of(Ratio::new(part, whole).expect("a whole"))
}

pub(crate) fn check(id: &str, state: State, level: Level, claims: &[Claim]) -> CheckReport {
    CheckReport {
        id: id.to_owned(),
        state,
        level,
        fails: state == State::Violated && level == Level::Deny,
        why: (state == State::NotEvaluable).then_some(WhyNotEvaluable::NoEvidence),
        measured: None,
        limit: None,
        part_of: checks::find(id).and_then(|one| one.part_of).map(str::to_owned),
        claims: claims.to_vec(),
        evidence: Evidence::new(),
        message: format!("what {id} measured"),
        help: format!("what to do about {id}"),
        origin: "default".to_owned(),
        exception: None,
    }
}

fn limit(bound: Bound, value: f64, unit: Unit) -> Option<Limit> {
    Some(Limit { bound, value, unit })
}

fn file(path: &str, bytes: u64) -> FileReport {
    FileReport {
        path: path.to_owned(),
        format: Some("kineto".to_owned()),
        role: FileRole::Record,
        bytes,
        sha256: Some("ab".repeat(32)),
        events: Some(131_243),
    }
}

fn attribution() -> Attribution {
    let class = |records, time, part| AttributionClass {
        records,
        time_us: us(time),
        share: Some(share(part, 100)),
    };
    Attribution {
        classes: BTreeMap::from([
            ("correlation".to_owned(), class(3_000, 40_000, 63)),
            ("graph".to_owned(), class(1_321, 23_321, 37)),
        ]),
        methods: Methods {
            by_id: Some(share(63, 100)),
            by_id_refused: None,
            by_nesting: Some(share(60, 100)),
            compared: 2_900,
            agreeing: 2_870,
        },
        ops: vec![OpRow {
            name: "aten::mm".to_owned(),
            records: 1_200,
            time_us: us(22_222),
            share: Some(share(35, 100)),
            class: "correlation".to_owned(),
            level: None,
            is_argument: false,
            per_step_us: Vec::new(),
            kernels_per_step: None,
        }],
        lines: vec![LineRow {
            file: "model.py".to_owned(),
            line: 77,
            records: 600,
            time_us: us(11_111),
            share: Some(share(18, 100)),
            function: None,
            level: None,
            class: None,
        }],
        hlo: None,
    }
}

fn hot_kernels() -> Vec<HotKernel> {
    let kernel = |name: &str, records, time, part| HotKernel {
        name: name.to_owned(),
        records,
        time_us: us(time),
        share: Some(share(part, 100)),
        op: Some("aten::mm".to_owned()),
        by_kernel: None,
        several_ops: false,
        per_step_us: Vec::new(),
    };
    let shared =
        HotKernel { op: None, several_ops: true, ..kernel("shared_by_operators", 300, 5_555, 9) };
    let alone = HotKernel { op: None, ..kernel("of_no_operator", 150, 2_222, 4) };
    vec![
        shared,
        alone,
        kernel(HOSTILE, 1_200, 22_222, 35),
        kernel(&format!("void cutlass::Kernel<{}>", "float, ".repeat(200)), 600, 11_111, 18),
    ]
}

/// A capture in which nothing is withheld.
pub(crate) fn healthy() -> CaptureReport {
    let supported = || ClaimReport { state: ClaimState::Supported, by: Vec::new() };
    let mut coverage =
        check("under-recorded-graph-replays", State::Holds, Level::Deny, &[Claim::Idle]);
    coverage.measured = Some(1.0);
    coverage.limit = limit(Bound::Min, 0.95, Unit::Share);
    let mut ranks = check("missing-ranks", State::NotEvaluable, Level::Warn, &[]);
    ranks.why = Some(WhyNotEvaluable::NotApplicable);
    CaptureReport {
        name: "captures/decode/rank_1".to_owned(),
        files: vec![file("captures/decode/rank_1.pt.trace.json.gz", 29_779_559)],
        outcome: Outcome::Report,
        error: None,
        notices: Vec::new(),
        records: Some(records(200_000, 117_600, 128)),
        claims: Claims {
            idle: IdleClaim {
                state: ClaimState::Supported,
                by: Vec::new(),
                device_inactive_pct: Some((pct(412, 1000), pct(412, 1000))),
                host_starved_pct: Some((pct(10, 100), pct(25, 100))),
            },
            host_starved: supported(),
            kernel_time: supported(),
            ranking: supported(),
            op_attribution: supported(),
            source_line: supported(),
            step_time: supported(),
            critical_path: supported(),
            roofline: supported(),
            estimate: supported(),
            ..Claims::default()
        },
        attribution: Some(attribution()),
        hot_kernels: hot_kernels(),
        roofline: Some(roofline()),
        tables: Some(tables()),
        swimlanes: Some(lanes()),
        rank: None,
        stated: vec![
            StatedReport {
                quantity: "device_inactive_pct".to_owned(),
                value: "97.9".to_owned(),
                source: "claims.toml:3".to_owned(),
                state: StatedState::Undetermined,
                against: Some((0.15, 97.94)),
                by: vec!["idle-with-queued-work".to_owned()],
                message:
                    "device_inactive_pct = 97.9 is not decided: the capture allows 0.15 to 97.94"
                        .to_owned(),
            },
            StatedReport {
                quantity: format!("kernel_share:{HOSTILE}"),
                value: "above 0.5".to_owned(),
                source: HOSTILE.to_owned(),
                state: StatedState::Refuted,
                against: Some((0.25, 0.25)),
                by: Vec::new(),
                message: format!(
                    "kernel_share:{HOSTILE} above 0.5 is refuted: the capture allows 0.25"
                ),
            },
        ],
        critical_path: Some(critical_path()),
        what_to_change: vec![Change {
            cause: "gaps before launches".to_owned(),
            open: Some(HOSTILE.to_owned()),
            step_us: StepChange { now: us(3_500_000), if_gone: (us(3_100_000), us(3_200_000)) },
            share: Some(share(1, 4)),
            at_best_us: Some(us(2_625_000)),
            order_undetermined: false,
            assumption: "the host keeps its pace".to_owned(),
            is_upper_bound: false,
            in_run: Some(ShareOfRun {
                collectives: 8,
                last: 5,
                at_most_us: us(90_000),
                run_us: Some(us(4_500_000)),
                collectives_us: Some(us(3_100_000)),
            }),
            parts: vec![ChangePart { what: HOSTILE.to_owned(), time_us: us(200_000) }],
            stretches: Some(ChangeStretches {
                count: 12,
                longest: Some(HOSTILE.to_owned()),
                longest_us: us(200_000),
                mostly_one: false,
            }),
            at_roofline: Some(ChangeAtRoofline {
                kernels_us: us(900_000),
                floor_us: us(300_000),
                saves_at_most_us: us(400_000),
                bound: "compute".to_owned(),
                assumption: "each launch takes as long as its peak lets it".to_owned(),
                knob: HOSTILE.to_owned(),
            }),
            knob: "CUDA graphs".to_owned(),
            basis: "inferred".to_owned(),
        }],
        try_by_count: vec![CountedAdvice {
            id: "small-executions".to_owned(),
            found: "81 executions launch 105 kernels".to_owned(),
            action: HOSTILE.to_owned(),
            no_saving: "the critical path is not stated".to_owned(),
            rows: vec![CountedRow { what: HOSTILE.to_owned(), count: 24, time_us: Some(us(300)) }],
            basis: "inferred".to_owned(),
        }],
        checks: vec![coverage, ranks],
        trust_list: Vec::new(),
        needs_new_capture: Vec::new(),
    }
}

fn critical_path() -> CriticalPath {
    let kind = |kind: &str, time, part| PathKind {
        kind: kind.to_owned(),
        time_us: us(time),
        share: Some(share(part, 4)),
    };
    let segment = |kind: &str, name: Option<&str>, start, time| PathSegment {
        kind: kind.to_owned(),
        name: name.map(str::to_owned),
        start_us: us(start),
        time_us: us(time),
        merged: 1,
    };
    let name = |kind: &str, name: Option<&str>, time| PathName {
        kind: kind.to_owned(),
        name: name.map(str::to_owned),
        time_us: us(time),
        segments: 1,
    };
    CriticalPath {
        scope: PathScope::Step,
        step: Some(HOSTILE.to_owned()),
        device: "gpu:0".to_owned(),
        window_us: (us(1_000_000), us(4_500_000)),
        total_us: us(3_500_000),
        segments: vec![
            segment("kernel", Some(HOSTILE), 0, 2_625_000),
            segment("host", None, 2_625_000, 875_000),
        ],
        segments_left_out: 0,
        by_kind: vec![kind("kernel", 2_625_000, 3), kind("host", 875_000, 1)],
        by_name: vec![name("kernel", Some(HOSTILE), 2_625_000), name("host", None, 875_000)],
        unexplained_us: us(0),
        reason: None,
    }
}

/// The incident: graph replays without records, so a false idle of 99 %.
pub(crate) fn incident() -> CaptureReport {
    const BY: &str = "under-recorded-graph-replays";
    let withheld = || ClaimReport { state: ClaimState::Withheld, by: vec![BY.to_owned()] };
    let all =
        [Claim::Idle, Claim::HostStarved, Claim::Ranking, Claim::OpAttribution, Claim::StepTime];
    let mut replays = check(BY, State::Violated, Level::Deny, &all);
    replays.measured = Some(3.0 / 128.0);
    replays.limit = limit(Bound::Min, 0.95, Unit::Share);
    replays.message = "3 of 128 graph replays recorded device work".to_owned();
    replays.evidence = Evidence::from([
        ("graph_launches".to_owned(), json!(128)),
        ("with_records".to_owned(), json!(3)),
        ("busy_us".to_owned(), json!(63_000)),
    ]);
    let mut queued = check("idle-with-queued-work", State::Violated, Level::Warn, &[Claim::Idle]);
    queued.measured = Some(12.0);
    queued.limit = limit(Bound::Max, 0.0, Unit::Count);
    let mut excepted =
        check("low-op-attribution", State::Excepted, Level::Deny, &[Claim::SourceLine]);
    excepted.exception = Some("operators are recorded from 2.9 on, until 2027-01-31".to_owned());
    let mut required =
        check("open-stream-budget", State::NotEvaluable, Level::Deny, &[Claim::Idle]);
    required.fails = true;
    required.message = "streams were not recorded".to_owned();
    let mut off = check("unknown-device", State::NotEvaluable, Level::Allow, &[Claim::Roofline]);
    off.why = Some(WhyNotEvaluable::SwitchedOff);
    let healthy = healthy();
    CaptureReport {
        name: "captures/decode/rank_0".to_owned(),
        files: vec![file("captures/decode/rank_0.pt.trace.json.gz", 1_234_567)],
        notices: vec![NoticeReport {
            code: "invalid-utf8".to_owned(),
            count: 1_204,
            message: "bytes that are no text were replaced".to_owned(),
        }],
        records: Some(records(7_242_000, 63_000, 3)),
        claims: Claims {
            idle: IdleClaim {
                state: ClaimState::Withheld,
                by: vec![BY.to_owned(), "idle-with-queued-work".to_owned()],
                device_inactive_pct: Some((pct(7_179, 7_242), pct(7_179, 7_242))),
                host_starved_pct: Some((pct(7_179, 7_242), pct(7_179, 7_242))),
            },
            host_starved: withheld(),
            ranking: withheld(),
            op_attribution: withheld(),
            step_time: withheld(),
            source_line: withheld(),
            critical_path: withheld(),
            estimate: withheld(),
            ..healthy.claims.clone()
        },
        checks: vec![
            replays,
            queued,
            check("damaged-records", State::Holds, Level::Deny, &[Claim::KernelTime]),
            check("sync-without-recorded-work", State::NotEvaluable, Level::Warn, &[Claim::Idle]),
            required,
            off,
            excepted,
        ],
        trust_list: vec![
            TrustItem {
                item: "graph replays without device records".to_owned(),
                count: Some(125),
                share: Some(share(125, 128)),
                check: Some(BY.to_owned()),
                claims: all.to_vec(),
            },
            TrustItem {
                item: "kernels launched before recording began".to_owned(),
                count: Some(17),
                share: None,
                check: Some("damaged-records".to_owned()),
                claims: vec![Claim::OpAttribution],
            },
        ],
        needs_new_capture: vec![NewCapture {
            question: "how long is the device idle?".to_owned(),
            capture: "the same run with graphs off".to_owned(),
        }],
        ..healthy
    }
}

/// A capture that could not be read.
pub(crate) fn refused() -> CaptureReport {
    CaptureReport {
        name: "captures/cut".to_owned(),
        files: vec![FileReport {
            format: None,
            sha256: None,
            events: None,
            ..file("captures/cut.json", 17)
        }],
        outcome: Outcome::Refused,
        error: Some(ErrorReport {
            kind: "truncated".to_owned(),
            message: "the file ends inside an event".to_owned(),
            help: "copy it again; the profiler may still have been writing".to_owned(),
            path: "captures/cut.json".to_owned(),
            line: Some(1),
            column: Some(18),
            offset: Some(17),
        }),
        notices: Vec::new(),
        records: None,
        claims: Claims::default(),
        attribution: None,
        hot_kernels: Vec::new(),
        roofline: None,
        tables: None,
        swimlanes: None,
        rank: None,
        stated: Vec::new(),
        critical_path: None,
        what_to_change: Vec::new(),
        try_by_count: Vec::new(),
        checks: Vec::new(),
        trust_list: Vec::new(),
        needs_new_capture: Vec::new(),
    }
}

pub(crate) fn report(verdict: Verdict, captures: Vec<CaptureReport>) -> Report {
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "idleproof".to_owned(), version: "0.0.0".to_owned() },
        policy: PolicyStamp { name: "idleproof.toml".to_owned(), sha256: "cd".repeat(32) },
        verdict,
        captures,
        runs: Vec::new(),
        skipped: Vec::new(),
        goldens: Vec::new(),
        policy_findings: Vec::new(),
        partition: None,
    }
}

fn golden(output: &str, state: GoldenState, level: Level) -> GoldenReport {
    GoldenReport {
        capture: "captures/decode/rank_0".to_owned(),
        output: output.to_owned(),
        path: format!("goldens/captures+decode+rank_0.{output}.snap"),
        state,
        level,
        diff: (state == GoldenState::Changed)
            .then(|| "--- a\n+++ b\n@@ -1 +1 @@\n-idle 41.2 %\n+idle ```\u{1b}\n".to_owned()),
    }
}

/// Everything at once.
pub(crate) fn everything() -> Report {
    let mut orphan = golden("trust", GoldenState::Unreferenced, Level::Warn);
    orphan.capture = "old.trust.snap".to_owned();
    orphan.path = "goldens/old.trust.snap".to_owned();
    let finding = |level, line: u32| PolicyFinding {
        id: "unused-exception".to_owned(),
        level,
        message: format!("idleproof.toml:{line}: the exception matched nothing"),
    };
    Report {
        runs: vec![run()],
        skipped: vec![SkippedFile {
            path: "captures/notes.txt".to_owned(),
            reason: "no capture".to_owned(),
        }],
        goldens: vec![
            golden("trust", GoldenState::Changed, Level::Deny),
            golden("markdown", GoldenState::Missing, Level::Warn),
            golden("json", GoldenState::Same, Level::Deny),
            orphan,
        ],
        policy_findings: vec![finding(Level::Warn, 41), finding(Level::Deny, 47)],
        ..report(Verdict::Error, vec![refused(), incident(), healthy(), jax()])
    }
}
