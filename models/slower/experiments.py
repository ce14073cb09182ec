"""The four sets of experiments of Sterling et al. 2014, Section 4: what is varied, what is fixed, and the gain.

The unit of time is a register operation. The values between the ends of a range are those of our tables; the paper
gives ranges, and for the tasks of its second set only a figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dse.errors import InputError
from dse.models.slower.node_rate import NodeRate, gain, node_rate
from dse.models.slower.work import work_of_mix

__all__ = ["EXPERIMENTS", "PRESETS", "Experiment", "experiment", "experiment_gain"]

_CACHED = 0.32
"""Share of all instructions that are network or memory operations."""

PRESETS: dict[str, dict[str, Any]] = {
    "blocking": {"protocol": "blocking", "tasks": 1, "overhead": 0.0},
    "many-tasking": {"protocol": "non-blocking", "tasks": 64, "overhead": 16.0},
}
"""Ways to run a program, as arguments of `node_rate`: messages that are waited for; many tasks with cheap switches."""


class Experiment(NamedTuple):
    """A set of experiments.

    Attributes
    ----------
    title : str
    figure : int
        Of the paper.
    along, lines : str
        What is varied along a line of the figure and from line to line: "overhead", "tasks", "cores", "latency" or
        "network_fraction".
    values : mapping of str to tuple
        Of both.
    fixed : mapping of str to float
        All others.
    """

    title: str
    figure: int
    along: str
    lines: str
    values: Mapping[str, tuple[float, ...]]
    fixed: Mapping[str, float]

    def arguments(self) -> dict[str, np.ndarray]:
        """Return every argument as an array: lines are the rows, what is varied along them the columns."""
        arguments = {name: np.asarray(value, dtype=float) for name, value in self.fixed.items()}
        arguments[self.along] = np.asarray(self.values[self.along], dtype=float)[None, :]
        arguments[self.lines] = np.asarray(self.values[self.lines], dtype=float)[:, None]
        return arguments


_MIX = {"network_fraction": 0.08}
_DOUBLINGS = tuple(2.0**k for k in range(14))
_LATENCIES = (64.0, 256.0, 1024.0, 2048.0, 4096.0, 8192.0)
_CORES = (1.0, 4.0, 8.0, 16.0, 32.0)

EXPERIMENTS: dict[str, Experiment] = {
    "overhead": Experiment(
        "gain over overhead",
        2,
        "overhead",
        "cores",
        {"overhead": _DOUBLINGS, "cores": (1.0, 4.0, 16.0, 32.0)},
        {"latency": 8192.0, "tasks": 64.0, **_MIX},
    ),
    "tasks": Experiment(
        "gain over tasks per core",
        3,
        "tasks",
        "cores",
        {"tasks": _DOUBLINGS[:9], "cores": (1.0, 8.0, 16.0, 32.0)},
        {"latency": 8192.0, "overhead": 16.0, **_MIX},
    ),
    "latency": Experiment(
        "gain over cores, 8 tasks per core (caption of the figure)",
        4,
        "cores",
        "latency",
        {"cores": _CORES, "latency": _LATENCIES},
        {"overhead": 16.0, "tasks": 8.0, **_MIX},
    ),
    "latency-64-tasks": Experiment(
        "gain over cores, 64 tasks per core (text of the paper)",
        4,
        "cores",
        "latency",
        {"cores": _CORES, "latency": _LATENCIES},
        {"overhead": 16.0, "tasks": 64.0, **_MIX},
    ),
    "mix": Experiment(
        "gain over tasks per core by mix of instructions",
        5,
        "tasks",
        "network_fraction",
        {"tasks": _DOUBLINGS[:8], "network_fraction": (0.0, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16)},
        {"latency": 1024.0, "overhead": 16.0, "cores": 1.0},
    ),
}
"""By name; "latency" and "latency-64-tasks" are one set that the paper describes in two ways."""


def experiment(name: str, *, protocol: str = "non-blocking", cumulative: bool = False, **changed: npt.ArrayLike) -> Any:
    """Return the rates of a set of experiments.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`.
    protocol : {"non-blocking", "blocking"}
    cumulative : bool
        Whether a miss costs the time of the level that missed, too (`work_of_mix`).
    **changed : array_like
        In place of what the set has: overhead, tasks, cores, latency or network_fraction.

    Returns
    -------
    NodeRate
        Rows by what goes from line to line of the figure, columns by what is varied along a line.
    """
    work, rest = _asked(name, cumulative, changed)
    rates: NodeRate = node_rate(work, protocol=protocol, **rest)
    return rates


def experiment_gain(name: str, *, cumulative: bool = False, **changed: npt.ArrayLike) -> np.ndarray:
    """Return the gain of a set of experiments, many tasks over blocking; parameters as of `experiment`."""
    work, rest = _asked(name, cumulative, changed)
    return gain(work, **rest)


def _asked(name: str, cumulative: bool, changed: Mapping[str, npt.ArrayLike]) -> tuple[Any, dict[str, Any]]:
    if not isinstance(name, str) or name not in EXPERIMENTS:
        raise InputError(
            f"unknown set of experiments {name!r}", allowed=list(EXPERIMENTS), wrong=str(name), candidates=EXPERIMENTS
        )
    arguments: dict[str, Any] = dict(EXPERIMENTS[name].arguments())
    for key, value in changed.items():
        if key not in arguments:
            raise InputError(f"unknown argument '{key}'", allowed=list(arguments), wrong=key, candidates=arguments)
        arguments[key] = value
    fraction = np.asarray(arguments.pop("network_fraction"), dtype=float)
    return work_of_mix(fraction, _CACHED - fraction, cumulative=cumulative), arguments
