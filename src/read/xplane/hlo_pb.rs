//! Generated from proto/hlo.proto by the test `generated_code_is_fresh`. Do not edit.

#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HloProto {
    #[prost(message, optional, tag = "1")]
    pub hlo_module: ::core::option::Option<HloModuleProto>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HloModuleProto {
    #[prost(bytes = "vec", tag = "1")]
    pub name: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    pub computations: ::prost::alloc::vec::Vec<HloComputationProto>,
    #[prost(int64, tag = "6")]
    pub entry_computation_id: i64,
    #[prost(message, optional, tag = "7")]
    pub schedule: ::core::option::Option<HloScheduleProto>,
    #[prost(message, optional, tag = "17")]
    pub stack_frame_index: ::core::option::Option<StackFrameIndexProto>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HloComputationProto {
    #[prost(bytes = "vec", tag = "1")]
    pub name: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub instructions: ::prost::alloc::vec::Vec<HloInstructionProto>,
    #[prost(int64, tag = "5")]
    pub id: i64,
    #[prost(int64, tag = "6")]
    pub root_id: i64,
    #[prost(bool, tag = "7")]
    pub is_fusion_computation: bool,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HloInstructionProto {
    #[prost(bytes = "vec", tag = "1")]
    pub name: ::prost::alloc::vec::Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub opcode: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, tag = "3")]
    pub shape: ::core::option::Option<ShapeProto>,
    #[prost(message, optional, tag = "7")]
    pub metadata: ::core::option::Option<OpMetadata>,
    #[prost(int64, tag = "9")]
    pub parameter_number: i64,
    #[prost(bytes = "vec", tag = "11")]
    pub fusion_kind: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, boxed, tag = "15")]
    pub window: ::core::option::Option<::prost::alloc::boxed::Box<Window>>,
    #[prost(message, optional, boxed, tag = "16")]
    pub convolution_dimension_numbers: ::core::option::Option<
        ::prost::alloc::boxed::Box<ConvolutionDimensionNumbers>,
    >,
    #[prost(int64, tag = "26")]
    pub channel_id: i64,
    #[prost(bytes = "vec", tag = "28")]
    pub custom_call_target: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, boxed, tag = "30")]
    pub dot_dimension_numbers: ::core::option::Option<
        ::prost::alloc::boxed::Box<DotDimensionNumbers>,
    >,
    #[prost(int64, tag = "35")]
    pub id: i64,
    #[prost(int64, repeated, tag = "36")]
    pub operand_ids: ::prost::alloc::vec::Vec<i64>,
    #[prost(int64, repeated, tag = "38")]
    pub called_computation_ids: ::prost::alloc::vec::Vec<i64>,
    #[prost(bytes = "vec", tag = "43")]
    pub backend_config: ::prost::alloc::vec::Vec<u8>,
    #[prost(message, optional, boxed, tag = "51")]
    pub precision_config: ::core::option::Option<
        ::prost::alloc::boxed::Box<PrecisionConfig>,
    >,
    #[prost(message, optional, tag = "99")]
    pub backend_config_payload: ::core::option::Option<BackendConfigPayload>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct DotDimensionNumbers {
    #[prost(int64, repeated, tag = "1")]
    pub lhs_contracting_dimensions: ::prost::alloc::vec::Vec<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Window {
    #[prost(message, repeated, tag = "1")]
    pub dimensions: ::prost::alloc::vec::Vec<WindowDimension>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct WindowDimension {
    #[prost(int64, tag = "1")]
    pub size: i64,
    #[prost(int64, tag = "2")]
    pub stride: i64,
    #[prost(int64, tag = "3")]
    pub padding_low: i64,
    #[prost(int64, tag = "4")]
    pub padding_high: i64,
    #[prost(int64, tag = "5")]
    pub window_dilation: i64,
    #[prost(int64, tag = "6")]
    pub base_dilation: i64,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ConvolutionDimensionNumbers {
    #[prost(int64, tag = "3")]
    pub kernel_input_feature: i64,
    #[prost(int64, repeated, tag = "6")]
    pub kernel_spatial_dimensions: ::prost::alloc::vec::Vec<i64>,
    #[prost(int64, repeated, tag = "11")]
    pub input_spatial_dimensions: ::prost::alloc::vec::Vec<i64>,
    #[prost(int64, repeated, tag = "12")]
    pub output_spatial_dimensions: ::prost::alloc::vec::Vec<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PrecisionConfig {
    #[prost(int32, repeated, tag = "1")]
    pub operand_precision: ::prost::alloc::vec::Vec<i32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct BackendConfigPayload {
    #[prost(bytes = "vec", tag = "1")]
    pub value: ::prost::alloc::vec::Vec<u8>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct OpMetadata {
    #[prost(bytes = "vec", tag = "2")]
    pub op_name: ::prost::alloc::vec::Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub source_file: ::prost::alloc::vec::Vec<u8>,
    #[prost(int32, tag = "4")]
    pub source_line: i32,
    #[prost(bytes = "vec", tag = "12")]
    pub deduplicated_name: ::prost::alloc::vec::Vec<u8>,
    #[prost(int32, tag = "15")]
    pub stack_frame_id: i32,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HloScheduleProto {
    #[prost(btree_map = "int64, message", tag = "1")]
    pub sequences: ::prost::alloc::collections::BTreeMap<i64, InstructionSequence>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct InstructionSequence {
    #[prost(int64, repeated, tag = "1")]
    pub instruction_ids: ::prost::alloc::vec::Vec<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct StackFrameIndexProto {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub file_names: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub function_names: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    #[prost(message, repeated, tag = "3")]
    pub file_locations: ::prost::alloc::vec::Vec<FileLocation>,
    #[prost(message, repeated, tag = "4")]
    pub stack_frames: ::prost::alloc::vec::Vec<StackFrame>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct FileLocation {
    #[prost(int32, tag = "1")]
    pub file_name_id: i32,
    #[prost(int32, tag = "2")]
    pub function_name_id: i32,
    #[prost(int32, tag = "3")]
    pub line: i32,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StackFrame {
    #[prost(int32, tag = "1")]
    pub file_location_id: i32,
    #[prost(int32, tag = "2")]
    pub parent_frame_id: i32,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ShapeProto {
    #[prost(int32, tag = "2")]
    pub element_type: i32,
    #[prost(int64, repeated, tag = "3")]
    pub dimensions: ::prost::alloc::vec::Vec<i64>,
    #[prost(message, repeated, tag = "4")]
    pub tuple_shapes: ::prost::alloc::vec::Vec<ShapeProto>,
    #[prost(message, optional, tag = "5")]
    pub layout: ::core::option::Option<LayoutProto>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LayoutProto {
    #[prost(int64, repeated, tag = "1")]
    pub minor_to_major: ::prost::alloc::vec::Vec<i64>,
}
