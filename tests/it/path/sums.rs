//! On every capture at hand: segments tile the window, kinds add up to it, and no estimate lies outside of it.

use crate::harness::{assert_no_mismatch, in_crate, outside_data};
use idleproof::analysis::{Path, analyse, lay_out};
use idleproof::read;
use idleproof::report::{CaptureReport, Microseconds, Share};
use idleproof::trace::Capture;
use idleproof::units::{Picoseconds, Ratio};

#[test]
fn segments_add_up_to_the_step() {
    let corpus = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures");
    let folders = std::iter::once(in_crate("tests/captures")).chain(corpus);
    let (mut mismatches, mut n_paths) = (Vec::new(), 0);
    for folder in folders {
        let found = read::find(&[folder]).unwrap_or_else(|error| panic!("{error:?}"));
        let captures = found.families.iter().flat_map(|family| read::read_family(family).captures);
        for capture in captures.flatten() {
            let analysis = analyse(&capture);
            let report = lay_out(&capture, &analysis);
            if let Some(path) = &analysis.path {
                n_paths += 1;
                mismatches.extend(tiles(&capture, path));
            }
            mismatches.extend(laid_out(&report));
        }
    }
    assert!(n_paths > 5, "{n_paths} paths");
    assert_no_mismatch(&mismatches);
}

fn tiles(capture: &Capture, path: &Path) -> Option<String> {
    let mut at = path.window.start();
    for segment in &path.segments {
        if segment.interval.start() != at {
            return Some(format!(
                "{}: a segment begins at {} and not at {at}",
                capture.name,
                segment.interval.start()
            ));
        }
        at = segment.interval.end();
    }
    let sum: Picoseconds = path.by_kind().into_iter().map(|(_, time)| time).sum();
    let is_whole = at == path.window.end() && sum == path.window.duration();
    (!is_whole).then(|| format!("{}: {sum} of {}", capture.name, path.window.duration()))
}

fn laid_out(report: &CaptureReport) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some(path) = &report.critical_path else { return wrong };
    let total = path.total_us.ps();
    let sum =
        |times: &mut dyn Iterator<Item = Microseconds>| times.map(Microseconds::ps).sum::<i128>();
    let kinds = sum(&mut path.by_kind.iter().map(|kind| kind.time_us));
    let rows = sum(&mut path.segments.iter().map(|row| row.time_us));
    if kinds != total || rows > total || (path.segments_left_out == 0) != (rows == total) {
        wrong.push(format!("{}: kinds {kinds}, rows {rows} of {total}", report.name));
    }
    let names = sum(&mut path.by_name.iter().map(|name| name.time_us));
    if names > total || (path.by_name.len() < 100 && names != total) {
        wrong.push(format!("{}: names {names} of {total}", report.name));
    }
    for change in &report.what_to_change {
        let host = change.host_event();
        let row = host.and_then(|host| {
            path.by_name.iter().find(|row| row.kind == "host" && row.name.as_deref() == Some(host))
        });
        if let (Some(_), row) = (host, row) {
            let of = row.map_or(0, |row| row.time_us.ps());
            let share = u64::try_from(of).ok().zip(u64::try_from(total).ok());
            let share = share.and_then(|(part, whole)| Ratio::new(part, whole)).map(Share::of);
            if share != change.share {
                wrong.push(format!("{}: {} on {share:?} of the path", report.name, change.cause));
            }
        }
        let (least, most) = change.step_us.if_gone;
        let best = change.at_best_us.unwrap_or(least);
        let is_within = best <= least && least <= most && most <= change.step_us.now;
        let gone = change.step_us.now.ps() - least.ps();
        let is_roof_lower = change.at_roofline.as_ref().is_none_or(|roof| {
            let shorter = roof.kernels_us.ps() - roof.floor_us.ps();
            roof.saves_at_most_us.ps() <= shorter.min(gone) && roof.floor_us.ps() >= 0
        });
        // A cause is no more of the path than all of it, however its pieces follow one another.
        let is_part = change.share.is_none_or(|share| share.get() <= 1.0);
        if !is_within || !is_part || !is_roof_lower || change.step_us.now != path.total_us {
            wrong.push(format!("{}: {} {best} {least} {most}", report.name, change.cause));
        }
    }
    wrong
}
