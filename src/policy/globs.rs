//! Globs over paths relative to the repository's root.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs, any of which may match.
#[derive(Clone, Debug)]
pub struct PathGlobs {
    texts: Vec<String>,
    set: GlobSet,
}

impl PathGlobs {
    /// Compiles globs. `*` stays inside one component of a path, `**` crosses them.
    /// The error names the glob by its index and says what is wrong with it.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a str>) -> Result<Self, (usize, String)> {
        let mut builder = GlobSetBuilder::new();
        let mut texts = Vec::new();
        for (index, glob) in globs.into_iter().enumerate() {
            let text = normalise(glob);
            reject(&text).map_err(|fault| (index, fault.to_owned()))?;
            let built = GlobBuilder::new(&text)
                .literal_separator(true)
                .backslash_escape(true)
                .build()
                .map_err(|error| (index, error.kind().to_string()))?;
            builder.add(built);
            texts.push(text);
        }
        // The set as a whole fails only by its size; the last glob is as good a culprit as any.
        let last = texts.len().saturating_sub(1);
        let set = builder.build().map_err(|error| (last, error.kind().to_string()))?;
        Ok(Self { texts, set })
    }

    /// True where any of the globs matches the path.
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(normalise(path))
    }

    /// Which of the globs match the path, by index.
    pub fn matching(&self, path: &str) -> Vec<usize> {
        self.set.matches(normalise(path))
    }

    /// The globs as they are applied.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}

impl PartialEq for PathGlobs {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

/// A path or glob as it is compared: with `/`, without `./` in front.
fn normalise(path: &str) -> String {
    let mut rest = path;
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter.trim_start_matches('/');
    }
    rest.to_owned()
}

/// What makes a glob match nothing, ever: better said than left to be found out.
fn reject(glob: &str) -> Result<(), &'static str> {
    if glob.is_empty() {
        Err("a glob can't be empty")
    } else if glob.starts_with('/') {
        Err("globs are relative to the repository's root")
    } else if glob.split('/').any(|component| component == "..") {
        Err("globs can't leave the repository with `..`")
    } else if glob.starts_with('!') {
        Err("globs can't be negated")
    } else if glob.ends_with('/') {
        Err("a folder matches no file: end with `/**` for everything in it")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::PathGlobs;

    #[test]
    fn a_star_stays_inside_a_component() {
        for (glob, path, expected) in [
            ("captures/*.json", "captures/a.json", true),
            ("captures/*.json", "captures/a/b.json", false),
            ("captures/**/*.json", "captures/a.json", true),
            ("captures/**/*.json", "captures/a/b.json", true),
            ("captures/**", "captures", false),
            ("./captures/*", "captures/x", true),
            ("captures/*", "././captures/x", true),
            ("{a,b}/rank_[0-3].json", "b/rank_3.json", true),
            ("{a,b}/rank_[0-3].json", "b/rank_4.json", false),
        ] {
            let globs = PathGlobs::new([glob]).unwrap();
            assert_eq!(globs.matches(path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn a_glob_that_can_never_match_is_a_mistake() {
        for glob in ["", "./", "/abs/*", "a/../b", "!a/*", "captures/", "[", "{a", "a**b{"] {
            assert!(PathGlobs::new([glob]).is_err(), "{glob}");
        }
    }
}
