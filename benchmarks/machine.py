"""What the figures were measured on, and how a variant is measured: in a process of its own, on one core."""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Failed(RuntimeError):
    """A process ended with an error; the text is what it said."""


class Unequal(AssertionError):
    """Two ways to the same result differ: no time of this run means anything."""


def require(condition: Any, what: str) -> None:
    """Stop the benchmark unless two results are equal."""
    if not condition:
        raise Unequal(f"not equal: {what}")


def answer_within(limit: float, module: str, *arguments: str) -> dict[str, Any] | None:
    """Run a module in a process of its own; return the record it prints last.

    Parameters
    ----------
    limit : float
        Processor seconds, of which whole ones count, after which the process is ended.
    module : str
        As ``python -m`` takes it.
    arguments : str

    Returns
    -------
    dict or None
        None where the process was ended by the limit.

    Raises
    ------
    Failed
        It ended by itself, with an error.
    """

    def confine() -> None:
        most = max(1, int(limit))
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))

    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
        preexec_fn=confine,
    )
    if done.returncode == -signal.SIGXCPU:
        return None
    if done.returncode:
        raise Failed(done.stderr.strip() or f"ended with {done.returncode}")
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


@dataclass
class Samples:
    """Repeated measurements of one variant."""

    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    peak_mib: list[float] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)

    def add(self, one: dict[str, Any]) -> None:
        self.seconds.append(one.pop("seconds"))
        self.cpu_seconds.append(one.pop("cpu_seconds"))
        self.peak_mib.append(one.pop("peak_mib"))
        if self.answer:
            require(self.answer == one, f"two runs of one variant: {self.answer} and {one}")
        self.answer = one

    @property
    def typical(self) -> float:
        """Median seconds."""
        return median(self.seconds)

    @property
    def typical_cpu(self) -> float:
        """Median processor seconds of the process itself."""
        return median(self.cpu_seconds)


def header() -> dict[str, Any]:
    """Return the machine and the versions."""
    import moocore
    import numpy

    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True) if shutil.which("cc") else None
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "simd": _simd(),
        "moocore": moocore.__version__,
        "cc": compiler.stdout.splitlines()[0] if compiler else None,
    }


def _cpu() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        pairs = [line.partition(":") for line in path.read_text().splitlines()]
        fields = {name.strip(): value.strip() for name, _, value in pairs}
        speed = f", {float(fields['cpu MHz']) / 1000:.1f} GHz" if "cpu MHz" in fields else ""
        return fields.get("model name", platform.machine()) + speed
    return platform.processor() or platform.machine()


def _simd() -> str:
    """Return the widest instructions NumPy found: they decide how fast flat arrays are."""
    import numpy

    found = numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return found[-1] if found else "baseline"


def peak_mib() -> float:
    """Return the peak memory of this process.

    ``ru_maxrss`` of a process that was started by a larger one still holds the size of its parent from before the
    exec; Linux's VmHWM does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result, the seconds and the processor seconds of one call."""
    cpu, start = time.process_time(), time.perf_counter()
    result = work()
    return result, time.perf_counter() - start, time.process_time() - cpu


def run_alone(order: dict[str, Any], module: str = "benchmarks.variants") -> dict[str, Any]:
    """Run one variant in a process of its own and return the record it printed."""
    command = [sys.executable, "-m", module, json.dumps(order)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **ONE_THREAD})
    if done.returncode:
        raise RuntimeError(f"{module} {order} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


class Others:
    """Tells how much of the machine other work used between two moments (Linux; else nothing is known)."""

    def __init__(self) -> None:
        self.wall, self.all, self.ours = self._read()

    @staticmethod
    def _read() -> tuple[float, float | None, float]:
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        ours = sum(one.ru_utime + one.ru_stime for one in own)
        stat = Path("/proc/stat")
        if not stat.exists():
            return time.monotonic(), None, ours
        user, nice, system, _idle, _wait, *rest = (int(one) for one in stat.read_text().split("\n")[0].split()[1:8])
        return time.monotonic(), (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK"), ours

    def cores(self) -> float | None:
        """Return the cores that other work used since the start, on average."""
        wall, busy, ours = self._read()
        if busy is None or self.all is None:
            return None
        return max(0.0, (busy - self.all - (ours - self.ours)) / (wall - self.wall))


def rounds(
    orders: dict[str, dict[str, Any]],
    repeats: int,
    tell: Callable[[str], None] = lambda _: None,
    module: str = "benchmarks.variants",
) -> dict[str, Samples]:
    """Run every variant once per round, so that a change of the machine's mood meets all of them."""
    samples = {name: Samples() for name in orders}
    for turn in range(repeats):
        for name, order in orders.items():
            tell(f"round {turn + 1} of {repeats}: {name}")
            samples[name].add(run_alone(order, module))
    return samples
