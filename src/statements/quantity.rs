//! What can be stated, by the names that statements use.

use std::fmt;

/// A figure that a statement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A part of a device's window; of this device, or of each one.
    Budget(Budget, Form, Option<String>),
    /// How long each device waited for the host.
    HostStarved(Form, Option<String>),
    /// The part of all kernel time that kernels of this name take.
    KernelShare(String),
    /// The part of the device's work that kernels and copies of this operator take.
    OpShare(String),
    /// The median of the marked steps, in microseconds on the host.
    StepTime,
}

/// A part of a device's time budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// The window: first start to last end of its work.
    Total,
    /// No stream ran anything.
    Inactive,
    /// Some stream ran something.
    Busy,
    /// Compute kernels.
    Compute,
    /// Collective kernels.
    Collective,
    /// Copies and fills.
    Memcpy,
    /// Collectives while no compute ran.
    ExposedCollective,
    /// Copies and fills while neither compute nor a collective ran.
    ExposedMemcpy,
}

/// How a time is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In percent of the device's window.
    Percent,
    /// In microseconds.
    Microseconds,
}

impl Budget {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Total, "total"),
        (Self::Inactive, "device_inactive"),
        (Self::Busy, "busy"),
        (Self::Compute, "compute"),
        (Self::Collective, "collective"),
        (Self::Memcpy, "memcpy"),
        (Self::ExposedCollective, "exposed_collective"),
        (Self::ExposedMemcpy, "exposed_memcpy"),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(one, _)| *one == self).map_or("", |(_, name)| name)
    }
}

impl Form {
    const fn suffix(self) -> &'static str {
        match self {
            Self::Percent => "_pct",
            Self::Microseconds => "_us",
        }
    }
}

impl Quantity {
    /// The quantity of a name; `None` where there is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, of) = match text.split_once(':') {
            Some((_, "")) => return None,
            Some((name, of)) => (name, Some(of.to_owned())),
            None => (text, None),
        };
        match (name, of) {
            ("kernel_share", Some(kernel)) => Some(Self::KernelShare(kernel)),
            ("op_share", Some(op)) => Some(Self::OpShare(op)),
            ("step_time_us", None) => Some(Self::StepTime),
            ("kernel_share" | "op_share" | "step_time_us", _) => None,
            (_, device) => {
                let forms = [Form::Percent, Form::Microseconds];
                let stem = |form: Form| Some((name.strip_suffix(form.suffix())?, form));
                let (stem, form) = forms.into_iter().find_map(stem)?;
                if stem == "host_starved" {
                    return Some(Self::HostStarved(form, device));
                }
                let budget = Budget::ALL.iter().find(|(_, known)| *known == stem)?.0;
                let is_whole = budget == Budget::Total && form == Form::Percent;
                (!is_whole).then_some(Self::Budget(budget, form, device))
            }
        }
    }

    /// The names that there are, for messages.
    pub fn names() -> Vec<String> {
        let both = |stem: &str| {
            [Form::Percent, Form::Microseconds].map(|form| format!("{stem}{}", form.suffix()))
        };
        let stems = Budget::ALL.iter().map(|(_, name)| *name).chain(["host_starved"]);
        let times = stems.flat_map(both).filter(|name| name != "total_pct");
        let others = ["kernel_share:NAME", "op_share:NAME", "step_time_us"].map(str::to_owned);
        times.chain(others).collect()
    }

    /// How far a number may lie from the figure where the statement does not say: half a point, which is what a reader takes for the
    /// same number; half a percent of a time.
    pub fn tolerance(&self, value: f64) -> f64 {
        match self {
            Self::Budget(_, Form::Percent, _) | Self::HostStarved(Form::Percent, _) => 0.5,
            Self::Budget(_, Form::Microseconds, _)
            | Self::HostStarved(Form::Microseconds, _)
            | Self::StepTime => value.abs() * 0.005,
            Self::KernelShare(_) | Self::OpShare(_) => 0.005,
        }
    }

    /// True where the figure is found in tables of kernels, which reports leave out.
    pub const fn needs_tables(&self) -> bool {
        matches!(self, Self::KernelShare(_))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stem, form, device) = match self {
            Self::KernelShare(name) => return write!(f, "kernel_share:{name}"),
            Self::OpShare(name) => return write!(f, "op_share:{name}"),
            Self::StepTime => return f.write_str("step_time_us"),
            Self::Budget(budget, form, device) => (budget.name(), form, device),
            Self::HostStarved(form, device) => ("host_starved", form, device),
        };
        write!(f, "{stem}{}", form.suffix())?;
        device.as_ref().map_or(Ok(()), |device| write!(f, ":{device}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Quantity;

    #[test]
    fn names_are_read_as_they_are_written() {
        let with_name = ["kernel_share:gemm<1, 2>:x", "op_share:aten::mm", "busy_us:gpu:3"];
        let plain = Quantity::names().into_iter().filter(|name| !name.ends_with("NAME"));
        for name in plain.chain(with_name.map(str::to_owned)) {
            assert_eq!(Quantity::parse(&name).map(|read| read.to_string()), Some(name));
        }
        for wrong in ["total_pct", "idle", "kernel_share", "op_share:", "step_time_us:x", "busy_s"]
        {
            assert_eq!(Quantity::parse(wrong), None, "{wrong}");
        }
    }
}
