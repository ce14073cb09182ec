"""Call paths of a profile and their own values: procedures, with loops and lines counted to the one they stand in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.tables.heaviest_paths import MOST_PATHS, lighter_paths
from dse.models.measured_laws.tables.rows import Row

__all__ = ["CallPaths", "Metric", "Profile", "metric_of", "rows_of"]

_UNITS = {"usec": "us", "sec": "s", "nsec": "ns", "msec": "ms", "bytes": "B"}
_NAME = re.compile(r"(?P<name>.*?)\s*(?:\((?P<unit>usec|sec|nsec|msec|bytes)\))?\s*(?P<rest>(?::[\w-]+)*)\Z")
_ROOT = "<program root>"


class Metric(NamedTuple):
    """A metric and its unit; empty where it counts."""

    name: str
    unit: str


def metric_of(text: str) -> Metric:
    """Return what the name of a metric says, its mark of inclusive or exclusive taken off.

    Examples
    --------
    >>> metric_of("CPUTIME (usec):Sum (E)"), metric_of("cycles (E)")
    (Metric(name='CPUTIME:Sum', unit='us'), Metric(name='cycles', unit=''))
    """
    bare = re.sub(r"\s*\([IE]\)\s*\Z", "", text.strip())
    match = _NAME.match(bare)
    if match is None or not match["name"]:
        return Metric(bare, "")
    return Metric(match["name"] + match["rest"], _UNITS.get(match["unit"] or "", ""))


class CallPaths:
    """A tree of procedures; a path is known by a number, -1 is outside of all.

    Attributes
    ----------
    caller : list of int
    names : list of str
    """

    def __init__(self) -> None:
        self.caller: list[int] = []
        self.names: list[str] = []
        self._known: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def inside(self, caller: int, name: str) -> int:
        """Return the path of a procedure called from another path."""
        number = self._known.setdefault((caller, name), len(self.names))
        if number == len(self.names):
            self.caller.append(caller)
            self.names.append(name)
        return number

    def text(self, path: int) -> str:
        """Return a path as ``main->solve``; the root that every path has is left out."""
        names = []
        while path >= 0:
            names.append(self.names[path])
            path = self.caller[path]
        if len(names) > 1 and names[-1] == _ROOT:
            names.pop()
        return "->".join(reversed(names))


@dataclass
class Profile:
    """Own values of call paths.

    Attributes
    ----------
    paths : CallPaths
    metrics : sequence of Metric
    of_ranks : callable
        Gives, each time it is called, the rank (None: the run as a whole) and values (metrics, paths) of each.
    ranks : int or None
        None where the file has sums of the run alone.
    notes : list of str
    """

    paths: CallPaths
    metrics: Sequence[Metric]
    of_ranks: Callable[[], Iterator[tuple[int | None, np.ndarray]]]
    ranks: int | None
    notes: list[str] = field(default_factory=list)


def rows_of(profile: Profile, file: Path, *, alone: bool) -> tuple[list[Row], list[str]]:
    """Return the values of the heaviest paths, those with most time; of what is zero on every rank, none.

    The profile is gone through twice, so that of many ranks one is held at a time.
    """
    count = len(profile.paths)
    if not profile.metrics or not count:
        raise InputError("has no values of call paths", file=file, allowed="a database that hpcprof made of a run")
    sums = np.zeros((len(profile.metrics), count))
    for _, values in profile.of_ranks():
        sums += values
    timed = next((place for place, metric in enumerate(profile.metrics) if metric.unit.endswith("s")), 0)
    order = np.argsort(-sums[timed], kind="stable")
    order = order[(sums[:, order] != 0.0).any(axis=0)]
    chosen, others = order[:MOST_PATHS], order[MOST_PATHS:]
    if not len(chosen):
        raise InputError("every value is zero", file=file, allowed="a run that was sampled")
    notes = list(profile.notes)
    if len(others):
        whole, rest = float(sums[timed].sum()), float(sums[timed, others].sum())
        notes.append(lighter_paths(len(others), rest, whole, profile.metrics[timed].name))
    parameters = {"processes": float(profile.ranks)} if alone and profile.ranks is not None else {}
    rows = [
        Row(
            f"metric {metric.name}",
            metric.name,
            parameters,
            float(values[place, path]),
            metric.unit,
            region=profile.paths.text(path),
            rank=rank,
            file=str(file),
        )
        for rank, values in profile.of_ranks()
        for place, metric in enumerate(profile.metrics)
        for path in chosen.tolist()
        if sums[place, path] != 0.0
    ]
    return rows, notes
