//! The one place where a policy meets a measurement.
