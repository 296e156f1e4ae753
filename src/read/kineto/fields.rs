//! The keys of an event that the reader uses.

use super::super::chrome;

macro_rules! fields {
    ($($field:ident = $key:literal $(| $old:literal)?),+ $(,)?) => {
        /// A field whose value is used, of the event or of its `args`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Field {
            $(#[doc = concat!("`", $key, "`")] $field),+
        }

        impl Field {
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

        const _: () = assert!([$(Field::$field),+].len() <= chrome::FIELDS_MAX);
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
    InputDims = "Input Dims" | "Input dims",
    InputTypes = "Input type",
    Concrete = "Concrete Inputs",
}

impl Field {
    /// True for a field of the event itself.
    const fn is_outer(self) -> bool {
        matches!(self, Self::Name | Self::Pid | Self::Tid | Self::Ts | Self::Dur | Self::Id)
    }
}

impl chrome::Field for Field {
    const TIMES: [Self; 2] = [Self::Ts, Self::Dur];

    #[inline]
    fn number(self) -> usize {
        self as usize
    }

    fn key(self) -> &'static str {
        self.key()
    }

    fn of_event(key: &[u8]) -> Option<Self> {
        Self::of_key(key).filter(|field| field.is_outer())
    }

    fn of_args(key: &[u8]) -> Option<Self> {
        Self::of_key(key).filter(|field| !field.is_outer())
    }
}
