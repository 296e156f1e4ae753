//! Which kernels are the runtime's own, by their names.
//!
//! ROCm copies and fills with kernels where it uses no copy engine, and newer tracers record them as kernels (`__amd_rocclr_copyBuffer.kd`)
//! with a launch configuration. Names that begin with two underscores are reserved for implementations: the copy kernel of a program or of a
//! compiler has another one, and is compute.

use crate::trace::DeviceEventKind;

/// How the names of blit kernels begin. Source: ROCm/clr, `rocclr/device/blitcl.cpp`.
const BLIT: &[(&str, DeviceEventKind)] = &[
    ("__amd_rocclr_copy", DeviceEventKind::CopyKernel),
    ("__amd_rocclr_fill", DeviceEventKind::FillKernel),
];

/// What a kernel of this name does for the runtime; `None` where it is not the runtime's.
pub(super) fn blit(name: &str) -> Option<DeviceEventKind> {
    BLIT.iter().find(|(start, _)| name.starts_with(start)).map(|&(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::{DeviceEventKind as Kind, blit};

    #[test]
    fn only_the_runtime_has_the_name() {
        for (name, expected) in [
            ("__amd_rocclr_copyBuffer.kd", Some(Kind::CopyKernel)),
            ("__amd_rocclr_copyBufferRectAligned", Some(Kind::CopyKernel)),
            ("__amd_rocclr_copyImageToBuffer", Some(Kind::CopyKernel)),
            ("__amd_rocclr_fillBufferAligned.kd", Some(Kind::FillKernel)),
            ("__amd_rocclr_streamOpsWrite", None),
            ("MemcpyD2D", None),
            ("loop_copy_fusion", None),
            ("copyBuffer", None),
        ] {
            assert_eq!(blit(name), expected, "{name}");
        }
    }
}
