//! `--report csv=FOLDER` as it is called, and its numbers against those of the JSON report.

use crate::cli::{code, folder, idleproof, stderr, write};
use crate::fixture;
use crate::harness::{assert_no_mismatch, default_policy, in_crate, outside_data};
use idleproof::report::{CaptureReport, DeviceRecords, Microseconds, Verdict};
use idleproof::trace::Capture;
use idleproof::{Detail, Options, evaluate_capture, judge, read, render};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Files below a folder with `/`, hidden ones left out.
fn listed(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let below = listed(&entry.path());
            found.extend(below.into_iter().map(|path| format!("{name}/{path}")));
        } else if !name.starts_with('.') {
            found.push(name);
        }
    }
    found.sort();
    found
}

const TABLES: [&str; 9] = [
    "captures.csv",
    "gaps.csv",
    "how.csv",
    "idle.csv",
    "kernels.csv",
    "lines.csv",
    "ops.csv",
    "roofline.csv",
    "streams.csv",
];

#[test]
fn tables_are_written_below_their_folder() {
    let world = folder(&["healthy", "incident"], "");
    let run = |path: &str, csv: &str| {
        let csv = format!("csv={csv}");
        idleproof(world.path(), &["check", path, "--report", &csv, "--report", "json=a.json"])
    };
    let one = run("captures/healthy", "out/deep/one");
    assert_eq!(code(&one), 0, "{}", stderr(&one));
    assert!(stderr(&one).contains("wrote 9 files into out/deep/one\n"), "{}", stderr(&one));
    assert_eq!(listed(&world.path().join("out/deep/one")), TABLES);
    // The verdict does not change what is written, and an output does not change another.
    let json = fs::read(world.path().join("a.json")).unwrap();
    idleproof(world.path(), &["check", "captures/healthy", "--report", "json=b.json"]);
    assert_eq!(fs::read(world.path().join("b.json")).unwrap(), json);

    let two = run("captures", "two");
    assert_eq!(code(&two), 1, "{}", stderr(&two));
    let list = fs::read_to_string(world.path().join("two/captures.csv")).unwrap();
    let names =
        ["captures+healthy+rank_0.pt.trace.json.gz", "captures+incident+rank_0.pt.trace.json.gz"];
    for name in names {
        assert!(list.contains(&format!(",{name},report,")), "{list}");
        assert_eq!(listed(&world.path().join("two").join(name)), TABLES[1..]);
    }
}

#[test]
fn what_an_earlier_run_left_is_told_and_kept() {
    let world = folder(&["healthy", "incident"], "");
    let here = world.path();
    let run = |path: &str| idleproof(here, &["check", path, "--report", "csv=out"]);
    assert!(!stderr(&run("captures")).contains("also holds"));
    write(&here.join("out/.gitkeep"), "");
    let again = run("captures");
    assert!(!stderr(&again).contains("also holds"), "{}", stderr(&again));
    let one = run("captures/healthy");
    let told = "warning: out also holds captures+healthy+rank_0.pt.trace.json.gz/gaps.csv and 15 other files, not of this run";
    assert!(stderr(&one).contains(told), "{}", stderr(&one));
    assert_eq!(listed(&here.join("out")).len(), 9 + 16);
    // A capture that can't be read any more leaves no rows of an earlier one behind.
    let path = fs::read_dir(here.join("captures/healthy")).unwrap().flatten().next().unwrap();
    write(&path.path(), "{\"traceEvents\": [");
    assert_eq!(code(&run("captures/healthy")), 4);
    assert_eq!(fs::read_to_string(here.join("out/gaps.csv")).unwrap().lines().count(), 1);
    assert!(fs::read_to_string(here.join("out/captures.csv")).unwrap().contains(",refused,error,"));
}

#[test]
fn tables_need_a_folder_of_their_own() {
    let world = folder(&["healthy"], "");
    let here = world.path();
    write(&here.join("mine/kernels.csv"), "my,own\n");
    write(&here.join("file"), "");
    for (targets, why) in [
        (&["csv=mine"][..], "holds files that this program did not write"),
        (&["csv=file"], "is none"),
        (&["csv=."], "holds the input captures/healthy/"),
        (&["csv=captures"], "holds the input captures/healthy/"),
        (&["csv=kept"], "is where goldens are"),
        (&["csv=kept/new"], "is where goldens are"),
        (&["csv=out", "json=out/report.json"], "go to the same place"),
        (&["json=out", "csv=./out"], "go to the same place"),
        (&["csv=out", "csv=out/../out/more"], "go to the same place"),
        (&["csv=out", "csv=out"], "go to the same place"),
    ] {
        let mut arguments = vec!["check", "captures", "--goldens", "kept"];
        targets.iter().for_each(|target| arguments.extend(["--report", *target]));
        let output = idleproof(here, &arguments);
        assert_eq!(code(&output), 2, "{targets:?}\n{}", stderr(&output));
        assert!(stderr(&output).contains(why), "{targets:?}\n{}", stderr(&output));
        assert!(!here.join("out").exists(), "{targets:?}");
    }
    assert_eq!(fs::read_to_string(here.join("mine/kernels.csv")).unwrap(), "my,own\n");
    // Side by side is fine.
    let beside = ["check", "captures", "--report", "csv=out/tables", "--report", "json=out/a.json"];
    assert_eq!(code(&idleproof(here, &beside)), 0);
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_tables_elsewhere() {
    use std::os::unix::fs::symlink;
    let world = folder(&["healthy", "incident"], "");
    let here = world.path();
    write(&here.join("elsewhere/victim"), "kept");
    let run = || idleproof(here, &["check", "captures", "--report", "csv=out"]);
    run();
    // In the place of a file a link is replaced; in the place of a folder it is refused.
    fs::remove_file(here.join("out/captures+healthy+rank_0.pt.trace.json.gz/ops.csv")).unwrap();
    symlink(
        here.join("elsewhere/victim"),
        here.join("out/captures+healthy+rank_0.pt.trace.json.gz/ops.csv"),
    )
    .unwrap();
    assert_eq!(code(&run()), 1);
    assert_eq!(fs::read_to_string(here.join("elsewhere/victim")).unwrap(), "kept");
    fs::remove_dir_all(here.join("out/captures+healthy+rank_0.pt.trace.json.gz")).unwrap();
    symlink(here.join("elsewhere"), here.join("out/captures+healthy+rank_0.pt.trace.json.gz"))
        .unwrap();
    let refused = run();
    assert_eq!(code(&refused), 4, "{}", stderr(&refused));
    assert!(stderr(&refused).contains("is no folder"), "{}", stderr(&refused));
    assert_eq!(listed(&here.join("elsewhere")), ["victim"]);
}

/// The files of a capture that was read.
fn files_of(capture: &Capture) -> (CaptureReport, Vec<render::File>) {
    let options =
        Options { detail: Detail { tables: true, ..Detail::default() }, ..Options::default() };
    let today = jiff::civil::date(2026, 1, 1);
    let policy = default_policy();
    let judged = evaluate_capture(capture, &policy, today, &options);
    let mut report = judge::conclude(vec![judged], vec![], vec![], vec![], &policy, Vec::new());
    assert_ne!(report.verdict, Verdict::Error, "{:?}", report.captures[0].error);
    let files = render::find("csv").and_then(|output| output.files(&report));
    (report.captures.remove(0), files.unwrap_or_else(|| panic!("no output `csv`")))
}

#[test]
fn a_gap_says_what_is_known_of_it() {
    // One gap in which the next work was queued, and one in which the host waited for the device.
    let text = "origin 5000\nop step 0..1000\n\
                launch 1..2\nkernel a 10..20\n\
                launch 30..40\nkernel b 500..600\n\
                sync 610..900\n\
                launch 910..920\nkernel c 930..940\n";
    let world = folder(&[], "");
    let path = world.path().join("trace.pt.trace.json");
    write(&path, fixture::write(text).unwrap().kineto());
    let found = read::find(&[path]).unwrap();
    let capture = read::read_family(&found.families[0]).captures.remove(0).unwrap();
    let (_, files) = files_of(&capture);
    let gaps = Table::read(&files, "gaps.csv");
    let shown = |row: &Vec<String>| row[gaps.column("start_us")..].join(",");
    assert_eq!(
        gaps.rows.iter().map(shown).collect::<Vec<_>>(),
        [
            "5020,480,460,0,b,cudaLaunchKernel,1042,step,op,470",
            "5600,330,,250,c,cudaLaunchKernel,1042,cudaDeviceSynchronize,call,290",
        ]
    );
}

/// A table with its header.
struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(files: &[render::File], path: &str) -> Self {
        let found = files.iter().find(|file| file.path == path);
        let text = found.and_then(render::File::text).unwrap_or_default();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut rows: Vec<Vec<String>> = Vec::new();
        for record in reader.records() {
            let record = record.unwrap_or_else(|error| panic!("{path}: {error}"));
            rows.push(record.iter().map(str::to_owned).collect());
        }
        Self { head: rows.remove(0), rows }
    }

    fn column(&self, name: &str) -> usize {
        self.head.iter().position(|one| one == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    /// The sum of a column of exact times in each group; empty cells are none.
    fn sums(&self, group: &str, time: &str) -> BTreeMap<String, i128> {
        let (group, time) = (self.column(group), self.column(time));
        let mut sums = BTreeMap::new();
        for row in self.rows.iter().filter(|row| !row[time].is_empty()) {
            let exact: Result<Microseconds, _> = serde_json::from_str(&row[time]);
            let exact = exact.unwrap_or_else(|error| panic!("{}: {error}", row[time]));
            *sums.entry(row[group].clone()).or_insert(0) += exact.ps();
        }
        sums
    }
}

/// Compares one kind of sum with what the JSON report has; names of a capture may be changed in tables, and do not matter here.
fn compare<'a>(
    wrong: &mut Vec<String>,
    what: &str,
    found: &BTreeMap<String, i128>,
    expected: impl IntoIterator<Item = (&'a str, Microseconds)>,
) {
    let mut sums: BTreeMap<String, i128> = BTreeMap::new();
    for (name, time) in expected.into_iter().filter(|(_, time)| time.ps() != 0) {
        *sums.entry(name.to_owned()).or_insert(0) += time.ps();
    }
    let found: BTreeMap<&String, &i128> = found.iter().filter(|(_, time)| **time != 0).collect();
    if found != sums.iter().collect() {
        wrong.push(format!("{what}: {found:?}, not {sums:?}"));
    }
}

fn mismatches(report: &CaptureReport, files: &[render::File]) -> Vec<String> {
    let (mut wrong, read) = (Vec::new(), |path| Table::read(files, path));
    let attribution = report.attribution.as_ref();
    let kernels = read("kernels.csv");
    let hot = report.hot_kernels.iter().map(|row| (row.name.as_str(), row.time_us));
    compare(&mut wrong, "kernels", &kernels.sums("kernel", "time_us"), hot);
    let ops = attribution.iter().flat_map(|all| &all.ops);
    let ops = ops.map(|row| (row.name.as_str(), row.time_us));
    compare(&mut wrong, "ops", &read("ops.csv").sums("op", "time_us"), ops);
    let lines = attribution.iter().flat_map(|all| &all.lines);
    let lines = lines.map(|row| (row.file.as_str(), row.time_us));
    compare(&mut wrong, "lines", &read("lines.csv").sums("file", "time_us"), lines);
    let classes = || {
        let classes = attribution.iter().flat_map(|all| &all.classes);
        classes.map(|(class, row)| (class.as_str(), row.time_us))
    };
    compare(&mut wrong, "how", &read("how.csv").sums("class", "time_us"), classes());
    compare(&mut wrong, "classes", &kernels.sums("class", "time_us"), classes());
    let devices = report.records.as_ref().map_or(&[][..], |records| &records.devices);
    let of_device = |time: fn(&DeviceRecords) -> Option<Microseconds>| {
        devices.iter().map(move |one| (one.name.as_str(), time(one).unwrap_or_default()))
    };
    let (gaps, idle) = (read("gaps.csv"), of_device(|device| Some(device.idle_us)));
    compare(&mut wrong, "gaps", &gaps.sums("device", "length_us"), idle.clone());
    compare(&mut wrong, "idle", &read("idle.csv").sums("device", "time_us"), idle);
    let queued = of_device(|device| device.idle_with_queued_work_us);
    compare(&mut wrong, "queued", &gaps.sums("device", "queued_us"), queued);
    let blocked = of_device(|device| device.idle_under_blocking_sync_us);
    compare(&mut wrong, "blocked", &gaps.sums("device", "blocked_us"), blocked);
    let streams = devices.iter().flat_map(|device| {
        device.streams.iter().map(|stream| (device.name.as_str(), stream.idle_us))
    });
    compare(&mut wrong, "streams", &read("streams.csv").sums("device", "idle_us"), streams);
    let roofline = report.roofline.iter().flat_map(|roofline| &roofline.rows);
    let roofline = roofline.map(|row| (row.op.as_str(), row.time_us));
    compare(&mut wrong, "roofline", &read("roofline.csv").sums("op", "time_us"), roofline);
    wrong.iter().map(|wrong| format!("{}: {wrong}", report.name)).collect()
}

#[test]
fn tables_have_the_numbers_of_the_report() {
    let given = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures");
    let with_jax = given.is_some();
    let (mut wrong, mut n_programs) = (Vec::new(), 0);
    for folder in given.into_iter().chain([in_crate("tests/captures")]) {
        let found = read::find(&[folder]).unwrap();
        let read = found.families.iter().flat_map(|family| read::read_family(family).captures);
        for capture in read.filter_map(Result::ok) {
            let (report, files) = files_of(&capture);
            wrong.extend(mismatches(&report, &files));
            n_programs += files.iter().filter(|file| file.path.starts_with("hlo/")).count();
        }
    }
    assert_no_mismatch(&wrong);
    assert!(!with_jax || n_programs > 50, "{n_programs} programs as text");
}
