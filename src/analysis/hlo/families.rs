//! Families: which instructions may have emitted a kernel whose name says nothing about the instruction.

use crate::trace::{DeviceEventKind, Instruction};
use KernelFamily as K;

/// What a kernel's own name says of its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelFamily {
    /// The compiler generated it, so it bears an instruction's name, its own or that of an equal one.
    Generated,
    /// A matrix product of a library.
    Gemm,
    /// A convolution of a library, or a part of one.
    Convolution,
    /// A Fourier transform of a library.
    Fft,
    /// A copy.
    Copy,
    /// A fill.
    Fill,
    /// A collective.
    Collective,
    /// Any other kernel of a library.
    Library,
}

/// How an instruction gives work to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Emitter {
    /// By a kernel of its own name.
    Generated,
    /// By a copy, or by a kernel of its own name; elided where source and target are one buffer.
    Copy,
    /// By a matrix product of a library.
    Gemm,
    /// By a convolution library, which may use matrix products.
    Convolution,
    /// By a library of Fourier transforms.
    Fft,
    /// By another kernel of a deep-learning library: attention, normalisation.
    Dnn,
    /// By whatever a registered function launches.
    Foreign,
    /// By a communication kernel on a stream of its own, by a copy, or not at all in a group of one.
    Collective,
    /// A loop of unknown length, a loop too long to expand, or a branch: any number of kernels.
    Unknown,
}

/// How many kernels an instruction launches each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Emits {
    /// By what.
    pub emitter: Emitter,
    /// At least so many; 0 or 1.
    pub min: u32,
    /// True where it may be several.
    pub many: bool,
}

impl Emits {
    const fn one(emitter: Emitter) -> Self {
        Self { emitter, min: 1, many: false }
    }

    const fn some(emitter: Emitter) -> Self {
        Self { emitter, min: 1, many: true }
    }

    const fn maybe(emitter: Emitter) -> Self {
        Self { emitter, min: 0, many: false }
    }

    /// Nothing is known.
    pub(super) const ANY: Self = Self { emitter: Emitter::Unknown, min: 0, many: true };
}

/// Where in a name a pattern has to stand.
enum At {
    Start,
    Anywhere,
}

/// Name patterns in the order in which they are tried. Sources: openxla/xla emits the generated names
/// (fusion kinds of `HloFusionAnalysis`, `FusionWrapper`); ROCm/clr `blitcl.cpp` names the blit kernels; ROCm/Tensile names its
/// products by index letters (`Cijk_…`); ROCm/MIOpen and cuDNN name convolutions; NVIDIA/nccl and ROCm/rccl name device kernels.
const KERNELS: &[(At, &str, KernelFamily)] = &[
    (At::Start, "__amd_rocclr_copy", K::Copy),
    (At::Start, "__amd_rocclr_fill", K::Fill),
    (At::Start, "Memcpy", K::Copy),
    (At::Start, "CopyDeviceTo", K::Copy),
    (At::Start, "CopyHostTo", K::Copy),
    (At::Start, "Memset", K::Fill),
    (At::Start, "nccl", K::Collective),
    (At::Start, "rccl", K::Collective),
    (At::Start, "gemm_fusion_", K::Generated),
    (At::Start, "wrapped_", K::Generated),
    (At::Start, "loop_", K::Generated),
    (At::Start, "input_", K::Generated),
    (At::Start, "block_fusion", K::Generated),
    (At::Start, "triton_", K::Generated),
    (At::Start, "fusion", K::Generated),
    (At::Anywhere, "Im2d2Col", K::Convolution),
    (At::Anywhere, "Im3d2Col", K::Convolution),
    (At::Anywhere, "Col2Im", K::Convolution),
    (At::Anywhere, "miopen", K::Convolution),
    (At::Anywhere, "MIOpen", K::Convolution),
    (At::Anywhere, "cudnn", K::Convolution),
    (At::Anywhere, "implicit_gemm", K::Convolution),
    (At::Anywhere, "igemm_", K::Convolution),
    (At::Anywhere, "naive_conv", K::Convolution),
    (At::Anywhere, "convolution", K::Convolution),
    (At::Anywhere, "rocfft", K::Fft),
    (At::Anywhere, "fft_", K::Fft),
    (At::Anywhere, "Cijk_", K::Gemm),
    (At::Start, "nvjet", K::Gemm),
    (At::Start, "ampere_", K::Gemm),
    (At::Start, "volta_", K::Gemm),
    (At::Start, "turing_", K::Gemm),
    (At::Start, "sm80_", K::Gemm),
    (At::Start, "sm90_", K::Gemm),
    (At::Start, "sm100_", K::Gemm),
    (At::Anywhere, "cutlass", K::Gemm),
    (At::Anywhere, "splitKreduce", K::Gemm),
    (At::Anywhere, "gemm", K::Gemm),
    (At::Anywhere, "gemv", K::Gemm),
];

/// The family of a piece of device work. The record's own kind wins over the name.
pub(super) fn kernel_family(name: &str, kind: DeviceEventKind) -> KernelFamily {
    match kind {
        DeviceEventKind::Memcpy | DeviceEventKind::CopyKernel => return K::Copy,
        DeviceEventKind::Memset | DeviceEventKind::FillKernel => return K::Fill,
        DeviceEventKind::Collective => return K::Collective,
        DeviceEventKind::Kernel => {}
    }
    let name = name.strip_prefix("void ").unwrap_or(name);
    let found = KERNELS.iter().find(|(at, pattern, _)| match at {
        At::Start => name.starts_with(pattern),
        At::Anywhere => name.contains(pattern),
    });
    match found {
        Some(&(_, _, family)) => family,
        None if is_plain_identifier(name) => K::Generated,
        None => K::Library,
    }
}

/// Generated functions are plain lower-case identifiers; mangled and C++ names are not.
fn is_plain_identifier(name: &str) -> bool {
    let name = name.strip_suffix(".kd").unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// True where an emitter may have launched a kernel of this family. A generated kernel is matched by name instead.
pub(super) fn may_launch(emitter: Emitter, family: KernelFamily) -> bool {
    match emitter {
        Emitter::Generated | Emitter::Unknown => false,
        Emitter::Copy => family == K::Copy,
        Emitter::Gemm => family == K::Gemm,
        // MIOpen unrolls the input and multiplies: `Im3d2Col`, then a matrix product (measured on MI300X).
        Emitter::Convolution => matches!(family, K::Convolution | K::Gemm | K::Library),
        Emitter::Fft => matches!(family, K::Fft | K::Library),
        Emitter::Dnn => matches!(family, K::Convolution | K::Gemm | K::Library),
        // Copies are left out: transfers of the user share the stream, and no name tells them apart.
        Emitter::Foreign => !matches!(family, K::Copy | K::Collective),
        Emitter::Collective => family == K::Collective,
    }
}

/// Instructions that launch nothing.
const SILENT: &[&str] = &[
    "parameter",
    "constant",
    "get-tuple-element",
    "tuple",
    "bitcast",
    "after-all",
    "opt-barrier",
    "partition-id",
    "replica-id",
    "add-dependency",
    "get-dimension-size",
    "domain",
];

/// Collectives; their asynchronous forms append `-start`.
const COLLECTIVES: &[&str] = &[
    "all-gather",
    "all-reduce",
    "reduce-scatter",
    "all-to-all",
    "ragged-all-to-all",
    "collective-permute",
    "collective-broadcast",
    "send",
    "recv",
];

/// Targets of custom calls by their start. Sources: openxla/xla `cublas_cudnn.h`; markers of the partitioner and of host
/// offloading, and callbacks into Python, which launch nothing or only copies.
const CUSTOM_CALLS: &[(&str, Emits)] = &[
    ("__cublas$", Emits::some(Emitter::Gemm)),
    ("__cudnn$conv", Emits::some(Emitter::Convolution)),
    ("__cudnn$", Emits::some(Emitter::Dnn)),
    ("Sharding", Emits::ANY_FOREIGN),
    ("SPMD", Emits::ANY_FOREIGN),
    ("MoveTo", Emits::ANY_FOREIGN),
    ("annotate_device_placement", Emits::ANY_FOREIGN),
    ("AllocateBuffer", Emits::ANY_FOREIGN),
    ("xla_python_", Emits::ANY_FOREIGN),
    ("xla_ffi_python_", Emits::ANY_FOREIGN),
    ("xla_ffi_partitioned_python_", Emits::ANY_FOREIGN),
];

impl Emits {
    const ANY_FOREIGN: Self = Self { emitter: Emitter::Foreign, min: 0, many: true };
}

/// True for the opcode of a collective, asynchronous or not.
pub(super) fn is_collective(opcode: &str) -> bool {
    COLLECTIVES.contains(&opcode.strip_suffix("-start").unwrap_or(opcode))
}

/// What an instruction launches; `None` for one that launches nothing. Calls, loops and branches are not asked here.
pub(super) fn emits(instruction: &Instruction, moves_only: impl FnOnce() -> bool) -> Option<Emits> {
    let opcode = instruction.opcode.as_str();
    if SILENT.contains(&opcode) || opcode.ends_with("-done") || opcode.ends_with("-update") {
        return None;
    }
    if is_collective(opcode) {
        return Some(Emits::maybe(Emitter::Collective));
    }
    Some(match opcode {
        "fusion" => fusion(instruction, moves_only),
        "custom-call" => custom_call(&instruction.custom_call_target),
        "copy" | "copy-start" | "dynamic-slice" | "dynamic-update-slice" => {
            Emits::maybe(Emitter::Copy)
        }
        "infeed" | "outfeed" => Emits { many: true, ..Emits::maybe(Emitter::Copy) },
        "fft" => Emits::some(Emitter::Fft),
        "sort" => Emits::some(Emitter::Generated),
        // Scheduled GPU programs wrap every other operation in a fusion; where one is left, it may launch nothing.
        _ => Emits::maybe(Emitter::Generated),
    })
}

fn fusion(instruction: &Instruction, moves_only: impl FnOnce() -> bool) -> Emits {
    let config = instruction.backend_config.as_str();
    let kind_is = |kind: &str| config.contains(kind);
    if instruction.fusion_kind == "kCustom" {
        if kind_is("__cudnn") {
            return Emits::some(Emitter::Dnn);
        }
        if kind_is("__custom_fusion") || kind_is("address_computation") {
            // A library call on a slice of a buffer: the called kernels bear the library's names.
            return Emits::some(Emitter::Foreign);
        }
    }
    // A fusion that only moves data may be emitted as a copy.
    if moves_only() { Emits::maybe(Emitter::Copy) } else { Emits::one(Emitter::Generated) }
}

fn custom_call(target: &str) -> Emits {
    let found = CUSTOM_CALLS.iter().find(|(start, _)| target.starts_with(start));
    found.map_or(Emits::some(Emitter::Foreign), |&(_, emits)| emits)
}

#[cfg(test)]
mod tests {
    use super::{Emitter, KernelFamily as K, emits, kernel_family, may_launch};
    use crate::trace::{DeviceEventKind, Instruction};

    #[test]
    fn kernels_by_name() {
        for (name, family) in [
            ("Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_SN", K::Gemm),
            ("gemm_fusion_dot_1.kd", K::Generated),
            ("nvjet_hsh_128x256_64x4", K::Gemm),
            ("Im3d2Col.kd", K::Convolution),
            ("sm80_xmma_fprop_implicit_gemm_bf16", K::Convolution),
            ("void ck_tile::kentry<ck_tile::gfx950_t, 2>", K::Library),
            ("transformer_engine::fused_attn_rocm::populate_rng_state", K::Library),
            ("__amd_rocclr_copyBuffer.kd", K::Copy),
            ("__amd_rocclr_fillBufferAligned.kd", K::Fill),
            ("ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", K::Collective),
            ("wrapped_convert.kd", K::Generated),
            ("copy_10.kd", K::Generated),
            ("dynamic_update_slice_0.kd", K::Generated),
        ] {
            assert_eq!(kernel_family(name, DeviceEventKind::Kernel), family, "{name}");
        }
        assert_eq!(kernel_family("anything", DeviceEventKind::Memcpy), K::Copy);
    }

    fn check(opcode: &str, target: &str, expected: Option<(Emitter, u32, bool)>) {
        let instruction = Instruction {
            opcode: opcode.to_owned(),
            custom_call_target: target.to_owned(),
            ..Instruction::default()
        };
        let found = emits(&instruction, || false);
        assert_eq!(found.map(|e| (e.emitter, e.min, e.many)), expected, "{opcode} {target}");
    }

    #[test]
    fn instructions_by_opcode_and_target() {
        check("parameter", "", None);
        check("all-gather-done", "", None);
        check("fusion", "", Some((Emitter::Generated, 1, false)));
        check("copy", "", Some((Emitter::Copy, 0, false)));
        check("all-gather-start", "", Some((Emitter::Collective, 0, false)));
        check("custom-call", "__cublas$lt$matmul", Some((Emitter::Gemm, 1, true)));
        check("custom-call", "__cudnn$convForward", Some((Emitter::Convolution, 1, true)));
        check("custom-call", "te_fused_attn_forward_ffi", Some((Emitter::Foreign, 1, true)));
        check("custom-call", "Sharding", Some((Emitter::Foreign, 0, true)));
    }

    #[test]
    fn a_convolution_may_multiply_and_a_product_may_not_fill() {
        assert!(may_launch(Emitter::Convolution, K::Gemm));
        assert!(!may_launch(Emitter::Gemm, K::Fill));
        assert!(!may_launch(Emitter::Generated, K::Gemm));
    }
}
