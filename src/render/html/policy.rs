//! What the page may do: use its own style and script, known by their digests, and nothing else.

use super::super::swimlanes;
use sha2::{Digest, Sha256};

const PAGE_CSS: &str = include_str!("page.css");
const PAGE_JS: &str = include_str!("page.js");

/// The style of the page. A browser counts line ends as it reads them, so those of a checkout may not enter.
pub(super) fn style() -> String {
    format!("\n{}{}", swimlanes::CSS, PAGE_CSS).replace("\r\n", "\n")
}

/// The script of the page.
pub(super) fn script() -> String {
    format!("\n{PAGE_JS}").replace("\r\n", "\n")
}

/// A policy under which nothing is fetched, sent or run but what the page itself holds.
pub(super) fn content_security_policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        digest(style),
        digest(script)
    )
}

fn digest(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_usize {
            let letter = LETTERS[(group >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{base64, script, style};

    #[test]
    fn digests_are_written_as_browsers_read_them() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("\u{0}\u{7f}~?", "AH9+Pw=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
    }

    #[test]
    fn style_and_script_cannot_end_their_elements() {
        for text in [style(), script()] {
            assert!(!text.contains("</"), "an end tag in the page's own style or script");
            assert!(!text.contains("://"), "an address in the page's own style or script");
        }
    }
}
