//! What products and convolutions compute: their dimensions, in the instruction or in the compiler's configuration of a library.

use super::super::hlo_pb as pb;
use crate::trace::{Convolution, DotDimensions, Precision, SpatialDimension, WindowDimension};
use serde_json::Value;

/// Dimensions of one array that are looked at.
const RANK_MAX: usize = 64;

/// What the configuration of a library's product says.
#[derive(Default)]
pub(super) struct Configured {
    pub(super) dot: Option<DotDimensions>,
    pub(super) precision: Precision,
}

/// Reads `gemm_backend_config` of `xla.gpu.GpuBackendConfig`; older files have its content at the top. Numbers of 64 bits are
/// texts in protobuf's JSON. Text that is no such JSON says nothing.
pub(super) fn configured(target: &str, backend_config: &str) -> Configured {
    if !target.starts_with("__cublas$") {
        return Configured::default();
    }
    let Ok(config) = serde_json::from_str::<Value>(backend_config) else {
        return Configured::default();
    };
    let gemm = config.get("gemm_backend_config").unwrap_or(&config);
    let contracting = gemm.pointer("/dot_dimension_numbers/lhs_contracting_dimensions");
    let precisions = gemm.pointer("/precision_config/operand_precision").and_then(Value::as_array);
    Configured {
        dot: contracting
            .and_then(integers)
            .map(|lhs_contracting| DotDimensions { lhs_contracting }),
        precision: precisions
            .into_iter()
            .flatten()
            .take(RANK_MAX)
            .map(|name| match name.as_str() {
                Some("HIGHEST") => Precision::Highest,
                Some("HIGH") => Precision::High,
                _ => Precision::Default,
            })
            .max()
            .unwrap_or_default(),
    }
}

fn integers(list: &Value) -> Option<Vec<i64>> {
    let integer = |one: &Value| one.as_i64().or_else(|| one.as_str()?.parse().ok());
    list.as_array()?.iter().take(RANK_MAX).map(integer).collect()
}

pub(super) fn dot(stored: pb::DotDimensionNumbers) -> DotDimensions {
    DotDimensions { lhs_contracting: stored.lhs_contracting_dimensions }
}

/// The dimensions of a convolution. Producers leave fields out whose value is protobuf's default; a stride or a dilation of 0
/// has no meaning and stands for 1.
pub(super) fn convolution(
    numbers: &pb::ConvolutionDimensionNumbers,
    window: Option<&pb::Window>,
) -> Convolution {
    let windows = window.map_or(&[][..], |window| window.dimensions.as_slice());
    let at_least_one = |n: i64| if n == 0 { 1 } else { n };
    let moves = |at: usize| {
        windows.get(at).map_or_else(WindowDimension::default, |one| WindowDimension {
            stride: at_least_one(one.stride),
            padding_low: one.padding_low,
            window_dilation: at_least_one(one.window_dilation),
            base_dilation: at_least_one(one.base_dilation),
        })
    };
    let spatial = numbers.kernel_spatial_dimensions.iter().zip(&numbers.input_spatial_dimensions);
    let spatial = spatial.zip(&numbers.output_spatial_dimensions).take(RANK_MAX).enumerate();
    Convolution {
        kernel_input_feature: numbers.kernel_input_feature,
        spatial: spatial
            .map(|(at, ((&kernel, &input), &output))| SpatialDimension {
                input,
                kernel,
                output,
                window: moves(at),
            })
            .collect(),
    }
}

/// The strictest of what is asked for the operands (`PrecisionConfig.Precision` in `xla_data.proto`).
pub(super) fn precision(stored: Option<&pb::PrecisionConfig>) -> Precision {
    let asked = stored.map_or(&[][..], |stored| stored.operand_precision.as_slice());
    asked
        .iter()
        .map(|&number| match number {
            2 => Precision::Highest,
            1 => Precision::High,
            _ => Precision::Default,
        })
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::configured;
    use crate::trace::Precision;

    #[test]
    fn a_product_of_a_library_says_what_it_sums_over() {
        for (config, contracting, precision) in [
            (
                r#"{"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["2"]},"precision_config":{"operand_precision":["DEFAULT","HIGHEST"]}}}"#,
                Some(vec![2]),
                Precision::Highest,
            ),
            (
                r#"{"dot_dimension_numbers":{"lhs_contracting_dimensions":[1]}}"#,
                Some(vec![1]),
                Precision::Default,
            ),
            (r#"{"dot_dimension_numbers":{}}"#, None, Precision::Default),
            ("{", None, Precision::Default),
        ] {
            let found = configured("__cublas$gemm", config);
            assert_eq!(found.dot.map(|dot| dot.lhs_contracting), contracting, "{config}");
            assert_eq!(found.precision, precision, "{config}");
        }
        assert!(configured("other", "{}").dot.is_none());
    }
}
