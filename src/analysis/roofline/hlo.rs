//! Work of HLO instructions, by the shapes of their program.
//!
//! Operations are counted as openxla/xla does (`hlo_cost_analysis.cc`, `gpu_hlo_cost_analysis.cc`), bytes as the least that an
//! execution has to read and write. Products of libraries are counted here although XLA leaves the older ones out; their second
//! result is workspace, and is not counted.

use super::Refusal;
use super::work::{
    Element, Kind, Sized, Taps, Work, bytes, elements, product, real_flops, shape_words, sum,
};
use crate::trace::{Computation, Convolution, HloModule, Instruction, Precision, Shape};

/// Instructions of one computation that are looked at; larger ones are refused. Fusions of real programs have some hundred.
const INSTRUCTIONS_MAX: usize = 1 << 12;

/// An instruction with what it is computed from.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) module: &'a HloModule,
    pub(super) computation: &'a Computation,
    pub(super) instruction: &'a Instruction,
}

impl<'a> Place<'a> {
    fn operand(self, at: usize) -> Option<&'a Instruction> {
        let id = *self.instruction.operands.get(at)?;
        self.computation.instructions.iter().find(|one| one.id == id)
    }

    fn operands(self) -> Result<Vec<&'a Instruction>, Refusal> {
        let n = self.instruction.operands.len();
        (0..n).map(|at| self.operand(at).ok_or(Refusal::Shapes)).collect()
    }
}

/// What one execution of an instruction computes and moves.
pub(super) fn work(place: Place<'_>) -> Result<Work, Refusal> {
    let instruction = place.instruction;
    let target = instruction.custom_call_target.as_str();
    if place.computation.instructions.len() > INSTRUCTIONS_MAX {
        return Err(Refusal::TooLarge);
    }
    match instruction.opcode.as_str() {
        "dot" => dot(place).and_then(|work| with_traffic(place, work)),
        "custom-call" if target.starts_with("__cublas$") => {
            dot(place).and_then(|work| with_traffic(place, work))
        }
        "convolution" => {
            convolution(place, Direction::Forward).and_then(|work| with_traffic(place, work))
        }
        "custom-call" if target.starts_with("__cudnn$conv") => {
            let direction = if target.contains("BackwardInput") {
                Direction::Input
            } else if target.contains("BackwardFilter") {
                Direction::Kernel
            } else {
                Direction::Forward
            };
            convolution(place, direction).and_then(|work| with_traffic(place, work))
        }
        "fusion" => fusion(place),
        other if MOVES.contains(&other) => with_traffic(place, moves(&instruction.shape)),
        _ => Err(Refusal::NoModel),
    }
}

/// Operations of one kernel that read all of what they are given and write all of their result.
const MOVES: &[&str] = &[
    "add",
    "broadcast",
    "concatenate",
    "convert",
    "copy",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "pad",
    "reverse",
    "select",
    "subtract",
    "transpose",
];

fn moves(made: &Shape) -> Work {
    Work {
        kind: Kind::Moves,
        element: Element::Other,
        is_exact: false,
        flops: None,
        bytes: (0, 0),
        shapes: words(result(made)),
    }
}

/// The result without the workspace behind it.
fn result(shape: &Shape) -> &Shape {
    if shape.element == "tuple" { shape.parts.first().unwrap_or(shape) } else { shape }
}

/// 2 · elements of the result · elements that are summed over.
fn dot(place: Place<'_>) -> Result<Work, Refusal> {
    let instruction = place.instruction;
    let lhs = place.operand(0).ok_or(Refusal::Shapes)?;
    let rhs = place.operand(1).ok_or(Refusal::Shapes)?;
    let numbers = instruction.dot.as_ref().ok_or(Refusal::Shapes)?;
    let summed = numbers.lhs_contracting.iter().map(|&at| dimension(&lhs.shape, at));
    let summed = product(&summed.collect::<Result<Vec<u64>, Refusal>>()?)?;
    let out = elements(&result(&instruction.shape).dimensions)?;
    let element = Sized::of_hlo(lhs.shape.element).ok_or(Refusal::Element)?.element;
    Ok(Work {
        kind: Kind::Product,
        element,
        is_exact: instruction.precision == Precision::Highest,
        flops: Some(real_flops(product(&[2, out, summed])?, element)?),
        bytes: (0, 0),
        shapes: format!("{} × {}", words(&lhs.shape), words(&rhs.shape)),
    })
}

fn dimension(shape: &Shape, at: i64) -> Result<u64, Refusal> {
    let at = usize::try_from(at).map_err(|_| Refusal::Shapes)?;
    let length = shape.dimensions.get(at).ok_or(Refusal::Shapes)?;
    u64::try_from(*length).map_err(|_| Refusal::Shapes)
}

fn words(shape: &Shape) -> String {
    shape_words(shape.element, &shape.dimensions)
}

/// What a convolution computes: all three take as many operations as the forward one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// The output.
    Forward,
    /// The gradient of the input, from that of the output and the kernel.
    Input,
    /// The gradient of the kernel, from the input and the gradient of the output.
    Kernel,
}

/// 2 · output elements without their spatial part · features of the kernel's input · taps that meet an element.
fn convolution(place: Place<'_>, direction: Direction) -> Result<Work, Refusal> {
    let instruction = place.instruction;
    let numbers = instruction.convolution.as_ref().ok_or(Refusal::Shapes)?;
    let first = &place.operand(0).ok_or(Refusal::Shapes)?.shape;
    let second = &place.operand(1).ok_or(Refusal::Shapes)?.shape;
    let made = result(&instruction.shape);
    let (input, kernel, output) = match direction {
        Direction::Forward => (first, second, made),
        Direction::Input => (made, second, first),
        Direction::Kernel => (first, made, second),
    };
    let (flops, is_wide) = convolution_flops(numbers, input, kernel, output)?;
    let element = Sized::of_hlo(first.element).ok_or(Refusal::Element)?.element;
    Ok(Work {
        kind: Kind::Convolution { is_wide },
        element,
        is_exact: instruction.precision == Precision::Highest,
        flops: Some(real_flops(flops, element)?),
        bytes: (0, 0),
        shapes: format!("{} ∗ {}", words(input), words(kernel)),
    })
}

fn convolution_flops(
    numbers: &Convolution,
    input: &Shape,
    kernel: &Shape,
    output: &Shape,
) -> Result<(u64, bool), Refusal> {
    let mut others = elements(&output.dimensions)?;
    let mut flops = product(&[2, dimension(kernel, numbers.kernel_input_feature)?])?;
    let mut n_wide = 0;
    for one in &numbers.spatial {
        let length = |shape: &Shape, at: i64| {
            let length = dimension(shape, at)?;
            i64::try_from(length).map_err(|_| Refusal::TooLarge)
        };
        let (positions, taps) = (length(output, one.output)?, length(kernel, one.kernel)?);
        let valid = Taps {
            input: length(input, one.input)?,
            kernel: taps,
            output: positions,
            stride: one.window.stride,
            padding: one.window.padding_low,
            window_dilation: one.window.window_dilation,
            base_dilation: one.window.base_dilation,
        };
        flops = product(&[flops, valid.valid()?])?;
        others /= u64::try_from(positions).map_err(|_| Refusal::Shapes)?.max(1);
        n_wide += u32::from(taps > 1);
    }
    Ok((product(&[flops, others])?, n_wide > 1))
}

/// The work with its traffic: each operand once, or as often as it is named, and the result.
fn with_traffic(place: Place<'_>, work: Work) -> Result<Work, Refusal> {
    let operands = place.operands()?;
    let mut once = vec![size(result(&place.instruction.shape))?];
    let mut each = once.clone();
    for (at, operand) in operands.iter().enumerate() {
        let bytes = size(&operand.shape)?;
        if !operands[..at].iter().any(|earlier| earlier.id == operand.id) {
            once.push(bytes);
        }
        each.push(bytes);
    }
    Ok(Work { bytes: (sum(&once)?, sum(&each)?), ..work })
}

/// Bytes of a value; of a tuple the sum of its parts.
fn size(shape: &Shape) -> Result<u64, Refusal> {
    if shape.element == "tuple" {
        let parts: Result<Vec<u64>, Refusal> = shape.parts.iter().map(size).collect();
        return sum(&parts?);
    }
    bytes(elements(&shape.dimensions)?, Sized::of_hlo(shape.element).ok_or(Refusal::Element)?)
}

/// Operations that touch every element of what they are given and of what they make, or parts that their shapes tell.
const PLAIN: &[&str] = &[
    "abs",
    "add",
    "and",
    "atan2",
    "bitcast",
    "bitcast-convert",
    "broadcast",
    "ceil",
    "clamp",
    "compare",
    "concatenate",
    "constant",
    "convert",
    "copy",
    "cosine",
    "divide",
    "dot",
    "erf",
    "exponential",
    "exponential-minus-one",
    "floor",
    "get-tuple-element",
    "iota",
    "is-finite",
    "log",
    "log-plus-one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "pad",
    "parameter",
    "power",
    "reduce",
    "remainder",
    "reshape",
    "reverse",
    "round-nearest-afz",
    "round-nearest-even",
    "rsqrt",
    "select",
    "sign",
    "sine",
    "slice",
    "sqrt",
    "cbrt",
    "subtract",
    "tan",
    "tanh",
    "transpose",
    "tuple",
    "xor",
    "dynamic-slice",
    "fusion",
    "reduce-precision",
];

/// A fusion: products inside it, and what it reads and writes. What lies between its instructions stays on the chip.
fn fusion(place: Place<'_>) -> Result<Work, Refusal> {
    let mut inner = Inner::default();
    let body = called(place).ok_or(Refusal::Shapes)?;
    inner.take(place.module, body, 0)?;
    let traffic = fused_traffic(place, body)?;
    let [dot] = inner.dots.as_slice() else {
        if !inner.dots.is_empty() {
            return several(inner, traffic);
        }
        return Ok(Work { bytes: traffic, ..moves(&place.instruction.shape) });
    };
    Ok(Work { bytes: traffic, ..dot.clone() })
}

/// Several products in one fusion: their operations add up, where one peak holds for all of them.
fn several(inner: Inner, bytes: (u64, u64)) -> Result<Work, Refusal> {
    let mut dots = inner.dots.into_iter();
    let mut all = dots.next().ok_or(Refusal::NoModel)?;
    for dot in dots {
        if (dot.element, dot.is_exact) != (all.element, all.is_exact) {
            return Err(Refusal::Element);
        }
        let (a, b) = (all.flops.ok_or(Refusal::NoModel)?, dot.flops.ok_or(Refusal::NoModel)?);
        all.flops = Some((sum(&[a.0, b.0])?, sum(&[a.1, b.1])?));
        all.shapes = format!("{}, {}", all.shapes, dot.shapes);
    }
    Ok(Work { bytes, ..all })
}

fn called<'a>(place: Place<'a>) -> Option<&'a Computation> {
    let id = place.instruction.called.first()?;
    place.module.computations.iter().find(|one| one.id == *id)
}

/// Fusions nested in a fusion; Triton's have two levels.
const NESTED_MAX: usize = 4;

#[derive(Default)]
struct Inner {
    dots: Vec<Work>,
    n_instructions: usize,
}

impl Inner {
    fn take(
        &mut self,
        module: &HloModule,
        body: &Computation,
        depth: usize,
    ) -> Result<(), Refusal> {
        self.n_instructions += body.instructions.len();
        if depth > NESTED_MAX || self.n_instructions > INSTRUCTIONS_MAX {
            return Err(Refusal::TooLarge);
        }
        for instruction in &body.instructions {
            let place = Place { module, computation: body, instruction };
            match instruction.opcode.as_str() {
                "dot" => self.dots.push(dot(place)?),
                // A library's product on a slice of a buffer.
                "custom-call" if instruction.custom_call_target.starts_with("__cublas$") => {
                    self.dots.push(dot(place)?);
                }
                "fusion" => {
                    self.take(module, called(place).ok_or(Refusal::Shapes)?, depth + 1)?;
                }
                // Its parts are touched by what lies in data, or its work is none of the models.
                other if !PLAIN.contains(&other) => return Err(Refusal::NoModel),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Bytes of a fusion: results, and of each operand what is read of it. At least: each operand once, and of one that only
/// slices read, the slices. At most: as often as instructions of the fusion read it.
fn fused_traffic(place: Place<'_>, body: &Computation) -> Result<(u64, u64), Refusal> {
    let made = size(&place.instruction.shape)?;
    let (mut least, mut most) = (vec![made], vec![made]);
    let operands = place.operands()?;
    for (number, operand) in (0_u32..).zip(&operands) {
        let whole = size(&operand.shape)?;
        let parameter = body.instructions.iter().find(|one| one.parameter == Some(number));
        let Some(parameter) = parameter else { return Err(Refusal::Shapes) };
        let users = body.instructions.iter().filter(|one| one.operands.contains(&parameter.id));
        let reads: Result<Vec<u64>, Refusal> = users
            .map(|user| match user.opcode.as_str() {
                // The first operand is what is sliced; the others are its places.
                "slice" | "dynamic-slice" if user.operands.first() == Some(&parameter.id) => {
                    Ok(size(&user.shape)?.min(whole))
                }
                _ => Ok(whole),
            })
            .collect();
        let reads = reads?;
        least.push(reads.iter().copied().max().unwrap_or(0));
        most.push(sum(&reads)?);
    }
    Ok((sum(&least)?, sum(&most)?))
}

#[cfg(test)]
mod tests {
    use super::{Place, work};
    use crate::analysis::roofline::{Kind, Refusal, Work};
    use crate::trace::{
        Computation, Convolution, DotDimensions, HloModule, Instruction, Shape, SpatialDimension,
        WindowDimension,
    };

    fn shape(element: &'static str, dimensions: &[i64]) -> Shape {
        Shape { element, dimensions: dimensions.to_vec(), ..Shape::default() }
    }

    fn instruction(id: i64, opcode: &str, shape: Shape, operands: &[i64]) -> Instruction {
        let parameter = (opcode == "parameter").then(|| u32::try_from(id - 1).unwrap());
        Instruction {
            id,
            opcode: opcode.to_owned(),
            shape,
            operands: operands.to_vec(),
            parameter,
            ..Instruction::default()
        }
    }

    /// The work of the last instruction of the first computation.
    fn of(computations: Vec<Vec<Instruction>>) -> Result<Work, Refusal> {
        let computations = (1..).zip(computations).map(|(id, instructions)| Computation {
            id,
            instructions,
            ..Computation::default()
        });
        let module = HloModule { computations: computations.collect(), ..HloModule::default() };
        let computation = &module.computations[0];
        let instruction = computation.instructions.last().unwrap();
        work(Place { module: &module, computation, instruction })
    }

    fn dot(id: i64, out: Shape, operands: &[i64], summed: i64) -> Instruction {
        let dot = Some(Box::new(DotDimensions { lhs_contracting: vec![summed] }));
        Instruction { dot, ..instruction(id, "dot", out, operands) }
    }

    /// 8 × 8 inputs of 4 features, 16 kernels of 3 × 3, padding of 1 and a step of 2.
    fn convolution(target: &str, operands: [Shape; 2], made: Shape) -> Result<Work, Refusal> {
        let window = WindowDimension { stride: 2, padding_low: 1, ..WindowDimension::default() };
        let spatial = [(1, 0, 1), (2, 1, 2)];
        let spatial = spatial.map(|(input, kernel, output)| SpatialDimension {
            input,
            kernel,
            output,
            window,
        });
        let numbers = Convolution { kernel_input_feature: 2, spatial: spatial.to_vec() };
        let [a, b] = operands;
        let workspace = shape("u8", &[1 << 20]);
        let tuple = Shape { element: "tuple", parts: vec![made, workspace], ..Shape::default() };
        of(vec![vec![
            instruction(1, "parameter", a, &[]),
            instruction(2, "parameter", b, &[]),
            Instruction {
                custom_call_target: target.to_owned(),
                convolution: Some(Box::new(numbers)),
                ..instruction(3, "custom-call", tuple, &[1, 2])
            },
        ]])
    }

    #[test]
    fn a_convolution_and_its_gradients_take_as_many_operations() {
        let input = || shape("f16", &[2, 8, 8, 4]);
        let kernel = || shape("f16", &[3, 3, 4, 16]);
        let output = || shape("f16", &[2, 4, 4, 16]);
        // 4 positions and 3 taps, of which the first meets padding once.
        let flops = 2 * 2 * 16 * 4 * 11 * 11;
        let bytes = 2 * (2 * 64 * 4 + 9 * 4 * 16 + 2 * 16 * 16);
        for (target, operands, made) in [
            ("__cudnn$convForward", [input(), kernel()], output()),
            ("__cudnn$convBackwardInput", [output(), kernel()], input()),
            ("__cudnn$convBackwardFilter", [input(), output()], kernel()),
            ("__cudnn$convBiasActivationForward", [input(), kernel()], output()),
        ] {
            let work = convolution(target, operands, made).unwrap();
            assert_eq!(work.flops, Some((flops, flops)), "{target}");
            assert_eq!(work.bytes, (bytes, bytes), "{target}");
            assert_eq!(work.kind, Kind::Convolution { is_wide: true });
        }
    }

    #[test]
    fn a_fusion_of_products_moves_only_what_goes_in_and_out() {
        let fused = vec![
            instruction(1, "parameter", shape("bf16", &[4, 64, 32]), &[]),
            instruction(2, "parameter", shape("s8", &[32, 16]), &[]),
            instruction(3, "parameter", shape("s32", &[]), &[]),
            instruction(4, "dynamic-slice", shape("bf16", &[1, 64, 32]), &[1, 3]),
            instruction(5, "bitcast", shape("bf16", &[64, 32]), &[4]),
            instruction(6, "convert", shape("bf16", &[32, 16]), &[2]),
            dot(7, shape("f32", &[64, 16]), &[5, 6], 1),
        ];
        let entry = vec![
            instruction(11, "parameter", shape("bf16", &[4, 64, 32]), &[]),
            instruction(12, "parameter", shape("s8", &[32, 16]), &[]),
            instruction(13, "parameter", shape("s32", &[]), &[]),
            Instruction {
                called: vec![2],
                ..instruction(14, "fusion", shape("f32", &[64, 16]), &[11, 12, 13])
            },
        ];
        let work = of(vec![entry, fused]).unwrap();
        assert_eq!(work.flops, Some((2 * 64 * 32 * 16, 2 * 64 * 32 * 16)));
        let bytes = 2 * 64 * 32 + 32 * 16 + 4 + 4 * 64 * 16;
        assert_eq!(work.bytes, (bytes, bytes));
    }

    #[test]
    fn what_depends_on_data_or_does_not_fit_is_refused() {
        let scatter = vec![
            instruction(1, "parameter", shape("f32", &[8]), &[]),
            instruction(2, "scatter", shape("f32", &[8]), &[1]),
        ];
        let entry = |shape_of: Shape| {
            vec![
                instruction(11, "parameter", shape_of.clone(), &[]),
                Instruction { called: vec![2], ..instruction(12, "fusion", shape_of, &[11]) },
            ]
        };
        assert_eq!(of(vec![entry(shape("f32", &[8])), scatter]), Err(Refusal::NoModel));
        let huge = || shape("f32", &[1 << 40, 1 << 40]);
        let product = vec![instruction(1, "parameter", huge(), &[]), dot(2, huge(), &[1, 1], 0)];
        assert_eq!(of(vec![product]), Err(Refusal::TooLarge));
        let product = vec![
            instruction(1, "parameter", shape("f32", &[8, 8]), &[]),
            dot(2, shape("f32", &[8, 8]), &[1, 1], 7),
        ];
        assert_eq!(of(vec![product]), Err(Refusal::Shapes));
        // A fusion that calls itself.
        let looping =
            Instruction { called: vec![1], ..instruction(1, "fusion", shape("f32", &[8]), &[]) };
        assert_eq!(of(vec![vec![looping]]), Err(Refusal::TooLarge));
    }
}
