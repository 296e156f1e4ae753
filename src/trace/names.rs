//! Interned names: each distinct text is stored once, all of them in one buffer.

use super::NameId;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The names of a trace, by id.
#[derive(Debug, Default)]
pub struct Names {
    /// All texts, one behind the other.
    text: String,
    /// Where each text ends, and the upper half of its hash.
    rows: Vec<(usize, u32)>,
    /// An open-addressed table of row numbers; its length is a power of two, at least twice that of `rows`.
    table: Vec<u32>,
}

/// An empty place of the table.
const EMPTY: u32 = u32::MAX;

impl Names {
    /// The id of `text`, new or known. `None` once 2³² − 1 distinct names exist.
    pub fn intern(&mut self, text: &str) -> Option<NameId> {
        if self.table.len() < 2 * (self.rows.len() + 1) {
            self.grow();
        }
        let hash = hash(text);
        match self.probe(text, hash) {
            Probe::Found(id) => Some(id),
            Probe::Free(place) => {
                let row = u32::try_from(self.rows.len()).ok().filter(|&row| row != EMPTY)?;
                self.text.push_str(text);
                self.rows.push((self.text.len(), upper(hash)));
                self.table[place] = row;
                Some(NameId::new(row))
            }
        }
    }

    /// The text of a name.
    pub fn get(&self, id: NameId) -> &str {
        let row = id.index();
        let start = if row == 0 { 0 } else { self.rows[row - 1].0 };
        &self.text[start..self.rows[row].0]
    }

    /// The id of a text that was interned, if it was.
    pub fn find(&self, text: &str) -> Option<NameId> {
        match (self.table.is_empty(), hash(text)) {
            (true, _) => None,
            (false, hash) => match self.probe(text, hash) {
                Probe::Found(id) => Some(id),
                Probe::Free(_) => None,
            },
        }
    }

    /// How many distinct names there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True where nothing was interned.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes of all distinct names together.
    pub fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// Walks from the hash's own place to the text or to the first free place. The table is never full.
    fn probe(&self, text: &str, hash: u64) -> Probe {
        let mask = self.table.len() - 1;
        let mut place = lower(hash) & mask;
        loop {
            let row = self.table[place];
            if row == EMPTY {
                return Probe::Free(place);
            }
            let id = NameId::new(row);
            if self.rows[id.index()].1 == upper(hash) && self.get(id) == text {
                return Probe::Found(id);
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let length = (self.table.len() * 2).max(64);
        self.table = vec![EMPTY; length];
        for row in 0..self.rows.len() {
            // Row numbers were checked to fit when the rows were made.
            let id = NameId::new(u32::try_from(row).unwrap_or(EMPTY));
            let mut place = lower(hash(self.get(id))) & (length - 1);
            while self.table[place] != EMPTY {
                place = (place + 1) & (length - 1);
            }
            self.table[place] = u32::try_from(row).unwrap_or(EMPTY);
        }
    }
}

enum Probe {
    Found(NameId),
    Free(usize),
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn upper(hash: u64) -> u32 {
    let [.., a, b, c, d] = hash.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn lower(hash: u64) -> usize {
    let [a, b, c, d, ..] = hash.to_le_bytes();
    u32::from_le_bytes([a, b, c, d]) as usize
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn each_text_has_one_id() {
        let mut names = Names::default();
        assert_eq!(names.find("a"), None);
        let texts: Vec<String> = (0..5_000).map(|i| format!("kernel_{}", i % 2_500)).collect();
        let ids: Vec<_> = texts.iter().map(|text| names.intern(text).unwrap()).collect();
        assert_eq!(names.len(), 2_500);
        for (text, id) in texts.iter().zip(ids) {
            assert_eq!((names.get(id), names.find(text)), (text.as_str(), Some(id)));
        }
        let empty = names.intern("").unwrap();
        assert_eq!((names.get(empty), names.find("none")), ("", None));
    }
}
