//! Records of a capture, with a device and a step.

use super::{HOSTILE, pct, share, us};
use idleproof::report::*;

fn device(name: &str, total: i128, busy: i128) -> DeviceRecords {
    let (total_us, busy_us, idle_us) = (us(total), us(busy), us(total - busy));
    DeviceRecords {
        name: name.to_owned(),
        vendor: Some("nvidia".to_owned()),
        model: Some("H200 | <b>SXM</b>".to_owned()),
        window_us: (us(1_000), us(1_000 + total)),
        total_us,
        busy_us,
        idle_us,
        idle_pct: Some(pct(
            u64::try_from(total - busy).expect("no negative idle"),
            u64::try_from(total).expect("a window"),
        )),
        compute_us: us(busy - 2_000),
        collective_us: us(1_500),
        memcpy_us: us(800),
        exposed_collective_us: us(1_500),
        exposed_memcpy_us: us(500),
        kernels: 4_321,
        copies_by_kernel: 0,
        kernel_sum_us: us(busy + 321),
        device_events: 4_400,
        idle_with_queued_work_us: Some(us((total - busy) / 2)),
        idle_under_blocking_sync_us: Some(us(250)),
        idle: idleproof::report::IdleRecords::default(),
        readings: vec![DeviceReading {
            name: "linked-only".to_owned(),
            words: "that is left without 17 records".to_owned(),
            window_us: (us(1_100), us(1_000 + total)),
            total_us: us(total - 100),
            busy_us: us(busy - 90),
            idle_us: us(total - busy - 10),
            idle_pct: None,
            kernel_sum_us: us(busy),
        }],
        idle_host_events: vec![
            IdleHostEvent {
                name: "aten::item".to_owned(),
                kind: "op".to_owned(),
                gaps: 60,
                time_us: us(total - busy - 1_234),
                share: Some(share(97, 100)),
            },
            IdleHostEvent {
                name: HOSTILE.to_owned(),
                kind: "annotation".to_owned(),
                gaps: 4,
                time_us: us(1_234),
                share: Some(share(3, 100)),
            },
        ],
        longest_gaps: vec![
            LongGap {
                start_us: us(1_400),
                length_us: us(total - busy - 2_000),
                class: Some("host-starved".to_owned()),
                last_work: Some(HOSTILE.to_owned()),
                next_work: Some("gemm".to_owned()),
                launch: Some("cudaLaunchKernel".to_owned()),
                host_event: Some(HOSTILE.to_owned()),
                host_kind: Some("op".to_owned()),
                host_us: Some(us(1_234)),
            },
            LongGap {
                start_us: us(1_200),
                length_us: us(40),
                class: None,
                last_work: None,
                next_work: None,
                launch: None,
                host_event: None,
                host_kind: None,
                host_us: None,
            },
        ],
        streams: vec![StreamRecords {
            name: "stream:7".to_owned(),
            span_us: us(total),
            compute_us: us(busy - 2_000),
            collective_us: us(1_500),
            memcpy_us: us(500),
            idle_us,
            device_events: 4_400,
        }],
    }
}

pub(super) fn records(total: i128, busy: i128, with_records: u64) -> Records {
    Records {
        devices: vec![device("gpu:0", total, busy)],
        graph: GraphRecords {
            launches: 128,
            launches_with_records: with_records,
            launch_coverage: Some(share(with_records, 128)),
            records_per_launch: Some(Spread { min: 0, median: 0, max: 812 }),
            node_coverage: Some(share(with_records, 128)),
            kernels: 2_436,
            kernel_us: us(40_000),
        },
        host_window_us: Some((us(900), us(7_000))),
        launches: LaunchRecords {
            calls: 1_884,
            without_record: 3,
            captured: 812,
            before_window_records: 17,
            records_without_launch: 0,
            timing: Some(LaunchTiming {
                launches: 1_881,
                latency_us: Quantiles { p5: us(5), median: us(12), max: us(4_444) },
                latency_sum_us: us(55_555),
                launches_into_empty_queue: 19,
                floor_us: None,
                kernel_mean_us: us(14),
                kernel_median_us: us(7),
            }),
        },
        steps: Some(StepRecords {
            marker: "ProfilerStep#".to_owned(),
            marked: true,
            trust: "marked by the profiler".to_owned(),
            count: 2,
            complete: 1,
            program: None,
            left_out: vec![StepsLeftOut {
                count: 1,
                reason: "recording ended before its work did".to_owned(),
            }],
            step_time_us: Some(Spread {
                min: us(3_500_000),
                median: us(3_500_000),
                max: us(3_500_000),
            }),
            median_step: Some("ProfilerStep#4".to_owned()),
            duration_us: Spread { min: us(3_500_000), median: us(3_500_000), max: us(3_642_000) },
            records_per_step: Some(Spread { min: 2_100, median: 2_100, max: 2_300 }),
            rows: vec![StepRow {
                left_out: None,
                name: "ProfilerStep#4".to_owned(),
                kernels: 2_100,
                kernel_sum_us: us(31_000),
                device_window_us: Some((us(1_000), us(32_000))),
                busy_in_host_window_us: us(30_500),
                step_time_us: Some(us(3_500_000)),
            }],
        }),
        programs: vec![ProgramRecords {
            id: 12_345_678_901_234_567_890,
            ids: Vec::new(),
            name: "jit_train_step".to_owned(),
            executions: Some(10),
            executions_with_records: Some(9),
            kernels_per_execution: Some(Spread { min: 0, median: 41, max: 41 }),
        }],
        python_frames: 77,
        producer: ProducerRecords::default(),
    }
}
