//! `golden review`: what waits, one by one, with a decision for each.

use super::Stop;
use super::goldens::failed;
use idleproof::golden::{self, Folders, Pending, Selection};
use idleproof::text::{terminal, terminal_lines};
use std::io::{self, BufRead, IsTerminal, Write};

/// What may be answered.
const KEYS: &str = "a accept, r reject, s skip, q quit";

/// Asks in the terminal; what was done, as text. Nobody can be asked elsewhere, and a decision is never assumed.
pub(crate) fn review(folders: &Folders, flags: &str) -> Result<String, Stop> {
    if !io::stdin().is_terminal() {
        return Err(Stop::Usage(format!(
            "`golden review` asks in a terminal, and the standard input is none: `idleproof golden status{flags}` shows what \
             waits, `idleproof golden accept NAME{flags}` and `golden reject NAME{flags}` decide"
        )));
    }
    let shown = anstream::stderr().lock();
    ask(folders, io::stdin().lock(), shown)
}

/// Shows each pending golden and does what is answered, until the end of the answers.
fn ask(
    folders: &Folders,
    mut answers: impl BufRead,
    mut shown: impl Write,
) -> Result<String, Stop> {
    let unseen = |error: io::Error| Stop::Failed(format!("the terminal went away: {error}"));
    let pending = golden::pending(folders).map_err(|error| failed(&error))?;
    let (mut n_accepted, mut n_rejected) = (0, 0);
    for (index, one) in pending.iter().enumerate() {
        let head = format!("{} of {}: {}", index + 1, pending.len(), terminal(&one.name));
        write!(shown, "{head}\n{}", body(one)).map_err(unseen)?;
        match answer(&mut answers, &mut shown).map_err(unseen)? {
            Answer::Accept => {
                golden::accept(folders, Selection::One(&one.name))
                    .map_err(|error| failed(&error))?;
                n_accepted += 1;
            }
            Answer::Reject => {
                golden::reject(folders, Selection::One(&one.name))
                    .map_err(|error| failed(&error))?;
                n_rejected += 1;
            }
            Answer::Skip => {}
            Answer::Quit => break,
        }
    }
    if n_accepted > 0 {
        golden::write_stub(&folders.goldens).map_err(|error| failed(&error))?;
    }
    let n_left = pending.len() - n_accepted - n_rejected;
    Ok(format!("{n_accepted} accepted, {n_rejected} rejected, {n_left} left\n"))
}

/// What there is to see of one: its difference, with what could move a cursor made visible.
fn body(pending: &Pending) -> String {
    let what = if pending.is_new { "new" } else { "changed" };
    format!("{what}\n{}\n", terminal_lines(&pending.diff))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Accept,
    Reject,
    Skip,
    Quit,
}

/// Asks until something is understood; the end of the input is the end of the review.
fn answer(answers: &mut impl BufRead, shown: &mut impl Write) -> io::Result<Answer> {
    loop {
        write!(shown, "[{KEYS}] ")?;
        shown.flush()?;
        let mut line = String::new();
        if answers.read_line(&mut line)? == 0 {
            return Ok(Answer::Quit);
        }
        match line.trim() {
            "a" | "accept" => return Ok(Answer::Accept),
            "r" | "reject" => return Ok(Answer::Reject),
            "s" | "skip" => return Ok(Answer::Skip),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ask;
    use idleproof::golden::{self, Folders, Header, Rendered};

    fn waiting(folders: &Folders, names: &[&str]) {
        for name in names {
            let rendered = Rendered {
                capture: (*name).to_owned(),
                output: "trust".to_owned(),
                header: Header::default(),
                body: format!("\u{1b}[31m{name}"),
            };
            golden::write_pending(folders, &rendered).unwrap();
        }
    }

    #[test]
    fn each_answer_does_what_it_says_and_the_end_leaves_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::beside(folder.path());
        waiting(&folders, &["a", "b", "c", "d"]);
        let mut shown = Vec::new();
        let told = ask(&folders, &b"what\na\nr\ns\n"[..], &mut shown).unwrap();
        assert_eq!(told, "1 accepted, 1 rejected, 2 left\n");
        let shown = String::from_utf8(shown).unwrap();
        // An answer that means nothing is asked for again.
        assert_eq!(shown.matches("[a accept").count(), 5, "{shown}");
        assert!(
            shown.contains("1 of 4: a.trust.snap\nnew\n") && !shown.contains('\u{1b}'),
            "{shown}"
        );
        assert!(folder.path().join("a.trust.snap").exists());
        let left: Vec<String> =
            golden::pending(&folders).unwrap().into_iter().map(|one| one.name).collect();
        assert_eq!(left, ["c.trust.snap", "d.trust.snap"]);
        assert_eq!(
            ask(&folders, &b"q\na\n"[..], Vec::new()).unwrap(),
            "0 accepted, 0 rejected, 2 left\n"
        );
    }
}
