//! Rows by the ids that a producer gave them.

use rustc_hash::FxHashMap;

/// Numbers of rows, by id. Most producers count their ids up: then a list with a place for each is smaller than a hash map, and quicker.
pub(super) enum IdTable {
    /// A place for each id from the first on; [`NO_ROW`] where none is known.
    List { first: u64, rows: Vec<u32> },
    /// Where ids lie far apart.
    Map(FxHashMap<u64, u32>),
}

/// Stands for no row: tables have fewer rows.
const NO_ROW: u32 = u32::MAX;

/// Places of the list for each id. An entry of a hash map takes 17 bytes, and a map that has just grown has room for 2.3 times as many
/// as it holds: with four places of four bytes the list is never larger.
const PLACES_MAX: u64 = 4;

impl IdTable {
    /// An empty table that has room for some ids.
    pub(super) fn with_room_for(ids: impl Iterator<Item = u64>) -> Self {
        let (mut n, mut first, mut last) = (0_u64, u64::MAX, 0);
        for id in ids {
            (n, first, last) = (n + 1, first.min(id), last.max(id));
        }
        let span = last.saturating_sub(first).saturating_add(1);
        match usize::try_from(span) {
            Ok(places) if n > 0 && span / PLACES_MAX <= n => {
                Self::List { first, rows: vec![NO_ROW; places] }
            }
            _ => Self::Map(FxHashMap::default()),
        }
    }

    /// The row of an id.
    pub(super) fn get(&self, id: u64) -> Option<u32> {
        match self {
            Self::List { first, rows } => {
                let place = usize::try_from(id.checked_sub(*first)?).ok()?;
                rows.get(place).copied().filter(|&row| row != NO_ROW)
            }
            Self::Map(rows) => rows.get(&id).copied(),
        }
    }

    /// Sets the row of an id that there is room for.
    pub(super) fn set(&mut self, id: u64, row: u32) {
        match self {
            Self::List { first, rows } => {
                let place = id.checked_sub(*first).and_then(|place| usize::try_from(place).ok());
                if let Some(place) = place.and_then(|place| rows.get_mut(place)) {
                    *place = row;
                }
            }
            Self::Map(rows) => {
                rows.insert(id, row);
            }
        }
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
    fn ids_that_count_up_make_a_list_and_others_a_map() {
        let ends = [u64::MAX, 0, 1];
        for (ids, is_list) in [
            (&[7, 5, 6, 9][..], true),
            (&[1, 9, 17, 25], false),
            (&[u64::MAX, u64::MAX - 1], true),
            (&ends, false),
            (&[], false),
        ] {
            let table = table(ids);
            assert_eq!(matches!(table, IdTable::List { .. }), is_list, "{ids:?}");
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
