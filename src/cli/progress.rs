//! How far a long run is, on a terminal; nothing is said elsewhere.

use super::Voice;
use idleproof::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line that counts what is done, and goes away with the last.
pub(super) struct Line(ProgressBar);

impl Line {
    /// A line for so many captures, which may turn out to be more. A terminal that nobody looks at shows none.
    pub(super) fn new(voice: &Voice, total: usize) -> Self {
        let is_watched = !voice.quiet && std::env::var_os("CI").is_none();
        // The target is hidden of itself where the standard error is no terminal.
        let target =
            if is_watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{pos} of {len} analysed, {elapsed}") {
            bar.set_style(style);
        }
        bar.tick();
        Self(bar)
    }

    /// What counts on it.
    pub(super) fn progress(&self) -> Progress {
        let bar = self.0.clone();
        Progress::new(move || bar.inc(1))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
