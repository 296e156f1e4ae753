//! What an operation computes and moves, as integers. A shape whose product does not fit has no work: it is refused.

use super::Refusal;
use super::peaks::Rate;

/// An element type, as far as peaks depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// IEEE double precision.
    F64,
    /// IEEE single precision.
    F32,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
    /// Any float of 8 bits.
    F8,
    /// Signed integers of 8 bits.
    I8,
    /// Complex numbers of two `F32`.
    C64,
    /// Complex numbers of two `F64`.
    C128,
    /// One whose products no peak is known for.
    Other,
}

/// An element type with its size in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sized {
    pub(super) element: Element,
    pub(super) bits: u64,
}

impl Sized {
    const fn new(element: Element, bits: u64) -> Self {
        Self { element, bits }
    }

    /// By the spelling of HLO.
    pub(super) fn of_hlo(name: &str) -> Option<Self> {
        Some(match name {
            "f64" => Self::new(Element::F64, 64),
            "f32" => Self::new(Element::F32, 32),
            "f16" => Self::new(Element::F16, 16),
            "bf16" => Self::new(Element::Bf16, 16),
            "c64" => Self::new(Element::C64, 64),
            "c128" => Self::new(Element::C128, 128),
            "s8" => Self::new(Element::I8, 8),
            "pred" | "u8" => Self::new(Element::Other, 8),
            "s16" | "u16" => Self::new(Element::Other, 16),
            "s32" | "u32" => Self::new(Element::Other, 32),
            "s64" | "u64" => Self::new(Element::Other, 64),
            "s4" | "u4" | "f4e2m1fn" => Self::new(Element::Other, 4),
            "s2" | "u2" => Self::new(Element::Other, 2),
            "s1" | "u1" => Self::new(Element::Other, 1),
            "f8e8m0fnu" => Self::new(Element::Other, 8),
            "token" => Self::new(Element::Other, 0),
            "f8e3m4" | "f8e4m3" | "f8e4m3fn" | "f8e4m3fnuz" | "f8e4m3b11fnuz" | "f8e5m2"
            | "f8e5m2fnuz" => Self::new(Element::F8, 8),
            _ => return None,
        })
    }

    /// By the spelling of PyTorch's profiler: C++ types of scalars, and `c10` names.
    pub(super) fn of_torch(name: &str) -> Option<Self> {
        Some(match name {
            "double" => Self::new(Element::F64, 64),
            "float" => Self::new(Element::F32, 32),
            "c10::Half" => Self::new(Element::F16, 16),
            "c10::BFloat16" => Self::new(Element::Bf16, 16),
            "c10::complex<float>" => Self::new(Element::C64, 64),
            "c10::complex<double>" => Self::new(Element::C128, 128),
            "signed char" => Self::new(Element::I8, 8),
            "c10::Float8_e8m0fnu" => Self::new(Element::Other, 8),
            "c10::Float8_e4m3fn"
            | "c10::Float8_e4m3fnuz"
            | "c10::Float8_e5m2"
            | "c10::Float8_e5m2fnuz" => Self::new(Element::F8, 8),
            _ => return None,
        })
    }
}

impl Element {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F8 => "f8",
            Self::I8 => "s8",
            Self::C64 => "c64",
            Self::C128 => "c128",
            Self::Other => "other",
        }
    }

    /// Units that may compute products of it, the usual ones first; of those with a matrix unit the vector unit is left out.
    pub(super) const fn rates(self) -> &'static [Rate] {
        match self {
            Self::F64 | Self::C128 => &[Rate::F64Matrix, Rate::F64],
            Self::F32 | Self::C64 => &[Rate::F32Matrix, Rate::F32],
            Self::F16 => &[Rate::F16],
            Self::Bf16 => &[Rate::Bf16],
            Self::F8 => &[Rate::F8],
            Self::I8 => &[Rate::I8],
            Self::Other => &[],
        }
    }
}

/// What kind of work it is: which excess over a peak it could explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A matrix product.
    Product,
    /// A convolution. With a window of more than one tap in two dimensions, Winograd's method or a Fourier transform needs
    /// fewer operations.
    Convolution {
        /// Whether the window has more than one tap.
        is_wide: bool,
    },
    /// Attention. Under a causal mask half of the products are left out.
    Attention,
    /// It moves and combines data; its operations are not counted.
    Moves,
}

/// What one execution of an operation computes and moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Its kind.
    pub kind: Kind,
    /// The element type of its operands.
    pub element: Element,
    /// True where it must be computed in full precision.
    pub is_exact: bool,
    /// Operations, a multiplication and an addition as two: lowest and highest. `None` where they are not modelled.
    pub flops: Option<(u64, u64)>,
    /// Bytes that have to be read and written: lowest and highest.
    pub bytes: (u64, u64),
    /// The operands in words: `bf16[8192,1024] × bf16[1024,4096]`.
    pub shapes: String,
}

/// The product of dimensions; none is negative.
pub(super) fn elements(dimensions: &[i64]) -> Result<u64, Refusal> {
    dimensions.iter().try_fold(1_u64, |product, &one| {
        let one = u64::try_from(one).map_err(|_| Refusal::Shapes)?;
        product.checked_mul(one).ok_or(Refusal::TooLarge)
    })
}

/// The product of factors.
pub(super) fn product(factors: &[u64]) -> Result<u64, Refusal> {
    let all = factors.iter().try_fold(1_u64, |product, &one| product.checked_mul(one));
    all.ok_or(Refusal::TooLarge)
}

/// The sum of parts.
pub(super) fn sum(parts: &[u64]) -> Result<u64, Refusal> {
    parts.iter().try_fold(0_u64, |sum, &one| sum.checked_add(one)).ok_or(Refusal::TooLarge)
}

/// Bytes of so many elements; types below a byte are packed.
pub(super) fn bytes(elements: u64, of: Sized) -> Result<u64, Refusal> {
    Ok(elements.checked_mul(of.bits).ok_or(Refusal::TooLarge)?.div_ceil(8))
}

/// A complex product takes four real ones, or three with more additions (Gauss).
pub(super) fn real_flops(flops: u64, element: Element) -> Result<(u64, u64), Refusal> {
    match element {
        Element::C64 | Element::C128 => Ok((product(&[flops, 3])?, product(&[flops, 4])?)),
        _ => Ok((flops, flops)),
    }
}

/// Dimensions in words.
pub(super) fn shape_words(element: &str, dimensions: &[i64]) -> String {
    let dimensions: Vec<String> = dimensions.iter().map(ToString::to_string).collect();
    format!("{element}[{}]", dimensions.join(","))
}

/// One spatial dimension of a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taps {
    pub(super) input: i64,
    pub(super) kernel: i64,
    pub(super) output: i64,
    pub(super) stride: i64,
    pub(super) padding: i64,
    pub(super) window_dilation: i64,
    pub(super) base_dilation: i64,
}

/// Work of counting taps that is done for one dimension.
const TAPS_MAX: i64 = 1 << 20;

impl Taps {
    /// Pairs of output position and tap that meet an element of the input, not padding or a hole: XLA's
    /// `HloCostAnalysis::GetConvolutionFlops` counts the same.
    pub(super) fn valid(self) -> Result<u64, Refusal> {
        let Self { input, kernel, output, stride, padding, window_dilation, base_dilation } = self;
        if [input, kernel, output, stride, window_dilation, base_dilation].iter().any(|n| *n < 1) {
            return Err(Refusal::Shapes);
        }
        let n = kernel.checked_mul(output).filter(|n| *n <= TAPS_MAX).ok_or(Refusal::TooLarge)?;
        let last = (input - 1).checked_mul(base_dilation).ok_or(Refusal::TooLarge)?;
        let mut valid = 0;
        for place in 0..n {
            let (tap, at) = (place / output, place % output);
            let moved = tap.checked_mul(window_dilation).zip(at.checked_mul(stride));
            let moved = moved.and_then(|(a, b)| a.checked_add(b)?.checked_sub(padding));
            let index = moved.ok_or(Refusal::TooLarge)?;
            valid += u64::from((0..=last).contains(&index) && index % base_dilation == 0);
        }
        Ok(valid)
    }
}

#[cfg(test)]
mod tests {
    use super::{Element, Sized, Taps, bytes, elements};

    #[test]
    fn padding_and_holes_are_no_taps() {
        let taps = Taps {
            input: 4,
            kernel: 3,
            output: 4,
            stride: 1,
            padding: 1,
            window_dilation: 1,
            base_dilation: 1,
        };
        assert_eq!(taps.valid(), Ok(3 * 4 - 2));
        assert_eq!(Taps { padding: 0, output: 2, ..taps }.valid(), Ok(6));
        assert_eq!(Taps { output: 2, stride: 2, padding: 0, kernel: 2, ..taps }.valid(), Ok(4));
        // Zeros between the elements: a window of three meets two or one of them.
        assert_eq!(Taps { base_dilation: 2, padding: 0, output: 5, ..taps }.valid(), Ok(8));
        assert!(Taps { kernel: i64::MAX, ..taps }.valid().is_err());
        assert!(Taps { stride: 0, ..taps }.valid().is_err());
    }

    #[test]
    fn only_types_that_exist_have_a_size() {
        for known in
            ["f8e3m4", "f8e4m3", "f8e4m3fn", "f8e4m3fnuz", "f8e4m3b11fnuz", "f8e5m2", "f8e5m2fnuz"]
        {
            assert_eq!(Sized::of_hlo(known), Some(Sized::new(Element::F8, 8)), "{known}");
        }
        assert_eq!(Sized::of_hlo("f8e8m0fnu"), Some(Sized::new(Element::Other, 8)));
        assert_eq!(Sized::of_hlo("f4e2m1fn"), Some(Sized::new(Element::Other, 4)));
        for unknown in
            ["f8e9m9", "f8e", "f8e4m3fnx", "f8e5m2b11", "F8E5M2", "f8e4m3fn[8]", "f4e2m1"]
        {
            assert_eq!(Sized::of_hlo(unknown), None, "{unknown}");
        }
        assert_eq!(Sized::of_torch("c10::Float8_e5m2"), Some(Sized::new(Element::F8, 8)));
        for unknown in ["c10::Float8", "c10::Float8_e9m9", "c10::Float8_e4m3fnx"] {
            assert_eq!(Sized::of_torch(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn hostile_shapes_have_no_size() {
        assert!(elements(&[1 << 40, 1 << 40]).is_err());
        assert!(elements(&[-1]).is_err());
        assert_eq!(elements(&[]), Ok(1));
        let packed = Sized::of_hlo("s4").unwrap();
        assert_eq!(bytes(3, packed), Ok(2));
        assert!(bytes(u64::MAX, packed).is_err());
    }
}
