//! Renderers: they see the judged report and nothing else.
