//! Which kernels communicate, by their names.
//!
//! A producer's own field (`Collective name`) decides where there is one; a name is the second-best evidence, because
//! communication without NCCL is common and fused compute kernels carry collective words in generated names.

/// How a name is recognised.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The function's path starts with this.
    Starts(&'static str),
    /// The function's path contains this.
    Contains(&'static str),
}

/// Names of compute kernels that contain words of the table: the compiler strings together the operations that it fused.
/// Source: PyTorch Inductor's names, `triton_<kind>_fused_<operations>`.
const COMPUTE: &[&str] = &["triton_"];

/// Names of communication kernels.
const COLLECTIVES: &[(Rule, &str)] = &[
    (
        Rule::Starts("ncclDevKernel"),
        "NCCL 2.19 and later, RCCL: ncclDevKernel_AllReduce_Sum_f32_RING_LL",
    ),
    (Rule::Starts("ncclKernel"), "NCCL before 2.19: ncclKernel_AllReduce_RING_LL_Sum_float"),
    (Rule::Starts("ncclFunction"), "NCCL and RCCL device functions"),
    (Rule::Starts("ncclSymkDevKernel"), "NCCL 2.27 and later: symmetric kernels"),
    (Rule::Starts("ncclSymDevKernel"), "NCCL 2.27: symmetric kernels"),
    (Rule::Starts("nccl"), "further NCCL and RCCL kernels"),
    (Rule::Starts("rccl"), "RCCL"),
    (Rule::Starts("mscclKernel"), "MSCCL kernels of RCCL"),
    (Rule::Contains("mscclpp::"), "MSCCL++"),
    (Rule::Contains("nvshmem"), "NVSHMEM device collectives"),
    (Rule::Contains("rocshmem"), "rocSHMEM device collectives"),
    (
        Rule::Contains("::ep::"),
        "expert-parallel dispatch and combine, for example uccl::ep and mori::ep",
    ),
    (Rule::Contains("deep_ep::"), "DeepEP's dispatch and combine"),
    (Rule::Contains("mori::moe::"), "mori's dispatch and combine"),
    (
        Rule::Contains("cross_device_reduce_"),
        "vLLM, sglang and aiter custom all-reduce: cross_device_reduce_1stage, _2stage",
    ),
    (Rule::Contains("reduce_scatter_cross_device"), "aiter custom reduce-scatter"),
    (Rule::Contains("allgather_cross_device"), "aiter custom all-gather"),
    (Rule::Contains("quickreduce::"), "vLLM's quick all-reduce on ROCm"),
    (Rule::Contains("allreduce_prototype"), "vLLM's quick all-reduce on ROCm"),
    (
        Rule::Contains("multimem_all_"),
        "PyTorch symmetric memory: multimem_all_reduce_kernel, multimem_all_gather_kernel",
    ),
    (Rule::Contains("one_shot_all_reduce"), "PyTorch symmetric memory"),
    (Rule::Contains("two_shot_all_reduce"), "PyTorch symmetric memory"),
    (Rule::Contains("oneShotAllReduce"), "TensorRT-LLM custom all-reduce"),
    (Rule::Contains("twoShotAllReduce"), "TensorRT-LLM custom all-reduce"),
    (
        Rule::Contains("allreduce_fusion_kernel"),
        "flashinfer and TensorRT-LLM all-reduce fused with a norm",
    ),
];

/// True where the kernel of this name communicates.
pub(super) fn is_collective(name: &str) -> bool {
    let path = function_path(name);
    let compute = COMPUTE.iter().any(|prefix| path.starts_with(prefix));
    !compute
        && COLLECTIVES.iter().any(|(rule, _)| match *rule {
            Rule::Starts(start) => path.starts_with(start),
            Rule::Contains(part) => path.contains(part),
        })
}

/// A kernel's function without return type, template arguments and parameters: a type in those says nothing of the
/// function.
fn function_path(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let name = name.strip_prefix("(anonymous namespace)::").unwrap_or(name);
    let end = name.find(['<', '(']).unwrap_or(name.len());
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::is_collective;

    #[test]
    fn communication_is_told_from_compute() {
        for (name, expected) in [
            ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", true),
            ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", true),
            ("void vllm::cross_device_reduce_2stage<__hip_bfloat16, 8>(RankData*)", true),
            ("void aiter::cross_device_reduce_1stage<float, 4>(aiter::RankData*)", true),
            ("void deep_ep::internode_ll::dispatch<true, 7168>(void*)", true),
            ("void uccl::ep::combine<1>(int)", true),
            ("triton_poi_fused_add_all_reduce_2", false),
            ("triton_red_fused_nccl_all_gather_0", false),
            ("void at::native::vectorized_elementwise_kernel<4, nccl::Functor>(int)", false),
            ("Cijk_Alik_Bljk_BBS_BH", false),
            ("void step::gemm<x::ep::y>(int)", false),
        ] {
            assert_eq!(is_collective(name), expected, "{name}");
        }
    }
}
