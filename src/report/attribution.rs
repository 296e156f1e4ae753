//! Which part of the kernel time belongs to which operator, and how that is known.

use super::{Microseconds, Share, Spread};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The attribution of kernel time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribution {
    /// Kernels by class; the classes are exclusive and add up to all kernels.
    pub classes: BTreeMap<String, AttributionClass>,
    /// The two methods against each other.
    pub methods: Methods,
    /// Operators by recorded kernel time.
    pub ops: Vec<OpRow>,
    /// Source lines by recorded kernel time.
    pub lines: Vec<LineRow>,
    /// JAX: what is known of compiled programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hlo: Option<HloRecords>,
}

impl Attribution {
    /// The classes, the most certain way first. A class of a later version comes last.
    pub fn ordered_classes(&self) -> Vec<(&str, &AttributionClass)> {
        let place = |name: &str| CLASSES.iter().position(|one| *one == name);
        let mut classes: Vec<(&str, &AttributionClass)> =
            self.classes.iter().map(|(name, class)| (name.as_str(), class)).collect();
        classes.sort_by_key(|(name, _)| place(name).unwrap_or(CLASSES.len()));
        classes
    }
}

/// The classes of both formats, the most certain way first.
const CLASSES: [&str; 9] = [
    "exact",
    "exact-label",
    "correlation",
    "name",
    "order",
    "nesting",
    "graph",
    "before-window",
    "none",
];

/// What is known of compiled programs (JAX).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HloRecords {
    /// Programs with kernels, the one with the most kernel time first.
    pub programs: Vec<ProgramTime>,
    /// The program that operators and lines are about, where the user named one; else they are about all of them.
    pub program: Option<u64>,
    /// Kernels without an instruction, by reason, in the order of the reasons' certainty.
    pub unattributed: Vec<Unattributed>,
    /// Kernels that XProf's views of operations leave out and count as idle.
    pub left_out_by_op_views: AttributionClass,
    /// Kernels whose instruction has no name of an operation.
    pub without_op: AttributionClass,
}

/// A program's kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramTime {
    /// Its id.
    pub id: u64,
    /// Its name: several programs may share one.
    pub name: String,
    /// How many kernels.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time.
    pub share: Option<Share>,
}

/// Kernels that are not attributed for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unattributed {
    /// The reason in words.
    pub reason: String,
    /// How many.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time.
    pub share: Option<Share>,
}

/// Kernels that are attributed in the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttributionClass {
    /// How many.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time.
    pub share: Option<Share>,
}

/// Two independent ways from a kernel to an operator, each over all kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Methods {
    /// Share of kernel time that the ids attribute; absent where the file's ids cannot be used.
    pub by_id: Option<Share>,
    /// Why the ids cannot be used.
    pub by_id_refused: Option<String>,
    /// Share of kernel time that nesting attributes; absent where no operator was recorded.
    pub by_nesting: Option<Share>,
    /// Kernels that both attribute.
    pub compared: u64,
    /// Those that both attribute to the same operator.
    pub agreeing: u64,
}

/// One operator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpRow {
    /// Its name.
    pub name: String,
    /// Kernels.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time.
    pub share: Option<Share>,
    /// The class of its kernels; the weakest where there are several.
    pub class: String,
    /// JAX: `own` for the instruction's own metadata, `inner` for what all instructions fused into it agree on, `several` where
    /// they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// JAX: true where the name is that of an argument, on instructions that the compiler made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_argument: bool,
    /// The time of its kernels in each of the complete steps that [`HotKernel::per_step_us`] is about, in order; kept likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_step_us: Vec<Microseconds>,
    /// How many of its kernels each of those steps has: a time a step means nothing where kernels come or go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernels_per_step: Option<Spread<u64>>,
}

/// One source line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineRow {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u64,
    /// Kernels.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time.
    pub share: Option<Share>,
    /// The function, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// `own` for the instruction's own metadata, `inner` for what all instructions fused into it agree on, `library-only` where
    /// no frame is the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The class of its kernels; the weakest where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

/// Kernels of one name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HotKernel {
    /// The kernel's name.
    pub name: String,
    /// How many.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time that was recorded.
    pub share: Option<Share>,
    /// The operator, where all of them share one.
    pub op: Option<String>,
    /// True where they share none because several operators launched them, or one launched only a part.
    #[serde(default)]
    pub several_ops: bool,
    /// `copy by kernel` or `fill by kernel`, where it is the runtime's own: its time counts as that of a copy or a fill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_kernel: Option<String>,
    /// Its time in each of the first complete steps, in order, by the step of the launch; kept of kernels with at least 0.5 % of the
    /// kernel time, where there are steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_step_us: Vec<Microseconds>,
}
