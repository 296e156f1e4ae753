//! What operations compute from: dimensions of products and convolutions, and the inputs of operators.

/// What a matrix product sums over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDimensions {
    /// Dimensions of the left operand that are summed over.
    pub lhs_contracting: Vec<i64>,
}

/// How exactly a product has to be computed, as the program asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// As fast as the device does it: 32-bit floats may be rounded to TF32 first.
    #[default]
    Default,
    /// In between.
    High,
    /// In the full precision of the element type.
    Highest,
}

/// What a convolution's dimensions mean, in terms of the forward convolution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Convolution {
    /// The dimension of the kernel with the input's features, those of one group.
    pub kernel_input_feature: i64,
    /// The spatial dimensions, with the window that moves over each.
    pub spatial: Vec<SpatialDimension>,
}

/// One spatial dimension of a convolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpatialDimension {
    /// The dimension of the input.
    pub input: i64,
    /// The dimension of the kernel.
    pub kernel: i64,
    /// The dimension of the output.
    pub output: i64,
    /// How the window moves.
    pub window: WindowDimension,
}

/// How a window moves over one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowDimension {
    /// Its step.
    pub stride: i64,
    /// Elements before the first that count as zero.
    pub padding_low: i64,
    /// The distance of neighbouring taps.
    pub window_dilation: i64,
    /// The distance of neighbouring inputs, with zeros between them.
    pub base_dilation: i64,
}

impl Default for WindowDimension {
    fn default() -> Self {
        Self { stride: 1, padding_low: 0, window_dilation: 1, base_dilation: 1 }
    }
}

/// What an operator was given (`Input Dims`, `Input type`, `Concrete Inputs`). Equal lists share one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpInputs {
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
}

/// One argument of an operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Dimensions of a tensor, outermost first; absent for lists of tensors.
    pub dimensions: Option<Vec<i64>>,
    /// The element type of a tensor in the producer's spelling, such as `c10::BFloat16`; `Scalar` or empty for what is none.
    pub element: String,
    /// The text of a value that is no tensor; empty where the producer wrote none.
    pub value: String,
}
