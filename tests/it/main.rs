//! The only test binary.

mod action;
mod captures;
mod check_cases;
mod cli;
mod cli_baseline;
mod cli_goldens;
mod cli_hardening;
mod cli_help;
mod cli_init;
mod decompression;
mod diff;
mod docs;
mod fixture;
mod fuzz;
mod given_cases;
mod goldens;
mod harness;
mod host_cause;
mod hostile;
mod jax_json;
mod judge;
mod lab;
mod layers;
mod limits;
mod mask;
mod oracle;
mod outputs;
#[cfg(feature = "parquet")]
mod parquet;
mod partition;
mod path;
mod policy;
mod proto;
mod reader;
mod reader_corpus;
mod roofline;
mod runs;
mod statements;
mod sums;
mod supply;
mod tables;
mod tidy;
mod xplane;
mod xspace;

/// Compares text with its snapshot in `tests/it/snapshots`.
fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
