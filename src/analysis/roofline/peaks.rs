//! What devices can do at most, as their vendors state it: dense rates by element type, and memory bandwidth.
//!
//! A row is one device as a capture sees it: one die of an MI250, not the module. Rates are TFLOP/s (TOP/s for integers)
//! without structured sparsity and with 32-bit accumulation; bandwidths are decimal GB/s. Every figure names its document and
//! how it was obtained: data sheets that print rates with sparsity are halved here.

use Provenance::{Derived, Quoted, Recalled};
use Rate::{Bf16, F8, F16, F32, F32Matrix, F64, F64Matrix, I8, Tf32};

/// Which of a device's units compute, by what they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rate {
    /// 64-bit floats, vector units.
    F64,
    /// 64-bit floats, matrix units.
    F64Matrix,
    /// 32-bit floats, vector units.
    F32,
    /// 32-bit floats, matrix units.
    F32Matrix,
    /// 32-bit floats that matrix units round to 19 bits.
    Tf32,
    /// 16-bit floats (IEEE), matrix units.
    F16,
    /// 16-bit floats (bfloat), matrix units.
    Bf16,
    /// 8-bit floats, matrix units.
    F8,
    /// 8-bit integers, matrix units.
    I8,
}

impl Rate {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            F64 => "f64",
            F64Matrix => "f64 matrix",
            F32 => "f32",
            F32Matrix => "f32 matrix",
            Tf32 => "tf32",
            F16 => "f16",
            Bf16 => "bf16",
            F8 => "f8",
            I8 => "s8",
        }
    }
}

/// How a figure was obtained, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// Units × clock × operations a clock of the vendor's document, and equal to the figure that the vendor publishes.
    Derived,
    /// The vendor's figure, read where others quote the document.
    Quoted,
    /// General knowledge: no document was read, so that no claim may rest on it.
    Recalled,
}

impl Provenance {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Derived => "derived",
            Quoted => "quoted",
            Recalled => "recalled",
        }
    }
}

/// Where figures come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// How.
    pub provenance: Provenance,
    /// The vendor's document.
    pub document: &'static str,
}

/// One model of device.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Compute capability; of AMD the digits of the architecture: 9.4 for gfx942.
    pub capability: (u64, u64),
    /// Multiprocessors or compute units.
    pub units: u64,
    /// The highest clock that a driver states, in MHz; absent where no document with it was read.
    pub clock_mhz: Option<u64>,
    /// Memory in GiB.
    pub memory_gib: u64,
    /// Names that drivers give it, without what they append for partitions.
    pub names: &'static [&'static str],
    /// True where capability, units, memory and clock leave no other product.
    pub is_told_by_fields: bool,
    /// Rates in TFLOP/s.
    pub rates: &'static [(Rate, f64)],
    /// Where they come from.
    pub rates_source: Source,
    /// Memory bandwidth in GB/s.
    pub bandwidth: f64,
    /// Where it comes from.
    pub bandwidth_source: Source,
    /// The largest cache before the memory, in MiB. It only marks rows, so its document does not matter.
    pub cache_mib: u64,
}

impl Model {
    /// True for AMD's devices, whose libraries round 32-bit floats only where they are told to.
    pub fn is_amd(&self) -> bool {
        self.name.contains("AMD")
    }

    /// The rate of some units in TFLOP/s; `None` where the device has none, or where no document says so.
    pub fn rate(&self, rate: Rate) -> Option<f64> {
        self.rates.iter().find(|(known, _)| *known == rate).map(|&(_, tflops)| tflops)
    }
}

const fn derived(document: &'static str) -> Source {
    Source { provenance: Derived, document }
}

const fn quoted(document: &'static str) -> Source {
    Source { provenance: Quoted, document }
}

const CDNA2: Source =
    derived("AMD CDNA 2 white paper, table 1: operations a clock and compute unit");
const CDNA3: Source =
    derived("AMD CDNA 3 white paper, table 1: operations a clock and compute unit");
const CDNA4: Source =
    derived("AMD CDNA 4 white paper, table 1: operations a clock and compute unit");

/// 304 compute units at 2.1 GHz: MI300X and MI325X compute alike.
const GFX942_304: &[(Rate, f64)] = &[
    (F64, 81.7),
    (F64Matrix, 163.4),
    (F32, 163.4),
    (F32Matrix, 163.4),
    (Tf32, 653.7),
    (F16, 1307.4),
    (Bf16, 1307.4),
    (F8, 2614.9),
    (I8, 2614.9),
];

/// 108 multiprocessors at 1.41 GHz: every A100 computes alike.
const A100: &[(Rate, f64)] = &[
    (F64, 9.7),
    (F64Matrix, 19.5),
    (F32, 19.5),
    (Tf32, 156.0),
    (F16, 312.0),
    (Bf16, 312.0),
    (I8, 624.0),
];
const A100_SHEET: Source = quoted("NVIDIA A100 data sheet");

/// 132 multiprocessors of a GH100 in an SXM module.
const GH100_SXM: &[(Rate, f64)] = &[
    (F64, 33.5),
    (F64Matrix, 66.9),
    (F32, 66.9),
    (Tf32, 494.7),
    (F16, 989.4),
    (Bf16, 989.4),
    (F8, 1978.9),
    (I8, 1978.9),
];
const H100_PAPER: Source = quoted("NVIDIA H100 architecture white paper");

/// The table.
pub(super) static MODELS: &[Model] = &[
    Model {
        // The two have the same compute units, clock and memory for each die.
        name: "AMD Instinct MI210, or one die of an MI250",
        capability: (9, 0),
        units: 104,
        clock_mhz: Some(1700),
        memory_gib: 64,
        names: &["AMD Instinct MI210", "AMD Instinct MI250"],
        is_told_by_fields: true,
        rates: &[
            (F64, 22.6),
            (F64Matrix, 45.3),
            (F32, 22.6),
            (F32Matrix, 45.3),
            (F16, 181.0),
            (Bf16, 181.0),
            (I8, 181.0),
        ],
        rates_source: CDNA2,
        bandwidth: 1638.4,
        bandwidth_source: quoted(
            "AMD Instinct MI210 data sheet: 1.6 TB/s; an MI250 has 3.2 TB/s for two dies",
        ),
        cache_mib: 8,
    },
    Model {
        name: "one die of an AMD Instinct MI250X",
        capability: (9, 0),
        units: 110,
        clock_mhz: Some(1700),
        memory_gib: 64,
        names: &["AMD Instinct MI250X"],
        is_told_by_fields: true,
        rates: &[
            (F64, 23.9),
            (F64Matrix, 47.9),
            (F32, 23.9),
            (F32Matrix, 47.9),
            (F16, 191.5),
            (Bf16, 191.5),
            (I8, 191.5),
        ],
        rates_source: CDNA2,
        bandwidth: 1638.4,
        bandwidth_source: quoted("AMD Instinct MI250X product page: 3.2 TB/s for two dies"),
        cache_mib: 8,
    },
    Model {
        name: "AMD Instinct MI300X",
        capability: (9, 4),
        units: 304,
        clock_mhz: Some(2100),
        memory_gib: 192,
        names: &["AMD Instinct MI300X"],
        is_told_by_fields: true,
        rates: GFX942_304,
        rates_source: CDNA3,
        bandwidth: 5300.0,
        bandwidth_source: quoted("AMD Instinct MI300X data sheet"),
        cache_mib: 256,
    },
    Model {
        name: "AMD Instinct MI325X",
        capability: (9, 4),
        units: 304,
        clock_mhz: Some(2100),
        memory_gib: 256,
        names: &["AMD Instinct MI325X"],
        is_told_by_fields: true,
        rates: GFX942_304,
        rates_source: CDNA3,
        bandwidth: 6000.0,
        bandwidth_source: quoted("AMD Instinct MI325X data sheet"),
        cache_mib: 256,
    },
    Model {
        name: "AMD Instinct MI350X",
        capability: (9, 5),
        units: 256,
        clock_mhz: Some(2200),
        memory_gib: 288,
        names: &["AMD Instinct MI350X"],
        is_told_by_fields: true,
        rates: &[
            (F64, 72.1),
            (F64Matrix, 72.1),
            (F32, 144.2),
            (F32Matrix, 144.2),
            (F16, 2306.9),
            (Bf16, 2306.9),
            (F8, 4613.7),
            (I8, 4613.7),
        ],
        // The rates of the table, at a clock that was not read.
        rates_source: Source { provenance: Recalled, document: CDNA4.document },
        bandwidth: 8000.0,
        bandwidth_source: quoted("AMD Instinct MI350X data sheet"),
        cache_mib: 256,
    },
    Model {
        name: "AMD Instinct MI355X",
        capability: (9, 5),
        units: 256,
        clock_mhz: Some(2400),
        memory_gib: 288,
        names: &["AMD Instinct MI355X"],
        is_told_by_fields: true,
        rates: &[
            (F64, 78.6),
            (F64Matrix, 78.6),
            (F32, 157.3),
            (F32Matrix, 157.3),
            (F16, 2516.6),
            (Bf16, 2516.6),
            (F8, 5033.2),
            (I8, 5033.2),
        ],
        rates_source: CDNA4,
        bandwidth: 8000.0,
        bandwidth_source: quoted("AMD Instinct MI355X data sheet"),
        cache_mib: 256,
    },
    Model {
        name: "NVIDIA V100 SXM2",
        capability: (7, 0),
        units: 80,
        clock_mhz: None,
        memory_gib: 32,
        names: &["Tesla V100-SXM2-32GB"],
        is_told_by_fields: false,
        rates: &[(F64, 7.8), (F32, 15.7), (F16, 125.0)],
        rates_source: quoted("NVIDIA V100 data sheet; 80 multiprocessors × 1.53 GHz × 1024 = 125"),
        bandwidth: 900.0,
        bandwidth_source: quoted("NVIDIA V100 data sheet"),
        cache_mib: 6,
    },
    Model {
        name: "NVIDIA A100 40 GB",
        capability: (8, 0),
        units: 108,
        clock_mhz: Some(1410),
        memory_gib: 40,
        names: &[
            "NVIDIA A100-SXM4-40GB",
            "A100-SXM4-40GB",
            "NVIDIA A100-PCIE-40GB",
            "A100-PCIE-40GB",
            // The board number of an SXM module.
            "NVIDIA A100-PG509-200",
        ],
        // Both form factors have the same rates and the same memory.
        is_told_by_fields: true,
        rates: A100,
        rates_source: A100_SHEET,
        bandwidth: 1555.0,
        bandwidth_source: A100_SHEET,
        cache_mib: 40,
    },
    Model {
        name: "NVIDIA A100 SXM 80 GB",
        capability: (8, 0),
        units: 108,
        clock_mhz: Some(1410),
        memory_gib: 80,
        names: &["NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"],
        is_told_by_fields: false,
        rates: A100,
        rates_source: A100_SHEET,
        bandwidth: 2039.0,
        bandwidth_source: A100_SHEET,
        cache_mib: 40,
    },
    Model {
        name: "NVIDIA A100 PCIe 80 GB",
        capability: (8, 0),
        units: 108,
        clock_mhz: Some(1410),
        memory_gib: 80,
        names: &["NVIDIA A100 80GB PCIe"],
        is_told_by_fields: false,
        rates: A100,
        rates_source: A100_SHEET,
        bandwidth: 1935.0,
        bandwidth_source: A100_SHEET,
        cache_mib: 40,
    },
    Model {
        name: "NVIDIA H100 SXM",
        capability: (9, 0),
        units: 132,
        // The rates of its matrix units hold at 1.83 GHz: the stated clock times operations a clock is 8 % too high.
        clock_mhz: Some(1980),
        memory_gib: 80,
        names: &["NVIDIA H100 80GB HBM3"],
        is_told_by_fields: true,
        rates: GH100_SXM,
        rates_source: H100_PAPER,
        bandwidth: 3350.0,
        bandwidth_source: H100_PAPER,
        cache_mib: 50,
    },
    Model {
        name: "NVIDIA H100 PCIe",
        capability: (9, 0),
        units: 114,
        clock_mhz: Some(1755),
        memory_gib: 80,
        names: &["NVIDIA H100 PCIe"],
        is_told_by_fields: true,
        rates: &[
            (F64, 25.6),
            (F64Matrix, 51.2),
            (F32, 51.2),
            (Tf32, 378.0),
            (F16, 756.0),
            (Bf16, 756.0),
            (F8, 1513.0),
            (I8, 1513.0),
        ],
        rates_source: Source { provenance: Recalled, document: "NVIDIA H100 PCIe data sheet" },
        bandwidth: 2000.0,
        bandwidth_source: quoted("NVIDIA H100 PCIe product brief"),
        cache_mib: 50,
    },
    Model {
        name: "NVIDIA H200 SXM",
        capability: (9, 0),
        units: 132,
        clock_mhz: Some(1980),
        memory_gib: 141,
        names: &["NVIDIA H200"],
        // The H200 NVL has the same units and memory.
        is_told_by_fields: false,
        rates: GH100_SXM,
        rates_source: quoted("NVIDIA H200 data sheet: rates as of the H100"),
        bandwidth: 4800.0,
        bandwidth_source: quoted("NVIDIA H200 data sheet"),
        cache_mib: 50,
    },
    Model {
        name: "NVIDIA B200",
        capability: (10, 0),
        units: 148,
        clock_mhz: None,
        memory_gib: 180,
        names: &["NVIDIA B200"],
        is_told_by_fields: false,
        // Rates of vector units and TF32 differ between sheets, and are left out.
        rates: &[(F16, 2250.0), (Bf16, 2250.0), (F8, 4500.0), (I8, 4500.0)],
        rates_source: quoted("NVIDIA Blackwell architecture technical brief, HGX B200"),
        bandwidth: 8000.0,
        bandwidth_source: quoted("NVIDIA Blackwell architecture technical brief, HGX B200"),
        cache_mib: 126,
    },
    Model {
        name: "NVIDIA L4",
        capability: (8, 9),
        units: 58,
        clock_mhz: None,
        memory_gib: 24,
        names: &["NVIDIA L4"],
        is_told_by_fields: false,
        rates: &[(F16, 121.0), (Bf16, 121.0), (F8, 242.5), (I8, 242.5)],
        rates_source: quoted("NVIDIA L4 data sheet"),
        bandwidth: 300.0,
        bandwidth_source: quoted("NVIDIA L4 data sheet"),
        cache_mib: 48,
    },
    Model {
        name: "NVIDIA L40S",
        capability: (8, 9),
        units: 142,
        clock_mhz: None,
        memory_gib: 48,
        names: &["NVIDIA L40S"],
        is_told_by_fields: false,
        rates: &[
            (F32, 91.6),
            (Tf32, 183.0),
            (F16, 362.05),
            (Bf16, 362.05),
            (F8, 733.0),
            (I8, 733.0),
        ],
        rates_source: quoted("NVIDIA L40S data sheet"),
        bandwidth: 864.0,
        bandwidth_source: quoted("NVIDIA L40S data sheet"),
        cache_mib: 96,
    },
    Model {
        name: "NVIDIA GeForce RTX 4090",
        capability: (8, 9),
        units: 128,
        clock_mhz: None,
        memory_gib: 24,
        names: &["NVIDIA GeForce RTX 4090"],
        is_told_by_fields: false,
        // With 16-bit accumulation twice as fast; the program does not say which it is.
        rates: &[(F32, 82.6), (Tf32, 82.6), (F16, 330.3), (Bf16, 165.2), (F8, 660.6), (I8, 660.6)],
        rates_source: quoted(
            "NVIDIA Ada GPU architecture white paper, rates with the faster accumulation",
        ),
        bandwidth: 1008.0,
        bandwidth_source: quoted("NVIDIA Ada GPU architecture white paper"),
        cache_mib: 72,
    },
];

#[cfg(test)]
mod tests {
    use super::{MODELS, Rate};

    /// Units × clock × operations a clock and unit, as the white papers state the latter.
    #[test]
    fn rates_follow_from_units_and_clocks() {
        for (name, ghz, rate, per_clock) in [
            ("AMD Instinct MI210, or one die of an MI250", 1.7, Rate::F16, 1024.0),
            ("one die of an AMD Instinct MI250X", 1.7, Rate::F64Matrix, 256.0),
            ("AMD Instinct MI300X", 2.1, Rate::Bf16, 2048.0),
            ("AMD Instinct MI300X", 2.1, Rate::F32Matrix, 256.0),
            ("AMD Instinct MI355X", 2.4, Rate::F16, 4096.0),
            ("AMD Instinct MI350X", 2.2, Rate::F8, 8192.0),
            ("NVIDIA V100 SXM2", 1.53, Rate::F16, 1024.0),
            ("NVIDIA A100 40 GB", 1.41, Rate::Tf32, 1024.0),
            ("NVIDIA H100 SXM", 1.83, Rate::F8, 8192.0),
            ("NVIDIA H200 SXM", 1.98, Rate::F32, 256.0),
        ] {
            let model = MODELS.iter().find(|model| model.name == name).unwrap();
            let units = u32::try_from(model.units).unwrap();
            let expected = f64::from(units) * ghz * per_clock / 1e3;
            let stated = model.rate(rate).unwrap();
            assert!((stated / expected - 1.0).abs() < 0.004, "{name}: {stated} {expected}");
        }
    }

    #[test]
    fn no_name_belongs_to_two_models() {
        let mut names: Vec<&str> = MODELS.iter().flat_map(|model| model.names).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
