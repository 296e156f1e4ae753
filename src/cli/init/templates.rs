//! The texts that `init` writes.

/// What to do after it.
pub(super) const NEXT: &str = "
next:  idleproof check                      # what the captures support, and what fails
       idleproof check --pending goldens    # the first goldens, to wait for a decision
       idleproof golden review              # look at each, and accept it
";

/// A policy file that explains itself.
pub(super) fn policy(captures: &[String]) -> String {
    POLICY.replace("CAPTURES", &toml::Value::from(captures.to_vec()).to_string())
}

/// A workflow that gates pull requests.
pub(super) fn workflow() -> String {
    WORKFLOW.replace("VERSION", env!("CARGO_PKG_VERSION"))
}

const POLICY: &str = r#"# What idleproof gates, and how strictly. `idleproof policy show` prints every value that is in force,
# `idleproof explain ID` what a check is about.
version = 1

# Presets, and files relative to this one; later ones win. `default` fails a capture that contradicts itself and notes thin
# evidence, `strict` fails both, `advisory` fails nothing.
extends = ["default"]

# What `idleproof check` gates where no path is given.
captures = CAPTURES

# What differs from the preset. Levels: "deny" fails the gate, "warn" passes it, both withhold the claims that the check guards;
# "allow" switches it off. `idleproof checks` lists the ids, the limits' keys and their units.
[checks]
# high-idle = { max = 50 }                            # percent
# low-op-attribution = { level = "deny", min = 0.9 }  # a share from 0 to 1
golden-missing = "warn"                               # "deny" once the first goldens are accepted

# The accepted report of each capture, kept as text: what changes in it is a diff.
[golden]
dir = "goldens"
outputs = ["trust"]
# tolerances = { device_inactive_pct = { abs = 0.5 } }  # figures that may lie so far from the golden's

# Other rows for some captures.
# [[overrides]]
# paths = ["captures/decode/**"]
# checks = { high-idle = "allow" }

# A violation that is known. It does not fail the gate until the end of that day, and its claims stay withheld.
# [[exceptions]]
# check = "shared-correlation-ids"
# paths = ["captures/legacy/**"]
# reason = "recorded with a profiler that reuses ids"
# expires = 2027-01-31
"#;

const WORKFLOW: &str = r#"# Fails a pull request whose captures do not support what they would be quoted for.
name: idleproof

on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          persist-credentials: false
      - name: Install
        run: cargo install --locked idleproof@VERSION
      - name: Check
        run: |
          idleproof check --pending pending-goldens --report github=- --report junit=idleproof.xml \
            --report markdown=idleproof.md --report summary="$GITHUB_STEP_SUMMARY"
      # What waits is taken over at home: unpack it, then idleproof golden accept --all --pending pending-goldens
      - name: Keep the reports, and what waits for a decision
        if: ${{ !cancelled() }}
        uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        with:
          name: idleproof
          path: |
            idleproof.xml
            idleproof.md
            pending-goldens/
          if-no-files-found: ignore
"#;
