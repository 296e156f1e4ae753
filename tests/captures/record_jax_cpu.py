"""Records the samples `jax-cpu-*` with JAX's own profiler on the CPU.

    python record_jax_cpu.py OUT

writes OUT/<sample>/host.xplane.pb and host.trace.json.gz as the profiler wrote them, but for the name of the file. Each sample runs in
a process of its own: the number of devices is fixed when JAX starts. What a recording says of the machine is the path of this script,
that of the Python environment, and the name of the host; run it where all three are neutral:

    mkdir /tmp/idleproof-recording && cp record_jax_cpu.py /tmp/idleproof-recording && cd /tmp/idleproof-recording
    python3 -m venv venv && venv/bin/pip install jax==0.10.2
    unshare --uts --map-root-user sh -c 'hostname recorder && venv/bin/python record_jax_cpu.py out'
"""

import os
import pathlib
import shutil
import subprocess
import sys

# Sample, and the devices that JAX makes of the CPU.
SAMPLES = {"jax-cpu-scan": 1, "jax-cpu-grad": 1, "jax-cpu-devices": 4}


def scan(jax, jnp):
    """A loop of seven iterations, as the compiler knows, and one whose length depends on its data."""

    @jax.jit
    def scanned(w, x):
        def body(c, _):
            c = jnp.tanh(c @ w) + c
            return c, jnp.sum(c)

        return jax.lax.scan(body, x, None, length=7)

    @jax.jit
    def grown(x, limit):
        return jax.lax.while_loop(lambda s: jnp.sum(s) < limit, lambda s: jnp.tanh(s) * 1.5 + s, x)

    w, x = jnp.eye(64) * 0.1, jnp.ones((32, 64)) * 0.01

    def step(_):
        jax.block_until_ready(scanned(w, x))
        jax.block_until_ready(grown(x, 1e4))

    return step


def grad(jax, jnp):
    """A training step: a product, its gradient, an update."""

    @jax.jit
    def train_step(w, x):
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean(jax.nn.gelu(x @ w) ** 2))(w)
        return w - 0.01 * gradient, loss

    state = {"w": jnp.eye(128) * 0.5}
    x = jnp.ones((256, 128))

    def step(number):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            state["w"], loss = train_step(state["w"], x)
            jax.block_until_ready(loss)

    return step


def devices(jax, jnp):
    """One program on several devices at once, with a sum over all of them."""
    mesh = jax.make_mesh((jax.device_count(),), ("i",))
    spec = jax.sharding.PartitionSpec("i")

    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=spec, out_specs=spec)
    def normalised(x):
        return x / jax.lax.psum(jnp.sum(jnp.exp(x)), "i")

    x = jax.device_put(jnp.ones((64, 32)), jax.sharding.NamedSharding(mesh, spec))

    def step(_):
        jax.block_until_ready(normalised(x))

    return step


def record(sample, out):
    """Compiles a sample's programs, then records three of its steps."""
    import jax
    import jax.numpy as jnp

    programs = {"jax-cpu-scan": scan, "jax-cpu-grad": grad, "jax-cpu-devices": devices}
    step = programs[sample](jax, jnp)
    step(0)
    with jax.profiler.trace(out / "raw"):
        for number in range(1, 4):
            step(number)
    (session,) = (out / "raw" / "plugins" / "profile").iterdir()
    for suffix in ["xplane.pb", "trace.json.gz"]:
        (written,) = session.glob(f"*.{suffix}")
        shutil.copyfile(written, out / f"host.{suffix}")
    shutil.rmtree(out / "raw")


def main():
    """Records all samples, or the one that is named: how this script calls itself."""
    out = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        return record(sys.argv[2], out)
    for sample, n_devices in SAMPLES.items():
        flags = f"--xla_force_host_platform_device_count={n_devices}"
        environment = {"PATH": os.environ["PATH"], "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
        folder = out / sample
        folder.mkdir(parents=True)
        command = [sys.executable, __file__, folder, sample]
        subprocess.run(command, env=environment, check=True)


main()
