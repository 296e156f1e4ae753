//! Whose trace a file is: told by what its events say, whatever stands in front of them.

use super::export::{document, event, process, thread};
use super::{captures, read_bytes};
use crate::harness::outside_data;
use idleproof::read::ReadErrorKind;
use idleproof::trace::FileFormat;

const KINETO: &str = r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":100,"dur":50,"args":{"device":0,"stream":7}}"#;

fn jax() -> Vec<String> {
    vec![
        process(1, "/device:GPU:0"),
        thread(1, 7, "Stream #7"),
        event((1, 7), "100", "50", "k", ""),
    ]
}

/// So many bytes that what follows lies behind what is looked at first.
fn padding() -> String {
    format!(r#""padding":"{}","#, "x".repeat(70_000))
}

#[test]
fn the_events_decide() {
    let jax = jax().join(",");
    let mark = r#""metadata":{"highres-ticks":true}"#;
    let range =
        r#"{"ph":"X","cat":"user_annotation","name":"/host:CPU","pid":1,"tid":1,"ts":1,"dur":1}"#;
    let named = event((1, 7), "9", "9", "kernel", r#""cat":"kernel""#);
    let uncategorised = jax.replace(r#""ph":"X""#, r#""cat":"","ph":"X""#);
    for (text, expected, n_kernels) in [
        (format!(r#"{{{mark},"traceEvents":[{jax},{{}}]}}"#), FileFormat::JaxJson, 1),
        (format!("[{jax}]"), FileFormat::JaxJson, 1),
        (format!(r#"{{{}"traceEvents":[{jax}],{mark}}}"#, padding()), FileFormat::JaxJson, 1),
        (format!(r#"{{"traceEvents":[{KINETO}]}}"#), FileFormat::Kineto, 1),
        (format!(r#"{{{}"traceEvents":[{KINETO}]}}"#, padding()), FileFormat::Kineto, 1),
        // Words that only look like the other one's.
        (format!(r#"{{"traceEvents":[{range},{KINETO}]}}"#), FileFormat::Kineto, 1),
        (format!(r#"{{{mark},"traceEvents":[{KINETO}]}}"#), FileFormat::Kineto, 1),
        (format!(r#"{{"traceEvents":[{jax},{named}]}}"#), FileFormat::JaxJson, 2),
        (format!(r#"{{"traceEvents":[{uncategorised}]}}"#), FileFormat::JaxJson, 1),
        // Both at once: a category of the PyTorch profiler is never JAX's.
        (format!(r#"{{{mark},"traceEvents":[{jax},{KINETO}]}}"#), FileFormat::Kineto, 1),
        (format!(r#"{{"traceEvents":[{KINETO},{jax}],{mark}}}"#), FileFormat::Kineto, 1),
    ] {
        let capture = read_bytes(text.as_bytes()).unwrap();
        let text = &text[..text.len().min(300)];
        assert_eq!(capture.primary().source.format, expected, "{text}");
        assert_eq!(capture.primary().trace.device_events.len(), n_kernels, "{text}");
    }
}

#[test]
fn a_trace_of_neither_is_refused() {
    for rows in [
        vec![event((1, 7), "100", "50", "k", "")],
        vec![process(1, "chrome"), event((1, 7), "100", "50", "k", "")],
        vec![event((1, 7), "1", "5", "k", "").replace(r#""ph""#, r#""cat":"blink","ph""#)],
    ] {
        let error = read_bytes(document(&rows).as_bytes()).unwrap_err();
        assert_eq!(error.kind, ReadErrorKind::NotACapture);
        assert!(error.message.contains("neither the PyTorch profiler nor JAX"), "{error:?}");
    }
}

#[test]
fn every_given_file_is_known() {
    let Some(corpus) = outside_data("IDLEPROOF_CORPUS", "../shared/captures", "captures") else {
        return;
    };
    for (folder, expected) in [("kineto", FileFormat::Kineto), ("jax", FileFormat::JaxJson)] {
        let mut json = 0;
        for capture in captures(&[corpus.join(folder)]) {
            let capture = capture.unwrap();
            let records = capture.records.iter().chain(&capture.shards);
            for record in records.filter(|record| record.source.format != FileFormat::Xplane) {
                assert_eq!(record.source.format, expected, "{}", record.source.path);
                json += 1;
            }
        }
        assert!(json > 0, "no JSON under {folder}");
    }
}
