//! The command line: definitions only.

mod baseline;
pub(crate) mod check;
pub(crate) mod diff;
mod examples;
pub(crate) mod explain;
mod files;
mod folder;
pub(crate) mod golden;
mod goldens;
pub(crate) mod init;
pub(crate) mod inputs;
pub(crate) mod manual;
pub(crate) mod merge;
pub(crate) mod outputs;
mod partition;
pub(crate) mod policy;
mod program;
mod progress;
mod review;
mod statements;
mod stop;

pub(crate) use stop::Stop;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use idleproof::policy::PRESETS;
use idleproof::text::terminal;
use jiff::civil::Date;
use regex::Regex;
use std::borrow::Cow;
use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// Keeps false claims about GPU profiler captures out of CI.
#[derive(Debug, Parser)]
#[command(name = "idleproof", version, after_help = examples::ALL)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) voice: Voice,
}

/// How much is said, and how.
#[derive(Debug, Args)]
pub(crate) struct Voice {
    /// Colours on the terminal: auto, always or never
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN",
        hide_possible_values = true, display_order = 102)]
    pub(crate) color: Color,
    /// Say only what fails or ends before long, one line of counts, and the verdict
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 100)]
    pub(crate) quiet: bool,
    /// Say also what holds, what was skipped, and where settings come from
    #[arg(short, long, global = true, display_order = 101)]
    pub(crate) verbose: bool,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Analyse captures and hold them against the policy and the goldens
    #[command(after_help = examples::CHECK)]
    Check(GateArgs),
    /// Analyse captures without gating, the report on the standard output unless --report says otherwise
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// Join the JSON reports of a run that was divided with --partition: one verdict, as if it had been one run
    #[command(after_help = examples::MERGE)]
    Merge(MergeArgs),
    /// Hold a capture against an earlier one: what got worse beyond noise, what changed, and what cannot be compared
    #[command(after_help = examples::DIFF)]
    Diff(DiffArgs),
    /// Write a policy file, a folder for goldens and a CI workflow, each where there is none
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    /// Explain a check in full, or say which checks withhold a claim
    #[command(after_help = examples::EXPLAIN)]
    Explain {
        /// The check's id, or a claim such as `idle`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// List all checks with their default level and limit
    #[command(after_help = examples::CHECKS)]
    Checks,
    /// The effective policy, the validation of a policy file, or the schema of all
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// The accepted reports of captures: what waits for a decision, what differs, what is left over
    #[command(subcommand)]
    Golden(GoldenCommand),
    /// Print the completions of a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        #[arg(value_enum, value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page of the program, or of a command
    #[command(after_help = examples::MAN)]
    Man {
        /// The command, by its words
        #[arg(value_name = "COMMAND")]
        words: Vec<String>,
    },
}

/// What is done with goldens.
#[derive(Debug, Subcommand)]
pub(crate) enum GoldenCommand {
    /// List what waits, with its differences, and goldens that belong to no capture
    #[command(after_help = examples::STATUS)]
    Status(GoldenArgs),
    /// Decide one by one, in a terminal
    #[command(after_help = examples::REVIEW)]
    Review(GoldenArgs),
    /// Take pending files over as goldens
    #[command(after_help = examples::ACCEPT)]
    Accept {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        folders: GoldenArgs,
    },
    /// Delete pending files
    #[command(after_help = examples::REJECT)]
    Reject {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        folders: GoldenArgs,
    },
    /// Delete goldens that belong to no capture of the policy; without a name, say which they are
    #[command(after_help = examples::PRUNE)]
    Prune {
        #[command(flatten)]
        which: Orphaned,
        #[command(flatten)]
        folders: GoldenArgs,
    },
}

/// Which goldens without a capture are meant.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct Orphaned {
    /// Their names, as `golden prune` lists them
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// All of them
    #[arg(long)]
    pub(crate) all: bool,
}

/// Which pending goldens are meant.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// Their names, as `golden status` lists them
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// All of them
    #[arg(long)]
    pub(crate) all: bool,
}

/// Where goldens are.
#[derive(Debug, Args)]
pub(crate) struct GoldenArgs {
    /// The goldens [default: those of the policy file]
    #[arg(long, value_name = "DIR")]
    pub(crate) goldens: Option<PathBuf>,
    /// Where pending files are [default: beside the goldens]
    #[arg(long, value_name = "DIR")]
    pub(crate) pending: Option<PathBuf>,
}

/// What is done with a policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Print the effective policy with the origin of each value
    #[command(after_help = examples::SHOW)]
    Show(PolicyArgs),
    /// Say what is wrong with a policy file, if anything
    #[command(after_help = examples::VALIDATE)]
    Validate {
        /// The policy file
        #[arg(value_name = "FILE", default_value = policy::FILE)]
        file: PathBuf,
    },
    /// Print the JSON schema of policy files, for editors
    #[command(after_help = examples::SCHEMA)]
    Schema,
}

/// Which policy applies.
#[derive(Debug, Default, Args)]
pub(crate) struct PolicyArgs {
    /// The policy file [default: idleproof.toml, where there is one]
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub(crate) policy: Option<PathBuf>,
    /// A preset instead of a policy file
    #[arg(long, value_name = "NAME", value_parser = presets())]
    pub(crate) preset: Option<String>,
    /// Switch a check off; the trust list says so
    #[arg(short = 'A', long, value_name = "ID", action = ArgAction::Append)]
    pub(crate) allow: Vec<String>,
    /// Withhold claims but pass where a check is violated
    #[arg(short = 'W', long, value_name = "ID", action = ArgAction::Append)]
    pub(crate) warn: Vec<String>,
    /// Fail where a check is violated
    #[arg(short = 'D', long, value_name = "ID", action = ArgAction::Append)]
    pub(crate) deny: Vec<String>,
}

/// What `check` needs.
#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    /// Files, folders and globs [default: `captures` of the policy file]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Compare with the goldens in this folder [default: that of the policy file, where it has `[golden]`]
    #[arg(long, value_name = "DIR")]
    pub(crate) goldens: Option<PathBuf>,
    /// An earlier report of the same captures (`--report json=PATH`): what became less reliable fails, what was violated already
    /// is named and passes
    #[arg(long, value_name = "REPORT.json", conflicts_with = "partition")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what differs from its golden here, to wait for `golden accept`
    #[arg(long, value_name = "DIR")]
    pub(crate) pending: Option<PathBuf>,
    /// Gate the K-th of N parts of the captures; `idleproof merge` joins the JSON reports. Captures of one folder stay together
    #[arg(long, value_name = "K/N", value_parser = partition::parse, conflicts_with = "program")]
    pub(crate) partition: Option<partition::Slice>,
}

/// What `merge` needs.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The JSON reports of all parts, in any order
    #[arg(value_name = "REPORT", required = true)]
    pub(crate) reports: Vec<PathBuf>,
    /// Write an output of the whole; repeatable. The path `-` is the standard output
    #[arg(long = "report", value_name = "KIND=PATH", value_parser = outputs::parse, long_help = outputs::help())]
    pub(crate) outputs: Vec<outputs::Target>,
}

/// What `diff` needs.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The earlier side: a capture (a file, or a folder of them), or a JSON report (`--report json=PATH`)
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The later side, likewise
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// How the result is written: text, markdown or json
    #[arg(long, value_enum, default_value_t = DiffFormat::Text, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) format: DiffFormat,
    /// Where it is written; `-` is the standard output [default: the standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Bytes of text that one file may hold, decompressed [default: 128 GiB]
    #[arg(long, value_name = "BYTES", display_order = 98)]
    pub(crate) max_text_bytes: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people
    Text,
    /// For a comment or a summary
    Markdown,
    /// For other tools
    Json,
}

/// What `init` needs.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Also write what fails today into the policy file, as exceptions with one end
    #[arg(long)]
    pub(crate) baseline: bool,
    /// The last day of these exceptions, such as 2027-01-31 [default: 90 days from today]
    #[arg(long, value_name = "DATE", requires = "baseline")]
    pub(crate) expires: Option<Date>,
}

/// What `report` needs.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Files, folders and globs
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What every analysis needs.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Write an output; repeatable. The path `-` is the standard output
    #[arg(long = "report", value_name = "KIND=PATH", value_parser = outputs::parse, long_help = outputs::help())]
    pub(crate) outputs: Vec<outputs::Target>,
    /// Which source files are the user's own: of JAX's call stacks, the innermost frame in one is the line that counts
    /// [default: all outside of Python's library, site-packages and JAX]
    #[arg(long = "user-re", value_name = "REGEX")]
    pub(crate) user_files: Option<Regex>,
    /// The compiled program that operators and source lines are listed for [default: all]
    #[arg(long, value_name = "ID")]
    pub(crate) program: Option<String>,
    /// Statements made elsewhere, to be verified: a TOML file of `[[claim]]` tables, or a table of TraceLens or the folder that
    /// holds them; repeatable
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) claims: Vec<PathBuf>,
    /// Bytes of text that one file may hold, decompressed [default: 128 GiB]
    #[arg(long, value_name = "BYTES", display_order = 98)]
    pub(crate) max_text_bytes: Option<NonZeroU64>,
    /// Captures that are analysed side by side [default: one a core]
    #[arg(long, value_name = "N", display_order = 99)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The presets' names, each with what it is for.
fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(
        PRESETS.iter().map(|preset| PossibleValue::new(preset.name).help(preset.summary)),
    )
}

/// A message of the parser of arguments, in which it repeats them as they are: what acts in them is spelled out.
pub(crate) fn shown_args(message: &str, args: impl Iterator<Item = OsString>) -> String {
    let mut shown = message.to_owned();
    for arg in args {
        let arg = arg.to_string_lossy();
        let (name, value) = arg.split_once('=').unwrap_or_default();
        for text in [&*arg, name, value] {
            if let Cow::Owned(spelled) = terminal(text) {
                shown = shown.replace(text, &spelled);
            }
        }
    }
    shown
}
