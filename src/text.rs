//! Names that others wrote, made visible: what acts on a terminal or a log, and what hides, is spelled out.
//!
//! Names of files, captures and kernels may hold line breaks, terminal sequences, characters without width and characters that
//! turn the reading direction around. Every error line and every output goes through here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Code points that a font draws as nothing: Unicode's `Default_Ignorable_Code_Point` (DerivedCoreProperties, version 16).
const IGNORABLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// True for control characters, for those without width, and for those that change the reading direction or the line.
pub fn acts(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    character.is_control()
        // Line and paragraph ends, marks of annotations, and what is no character.
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
        // A pattern of Braille without a dot.
        || character == '\u{2800}'
        || IGNORABLE.iter().any(|&(first, last)| (first..=last).contains(&character))
}

/// Text in which every character that acts or hides is spelled out: `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        push_visible(&mut spelled, character);
    }
    Cow::Owned(spelled)
}

/// Appends a character, spelled out where it acts or hides.
pub fn push_visible(text: &mut String, character: char) {
    match character {
        '\n' => text.push_str("\\n"),
        '\t' => text.push_str("\\t"),
        '\r' => text.push_str("\\r"),
        other if acts(other) => {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\u{{{:x}}}", u32::from(other));
        }
        other => text.push(other),
    }
}

/// Text for a terminal: one line, in which nothing acts, neither on the terminal nor on a CI system that reads the log.
pub fn terminal(text: &str) -> Cow<'_, str> {
    match visible(text) {
        text if has_commands(&text) => Cow::Owned(without_commands(&text)),
        text => text,
    }
}

/// Lines that are escaped otherwise, in which nothing acts on a CI system should they come into its log.
pub fn inert_lines(text: &str) -> Cow<'_, str> {
    let lines = || text.split_inclusive(['\n', '\r']);
    if !lines().any(has_commands) {
        return Cow::Borrowed(text);
    }
    let inert =
        |line| if has_commands(line) { without_commands(line) } else { str::to_owned(line) };
    Cow::Owned(lines().map(inert).collect())
}

fn has_commands(line: &str) -> bool {
    line.contains("##") || line.trim_start().starts_with("::")
}

/// Lines for a terminal: line breaks stay, nothing else acts.
pub fn terminal_lines(text: &str) -> String {
    text.lines().map(terminal).collect::<Vec<_>>().join("\n")
}

/// Text without what a CI system takes for a command where it begins a line, `::`, and without what it takes for one anywhere.
fn without_commands(text: &str) -> String {
    let mut inert = String::with_capacity(text.len() + 8);
    let mut from = 0;
    if let Some(behind) = text.trim_start().strip_prefix("::") {
        from = text.len() - behind.len();
        inert.push_str(&text[..from - 2]);
        inert.push_str(":\\u{3a}");
    }
    for (at, character) in text[from..].char_indices() {
        match begins_command(text, from + at) {
            true => inert.push_str("\\u{23}"),
            false => inert.push(character),
        }
    }
    inert
}

/// True for the second hash of `##[…]` and `##vso[…]`, which CI systems take for commands anywhere in a line of a log; `at` is a
/// byte of the text. Other hashes stay: headings of Markdown begin with them.
pub fn begins_command(text: &str, at: usize) -> bool {
    let word = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    let behind = || text[at..].strip_prefix('#').map(|behind| behind.trim_start_matches(word));
    text[..at].ends_with('#') && behind().is_some_and(|behind| behind.starts_with('['))
}

#[cfg(test)]
mod tests {
    use super::{IGNORABLE, acts, inert_lines, terminal, terminal_lines, visible};

    /// A name that tries every sink at once.
    const HOSTILE: &str = "a|b`c<script>@octo\n::error::x\u{1b}[31mred\u{1b}]0;t\u{7}]]>\0\u{202e}\u{fffe}&*_[l](http://x)\\";

    #[test]
    fn what_hides_is_spelled_out() {
        for (text, expected) in [
            ("a\u{3164}b", "a\\u{3164}b"),
            ("\u{115f}\u{1160}\u{ffa0}", "\\u{115f}\\u{1160}\\u{ffa0}"),
            ("k\u{e0041}\u{e007f}", "k\\u{e0041}\\u{e007f}"),
            ("\u{202e}gnp", "\\u{202e}gnp"),
            ("\u{34f}\u{fe0f}\u{2800}", "\\u{34f}\\u{fe0f}\\u{2800}"),
            ("größe 核 ‹k›", "größe 核 ‹k›"),
        ] {
            assert_eq!(visible(text), expected);
        }
        assert!(IGNORABLE.windows(2).all(|pair| pair[0].1 < pair[1].0), "sorted, and apart");
    }

    #[test]
    fn a_terminal_line_does_nothing() {
        let text = terminal(HOSTILE);
        assert!(!text.chars().any(acts), "{text}");
        assert_eq!(text.lines().count(), 1);
        assert_eq!(terminal("gemm"), "gemm");
        assert_eq!(terminal("x##[error]y"), "x#\\u{23}[error]y");
        assert_eq!(terminal("###[error]y"), "##\\u{23}[error]y");
        assert_eq!(terminal("##vso[task.x]"), "#\\u{23}vso[task.x]");
        assert_eq!(terminal(" ::error::x"), " :\\u{3a}error::x");
        for kept in ["### Trust list", "## a [b]", "at::native::k", "####"] {
            assert_eq!(terminal(kept), kept);
        }
        assert_eq!(terminal_lines("a\r\n\u{1b}b"), "a\n\\u{1b}b");
        assert_eq!(
            inert_lines("a\r\n::error::x\r::y ##[z]"),
            "a\r\n:\\u{3a}error::x\r:\\u{3a}y #\\u{23}[z]"
        );
        assert_eq!(inert_lines("a::b\n## c\n"), "a::b\n## c\n");
    }
}
