//! The fields that a format uses.

/// A field whose value is used, of the event itself or of its `args`.
pub(in crate::read) trait Field: Copy + PartialEq + 'static {
    /// The start and the length of an event.
    const TIMES: [Self; 2];

    /// A number below [`FIELDS_MAX`] that no other field of the format has.
    fn number(self) -> usize;

    /// The key in the file.
    fn key(self) -> &'static str;

    /// The field of the event itself with this key.
    fn of_event(key: &[u8]) -> Option<Self>;

    /// The field of `args` with this key.
    fn of_args(key: &[u8]) -> Option<Self>;
}

/// Fields that one format may use.
pub(in crate::read) const FIELDS_MAX: usize = 32;
