//! The policies that come with the program.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name on the command line and in `extends`.
    pub name: &'static str,
    /// What it is for, in one line.
    pub summary: &'static str,
    /// The policy file.
    pub text: &'static str,
}

/// The presets; the first is the ground on which every policy file stands.
pub static PRESETS: [Preset; 3] = [
    Preset {
        name: "default",
        summary: "a capture that contradicts itself fails; thin evidence is noted",
        text: include_str!("../../policies/default.toml"),
    },
    Preset {
        name: "strict",
        summary: "everything fails, missing evidence too",
        text: include_str!("../../policies/strict.toml"),
    },
    Preset {
        name: "advisory",
        summary: "everything is reported, nothing fails",
        text: include_str!("../../policies/advisory.toml"),
    },
];

/// The preset of this name.
pub(super) fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// Every name.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|preset| preset.name)
}
