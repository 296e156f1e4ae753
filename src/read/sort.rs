//! Devices and streams in the order of their ids, whatever the order in which they were met.

use crate::trace::{DeviceId, StreamId, Trace};

/// Puts devices and streams into the order of their raw ids, and renumbers what refers to them.
pub(super) fn sort_streams(trace: &mut Trace) {
    let mut device_order: Vec<usize> = (0..trace.devices.len()).collect();
    device_order.sort_by_key(|&row| trace.devices[row].raw_id);
    let device_rank = ranks(&device_order);
    trace.devices = device_order.iter().map(|&row| trace.devices[row].clone()).collect();
    for stream in &mut trace.streams {
        stream.device = DeviceId::new(device_rank[stream.device.index()]);
    }
    let mut stream_order: Vec<usize> = (0..trace.streams.len()).collect();
    stream_order.sort_by_key(|&row| (trace.streams[row].device, trace.streams[row].raw_id));
    let stream_rank = ranks(&stream_order);
    trace.streams = stream_order.iter().map(|&row| trace.streams[row].clone()).collect();
    for event in &mut trace.device_events {
        event.stream = StreamId::new(stream_rank[event.stream.index()]);
    }
}

/// For each row the place that an order gives it.
fn ranks(order: &[usize]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, &row) in (0_u32..).zip(order) {
        ranks[row] = rank;
    }
    ranks
}
