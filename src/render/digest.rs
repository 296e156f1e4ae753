//! Digests by which other tools know a finding again.

use sha2::{Digest, Sha256};

/// A digest of several texts, in hexadecimal; no two lists share one by running together.
pub(super) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update((text.len() as u64).to_le_bytes());
        digest.update(text);
    }
    digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn texts_do_not_run_together() {
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
        assert_eq!(of(["a"]).len(), 32);
    }
}
