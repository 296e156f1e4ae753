//! A table by metadata id: dense for the small ids that producers number from 1, hashed for all others.

use rustc_hash::FxHashMap;

/// Ids below this are an index. Real planes have a few thousand names at most.
const DENSE_MAX: usize = 1 << 16;

/// A table by metadata id.
#[derive(Debug)]
pub(super) struct IdMap<T> {
    dense: Vec<Option<T>>,
    sparse: FxHashMap<i64, T>,
}

impl<T> Default for IdMap<T> {
    fn default() -> Self {
        Self { dense: Vec::new(), sparse: FxHashMap::default() }
    }
}

impl<T> IdMap<T> {
    /// Sets a row and returns what was there.
    pub(super) fn insert(&mut self, id: i64, value: T) -> Option<T> {
        match usize::try_from(id) {
            Ok(index) if index < DENSE_MAX => {
                if self.dense.len() <= index {
                    self.dense.resize_with(index + 1, || None);
                }
                self.dense[index].replace(value)
            }
            _ => self.sparse.insert(id, value),
        }
    }

    /// The row of an id.
    #[inline]
    pub(super) fn get(&self, id: i64) -> Option<&T> {
        match usize::try_from(id).ok().and_then(|index| self.dense.get(index)) {
            Some(row) => row.as_ref(),
            None => self.sparse.get(&id),
        }
    }

    /// The row of an id, to change it.
    pub(super) fn get_mut(&mut self, id: i64) -> Option<&mut T> {
        match usize::try_from(id).ok().and_then(|index| self.dense.get_mut(index)) {
            Some(row) => row.as_mut(),
            None => self.sparse.get_mut(&id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IdMap;

    #[test]
    fn ids_of_every_size_have_a_row() {
        let mut map = IdMap::default();
        let ids = [0, 1, 70_000, -1, i64::MIN, i64::MAX, 65_535, 65_536];
        for id in ids {
            assert_eq!(map.get(id), None);
            assert_eq!(map.insert(id, id), None);
        }
        for id in ids {
            assert_eq!((map.get(id).copied(), map.get_mut(id).copied()), (Some(id), Some(id)));
        }
        assert_eq!((map.insert(1, 2), map.get(2)), (Some(1), None));
    }
}
