//! Small captures that the tests of the reader share.

use crate::fixture::jax;
use crate::xspace::Space;

/// The run that a fixture describes.
pub(crate) fn sample(text: &str) -> Space {
    jax::space(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Replays of a graph of three kernels, of which the first `n_recorded` replays left records.
pub(crate) fn graph_replays(n_replays: u64, n_recorded: u64) -> Space {
    sample(&format!(
        "producer jax-rocm
        session none
        executions thunks
        program jit_step 17 {{
          fusion   fusion op=jit(step)/mul us=9
          fusion.1 fusion op=jit(step)/mul us=9
          fusion.2 fusion op=jit(step)/mul us=9
        }}
        repeat {n_replays} every 1000 {{
          execute jit_step 0+9 graph=all labels=none delay=20
        }}
        lose replays={}..{n_replays}",
        n_recorded + 1
    ))
}

/// A program with a loop of two kernels that runs three times, replayed as one graph after one exact kernel.
pub(crate) fn loop_graph() -> Space {
    sample(
        "producer jax-rocm
        session none
        executions none
        program jit_scan 20 {
          wrapped_add fusion at=/usr/lib/python3/site-packages/jax/numpy.py:99</app/train.py:7 us=5 shape=2,3
          while.6 while trip=3 {
            loop_fusion fusion us=5
            copy.1 fusion us=5
          }
        }
        execute jit_scan 0+9 graph=while.6 labels=full",
    )
}

/// A collective whose label no stored program has, beside a kernel whose label is stored.
pub(crate) fn async_label() -> Space {
    sample(
        "producer jax-rocm
        session none
        executions none
        program jit_step 17 {
          fusion fusion us=5
          all-gather-start.1 all-gather-start label=all-gather.34 kernel=ncclDevKernel_AllGather_RING_LL us=50
          all-gather-done.1 all-gather-done
        }
        execute jit_step 0+9",
    )
}

/// One kernel, and the lines that repeat it in other words.
pub(crate) fn derived_lines() -> Space {
    sample(
        "producer jax-rocm
        session none
        launch 0+2
        kernel fusion.kd 10+50
        derived fusion 10+50 line=\"XLA Ops\"
        derived fusion 10+50 line=Steps",
    )
}
