//! Mistakes in a policy, with the place and the way out.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One mistake in a policy, or in a flag that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// What the caret says; empty where the message says it all.
    pub label: String,
    /// How to mend it.
    pub help: String,
    place: Option<(Document, Option<Range<usize>>)>,
}

/// The mistakes of a policy, in the order of their lines. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyErrors(Vec<PolicyError>);

/// A policy's text and the path under which it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) path: Arc<str>,
    pub(super) text: Arc<str>,
}

impl Document {
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The line of a byte, counted from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        1 + self.text.bytes().take(byte).filter(|&byte| byte == b'\n').count()
    }

    /// A mistake at `span`.
    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>) -> PolicyError {
        let end = span.end.min(self.text.len());
        PolicyError {
            place: Some((self.clone(), Some(span.start.min(end)..end))),
            ..PolicyError::without_place(message)
        }
    }

    /// A mistake of the whole text.
    pub(super) fn error_somewhere(&self, message: impl Into<String>) -> PolicyError {
        PolicyError { place: Some((self.clone(), None)), ..PolicyError::without_place(message) }
    }
}

impl PolicyError {
    /// A mistake that stands in no file.
    pub(super) fn without_place(message: impl Into<String>) -> Self {
        Self { message: message.into(), label: String::new(), help: String::new(), place: None }
    }

    pub(super) fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// The mistake with its line and a caret, with or without terminal colours.
    fn render(&self, renderer: &Renderer) -> String {
        let Some((document, span)) = &self.place else {
            // Without a text above it the help needs no line of its own.
            let parts = [self.message.as_str(), self.help.as_str()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let title = Level::ERROR.primary_title(parts.join(": "));
            return renderer.render(&[Group::with_title(title)]);
        };
        let mut group = Group::with_title(Level::ERROR.primary_title(self.message.as_str()));
        group = match span {
            Some(span) => {
                let caret = AnnotationKind::Primary.span(span.clone());
                let label = (!self.label.is_empty()).then_some(self.label.as_str());
                let snippet = Snippet::source(&*document.text).path(&*document.path);
                group.element(snippet.annotation(caret.label(label)))
            }
            None => group.element(annotate_snippets::Origin::path(&*document.path)),
        };
        if !self.help.is_empty() {
            group = group.element(Level::HELP.message(self.help.as_str()));
        }
        renderer.render(&[group])
    }

    fn order(&self) -> usize {
        self.place.as_ref().and_then(|(_, span)| span.as_ref()).map_or(0, |span| span.start)
    }
}

impl PolicyErrors {
    pub(super) fn new(mut errors: Vec<PolicyError>) -> Self {
        errors.sort_by_key(PolicyError::order);
        Self(errors)
    }

    /// Each mistake.
    pub fn iter(&self) -> impl Iterator<Item = &PolicyError> {
        self.0.iter()
    }

    pub(super) fn into_vec(self) -> Vec<PolicyError> {
        self.0
    }

    /// Every mistake with its line and a caret, in terminal colours.
    pub fn styled(&self) -> String {
        self.render(&Renderer::styled())
    }

    fn render(&self, renderer: &Renderer) -> String {
        let each: Vec<String> = self.0.iter().map(|error| error.render(renderer)).collect();
        each.join("\n\n")
    }
}

impl From<PolicyError> for PolicyErrors {
    fn from(error: PolicyError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for PolicyErrors {
    /// Without colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Renderer::plain()))
    }
}

impl std::error::Error for PolicyErrors {}
