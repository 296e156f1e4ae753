//! The only test binary.
