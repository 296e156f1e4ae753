//! The only test binary.

mod captures;
mod check_cases;
mod docs;
mod fixture;
mod given_cases;
mod harness;
mod layers;
mod oracle;
mod tidy;
