//! The only test binary.

mod proto;
mod xplane;
