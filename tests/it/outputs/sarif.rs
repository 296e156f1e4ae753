//! SARIF: what the schema of 2.1.0 asks of the parts that are written, and what its readers do with them.

use super::builder::{everything, healthy, report};
use super::ci::{hostile, many};
use idleproof::render;
use idleproof::report::{Report, Verdict};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Name, required properties, and properties with their types.
type Object = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

/// Objects of the schema, as `definitions` of sarif-schema-2.1.0.json have them (none takes other properties), with those
/// properties that are written here. A type is a name of this table, `string`, `integer`,
/// `boolean`, `uri`, one of several words, `[]` of one, or `{}` of strings.
const OBJECTS: &[Object] = &[
    ("log", &["version", "runs"], &[("$schema", "uri"), ("version", "2.1.0"), ("runs", "[]run")]),
    (
        "run",
        &["tool"],
        &[
            ("tool", "tool"),
            ("invocations", "[]invocation"),
            ("columnKind", "utf16CodeUnits|unicodeCodePoints"),
            ("results", "[]result"),
        ],
    ),
    ("tool", &["driver"], &[("driver", "toolComponent")]),
    (
        "toolComponent",
        &["name"],
        &[("name", "string"), ("semanticVersion", "string"), ("rules", "[]reportingDescriptor")],
    ),
    (
        "reportingDescriptor",
        &["id"],
        &[
            ("id", "string"),
            ("shortDescription", "multiformatMessageString"),
            ("help", "multiformatMessageString"),
        ],
    ),
    ("multiformatMessageString", &["text"], &[("text", "string")]),
    (
        "invocation",
        &["executionSuccessful"],
        &[("executionSuccessful", "boolean"), ("toolExecutionNotifications", "[]notification")],
    ),
    ("notification", &["message"], &[("level", "none|note|warning|error"), ("message", "message")]),
    (
        "result",
        &["message"],
        &[
            ("ruleId", "string"),
            ("ruleIndex", "integer"),
            ("level", "none|note|warning|error"),
            ("message", "message"),
            ("locations", "[]location"),
            ("partialFingerprints", "{}"),
            ("suppressions", "[]suppression"),
        ],
    ),
    ("message", &["text"], &[("text", "string")]),
    (
        "location",
        &[],
        &[("physicalLocation", "physicalLocation"), ("logicalLocations", "[]logicalLocation")],
    ),
    (
        "physicalLocation",
        &["artifactLocation"],
        &[("artifactLocation", "artifactLocation"), ("region", "region")],
    ),
    ("artifactLocation", &[], &[("uri", "uri")]),
    ("region", &["startLine"], &[("startLine", "integer")]),
    ("logicalLocation", &[], &[("fullyQualifiedName", "string")]),
    ("suppression", &["kind"], &[("kind", "inSource|external"), ("justification", "string")]),
];

/// Everything in which a value differs from its type.
fn faults(value: &Value, kind: &str, at: &str) -> Vec<String> {
    let wrong = || vec![format!("{at} is no {kind}: {value}")];
    if let Some(of) = kind.strip_prefix("[]") {
        let Some(list) = value.as_array() else { return wrong() };
        let each = list.iter().enumerate();
        return each.flat_map(|(row, one)| faults(one, of, &format!("{at}[{row}]"))).collect();
    }
    let is_right = match kind {
        "string" => value.is_string(),
        "integer" => value.as_u64().is_some(),
        "boolean" => value.is_boolean(),
        // RFC 3986 knows these characters, and a percent sign stands before two digits.
        "uri" => value.as_str().is_some_and(|uri| {
            let known =
                |one: char| one.is_ascii_alphanumeric() || "-._~/:?#[]@!$&'()*+,;=%".contains(one);
            let encoded = |part: &str| {
                part.len() >= 2 && part.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit)
            };
            uri.chars().all(known) && uri.split('%').skip(1).all(encoded)
        }),
        "{}" => value.as_object().is_some_and(|map| map.values().all(Value::is_string)),
        _ => match OBJECTS.iter().find(|(name, ..)| *name == kind) {
            Some((_, required, properties)) => {
                let Some(object) = value.as_object() else { return wrong() };
                return faults_of(object, required, properties, at);
            }
            None => value.as_str().is_some_and(|word| kind.split('|').any(|one| one == word)),
        },
    };
    if is_right { Vec::new() } else { wrong() }
}

fn faults_of(
    object: &Map<String, Value>,
    required: &[&str],
    properties: &[(&str, &str)],
    at: &str,
) -> Vec<String> {
    let missing = required.iter().filter(|key| !object.contains_key(**key));
    let mut all: Vec<String> = missing.map(|key| format!("{at} lacks {key}")).collect();
    for (key, value) in object {
        match properties.iter().find(|(name, _)| name == key) {
            Some((_, kind)) => all.extend(faults(value, kind, &format!("{at}.{key}"))),
            None => all.push(format!("{at} has an unknown property {key}")),
        }
    }
    all
}

fn sarif(report: &Report) -> Value {
    let text = render::find("sarif").and_then(|output| output.text(report)).expect("a text");
    serde_json::from_str(&text).expect("JSON")
}

/// The results, after the document was held against the schema.
fn results(report: &Report) -> Vec<Value> {
    let log = sarif(report);
    let found = faults(&log, "log", "log");
    assert!(found.is_empty(), "{}", found.join("\n"));
    log["runs"][0]["results"].as_array().expect("results").clone()
}

#[test]
fn the_schema_tells_what_is_wrong() {
    let mut log = sarif(&everything());
    log["runs"][0]["results"][0]["level"] = "deny".into();
    log["runs"][0]["results"][0]["path"] = "x".into();
    log["runs"][0]["tool"] = Value::Object(Map::new());
    log["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] =
        "a b".into();
    assert_eq!(faults(&log, "log", "log").len(), 4);
}

#[test]
fn every_result_has_its_rule_a_place_and_one_fingerprint() {
    for report in [everything(), report(Verdict::Fail, vec![hostile()]), many(20)] {
        let rules = sarif(&report)["runs"][0]["tool"]["driver"]["rules"].clone();
        let results = results(&report);
        assert!(!results.is_empty());
        let mut seen = BTreeSet::new();
        for result in &results {
            let row =
                usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
            assert_eq!(rules[row]["id"], result["ruleId"]);
            assert_eq!(result["locations"].as_array().expect("a list").len(), 1);
            let print = result["partialFingerprints"]["primaryLocationLineHash"].to_string();
            assert!(seen.insert(print), "{result} twice");
            let text = result["message"]["text"].as_str().expect("a text");
            assert!(!text.contains(['\u{1b}', '\0', '\u{202e}']) && !text.contains("]("), "{text}");
        }
        let ids: BTreeSet<String> =
            rules.as_array().expect("rules").iter().map(|rule| rule["id"].to_string()).collect();
        assert_eq!(ids.len(), rules.as_array().expect("rules").len());
    }
}

#[test]
fn an_exception_suppresses_and_hides_nothing() {
    let results = results(&everything());
    let suppressed: Vec<&Value> =
        results.iter().filter(|result| result.get("suppressions").is_some()).collect();
    assert_eq!(suppressed.len(), 1);
    assert!(suppressed[0]["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
}

#[test]
fn a_long_list_is_cut_behind_what_fails() {
    let report = many(4_000);
    let log = sarif(&report);
    let results = results(&report);
    assert_eq!(results.len(), 5_000);
    let errors = results.iter().filter(|result| result["level"] == "error").count();
    assert_eq!(errors, 4_000);
    let told = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert!(told["message"]["text"].as_str().is_some_and(|text| text.starts_with("3,000 results")));
    let clean = sarif(&self::report(Verdict::Pass, vec![healthy()]));
    assert_eq!(clean["runs"][0]["results"], Value::Array(Vec::new()));
    assert_eq!(clean["runs"][0]["invocations"][0]["executionSuccessful"], true);
}
