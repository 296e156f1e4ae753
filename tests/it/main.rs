//! The only test binary.

mod check_cases;
mod fixture;
mod harness;
mod layers;
mod tidy;
