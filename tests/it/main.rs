//! The only test binary.

mod proto;
