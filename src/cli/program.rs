//! `--program ID`: an id that no capture knows, or a name in its place, is a slip of the hand, and the answer lists those that there are.

use super::Stop;
use idleproof::report::{CaptureReport, HloRecords, Outcome, ProgramTime};
use idleproof::units::human_time;

/// Programs that are listed of each capture.
const LISTED_MAX: usize = 10;

/// The id of a text that is one.
pub(super) fn id(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// Refuses what is no id, and an id that no capture knows. Where one does, the trust lists of the others say that they don't.
pub(super) fn require(asked: &str, captures: &[CaptureReport]) -> Result<(), Stop> {
    let Some(id) = id(asked) else { return Err(no_id(asked, captures)) };
    // A capture that could not be read may know it.
    let is_refused = |capture: &CaptureReport| capture.outcome == Outcome::Refused;
    if captures.iter().any(is_refused) || captures.iter().any(|capture| knows(capture, id)) {
        return Ok(());
    }
    let lists: Vec<String> = captures.iter().flat_map(|capture| list(capture, |_| true)).collect();
    if lists.is_empty() {
        let text = "--program is for captures of JAX: none of these tells compiled programs apart";
        return Err(Stop::Usage(text.to_owned()));
    }
    let text =
        format!("--program {id}: no kernel belongs to a program of this id; the programs are");
    Err(Stop::Usage(text).listing(lists))
}

/// The answer to a name: an id is wanted, since programs may share one.
fn no_id(asked: &str, captures: &[CaptureReport]) -> Stop {
    let is_named = |program: &ProgramTime| program.name == asked;
    let named: Vec<String> = captures.iter().flat_map(|capture| list(capture, is_named)).collect();
    if !named.is_empty() {
        let text = format!(
            "--program {asked}: an id is wanted, since several programs may have one name; of this name are"
        );
        return Stop::Usage(text).listing(named);
    }
    let all: Vec<String> = captures.iter().flat_map(|capture| list(capture, |_| true)).collect();
    let known = match all.as_slice() {
        [] => "none of these captures tells compiled programs apart",
        _ => "the programs are",
    };
    let text = format!("--program {asked}: an id is wanted, and no program has this name; {known}");
    Stop::Usage(text).listing(all)
}

fn programs(capture: &CaptureReport) -> Option<&HloRecords> {
    capture.attribution.as_ref()?.hlo.as_ref()
}

fn knows(capture: &CaptureReport, id: u64) -> bool {
    programs(capture).is_some_and(|hlo| hlo.programs.iter().any(|program| program.id == id))
}

/// The programs of a capture that are meant, with their kernel time, most of it first: lines, none where there are no programs.
fn list(capture: &CaptureReport, is_meant: impl Fn(&ProgramTime) -> bool) -> Vec<String> {
    let programs = programs(capture).map_or(&[][..], |hlo| &hlo.programs);
    let programs: Vec<&ProgramTime> = programs.iter().filter(|program| is_meant(program)).collect();
    if programs.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("  of {}:", capture.name)];
    for ProgramTime { id, name, time_us, .. } in programs.iter().copied().take(LISTED_MAX) {
        lines.push(format!("    {id}  {name}, {}", human_time(time_us.ps(), 3)));
    }
    if programs.len() > LISTED_MAX {
        lines.push(format!(
            "    and {} more: report --report json=PATH lists all, under attribution.hlo.programs",
            programs.len() - LISTED_MAX
        ));
    }
    lines
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

    /// What is said of wrong usage.
    fn told(outcome: Result<(), Stop>) -> String {
        match outcome {
            Err(stop) if stop.code() == 2 => stop.plain(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn an_unknown_program_is_answered_with_the_known_ones() {
        let told = |captures: &[CaptureReport]| told(require("5", captures));
        let (jax, torch) =
            (read("host", &[(17, "jit_step\u{1b}"), (9, "jit_init")]), read("r0", &[]));
        assert_eq!(
            told(&[jax.clone(), torch.clone()]),
            "--program 5: no kernel belongs to a program of this id; the programs are\n  of host:\n    \
             17  jit_step\\u{1b}, 2.50 µs\n    9  jit_init, 2.50 µs"
        );
        assert!(told(std::slice::from_ref(&torch)).contains("is for captures of JAX"));
        let many: Vec<(u64, &str)> = (100..112).map(|id| (id, "jit_f")).collect();
        assert!(
            told(&[read("host", &many)]).contains("\n    and 2 more: report --report json=PATH")
        );
        // One capture that knows it is enough, and one that was not read may.
        assert!(require("17", &[torch.clone(), jax.clone()]).is_ok());
        assert!(require("5", &[jax.clone(), unread("cut")]).is_ok());
    }

    #[test]
    fn a_name_is_answered_with_the_ids_that_have_it() {
        let told = |captures: &[CaptureReport]| told(require("jit_step", captures));
        let jax = read("host", &[(17, "jit_step"), (9, "jit_init"), (3, "jit_step")]);
        assert_eq!(
            told(&[jax]),
            "--program jit_step: an id is wanted, since several programs may have one name; of this name are\n  of host:\n    \
             17  jit_step, 2.50 µs\n    3  jit_step, 2.50 µs"
        );
        let other = told(&[read("host", &[(9, "jit_init")])]);
        assert!(
            other.contains("no program has this name; the programs are\n  of host:\n    9"),
            "{other}"
        );
        let none = told(&[read("r0", &[])]);
        assert!(none.ends_with("none of these captures tells compiled programs apart"), "{none}");
    }
}
