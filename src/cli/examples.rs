//! The examples below each command's help. A test holds every one against the definitions of the arguments.

/// Of the program.
pub(super) const ALL: &str = "Examples:
  idleproof init                          # policy file, goldens folder and CI workflow
  idleproof check captures                # analyse and gate
  idleproof explain idle                  # what withholds a claim
  idleproof help check                    # more on a command

Exit codes:
  0  everything holds; warnings are allowed
  1  a check at level `deny` is violated, a golden differs, or a baseline is not kept
  2  wrong usage, or a mistake in the policy file
  3  no capture matched
  4  a capture could not be read or analysed, or an internal error";

/// Of `check`.
pub(super) const CHECK: &str = "Examples:
  idleproof check                                       # what the policy file names
  idleproof check captures --preset strict --report junit=idleproof.xml
  idleproof check -W high-idle -D low-op-attribution    # levels for this run
  idleproof check --pending goldens                     # let what differs wait for a decision
  idleproof check --baseline baseline.json              # fail on what became less reliable
  idleproof check captures/decode --claims captures/decode/tracelens_csvs";

/// Of `report`.
pub(super) const REPORT: &str = "Examples:
  idleproof report captures/decode
  idleproof report captures/decode --report markdown=report.md --report csv=tables
  idleproof report host.xplane.pb --user-re '^train/' --program 17";

/// Of `diff`.
pub(super) const DIFF: &str = "Examples:
  idleproof diff before.pt.trace.json.gz after.pt.trace.json.gz
  idleproof diff runs/main runs/branch --format markdown -o diff.md
  idleproof diff baseline.json captures/decode    # a report against a capture

Each side is analysed and judged as `check` does it, and only what both may state is compared. A time is slower or faster where
its median moved by more than 3 % (a kernel's by 5 %), by more than three standard errors of the steps, and with p below 0.01;
with less than six steps a side it is suspected at most, and with less than three it is not compared.

Exit codes: 0 nothing got worse beyond noise; 1 a time, a claim or a check did; 2 wrong usage; 3 no time can be compared, such as of
different devices or of less than three steps, or there is no capture; 4 a side could not be read.";

/// Of `init`.
pub(super) const INIT: &str = "Examples:
  idleproof init
  idleproof init --baseline --expires 2027-01-31    # what fails today passes until then";

/// Of `explain`.
pub(super) const EXPLAIN: &str = "Examples:
  idleproof explain under-recorded-graph-replays
  idleproof explain op_attribution";

/// Of `checks`.
pub(super) const CHECKS: &str = "Examples:
  idleproof checks";

/// Of `policy show`.
pub(super) const SHOW: &str = "Examples:
  idleproof policy show
  idleproof policy show --preset strict
  idleproof policy show -D high-idle";

/// Of `policy validate`.
pub(super) const VALIDATE: &str = "Examples:
  idleproof policy validate
  idleproof policy validate ci/idleproof.toml";

/// Of `policy schema`.
pub(super) const SCHEMA: &str = "Examples:
  idleproof policy schema > idleproof.schema.json    # then, in the policy: #:schema ./idleproof.schema.json";

/// Of `golden status`.
pub(super) const STATUS: &str = "Examples:
  idleproof golden status
  idleproof golden status --pending artifact";

/// Of `golden review`.
pub(super) const REVIEW: &str = "Examples:
  idleproof golden review
  idleproof golden review --pending artifact    # what a CI run uploaded";

/// Of `golden accept`.
pub(super) const ACCEPT: &str = "Examples:
  idleproof golden accept --all
  idleproof golden accept captures+decode.trust.snap
  idleproof golden accept --all --pending artifact";

/// Of `golden reject`.
pub(super) const REJECT: &str = "Examples:
  idleproof golden reject --all
  idleproof golden reject captures+decode.trust.snap";

/// Of `golden prune`.
pub(super) const PRUNE: &str = "Examples:
  idleproof golden prune          # what would be removed
  idleproof golden prune --all";

/// Of `completions`.
pub(super) const COMPLETIONS: &str = "Examples:
  idleproof completions bash > ~/.local/share/bash-completion/completions/idleproof
  idleproof completions zsh > ~/.zfunc/_idleproof
  idleproof completions fish > ~/.config/fish/completions/idleproof.fish";

/// Of `man`.
pub(super) const MAN: &str = "Examples:
  idleproof man > idleproof.1
  idleproof man check > idleproof-check.1
  idleproof man golden accept > idleproof-golden-accept.1";

/// Of `merge`.
pub(super) const MERGE: &str = "Examples:
  idleproof merge part-1.json part-2.json --report junit=idleproof.xml --report markdown=idleproof.md

The parts are written by `idleproof check --partition K/N --report json=PATH`. Exit codes are those of `check`. A part that is missing
or can't be read is 4, for the gate was not evaluated; reports that are no parts of one run, or one of them given twice, are 2.";
