//! Interned names: each distinct text is stored once.

use super::NameId;
use rustc_hash::FxHashMap;

/// The names of a trace, by id.
#[derive(Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, NameId>,
}

impl Names {
    /// The id of `text`, new or known. `None` once 2³² distinct names exist.
    pub fn intern(&mut self, text: &str) -> Option<NameId> {
        if let Some(&id) = self.ids.get(text) {
            return Some(id);
        }
        let id = NameId::new(u32::try_from(self.texts.len()).ok()?);
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        Some(id)
    }

    /// The text of a name.
    pub fn get(&self, id: NameId) -> &str {
        &self.texts[id.index()]
    }

    /// The id of a text that was interned, if it was.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.ids.get(text).copied()
    }

    /// How many distinct names there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True where nothing was interned.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
