"""A reference as it was measured: its figures in the place of what is computed, brought within the limits of a study.

What was measured of a system takes the place of the quantity in the graph, so that whatever rests on it follows. More
or fewer of the same systems side by side do more or less of the same work, so a system is brought within limits on what
was measured by a scale: rates, powers and costs go with it, times against it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.analysis.choose.constant_limits import ConstantLimit
from dse.evaluation.problem import Problem
from dse.evaluation.reference_systems import ReferenceSystem
from dse.graph.graph import call

__all__ = ["LARGEST_SCALE", "AsMeasured", "as_measured", "scale_within"]

LARGEST_SCALE = 1.5
"""How many times of itself a system that is too small may be taken."""

_TIME = "s"


@dataclass(frozen=True)
class AsMeasured:
    """Objectives of a reference with its measured figures, at a scale.

    Attributes
    ----------
    objectives : tuple of float
        In the order of the problem, at the scale; NaN where something is not known.
    scale : float or None
        None where no scale up to `LARGEST_SCALE` brings it within the limits.
    why : str
        The limit that asks for the scale, or that it cannot meet.
    """

    objectives: tuple[float, ...]
    scale: float | None
    why: str


def as_measured(problem: Problem, system: ReferenceSystem, limits: Sequence[ConstantLimit]) -> AsMeasured:
    """Return a reference with its measured figures.

    Parameters
    ----------
    problem : Problem
    system : ReferenceSystem
    limits : sequence of ConstantLimit
        On quantities that are measured of such systems.
    """
    measured = {name: figure["value"] for name, figure in system.measured.items()}
    scale, why = scale_within(measured, limits)
    values = _values(system, measured)
    by_scale = 1.0 if scale is None else scale
    objectives = []
    for objective in problem.objectives:
        value = values.get(objective.quantity, math.nan)
        unit = problem.units[objective.quantity]
        value = value / by_scale if unit == _TIME else value * by_scale
        objectives.append(value if objective.sense == "min" else 1.0 / value)
    return AsMeasured(tuple(objectives), scale, why)


def scale_within(measured: Mapping[str, float], limits: Sequence[ConstantLimit]) -> tuple[float | None, str]:
    """Return the scale that brings measured figures within limits (None: there is none), and the limit that asks.

    There is none either where what is limited was not measured.
    """
    most, least, above, below = math.inf, 0.0, "", ""
    for limit in limits:
        value = measured.get(limit.quantity)
        if limit.required_by:
            continue
        if value is None:
            return None, f"{limit.text}, of which nothing was measured"
        ratio = limit.value / value
        if limit.relation.startswith("<") and ratio < most:
            most, above = ratio, limit.text
        if limit.relation.startswith(">") and ratio > least:
            least, below = ratio, limit.text
    if most < 1.0:
        return (most, above) if most >= least else (None, f"{above}, {below}")
    if least > 1.0:
        return (least, below) if least <= min(most, LARGEST_SCALE) else (None, below)
    return 1.0, ""


def _values(system: ReferenceSystem, measured: Mapping[str, float]) -> dict[str, float]:
    """Return what the graph gives with measured figures in the place of what is computed."""
    graph = system.group.system.graph
    known = {name: value for name, value in system.arrays.items() if name in graph.inputs}
    known |= {name: np.full(1, value) for name, value in measured.items()}
    with np.errstate(all="ignore"):
        for function in graph.functions:
            if all(need in known for need in function.needs):
                known |= {name: value for name, value in call(function, known).items() if name not in measured}
    return {
        name: float(np.asarray(value).reshape(-1)[0])
        for name, value in known.items()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isfinite(value).all()
    }
