//! Who may name whom: the floors of the source, enforced by a scan of `crate::` paths.

use crate::harness::{assert_no_mismatch, in_crate};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A module and the modules that it may name. `lib` and `main` may name every one.
const FLOORS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("units", &[]),
    ("trace", &["units"]),
    ("report", &["units"]),
    ("read", &["units", "trace"]),
    ("analysis", &["units", "trace", "report"]),
    ("checks", &["units", "trace", "analysis", "report"]),
    ("document", &["text"]),
    ("policy", &["text", "units", "checks", "report", "document"]),
    ("statements", &["document", "policy"]),
    ("compare", &["units", "report"]),
    ("judge", &["units", "analysis", "checks", "policy", "statements", "compare", "report"]),
    ("render", &["text", "units", "report"]),
    ("golden", &["report"]),
    (
        "cli",
        &[
            "text",
            "units",
            "trace",
            "report",
            "read",
            "analysis",
            "checks",
            "document",
            "policy",
            "statements",
            "compare",
            "judge",
            "render",
            "golden",
        ],
    ),
];
/// Files of the top floor: they see everything.
const TOP: [&str; 2] = ["lib", "main"];

#[test]
fn modules_name_only_their_floors() {
    let source = in_crate("src");
    let mut wrong = Vec::new();
    for file in rust_files(&source) {
        let shown = file.strip_prefix(&source).unwrap_or(&file);
        let module = top_module(shown);
        if TOP.contains(&module.as_str()) {
            continue;
        }
        let Some((_, allowed)) = FLOORS.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("src/{}: `{module}` stands on no floor", shown.display()));
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        for named in named_modules(&text) {
            if named != module && !allowed.contains(&named.as_str()) {
                wrong.push(format!("src/{}: `{module}` names `{named}`", shown.display()));
            }
        }
    }
    assert_no_mismatch(&wrong);
}

#[test]
fn the_scan_sees_every_form_of_path() {
    let text = "use crate::units::Interval;\n\
                use crate::{trace::{Op, Trace}, report};\n\
                use crate::{\n    read::find,\n    policy as rules,\n};\n\
                fn f() -> crate::analysis::Analysis { g(crate :: checks::CHECKS) }\n\
                // crate::golden is only a comment\n\
                //! crate::render likewise\n\
                const T: &str = \"http://x\"; use crate::judge;\n";
    let expected = ["units", "trace", "report", "read", "policy", "analysis", "checks", "judge"];
    assert_eq!(named_modules(text), expected.map(String::from).into());
}

/// Every Rust file under a folder, in order of path.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn top_module(path: &Path) -> String {
    let first = path.components().next().map(|part| part.as_os_str().to_string_lossy());
    let first = first.unwrap_or_default();
    first.strip_suffix(".rs").unwrap_or(&first).to_owned()
}

/// The modules that stand directly behind `crate::`, single or in braces.
fn named_modules(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().map(without_comment).collect::<Vec<_>>().join("\n");
    let mut named = BTreeSet::new();
    for (at, _) in code.match_indices("crate") {
        let before = code[..at].chars().next_back();
        let Some(path) = code[at + "crate".len()..].trim_start().strip_prefix("::") else {
            continue;
        };
        if before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | '$')) {
            continue;
        }
        match path.trim_start().strip_prefix('{') {
            Some(list) => named.extend(heads_of_list(list)),
            None => named.extend(head(path.trim_start())),
        }
    }
    named
}

fn without_comment(line: &str) -> &str {
    let comment = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':'));
    comment.map_or(line, |(at, _)| &line[..at])
}

/// First names of a brace list's entries, up to its closing brace.
fn heads_of_list(list: &str) -> Vec<String> {
    let (mut depth, mut heads, mut entry) = (0_u32, Vec::new(), String::new());
    for character in list.chars() {
        match character {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.extend(head(std::mem::take(&mut entry).trim())),
            _ => {}
        }
        if character != ',' || depth > 0 {
            entry.push(character);
        }
    }
    heads.extend(head(entry.trim()));
    heads
}

/// The module at the head of a path; `None` for types, macros and `self`.
fn head(path: &str) -> Option<String> {
    let name: String =
        path.chars().take_while(|one| one.is_alphanumeric() || *one == '_').collect();
    let is_module = name.starts_with(char::is_lowercase) && name != "self";
    let is_macro = path[name.len()..].starts_with('!');
    (is_module && !is_macro).then_some(name)
}
