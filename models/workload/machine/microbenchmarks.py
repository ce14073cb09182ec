"""The microbenchmarks of a machine: compiled where they run, and their figures read.

The program (``profiler/machine/microbenchmarks.c``) prints a line for each time a benchmark was run: its name, its
working set and the time of one operation. It measures processor time, ends by itself, and is stopped if it does not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path

from dse.errors import InputError

__all__ = ["Beside", "Samples", "beside", "largest_working_set", "parsed", "run_microbenchmarks"]

_COMPILERS = ("cc", "gcc", "clang", "clang-19", "clang-14")
_FLAGS = ("-O3", "-march=native")
_MARGIN = 30.0
"""Seconds beyond the limit after which the program is stopped: the last benchmark ends first."""

Samples = dict[tuple[str, int], list[float]]
"""Times of an operation [s] by benchmark and working set [B]."""


def run_microbenchmarks(seconds: float, most_bytes: int) -> Samples:
    """Compile and run the microbenchmarks.

    Parameters
    ----------
    seconds : float
        By the clock on the wall.
    most_bytes : int
        Largest working set.

    Raises
    ------
    InputError
        No compiler, a processor the program does not know, or a program that does not end.
    """
    compiler = next((path for path in map(shutil.which, _COMPILERS) if path), None)
    if compiler is None:
        raise InputError("no compiler for C was found", allowed=f"one of {', '.join(_COMPILERS)}: apt-get install gcc")
    with tempfile.TemporaryDirectory() as folder, as_file(_source()) as source:
        program = Path(folder) / "microbenchmarks"
        command = [compiler, *_FLAGS, str(source), "-o", str(program)]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            first = next((line for line in made.stderr.splitlines() if "error" in line), made.stderr[:200])
            raise InputError(f"the microbenchmarks do not compile with {compiler}: {first}")
        try:
            done = subprocess.run(
                [str(program), str(seconds), str(most_bytes)],
                capture_output=True,
                text=True,
                timeout=seconds + _MARGIN,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"the microbenchmarks did not end within {seconds + _MARGIN:g} s") from None
    if done.returncode:
        raise InputError(f"the microbenchmarks ended with status {done.returncode}: is there {most_bytes} B of memory?")
    return parsed(done.stdout.splitlines())


def _source() -> Traversable:
    return files("dse").joinpath("profiler", "machine", "microbenchmarks.c")


def parsed(lines: Sequence[str]) -> Samples:
    """Read what the program printed.

    Raises
    ------
    InputError
        A line that is none of it.
    """
    samples: Samples = {}
    for line in lines:
        words = line.split()
        try:
            name, working_set, time = words[0], int(words[1]), float(words[2])
        except (IndexError, ValueError):
            raise InputError(f"the microbenchmarks printed '{line[:60]}'", allowed="a name, bytes, seconds") from None
        samples.setdefault((name, working_set), []).append(time)
    return samples


def largest_working_set(level_3: int) -> int:
    """Return the largest working set to try [B]: beyond level 3 where the memory has room, a power of two."""
    held = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = min(max(4 * level_3, 1 << 26), held // 8, 1 << 30)
    return int(1 << (int(most).bit_length() - 1))


@dataclass(frozen=True)
class Beside:
    """What ran beside the microbenchmarks, at one moment.

    Attributes
    ----------
    load : float
        Mean number of processes that wanted to run in the last minute.
    stolen, busy : float
        Processor time that another guest of the host took, and that was used at all, since the start [ticks].
    processes : tuple of str
        Commands of other processes that are running.
    """

    load: float
    stolen: float
    busy: float
    processes: tuple[str, ...]


def beside() -> Beside:
    """Return what runs now, as the system tells it; empty where it tells nothing."""
    stolen = busy = 0.0
    running = []
    try:
        ticks = [float(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        stolen, busy = ticks[7], sum(ticks[:3]) + sum(ticks[5:8])
        for place in Path("/proc").iterdir():
            if place.name.isdigit() and int(place.name) != os.getpid():
                running += _running_command(place)
    except (OSError, IndexError):
        pass
    return Beside(os.getloadavg()[0], stolen, busy, tuple(sorted(running)))


def _running_command(place: Path) -> list[str]:
    try:
        text = (place / "stat").read_text()
    except OSError:
        return []
    name, _, rest = text.partition("(")[2].rpartition(")")
    return [name] if rest.split()[:1] == ["R"] else []
