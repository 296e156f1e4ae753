//! Rows by the ids that a producer gave them.

/// Numbers of rows, by id. There are as many as records: a hash map that has just grown takes up to 39 bytes an id, and three times as
/// much while it grows.
pub(super) enum IdTable {
    /// A place for each id from the first on, [`NO_ROW`] where none is known: most producers count their ids up.
    Places { first: u64, rows: Vec<u32> },
    /// Where ids lie far apart, all of them in order, each with its row.
    Ids { ids: Vec<u64>, rows: Vec<u32> },
}

/// Stands for no row: tables have fewer rows.
const NO_ROW: u32 = u32::MAX;

/// Places for each id: what they take is then no more than ids in order would.
const PLACES_MAX: u64 = 3;

impl IdTable {
    /// A table that has room for some ids, without a row yet.
    pub(super) fn with_room_for(ids: impl Iterator<Item = u64> + Clone) -> Self {
        let (mut n, mut first, mut last) = (0_u64, u64::MAX, 0);
        for id in ids.clone() {
            (n, first, last) = (n + 1, first.min(id), last.max(id));
        }
        let span = last.saturating_sub(first).saturating_add(1);
        match usize::try_from(span) {
            Ok(places) if n > 0 && span / PLACES_MAX <= n => {
                Self::Places { first, rows: vec![NO_ROW; places] }
            }
            _ => {
                let mut ids: Vec<u64> = ids.collect();
                // Ids mostly ascend: that takes the time of one pass.
                ids.sort();
                ids.dedup();
                ids.shrink_to_fit();
                Self::Ids { rows: vec![NO_ROW; ids.len()], ids }
            }
        }
    }

    /// The row of an id.
    pub(super) fn get(&self, id: u64) -> Option<u32> {
        let row = *self.rows().get(self.place(id)?)?;
        (row != NO_ROW).then_some(row)
    }

    /// Sets the row of an id that there is room for.
    pub(super) fn set(&mut self, id: u64, row: u32) {
        let place = self.place(id);
        let (Self::Places { rows, .. } | Self::Ids { rows, .. }) = self;
        if let Some(place) = place.and_then(|place| rows.get_mut(place)) {
            *place = row;
        }
    }

    fn place(&self, id: u64) -> Option<usize> {
        match self {
            Self::Places { first, .. } => usize::try_from(id.checked_sub(*first)?).ok(),
            Self::Ids { ids, .. } => ids.binary_search(&id).ok(),
        }
    }

    fn rows(&self) -> &[u32] {
        let (Self::Places { rows, .. } | Self::Ids { rows, .. }) = self;
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::IdTable;

    fn table(ids: &[u64]) -> IdTable {
        let mut table = IdTable::with_room_for(ids.iter().copied());
        for (row, &id) in (0_u32..).zip(ids) {
            table.set(id, row);
        }
        table
    }

    #[test]
    fn ids_that_count_up_have_places_and_others_an_order() {
        let ends = [u64::MAX, 0, 1];
        for (ids, have_places) in [
            (&[7, 5, 6, 9][..], true),
            (&[25, 9, 17, 1], false),
            (&[u64::MAX, u64::MAX - 1], true),
            (&ends, false),
            (&[], false),
        ] {
            let table = table(ids);
            assert_eq!(matches!(table, IdTable::Places { .. }), have_places, "{ids:?}");
            for (row, &id) in (0_u32..).zip(ids) {
                assert_eq!(table.get(id), Some(row), "{ids:?}");
            }
            for id in [4, 8, 10, 2, u64::MAX - 2].into_iter().filter(|id| !ids.contains(id)) {
                assert_eq!(table.get(id), None, "{ids:?}");
            }
        }
    }

    #[test]
    fn a_later_row_takes_the_place_of_an_earlier_one() {
        for ids in [[3, 4, 3], [3, 4_000, 3]] {
            assert_eq!(table(&ids).get(3), Some(2));
        }
    }
}
