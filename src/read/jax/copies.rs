//! What a copy's details say, as in `kind:Unknown size:655360 dest:2 async:1`.

/// A field of the details.
fn field<'a>(details: &'a str, key: &str) -> Option<&'a str> {
    let value = |pair: &'a str| pair.strip_prefix(key)?.strip_prefix(':');
    details.split_whitespace().find_map(value)
}

/// Bytes moved; ROCm writes 0 for copies whose size it does not know (measured).
pub(super) fn bytes(details: &str) -> Option<u64> {
    field(details, "size")?.parse().ok().filter(|&bytes| bytes != 0)
}

/// The direction, or the two kinds of memory that newer CUPTI tracers write.
pub(super) fn direction(details: &str) -> Option<String> {
    let known = |kind: &&str| !kind.eq_ignore_ascii_case("unknown") && !kind.is_empty();
    if let Some(kind) = field(details, "kind").filter(known) {
        return Some(kind.to_owned());
    }
    let from = field(details, "kind_src").filter(known)?;
    let to = field(details, "kind_dst").filter(known)?;
    Some(format!("{from} to {to}"))
}

#[cfg(test)]
mod tests {
    use super::{bytes, direction};

    #[test]
    fn copies_tell_what_they_know() {
        for (details, expected) in [
            ("kind:Unknown size:655360 dest:2 async:1", (Some(655_360), None)),
            ("kind:Unknown size:0 dest:512 async:1", (None, None)),
            ("kind:DeviceToDevice size:8", (Some(8), Some("DeviceToDevice"))),
            (
                "kind_src:pageable kind_dst:device size:1024 dest:0 async:1",
                (Some(1_024), Some("pageable to device")),
            ),
            ("", (None, None)),
            ("size:-1 kind:", (None, None)),
        ] {
            let found = (bytes(details), direction(details));
            assert_eq!((found.0, found.1.as_deref()), expected, "{details}");
        }
    }
}
