//! What the outputs print, over reports that were built by hand: one that fails, one that passes, one refused.

mod builder;
mod golden;

mod junit;
mod text;
