//! The `golden` command: what waits for a decision, the decision, and what is left over.

use super::goldens::{failed, referenced};
use super::{GoldenArgs, GoldenCommand, Orphaned, Stop, Which, check, inputs, policy, review};
use idleproof::golden::{self, Folders, GoldenError, Orphan, Selection};
use idleproof::policy::{Coverage, Policy};
use idleproof::report::Outcome;
use idleproof::text::terminal;
use idleproof::{Options, evaluate};
use jiff::civil::Date;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Runs a `golden` command; what it did, as text.
pub(crate) fn run(command: &GoldenCommand, today: Date) -> Result<String, Stop> {
    match command {
        GoldenCommand::Status(args) => status(args, today),
        GoldenCommand::Review(args) => review::review(&folders(args)?, &flags(args)),
        GoldenCommand::Accept { which, folders: args } => {
            let folders = folders(args)?;
            require_pending(which, &folders, &flags(args))?;
            let mut text = String::new();
            for which in selections(which) {
                told(&mut text, "accepted", golden::accept(&folders, which))?;
            }
            told(&mut text, "added", golden::write_stub(&folders.goldens))?;
            Ok(text)
        }
        GoldenCommand::Reject { which, folders: args } => {
            let folders = folders(args)?;
            require_pending(which, &folders, &flags(args))?;
            let mut text = String::new();
            for which in selections(which) {
                told(&mut text, "rejected", golden::reject(&folders, which))?;
            }
            Ok(text)
        }
        GoldenCommand::Prune { which, folders: args } => prune(which, args, today),
    }
}

/// The end of a command that names what does not wait, before anything is written.
fn require_pending(which: &Which, folders: &Folders, flags: &str) -> Result<(), Stop> {
    let pending = golden::pending(folders).map_err(|error| failed(&error))?;
    let folder = Path::display(&folders.pending);
    if which.all && pending.is_empty() {
        let text = format!(
            "nothing waits in {folder}: `idleproof check` with --pending writes what differs from its golden"
        );
        return Err(Stop::Usage(text));
    }
    for name in &which.names {
        let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        let file = file.strip_suffix(".new").unwrap_or(&file);
        if !pending.iter().any(|one| one.name == file) {
            let text = format!(
                "no pending golden `{name}` in {folder}: `idleproof golden status{flags}` lists them"
            );
            return Err(Stop::Usage(text));
        }
    }
    Ok(())
}

/// The folders as they were given, to be repeated in a command that is proposed.
fn flags(args: &GoldenArgs) -> String {
    let mut flags = String::new();
    for (flag, folder) in [("--goldens", &args.goldens), ("--pending", &args.pending)] {
        if let Some(folder) = folder {
            let folder = folder.to_string_lossy();
            let quote = if folder.contains(char::is_whitespace) { "'" } else { "" };
            let _ = write!(flags, " {flag} {quote}{folder}{quote}");
        }
    }
    flags
}

/// Every pending golden, or those that are named.
fn selections(which: &Which) -> Vec<Selection<'_>> {
    if which.all {
        return vec![Selection::All];
    }
    which.names.iter().map(|name| Selection::One(name)).collect()
}

fn told(
    text: &mut String,
    did: &str,
    paths: Result<Vec<PathBuf>, GoldenError>,
) -> Result<(), Stop> {
    for path in paths.map_err(|error| failed(&error))? {
        let _ = writeln!(text, "{did} {}", terminal(&path.to_string_lossy()));
    }
    Ok(())
}

fn status(args: &GoldenArgs, today: Date) -> Result<String, Stop> {
    let (folders, flags) = (folders(args)?, flags(args));
    let pending = golden::pending(&folders).map_err(|error| failed(&error))?;
    let mut text = String::new();
    if pending.is_empty() {
        let _ = writeln!(text, "nothing waits in {}", Path::display(&folders.pending));
    }
    for one in &pending {
        let what = if one.is_new { "new" } else { "changed" };
        let _ = writeln!(text, "{what} {}", terminal(&one.name));
        if one.diff.is_empty() {
            text.push_str("the text is the same; the figures that its tolerances need are new\n");
        }
        for line in one.diff.lines() {
            let _ = writeln!(text, "{}", terminal(line));
        }
    }
    if !pending.is_empty() {
        let _ = write!(
            text,
            "\nto decide one by one:   idleproof golden review{flags}\nto take them all over:  idleproof golden accept --all{flags}\n\
             to delete them all:     idleproof golden reject --all{flags}\nor name some instead of --all\n"
        );
    }
    text.push_str(&left_over(args, &folders, &flags, today)?);
    Ok(text)
}

/// What `status` says of goldens without a capture: only where the folder is that of a policy that names its captures.
fn left_over(
    args: &GoldenArgs,
    folders: &Folders,
    flags: &str,
    today: Date,
) -> Result<String, Stop> {
    let policy = policy::load(&super::PolicyArgs::default())?.policy;
    let own = PathBuf::from(policy.golden().cloned().unwrap_or_default().dir);
    if policy.captures().is_none() || args.goldens.as_ref().is_some_and(|folder| *folder != own) {
        return Ok(String::new());
    }
    let orphans = match orphans(folders, &policy, today) {
        Ok(orphans) => orphans,
        Err(stop) => {
            return Ok(format!(
                "which goldens belong to no capture is not known: {}\n",
                stop.plain()
            ));
        }
    };
    let mut text = String::new();
    for one in &orphans {
        let _ = writeln!(text, "unreferenced {}{}", terminal(&one.name), foreign(one));
    }
    if orphans.iter().any(|one| one.is_ours) {
        let _ = writeln!(
            text,
            "\nto delete what belongs to no capture:  idleproof golden prune --all{flags}"
        );
    }
    Ok(text)
}

/// What is said of a golden that this program would not delete.
const fn foreign(orphan: &Orphan) -> &'static str {
    if orphan.is_ours {
        ""
    } else {
        " (it does not say whose golden it is, so it is never deleted)"
    }
}

/// Goldens that no capture of the policy has. Every capture must be read for that: one that can't be might own any of them.
fn orphans(folders: &Folders, policy: &Policy, today: Date) -> Result<Vec<Orphan>, Stop> {
    let (found, mut refused) = check::find(&inputs::of_policy(policy)?.paths);
    let evaluation = evaluate(&found, policy, today, &Options::default());
    let all = evaluation.captures;
    refused.extend(all.iter().filter(|one| one.outcome == Outcome::Refused).cloned());
    if let Some(one) = refused.first() {
        let why = one.error.as_ref().map_or("it was refused", |error| &error.message);
        return Err(Stop::Failed(format!("{} could not be read: {why}", one.name)));
    }
    let evaluation = idleproof::Evaluation { captures: all, ..evaluation };
    let report = check::conclude(evaluation, policy, Coverage::Everything, today);
    let outputs = policy.golden().cloned().unwrap_or_default().outputs;
    golden::unreferenced(folders, referenced(&report, &outputs)).map_err(|error| failed(&error))
}

/// Deletes goldens without a capture, or says which they are.
fn prune(which: &Orphaned, args: &GoldenArgs, today: Date) -> Result<String, Stop> {
    let (folders, flags) = (folders(args)?, flags(args));
    let policy = policy::load(&super::PolicyArgs::default())?.policy;
    if policy.captures().is_none() {
        let text = "which goldens belong to no capture is only known where the policy file names all `captures`";
        return Err(Stop::Usage(text.to_owned()));
    }
    let orphans = orphans(&folders, &policy, today)?;
    let is_named = |orphan: &Orphan, name: &str| {
        Path::new(name).file_name().is_some_and(|file| file.to_string_lossy() == orphan.name)
    };
    if let Some(name) =
        which.names.iter().find(|name| !orphans.iter().any(|one| is_named(one, name)))
    {
        let text = format!(
            "no golden `{name}` without a capture in {}: `idleproof golden prune{flags}` lists them",
            Path::display(&folders.goldens)
        );
        return Err(Stop::Usage(text));
    }
    let mut text = String::new();
    if orphans.is_empty() {
        let _ =
            writeln!(text, "every golden in {} has its capture", Path::display(&folders.goldens));
        return Ok(text);
    }
    if !which.all && which.names.is_empty() {
        for one in &orphans {
            let would = if one.is_ours { "would remove" } else { "would keep" };
            let _ =
                writeln!(text, "{would} {}{}", terminal(&one.path.to_string_lossy()), foreign(one));
        }
        let _ = writeln!(
            text,
            "\nto remove them:  idleproof golden prune --all{flags}, or name some instead of --all"
        );
        return Ok(text);
    }
    let meant: Vec<Orphan> = orphans
        .into_iter()
        .filter(|one| which.all || which.names.iter().any(|name| is_named(one, name)))
        .collect();
    told(&mut text, "removed", golden::prune(&meant))?;
    for one in meant.iter().filter(|one| !one.is_ours) {
        let _ = writeln!(text, "kept {}{}", terminal(&one.path.to_string_lossy()), foreign(one));
    }
    Ok(text)
}

/// The folders that the arguments name, else those of the policy file that lies here.
fn folders(args: &GoldenArgs) -> Result<Folders, Stop> {
    let goldens = match &args.goldens {
        Some(folder) => folder.clone(),
        None => {
            let policy = policy::load(&super::PolicyArgs::default())?.policy;
            PathBuf::from(policy.golden().cloned().unwrap_or_default().dir)
        }
    };
    let pending = args.pending.clone().unwrap_or_else(|| goldens.clone());
    Ok(Folders { goldens, pending })
}
