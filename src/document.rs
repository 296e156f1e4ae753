//! Texts that users write by hand, and the mistakes in them, with the place and the way out.

mod nearest;

pub use nearest::nearest;

use crate::text::{acts, begins_command, push_visible, terminal};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One mistake in a document, or in a flag that changes what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// What the caret says; empty where the message says it all.
    pub label: String,
    /// How to mend it.
    pub help: String,
    place: Option<(Document, Option<Range<usize>>)>,
}

/// The mistakes of a document, in the order of their lines. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(Vec<Mistake>);

/// A text and the path under which it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) path: Arc<str>,
    pub(crate) text: Arc<str>,
}

/// Mistakes that are told: who mends these sees the others next.
pub(crate) const MISTAKES_TOLD: usize = 50;

/// What is written by hand is short; a larger file is another one.
pub const MAX_DOCUMENT_BYTES: usize = 1 << 20;

impl Document {
    /// The text of a file that somebody wrote by hand; `what` names it in messages, such as `policy file`.
    pub(crate) fn decode(path: &str, bytes: &[u8], what: &str) -> Result<Self, Mistakes> {
        if bytes.len() > MAX_DOCUMENT_BYTES {
            let whole = Self::new(path, "");
            let mistake = whole.error_somewhere(format!("this {what} is larger than 1 MiB"));
            return Err(mistake
                .help(format!("a {what} is a short text written by hand: is this the right file?"))
                .into());
        }
        Self::decode_any(path, bytes, what)
    }

    /// The text of a file of any size.
    pub(crate) fn decode_any(path: &str, bytes: &[u8], what: &str) -> Result<Self, Mistakes> {
        let whole = Self::new(path, "");
        match std::str::from_utf8(bytes) {
            // A byte order mark is what some editors leave; it is not part of the text.
            Ok(text) => Ok(Self::new(path, text.strip_prefix('\u{feff}').unwrap_or(text))),
            Err(error) => {
                let at = error.valid_up_to();
                let mistake =
                    whole.error_somewhere(format!("this {what} is not UTF-8: byte {at} is wrong"));
                Err(mistake.help("save it as UTF-8").into())
            }
        }
    }

    /// The text as TOML. `words` are what the parser calls the parts of this kind of file, with what a reader sees.
    pub(crate) fn toml<T: DeserializeOwned>(&self, words: &[(&str, &str)]) -> Result<T, Mistakes> {
        toml::from_str(&self.text).map_err(|error| self.reworded(&error, words).into())
    }

    /// A mistake of syntax or shape in the words of this program: keys are what the reader sees, not fields.
    fn reworded(&self, error: &toml::de::Error, words: &[(&str, &str)]) -> Mistake {
        let common = [
            ("unknown field", "unknown key"),
            ("expected f64", "expected a number"),
            ("expected a sequence", "expected a list"),
            ("expected a map", "expected a table such as { key = \"value\" }"),
        ];
        let all = common.iter().chain(words);
        let message = all.fold(error.message().to_owned(), |message, (theirs, ours)| {
            message.replace(theirs, ours)
        });
        let help = key_meant(error.message()).map(|key| format!("did you mean `{key}`?"));
        let mistake = match error.span() {
            Some(span) => self.error(span, message),
            None => self.error_somewhere(message),
        };
        mistake.help(help.unwrap_or_default())
    }

    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The line of a byte, counted from 1.
    pub(crate) fn line(&self, byte: usize) -> usize {
        let before = self.text.as_bytes().get(..byte).unwrap_or(self.text.as_bytes());
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    /// A mistake at `span`.
    pub(crate) fn error(&self, span: Range<usize>, message: impl Into<String>) -> Mistake {
        let end = span.end.min(self.text.len());
        Mistake {
            place: Some((self.clone(), Some(span.start.min(end)..end))),
            ..Mistake::without_place(message)
        }
    }

    /// The text with what hides in it, or is a command to a log of CI, spelled out, and where a span lies then. Line ends and tabs
    /// stay.
    fn visible(&self, span: Range<usize>) -> (Cow<'_, str>, Range<usize>) {
        let hides = |character: char| acts(character) && !matches!(character, '\n' | '\r' | '\t');
        if !self.text.contains(hides) && !self.text.contains("##") {
            return (Cow::Borrowed(&self.text), span);
        }
        let mut text = String::with_capacity(self.text.len() + 8);
        let (mut start, mut end) = (None, None);
        for (at, character) in self.text.char_indices() {
            if at >= span.start {
                start.get_or_insert(text.len());
            }
            if at >= span.end {
                end.get_or_insert(text.len());
            }
            match character {
                '#' if begins_command(&self.text, at) => text.push_str("\\u{23}"),
                _ if hides(character) => push_visible(&mut text, character),
                _ => text.push(character),
            }
        }
        let (start, end) = (start.unwrap_or(text.len()), end.unwrap_or(text.len()));
        (Cow::Owned(text), start..end)
    }

    /// A mistake of the whole text.
    pub(crate) fn error_somewhere(&self, message: impl Into<String>) -> Mistake {
        Mistake { place: Some((self.clone(), None)), ..Mistake::without_place(message) }
    }
}

/// The key that an unknown one should have been: the message quotes the unknown one first, then those that are known.
fn key_meant(message: &str) -> Option<&str> {
    let quoted = message.strip_prefix("unknown field ")?;
    let mut keys = quoted.split('`').skip(1).step_by(2);
    let wrong = keys.next()?;
    nearest(wrong, keys)
}

impl Mistake {
    /// A mistake that stands in no file.
    pub(crate) fn without_place(message: impl Into<String>) -> Self {
        Self { message: message.into(), label: String::new(), help: String::new(), place: None }
    }

    pub(crate) fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// The mistake with its line and a caret, with or without terminal colours. Paths, keys and the text itself are others' words:
    /// nothing in them acts.
    fn render(&self, renderer: &Renderer) -> String {
        let (message, label) = (terminal(&self.message), terminal(&self.label));
        let help = terminal(&self.help);
        let Some((document, span)) = &self.place else {
            // Without a text above it the help needs no line of its own.
            let parts = [&*message, &*help];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let title = Level::ERROR.primary_title(parts.join(": "));
            return renderer.render(&[Group::with_title(title)]);
        };
        let path = terminal(&document.path);
        let shown = span.as_ref().map(|span| document.visible(span.clone()));
        let mut group = Group::with_title(Level::ERROR.primary_title(&*message));
        group = match &shown {
            Some((text, span)) => {
                let caret = AnnotationKind::Primary.span(span.clone());
                let label = (!label.is_empty()).then_some(&*label);
                let snippet = Snippet::source(&**text).path(&*path);
                group.element(snippet.annotation(caret.label(label)))
            }
            None => group.element(annotate_snippets::Origin::path(&*path)),
        };
        if !help.is_empty() {
            group = group.element(Level::HELP.message(&*help));
        }
        renderer.render(&[group])
    }

    fn order(&self) -> usize {
        self.place.as_ref().and_then(|(_, span)| span.as_ref()).map_or(0, |span| span.start)
    }
}

impl Mistakes {
    pub(crate) fn new(mut errors: Vec<Mistake>) -> Self {
        errors.sort_by_key(Mistake::order);
        Self(errors)
    }

    /// Each mistake.
    pub fn iter(&self) -> impl Iterator<Item = &Mistake> {
        self.0.iter()
    }

    pub(crate) fn into_vec(self) -> Vec<Mistake> {
        self.0
    }

    /// Every mistake with its line and a caret, in terminal colours.
    pub fn styled(&self) -> String {
        self.render(&Renderer::styled())
    }

    fn render(&self, renderer: &Renderer) -> String {
        let told = self.0.iter().take(MISTAKES_TOLD);
        let mut each: Vec<String> = told.map(|error| error.render(renderer)).collect();
        if self.0.len() > MISTAKES_TOLD {
            each.push(format!("and {} more mistakes", self.0.len() - MISTAKES_TOLD));
        }
        each.join("\n\n")
    }
}

impl From<Mistake> for Mistakes {
    fn from(error: Mistake) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for Mistakes {
    /// Without colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Renderer::plain()))
    }
}

impl std::error::Error for Mistakes {}
