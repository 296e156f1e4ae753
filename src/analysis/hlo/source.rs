//! From an instruction to the framework's operation and the line of the user's program.

use super::module::{InstructionRef, ModuleIndex};
use crate::trace::{HloModule, Instruction, StackFrame};
use rustc_hash::{FxHashMap, FxHashSet};

/// Tells the user's own files; without one, a default rule does.
pub type IsUserFile<'a> = Option<&'a (dyn Fn(&str) -> bool + Sync)>;

/// How a name or a line was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceLevel {
    /// The instruction itself has it.
    Own,
    /// Every instruction inside the fusion that has one has the same.
    InnerUnanimous,
    /// Instructions inside the fusion have different ones.
    InnerSeveral,
    /// There is none.
    None,
}

impl SourceLevel {
    /// Every level, strongest first.
    pub const ALL: [Self; 4] = [Self::Own, Self::InnerUnanimous, Self::InnerSeveral, Self::None];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::InnerUnanimous => "inner",
            Self::InnerSeveral => "several",
            Self::None => "none",
        }
    }
}

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// The file, as the compiler was told.
    pub file: String,
    /// The line, from 1; 0 where it is unknown.
    pub line: u32,
    /// The function; empty where it is unknown.
    pub function: String,
    /// True where no frame is the user's, so that the innermost frame of a library stands in for it.
    pub is_library: bool,
}

/// Where an instruction comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionSource {
    /// The framework's names of the operation: one, or several where the instructions of a fusion differ.
    pub op_names: Vec<String>,
    /// How the name was found.
    pub op_level: SourceLevel,
    /// True where the name is that of an argument of the program: the compiler made the instruction to pass it on.
    pub is_argument: bool,
    /// The lines: one, or several where the instructions of a fusion differ.
    pub lines: Vec<SourceLine>,
    /// How the line was found.
    pub line_level: SourceLevel,
}

/// Finds where the instructions of one module come from: in their own metadata, else in that of the instructions that were
/// fused into them.
pub(super) struct Sources<'a, 'b> {
    index: &'b ModuleIndex<'a>,
    is_user: IsUserFile<'b>,
    /// Names and lines inside each fused computation.
    inner: FxHashMap<u32, Inner>,
}

/// Names and lines inside a fused computation, each once, in order.
#[derive(Clone, Debug, Default)]
struct Inner {
    op_names: Vec<String>,
    lines: Vec<SourceLine>,
}

impl<'a, 'b> Sources<'a, 'b> {
    pub(super) fn of(index: &'b ModuleIndex<'a>, is_user: IsUserFile<'b>) -> Self {
        Self { index, is_user, inner: FxHashMap::default() }
    }

    /// Where an instruction comes from.
    pub(super) fn get(&mut self, place: InstructionRef) -> InstructionSource {
        let instruction = self.index.get(place);
        let own_line = line_of(self.index.module, instruction, self.is_user);
        let inner = self.inner(instruction);
        let (op_level, op_names) = own_or_inner(op_name(instruction), || inner.op_names.clone());
        let (line_level, lines) = own_or_inner(own_line, || inner.lines.clone());
        let is_argument = matches!(op_names.as_slice(), [name] if self.index.is_argument(name));
        InstructionSource { op_names, op_level, is_argument, lines, line_level }
    }

    fn inner(&mut self, instruction: &'a Instruction) -> Inner {
        // A fusion calls one computation.
        let called = self.index.called(instruction).next();
        let Some(called) = called.filter(|_| instruction.opcode == "fusion") else {
            return Inner::default();
        };
        if let Some(known) = self.inner.get(&called) {
            return known.clone();
        }
        let fused = fused(self.index, called);
        let lines = fused.iter().filter_map(|one| line_of(self.index.module, one, self.is_user));
        let inner = Inner {
            op_names: distinct(fused.iter().filter_map(|one| op_name(one)).collect()),
            lines: distinct(lines.collect()),
        };
        self.inner.insert(called, inner.clone());
        inner
    }
}

fn op_name(instruction: &Instruction) -> Option<String> {
    (!instruction.op_name.is_empty()).then(|| instruction.op_name.clone())
}

fn distinct<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}

fn own_or_inner<T>(own: Option<T>, inner: impl FnOnce() -> Vec<T>) -> (SourceLevel, Vec<T>) {
    if let Some(own) = own {
        return (SourceLevel::Own, vec![own]);
    }
    let inner = inner();
    let level = match inner.len() {
        0 => SourceLevel::None,
        1 => SourceLevel::InnerUnanimous,
        _ => SourceLevel::InnerSeveral,
    };
    (level, inner)
}

/// A fusion of more instructions than this is not searched: real ones hold a few hundred.
const MAX_FUSED: usize = 1 << 12;

/// Nor one with so many parameters: computations may be part of many fusions.
const MAX_SEEN: usize = 4 * MAX_FUSED;

/// What a fused computation holds, other fusions inside it included. Parameters only repeat what feeds the fusion.
fn fused<'a>(index: &ModuleIndex<'a>, computation: u32) -> Vec<&'a Instruction> {
    let (mut inner, mut n_seen) = (Vec::new(), 0);
    let mut waiting = vec![computation];
    let mut seen = FxHashSet::default();
    while let Some(computation) = waiting.pop() {
        if !seen.insert(computation) {
            continue;
        }
        let body = &index.module.computations[computation as usize].instructions;
        n_seen += body.len();
        if n_seen > MAX_SEEN {
            return Vec::new();
        }
        for one in body {
            if one.opcode == "fusion" {
                waiting.extend(index.called(one));
            }
            if one.opcode != "parameter" {
                inner.push(one);
            }
        }
        if inner.len() > MAX_FUSED {
            return Vec::new();
        }
    }
    inner
}

/// The user's line of an instruction: the innermost frame of a user's file, else the innermost frame at all, else the
/// line that the metadata states directly.
fn line_of(
    module: &HloModule,
    instruction: &Instruction,
    is_user: IsUserFile<'_>,
) -> Option<SourceLine> {
    let is_user = |file: &str| is_user.map_or_else(|| !is_library(file), |is_user| is_user(file));
    let mut leaf = None;
    for frame in frames(module, instruction.stack_frame) {
        if !is_known(&frame.file) {
            continue;
        }
        let line = |is_library| SourceLine {
            file: frame.file.to_string(),
            line: frame.line,
            function: frame.function.to_string(),
            is_library,
        };
        if is_user(&frame.file) {
            return Some(line(false));
        }
        leaf = leaf.or_else(|| Some(line(true)));
    }
    let direct = || {
        let (file, line) = instruction.source.as_ref().filter(|(file, _)| is_known(file))?;
        let is_library = !is_user(file);
        Some(SourceLine { file: file.clone(), line: *line, function: String::new(), is_library })
    };
    leaf.or_else(direct)
}

/// The frames of a stack from the innermost outwards. Ids are 1-based; a cycle ends after as many frames as there are.
/// Frames of a call stack: Python itself ends at a thousand. Ids of parents may form a circle.
const MAX_FRAMES: usize = 1_024;

fn frames(module: &HloModule, leaf: Option<u32>) -> impl Iterator<Item = &StackFrame> {
    let frame = |id: u32| module.frames.get((id as usize).checked_sub(1)?);
    let first = leaf.and_then(frame);
    std::iter::successors(first, move |one| one.parent.and_then(frame)).take(MAX_FRAMES)
}

/// Code that was compiled into an executable has no file.
fn is_known(file: &str) -> bool {
    !file.is_empty() && file != "<embedded module>"
}

/// Parts of JAX that occur in paths of a checkout, where no `site-packages` tells them (jax-ml/jax, folder `jax`).
const JAX_FOLDERS: &[&str] =
    &["_src", "experimental", "interpreters", "lax", "nn", "numpy", "tools"];

/// True for files of installed packages, of JAX, and of the interpreter's own library.
fn is_library(file: &str) -> bool {
    if file.starts_with("<frozen ") {
        return true;
    }
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let installed = |part: &&str| matches!(*part, "site-packages" | "dist-packages" | "jaxlib");
    let is_python = |part: &str| {
        part.strip_prefix("python")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    parts.iter().any(installed)
        || parts.windows(2).any(|pair| {
            (matches!(pair[0], "lib" | "lib64") && is_python(pair[1]))
                || (pair[0] == "jax" && JAX_FOLDERS.contains(&pair[1]))
        })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{fusion, module, op};
    use super::super::module::ModuleIndex;
    use super::{IsUserFile, SourceLevel, Sources, is_library};
    use crate::trace::{HloModule, StackFrame};

    fn frame(file: &str, line: u32, parent: Option<u32>) -> StackFrame {
        StackFrame { file: file.into(), function: "f".into(), line, parent }
    }

    /// A fusion `f` of `a` and `b`, and a plain `g`.
    fn sample() -> HloModule {
        let mut module = module(vec![fusion("f", &["add", "multiply"]), op("g", "copy")]);
        module.frames = vec![
            frame("/srv/u/train.py", 7, None),
            frame("/opt/venv/lib/python3.12/site-packages/flax/linen.py", 3, Some(1)),
            frame("/usr/lib/python3.12/functools.py", 9, Some(3)),
            frame("<embedded module>", 0, None),
        ];
        module
    }

    fn check(
        module: &HloModule,
        name: &str,
        is_user: IsUserFile<'_>,
        expected: (SourceLevel, &[&str]),
    ) {
        let index = ModuleIndex::of(module);
        let source = Sources::of(&index, is_user).get(index.named(name).unwrap());
        let lines: Vec<String> = source
            .lines
            .iter()
            .map(|one| {
                format!("{}:{}{}", one.file, one.line, if one.is_library { " lib" } else { "" })
            })
            .collect();
        assert_eq!(
            (source.line_level, lines.iter().map(String::as_str).collect::<Vec<_>>()),
            (expected.0, expected.1.to_vec())
        );
    }

    #[test]
    fn lines_by_level() {
        let mut own = sample();
        own.computations[0].instructions[0].stack_frame = Some(2);
        check(&own, "f", None, (SourceLevel::Own, &["/srv/u/train.py:7"]));

        let mut inner = sample();
        inner.computations[1].instructions[0].stack_frame = Some(2);
        inner.computations[1].instructions[1].stack_frame = Some(1);
        check(&inner, "f", None, (SourceLevel::InnerUnanimous, &["/srv/u/train.py:7"]));

        inner.computations[1].instructions[1].source = Some(("/srv/u/model.py".to_owned(), 5));
        inner.computations[1].instructions[1].stack_frame = None;
        check(
            &inner,
            "f",
            None,
            (SourceLevel::InnerSeveral, &["/srv/u/model.py:5", "/srv/u/train.py:7"]),
        );
        check(&sample(), "f", None, (SourceLevel::None, &[]));
        check(&sample(), "g", None, (SourceLevel::None, &[]));
    }

    #[test]
    fn frames_end_at_cycles_and_unknown_files() {
        let mut cyclic = sample();
        cyclic.computations[0].instructions[0].stack_frame = Some(3);
        check(&cyclic, "f", None, (SourceLevel::Own, &["/usr/lib/python3.12/functools.py:9 lib"]));
        cyclic.computations[0].instructions[0].stack_frame = Some(4);
        check(&cyclic, "f", None, (SourceLevel::None, &[]));
        cyclic.computations[0].instructions[0].stack_frame = Some(99);
        check(&cyclic, "f", None, (SourceLevel::None, &[]));
    }

    #[test]
    fn the_users_own_rule_wins() {
        let mut module = sample();
        module.computations[0].instructions[0].stack_frame = Some(2);
        let flax = |file: &str| file.contains("flax");
        let line = "/opt/venv/lib/python3.12/site-packages/flax/linen.py:3";
        check(&module, "f", Some(&flax), (SourceLevel::Own, &[line]));
    }

    #[test]
    fn libraries_by_path() {
        for (file, library) in [
            ("/opt/venv/lib/python3.12/site-packages/transformer_engine/jax/attention.py", true),
            ("/usr/lib/python3/dist-packages/x.py", true),
            ("/srv/u/jax/jax/_src/numpy/lax_numpy.py", true),
            ("/usr/lib/python3.11/contextlib.py", true),
            ("<frozen importlib._bootstrap>", true),
            ("/srv/u/jax/train.py", false),
            ("/workspace/python3/train.py", false),
            ("<ipython-input-3-abc>", false),
        ] {
            assert_eq!(is_library(file), library, "{file}");
        }
    }

    #[test]
    fn arguments_are_marked() {
        let mut module = module(vec![op("p", "parameter"), fusion("f", &["add"])]);
        module.computations[0].instructions[0].op_name = "kernel".to_owned();
        module.computations[0].instructions[1].op_name = "kernel".to_owned();
        let index = ModuleIndex::of(&module);
        let source = Sources::of(&index, None).get(index.named("f").unwrap());
        assert!(source.is_argument);
        assert_eq!(source.op_names, ["kernel"]);
    }
}
