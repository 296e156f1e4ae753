//! The keys of an event that the reader uses.

/// A key with a meaning of its own, or a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKey {
    /// `ph`: what kind of row the event is.
    Phase,
    /// `cat`: which activity it belongs to.
    Category,
    /// `args`: the object with the activity's own fields.
    Args,
    /// A field of the event itself.
    Field(Field),
}

macro_rules! fields {
    ($($field:ident = $key:literal $(| $old:literal)?),+ $(,)?) => {
        /// A field whose value is used, of the event or of its `args`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Field {
            $(#[doc = concat!("`", $key, "`")] $field),+
        }

        impl Field {
            /// How many fields there are.
            pub(super) const COUNT: usize = [$(Self::$field),+].len();

            /// The key in the file.
            pub(super) const fn key(self) -> &'static str {
                match self { $(Self::$field => $key),+ }
            }

            /// The field with this key; the second spelling is that of files from 2020 and 2021.
            fn of_key(key: &[u8]) -> Option<Self> {
                $(if key == $key.as_bytes() $(|| key == $old.as_bytes())? { return Some(Self::$field); })+
                None
            }
        }
    };
}

fields! {
    Name = "name",
    Pid = "pid",
    Tid = "tid",
    Ts = "ts",
    Dur = "dur",
    Id = "id",
    ExternalId = "External id" | "external id",
    Correlation = "correlation",
    Device = "device",
    Stream = "stream",
    Kind = "kind",
    Bytes = "bytes",
    GraphId = "graph id",
    GraphNodeId = "graph node id",
    CollectiveName = "Collective name",
    InElements = "In msg nelems",
    OutElements = "Out msg nelems",
    GroupSize = "Group size",
    ElementType = "dtype",
    GroupName = "Process Group Name",
    Sequence = "Seq",
}

impl Field {
    /// True for a field of the event itself.
    const fn is_outer(self) -> bool {
        matches!(self, Self::Name | Self::Pid | Self::Tid | Self::Ts | Self::Dur | Self::Id)
    }
}

/// What a key of an event means, if anything.
pub(super) fn event_key(key: &[u8]) -> Option<EventKey> {
    match key {
        b"ph" => Some(EventKey::Phase),
        b"cat" => Some(EventKey::Category),
        b"args" => Some(EventKey::Args),
        _ => Field::of_key(key).filter(|field| field.is_outer()).map(EventKey::Field),
    }
}

/// Which field a key of `args` is, if any.
pub(super) fn args_key(key: &[u8]) -> Option<Field> {
    Field::of_key(key).filter(|field| !field.is_outer())
}
