//! The only test binary.

mod outputs;
