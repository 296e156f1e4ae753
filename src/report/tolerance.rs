//! How far a figure of a report may lie from the one that was accepted.

/// A tolerance by field: the difference is allowed where it is at most `abs`, or at most `rel` of the accepted figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// The field's path in a capture's entry of the JSON report, or the end of that path; `*` stands for one part.
    pub field: String,
    /// By so much.
    pub abs: Option<f64>,
    /// By this part of the accepted figure.
    pub rel: Option<f64>,
}

impl Tolerance {
    /// True where a figure may stand in the place of the accepted one.
    pub fn allows(&self, accepted: f64, figure: f64) -> bool {
        let most = self.abs.unwrap_or(0.0).max(self.rel.unwrap_or(0.0) * accepted.abs());
        // The last bit of a sum is no difference.
        (figure - accepted).abs() <= most * (1.0 + 1e-12)
    }

    /// True where a field with this path is meant.
    pub fn is_for(&self, path: &[String]) -> bool {
        let parts: Vec<&str> = self.field.split('.').collect();
        let Some(skipped) = path.len().checked_sub(parts.len()) else { return false };
        let mut pairs = parts.iter().zip(&path[skipped..]);
        pairs.all(|(part, name)| *part == "*" || part == name)
    }

    /// The tolerance in words: `abs 0.5, rel 0.05`.
    pub fn words(&self) -> String {
        let numbers = [("abs", self.abs), ("rel", self.rel)];
        let numbers =
            numbers.iter().filter_map(|(key, number)| Some(format!("{key} {}", (*number)?)));
        numbers.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Tolerance;

    fn tolerance(field: &str, abs: Option<f64>, rel: Option<f64>) -> Tolerance {
        Tolerance { field: field.to_owned(), abs, rel }
    }

    #[test]
    fn the_wider_of_both_counts() {
        for (abs, rel, accepted, figure, expected) in [
            (Some(0.5), None, 4.0, 4.5, true),
            (Some(0.5), None, 4.0, 4.6, false),
            (None, Some(0.1), 100.0, 90.0, true),
            (None, Some(0.1), 100.0, 89.0, false),
            (Some(1.0), Some(0.1), 100.0, 109.0, true),
            (Some(1.0), Some(0.1), 1.0, 2.0, true),
            (None, None, 1.0, 1.0, true),
            (Some(1.0), None, 1.0, f64::NAN, false),
        ] {
            let allows = tolerance("x", abs, rel).allows(accepted, figure);
            assert_eq!(allows, expected, "{abs:?} {rel:?} {accepted} {figure}");
        }
    }

    #[test]
    fn a_field_is_named_by_the_end_of_its_path() {
        let path = ["checks", "high-idle", "measured"].map(str::to_owned);
        for (field, expected) in [
            ("measured", true),
            ("high-idle.measured", true),
            ("checks.*.measured", true),
            ("checks.high-idle.measured", true),
            ("checks.low-compute.measured", false),
            ("*.checks.high-idle.measured", false),
            ("checks", false),
            ("", false),
        ] {
            assert_eq!(tolerance(field, None, None).is_for(&path), expected, "{field}");
        }
    }
}
