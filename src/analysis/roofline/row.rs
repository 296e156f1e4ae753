//! One operation under its roof.
//!
//! Attained = operations ÷ time; intensity = operations ÷ bytes; the roof at that intensity is the lower of the peak and
//! intensity × bandwidth (Williams, Waterman, Patterson, "Roofline", CACM 2009). Efficiency = attained ÷ roof, which is the
//! longer of the two least times ÷ the measured one. Where peak, operations or bytes are an interval, so is the efficiency.

use super::device::Roof;
use super::peaks::Rate;
use super::work::{Element, Kind, Work};
use super::{KernelTotal, Refusal};

/// What may exceed a vendor's figure: clocks above the stated one, and rounding.
const SLACK: f64 = 1.05;

/// Winograd's method of the size that libraries use, F(4×4, 3×3), needs a quarter of the multiplications.
const WINOGRAD: f64 = 4.0;

/// How much faster than memory the largest cache may be: 3.2 times on MI300X (17.2 TB/s, AMD CDNA 3 white paper), and about two to
/// three times on NVIDIA's devices.
const CACHE_SPEEDUP: f64 = 4.0;

/// An FFT of the tiles that libraries use saves no more than this.
const FFT: f64 = 16.0;

/// Which roof limits an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoundBy {
    /// The rate of the units.
    Compute,
    /// Memory bandwidth.
    Memory,
    /// One of them: which is not certain.
    Either,
}

impl BoundBy {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory => "memory",
            Self::Either => "either",
        }
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its device, by index of [`super::Roofline::devices`].
    pub roof: usize,
    /// The framework's name of the operation; empty where there is none.
    pub op: String,
    /// The instruction.
    pub instruction: Option<String>,
    /// The program's id and name.
    pub program: Option<(u64, String)>,
    /// What one execution computes and moves.
    pub work: Work,
    /// Its kernels: all of every execution.
    pub total: KernelTotal,
    /// How often it ran.
    pub n_instances: u64,
    /// Units that may have computed it, with their rates in TFLOP/s, the fastest last; empty where operations are not modelled.
    pub peaks: Vec<(Rate, f64)>,
    /// TFLOP/s, lowest and highest.
    pub attained: Option<(f64, f64)>,
    /// Operations for each byte, lowest and highest.
    pub intensity: Option<(f64, f64)>,
    /// Operations for each byte at which the two roofs meet, lowest and highest.
    pub ridge: Option<(f64, f64)>,
    /// Part of the roof, lowest and highest; above 1 only within the slack, or where [`Row::floor`] says so.
    pub efficiency: (f64, f64),
    /// The lowest efficiency that nothing explains: above 1 it contradicts shapes, times or peaks.
    pub floor: f64,
    /// Which roof it is held against.
    pub bound: BoundBy,
    /// True where all its data fit into the largest cache, so that memory need not limit it.
    pub fits_cache: bool,
    /// True where a faster algorithm explains more than the peak.
    pub is_fewer: bool,
    /// True where every kernel is known from the tracer's own label or ids.
    pub is_exact: bool,
}

impl Row {
    /// True where it is faster than its device can be, and nothing explains that.
    pub fn is_above_roof(&self) -> bool {
        self.floor > SLACK
    }
}

/// What an operation is called.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) op: String,
    pub(super) instruction: Option<String>,
    pub(super) program: Option<(u64, String)>,
}

/// What was recorded of it.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) total: KernelTotal,
    pub(super) n_instances: u64,
    /// Names of its kernels.
    pub(super) kernels: &'a [&'a str],
    pub(super) is_exact: bool,
}

/// Puts an operation under its roof.
pub(super) fn row(
    at: usize,
    roof: &Roof,
    work: Work,
    named: Named,
    seen: Seen<'_>,
) -> Result<Row, Refusal> {
    let total_ps = seen.total.time.ps() as f64;
    if seen.n_instances == 0 || total_ps <= 0.0 {
        return Err(Refusal::Instances);
    }
    // Picoseconds of one execution: operations ÷ them are TFLOP/s, and bytes ÷ them TB/s.
    let time = total_ps / seen.n_instances as f64;
    let computed = match work.flops {
        Some(flops) => Some(Computed::of(roof, &work, flops, time, seen.kernels)?),
        None => None,
    };
    let moved = Moved::of(roof, &work, time);
    let (c_lo, c_hi) = computed.as_ref().map_or((0.0, 0.0), |one| one.share);
    let (m_lo, m_hi) = moved.share;
    let bound = match &computed {
        None => BoundBy::Either,
        Some(_) if c_lo >= m_hi => BoundBy::Compute,
        Some(_) if m_lo >= c_hi => BoundBy::Memory,
        Some(_) => BoundBy::Either,
    };
    let unexplained = computed.as_ref().map_or(0.0, |one| one.unexplained).max(moved.unexplained);
    let intensity = computed.as_ref().map(|one| {
        let (lo, hi) = work.bytes;
        (one.flops.0 / (hi.max(1) as f64), one.flops.1 / (lo.max(1) as f64))
    });
    let (bandwidth_lo, bandwidth_hi) = roof.bandwidth();
    let ridge = computed.as_ref().and_then(|one| {
        let (lo, hi) = (one.peaks.first()?.1, one.peaks.last()?.1);
        Some((lo * 1e3 / bandwidth_hi, hi * 1e3 / bandwidth_lo))
    });
    Ok(Row {
        roof: at,
        op: named.op,
        instruction: named.instruction,
        program: named.program,
        total: seen.total,
        n_instances: seen.n_instances,
        attained: computed.as_ref().map(|one| (one.flops.0 / time, one.flops.1 / time)),
        intensity,
        ridge,
        efficiency: (c_lo.max(m_lo), c_hi.max(m_hi)),
        floor: unexplained,
        bound,
        fits_cache: moved.fits_cache,
        is_fewer: computed.as_ref().is_some_and(|one| one.is_fewer),
        peaks: computed.map_or_else(Vec::new, |one| one.peaks),
        is_exact: seen.is_exact,
        work,
    })
}

/// The compute roof.
struct Computed {
    peaks: Vec<(Rate, f64)>,
    flops: (f64, f64),
    /// Least time of the operations ÷ measured time.
    share: (f64, f64),
    unexplained: f64,
    is_fewer: bool,
}

impl Computed {
    fn of(
        roof: &Roof,
        work: &Work,
        (lo, hi): (u64, u64),
        time: f64,
        kernels: &[&str],
    ) -> Result<Self, Refusal> {
        let (lo, mut hi) = (lo as f64, hi as f64);
        let possible = possible(roof, work, kernels);
        let fits = |rate: f64| lo / rate <= SLACK * time;
        // What the measured time rules out, the operation was not computed by.
        let mut peaks: Vec<(Rate, f64)> =
            possible.iter().copied().filter(|&(_, rate)| fits(rate)).collect();
        if peaks.is_empty() {
            peaks.extend(possible.last());
        }
        if roof.model.is_amd() {
            peaks.truncate(1);
        }
        let (Some(&(_, slowest)), Some(&(_, fastest))) = (peaks.first(), peaks.last()) else {
            return Err(Refusal::Element);
        };
        // Likewise of two counts of operations.
        if hi / fastest > SLACK * time && fits(fastest) {
            hi = lo;
        }
        let share = lo / fastest / time;
        let saving = saving(work, kernels);
        let is_fewer = share > SLACK && share <= SLACK * saving;
        Ok(Self {
            flops: (lo, hi),
            share: (share, hi / slowest / time),
            unexplained: if is_fewer { 0.0 } else { share },
            is_fewer,
            peaks,
        })
    }
}

/// How many times fewer operations a faster algorithm may take than were counted.
fn saving(work: &Work, kernels: &[&str]) -> f64 {
    let Kind::Convolution { is_wide: true } = work.kind else { return 1.0 };
    let named = |parts: &[&str]| {
        kernels.iter().any(|kernel| {
            let kernel = kernel.to_ascii_lowercase();
            parts.iter().any(|part| kernel.contains(part))
        })
    };
    if named(&["fft"]) {
        FFT
    } else if named(&["wino"])
        || !named(&["cijk_", "gemm", "im2col", "2d2col", "3d2col", "xmma", "naive", "direct"])
    {
        WINOGRAD
    } else {
        1.0
    }
}

/// Rates that may have been used, slowest first. In 32 bits NVIDIA's libraries may round to TF32 unless the program asks for full
/// precision or the kernel's name tells; AMD's do so only where they are told to, so that it counts where nothing else fits.
fn possible(roof: &Roof, work: &Work, kernels: &[&str]) -> Vec<(Rate, f64)> {
    let rated = |rate: Rate| Some((rate, roof.rate(rate)?));
    let usual = work.element.rates().iter().find_map(|&rate| rated(rate));
    let mut rates: Vec<(Rate, f64)> = usual.into_iter().collect();
    let is_single = matches!(work.element, Element::F32 | Element::C64);
    if let (true, false, Some(tf32)) = (is_single, work.is_exact, rated(Rate::Tf32)) {
        let says = |part: &str| kernels.iter().any(|kernel| kernel.contains(part));
        if says("tf32") || says("s1688") {
            rates = vec![tf32];
        } else if !says("sgemm") || says("tensorop") {
            rates.push(tf32);
        }
    }
    rates.sort_by(|a, b| a.1.total_cmp(&b.1));
    rates
}

/// The memory roof.
struct Moved {
    share: (f64, f64),
    unexplained: f64,
    fits_cache: bool,
}

impl Moved {
    fn of(roof: &Roof, work: &Work, time: f64) -> Self {
        let (slow, fast) = roof.bandwidth();
        // GB/s are a thousandth of TB/s, which are bytes a picosecond.
        let part = |bytes: u64, bandwidth: f64| bytes as f64 / (bandwidth / 1e3) / time;
        let (least, most) = (part(work.bytes.0, fast), part(work.bytes.1, slow));
        // What an earlier operation left in the cache need not come from memory.
        let cache = roof.cache_bytes();
        let beyond = part(work.bytes.0.saturating_sub(cache), fast);
        let unexplained = beyond.max(part(work.bytes.0, fast * CACHE_SPEEDUP));
        let fits_cache = work.bytes.0 <= cache || (least > SLACK && unexplained <= SLACK);
        // Memory cannot have been busy for longer than the operation ran: what is above was not read from it.
        let most = if least <= SLACK { most.min(least.max(1.0)) } else { most };
        let share = match work.flops {
            Some(_) if fits_cache => (unexplained, most.min(1.0)),
            _ => (least, most),
        };
        Self { share, unexplained, fits_cache }
    }
}
