//! What the percentages of checks are parts of: beside a limit the number alone does not say it.

/// The whole of a check's measured part, as words behind `%`; `None` where the check counts things or times, or is of another version.
pub(in crate::render) fn of(id: &str) -> Option<&'static str> {
    let whole = match id {
        "above-roofline" => "beyond its roof",
        "ambiguous-program" | "hlo-missing-for-program" => "of kernel time",
        "collective-outlier" => "of the window, in outliers",
        "high-idle" => "of the window idle",
        "low-compute" => "of the window in compute",
        "idle-with-queued-work" => "of the window, idle with work queued",
        "kernel-before-launch" => "of linked kernels",
        "low-op-attribution" => "of kernel time with an operator",
        "silent-head-or-tail" => "of the recorded span",
        "sync-without-recorded-work" => "of the time in synchronisation",
        "unconfirmed-idle" => "of the window or of busy time",
        "under-recorded-graph-replays" => "of graph launches with records",
        "unequal-device-work" => "less work than the busiest device",
        "uneven-kernels-per-step" => "fewer kernels than the fullest step",
        "unmatched-collectives" => "of collective kernels",
        "wrong-device-stats" => "off the vendor's figure",
        _ => return None,
    };
    Some(whole)
}
