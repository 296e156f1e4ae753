//! idleproof: a gate that keeps false claims about GPU captures out of CI.
//!
//! Five calls in a row: read → analyse → measure → judge → render. A number is printed only if the capture can support it.

pub mod units;

pub mod report;
pub mod trace;

pub mod read;

pub mod analysis;

pub mod checks;

pub mod policy;

pub mod judge;

pub mod golden;
pub mod render;
