//! The page and the drawing: well formed whatever names a capture has, without a way to any other place, and with the report's figures.

use super::builder::{
    FALSE_IDLE, HOSTILE, check, everything, healthy, incident, refused, report, us,
};
use crate::harness::{default_policy, in_crate, read_one};
use idleproof::checks::CHECKS;
use idleproof::report::{
    Bar, CaptureReport, Claim, ClaimState, Lane, LaneKind, LastFinisher, Level, Limit, PathScope,
    Percent, Report, Share, ShareOfRun, State, Swimlanes, Unit, Verdict,
};
use idleproof::units::Ratio;
use idleproof::{Detail, Options, evaluate_capture, read, render};
use quick_xml::Reader;
use quick_xml::events::Event;
use regex::Regex;
use std::sync::Arc;

/// Lanes with names that try to break out.
pub(super) fn lanes() -> Swimlanes {
    let bar = |kind, start, length, records| Bar {
        start_us: us(start),
        end_us: us(start + length),
        kind,
        name: Some(Arc::from(HOSTILE)),
        several_names: records > 1,
        records,
        time_us: us(length),
        kinds: vec![(kind, records)],
        on_path: true,
    };
    let lane = |group: &str, name: &str, kind, bars: Vec<Bar>| Lane {
        group: group.to_owned(),
        name: name.to_owned(),
        kind,
        records: bars.iter().map(|bar| bar.records).sum(),
        time_us: us(bars.iter().map(|bar| bar.time_us.ps() / 1_000_000).sum()),
        bars,
    };
    let long = "</script><img src=x onerror=\"hacked=1\">".repeat(300);
    Swimlanes {
        scope: PathScope::Step,
        step: Some(HOSTILE.to_owned()),
        device: HOSTILE.to_owned(),
        window_us: (us(1_000), us(2_000)),
        total_us: us(1_000),
        merged_below_us: us(1),
        path: lane("critical path", "", LaneKind::Path, vec![bar("kernel", 0, 1_000, 1)]),
        lanes: vec![
            lane(HOSTILE, "stream:7", LaneKind::Work, vec![bar("kernel", 0, 300, 40)]),
            lane(HOSTILE, "idle", LaneKind::Idle, vec![bar("host-starved", 300, 700, 2)]),
            lane(&long, HOSTILE, LaneKind::Calls, vec![bar("launch", 0, 10, 1)]),
        ],
        lanes_left_out: 3,
        records_left_out: 12_345,
        threads_left_out: 2,
        last: Some(LastFinisher {
            stream: "stream:7".to_owned(),
            name: HOSTILE.to_owned(),
            on_path: true,
            waited_on: Some(("host", Some(long))),
        }),
    }
}

pub(super) fn text(kind: &str, report: &Report) -> String {
    render::find(kind).and_then(|output| output.text(report)).expect("a text")
}

pub(super) fn alone(capture: CaptureReport) -> Report {
    report(capture.verdict(), vec![capture])
}

/// Everything, with names of ten thousand characters.
pub(super) fn hostile() -> Report {
    let mut report = everything();
    let long = "</style><script>hacked=1</script>\u{202e}".repeat(300);
    let capture = &mut report.captures[2];
    capture.name.clone_from(&long);
    capture.hot_kernels[0].name.clone_from(&long);
    capture.files[0].path = long;
    report
}

/// A sample that ships, with its lanes.
pub(super) fn sample(name: &str) -> CaptureReport {
    let found = read::find(&[in_crate(&format!("tests/captures/{name}"))]).expect("a folder");
    let mut captures = found.families.iter().map(read::read_family).flat_map(|one| one.captures);
    evaluated(&captures.next().expect("a capture").expect("it can be read"))
}

fn evaluated(capture: &idleproof::trace::Capture) -> CaptureReport {
    let options =
        Options { detail: Detail { swimlanes: true, ..Detail::default() }, ..Options::default() };
    evaluate_capture(capture, &default_policy(), jiff::civil::date(2026, 1, 1), &options)
}

/// A run of so many kernels, in turns on the streams of so many devices.
pub(super) fn synthetic(kernels: u32, devices: u32, streams: u32) -> CaptureReport {
    let mut events = Vec::new();
    for one in 0..kernels {
        let (device, stream) = (one % devices, one / devices % streams);
        let (launch, start) = (10 + 4 * one, 20 + 4 * one);
        events.push(format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":{launch},"dur":2,"args":{{"correlation":{id}}}}}"#,
            id = one + 1
        ));
        events.push(format!(
            r#"{{"ph":"X","cat":"kernel","name":"kernel_{name}","pid":{device},"tid":{stream},"ts":{start},"dur":3,"args":{{"device":{device},"stream":{stream},"correlation":{id}}}}}"#,
            name = one % 97,
            id = one + 1
        ));
    }
    let json = format!("{{\"schemaVersion\":1,\"traceEvents\":[{}]}}", events.join(","));
    evaluated(&read_one(&[("a.pt.trace.json".to_owned(), json.into_bytes())]).expect("a capture"))
}

/// The document without the page's own style and script, which are no markup.
fn markup(text: &str) -> String {
    let own = Regex::new(r"(?s)<(style|script)>.*?</(style|script)>").expect("a pattern");
    assert_eq!(
        own.find_iter(text).count(),
        text.matches("<style>").count() + text.matches("<script").count()
    );
    own.replace_all(text, "").into_owned()
}

/// A document as a snapshot has it: neither style nor script, nor their digests. Other outputs stay as they are.
pub(super) fn without_own_parts(text: &str) -> String {
    let is_ours = text.starts_with("<!DOCTYPE html>") || text.starts_with("<svg");
    let digest = Regex::new("sha256-[A-Za-z0-9+/=]+").expect("a pattern");
    if is_ours {
        digest.replace_all(&markup(text), "sha256-…").into_owned()
    } else {
        text.to_owned()
    }
}

/// Reads a document to its end: elements that close in order, attributes that are quoted, each once.
fn well_formed(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let markup = markup(text);
    let mut reader = Reader::from_str(&markup);
    reader.config_mut().check_end_names = true;
    let (mut elements, mut depth) = (Vec::new(), 0_u32);
    loop {
        let event = reader.read_event().unwrap_or_else(|error| {
            panic!("{error} at byte {}", reader.error_position());
        });
        match event {
            Event::Eof => break,
            Event::Start(ref element) | Event::Empty(ref element) => {
                let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
                let attributes = element.attributes().map(|one| {
                    let one = one.expect("an attribute");
                    let key = String::from_utf8_lossy(one.key.as_ref()).into_owned();
                    (key, String::from_utf8_lossy(&one.value).into_owned())
                });
                elements.push((name, attributes.collect()));
                depth += u32::from(matches!(event, Event::Start(_)));
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    elements
}

fn reports() -> Vec<(&'static str, Report)> {
    vec![
        ("everything", everything()),
        ("hostile", hostile()),
        ("refused", alone(refused())),
        ("none", report(Verdict::Pass, Vec::new())),
        ("healthy", alone(sample("healthy"))),
        ("incident", alone(sample("incident"))),
        ("jax", alone(sample("jax-loop-graph"))),
    ]
}

#[test]
fn documents_are_well_formed_and_lead_nowhere() {
    for (name, report) in reports() {
        for kind in ["html", "swimlanes"] {
            let text = text(kind, &report);
            assert_eq!(text, self::text(kind, &report), "{name}: {kind} differs from run to run");
            for (element, attributes) in well_formed(&text) {
                let scripted =
                    ["script", "img", "iframe", "object", "embed", "base", "form", "link"];
                assert!(!scripted.contains(&element.as_str()), "{name}: {kind} has <{element}>");
                for (key, value) in attributes {
                    assert!(
                        !key.starts_with("on") && key != "src" && key != "style",
                        "{key}={value}"
                    );
                    assert!(key != "href" || value.starts_with('#'), "{key}={value}");
                }
            }
            let body = markup(&text).replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
            assert!(!body.contains("url(") && !body.contains("@import"), "{name}: {kind}");
            let hidden = |one: char| {
                one.is_control() && one != '\n' || "\u{202e}\u{feff}\u{200b}".contains(one)
            };
            assert!(!body.contains(hidden), "{name}: {kind} holds a character that acts");
        }
    }
    let page = text("html", &hostile());
    assert_eq!((page.matches("<script").count(), page.matches("<style").count()), (1, 1));
}

/// A number with its unit.
fn figures(text: &str) -> Vec<String> {
    let figure = Regex::new(r"\d[\d,.]* (?:%|(?:ns|µs|ms|s)\b)").expect("a pattern");
    figure.find_iter(text).map(|one| one.as_str().to_owned()).collect()
}

#[test]
fn the_page_has_the_figures_of_the_report() {
    for name in ["healthy", "incident", "eager", "jax-loop-graph", "partial-replays"] {
        let report = alone(sample(name));
        let page = text("html", &report);
        // What is left behind the end of a table depends on where it ends, and the page's are longer.
        let is_rest = |line: &&str| {
            line.starts_with("| *all others*") || line.starts_with("| *further rows*")
        };
        let markdown = text("markdown", &report);
        let lines: Vec<&str> = markdown.lines().filter(|line| !is_rest(line)).collect();
        for figure in figures(&lines.join("\n")) {
            assert!(page.contains(&figure), "{name}: {figure} is missing");
        }
    }
}

#[test]
fn no_figure_of_a_withheld_claim_is_on_the_page() {
    let mut capture = incident();
    capture.swimlanes = Some(lanes());
    for kind in ["html", "swimlanes"] {
        let text = text(kind, &alone(capture.clone()));
        for figure in FALSE_IDLE {
            assert!(!text.contains(figure), "{kind} has {figure}");
        }
        assert!(
            !text.contains("idle: nothing launched, waiting for the host"),
            "{kind} tells a class of idle"
        );
        assert!(!text.contains("the critical path goes through it"), "{kind} tells of the path");
    }
    let page = text("html", &alone(capture));
    assert!(page.contains("— (under-recorded-graph-replays"), "no dash with the check's id");
    for kept in ["4,321 kernels", "3 of 128 graph launches with records"] {
        assert!(page.contains(kept), "{kept}");
    }
    let stated = text("html", &alone(healthy()));
    assert!(
        stated.contains("idle: nothing launched, waiting for the host")
            && stated.contains("41.2 %")
    );
}

/// What withholds nothing is violated all the same.
#[test]
fn the_answers_pass_over_no_violation() {
    let nothing = "no check that could be made is violated";
    let mut capture = healthy();
    capture.what_to_change.clear();
    capture.try_by_count.clear();
    assert!(text("html", &alone(capture.clone())).contains(nothing));
    capture.checks.push(check("high-idle", State::Violated, Level::Warn, &[]));
    let page = text("html", &alone(capture));
    assert!(!page.contains(nothing) && page.contains("<li>what to do about high-idle</li>"));
}

/// One step, or a tracer that slows the host down, stands beside the figure that it makes larger.
#[test]
fn figures_stand_with_the_conditions_of_their_recording() {
    let mut capture = healthy();
    let line = "<strong>41.2 %</strong> of its window of 200.0 ms";
    let of_one_gap = format!("{line}, one gap of 80.40 ms is 97.6 % of the idle; as recorded");
    assert!(text("html", &alone(capture.clone())).contains(&of_one_gap));
    let devices = capture.records.as_mut().map(|records| &mut records.devices);
    devices.into_iter().flatten().for_each(|device| device.longest_gaps.clear());
    let page = text("html", &alone(capture.clone()));
    assert!(
        page.contains(&format!(
            "{line}; as recorded, 2 steps, Python tracer on: read as an upper bound"
        )),
        "{page}"
    );
    let records = capture.records.as_mut().expect("records");
    records.python_frames = 0;
    assert!(
        text("html", &alone(capture.clone()))
            .contains(&format!("{line}; as recorded, 2 steps: it tells"))
    );
    capture.records.as_mut().and_then(|records| records.steps.as_mut()).expect("steps").count = 9;
    assert!(text("html", &alone(capture)).contains(&format!("{line}</li>")));
}

/// A figure that is withheld may lie within bounds that are certain: these are no withheld figure.
#[test]
fn bounds_that_are_certain_may_be_believed() {
    let mut capture = incident();
    let pct = |part| Percent::of(Ratio::new(part, 1_000).expect("a part"));
    capture.claims.idle.host_starved_pct = Some((pct(1), pct(2)));
    let page = text("html", &alone(capture));
    let (believed, rest) = page.split_once("<dt>Withheld: do not use</dt>").expect("answers");
    assert!(
        believed.contains("waiting for the host, within a range: <strong>0.1 to 0.2 %</strong>")
    );
    assert!(rest.contains("waiting for the host (its single figure: the range above stands), "));
    assert!(rest.contains("<td>within 0.1 to 0.2 %</td>"));
    assert!(!rest.contains("<span class=\"withheld\">0.1"), "red and certain");
}

/// Where nothing says what to try, the reason stands in its place.
#[test]
fn nothing_to_try_says_why() {
    let mut capture = healthy();
    capture.what_to_change.clear();
    capture.claims.estimate.state = ClaimState::Undefined;
    let path = capture.critical_path.as_mut().expect("a path");
    path.reason = Some("no launch of a kernel is known".to_owned());
    let nothing = "can be said of what to try, because no launch of a kernel is known.";
    assert!(!text("html", &alone(capture.clone())).contains(nothing), "counts say what to try");
    capture.try_by_count.clear();
    let page = text("html", &alone(capture));
    assert!(page.contains(&format!("<li>Nothing {nothing}</li>")), "{page}");
}

/// A class of idle is told in the words of the table of idle, wherever it stands.
#[test]
fn classes_of_idle_have_one_name() {
    for (_, report) in reports() {
        let page = text("html", &report);
        assert!(!page.contains("host-starved"), "a name that is explained nowhere");
    }
}

/// Where one host event is nearly all of the host's part of the path, it leads with a remedy of its own.
#[test]
fn one_host_event_stands_for_the_general_cause() {
    let mut capture = healthy();
    let mut change = capture.what_to_change.remove(0);
    change.in_run = None;
    let mut row = |cause: &str, left, part, knob: &str| {
        change.cause = cause.to_owned();
        change.step_us.if_gone = (us(left), us(left));
        change.share = Ratio::new(part, 1_000).map(Share::of);
        change.knob = knob.to_owned();
        capture.what_to_change.push(change.clone());
    };
    row("the device waits for the host", 400_000, 998, "graph capture");
    row("the device waits for the host: hipFree", 401_000, 940, "keep memory");
    let page = text("html", &alone(capture.clone()));
    assert!(
        page.contains("<li>The device waits for the host: hipFree. Try: keep memory"),
        "{page}"
    );
    assert!(
        page.contains("nearly all of the cause “the device waits for the host” (at most 3.100 s")
    );
    capture.what_to_change[1].share = Ratio::new(600, 1_000).map(Share::of);
    let page = text("html", &alone(capture));
    assert!(page.contains("<li>The device waits for the host. Try: graph capture"));
}

/// What needs several ranks is no gap of one, and is in the run where there is one.
#[test]
fn ranks_lead_to_their_run() {
    let page = text("html", &everything());
    let place = |wanted: &str| page.find(wanted).unwrap_or_else(|| panic!("no {wanted}"));
    assert!(place("id=\"run-0\"") < place("<h2>Captures</h2>"));
    assert_eq!(page.matches("<a href=\"#run-0\">see the run above</a>").count(), 2);
    assert!(page.contains("<a href=\"#capture-2\">decode/rank_1</a>"));
    let folded = "<details class=\"capture\"><summary><h2>decode/rank_1:";
    let open = "<details class=\"capture\" open=\"\"><summary><h2>decode/rank_0:";
    assert!(page.contains(folded) && page.contains(open), "what fails is not folded");
    let single = text("html", &alone(healthy()));
    assert!(!single.contains("collective split") && !single.contains("<details class=\"capture\""));
}

/// Beside a limit a percentage alone does not say of what it is.
/// What a saving is worth to the run comes before what it is worth on the rank alone, and as loud, wherever the rank comes last.
#[test]
fn the_limit_of_the_run_comes_first_on_every_rank() {
    let mut capture = healthy();
    for (last, worth) in
        [(0, "nothing in this window"), (1, "at most 90.00 ms (2.0 % of the run&#39;s 4.500 s)")]
    {
        for change in &mut capture.what_to_change {
            change.in_run = Some(ShareOfRun {
                collectives: 8,
                last,
                at_most_us: us(if last == 0 { 0 } else { 90_000 }),
                run_us: Some(us(4_500_000)),
                collectives_us: None,
            });
        }
        let page = text("html", &alone(capture.clone()));
        for form in [
            format!("<strong>for the run {worth}; on this rank alone "),
            format!("<strong>{worth}</strong>, as this one comes last to "),
        ] {
            assert!(page.contains(&form), "{form} is missing");
        }
    }
}

#[test]
fn percentages_of_checks_say_of_what() {
    for known in CHECKS.iter().filter(|one| matches!(one.unit, Unit::Share | Unit::Percent)) {
        let mut capture = healthy();
        let mut violated = check(known.id, State::Violated, Level::Warn, &[]);
        violated.measured = Some(0.5);
        violated.limit = Some(Limit { bound: known.bound, value: 0.25, unit: known.unit });
        capture.checks.push(violated);
        let page = text("html", &alone(capture));
        let measured =
            page.split_once("<li>measured ").and_then(|(_, rest)| rest.split_once(", limit: "));
        let (measured, _) = measured.unwrap_or_else(|| panic!("{} is not on the page", known.id));
        assert!(!measured.ends_with('%'), "{}: {measured} of what?", known.id);
    }
}

/// What no row has is a row: operators and lines add up to all kernels.
#[test]
fn tables_add_up_to_the_kernels() {
    for name in ["healthy", "eager", "jax-loop-graph", "jax-graph", "jax-async-label"] {
        let capture = sample(name);
        let devices = &capture.records.as_ref().expect("records").devices;
        let kernels: u64 = devices.iter().map(|device| device.kernels).sum();
        let page = text("html", &alone(capture));
        for (section, column) in [("operators", 2), ("lines", 3), ("kernels", 2)] {
            let start = page.find(&format!("<section id=\"{section}-0\">"));
            let Some(section_text) = start.map(|start| &page[start..]) else { continue };
            let section_text = section_text.split_once("</section>").expect("an end").0;
            let rows = section_text.split("<tr>").skip(2);
            let listed: u64 = rows
                .filter_map(|row| row.split("<td").nth(column + 1))
                .filter_map(|cell| {
                    cell.split_once('>')?.1.split_once('<')?.0.replace(',', "").parse::<u64>().ok()
                })
                .sum();
            let is_table = section_text.contains("<table>");
            assert!(!is_table || listed == kernels, "{name}, {section}: {listed} of {kernels}");
        }
    }
}

#[test]
fn lanes_add_up_to_their_records() {
    let captures = [
        sample("incident"),
        sample("eager"),
        sample("healthy"),
        synthetic(4_000, 8, 4),
        synthetic(1_000, 1, 200),
    ];
    for capture in captures {
        let drawn = capture.swimlanes.as_ref().expect("lanes");
        let bars: usize = drawn.lanes.iter().map(|lane| lane.bars.len()).sum();
        assert!(bars <= 6_000, "{}: {bars} bars", capture.name);
        for lane in drawn.lanes.iter().chain([&drawn.path]) {
            let records: u64 = lane.bars.iter().map(|bar| bar.records).sum();
            let time: i128 = lane.bars.iter().map(|bar| bar.time_us.ps()).sum();
            assert_eq!(
                (records, time),
                (lane.records, lane.time_us.ps()),
                "{} {}",
                lane.group,
                lane.name
            );
            for bar in &lane.bars {
                assert_eq!(bar.kinds.iter().map(|(_, n)| n).sum::<u64>(), bar.records);
                assert!(bar.start_us <= bar.end_us && bar.end_us <= drawn.total_us);
            }
        }
        // Where the window is all work, a stream's lane has all of its records, and an idle lane all of the idle.
        if drawn.scope == PathScope::Window {
            for device in &capture.records.as_ref().expect("records").devices {
                let lane = |name: &str| {
                    drawn.lanes.iter().find(|lane| lane.group == device.name && lane.name == name)
                };
                if device.window_us != drawn.window_us {
                    continue;
                }
                for stream in &device.streams {
                    assert_eq!(
                        lane(&stream.name).map(|lane| lane.records),
                        Some(stream.device_events)
                    );
                }
                assert_eq!(lane("idle").map_or(0, |lane| lane.time_us.ps()), device.idle_us.ps());
            }
        }
        // A path that is withheld is not in the report.
        if let Some(path) = &capture.critical_path {
            assert_eq!(drawn.path.time_us, path.total_us);
        }
    }
}

#[test]
fn a_page_of_fifty_thousand_kernels_is_small() {
    let capture = synthetic(50_000, 8, 4);
    assert_eq!(capture.claims.get(Claim::KernelTime).0, ClaimState::Supported);
    let report = alone(capture);
    for kind in ["html", "swimlanes"] {
        let size = text(kind, &report).len();
        assert!(size < 2_000_000, "{kind} has {size} bytes");
    }
}
