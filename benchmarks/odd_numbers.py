"""Fresh random systems of odd numbers, each searched by every method and compared with the frontier by definition."""

from __future__ import annotations

import importlib.util
import secrets
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from benchmarks.machine import Unequal
from benchmarks.report import Column, Section

SEEDS = {"full": 500, "small": 50}
_EVERY = 50  # of so many one also on two processes
_TESTS = Path(__file__).resolve().parents[1] / "tests"


def run(designs: str, say: Callable[[str], None], seeds: int | None = None, first: int | None = None) -> Section:
    """Search the systems of so many seeds, from a random one on."""
    check = _odd_problems().check
    count = SEEDS[designs] if seeds is None else seeds
    start = secrets.randbelow(2**40) if first is None else first
    said: Counter[str] = Counter()
    for done in range(count):
        say(f"{done} of {count} systems, seeds from {start}")
        try:
            said[check(start + done, (1, 2) if done % _EVERY == 0 else (1,))] += 1
        except AssertionError as error:
            raise Unequal(f"{error}; again: odd-numbers --first {start + done} --seeds 1") from None
    rows = [{"said": word, "systems": number} for word, number in sorted(said.items())]
    asserted = [f"{count} systems, seeds {start} to {start + count - 1}: every method equals the definition or refuses"]
    columns = [Column("said", "what all methods said"), Column("systems", "systems", str)]
    return Section("odd-numbers", "Integers, truth values, small floats and 2^53", columns, rows, asserted=asserted)


def _odd_problems() -> ModuleType:
    """Return the module of the tests that makes the systems."""
    for name in ("engine_problems", "odd_problems"):
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, _TESTS / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
    import cloudpickle

    for name in ("engine_problems", "odd_problems"):  # workers cannot import them
        cloudpickle.register_pickle_by_value(sys.modules[name])
    return sys.modules["odd_problems"]
