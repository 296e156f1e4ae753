//! Typed ids: indices into a trace's tables, and the join keys that producers write.

use std::num::{NonZeroU32, NonZeroU64};

macro_rules! table_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The id of the row at `index`. Tables are limited to fewer than `u32::MAX` rows, and a reader stops there.
            pub const fn new(index: u32) -> Self {
                // One more than the index, so that an optional id is no larger than an id.
                match NonZeroU32::new(index.saturating_add(1)) {
                    Some(raw) => Self(raw),
                    None => Self(NonZeroU32::MAX),
                }
            }

            /// The row's index.
            pub const fn index(self) -> usize {
                self.number() as usize
            }

            /// The row's index as tables keep it that hold many.
            pub const fn number(self) -> u32 {
                self.0.get() - 1
            }
        }
    };
}

table_id!(
    /// A row of `Trace::ops`.
    OpId
);
table_id!(
    /// A row of `Trace::devices`.
    DeviceId
);
table_id!(
    /// A row of `Trace::streams`.
    StreamId
);
table_id!(
    /// A row of `Trace::processes`.
    ProcessId
);
table_id!(
    /// A row of `Trace::threads`.
    ThreadId
);
table_id!(
    /// An interned name.
    NameId
);
table_id!(
    /// A row of `Trace::collectives`.
    CollectiveId
);
table_id!(
    /// A row of `Trace::graph_nodes`.
    GraphNodeId
);
table_id!(
    /// A row of `Trace::hlo_labels`.
    HloLabelId
);
table_id!(
    /// A row of `Trace::inputs`.
    OpInputsId
);

macro_rules! join_key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU64);

        impl $name {
            /// The key; `None` for 0, which producers write where they have no id (roctracer issue 100).
            pub const fn new(raw: u64) -> Option<Self> {
                match NonZeroU64::new(raw) {
                    Some(raw) => Some(Self(raw)),
                    None => None,
                }
            }

            /// The number in the file.
            pub const fn get(self) -> u64 {
                self.0.get()
            }
        }
    };
}

join_key!(
    /// Joins a host call to the device records that it caused. Unique within one process.
    CorrelationId
);
join_key!(
    /// Joins a framework operator to its host calls and device records; a number space of its own.
    ExternalId
);
