//! What operators were given: kept for those that multiply, each distinct list once.

use super::super::chrome::{Event, ValueKind};
use super::super::limits::{INPUT_BYTES_MAX, INPUT_LISTS_MAX};
use super::super::name_map::NameMap;
use super::fields::Field;
use crate::trace::{Argument, NameId, OpInputs, OpInputsId, Trace};
use rustc_hash::FxHashMap;
use serde_json::Value;

/// The last part of the names of operators whose inputs are kept: products, convolutions and attention of PyTorch's
/// `native_functions.yaml`.
const KEPT: &[&str] = &[
    "mm",
    "addmm",
    "_addmm_activation",
    "bmm",
    "baddbmm",
    "_scaled_mm",
    "_int_mm",
    "convolution",
    "_convolution",
    "cudnn_convolution",
    "miopen_convolution",
    "convolution_backward",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_cudnn_attention",
    "_flash_attention_forward",
    "_efficient_attention_forward",
];

/// The lists that were met.
#[derive(Default)]
pub(super) struct InputTable {
    kept: NameMap<bool>,
    known: FxHashMap<Box<[u8]>, OpInputsId>,
}

impl InputTable {
    /// Takes the inputs of the operator that becomes the next row of `Trace::ops`.
    pub(super) fn take(&mut self, event: &Event<'_>, name: NameId, trace: &mut Trace) {
        let kept = match self.kept.get(name) {
            Some(kept) => kept,
            None => {
                let text = trace.names.get(name);
                let kept = text.strip_prefix("aten::").is_some_and(|last| KEPT.contains(&last));
                self.kept.insert(name, kept);
                kept
            }
        };
        if !kept {
            return;
        }
        if let Some(id) = self.list(event, trace)
            && let Ok(op) = u32::try_from(trace.ops.len())
        {
            trace.op_inputs.push((op, id));
        }
    }

    fn list(&mut self, event: &Event<'_>, trace: &mut Trace) -> Option<OpInputsId> {
        let text = |field: Field| {
            let value = event.get(field).filter(|value| value.kind == ValueKind::Container);
            value.map_or(&b"[]"[..], |value| value.bytes)
        };
        event.get(Field::InputDims)?;
        let texts = [text(Field::InputDims), text(Field::InputTypes), text(Field::Concrete)];
        if texts.iter().map(|text| text.len()).sum::<usize>() > INPUT_BYTES_MAX {
            return None;
        }
        // No part holds a line break outside of its strings' escapes, or it is none that a producer writes.
        let key = texts.join(&b'\n').into_boxed_slice();
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        if trace.inputs.len() >= INPUT_LISTS_MAX {
            return None;
        }
        let [dims, types, concrete] = texts.map(|text| serde_json::from_slice::<Value>(text).ok());
        let id = OpInputsId::new(u32::try_from(trace.inputs.len()).ok()?);
        trace.inputs.push(inputs(&dims?, &types?, &concrete.unwrap_or(Value::Null)));
        self.known.insert(key, id);
        Some(id)
    }
}

fn inputs(dims: &Value, types: &Value, concrete: &Value) -> OpInputs {
    let text = |list: &Value, at: usize| {
        list.get(at).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let rows = dims.as_array().map_or(&[][..], Vec::as_slice);
    let arguments = rows.iter().enumerate().map(|(at, dims)| Argument {
        dimensions: dims.as_array().and_then(|dims| dims.iter().map(Value::as_i64).collect()),
        element: text(types, at),
        value: text(concrete, at),
    });
    OpInputs { arguments: arguments.collect() }
}
