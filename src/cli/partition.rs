//! `--partition K/N`: one part of a run that is divided over several machines, and what it keeps for `merge`.

use idleproof::policy::{Coverage, Exceptable, Policy};
use idleproof::read::{self, Found};
use idleproof::report::{CaptureReport, Partition};
use idleproof::statements::Statement;
use jiff::civil::Date;
use regex::Regex;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::Path;

/// More parts than any scheduler starts jobs.
const PARTS_MAX: u32 = 10_000;

/// Which part, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    part: u32,
    of: u32,
}

/// Parses `K/N`.
pub(crate) fn parse(text: &str) -> Result<Slice, String> {
    let numbers = text.split_once('/').and_then(|(part, of)| {
        let number = |text: &str| text.parse::<u32>().ok();
        Some((number(part)?, number(of)?))
    });
    match numbers {
        None => Err("expected K/N, such as 1/4".to_owned()),
        Some((_, of)) if of > PARTS_MAX => Err(format!("no more than {PARTS_MAX} parts")),
        Some((part, of)) if (1..=of).contains(&part) => Ok(Slice { part, of }),
        Some((_, of)) => Err(format!("parts are counted from 1: K is 1 to {of}")),
    }
}

/// Options that shape reports: the same in all parts of a run.
pub(super) struct Settings<'a> {
    pub(super) coverage: Coverage,
    pub(super) user_files: Option<&'a Regex>,
    pub(super) statements: &'a [Statement],
    /// The folder of goldens, where they are compared.
    pub(super) goldens: Option<&'a Path>,
}

/// A part that was cut out of what was found.
pub(super) struct Cut {
    slice: Slice,
    whole: String,
}

impl Slice {
    /// Leaves of what was found only what belongs to this part. `None` where there is nothing to divide. A path that can't be
    /// searched belongs to the first part.
    pub(super) fn cut(
        self,
        found: &mut Found,
        refused: &mut Vec<CaptureReport>,
        settings: &Settings<'_>,
    ) -> Option<Cut> {
        if found.families.is_empty() && refused.is_empty() {
            return None;
        }
        let mut divided = read::divide(found, self.of as usize);
        let whole = digest(&divided.plan, refused, settings);
        *found = divided.parts.swap_remove(self.part as usize - 1);
        if self.part != 1 {
            refused.clear();
        }
        Some(Cut { slice: self, whole })
    }
}

fn digest(plan: &str, refused: &[CaptureReport], settings: &Settings<'_>) -> String {
    let Settings { coverage, user_files, statements, goldens } = settings;
    let mut text = plan.to_owned();
    // Writing to a String cannot fail.
    for capture in refused {
        let _ = writeln!(text, "refused {:?}", capture.name);
    }
    let user_files = user_files.map(Regex::as_str);
    let _ = writeln!(text, "{coverage:?} {user_files:?} {goldens:?}");
    for statement in *statements {
        let _ = writeln!(text, "{} {} {:?}", statement.source, statement.quantity, statement.said);
    }
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Cut {
    /// What the report says of its place in the whole; goldens are compared later.
    pub(super) fn place(
        &self,
        judged: Exceptable<'_>,
        unmet_statements: Vec<String>,
        policy: &Policy,
        coverage: Coverage,
        today: Date,
    ) -> Partition {
        Partition {
            part: self.slice.part,
            of: self.slice.of,
            whole: self.whole.clone(),
            exceptions: policy.exception_uses(judged, coverage, today),
            unclaimed_goldens: None,
            unmet_statements,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Slice, parse};

    #[test]
    fn a_part_is_one_of_so_many() {
        assert_eq!(parse("1/1"), Ok(Slice { part: 1, of: 1 }));
        assert_eq!(parse("3/16"), Ok(Slice { part: 3, of: 16 }));
        for wrong in ["", "1", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/4/2", "1/10001"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
