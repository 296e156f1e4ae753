//! What planes and lines are, by their names. Position and id say nothing (measured).

/// How lines begin on which newer ROCm and CUDA tracers put runtime calls.
const CALL_LINE: &str = "Host Threads/";

/// How lines of work begin on a GPU's plane; the number of the stream follows.
const STREAM: &str = "Stream #";

/// What a plane is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::read) enum Role {
    /// A GPU, by its ordinal.
    Gpu(i64),
    /// Host activity.
    Host,
    /// Compiled programs.
    Programs,
    /// The profiler's session.
    Session,
    /// A device that is not supported.
    UnsupportedDevice,
    /// Nothing that is used.
    Other,
}

/// Tells a plane's role. Names: XLA's `xplane_schema.cc`.
pub(in crate::read) fn role(name: &str) -> Role {
    if let Some(ordinal) = name.strip_prefix("/device:GPU:") {
        return ordinal.parse().map_or(Role::UnsupportedDevice, Role::Gpu);
    }
    match name {
        "/host:metadata" => Role::Programs,
        "Task Environment" => Role::Session,
        name if name.starts_with("/device:") => Role::UnsupportedDevice,
        name if name.starts_with("/host:") => Role::Host,
        _ => Role::Other,
    }
}

/// True for a line of work of a GPU plane. All others repeat this work in other words; `xplane_schema.cc` names some.
pub(in crate::read) fn is_stream(line: &[u8]) -> bool {
    line.starts_with(STREAM.as_bytes())
}

/// The number of a stream, by the name of its line: `Stream #16(Kernel)`.
pub(in crate::read) fn stream_number(line: &str) -> Option<i64> {
    let rest = line.strip_prefix(STREAM)?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// True for a line that holds runtime calls.
pub(in crate::read) fn is_call_line(line: &[u8]) -> bool {
    line.starts_with(CALL_LINE.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Role, role, stream_number};

    #[test]
    fn planes_are_known_by_name() {
        for (name, expected) in [
            ("/device:GPU:12", Role::Gpu(12)),
            ("/device:GPU:x", Role::UnsupportedDevice),
            ("/device:TPU:0", Role::UnsupportedDevice),
            ("/device:CUSTOM:Megascale Trace", Role::UnsupportedDevice),
            ("/host:CPU", Role::Host),
            ("/host:metadata", Role::Programs),
            ("Task Environment", Role::Session),
            ("#Chip#", Role::Other),
        ] {
            assert_eq!(role(name), expected, "{name}");
        }
    }

    #[test]
    fn streams_have_their_number_in_their_name() {
        for (name, expected) in [
            ("Stream #16(Kernel)", Some(16)),
            ("Stream #2", Some(2)),
            ("Stream #(Kernel)", None),
            ("Stream #99999999999999999999", None),
            ("XLA Ops - from #16", None),
        ] {
            assert_eq!(stream_number(name), expected, "{name}");
        }
    }
}
