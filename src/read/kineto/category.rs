//! Activity categories (`cat`) and what the reader makes of them.
//!
//! Source of the names: pytorch/kineto, `libkineto/include/ActivityType.h` and its mapping to text; the old spellings
//! are those of PyTorch 1.8 and 1.9.

use crate::trace::DeviceEventKind;

/// What a category says about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    /// Work on a device.
    DeviceWork(DeviceEventKind),
    /// A call into the GPU runtime or driver.
    HostCall,
    /// A framework operator.
    Op,
    /// A range that was marked on the host.
    Annotation,
    /// The profiler's own span.
    ProfilerSpan,
    /// A counter session's range.
    CounterRange,
    /// A synchronisation row on a device lane.
    DeviceSync,
    /// A marked range, repeated on a device lane.
    DeviceAnnotation,
    /// A frame of the Python tracer.
    PythonFrame,
    /// An arrow from a host call to device work.
    Flow,
    /// A category of this profiler that no table keeps.
    NotKept,
    /// Work of a device that is not supported.
    UnsupportedDevice,
    /// None of these.
    Unknown,
}

/// Each category with its name today and, where it had one, the name that it had before.
const CATEGORIES: &[(&str, Option<&str>, Category)] = &[
    ("kernel", None, Category::DeviceWork(DeviceEventKind::Kernel)),
    ("gpu_memcpy", Some("memcpy"), Category::DeviceWork(DeviceEventKind::Memcpy)),
    ("gpu_memset", Some("memset"), Category::DeviceWork(DeviceEventKind::Memset)),
    ("cuda_runtime", Some("runtime"), Category::HostCall),
    ("cuda_driver", Some("driver"), Category::HostCall),
    ("hip_runtime", None, Category::HostCall),
    ("xpu_runtime", None, Category::HostCall),
    ("xpu_driver", None, Category::HostCall),
    ("privateuse1_runtime", None, Category::HostCall),
    ("privateuse1_driver", None, Category::HostCall),
    ("cpu_op", Some("operator"), Category::Op),
    ("user_annotation", None, Category::Annotation),
    ("trace", None, Category::ProfilerSpan),
    ("cuda_profiler_range", None, Category::CounterRange),
    ("cuda_sync", None, Category::DeviceSync),
    ("gpu_user_annotation", None, Category::DeviceAnnotation),
    ("ac2g", Some("async_cpu_to_gpu"), Category::Flow),
    ("async_gpu", Some("async"), Category::Flow),
    ("fwdbwd", Some("forward_backward"), Category::NotKept),
    ("python_function", None, Category::PythonFrame),
    ("cpu_instant_event", None, Category::NotKept),
    ("cuda_event", None, Category::NotKept),
    ("overhead", None, Category::NotKept),
    ("external_correlation", None, Category::NotKept),
    ("hardware_counters", None, Category::NotKept),
    ("mtia_ccp_events", None, Category::UnsupportedDevice),
    ("mtia_runtime", None, Category::UnsupportedDevice),
    ("mtia_insight", None, Category::UnsupportedDevice),
    ("glow_runtime", None, Category::UnsupportedDevice),
    ("hpu_op", None, Category::UnsupportedDevice),
    ("xpu_sync", None, Category::UnsupportedDevice),
    ("collective_comm", None, Category::UnsupportedDevice),
];

/// Beginnings of names that only a device's activities have.
const DEVICE_PREFIXES: &[&str] = &[
    "gpu_",
    "cuda_",
    "hip_",
    "xpu_",
    "hpu_",
    "mtia_",
    "npu_",
    "tpu_",
    "mlu_",
    "musa_",
    "privateuse1_",
    "sycl_",
];

/// How a category is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As today.
    Current,
    /// In another case, or by a name that it had before.
    Legacy,
}

/// What a category's name says, in any case.
pub(super) fn category(name: &str) -> (Category, Spelling) {
    let lower = name.to_ascii_lowercase();
    for &(current, before, category) in CATEGORIES {
        if lower == current || before == Some(lower.as_str()) {
            // The profiler's span is the one category that is capitalised today.
            let today = name == current || category == Category::ProfilerSpan;
            return (category, if today { Spelling::Current } else { Spelling::Legacy });
        }
    }
    // Every producer names its calls in this way, whichever runtime it is.
    if lower.ends_with("_runtime") || lower.ends_with("_driver") {
        return (Category::HostCall, Spelling::Current);
    }
    let device = DEVICE_PREFIXES.iter().any(|prefix| lower.starts_with(prefix));
    (if device { Category::UnsupportedDevice } else { Category::Unknown }, Spelling::Current)
}

#[cfg(test)]
mod tests {
    use super::{Category, Spelling, category};
    use crate::trace::DeviceEventKind;

    #[test]
    fn names_of_today_and_of_before() {
        for (name, expected) in [
            ("kernel", (Category::DeviceWork(DeviceEventKind::Kernel), Spelling::Current)),
            ("Kernel", (Category::DeviceWork(DeviceEventKind::Kernel), Spelling::Legacy)),
            ("Memset", (Category::DeviceWork(DeviceEventKind::Memset), Spelling::Legacy)),
            ("Operator", (Category::Op, Spelling::Legacy)),
            ("Runtime", (Category::HostCall, Spelling::Legacy)),
            ("Trace", (Category::ProfilerSpan, Spelling::Current)),
            ("xpu_runtime", (Category::HostCall, Spelling::Current)),
            ("zoo_runtime", (Category::HostCall, Spelling::Current)),
            ("mtia_runtime", (Category::UnsupportedDevice, Spelling::Current)),
            ("hpu_op", (Category::UnsupportedDevice, Spelling::Current)),
            ("npu_kernel", (Category::UnsupportedDevice, Spelling::Current)),
            ("blink.user_timing", (Category::Unknown, Spelling::Current)),
        ] {
            assert_eq!(category(name), expected, "{name}");
        }
    }
}
