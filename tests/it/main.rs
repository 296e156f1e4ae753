//! The only test binary.

mod fixture;
