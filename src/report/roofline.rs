//! What kernels compute and move, against what their device can do at most.
//!
//! Times are measured. Peaks are read: the vendor's figures, each with its document. Operations and bytes are inferred from
//! shapes. Pairs are the lowest and the highest value that the capture allows.

use super::{Microseconds, Share};
use serde::{Deserialize, Serialize};

/// The roofline of a capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineReport {
    /// Devices with work, those with one roof together.
    pub devices: Vec<RooflineDevice>,
    /// Operations, the one with the most kernel time first.
    pub rows: Vec<RooflineRow>,
    /// Kernels of those rows.
    pub covered: KernelSum,
    /// All other kernels, by reason. With the covered ones they are all kernels.
    pub refused: Vec<RefusedKernels>,
}

/// A number of kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelSum {
    /// How many.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time.
    pub share: Option<Share>,
}

/// Kernels without a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedKernels {
    /// Why.
    pub reason: String,
    /// How many, and their time.
    pub kernels: KernelSum,
}

/// Devices with one roof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineDevice {
    /// The devices, such as `gpu:0`.
    pub devices: Vec<String>,
    /// The model in the table of peaks; absent where it is not known.
    pub model: Option<String>,
    /// Why it is not known.
    pub refused: Option<String>,
    /// Units of a partition, where the capture sees fewer than the model has: rates are scaled to them.
    pub partition_units: Option<u64>,
    /// Rates of the model, or of the partition.
    pub peaks: Vec<RooflinePeak>,
    /// How the rates were obtained: `derived`, `quoted` or `recalled`.
    pub peaks_provenance: Option<String>,
    /// The vendor's document of the rates.
    pub peaks_source: Option<String>,
    /// Memory bandwidth in GB/s; of a partition its part and the whole.
    pub bandwidth_gb_s: Option<(f64, f64)>,
    /// How it was obtained.
    pub bandwidth_provenance: Option<String>,
    /// The vendor's document of the bandwidth.
    pub bandwidth_source: Option<String>,
}

/// A rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflinePeak {
    /// What it computes, such as `bf16` or `f32 matrix`.
    pub name: String,
    /// TFLOP/s, dense; TOP/s of integers.
    pub tflops: f64,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RooflineRow {
    /// The model of its device.
    pub device: String,
    /// The framework's name of the operation; empty where there is none.
    pub op: String,
    /// JAX: the instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// JAX: id and name of its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<(u64, String)>,
    /// The operands: `bf16[8192,1024] × bf16[1024,4096]`.
    pub shapes: String,
    /// The element type of the operands; absent where operations are not modelled.
    pub dtype: Option<String>,
    /// How often it ran.
    pub executions: u64,
    /// Its kernels, of all executions together.
    pub records: u64,
    /// Sum of their durations.
    pub time_us: Microseconds,
    /// Part of all kernel time.
    pub share: Option<Share>,
    /// Operations of one execution; absent where they are not modelled.
    pub flops: Option<(u64, u64)>,
    /// Bytes that one execution has to read and write.
    pub bytes: (u64, u64),
    /// Operations ÷ time, in TFLOP/s.
    pub attained_tflops: Option<(f64, f64)>,
    /// Operations for each byte.
    pub intensity: Option<(f64, f64)>,
    /// Operations for each byte at which the roofs meet.
    pub ridge: Option<(f64, f64)>,
    /// The rates that may have been used, the slowest first.
    pub peaks: Vec<RooflinePeak>,
    /// Percent of the roof; of the bandwidth alone where operations are not modelled.
    pub efficiency_pct: (f64, f64),
    /// `compute`, `memory`, or `either` where it is not certain.
    pub bound: String,
    /// True where its data fit into the device's largest cache, so that memory need not limit it.
    pub cache_resident_possible: bool,
    /// True where it is faster than its operations allow, and a convolution algorithm with fewer of them explains that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fewer_operations: bool,
    /// True where it is faster than its device can be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub above_roof: bool,
    /// True where no document stands behind its peaks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recalled: bool,
    /// How the operations of its kernels are known: `exact`, or `inferred` by name, order or nesting.
    pub class: String,
}
