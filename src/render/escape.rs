//! Escaping: one function for each place that text from a capture can end up in.
//!
//! Names of kernels, operators and files are written by others. They may hold terminal sequences, markup, workflow
//! commands and characters that turn the reading direction around.

use crate::text::{push_visible, visible};
use std::borrow::Cow;
use std::fmt::Write as _;

use crate::text::inert_lines;
pub(super) use crate::text::{terminal, terminal_lines};

/// Text for Markdown outside code: a table cell, a list item, a heading.
pub(super) fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut previous = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        match character {
            // Inside a word an underscore is a letter, and names are full of them.
            '_' if previous.is_alphanumeric() && next.is_alphanumeric() => escaped.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // A zero-width space keeps `@name` from notifying somebody, and a bare address from becoming a link.
            '@' => escaped.push_str("@&#8203;"),
            other => push_visible(&mut escaped, other),
        }
        previous = character;
    }
    escaped.replace("://", ":&#8203;//").replace("www.", "www&#8203;.")
}

/// Text as inline code in a Markdown table cell.
pub(super) fn markdown_code(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() {
        return "` `".to_owned();
    }
    // A code span cannot hold a pipe inside a table and needs care with backticks; HTML can hold both.
    if !text.contains(['|', '`', '\\']) && !text.starts_with(' ') && !text.ends_with(' ') {
        return format!("`{text}`");
    }
    let mut escaped = String::with_capacity(text.len() + 13);
    escaped.push_str("<code>");
    for character in text.chars() {
        if character.is_ascii_punctuation() && !".,-/():;=+%".contains(character) {
            push_reference(&mut escaped, character);
        } else {
            escaped.push(character);
        }
    }
    escaped.push_str("</code>");
    escaped
}

/// Sentences in which backticks mark code, as advice of checks is written.
pub(super) fn markdown_prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) || parts.iter().skip(1).step_by(2).any(|code| code.is_empty())
    {
        return markdown(text);
    }
    let part = |(at, part): (usize, &&str)| match at % 2 {
        0 => markdown(part),
        _ => markdown_code(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// Lines as a fenced block of Markdown that its content cannot close.
pub(super) fn markdown_block(text: &str, language: &str) -> String {
    let ticks = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let lines: Vec<Cow<'_, str>> = text.trim_end().lines().map(terminal).collect();
    let fence = "`".repeat(ticks.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// Text inside an element of HTML, also where Markdown surrounds it.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '<' | '>' | '&' | '"' | '\'' | '`' => push_reference(&mut escaped, character),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Text as an XML document can hold it: terminal sequences go, forbidden characters become U+FFFD, what hides is spelled out, and
/// `]]>` cannot close a CDATA section. No line is a command where the document is printed into a log. Markup is left to the XML writer.
pub(super) fn xml(text: &str) -> String {
    let text = without_ansi(text);
    let mut allowed = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' | '\n' | '\r' => allowed.push(character),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => allowed.push('\u{fffd}'),
            _ => push_visible(&mut allowed, character),
        }
    }
    inert_lines(&allowed.replace("]]>", "]] >")).into_owned()
}

/// [`xml`] for an attribute, which holds one line.
pub(super) fn xml_line(text: &str) -> String {
    let text = xml(text);
    text.split(['\n', '\r', '\t']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Text as a cell of a table: one line, and no formula to a spreadsheet. A `'` goes before `=`, `+`, `-`, `@` and `'` at the
/// beginning, so that what follows one `'` is the text.
///
/// Where the list separator is `;`, a spreadsheet splits lines there too, quoted or not: one that would make a formula begin a
/// cell is spelled out.
pub(super) fn table_cell(text: &str) -> String {
    let text = visible(text);
    let mut parts = text.split(';');
    let first = parts.next().unwrap_or_default();
    let mut cell = String::with_capacity(text.len() + 1);
    if first.starts_with('\'') || begins_formula(first) {
        cell.push('\'');
    }
    cell.push_str(first);
    for part in parts {
        let begins = begins_formula(part.trim_start_matches([' ', '"']));
        cell.push_str(if begins { "\\u{3b}" } else { ";" });
        cell.push_str(part);
    }
    cell
}

/// True where a spreadsheet takes a cell for a formula: also by the wide forms of the signs.
fn begins_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
}

/// Lines of a text file: nothing in them acts, whatever prints them.
pub(super) fn text_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&visible(line));
        text.push('\n');
    }
    text
}

/// Text without ANSI escape sequences: CSI up to its final byte, OSC and its like up to their terminator.
fn without_ansi(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let introducer = match character {
            '\u{1b}' => characters.next_if(|next| ('\u{20}'..='\u{7e}').contains(next)),
            '\u{9b}' => Some('['),
            other => {
                kept.push(other);
                continue;
            }
        };
        match introducer {
            Some('[') => {
                while characters.next_if(|next| ('\u{20}'..='\u{3f}').contains(next)).is_some() {}
                characters.next_if(|next| ('\u{40}'..='\u{7e}').contains(next));
            }
            Some(']' | 'P' | '_' | '^' | 'X') => {
                while characters
                    .next_if(|next| !matches!(next, '\u{7}' | '\u{1b}' | '\n'))
                    .is_some()
                {}
                if characters.next_if_eq(&'\u{1b}').is_some() {
                    characters.next_if_eq(&'\\');
                } else {
                    characters.next_if_eq(&'\u{7}');
                }
            }
            _ => {}
        }
    }
    Cow::Owned(kept)
}

fn push_reference(text: &mut String, character: char) {
    // Writing to a String cannot fail.
    let _ = write!(text, "&#{};", u32::from(character));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::acts;

    /// A name that tries every sink at once.
    const HOSTILE: &str = "a|b`c<script>@octo\n::error::x\u{1b}[31mred\u{1b}]0;t\u{7}]]>\0\u{202e}\u{fffe}&*_[l](http://x)\\";

    #[test]
    fn prose_marks_code_and_stays_inert() {
        assert_eq!(
            markdown_prose("Keep `deviceProperties` in it."),
            "Keep `deviceProperties` in it."
        );
        assert_eq!(markdown_prose("one ` alone"), markdown("one ` alone"));
        assert_eq!(markdown_prose("an empty `` pair"), markdown("an empty `` pair"));
        let text = markdown_prose(&format!("{HOSTILE} and {HOSTILE}"));
        for active in ["\n", "\u{1b}", "\0", "\u{202e}"] {
            assert!(!text.contains(active), "{active:?} in {text}");
        }
    }

    #[test]
    fn markdown_text_is_inert() {
        let text = markdown(HOSTILE);
        for active in ["<", "\n", "\u{1b}", "\0", "\u{202e}", "@octo", "http://x"] {
            assert!(!text.contains(active), "{active:?} in {text}");
        }
        for (at, active) in text.match_indices(['|', '`', '*', '_', '[', ']']) {
            assert!(text[..at].ends_with('\\'), "{active} is not escaped in {text}");
        }
    }

    #[test]
    fn an_underscore_inside_a_word_stays() {
        assert_eq!(markdown("rank_0 _x_ a__b"), "rank_0 \\_x\\_ a\\_\\_b");
    }

    #[test]
    fn html_holds_no_markup() {
        let text = html(HOSTILE);
        assert!(!text.contains(['<', '>', '`', '\n', '\u{1b}', '\0']), "{text}");
        assert_eq!(html("a & 'b'"), "a &#38; &#39;b&#39;");
    }

    #[test]
    fn markdown_code_of_a_plain_name_is_a_code_span() {
        assert_eq!(markdown_code("void gemm<float, 4>(*)"), "`void gemm<float, 4>(*)`");
        assert_eq!(markdown_code("a\nb"), "<code>a&#92;nb</code>");
        assert_eq!(markdown_code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(markdown_code(""), "` `");
    }

    #[test]
    fn markdown_code_cannot_be_left() {
        let text = markdown_code(HOSTILE);
        let inner =
            text.strip_prefix("<code>").and_then(|rest| rest.strip_suffix("</code>")).unwrap();
        assert!(!inner.contains(['<', '|', '`', '\n', '\u{1b}', '\0', '\\', '*', '@']), "{inner}");
    }

    #[test]
    fn a_block_outlasts_its_content() {
        let text = markdown_block("+ ```\n+ ````x\u{1b}\n", "diff");
        assert!(text.starts_with("`````diff\n") && text.ends_with("\n`````\n"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn a_table_cell_is_no_formula() {
        for (text, expected) in [
            ("void gemm<float>(int*)", "void gemm<float>(int*)"),
            ("=HYPERLINK(\"x\")", "'=HYPERLINK(\"x\")"),
            ("@SUM(1)", "'@SUM(1)"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("'=1", "''=1"),
            ("\t=1\r\n", "\\t=1\\r\\n"),
            ("k;=1", "k\\u{3b}=1"),
            ("k; \"-1;", "k\\u{3b} \"-1;"),
            ("[with T = int; int N = 4]", "[with T = int; int N = 4]"),
            ("", ""),
        ] {
            assert_eq!(table_cell(text), expected);
        }
        assert!(!table_cell(HOSTILE).chars().any(acts));
        assert_eq!(text_lines(["a", "b\u{1b}[m\n"]), "a\nb\\u{1b}[m\\n\n");
    }

    #[test]
    fn xml_text_holds_only_characters_of_xml() {
        let text = xml(HOSTILE);
        assert_eq!(
            text,
            "a|b`c<script>@octo\n:\\u{3a}error::xred]] >\u{fffd}\\u{202e}\u{fffd}&*_[l](http://x)\\"
        );
        assert_eq!(xml_line("a\n\nb\tc"), "a b c");
        assert_eq!(xml("\u{1b}"), "");
        assert_eq!(xml("x\u{1b}]8;;open"), "x");
    }
}
