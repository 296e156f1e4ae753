//! What the fuzz targets of idleproof do. The program's own tests take the same files in by their path.

pub mod mutate;
pub mod targets;

#[path = "../../tests/it/xplane_pb.rs"]
mod xplane_pb;
