//! Which model a device is, by what the capture says of it. What does not decide leaves the device unknown: no default.

use super::peaks::{MODELS, Model, Provenance, Rate};
use crate::trace::DeviceProperties;

/// What a device can do.
#[derive(Clone, Copy, Debug)]
pub struct Roof {
    /// The model.
    pub model: &'static Model,
    /// Units that the capture sees of it, where they are fewer than the model has: a partition.
    pub partition: Option<u64>,
}

/// Why the model is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownDevice {
    /// The profiler did not list it.
    NotListed,
    /// It is listed with nothing that tells a model.
    Blank,
    /// The table has no such device.
    NotInTable(String),
    /// Several fit.
    Several(Vec<&'static str>),
    /// Name and fields contradict one another.
    Contradiction(&'static str),
}

impl UnknownDevice {
    /// The reason, as a fragment.
    pub fn words(&self) -> String {
        match self {
            Self::NotListed => "the profiler did not list the device".to_owned(),
            Self::Blank => "nothing in the capture tells the model of the device".to_owned(),
            Self::NotInTable(what) => format!("no peaks are known of {what}"),
            Self::Several(names) => {
                format!("the capture does not tell which device it is: {}", names.join(" or "))
            }
            Self::Contradiction(name) => {
                format!(
                    "the device is called {name}, and its units or its memory are not those of one"
                )
            }
        }
    }
}

/// Memory that a driver leaves to programs is up to a tenth below the nominal size.
const MEMORY_PERCENT: [u64; 2] = [88, 103];

/// Names that drivers give to any device.
const GENERIC: &[&str] =
    &["AMD Radeon Graphics", "AMD Instinct", "Device", "NVIDIA Graphics Device"];

/// The roof of a listed device.
pub(super) fn roof(listed: Option<&DeviceProperties>) -> Result<Roof, UnknownDevice> {
    let listed = listed.ok_or(UnknownDevice::NotListed)?;
    let name = plain_name(&listed.name);
    if !name.is_empty() && !GENERIC.contains(&name) {
        return by_name(name, listed);
    }
    let (Some(capability), Some(units), Some(_)) =
        (listed.compute_capability, listed.multiprocessors, listed.total_memory)
    else {
        return Err(UnknownDevice::Blank);
    };
    let fits = |model: &&Model| {
        model.capability == capability && model.units == units && has_memory(model, listed)
    };
    let mut fitting: Vec<&'static Model> = MODELS.iter().filter(fits).collect();
    if fitting.len() > 1 && fitting.iter().any(|model| has_clock(model, listed)) {
        fitting.retain(|model| has_clock(model, listed));
    }
    match fitting.as_slice() {
        [] => Err(UnknownDevice::NotInTable(format!(
            "a device of capability {}.{} with {units} units",
            capability.0, capability.1
        ))),
        [one] if one.is_told_by_fields => Ok(Roof { model: one, partition: None }),
        several => Err(UnknownDevice::Several(several.iter().map(|model| model.name).collect())),
    }
}

/// A name without what drivers append: virtual functions of AMD, partitions of NVIDIA.
fn plain_name(name: &str) -> &str {
    let name = name.trim();
    let name = name.split_once(" MIG ").map_or(name, |(model, _)| model);
    name.strip_suffix(" VF").unwrap_or(name)
}

fn by_name(name: &str, listed: &DeviceProperties) -> Result<Roof, UnknownDevice> {
    let Some(model) = MODELS.iter().find(|model| model.names.contains(&name)) else {
        return Err(UnknownDevice::NotInTable(format!("a device called {name}")));
    };
    let contradicts = listed.compute_capability.is_some_and(|stated| stated != model.capability);
    match listed.multiprocessors {
        _ if contradicts => Err(UnknownDevice::Contradiction(model.name)),
        Some(units) if units > model.units || units == 0 => {
            Err(UnknownDevice::Contradiction(model.name))
        }
        Some(units) if units < model.units => Ok(Roof { model, partition: Some(units) }),
        _ if listed.total_memory.is_some() && !has_memory(model, listed) => {
            Err(UnknownDevice::Contradiction(model.name))
        }
        _ => Ok(Roof { model, partition: None }),
    }
}

fn has_memory(model: &Model, listed: &DeviceProperties) -> bool {
    let nominal = model.memory_gib << 30;
    let [lo, hi] = MEMORY_PERCENT.map(|percent| nominal / 100 * percent);
    listed.total_memory.is_some_and(|bytes| (lo..=hi).contains(&bytes))
}

/// The clock decides only where the capture states one; within a hundredth.
fn has_clock(model: &Model, listed: &DeviceProperties) -> bool {
    match (model.clock_mhz, listed.clock_khz) {
        (Some(mhz), Some(khz)) => khz.abs_diff(mhz * 1_000) <= mhz * 10,
        _ => true,
    }
}

impl Roof {
    /// The rate of some units in TFLOP/s.
    pub fn rate(&self, rate: Rate) -> Option<f64> {
        Some(self.model.rate(rate)? * self.scale())
    }

    /// Memory bandwidth in GB/s: lowest and highest. A partition may have its own part of the memory, or share all of it.
    pub fn bandwidth(&self) -> (f64, f64) {
        (self.model.bandwidth * self.scale(), self.model.bandwidth)
    }

    /// How the rates were obtained.
    pub fn rates_provenance(&self) -> Provenance {
        match self.partition {
            Some(_) => self.model.rates_source.provenance.max(Provenance::Derived),
            None => self.model.rates_source.provenance,
        }
    }

    /// True where some figure is only recalled.
    pub fn is_recalled(&self) -> bool {
        let sources = [self.model.rates_source, self.model.bandwidth_source];
        sources.iter().any(|source| source.provenance == Provenance::Recalled)
    }

    /// Bytes of the largest cache.
    pub fn cache_bytes(&self) -> u64 {
        self.model.cache_mib << 20
    }

    fn scale(&self) -> f64 {
        self.partition.map_or(1.0, |units| units as f64 / self.model.units as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{UnknownDevice, roof};
    use crate::trace::DeviceProperties;

    fn listed(name: &str, capability: (u64, u64), units: u64, memory: u64) -> DeviceProperties {
        DeviceProperties {
            name: name.to_owned(),
            compute_capability: Some(capability),
            multiprocessors: Some(units),
            total_memory: Some(memory),
            ..DeviceProperties::default()
        }
    }

    fn found(listed: &DeviceProperties) -> Result<&'static str, UnknownDevice> {
        roof(Some(listed)).map(|roof| roof.model.name)
    }

    #[test]
    fn names_and_fields_tell_the_model() {
        for (name, capability, units, memory, model) in [
            ("AMD Instinct MI300X VF", (9, 4), 304, 205_571_227_648, "AMD Instinct MI300X"),
            ("", (9, 4), 304, 206_141_652_992, "AMD Instinct MI300X"),
            ("", (9, 4), 304, 274_861_129_728, "AMD Instinct MI325X"),
            ("NVIDIA A100-PG509-200", (8, 0), 108, 42_297_524_224, "NVIDIA A100 40 GB"),
            ("NVIDIA H100 80GB HBM3", (9, 0), 132, 85_029_158_912, "NVIDIA H100 SXM"),
            (
                "AMD Radeon Graphics",
                (9, 0),
                104,
                68_702_699_520,
                "AMD Instinct MI210, or one die of an MI250",
            ),
        ] {
            assert_eq!(found(&listed(name, capability, units, memory)), Ok(model), "{name}");
        }
    }

    #[test]
    fn what_does_not_decide_is_unknown() {
        let b300 = listed("NVIDIA B300 SXM6 AC", (10, 3), 148, 287_416_123_392);
        assert!(matches!(found(&b300), Err(UnknownDevice::NotInTable(_))));
        let gfx950 = listed("", (9, 5), 256, 309_220_868_096);
        assert!(matches!(found(&gfx950), Err(UnknownDevice::Several(_))));
        let clocked = DeviceProperties { clock_khz: Some(2_400_000), ..gfx950 };
        assert_eq!(found(&clocked), Ok("AMD Instinct MI355X"));
        let h200 = listed("", (9, 0), 132, 150_754_820_096);
        assert!(matches!(found(&h200), Err(UnknownDevice::Several(_))));
        let other = listed("AMD Instinct MI300X", (9, 5), 304, 206_141_652_992);
        assert!(matches!(found(&other), Err(UnknownDevice::Contradiction(_))));
        assert_eq!(found(&DeviceProperties::default()), Err(UnknownDevice::Blank));
        assert!(matches!(roof(None), Err(UnknownDevice::NotListed)));
    }

    #[test]
    fn a_partition_has_its_part_of_the_rates() {
        let cpx = listed("AMD Instinct MI300X", (9, 4), 38, 25_769_803_776);
        let roof = roof(Some(&cpx)).unwrap();
        assert_eq!(roof.partition, Some(38));
        let rate = roof.rate(super::Rate::Bf16).unwrap();
        assert!((rate - 163.425).abs() < 0.01, "{rate}");
        let (lo, hi) = roof.bandwidth();
        assert!((lo - 662.5).abs() < 0.1 && (hi - 5300.0).abs() < 0.1);
    }
}
