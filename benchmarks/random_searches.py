"""Random searches against brute force, so many of each feature: groups, steps, tolerance, stops and what goes on.

The checks are those of the tests (`tests/searched_features.py`), the seeds are others and more. Everything runs in this
process and its forks, on small spaces with the settings of large ones; every frontier is compared with the definition.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from benchmarks.machine import Unequal
from benchmarks.report import Column, Section, number, seconds

__all__ = ["Tally", "checks", "run"]

SEEDS = {"full": 2_000, "small": 20}
_TOGETHER = 50  # of which a process has the seeds one after the other
_APART, _MOST = 10_000, 20  # seeds from one such part to the next; times as many are searched at the most
_TESTS = Path(__file__).resolve().parents[1] / "tests"
_SHOWN = 5  # wrong searches that are named


@dataclass
class Tally:
    """What came of the searches of a feature.

    Attributes
    ----------
    searched, took_part : int
        Systems, and those of them in which the feature took part.
    wrong : list of str
        Seed and error of each that was wrong.
    cpu_seconds : float
    """

    searched: int = 0
    took_part: int = 0
    wrong: list[str] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def add(self, other: Tally) -> None:
        """Add those of other seeds."""
        self.searched += other.searched
        self.took_part += other.took_part
        self.wrong += other.wrong
        self.cpu_seconds += other.cpu_seconds


def checks() -> Mapping[str, Callable[[int], bool]]:
    """Return the checks of the tests, by feature."""
    if str(_TESTS) not in sys.path:
        sys.path.append(str(_TESTS))
    return cast(Mapping[str, Callable[[int], bool]], importlib.import_module("searched_features").FEATURES)


def run(
    designs: str,
    say: Callable[[str], None],
    seeds: int | None = None,
    first: int | None = None,
    features: Sequence[str] | None = None,
) -> Section:
    """Search systems of each feature, with seeds from `first` on, until it took part in so many.

    Raises
    ------
    Unequal
        Some search is wrong; the seeds are named.
    """
    chosen, count, start = [*(features or checks())], seeds or SEEDS[designs], 1_000_000 if first is None else first
    tallies = {feature: Tally() for feature in chosen}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        waiting: dict[Future[Tally], str] = {
            pool.submit(checked, feature, start + place * _APART, min(_TOGETHER, count - place * _TOGETHER)): feature
            for feature in chosen
            for place in range(-(-count // _TOGETHER))
        }
        for done, future in enumerate(as_completed(waiting), 1):
            tallies[waiting[future]].add(future.result())
            say(f"{done} of {len(waiting)} parts")
    wrong = [f"{feature}: {text}" for feature, tally in tallies.items() for text in tally.wrong]
    if wrong:
        raise Unequal("; ".join([f"{len(wrong)} searches are wrong", *wrong[:_SHOWN]]))
    rows = [
        {
            "feature": feature,
            "searched": tally.searched,
            "took_part": tally.took_part,
            "wrong": len(tally.wrong),
            "cpu_seconds": tally.cpu_seconds,
        }
        for feature, tally in tallies.items()
    ]
    return Section(
        "random-searches",
        "Random searches against brute force, by feature",
        [
            Column("feature", "feature"),
            Column("searched", "searched", number),
            Column("took_part", "in which it took part", number),
            Column("wrong", "wrong", str),
            Column("cpu_seconds", "processor", seconds),
        ],
        rows,
        asserted=[f"seeds from {start} on: every frontier is that by definition, or covers it"],
    )


def checked(feature: str, first: int, wanted: int) -> Tally:
    """Search systems from a seed on, in this process, until the feature took part in so many."""
    check, tally, begun = checks()[feature], Tally(), time.process_time()
    while tally.took_part < wanted and tally.searched < _MOST * wanted:
        seed = first + tally.searched
        tally.searched += 1
        try:
            tally.took_part += check(seed)
        except Exception as error:
            tally.wrong.append(f"seed {seed}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")
    tally.cpu_seconds = time.process_time() - begun
    return tally
