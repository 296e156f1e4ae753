//! What the outputs print, over reports that were built by hand: one that fails, one that passes, one refused.

#![expect(clippy::expect_used, reason = "a helper of a test fails as the test does")]

mod browser;
mod builder;
mod ci;
mod csv;
mod golden;
mod html;
mod jax;
mod junit;
mod junit_kit;
mod roofline;
mod run;
mod sarif;
mod text;
