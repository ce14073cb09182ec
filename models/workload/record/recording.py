"""Run an instrumented program and find what it left: settings of the run-time library, life and end of the program."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dse.errors import InputError, one_of, shown

__all__ = ["compiler_folder", "ended_by", "run_program", "settings", "typed_parameters"]

_METRICS = ("mix", "ilp", "reuse", "branches", "footprint")
_BASE = ("base", "base-wait")
_HEAT_MAPS = ("addresses", "locality")
_MOST = 4
_SAMPLE = re.compile(
    r"default|none|(ilp=[1-9]\d{0,5}|reuse=(0?\.\d+|1(\.0*)?))(,(ilp=[1-9]\d{0,5}|reuse=(0?\.\d+|1(\.0*)?)))?"
)
_BYTES = re.compile(r"([1-9]\d{0,12})\s*(KiB|MiB|GiB|TiB|B)?")
_SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]{0,254}")
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def compiler_folder() -> Path:
    """Return the folder of the compilers dse-cc, dse-c++ and dse-fc.

    Raises
    ------
    InputError
        The installation has none.
    """
    folder = Path(__file__).resolve().parents[2]
    # A link in the repository, a folder beside `models` where the package is installed.
    for root in (folder, folder.parent):
        if (root / "profiler" / "wrappers" / "dse-cc").is_file():
            return root / "profiler" / "wrappers"
    raise InputError(f"there is no profiler beside {folder}", allowed="an installation with the folder `profiler`")


def settings(
    *,
    windows: str = "32,64,128,inf",
    lines: str = "64,128",
    branches: str = "all",
    metrics: str = ",".join(_METRICS),
    sample: str = "default",
    block_copies: str = "lines",
    heatmap: str | None = None,
    memory_limit: str | None = None,
    from_function: str | None = None,
) -> dict[str, str]:
    """Return the environment that tells the run-time library what to measure, each value checked.

    Parameters
    ----------
    windows : str
        At most 4 of whole numbers, ``inf`` (no window), ``io`` (in order, no window), ``base`` (no window, control
        instructions one after the other; of a run that is not sampled) and ``base-wait`` (others wait for them too).
    lines : str
        At most 4 sizes of lines in bytes, powers of two from 8 to 4096.
    branches : str
        ``all`` or ``conditional``.
    metrics : str
        Some of mix, ilp, reuse, branches, footprint.
    sample : str
        ``default`` (ilp=10: one event in ten, in bursts), ``none``, or ``ilp=N,reuse=RATE``.
    block_copies : str
        ``lines`` or ``none``: whether memcpy and the like reference lines.
    heatmap : str, optional
        ``addresses``, ``locality`` or both; none if left out.
    memory_limit : str, optional
        In bytes, or with a unit such as ``4 GiB``.
    from_function : str, optional
        The function whose calls alone are recorded, with all that they call; its symbol, which in C++ is mangled.

    Raises
    ------
    InputError
        A value that the library would not understand.
    """
    _each(
        windows,
        "--windows",
        lambda word: word in ("inf", "io", *_BASE) or (word.isdecimal() and 1 <= int(word) <= 65536),
        f"at most {_MOST} of the whole numbers 1 to 65536, inf (no window), io (in order), base and base-wait, such as "
        "32,64,128,inf",
    )
    _each(
        lines,
        "--lines",
        lambda word: word.isdecimal() and int(word) in [2**power for power in range(3, 13)],
        f"at most {_MOST} powers of two from 8 to 4096, such as 64,128",
    )
    _each(metrics, "--metrics", lambda word: word in _METRICS, one_of(_METRICS), most=len(_METRICS))
    for key, value, allowed in (
        ("--branches", branches, ("all", "conditional")),
        ("--block-copies", block_copies, ("lines", "none")),
    ):
        if value not in allowed:
            raise InputError(f"{shown(value)}", key=key, allowed=list(allowed), wrong=value, candidates=allowed)
    rate = re.search(r"reuse=([\d.]+)", sample)
    if not _SAMPLE.fullmatch(sample) or (rate is not None and float(rate[1]) == 0):
        raise InputError(
            f"{shown(sample)}", key="--sample", allowed="default, none, or ilp=N,reuse=RATE such as ilp=50,reuse=0.01"
        )
    base = next((word for word in windows.split(",") if word in _BASE), None)
    if base and sample != "none" and "ilp=1" not in sample.split(","):
        raise InputError(
            f"{base} has no window, and cannot be scaled from a sample",
            key="--windows",
            allowed=f"{base} with --sample none",
        )
    made = {"WINDOWS": windows, "LINES": lines, "BRANCHES": branches, "METRICS": metrics, "SAMPLE": sample}
    made["BLOCK_COPIES"] = block_copies
    if heatmap is not None:
        _each(heatmap, "--heatmap", lambda word: word in _HEAT_MAPS, one_of(_HEAT_MAPS), most=len(_HEAT_MAPS))
        made["HEATMAP"] = heatmap
    if memory_limit is not None:
        match = _BYTES.fullmatch(memory_limit)
        if not match:
            raise InputError(
                f"{shown(memory_limit)}", key="--memory-limit", allowed="bytes, such as 4 GiB or 500000000"
            )
        made["MEMORY_LIMIT"] = str(int(match[1]) * _UNITS[match[2] or "B"])
    if from_function is not None:
        if not _SYMBOL.fullmatch(from_function):
            raise InputError(f"{shown(from_function)}", key="--from", allowed="the name of a function, such as solve")
        made["FROM"] = from_function
    return {f"DSE_PROFILE_{name}": value for name, value in made.items()}


def _each(text: str, key: str, is_right: Any, allowed: str, most: int = _MOST) -> None:
    words = text.split(",")
    wrong = [word for word in words if not is_right(word)]
    if wrong or len(words) > most or len(set(words)) < len(words):
        raise InputError(f"{shown(wrong[0] if wrong else text)}", key=key, allowed=allowed)


def typed_parameters(given: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a program, ``key=value``: whole numbers and decimals as numbers, the rest as text."""
    parameters: dict[str, Any] = {}
    for item in given:
        name, equals, text = item.partition("=")
        if not equals or not name or name in parameters:
            problem = "stands twice" if name in parameters else "is no key=value"
            raise InputError(f"{shown(item)} {problem}", key="--parameter", allowed="such as n=4096")
        parameters[name] = text
        for kind in (int, float):
            try:
                value = kind(text)
            except ValueError:
                continue
            if abs(value) < float("inf"):
                parameters[name] = value
                break
    return parameters


def run_program(command: Sequence[str], environment: Mapping[str, str], *, apart: bool = False) -> int:
    """Run a program to its end; what ends it by a signal is left to it, so that it writes its record.

    Parameters
    ----------
    command : sequence of str
    environment : mapping
        Added to the environment.
    apart : bool
        Whether its output goes to the error stream, as the standard output is for a document.

    Returns
    -------
    int
        Its exit status; -N when signal N ended it.
    """
    try:
        child = subprocess.Popen(
            list(command), env={**os.environ, **environment}, stdout=sys.stderr.fileno() if apart else None
        )
    except OSError as error:
        raise InputError(
            f"{shown(command[0])} cannot be run: {error.strerror}", allowed="a program: -- ./program arguments"
        ) from None
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),  # the terminal sends it to the program too
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: child.terminate()),
    }
    try:
        return child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ended_by(status: int) -> str | None:
    """Return the name of the signal that ended a program, also where mpirun or a shell passed it on as 128 + N."""
    number = -status if status < 0 else status - 128
    try:
        return signal.Signals(number).name if number > 0 else None
    except ValueError:
        return None
