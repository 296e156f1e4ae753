//! Files as they come: what is read, what is tolerated and noted, what is refused.

#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its input has failed")]

use flate2::Compression;
use flate2::write::GzEncoder;
use idleproof::read::{FamilyRead, ReadError, find, read_family};
use idleproof::trace::{Capture, DamageFault, DeviceEventKind, GraphTask, RecordSide};
use idleproof::units::decimal_us;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Two linked kernels and a copy; more is appended by the cases.
const KERNEL: &str = r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":100,"dur":50,"args":{"device":0,"stream":7,"correlation":1}}"#;

fn document(events: &[&str]) -> String {
    format!("{{\"schemaVersion\": 1, \"traceEvents\": [\n{}\n]}}\n", events.join(",\n"))
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Reads files that are written into an empty folder, by naming the folder.
fn read_folder(files: &[(&str, &[u8])]) -> (FamilyRead, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let found = find(&[folder.path().to_owned()]).unwrap();
    let mut all = FamilyRead { skipped: found.skipped, ..FamilyRead::default() };
    for family in &found.families {
        let read = read_family(family);
        all.captures.extend(read.captures);
        all.skipped.extend(read.skipped);
    }
    all.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    let root = folder.path().to_string_lossy().into_owned() + "/";
    (all, root)
}

/// What a folder of files turned out to be, one line each.
fn folder_summary(files: &[(&str, &[u8])]) -> String {
    let (read, root) = read_folder(files);
    let mut text = String::new();
    for capture in &read.captures {
        let _ = match capture {
            Ok(capture) => {
                writeln!(text, "capture {} + {} shards", capture.name, capture.shards.len())
            }
            Err(error) => {
                writeln!(text, "refused {} {}: {}", error.path, error.kind.name(), error.message)
            }
        };
    }
    for skipped in &read.skipped {
        let _ = writeln!(text, "skipped {}: {}", skipped.path, skipped.reason);
    }
    text.replace(&root, "")
}

fn read_one(bytes: &[u8]) -> Result<Capture, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace.json");
    std::fs::write(&path, bytes).unwrap();
    read_path(&path)
}

fn read_path(path: &Path) -> Result<Capture, ReadError> {
    let found = find(&[path.to_owned()]).unwrap();
    read_family(&found.families[0]).captures.remove(0)
}

/// The device events, damage and notices of one file, one line each.
fn summary(bytes: &[u8]) -> String {
    let capture = match read_one(bytes) {
        Ok(capture) => capture,
        Err(error) => return refusal(&error),
    };
    let record = capture.primary();
    let trace = &record.trace;
    let mut text = String::new();
    for event in &trace.device_events {
        let at = |at| decimal_us(trace.origin.on_file_axis(at));
        let stream = trace.stream(event.stream);
        let _ = writeln!(
            text,
            "{:?} {} {}..{} on {}/{} correlation {}",
            event.kind,
            trace.name(event.name),
            at(event.interval.start()),
            at(event.interval.end()),
            trace.device(stream.device).raw_id,
            stream.raw_id,
            event.correlation.map_or(0, |id| id.get())
        );
    }
    for damaged in &trace.damaged {
        let (name, line) = damaged.first;
        let _ = writeln!(
            text,
            "damaged {:?} {:?} {}, first {} in line {line:?}",
            damaged.fault,
            damaged.side,
            damaged.count,
            trace.name(name)
        );
    }
    for notice in &record.notices {
        let _ = writeln!(text, "notice {} {}", notice.code, notice.count);
    }
    text
}

fn refusal(error: &ReadError) -> String {
    format!("{} at {:?}: {}\n", error.kind.name(), error.position, error.message)
}

fn check(events: &[&str], expected: &str) {
    assert_eq!(summary(document(events).as_bytes()), expected, "{events:#?}");
}

fn check_text(bytes: &[u8], expected: &str) {
    assert_eq!(summary(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
}

const K: &str = "Kernel k 100..150 on 0/7 correlation 1\n";

#[test]
fn containers() {
    let text = document(&[KERNEL]);
    let text = text.as_bytes();
    check_text(text, K);
    check_text(&gzip(text), K);
    // One document in two members, and the same in compressed form.
    check_text(&[gzip(&text[..40]), gzip(&text[40..])].concat(), K);
    check_text(&[b"\xEF\xBB\xBF", text].concat(), &format!("{K}notice bom 1\n"));
    let cut = &gzip(text)[..60];
    assert!(summary(cut).contains("the gzip data is truncated"), "{}", summary(cut));
    let whole = gzip(text);
    assert!(
        summary(&whole[..whole.len() - 8])
            .contains("the gzip trailer (checksum and length) is missing")
    );
    assert!(summary(&[&whole[..], b"\0\0\0"].concat()).starts_with("trailing_data"));
    assert!(summary(&[&whole[..], b"junk"].concat()).starts_with("trailing_data"));
    let mut flipped = whole.clone();
    let crc = whole.len() - 8;
    flipped[crc] ^= 1;
    assert!(summary(&flipped).contains("the gzip checksum does not match the data"));
    let utf16: Vec<u8> = "\u{FEFF}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    check_text(&utf16, "encoding at Some((1, 1)): the text is UTF-16LE, not UTF-8\n");
}

#[test]
fn nothing_is_four_different_things() {
    check_text(b"", "empty at Some((1, 1)): the file is empty: it has no bytes\n");
    check_text(
        &gzip(b""),
        "empty at Some((1, 1)): the file is gzip of nothing: there is no text in it\n",
    );
    check_text(b" \n", "empty at Some((1, 1)): the file holds nothing but white space\n");
    check_text(b"{}", "no_trace_events at None: the JSON has no `traceEvents`\n");
    check_text(
        b"{\"traceEvents\": null}",
        "no_trace_events at Some((1, 17)): `traceEvents` is not an array\n",
    );
    check_text(
        b"{\"traceEvents\": []}",
        "no_events at None: `traceEvents` is empty: the profiler recorded nothing\n",
    );
    check_text(
        b"[{\"ph\":\"X\",\"ts\":1}]",
        "not_a_capture at None: a Chrome trace of neither the PyTorch profiler nor JAX: no event has a category of the one, \
         and no process a name of the other\n",
    );
}

#[test]
fn trace_events_is_found_at_the_first_level() {
    for text in [
        format!("[{KERNEL}]"),
        format!(
            "{{\"meta\": {{\"traceEvents\": []}}, \"x\": \"traceEvents\", \"traceEvents\": [{KERNEL}]}}"
        ),
        format!(
            "{{\"traceEvents\": [{KERNEL}], \"deviceProperties\": [{{\"id\": 0}}], \"other\": [[], {{}}, 1]}}"
        ),
    ] {
        check_text(text.as_bytes(), K);
    }
    let twice = format!("{{\"traceEvents\": [{KERNEL}],\n\"traceEvents\": [{KERNEL}]}}");
    assert!(summary(twice.as_bytes()).contains("`traceEvents` occurs twice"));
    check_text(
        format!("[{KERNEL}] [").as_bytes(),
        "trailing_data at Some((1, 121)): something follows the end of the JSON document\n",
    );
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    for (name, expected) in [
        (
            r#"{"device": "cpu"}"#,
            "malformed_json at Some((3, 45)): malformed JSON: expected `,` or `}`, found `d`\n",
        ),
        (
            r"torch\cuda",
            "malformed_json at Some((3, 48)): malformed JSON: invalid escape `\\c` in a string\n",
        ),
        (
            "a\nb",
            "malformed_json at Some((3, 44)): malformed JSON: control character a line break inside a string\n",
        ),
    ] {
        let frame = format!(
            "{{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"{name}\",\"ts\":0,\"dur\":1}}"
        );
        check(&[KERNEL, &frame], expected);
    }
    check_text(
        &document(&[KERNEL, KERNEL]).as_bytes()[..200],
        "truncated at Some((3, 44)): the text ends inside the JSON document: it is truncated\n",
    );
    let missing_comma = format!("[{KERNEL} {KERNEL}]");
    assert!(summary(missing_comma.as_bytes()).contains("expected `,` or `]`, found `{`"));
    let deep =
        format!("[{}]", KERNEL.replace("\"device\":0", &format!("\"x\":{}", "[".repeat(200))));
    assert!(summary(deep.as_bytes()).starts_with("too_large"));
}

#[test]
fn non_finite_numbers_are_flagged_and_their_events_kept() {
    for token in ["inf", "nan", "Infinity", "NaN", "-Infinity"] {
        let copy = KERNEL
            .replace("\"device\"", &format!("\"memory bandwidth (GB/s)\":{token},\"device\""));
        let expected = format!(
            "{K}{K}damaged NonFinite Field 1, first k in line Some(3)\nnotice non-finite-number 1\n"
        );
        check(&[KERNEL, &copy], &expected);
        let lost = KERNEL.replace("\"dur\":50", &format!("\"dur\":{token}"));
        let expected = format!(
            "{K}damaged NonFinite Device 1, first k in line Some(3)\nnotice non-finite-number 1\n"
        );
        check(&[KERNEL, &lost], &expected);
    }
}

#[test]
fn bad_events_cost_only_themselves() {
    let device = "damaged Unreadable Device 1, first k in line Some(2)\nnotice bad-event 1\n";
    for (bad, expected) in [
        (KERNEL.replace("\"ts\":100,", ""), device),
        (KERNEL.replace("\"ts\":100", "\"ts\":\"soon\""), device),
        (KERNEL.replace("\"dur\":50", "\"dur\":null"), device),
        (KERNEL.replace("\"args\":{", "\"args\":[],\"x\":{"), device),
        ("17".to_owned(), "notice bad-event 1\n"),
        ("null".to_owned(), "notice bad-event 1\n"),
        ("[[]]".to_owned(), "notice bad-event 1\n"),
        (r#"{"ph":"X","cat":"python_function","args":3}"#.to_owned(), "notice bad-event 1\n"),
    ] {
        check(&[&bad, KERNEL], &format!("{K}{expected}"));
    }
}

#[test]
fn lost_times_are_left_out_with_their_counts() {
    let at = |name: &str, ts: &str, dur: &str| {
        KERNEL
            .replace("\"k\"", &format!("\"{name}\""))
            .replace("\"ts\":100", &format!("\"ts\":{ts}"))
            .replace("\"dur\":50", &format!("\"dur\":{dur}"))
    };
    let good = at("a", "1615207264505000", "100");
    let kept = "Kernel a 1615207264505000..1615207264505100 on 0/7 correlation 1\n";
    check(
        &[
            &at("z", "0", "0"),
            &good,
            &at("n", "1615207264505000", "-5"),
            &at("far", "1700000000000000", "1"),
        ],
        &format!(
            "{kept}damaged ZeroTimestamp Device 1, first z in line Some(2)\n\
             damaged NegativeDuration Device 1, first n in line Some(4)\n\
             damaged OutOfRange Device 1, first far in line None\n"
        ),
    );
    // Nor does a majority of lost times win against the rest.
    check(
        &[&at("z", "0", "5"), &at("z", "0", "0"), &at("z", "0", "0"), &good],
        &format!("{kept}damaged ZeroTimestamp Device 3, first z in line Some(2)\n"),
    );
    // A start of 0 that is near the others is a time like any other.
    check(
        &[&at("z", "0", "0"), &at("b", "10", "100")],
        "Kernel z 0..0 on 0/7 correlation 1\nKernel b 10..110 on 0/7 correlation 1\n",
    );
    // A zero length is damage only where the file resolves it.
    check(
        &[&at("z", "7", "0"), &at("b", "10.5", "100")],
        "Kernel z 7..7 on 0/7 correlation 1\nKernel b 10.5..110.5 on 0/7 correlation 1\n\
         damaged ZeroDuration Device 1, first z in line None\n",
    );
    // An absurd length doesn't move the origin, nor does a majority of good times lose to one bad one.
    check(
        &[&at("c", "9000000000000000", "1"), &good, &good],
        &format!("{kept}{kept}damaged OutOfRange Device 1, first c in line None\n"),
    );
}

#[test]
fn spellings_are_normalised() {
    check(
        &[
            r#"{"ph":"X","cat":"Kernel","name":"k","pid":"0","tid":"stream 7","ts":"100","dur":"50","args":{"correlation":"1"}}"#,
        ],
        &format!("{K}notice legacy-schema 1\nnotice string-number 3\n"),
    );
    check(
        &[&KERNEL.replace("\"k\"", "\"a\\u00e9\\\"\\n\"")],
        "Kernel aé\"\n 100..150 on 0/7 correlation 1\n",
    );
    let mut invalid = document(&[KERNEL]).into_bytes();
    let name = invalid.windows(3).position(|three| three == b"\"k\"").unwrap();
    invalid[name + 1] = 0xFF;
    check_text(&invalid, "Kernel \u{FFFD} 100..150 on 0/7 correlation 1\nnotice invalid-utf8 1\n");
    // The last of two equal keys counts, and it is said.
    check(
        &[&KERNEL.replace("\"correlation\":1", "\"correlation\":1,\"stream\":20")],
        "Kernel k 100..150 on 0/20 correlation 1\nnotice duplicate-json-key 1\n",
    );
    check(
        &[&KERNEL.replace("\"correlation\":1", "\"correlation\":0")],
        "Kernel k 100..150 on 0/7 correlation 0\n",
    );
}

#[test]
fn a_field_may_change_its_kind_from_event_to_event() {
    let kernel = KERNEL.replace("\"tid\":7", "\"tid\":9");
    let with = |stream: &str| kernel.replace("\"stream\":7", &format!("\"stream\":{stream}"));
    let on = |stream: u8| format!("Kernel k 100..150 on 0/{stream} correlation 1\n");
    check(
        &[
            &with("[7]"),
            &with("7"),
            &with("null"),
            &with("\"7\""),
            &with("{}"),
            &with("7"),
            &with("-1"),
        ],
        &[
            on(9),
            on(7),
            on(9),
            on(7),
            on(9),
            on(7),
            on(7).replace("0/7", "0/-1"),
            "notice string-number 1\n".to_owned(),
        ]
        .concat(),
    );
}

#[test]
fn what_is_not_read_is_noted() {
    for (event, notice) in [
        (r#"{"ph":"X","cat":"hpu_op","name":"x","ts":1,"dur":1}"#, "unsupported-category"),
        (r#"{"ph":"X","cat":"mtia_ccp_events","name":"x","ts":1,"dur":1}"#, "unsupported-category"),
        (r#"{"ph":"B","cat":"kernel","name":"x","ts":1}"#, "begin-end-events"),
        (
            r#"{"ph":"X","cat":"cuda_runtime","name":"zooLaunch","pid":1,"tid":1,"ts":100,"dur":1}"#,
            "unknown-launch-api",
        ),
    ] {
        check(&[KERNEL, event], &format!("{K}notice {notice} 1\n"));
    }
}

#[test]
fn device_work_is_told_by_its_fields() {
    let capture = read_one(
        document(&[
            &KERNEL.replace("\"correlation\"", "\"kind\":\"Dispatch Task\",\"correlation\""),
            &KERNEL
                .replace("\"correlation\"", "\"graph id\":9,\"graph node id\":0,\"correlation\""),
            &KERNEL
                .replace("\"correlation\"", "\"graph id\":0,\"graph node id\":0,\"correlation\""),
            &KERNEL.replace(
                "\"correlation\"",
                "\"Collective name\":\"allreduce\",\"Group size\":8,\"Seq\":3,\"correlation\"",
            ),
            &KERNEL.replace("\"k\"", "\"ncclDevKernel_AllReduce_Sum_f32_RING_LL\""),
            &KERNEL.replace("\"kernel\"", "\"gpu_memset\""),
        ])
        .as_bytes(),
    )
    .unwrap();
    let trace = &capture.primary().trace;
    let kinds: Vec<_> = trace.device_events.iter().map(|event| event.kind).collect();
    use DeviceEventKind::{Collective, Kernel, Memset};
    assert_eq!(kinds, [Kernel, Kernel, Kernel, Collective, Collective, Memset]);
    assert_eq!(trace.device_events[0].graph_task, GraphTask::Replay);
    let nodes: Vec<_> =
        trace.device_events.iter().map(|event| event.graph_node.is_some()).collect();
    assert_eq!(nodes, [false, true, false, false, false, false]);
    assert_eq!((trace.graph_nodes[0].graph, trace.graph_nodes[0].node), (9, 0));
    let collective = &trace.collectives[0];
    assert_eq!(collective.operation.map(|name| trace.name(name)), Some("allreduce"));
    assert_eq!((collective.group_size, collective.sequence), (Some(8), Some(3)));
}

#[test]
fn flow_arrows_link_only_where_correlation_is_absent() {
    let launch = r#"{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":90,"dur":1}"#;
    let flow = [
        r#"{"ph":"s","id":5,"pid":1,"tid":1,"ts":90,"cat":"ac2g","name":"ac2g"}"#,
        r#"{"ph":"f","id":5,"pid":0,"tid":7,"ts":100,"cat":"ac2g","name":"ac2g","bp":"e"}"#,
    ];
    let links = |kernel: &str| {
        let text = document(&[launch, flow[0], kernel, flow[1]]);
        read_one(text.as_bytes()).unwrap().records.remove(0).trace.flow_links
    };
    assert_eq!(links(&KERNEL.replace(",\"correlation\":1", "")), [(0, 0)]);
    assert_eq!(links(KERNEL), []);
}

#[test]
fn the_profilers_own_words_are_kept() {
    let text = format!(
        "{{\"baseTimeNanoseconds\": 1700000000000000000, \"roctracer_version\": 4.1, \"traceEvents\": [{KERNEL},\
         {{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\",\"pid\":\"Spans\",\"tid\":\"x\",\"ts\":90,\"dur\":100}},\
         {{\"name\":\"Record Window End\",\"ph\":\"i\",\"pid\":\"\",\"tid\":\"\",\"ts\":250}},\
         {{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Sync\",\"ts\":1,\"dur\":1}}],\
         \"INFO\": [\"a line\"], \"distributedInfo\": {{\"rank\": \"3\", \"world_size\": 8}},\
         \"deviceProperties\": [{{\"id\": 0, \"name\": \"GPU\", \"numSms\": 132}}]}}"
    );
    let capture = read_one(text.as_bytes()).unwrap();
    let trace = &capture.primary().trace;
    let profiler = &trace.profiler;
    assert_eq!(trace.origin.base_unix_ns, Some(1_700_000_000_000_000_000));
    assert_eq!(profiler.field("roctracer_version"), Some("4.1"));
    let span = profiler.span.unwrap();
    assert_eq!((span.start().ps(), span.duration().ps()), (-10_000_000, 100_000_000));
    assert_eq!(profiler.window_end.map(|at| at.ps()), Some(150_000_000));
    assert_eq!(profiler.device_syncs, 1);
    assert_eq!(profiler.log, [("INFO".to_owned(), "a line".to_owned())]);
    let distributed = profiler.distributed.as_ref().unwrap();
    assert_eq!((distributed.rank, distributed.world_size), (Some(3), Some(8)));
    assert_eq!(profiler.device_properties[0].multiprocessors, Some(132));
}

#[test]
fn folders_are_told_by_content() {
    let workload = document(&[KERNEL]);
    let begin = r#"{"ph":"X","cat":"cuda_runtime","name":"hipStreamBeginCapture","pid":1,"tid":1,"ts":1,"dur":1}"#;
    let launch = r#"{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":5,"dur":1}"#;
    let shard = document(&[begin, launch]);
    let host = document(&[
        r#"{"ph":"X","cat":"cpu_op","name":"tokenize","pid":1,"tid":1,"ts":5,"dur":1}"#,
    ]);
    let (workload, shard, host) = (workload.as_bytes(), shard.as_bytes(), host.as_bytes());
    assert_eq!(
        folder_summary(&[
            ("run/a_host.json", host),
            ("run/main", &gzip(workload)),
            ("run/traces/shard.json.gz", &gzip(shard)),
            ("run/details.json", b"{}"),
            ("run/table.csv", b"a,b\n1,2\n"),
            ("run/.hidden.trace.json", b"{"),
            ("run/host.xplane.pb", b"\x0A\x00"),
            ("other/b.trace.json", workload),
        ]),
        "capture other/b.trace.json + 0 shards\n\
         refused run/host.xplane.pb no_events: no plane has an event: the profiler recorded nothing\n\
         capture run/main + 1 shards\n\
         skipped run/a_host.json: host only, 0 device events\n\
         skipped run/details.json: JSON without traceEvents\n\
         skipped run/table.csv: not a capture: csv text\n\
         skipped run/traces/shard.json.gz: used as capture shard of run/main, not judged by itself: 0 device events\n"
    );
    // A host-only file alone is a capture; a shard alone means that the workload's trace is lost.
    assert_eq!(folder_summary(&[("h.json", host)]), "capture h.json + 0 shards\n");
    assert!(
        folder_summary(&[("s.json", shard)])
            .starts_with("refused s.json not_a_capture: a capture shard")
    );
}

#[test]
fn a_lost_capture_in_a_folder_is_refused_and_not_passed_over() {
    let workload = document(&[KERNEL]);
    let cut = &workload.as_bytes()[..100];
    let summary = folder_summary(&[
        ("a.trace.json", b""),
        ("b.trace.json.gz", &gzip(workload.as_bytes())[..30]),
        ("c.json", cut),
        ("d.json.gz", b"\x1F\x8B"),
        ("e.pt.trace.json", b"{}"),
        ("f.json", b"{\"unrelated\": "),
        ("g.txt", b""),
    ]);
    let kinds: Vec<&str> = summary.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "refused a.trace.json empty",
            "refused b.trace.json.gz truncated",
            "refused c.json truncated",
            "refused d.json.gz truncated",
            "refused e.pt.trace.json no_trace_events",
            "skipped f.json",
            "skipped g.txt",
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_in_circles_and_names_given_twice_are_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.trace.json");
    std::fs::write(&file, document(&[KERNEL])).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    std::os::unix::fs::symlink(&file, folder.path().join("b.trace.json")).unwrap();
    let found = find(&[folder.path().to_owned(), file.clone(), file]).unwrap();
    let files: Vec<_> = found.families.iter().flat_map(|family| &family.files).collect();
    assert_eq!(files.len(), 1);
    assert!(files[0].named);
    let missing = find(&[folder.path().join("missing")]).unwrap_err();
    assert_eq!(missing.kind.name(), "io");
}

#[test]
fn cut_or_changed_anywhere_a_file_is_read_or_refused() {
    let text = document(&[
        KERNEL,
        r#"{"ph":"X","cat":"cpu_op","name":"a\"\u00e9","pid":1,"tid":1,"ts":1.5,"dur":2e1,"args":{"External id":3,"Input Dims":[[1,2],[]],"x":null}}"#,
        KERNEL,
    ]);
    let text = text.trim_end().as_bytes();
    for end in 0..text.len() {
        assert!(read_one(&text[..end]).is_err(), "a prefix of {end} bytes is no whole trace");
    }
    for at in 0..text.len() {
        for flip in [0x01, 0x02, 0x10, 0x20, 0x80] {
            let mut changed = text.to_vec();
            changed[at] ^= flip;
            match read_one(&changed) {
                Ok(capture) => assert!(capture.primary().source.events <= 4),
                Err(error) => assert!(!error.message.is_empty() && !error.help.is_empty()),
            }
        }
    }
    let compressed = gzip(text);
    for end in 0..compressed.len() {
        assert!(read_one(&compressed[..end]).is_err());
    }
}

#[test]
fn damage_names_its_side() {
    let call = r#"{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":90,"dur":-1}"#;
    let capture = read_one(document(&[KERNEL, call]).as_bytes()).unwrap();
    let damaged = &capture.primary().trace.damaged;
    assert_eq!(
        (damaged[0].fault, damaged[0].side),
        (DamageFault::NegativeDuration, RecordSide::Host)
    );
}
