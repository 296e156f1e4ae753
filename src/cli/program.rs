//! `--program ID`: an id that no capture knows is a slip of the hand, and the answer lists those that there are.

use super::Stop;
use idleproof::report::{CaptureReport, HloRecords, Outcome, ProgramTime};
use idleproof::units::human_time;

/// Programs that are listed of each capture.
const LISTED_MAX: usize = 10;

/// Refuses an id that no capture knows. Where one does, the trust lists of the others say that they don't.
pub(super) fn require(id: u64, captures: &[CaptureReport]) -> Result<(), Stop> {
    // A capture that could not be read may know it.
    let is_refused = |capture: &CaptureReport| capture.outcome == Outcome::Refused;
    if captures.iter().any(is_refused) || captures.iter().any(|capture| knows(capture, id)) {
        return Ok(());
    }
    let lists: Vec<String> = captures.iter().filter_map(list).collect();
    if lists.is_empty() {
        let text = "--program is for captures of JAX: none of these tells compiled programs apart";
        return Err(Stop::Usage(text.to_owned()));
    }
    let lists = lists.concat();
    Err(Stop::Usage(format!(
        "--program {id}: no kernel belongs to a program of this id; the programs are{lists}"
    )))
}

fn programs(capture: &CaptureReport) -> Option<&HloRecords> {
    capture.attribution.as_ref()?.hlo.as_ref()
}

fn knows(capture: &CaptureReport, id: u64) -> bool {
    programs(capture).is_some_and(|hlo| hlo.programs.iter().any(|program| program.id == id))
}

/// The programs of a capture with their kernel time, most of it first.
fn list(capture: &CaptureReport) -> Option<String> {
    let programs = &programs(capture)?.programs;
    let mut text = format!("\n  of {}:", capture.name.escape_debug());
    for ProgramTime { id, name, time_us, .. } in programs.iter().take(LISTED_MAX) {
        let time = human_time(time_us.ps(), 3);
        // A name is text of the capture, and this goes to a terminal.
        text.push_str(&format!("\n    {id}  {}, {time}", name.escape_debug()));
    }
    if programs.len() > LISTED_MAX {
        text.push_str(&format!("\n    and {} more", programs.len() - LISTED_MAX));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::require;
    use crate::cli::Stop;
    use idleproof::judge::refused;
    use idleproof::report::{
        Attribution, AttributionClass, CaptureReport, ErrorReport, HloRecords, Methods,
        Microseconds, Outcome, ProgramTime,
    };

    fn unread(name: &str) -> CaptureReport {
        let error = ErrorReport {
            kind: "truncated".to_owned(),
            message: String::new(),
            help: String::new(),
            path: name.to_owned(),
            line: None,
            column: None,
            offset: None,
        };
        refused(name.to_owned(), Vec::new(), error)
    }

    fn read(name: &str, programs: &[(u64, &str)]) -> CaptureReport {
        let none =
            || AttributionClass { records: 0, time_us: Microseconds::default(), share: None };
        let program = |&(id, name): &(u64, &str)| ProgramTime {
            id,
            name: name.to_owned(),
            records: 1,
            time_us: Microseconds::from_ps(2_500_000),
            share: None,
        };
        let hlo = HloRecords {
            programs: programs.iter().map(program).collect(),
            program: None,
            unattributed: Vec::new(),
            left_out_by_op_views: none(),
            without_op: none(),
        };
        let methods = Methods {
            by_id: None,
            by_id_refused: None,
            by_nesting: None,
            compared: 0,
            agreeing: 0,
        };
        let attribution = Attribution {
            classes: Default::default(),
            methods,
            ops: Vec::new(),
            lines: Vec::new(),
            hlo: (!programs.is_empty()).then_some(hlo),
        };
        let unread = unread(name);
        CaptureReport {
            outcome: Outcome::Report,
            error: None,
            attribution: Some(attribution),
            ..unread
        }
    }

    #[test]
    fn an_unknown_program_is_answered_with_the_known_ones() {
        let told = |captures: &[CaptureReport]| match require(5, captures) {
            Err(Stop::Usage(text)) => text,
            other => format!("{other:?}"),
        };
        let (jax, torch) =
            (read("host", &[(17, "jit_step\u{1b}"), (9, "jit_init")]), read("r0", &[]));
        assert_eq!(
            told(&[jax.clone(), torch.clone()]),
            "--program 5: no kernel belongs to a program of this id; the programs are\n  of host:\n    \
             17  jit_step\\u{1b}, 2.50 µs\n    9  jit_init, 2.50 µs"
        );
        assert!(told(std::slice::from_ref(&torch)).contains("is for captures of JAX"));
        let many: Vec<(u64, &str)> = (100..112).map(|id| (id, "jit_f")).collect();
        assert!(told(&[read("host", &many)]).ends_with("\n    and 2 more"));
        // One capture that knows it is enough, and one that was not read may.
        assert!(require(17, &[torch, jax.clone()]).is_ok());
        assert!(require(5, &[jax, unread("cut")]).is_ok());
    }
}
