//! Tables that grow with a capture.

/// A full table grows by this part of itself: doubling would reserve twice the memory that the largest tables need.
const GROWTH: usize = 4;

/// The smallest growth, in rows.
const ROWS_MIN: usize = 64;

/// Adds a row.
#[inline]
pub(super) fn push<T>(table: &mut Vec<T>, row: T) {
    if table.len() == table.capacity() {
        grow(table);
    }
    table.push(row);
}

#[cold]
fn grow<T>(table: &mut Vec<T>) {
    table.reserve_exact(ROWS_MIN.max(table.len() / GROWTH));
}

#[cfg(test)]
mod tests {
    use super::push;

    #[test]
    fn a_large_table_reserves_a_quarter_more_than_it_needs() {
        let (mut table, mut growths, mut capacity) = (Vec::new(), 0, 0);
        for row in 0..100_000_u32 {
            push(&mut table, row);
            growths += u32::from(table.capacity() != capacity);
            capacity = table.capacity();
            assert!(capacity <= table.len() + 64.max(table.len() / 4), "{row} rows");
        }
        assert!(table.iter().copied().eq(0..100_000) && growths < 50, "{growths}");
    }
}
