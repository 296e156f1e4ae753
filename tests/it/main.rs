//! The only test binary.

mod reader;
mod reader_corpus;
