//! The judged report: plain data, in the order in which it is printed.
//!
//! This is the only thing that renderers see. Its JSON form is the public interface, version [`SCHEMA_VERSION`].

mod attribution;
mod check;
mod claim;
mod comparison;
mod finding;
mod number;
mod partition;
mod path;
mod producer;
mod rank;
mod reading;
mod records;
mod roofline;
mod run;
mod slug;
mod stated;
mod swimlanes;
mod tables;
mod tolerance;

pub use attribution::{
    Attribution, AttributionClass, HloRecords, HotKernel, LineRow, Methods, OpRow, ProgramTime,
    Unattributed,
};
pub use check::{
    Bound, CheckReport, Evidence, Level, Limit, Missing, State, TrustItem, Unit, WhyNotEvaluable,
};
pub use claim::{Cell, Claim, ClaimReport, ClaimState, Claims, IdleClaim};
pub use comparison::{
    ComparedSide, Comparison, ComparisonOutcome, Comparisons, Difference, Direction, Figure,
    KernelPresence, Measure, MeasureKind, OperatorKernels, ReliabilityChange, StructureChanges,
    TimeVerdict,
};
pub use finding::FindingId;
pub use number::{Microseconds, Percent, Share};
pub use partition::{ExceptionUse, Partition};
pub use path::{
    Change, ChangeAtRoofline, ChangePart, ChangeStretches, CountedAdvice, CountedRow, CriticalPath,
    PathKind, PathName, PathScope, PathSegment, ShareOfRun, StepChange,
};
pub use producer::ProducerRecords;
pub use rank::{RankCollective, RankHostTime, RankRecord};
pub use reading::{NoReport, parse};
pub use records::{
    DeviceReading, DeviceRecords, GapClass, GraphRecords, IdleHostEvent, IdleRecords,
    LaunchRecords, LaunchTiming, LongGap, ProgramRecords, Quantiles, Records, Spread, StepRecords,
    StepRow, StepsLeftOut, StreamRecords,
};
pub use roofline::{
    KernelSum, RefusedKernels, RooflineDevice, RooflinePeak, RooflineReport, RooflineRow,
};
pub use run::{
    CollectiveInstance, CollectiveTime, LookFirst, RankDifference, RankTotal, RankWait, RunClaims,
    RunReport,
};
pub use slug::slug;
pub use stated::{StatedReport, StatedState};
pub use swimlanes::{Bar, Lane, LaneKind, LastFinisher, Swimlanes};
pub use tables::{GapRow, KernelRow, ProgramText, Tables};
pub use tolerance::Tolerance;

use serde::{Deserialize, Serialize};

/// The version of the JSON form. Within a version fields are only added.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that one run of the gate has to say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What wrote the report.
    pub tool: Tool,
    /// What it was judged by.
    pub policy: PolicyStamp,
    /// The outcome of the gate.
    pub verdict: Verdict,
    /// One entry a capture, in order of their names.
    pub captures: Vec<CaptureReport>,
    /// Captures of one job, compared with one another.
    pub runs: Vec<RunReport>,
    /// Files of searched folders that are no capture.
    pub skipped: Vec<SkippedFile>,
    /// The golden of each capture, where goldens are compared.
    pub goldens: Vec<GoldenReport>,
    /// Findings about the policy file itself (expired, expiring and unused exceptions), and about an earlier report.
    pub policy_findings: Vec<PolicyFinding>,
    /// Which part of a divided run this is; absent for a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Partition>,
}

/// The program that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Always `idleproof`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program.
    pub fn own() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// The policy that a report was judged by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyStamp {
    /// The preset's name or the policy file's path.
    pub name: String,
    /// Digest of the policy's text.
    pub sha256: String,
}

/// The outcome of the gate, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing that the policy denies.
    Pass,
    /// A denied check is violated, or a golden differs.
    Fail,
    /// A capture could not be read or analysed: the gate was not evaluated.
    Error,
}

/// What is said of one capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaptureReport {
    /// The capture's name.
    pub name: String,
    /// Its files; capture shards follow the records.
    pub files: Vec<FileReport>,
    /// Whether it could be analysed.
    pub outcome: Outcome,
    /// Why not.
    pub error: Option<ErrorReport>,
    /// What was met and tolerated.
    pub notices: Vec<NoticeReport>,
    /// What the records say: evidence, never a claim. Absent for a refused capture.
    pub records: Option<Records>,
    /// What may be stated.
    pub claims: Claims,
    /// Which part of the kernel time belongs to which operator, and how that is known.
    pub attribution: Option<Attribution>,
    /// Kernels by recorded time: kept whatever is withheld.
    pub hot_kernels: Vec<HotKernel>,
    /// What kernels compute and move, against what their device can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roofline: Option<RooflineReport>,
    /// Rows for outputs of tables; made where one is asked for, and left out of the JSON.
    #[serde(skip)]
    pub tables: Option<Tables>,
    /// Lanes of one window; made where an output draws them, and left out of the JSON.
    #[serde(skip)]
    pub swimlanes: Option<Swimlanes>,
    /// What it brings to a comparison with other ranks of its job, where it is one.
    #[serde(skip)]
    pub rank: Option<RankRecord>,
    /// The chain of records that decides how long the step takes; absent where no device work was recorded.
    #[serde(default)]
    pub critical_path: Option<CriticalPath>,
    /// Causes whose removal would shorten the step, the largest part of the critical path first.
    pub what_to_change: Vec<Change>,
    /// What to try where records show it by count, without a saving.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub try_by_count: Vec<CountedAdvice>,
    /// Statements made elsewhere about this capture, held against it.
    #[serde(default)]
    pub stated: Vec<StatedReport>,
    /// Every check, in the order of the check table.
    pub checks: Vec<CheckReport>,
    /// Everything that limits what this capture can support.
    pub trust_list: Vec<TrustItem>,
    /// Open questions, with the capture that would answer each.
    pub needs_new_capture: Vec<NewCapture>,
}

impl CaptureReport {
    /// The paths by which policies know the capture: those of its files, or its name where it has none.
    pub fn paths(&self) -> Vec<&str> {
        if self.files.is_empty() {
            return vec![&self.name];
        }
        self.files.iter().map(|file| file.path.as_str()).collect()
    }

    /// What the capture's own checks come to; goldens are compared later and do not enter.
    pub fn verdict(&self) -> Verdict {
        match self.outcome {
            Outcome::Refused => Verdict::Error,
            Outcome::Report if self.checks.iter().any(|check| check.fails) => Verdict::Fail,
            Outcome::Report => Verdict::Pass,
        }
    }

    /// The checks in one state, in the order of the check table.
    pub fn checks_in(&self, state: State) -> impl Iterator<Item = &CheckReport> {
        self.checks.iter().filter(move |check| check.state == state)
    }
}

/// Whether a capture could be analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was.
    Report,
    /// It could not be read; the gate was not evaluated.
    Refused,
}

/// A file and what it was recognised as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// The path with `/`.
    pub path: String,
    /// `kineto`, `jax-json` or `xplane`; absent where it was not recognised.
    pub format: Option<String>,
    /// What the file is to the capture.
    pub role: FileRole,
    /// Size on disk.
    pub bytes: u64,
    /// Digest of the bytes on disk; absent where the file could not be read to its end.
    pub sha256: Option<String>,
    /// Events of every kind in it; absent where it could not be read to its end.
    pub events: Option<u64>,
}

/// What a file is to its capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRole {
    /// A record of the run.
    Record,
    /// A record of how the run's graphs were built.
    CaptureShard,
}

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// A stable kind, such as `truncated`.
    pub kind: String,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// How to mend it.
    pub help: String,
    /// The file.
    pub path: String,
    /// Line counted from 1, in text.
    pub line: Option<u64>,
    /// Column counted from 1, in bytes of the line.
    pub column: Option<u64>,
    /// Byte offset from 0: in the decompressed text where there is one, else in the file.
    pub offset: Option<u64>,
}

/// Something that a reader met and tolerated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeReport {
    /// A stable code.
    pub code: String,
    /// How often.
    pub count: u64,
    /// What was met and what was done about it.
    pub message: String,
}

/// A file of a searched folder that is no capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    /// The path with `/`.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// An open question and the capture that would answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCapture {
    /// What this capture cannot tell.
    pub question: String,
    /// What to record instead.
    pub capture: String,
}

/// How a capture's output compares with its golden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldenReport {
    /// The capture; for an unreferenced golden its file.
    pub capture: String,
    /// Which output was compared, such as `trust`.
    pub output: String,
    /// The golden's path.
    pub path: String,
    /// How it compares.
    pub state: GoldenState,
    /// How the policy takes that state.
    pub level: Level,
    /// A unified diff, where it changed.
    pub diff: Option<String>,
}

impl GoldenReport {
    /// True where it fails the gate.
    pub fn fails(&self) -> bool {
        self.state != GoldenState::Same && self.level == Level::Deny
    }
}

/// How an output compares with its golden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GoldenState {
    /// The bodies are equal.
    Same,
    /// They differ.
    Changed,
    /// There is no golden.
    Missing,
    /// No capture produces this golden.
    Unreferenced,
}

impl GoldenState {
    /// The id of the check that finds it; `None` where there is nothing to find.
    pub const fn check(self) -> Option<&'static str> {
        match self {
            Self::Same => None,
            Self::Changed => Some("golden-differs"),
            Self::Missing => Some("golden-missing"),
            Self::Unreferenced => Some("golden-unreferenced"),
        }
    }
}

/// A finding about the policy file itself, or about the earlier report that a run is held against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyFinding {
    /// One of [`FindingId`], by name.
    pub id: String,
    /// Whether it fails the gate.
    pub level: Level,
    /// What was found, with the place in the file.
    pub message: String,
}
