//! Where events ran: host threads, devices and streams, numbered as they are met.

use super::super::chrome::{Event, ValueKind};
use super::super::number;
use super::super::tally::Tally;
use super::fields::Field;
use super::values;
use crate::trace::{
    Device, DeviceId, NameId, Process, ProcessId, Stream, StreamId, Thread, ThreadId, Trace,
};
use rustc_hash::FxHashMap;

/// The lanes of one file.
#[derive(Default)]
pub(super) struct Lanes {
    threads: FxHashMap<(NameId, NameId), ThreadId>,
    processes: FxHashMap<NameId, ProcessId>,
    /// The thread that was asked for last, by the bytes of its process and thread id.
    last_thread: Option<(Vec<u8>, Vec<u8>, ThreadId)>,
    devices: FxHashMap<i64, DeviceId>,
    streams: FxHashMap<(i64, i64), StreamId>,
    last_stream: Option<((i64, i64), StreamId)>,
}

impl Lanes {
    /// The thread of a host event. `None` where more names or threads would not fit.
    #[inline]
    pub(super) fn thread(&mut self, event: &Event<'_>, trace: &mut Trace) -> Option<ThreadId> {
        let bytes = |field| event.get(field).map_or(&b""[..], |value| value.bytes);
        let (pid, tid) = (bytes(Field::Pid), bytes(Field::Tid));
        match &self.last_thread {
            Some((last_pid, last_tid, id)) if last_pid == pid && last_tid == tid => Some(*id),
            _ => {
                let id = self.look_up_thread(event, trace)?;
                self.last_thread = Some((pid.to_vec(), tid.to_vec(), id));
                Some(id)
            }
        }
    }

    fn look_up_thread(&mut self, event: &Event<'_>, trace: &mut Trace) -> Option<ThreadId> {
        let mut text = |field: Field| {
            let value = event.get(field);
            let text = value.map_or_else(Default::default, |value| value.text().0);
            trace.names.intern(&text)
        };
        let (pid, tid) = (text(Field::Pid)?, text(Field::Tid)?);
        if let Some(&known) = self.threads.get(&(pid, tid)) {
            return Some(known);
        }
        let process = match self.processes.get(&pid) {
            Some(&known) => known,
            None => {
                let id = ProcessId::new(u32::try_from(trace.processes.len()).ok()?);
                trace.processes.push(Process { raw_id: pid });
                self.processes.insert(pid, id);
                id
            }
        };
        let id = ThreadId::new(u32::try_from(trace.threads.len()).ok()?);
        trace.threads.push(Thread { process, raw_id: tid, name: None });
        self.threads.insert((pid, tid), id);
        Some(id)
    }

    /// The stream of a device event. `None` where neither `args` nor the lane tells device and stream.
    #[inline]
    pub(super) fn stream(
        &mut self,
        event: &Event<'_>,
        trace: &mut Trace,
        tally: &mut Tally,
    ) -> Option<StreamId> {
        let key = lane_ids(event, tally)?;
        match self.last_stream {
            Some((last, id)) if last == key => Some(id),
            _ => {
                let id = self.look_up_stream(key, trace)?;
                self.last_stream = Some((key, id));
                Some(id)
            }
        }
    }

    fn look_up_stream(&mut self, key: (i64, i64), trace: &mut Trace) -> Option<StreamId> {
        if let Some(&known) = self.streams.get(&key) {
            return Some(known);
        }
        let device = match self.devices.get(&key.0) {
            Some(&known) => known,
            None => {
                let id = DeviceId::new(u32::try_from(trace.devices.len()).ok()?);
                trace.devices.push(Device { raw_id: key.0 });
                self.devices.insert(key.0, id);
                id
            }
        };
        let id = StreamId::new(u32::try_from(trace.streams.len()).ok()?);
        trace.streams.push(Stream { device, raw_id: key.1 });
        self.streams.insert(key, id);
        Some(id)
    }
}

/// Device and stream of a device event: from `args` where they are given there, else from the lane.
#[inline]
fn lane_ids(event: &Event<'_>, tally: &mut Tally) -> Option<(i64, i64)> {
    let device =
        values::signed(event, Field::Device, tally).or_else(|| values::lane(event, Field::Pid))?;
    let stream =
        values::signed(event, Field::Stream, tally).or_else(|| values::lane(event, Field::Tid))?;
    Some((device, stream))
}

/// Device and stream of a flow's end, which has no `args`.
pub(super) fn flow_lane(event: &Event<'_>) -> Option<(i64, i64)> {
    let whole = |field| {
        let value = event.get(field)?;
        match value.kind {
            ValueKind::Number => number::signed(value.bytes),
            _ => values::lane(event, field),
        }
    };
    Some((whole(Field::Pid)?, whole(Field::Tid)?))
}
