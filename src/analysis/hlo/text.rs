//! A program's HLO as readable text: one line an instruction, in the order of execution.

use super::module::ModuleIndex;
use super::source::{IsUserFile, SourceLevel, Sources};
use super::{InstructionRef, KernelRange};
use crate::trace::{Computation, Hlo, Instruction, Program, Shape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// The computations of a program, the entry first and each called one after its caller; `None` where its HLO is not at hand.
/// Shapes and operands are written as XLA does; the operation and the user's line follow.
pub fn program_text(program: &Program, is_user: IsUserFile<'_>) -> Option<Vec<String>> {
    let Hlo::Stored(module) = &program.hlo else { return None };
    let index = ModuleIndex::of(module);
    let KernelRange { min, max } =
        super::Schedule::of(&index, super::schedule::Room::PROGRAM).kernels;
    let kernels = match max {
        Some(max) if max == min => format!("{min}"),
        Some(max) => format!("{min} to {max}"),
        None => format!("{min} or more"),
    };
    let mut lines = vec![format!(
        "HloModule {} (id {}), kernels of one execution: {kernels}",
        module.name, program.id
    )];
    let mut sources = Sources::of(&index, is_user);
    let mut seen = FxHashSet::default();
    let mut waiting: Vec<u32> = index.entry().map(|(entry, _)| entry).into_iter().collect();
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) {
            continue;
        }
        let computation = &module.computations[at as usize];
        lines.push(String::new());
        lines.push(format!(
            "{}{} {{",
            if seen.len() == 1 { "ENTRY " } else { "" },
            computation.name
        ));
        let names: FxHashMap<i64, &str> =
            computation.instructions.iter().map(|one| (one.id, one.name.as_str())).collect();
        let mut called = Vec::new();
        for (position, instruction) in in_order(computation) {
            let place = InstructionRef { computation: at, instruction: position };
            lines.push(line(&index, place, instruction, computation.root_id, &names, &mut sources));
            called.extend(index.called(instruction));
        }
        lines.push("}".to_owned());
        waiting.extend(called.into_iter().rev());
    }
    Some(lines)
}

/// The instructions in order of execution, or of the file where there is none.
fn in_order(computation: &Computation) -> impl Iterator<Item = (u32, &Instruction)> {
    let all = computation.instructions.len();
    let order: Vec<usize> = match &computation.schedule {
        Some(order) => order.clone(),
        None => (0..all).collect(),
    };
    order.into_iter().filter_map(|position| {
        Some((u32::try_from(position).ok()?, computation.instructions.get(position)?))
    })
}

fn line<'a>(
    index: &ModuleIndex<'a>,
    place: InstructionRef,
    instruction: &'a Instruction,
    root: i64,
    names: &FxHashMap<i64, &str>,
    sources: &mut Sources<'_, '_>,
) -> String {
    let operands =
        joined(instruction.operands.iter().map(|id| names.get(id).copied().unwrap_or("?")), ", ");
    let root = if instruction.id == root { "ROOT " } else { "" };
    let mut line = format!("  {root}{} = ", instruction.name);
    write_shape(&mut line, &instruction.shape);
    let _ = write!(line, " {}({})", instruction.opcode, operands);
    let called = index
        .called(instruction)
        .map(|called| index.module.computations[called as usize].name.as_str());
    let called = joined(called, ", ");
    if !called.is_empty() {
        let _ = write!(line, ", calls={called}");
    }
    if !instruction.custom_call_target.is_empty() {
        let _ = write!(line, ", target=\"{}\"", instruction.custom_call_target);
    }
    if let Some(trips) = instruction.trip_count {
        let _ = write!(line, ", trip_count={trips}");
    }
    let source = sources.get(place);
    let level = |level: SourceLevel| match level {
        SourceLevel::Own => String::new(),
        other => format!(" ({})", other.name()),
    };
    if !source.op_names.is_empty() {
        let names = joined(source.op_names.iter().map(String::as_str), " | ");
        let _ = write!(line, ", op_name=\"{names}\"{}", level(source.op_level));
    }
    if !source.lines.is_empty() {
        let lines: Vec<String> =
            source.lines.iter().map(|one| format!("{}:{}", one.file, one.line)).collect();
        let _ = write!(line, ", source={}{}", lines.join(" | "), level(source.line_level));
    }
    line
}

/// Names with something between them; of very many, the first ones.
fn joined<'a>(names: impl Iterator<Item = &'a str>, between: &str) -> String {
    const MAX_TEXT: usize = 1 << 16;
    let mut text = String::new();
    for (at, name) in names.enumerate() {
        if text.len() + name.len() > MAX_TEXT {
            text.push('…');
            break;
        }
        if at > 0 {
            text.push_str(between);
        }
        text.push_str(name);
    }
    text
}

/// `f32[2,3]{1,0}`, or the parts of a tuple in brackets. Nested deeper than this, the rest is left out.
fn write_shape(text: &mut String, shape: &Shape) {
    const MAX_TEXT: usize = 4_096;
    if text.len() > MAX_TEXT {
        return text.push('…');
    }
    if shape.element == "tuple" {
        text.push('(');
        for (at, part) in shape.parts.iter().enumerate() {
            if at > 0 {
                text.push_str(", ");
            }
            write_shape(text, part);
            if text.len() > MAX_TEXT {
                break;
            }
        }
        text.push(')');
        return;
    }
    let list = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let _ = write!(text, "{}[{}]", shape.element, list(&shape.dimensions));
    if !shape.minor_to_major.is_empty() {
        let _ = write!(text, "{{{}}}", list(&shape.minor_to_major));
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{fusion, module, op};
    use super::program_text;
    use crate::trace::{Hlo, Names, Program, Shape};

    #[test]
    fn reads_like_hlo() {
        let mut module = module(vec![op("p.1", "parameter"), fusion("loop_fusion.3", &["add"])]);
        let entry = &mut module.computations[0].instructions;
        let shape = || Shape {
            element: "f32",
            dimensions: vec![2, 3],
            minor_to_major: vec![1, 0],
            parts: Vec::new(),
        };
        entry[1].shape =
            Shape { element: "tuple", parts: vec![shape(), shape()], ..Shape::default() };
        entry[1].operands = vec![entry[0].id, 77];
        entry[1].source = Some(("train.py".to_owned(), 7));
        entry[1].op_name = "jit(f)/add".to_owned();
        let mut names = Names::default();
        let program = Program {
            id: 5,
            name: names.intern("jit_f").unwrap(),
            hlo: Hlo::Stored(Box::new(module)),
        };
        let lines = program_text(&program, None).unwrap();
        assert_eq!(
            lines,
            [
                "HloModule jit_f (id 5), kernels of one execution: 1",
                "",
                "ENTRY computation.1 {",
                "  p.1 = [] parameter()",
                "  ROOT loop_fusion.3 = (f32[2,3]{1,0}, f32[2,3]{1,0}) fusion(p.1, ?), calls=computation.2, op_name=\"jit(f)/add\", source=train.py:7",
                "}",
                "",
                "computation.2 {",
                "  ROOT loop_fusion.3.inner.0 = [] add()",
                "}",
            ]
        );
    }
}
