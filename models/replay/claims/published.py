"""Figures of replays and patterns beside what the models give.

All are ours: times of small runs by hand and by an event simulation, scores of patterns by whole matrices. Figures of
Anghel 2017, Chapter 2, stand on traces that were not published.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.replay.analysis.analysis import Analysis, analyse
from dse.models.replay.claims.runs import MICROSECOND, NETWORK, RUNS, deadlocked
from dse.models.replay.network.candidate_patterns import candidates
from dse.models.replay.network.patterns import classify, traffic_of_matrix
from dse.models.replay.timing.deadlock import Deadlock
from dse.models.replay.timing.modes import replay

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "replay")
_RANKS = 16
_MODES = ("modelled", "zero-delay", "unordered", "ideal")


def claims() -> list[Claim]:
    """Return every figure of replays, with what the models give."""
    replays = []
    for name, trace in RUNS.items():
        replays += _of_run(name, analyse(trace, NETWORK))
    return [*replays, *_deadlocks(), *_scores(), *_patterns(), *FIGURES.not_checkable()]


def _floats(values: Any, scale: float = 1.0) -> tuple[float, ...]:
    return tuple((np.asarray(values, dtype=float).reshape(-1) * scale).tolist())


def _of_run(name: str, analysis: Analysis) -> list[Claim]:
    per, parts = 1.0 / MICROSECOND, analysis.parts
    table = np.stack([parts.compute, parts.calls, parts.dependency, parts.network], axis=1)
    windows = analysis.intervals
    computed = {
        "time modelled, without delay, without order, ideal": _floats([analysis.modes[m].time for m in _MODES], per),
        "finish of each rank": _floats(analysis.modes["modelled"].finish, per),
        "computing, calls, dependencies, network of each rank": _floats(table, per),
        "load balance, serialisation, transfer": _floats(analysis.factors[:3]),
        "waiting for a late sender": float(analysis.waits.late_sender.sum() * per),
        "waiting for a late receiver": float(analysis.waits.late_receiver.sum() * per),
        "windows with messages of 20": _floats(np.flatnonzero(windows.messages)),
        "active pairs of these windows": _floats(windows.active_share[windows.messages > 0]),
        "pattern": analysis.pattern.name,
    }
    return [FIGURES.claim(f"{name}: {what}", value) for what, value in computed.items() if f"{name}: {what}" in FIGURES]


def _ends(size: float) -> bool:
    try:
        replay(deadlocked(size), NETWORK)
    except Deadlock:
        return False
    return True


def _deadlocks() -> list[Claim]:
    title = "two ranks that send 100,000 B, and 8,192 B, before they receive: whether they end"
    return [FIGURES.claim(title, (_ends(1e5), _ends(8192.0)))]


def _matrix(name: str, **parameters: Any) -> np.ndarray:
    """Return the matrix of a pattern of 16 ranks, of the sum 1."""
    candidate = next(
        candidate for candidate in candidates(_RANKS) if candidate.name == name and candidate.parameters == parameters
    )
    matrix = np.zeros((_RANKS, _RANKS))
    if name == "uniform":
        matrix[:] = 1.0 - np.eye(_RANKS)
    elif candidate.source is None or candidate.destination is None:
        rank = np.arange(_RANKS)
        matrix[rank, (rank + parameters["step"]) % _RANKS] = 1.0
    else:
        np.add.at(matrix, (candidate.source, candidate.destination), 1.0)
    result: np.ndarray = matrix / matrix.sum()
    return result


def _grid(*sides: int, periodic: bool = True) -> np.ndarray:
    return _matrix(f"{len(sides)}-D neighbour", grid=list(sides), periodic=periodic)


def _scores() -> list[Claim]:
    uniform, cube, grid = _matrix("uniform"), _matrix("hypercube"), _grid(4, 4)
    pairs = {
        "uniform and 4x4": (uniform, grid),
        "uniform and shift 1": (uniform, _matrix("shift", step=1)),
        "uniform and hypercube": (uniform, cube),
        "4x4 and 2x8": (grid, _grid(2, 8)),
        "4x4 and open 4x4": (grid, _grid(4, 4, periodic=False)),
        "hypercube and 4x4": (cube, grid),
    }
    return [
        FIGURES.claim(f"score of 16 ranks, {name}", float(np.minimum(first, other).sum()))
        for name, (first, other) in pairs.items()
    ]


def _patterns() -> list[Claim]:
    uniform = _matrix("uniform")
    noise = np.random.default_rng(1).standard_normal((100, _RANKS, _RANKS))
    noisy = [classify(traffic_of_matrix(uniform * (1.0 + 0.086 * factor))).score for factor in noise]
    mixed = classify(traffic_of_matrix(_grid(4, 4) + 0.1 * uniform))
    shifted = classify(traffic_of_matrix(_matrix("shift", step=3) + 0.3 * uniform))
    halves = classify(traffic_of_matrix(_grid(4, 4) + _matrix("shift", step=5)))
    ring, cuboid, flat = (
        classify(traffic_of_matrix(matrix))
        for matrix in (_grid(16), _grid(2, 2, 4, periodic=False), _grid(2, 8, periodic=False))
    )
    return [
        FIGURES.claim("4x4 with 10 % uniform: score and runner-up", (mixed.score, mixed.runners_up[0].score)),
        FIGURES.claim("shift 3 with 30 % uniform: step and score", (float(shifted.parameters["step"]), shifted.score)),
        FIGURES.claim("half 4x4 and half shift 5: pattern and score", (halves.name, halves.score)),
        FIGURES.claim("uniform with volumes that vary by 8.6 %: mean score", float(np.mean(noisy))),
        FIGURES.claim("ring both ways: score and that of the open one", (ring.score, ring.runners_up[0].score)),
        FIGURES.claim("open 2x2x4: score and that of the periodic one", (cuboid.score, cuboid.runners_up[0].score)),
        FIGURES.claim("open 2x8: score and that of the periodic one", (flat.score, flat.runners_up[0].score)),
    ]
