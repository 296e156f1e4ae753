//! The few forms of Markdown that this program writes, as elements of HTML: headings, lists, tables, paragraphs, code, emphasis.
//!
//! What comes from a capture was escaped for Markdown; here every escape becomes the character again, as inert text. No element is
//! taken over from the input: only those below are ever written.

use super::super::escape::html;
use super::super::format::DASH;
use std::fmt::Write as _;

/// Blocks: what stands on lines of its own.
pub(super) fn blocks(markdown: &str) -> String {
    let mut text = String::new();
    let lines: Vec<&str> = markdown.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let kind = Kind::of(lines[at]);
        let run =
            lines[at..].iter().take_while(|line| Kind::of(line).continues(kind)).count().max(1);
        let block = &lines[at..at + run];
        match kind {
            Kind::Empty => {}
            Kind::Fold => block.iter().for_each(|line| text.push_str(&fold(line))),
            Kind::Heading => block.iter().for_each(|line| text.push_str(&heading(line))),
            Kind::Item => text.push_str(&list(block)),
            Kind::Row => text.push_str(&table(block)),
            Kind::Text => {
                let _ = writeln!(text, "<p>{}</p>", inline(&block.join("\n")));
            }
        }
        at += run;
    }
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Empty,
    Fold,
    Heading,
    Item,
    Row,
    Text,
}

impl Kind {
    fn of(line: &str) -> Self {
        match line.trim_start() {
            "" => Self::Empty,
            text if text.starts_with(FOLD) || text == FOLD_END => Self::Fold,
            text if text.starts_with("- ") => Self::Item,
            text if text.starts_with('|') => Self::Row,
            text if text.starts_with('#') => Self::Heading,
            _ => Self::Text,
        }
    }

    /// True where a line goes on with a block of another.
    fn continues(self, block: Self) -> bool {
        self == block
    }
}

/// How a folded part begins and ends. Text of a capture cannot: its angle brackets are escaped.
const FOLD: &str = "<details><summary>";
const FOLD_END: &str = "</details>";

fn fold(line: &str) -> String {
    let title = line.trim().strip_prefix(FOLD).and_then(|rest| rest.strip_suffix("</summary>"));
    match title {
        Some(title) => format!("<details><summary>{}</summary>\n", inline(title)),
        None => format!("{FOLD_END}\n"),
    }
}

fn heading(line: &str) -> String {
    let level = line.chars().take_while(|one| *one == '#').count().clamp(1, 6);
    let words = inline(line.trim_start_matches('#').trim());
    format!("<h{level}>{words}</h{level}>\n")
}

/// A list of two levels.
fn list(lines: &[&str]) -> String {
    let mut text = String::from("<ul>\n");
    let (mut is_open, mut is_deep) = (false, false);
    for line in lines {
        let words = inline(line.trim_start().trim_start_matches("- "));
        let is_inner = line.starts_with(' ');
        if is_inner && is_open {
            text.push_str(if is_deep { "" } else { "<ul>" });
            let _ = write!(text, "<li>{words}</li>");
            is_deep = true;
            continue;
        }
        text.push_str(closing(is_open, is_deep));
        let _ = write!(text, "<li>{words}");
        (is_open, is_deep) = (true, false);
    }
    text.push_str(closing(is_open, is_deep));
    text.push_str("</ul>\n");
    text
}

const fn closing(is_open: bool, is_deep: bool) -> &'static str {
    match (is_open, is_deep) {
        (true, true) => "</ul></li>\n",
        (true, false) => "</li>\n",
        (false, _) => "",
    }
}

fn table(lines: &[&str]) -> String {
    let rule = lines.get(1).map(|line| cells(line)).unwrap_or_default();
    let is_number = |column: usize| rule.get(column).is_some_and(|cell| cell.ends_with(':'));
    let mut text = String::from("<div class=\"scroll\"><table>\n<thead><tr>");
    for (column, cell) in cells(lines.first().unwrap_or(&"")).iter().enumerate() {
        let class = if is_number(column) { " class=\"n\"" } else { "" };
        let _ = write!(text, "<th scope=\"col\"{class}>{}</th>", inline(cell));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    // Rows of sums and rests stay below the others, however these are sorted.
    let mut foot = String::new();
    for line in lines.iter().skip(2) {
        let cells = cells(line);
        let row = if is_sum(&cells) { &mut foot } else { &mut text };
        row.push_str("<tr>");
        for (column, cell) in cells.iter().enumerate() {
            let class = if is_number(column) { " class=\"n\"" } else { "" };
            let _ = write!(row, "<td{class}>{}</td>", cell_text(cell));
        }
        row.push_str("</tr>\n");
    }
    text.push_str("</tbody>\n");
    if !foot.is_empty() {
        let _ = writeln!(text, "<tfoot>\n{foot}</tfoot>");
    }
    text.push_str("</table></div>\n");
    text
}

/// True of a row whose first text is emphasised. Names are code or escaped, so none is.
fn is_sum(cells: &[String]) -> bool {
    cells.iter().find(|cell| !cell.is_empty()).is_some_and(|cell| cell.starts_with('*'))
}

/// The cells of a row: a bar that is escaped is text.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for character in inner.chars() {
        match (character, cells.last_mut()) {
            ('|', _) if !is_escaped => cells.push(String::new()),
            (_, Some(cell)) => cell.push(character),
            (_, None) => {}
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    // Behind the last bar there is nothing.
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// A cell: one that holds no figure says so to the eye.
fn cell_text(cell: &str) -> String {
    let text = inline(cell);
    let by =
        cell.strip_prefix(DASH).and_then(|rest| rest.trim().strip_prefix('(')?.strip_suffix(')'));
    if let Some(by) = by {
        // The ids stand above the table; in each cell they would hide what is there.
        format!("<span class=\"withheld\" title=\"withheld: {}\">{DASH}</span>", inline(by))
    } else if cell == "undefined" {
        format!("<span class=\"undefined\">{text}</span>")
    } else {
        text
    }
}

/// A guarded figure in a sentence: where it is withheld, the word for it and the check's id.
pub(super) fn stated(figure: &str) -> String {
    match figure.strip_prefix(DASH) {
        Some(by) if by.starts_with(" (") => {
            format!("<span class=\"withheld\">withheld</span>{}", inline(by))
        }
        _ => inline(figure),
    }
}

/// Text within a line.
pub(super) fn inline(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len() + 16);
    let (mut is_strong, mut is_em) = (false, false);
    let mut rest = markdown;
    while let Some(character) = rest.chars().next() {
        if let Some((code, behind)) = code(rest) {
            let _ = write!(text, "<code>{code}</code>");
            rest = behind;
        } else if let Some((reference, behind)) = reference(rest) {
            text.push_str(reference);
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("**") {
            text.push_str(if is_strong { "</strong>" } else { "<strong>" });
            is_strong = !is_strong;
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix('*') {
            text.push_str(if is_em { "</em>" } else { "<em>" });
            is_em = !is_em;
            rest = behind;
        } else {
            let mut behind = &rest[character.len_utf8()..];
            let mut literal = character;
            if character == '\\'
                && let Some(next) = behind.chars().next().filter(char::is_ascii_punctuation)
            {
                (literal, behind) = (next, &behind[1..]);
            }
            match literal {
                '\n' => text.push('\n'),
                other => text.push_str(&html(other.encode_utf8(&mut [0; 4]))),
            }
            rest = behind;
        }
    }
    text.push_str(if is_em { "</em>" } else { "" });
    text.push_str(if is_strong { "</strong>" } else { "" });
    text
}

/// A code span in either form, as HTML, and what is behind it.
fn code(text: &str) -> Option<(String, &str)> {
    if let Some(inner) = text.strip_prefix('`') {
        let (inner, behind) = inner.split_once('`')?;
        return Some((html(inner), behind));
    }
    let (inner, behind) = text.strip_prefix("<code>")?.split_once("</code>")?;
    let mut code = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(character) = rest.chars().next() {
        if let Some((reference, behind)) = reference(rest) {
            code.push_str(reference);
            rest = behind;
            continue;
        }
        code.push_str(&html(character.encode_utf8(&mut [0; 4])));
        rest = &rest[character.len_utf8()..];
    }
    Some((code, behind))
}

/// A character reference that an escape has written, and what is behind it. The one that keeps platforms from making links has no
/// purpose here.
fn reference(text: &str) -> Option<(&str, &str)> {
    let end = text.strip_prefix('&')?.find(';')? + 2;
    let (reference, behind) = text.split_at(end);
    let name = &reference[1..end - 1];
    let is_number = |digits: &str| {
        (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match name {
        "#8203" => Some(("", behind)),
        "lt" | "gt" | "amp" | "quot" => Some((reference, behind)),
        _ => name.strip_prefix('#').filter(|digits| is_number(digits)).map(|_| (reference, behind)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::escape::{markdown, markdown_code};
    use super::{blocks, inline};

    const HOSTILE: &str = "a|b`c</script><img src=x onerror=1>@octo\n- x\u{1b}]]>\0\u{202e}&amp;&#60;*_[l](http://x)\\\"'<code>";

    /// What a browser shows: the text without elements, with its references resolved.
    fn shown(html: &str) -> String {
        let mut text = String::new();
        let mut rest = html;
        while let Some(character) = rest.chars().next() {
            if character == '<' {
                rest = rest.split_once('>').map_or("", |(_, behind)| behind);
                continue;
            }
            if character == '&'
                && let Some((reference, behind)) = rest.split_once(';')
            {
                text.push(match &reference[1..] {
                    "lt" => '<',
                    "gt" => '>',
                    "amp" => '&',
                    number => number
                        .trim_start_matches('#')
                        .parse()
                        .ok()
                        .and_then(char::from_u32)
                        .unwrap(),
                });
                rest = behind;
                continue;
            }
            text.push(character);
            rest = &rest[character.len_utf8()..];
        }
        text
    }

    #[test]
    fn escaped_text_comes_back_as_it_was() {
        let visible = HOSTILE
            .replace('\n', "\\n")
            .replace('\u{1b}', "\\u{1b}")
            .replace('\0', "\\u{0}")
            .replace('\u{202e}', "\\u{202e}");
        for escaped in [markdown(HOSTILE), markdown_code(HOSTILE)] {
            let html = inline(&escaped);
            assert_eq!(shown(&html), visible, "{html}");
            let elements = html.replace("<code>", "").replace("</code>", "");
            assert!(!elements.contains(['<', '>']), "{html}");
        }
        for name in ["void gemm<float, 4>(*)", "a_b", "_x_", "rank & file", "**", "`", ""] {
            let visible = if name.is_empty() { " " } else { name };
            assert_eq!(shown(&inline(&markdown_code(name))), visible);
            assert_eq!(shown(&inline(&markdown(name))), name);
        }
    }

    #[test]
    fn blocks_are_elements() {
        let text = blocks(
            "### T *x*\n\n- a\n  - b\n  - c\n- `d`\n\n| h | n |\n| --- | ---: |\n| a\\|b | — (c-d) |\n\ntext **s**\n",
        );
        assert_eq!(
            text,
            "<h3>T <em>x</em></h3>\n<ul>\n<li>a<ul><li>b</li><li>c</li></ul></li>\n<li><code>d</code></li>\n</ul>\n<div \
             class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">h</th><th scope=\"col\" class=\"n\">n</th></tr></thead>\n<tbody>\n\
             <tr><td>a&#124;b</td><td class=\"n\"><span class=\"withheld\" title=\"withheld: c-d\">—</span></td></tr>\n</tbody>\n</table></div>\n\
             <p>text <strong>s</strong></p>\n"
                .replace("&#124;", "|")
        );
    }
}
