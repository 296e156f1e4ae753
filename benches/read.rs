//! Reading against decompression alone.
fn main() {}
