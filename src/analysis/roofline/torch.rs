//! Work of PyTorch's operators, by the shapes that the profiler recorded (`record_shapes=True`).

use super::Refusal;
use super::work::{
    Element, Kind, Sized, Taps, Work, bytes, elements, product, real_flops, shape_words, sum,
};
use crate::trace::{Argument, OpInputs};

/// What one call of an operator computes and moves. Argument places are those of PyTorch's `native_functions.yaml`.
pub(super) fn work(name: &str, inputs: &OpInputs) -> Result<Work, Refusal> {
    let arguments = inputs.arguments.as_slice();
    match name.strip_prefix("aten::").unwrap_or(name) {
        "mm" | "_scaled_mm" | "_int_mm" => {
            matrices(tensor(arguments, 0)?, tensor(arguments, 1)?, None)
        }
        "bmm" => matrices(tensor(arguments, 0)?, tensor(arguments, 1)?, None),
        "addmm" | "_addmm_activation" | "baddbmm" => {
            let added = tensor(arguments, 0)?;
            matrices(tensor(arguments, 1)?, tensor(arguments, 2)?, Some(added))
        }
        "convolution" | "_convolution" => convolution(arguments, CONVOLUTION),
        "cudnn_convolution" | "miopen_convolution" => {
            convolution(arguments, library_places(arguments))
        }
        "convolution_backward" => convolution_backward(arguments),
        "_scaled_dot_product_flash_attention"
        | "_scaled_dot_product_efficient_attention"
        | "_scaled_dot_product_cudnn_attention" => attention(arguments, Heads::BeforeSequence),
        "_flash_attention_forward" | "_efficient_attention_forward" => {
            attention(arguments, Heads::BehindSequence)
        }
        _ => Err(Refusal::NoModel),
    }
}

/// A tensor argument.
#[derive(Clone, Copy)]
struct Tensor<'a> {
    dimensions: &'a [i64],
    of: Sized,
}

impl Tensor<'_> {
    fn bytes(self) -> Result<u64, Refusal> {
        bytes(elements(self.dimensions)?, self.of)
    }

    fn words(self) -> String {
        shape_words(self.of.element.name(), self.dimensions)
    }
}

fn tensor(arguments: &[Argument], at: usize) -> Result<Tensor<'_>, Refusal> {
    let argument = arguments.get(at).ok_or(Refusal::Shapes)?;
    let dimensions = argument.dimensions.as_deref().ok_or(Refusal::Shapes)?;
    let of = Sized::of_torch(&argument.element).ok_or(Refusal::Element)?;
    if dimensions.is_empty() {
        return Err(Refusal::Shapes);
    }
    Ok(Tensor { dimensions, of })
}

/// 2 · batch · m · n · k. What is added is read at most once.
fn matrices(a: Tensor<'_>, b: Tensor<'_>, added: Option<Tensor<'_>>) -> Result<Work, Refusal> {
    let (batch, m, k, n) = match (a.dimensions, b.dimensions) {
        (&[m, k], &[k_of_b, n]) if k == k_of_b => (1, m, k, n),
        (&[batch, m, k], &[batch_of_b, k_of_b, n]) if (batch, k) == (batch_of_b, k_of_b) => {
            (batch, m, k, n)
        }
        _ => return Err(Refusal::Shapes),
    };
    let out = bytes(elements(&[batch, m, n])?, out_of(a.of))?;
    let traffic = sum(&[a.bytes()?, b.bytes()?, out])?;
    let with_added = match added {
        // It is broadcast to the result's shape.
        Some(added) => sum(&[traffic, added.bytes()?])?,
        None => traffic,
    };
    let flops = product(&[2, elements(&[batch, m, n])?, elements(&[k])?])?;
    Ok(Work {
        kind: Kind::Product,
        element: a.of.element,
        is_exact: false,
        flops: Some(real_flops(flops, a.of.element)?),
        bytes: (traffic, with_added),
        shapes: format!("{} × {}", a.words(), b.words()),
    })
}

/// The element of a result: that of the operands, but for 8-bit types, whose products are at least two bytes wide.
fn out_of(operand: Sized) -> Sized {
    match operand.element {
        Element::F8 => Sized { element: Element::Bf16, bits: 16 },
        Element::I8 => Sized { element: Element::Other, bits: 32 },
        _ => operand,
    }
}

/// Where a convolution's arguments stand, behind input, kernel and bias.
#[derive(Clone, Copy)]
struct Places {
    stride: usize,
    padding: usize,
    dilation: usize,
    transposed: Option<usize>,
}

/// `convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)`.
const CONVOLUTION: Places = Places { stride: 3, padding: 4, dilation: 5, transposed: Some(6) };

/// `miopen_convolution(self, weight, bias, padding, stride, dilation, …)`, and cuDNN's without a bias.
fn library_places(arguments: &[Argument]) -> Places {
    let is_list = |at: usize| arguments.get(at).is_some_and(|one| one.value.starts_with('['));
    let first = if is_list(2) { 2 } else { 3 };
    Places { padding: first, stride: first + 1, dilation: first + 2, transposed: None }
}

fn list(arguments: &[Argument], at: usize) -> Result<Vec<i64>, Refusal> {
    let text = arguments.get(at).map_or("", |argument| argument.value.as_str());
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let numbers = inside.ok_or(Refusal::Shapes)?.split(',').map(|one| one.trim().parse::<i64>());
    numbers.collect::<Result<Vec<i64>, _>>().map_err(|_| Refusal::Shapes)
}

/// A forward convolution: its output's spatial dimensions, and its operations.
struct Forward {
    output: Vec<i64>,
    flops: u64,
    is_wide: bool,
}

/// 2 · batch · output features · input features of a group · taps that meet an element.
fn forward(
    input: Tensor<'_>,
    kernel: Tensor<'_>,
    arguments: &[Argument],
    places: Places,
) -> Result<Forward, Refusal> {
    let is_transposed = places
        .transposed
        .map(|at| arguments.get(at).map_or("", |argument| argument.value.as_str()));
    if is_transposed.is_some_and(|value| value != "False") {
        return Err(Refusal::NoModel);
    }
    let ([batch, _, spatial @ ..], [features, in_group, taps @ ..]) =
        (input.dimensions, kernel.dimensions)
    else {
        return Err(Refusal::Shapes);
    };
    let stride = list(arguments, places.stride)?;
    let padding = list(arguments, places.padding)?;
    let dilation = list(arguments, places.dilation)?;
    let n = spatial.len();
    if n == 0 || [taps.len(), stride.len(), padding.len(), dilation.len()] != [n; 4] {
        return Err(Refusal::Shapes);
    }
    let mut made = Forward {
        output: vec![*batch, *features],
        flops: product(&[2, elements(&[*batch, *features, *in_group])?])?,
        is_wide: taps.iter().filter(|&&taps| taps > 1).count() > 1,
    };
    for at in 0..n {
        let length = output_length(spatial[at], taps[at], stride[at], padding[at], dilation[at])?;
        let valid = Taps {
            input: spatial[at],
            kernel: taps[at],
            output: length,
            stride: stride[at],
            padding: padding[at],
            window_dilation: dilation[at],
            base_dilation: 1,
        };
        made.flops = product(&[made.flops, valid.valid()?])?;
        made.output.push(length);
    }
    Ok(made)
}

/// (input + 2 · padding − dilation · (taps − 1) − 1) / stride + 1, as PyTorch's documentation of `Conv2d` states it.
fn output_length(
    input: i64,
    taps: i64,
    stride: i64,
    padding: i64,
    dilation: i64,
) -> Result<i64, Refusal> {
    let reach = taps.checked_sub(1).and_then(|taps| taps.checked_mul(dilation));
    let padded = padding.checked_mul(2).and_then(|padding| padding.checked_add(input));
    let free =
        padded.zip(reach).and_then(|(padded, reach)| padded.checked_sub(reach)?.checked_sub(1));
    match free {
        Some(free) if free >= 0 && stride >= 1 && padding >= 0 => Ok(free / stride + 1),
        _ => Err(Refusal::Shapes),
    }
}

fn convolution(arguments: &[Argument], places: Places) -> Result<Work, Refusal> {
    let (input, kernel) = (tensor(arguments, 0)?, tensor(arguments, 1)?);
    let made = forward(input, kernel, arguments, places)?;
    let traffic =
        sum(&[input.bytes()?, kernel.bytes()?, bytes(elements(&made.output)?, input.of)?])?;
    Ok(Work {
        kind: Kind::Convolution { is_wide: made.is_wide },
        element: input.of.element,
        is_exact: false,
        flops: Some(real_flops(made.flops, input.of.element)?),
        bytes: (traffic, traffic),
        shapes: format!("{} ∗ {}", input.words(), kernel.words()),
    })
}

/// `convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups,
/// output_mask)`: the gradients that the mask asks for, each with as many operations as the forward convolution.
fn convolution_backward(arguments: &[Argument]) -> Result<Work, Refusal> {
    let places = Places { stride: 4, padding: 5, dilation: 6, transposed: Some(7) };
    let (gradient, input, kernel) =
        (tensor(arguments, 0)?, tensor(arguments, 1)?, tensor(arguments, 2)?);
    let made = forward(input, kernel, arguments, places)?;
    if made.output != gradient.dimensions {
        return Err(Refusal::Shapes);
    }
    let mask = arguments.get(10).map_or("", |argument| argument.value.as_str());
    let asked: Vec<bool> =
        mask.trim_matches(['[', ']']).split(", ").map(|one| one == "True").collect();
    let &[of_input, of_kernel, _] = asked.as_slice() else { return Err(Refusal::Shapes) };
    let n = u64::from(of_input) + u64::from(of_kernel);
    if n == 0 {
        return Err(Refusal::NoModel);
    }
    let (input_bytes, kernel_bytes) = (input.bytes()?, kernel.bytes()?);
    let gradient_bytes = gradient.bytes()?;
    // That of the input reads gradient and kernel, that of the kernel gradient and input; the gradient may be read twice.
    let both = sum(&[input_bytes, kernel_bytes])?;
    let least = sum(&[gradient_bytes, product(&[n, both])?])?;
    let most = sum(&[product(&[n, gradient_bytes])?, product(&[n, both])?])?;
    Ok(Work {
        kind: Kind::Convolution { is_wide: made.is_wide },
        element: gradient.of.element,
        is_exact: false,
        flops: Some(real_flops(product(&[made.flops, n])?, gradient.of.element)?),
        bytes: (least, most),
        shapes: format!("gradients of {} ∗ {}", input.words(), kernel.words()),
    })
}

/// Where the heads of attention stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heads {
    /// batch, heads, sequence, width.
    BeforeSequence,
    /// batch, sequence, heads, width.
    BehindSequence,
}

/// 2 · batch · heads · queries · keys · (width of keys + width of values); half of it at least where a causal mask may leave
/// products out. Lengths of packed sequences are not among the shapes: three dimensions are refused.
fn attention(arguments: &[Argument], heads: Heads) -> Result<Work, Refusal> {
    let (query, key, value) = (tensor(arguments, 0)?, tensor(arguments, 1)?, tensor(arguments, 2)?);
    let of = |tensor: Tensor<'_>| match (tensor.dimensions, heads) {
        (&[batch, heads, length, width], Heads::BeforeSequence)
        | (&[batch, length, heads, width], Heads::BehindSequence) => {
            Ok([batch, heads, length, width])
        }
        _ => Err(Refusal::Shapes),
    };
    let [batch, n_heads, queries, width] = of(query)?;
    let [key_batch, _, keys, key_width] = of(key)?;
    let [_, _, values, value_width] = of(value)?;
    if (batch, keys, width) != (key_batch, values, key_width) {
        return Err(Refusal::Shapes);
    }
    let pairs = elements(&[batch, n_heads, queries, keys])?;
    let widths = sum(&[elements(&[width])?, elements(&[value_width])?])?;
    let full = product(&[2, pairs, widths])?;
    let out = bytes(elements(&[batch, n_heads, queries, value_width])?, query.of)?;
    let traffic = sum(&[query.bytes()?, key.bytes()?, value.bytes()?, out])?;
    Ok(Work {
        kind: Kind::Attention,
        element: query.of.element,
        is_exact: false,
        flops: Some((full / 2, full)),
        bytes: (traffic, traffic),
        shapes: format!("{}, {}", query.words(), key.words()),
    })
}

#[cfg(test)]
mod tests {
    use super::work;
    use crate::analysis::roofline::Refusal;
    use crate::trace::{Argument, OpInputs};

    fn inputs(rows: &[(&[i64], &str, &str)]) -> OpInputs {
        let argument = |&(dimensions, element, value): &(&[i64], &str, &str)| Argument {
            dimensions: Some(dimensions.to_vec()),
            element: element.to_owned(),
            value: value.to_owned(),
        };
        OpInputs { arguments: rows.iter().map(argument).collect() }
    }

    const B: &str = "c10::BFloat16";

    #[test]
    fn products_by_hand() {
        let mm =
            work("aten::mm", &inputs(&[(&[8944, 1024], B, ""), (&[1024, 512], B, "")])).unwrap();
        assert_eq!(mm.flops, Some((2 * 8944 * 1024 * 512, 2 * 8944 * 1024 * 512)));
        let bytes = 2 * (8944 * 1024 + 1024 * 512 + 8944 * 512);
        assert_eq!(mm.bytes, (bytes, bytes));
        let list = [(&[5][..], "float", ""), (&[3, 4], "float", ""), (&[4, 5], "float", "")];
        let addmm = work("aten::addmm", &inputs(&list)).unwrap();
        assert_eq!(addmm.flops, Some((120, 120)));
        assert_eq!(addmm.bytes, (4 * (12 + 20 + 15), 4 * (12 + 20 + 15 + 5)));
        let bmm = [(&[16, 16, 27][..], "float", ""), (&[16, 27, 27], "float", "")];
        assert_eq!(work("aten::bmm", &inputs(&bmm)).unwrap().flops, Some((373_248, 373_248)));
    }

    #[test]
    fn convolutions_by_hand() {
        let rows: [(&[i64], &str, &str); 9] = [
            (&[512, 3, 224, 224], B, ""),
            (&[64, 3, 7, 7], B, ""),
            (&[], "", ""),
            (&[], "ScalarList", "[3, 3]"),
            (&[], "ScalarList", "[2, 2]"),
            (&[], "ScalarList", "[1, 1]"),
            (&[], "Scalar", "1"),
            (&[], "Scalar", "False"),
            (&[], "Scalar", "False"),
        ];
        let found = work("aten::miopen_convolution", &inputs(&rows)).unwrap();
        // 112 positions and 7 taps; padding takes 3 + 1 taps on the left and 2 on the right: 784 − 6 − … = 778 less none.
        let taps = (0..112_i64)
            .map(|at| (0..7).filter(|tap| (0..224).contains(&(at * 2 + tap - 3))).count() as u64)
            .sum::<u64>();
        let flops = 2 * 512 * 64 * 3 * taps * taps;
        assert_eq!(found.flops, Some((flops, flops)));
        let bytes = 2 * (512 * 3 * 224 * 224 + 64 * 3 * 49 + 512 * 64 * 112 * 112);
        assert_eq!(found.bytes, (bytes, bytes));
    }

    #[test]
    fn attention_by_hand() {
        let row: (&[i64], &str, &str) = (&[16, 16, 559, 64], B, "");
        let found = work("aten::_scaled_dot_product_flash_attention", &inputs(&[row; 3])).unwrap();
        let full = 4 * 16 * 16 * 559 * 559 * 64;
        assert_eq!(found.flops, Some((full / 2, full)));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let wrong = inputs(&[(&[3, 4], B, ""), (&[5, 6], B, "")]);
        assert_eq!(work("aten::mm", &wrong), Err(Refusal::Shapes));
        let huge = inputs(&[(&[1 << 40, 1 << 40], B, ""), (&[1 << 40, 1 << 40], B, "")]);
        assert_eq!(work("aten::mm", &huge), Err(Refusal::TooLarge));
        assert_eq!(work("aten::add", &wrong), Err(Refusal::NoModel));
        assert_eq!(work("aten::mm", &inputs(&[])), Err(Refusal::Shapes));
    }
}
