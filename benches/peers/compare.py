#!/usr/bin/env python3
"""Times other readers of PyTorch traces and `idleproof check` on one file, in turns, and writes the table.

    python3 benches/peers/compare.py FILE.pt.trace.json.gz --about "a public 63 MB ROCm trace, repeated 3 times" \
        [--name 200] [--turns 3] [--program target/release/idleproof] [--venv DIR] [--tracelens SOURCE] [--into docs/speed.md]

Only the standard library is needed to run it. HolisticTraceAnalysis is installed from PyPI into a virtual environment. AMD's
TraceLens is on no package index (the `tracelens` there is another project): it is measured where --tracelens names a folder or
an address that pip can install it from. What can't be installed is named as not measured.

A table goes between the markers `<!-- peers NAME -->` and `<!-- end of peers NAME -->` of the page, else to the standard output.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = "idleproof check"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--about", required=True, help="what the file is, for the page")
    parser.add_argument("--name", default="trace", help="of the markers in the page")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--program", type=Path, default=Path("target/release/idleproof"))
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir()) / "idleproof-peers")
    parser.add_argument("--tracelens", help="where pip finds AMD's TraceLens")
    parser.add_argument("--into", type=Path, help="the page that takes the table")
    arguments = parser.parse_args()

    python = environment(arguments.venv)
    peers, missing = available(python, arguments.tracelens)
    commands = {OURS: [str(arguments.program.resolve()), "check", str(arguments.file)]}
    for key, (label, _) in peers.items():
        commands[label] = [str(python), str(HERE / "peer.py"), key, str(arguments.file)]
    turns = [{label: took(command) for label, command in commands.items()} for _ in range(arguments.turns)]
    text = page(arguments, peers, missing, turns, python)
    if arguments.into:
        insert(arguments.into, arguments.name, text)
    else:
        print(text)


def environment(folder):
    """The interpreter of a virtual environment, made where there is none."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    return python


def available(python, tracelens):
    """What can be measured, with versions, and what cannot, with the reason."""
    peers = {"json": ("json.load of Python", platform.python_version())}
    missing = []
    wanted = {
        "hta": ("HolisticTraceAnalysis, parse and idle time", "HolisticTraceAnalysis", "HolisticTraceAnalysis"),
        "tracelens": ("TraceLens, GPU timeline", "TraceLens", tracelens),
    }
    for key, (label, package, source) in wanted.items():
        if version(python, package, key) is None and source:
            subprocess.run([python, "-m", "pip", "install", "--quiet", source], check=False)
        found = version(python, package, key)
        if found:
            peers[key] = (label, found)
        else:
            missing.append(f"{label} (not installed)")
    return peers, missing


def version(python, package, key):
    """The version of an installed package that can do what is asked for; none where it can't be imported."""
    probe = f"import sys; sys.path.insert(0, {str(HERE)!r}); import peer; peer.PEERS[{key!r}](None)"
    if subprocess.run([python, "-c", probe], capture_output=True, check=False).returncode:
        return None
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False).stdout.strip() or None


def took(command):
    """Seconds and MB, at most, of a whole process; nothing where it failed."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    # 1 is the gate's verdict on the capture, no failure of the program.
    if process.returncode not in (0, 1):
        return None
    return seconds, usage.ru_maxrss * 1.024e-3


def page(arguments, peers, missing, turns, python):
    ours = subprocess.run([arguments.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    versions = [ours, f"Python {platform.python_version()}"]
    versions += [f"{label.split(',')[0]} {found}" for key, (label, found) in peers.items() if key != "json"]
    size = arguments.file.stat().st_size / 1e6
    lines = [
        f"{arguments.about}; {size:.1f} MB on disk. {len(turns)} turns, whole processes, medians; each ratio is that of one turn.",
        f"{machine()}. {', '.join(versions)}.",
        "",
        "| | seconds | times idleproof | MB, peak |",
        "| --- | --- | --- | --- |",
    ]
    for label in turns[0]:
        good = [(turn[label], turn[OURS]) for turn in turns if turn[label] and turn[OURS]]
        if not good:
            missing.append(f"{label} (it failed on this file)")
            continue
        seconds = statistics.median(one[0] for one, _ in good)
        ratio = statistics.median(one[0] / other[0] for one, other in good)
        memory = max(one[1] for one, _ in good)
        lines.append(f"| {label} | {seconds:.2f} | {ratio:.1f} | {memory:.0f} |")
    if missing:
        lines += ["", f"Not measured: {', '.join(missing)}."]
    return "\n".join(lines) + "\n"


def machine():
    """The processor, its cores and memory."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    models = [line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")]
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores, {gib:.0f} GiB, {platform.system()}"


def insert(path, name, text):
    begin, end = f"<!-- peers {name} -->\n", f"<!-- end of peers {name} -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{path} has no markers of the name {name}")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
