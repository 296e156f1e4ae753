//! What names say, by name id: told once for each distinct name.

use crate::trace::NameId;

/// A table by name.
pub(super) struct NameMap<T>(Vec<Option<T>>);

impl<T> Default for NameMap<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> NameMap<T> {
    /// What is known of a name.
    #[inline]
    pub(super) fn get(&self, name: NameId) -> Option<T> {
        self.0.get(name.index()).copied().flatten()
    }

    /// Remembers what a name says.
    pub(super) fn insert(&mut self, name: NameId, value: T) {
        if self.0.len() <= name.index() {
            self.0.resize(name.index() + 1, None);
        }
        self.0[name.index()] = Some(value);
    }
}
