//! Generated from proto/xplane.proto by the test `generated_code_is_fresh`. Do not edit.

#[derive(Clone, PartialEq, ::prost::Message)]
pub struct XSpace {
    #[prost(message, repeated, tag = "1")]
    pub planes: ::prost::alloc::vec::Vec<XPlane>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub errors: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub warnings: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "4")]
    pub hostnames: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct XPlane {
    #[prost(int64, tag = "1")]
    pub id: i64,
    #[prost(bytes = "vec", tag = "2")]
    pub name: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    pub lines: ::prost::alloc::vec::Vec<XLine>,
    #[prost(btree_map = "int64, message", tag = "4")]
    pub event_metadata: ::prost::alloc::collections::BTreeMap<i64, XEventMetadata>,
    #[prost(btree_map = "int64, message", tag = "5")]
    pub stat_metadata: ::prost::alloc::collections::BTreeMap<i64, XStatMetadata>,
    #[prost(message, repeated, tag = "6")]
    pub stats: ::prost::alloc::vec::Vec<XStat>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct XLine {
    #[prost(int64, tag = "1")]
    pub id: i64,
    #[prost(bytes = "vec", tag = "2")]
    pub name: ::prost::alloc::vec::Vec<u8>,
    #[prost(int64, tag = "3")]
    pub timestamp_ns: i64,
    #[prost(message, repeated, tag = "4")]
    pub events: ::prost::alloc::vec::Vec<XEvent>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct XEvent {
    #[prost(int64, tag = "1")]
    pub metadata_id: i64,
    #[prost(int64, tag = "3")]
    pub duration_ps: i64,
    #[prost(message, repeated, tag = "4")]
    pub stats: ::prost::alloc::vec::Vec<XStat>,
    #[prost(oneof = "x_event::Data", tags = "2, 5")]
    pub data: ::core::option::Option<x_event::Data>,
}
/// Nested message and enum types in `XEvent`.
pub mod x_event {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Data {
        #[prost(int64, tag = "2")]
        OffsetPs(i64),
        #[prost(int64, tag = "5")]
        NumOccurrences(i64),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct XStat {
    #[prost(int64, tag = "1")]
    pub metadata_id: i64,
    #[prost(oneof = "x_stat::Value", tags = "2, 3, 4, 5, 6, 7")]
    pub value: ::core::option::Option<x_stat::Value>,
}
/// Nested message and enum types in `XStat`.
pub mod x_stat {
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Value {
        #[prost(double, tag = "2")]
        DoubleValue(f64),
        #[prost(uint64, tag = "3")]
        Uint64Value(u64),
        #[prost(int64, tag = "4")]
        Int64Value(i64),
        #[prost(bytes, tag = "5")]
        StrValue(::prost::alloc::vec::Vec<u8>),
        #[prost(bytes, tag = "6")]
        BytesValue(::prost::alloc::vec::Vec<u8>),
        #[prost(uint64, tag = "7")]
        RefValue(u64),
    }
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct XEventMetadata {
    #[prost(int64, tag = "1")]
    pub id: i64,
    #[prost(bytes = "vec", tag = "2")]
    pub name: ::prost::alloc::vec::Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub display_name: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, repeated, tag = "5")]
    pub stats: ::prost::alloc::vec::Vec<XStat>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct XStatMetadata {
    #[prost(int64, tag = "1")]
    pub id: i64,
    #[prost(bytes = "vec", tag = "2")]
    pub name: ::prost::alloc::vec::Vec<u8>,
}
