"""What the page needs to move unknowns and stay exact: the possible designs, and what they do with the unknowns.

The frontier at any values within the intervals is the frontier of the possible designs that meet their limits there:
what is beaten is beaten by a possible design, as the space is finite. So the page repeats the steps of these designs
alone (`dse.evaluation.repeated_steps`). What belongs to rows or to single designs stays at the value of the study.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.uncertainty.uncertainty import Candidates, candidates
from dse.errors import InputError
from dse.evaluation.affected import affected_designs
from dse.evaluation.repeated_steps import RepeatedSteps, Unrepeatable, repeated_steps, unrepeatable
from dse.evaluation.unknowns import Unknown, factor_name, uncertain_problem
from dse.run.result.slider_file import SliderObjective, SliderProduct, Sliders, SliderUnknown, packed
from dse.units import TEXT

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["MOST", "MOST_BYTES", "sliders_of"]

MOST = 5_000
"""Candidates the page holds at most."""
MOST_BYTES = 2_000_000
"""Bytes of what is stored."""
_MOST_OBJECTIVES = 4


def sliders_of(
    run: Run, unknowns: Sequence[Unknown], cells: int, seed: int, known: Candidates | None = None
) -> Sliders:
    """Return what the page needs to move the unknowns of a run.

    Parameters
    ----------
    run : Run
        With an exact frontier.
    unknowns : sequence of Unknown
    cells, seed : int
        As those of `dse.analysis.uncertainty.uncertainty.candidates`.
    known : Candidates, optional
        Of all these unknowns, taken where every one of them can be moved.
    """
    study = run.study
    without = {
        unknown.quantity: "each design has its own"
        if unknown.scope == "design"
        else f"each row of {unknown.axis} has its own"
        for unknown in unknowns
        if unknown.scope != "shared"
    }
    moved = [unknown for unknown in unknowns if unknown.scope == "shared"]
    frontier = run.frontier["design"].to_numpy(dtype=np.int64)
    for movable in moved:
        without.pop(movable.quantity, None)
    if len(study.compiled.objectives) > _MOST_OBJECTIVES:
        return _none(run, without, f"there are {len(study.compiled.objectives)} objectives, at most {_MOST_OBJECTIVES}")
    prevented = _prevented(run, moved)
    without |= prevented
    moved = [unknown for unknown in moved if unknown.quantity not in prevented]
    if not moved:
        return _none(run, without, "no unknown that all designs share can be moved")
    if known is None or len(moved) < len(unknowns):
        try:
            known = candidates(study, moved, frontier, cells, seed)
        except InputError as error:
            return _none(run, without, error.problem)
    if not known.complete:
        return _none(run, without, f"which designs are possible is not known: {known.refused}")
    if len(known.numbers) > MOST:
        return _none(run, without, f"{len(known.numbers):,} designs are possible, at most {MOST:,} can be shown")
    unknown = uncertain_problem(study.compiled, moved)
    products = []
    for designs in affected_designs(unknown, known.numbers):
        try:
            steps = repeated_steps(designs)
        except Unrepeatable as error:
            return _none(run, without, str(error))
        inputs = list(unknown.entering(designs.index).values())
        alternative = study.space.products[designs.index].name
        products.append(_product(alternative, designs.positions, steps, inputs))
    made = _described(run, without, "", moved, known.numbers, products)
    size = len(made.model_dump_json())
    if size > MOST_BYTES:
        return _none(run, without, f"what they need is {size / 1e6:.1f} MB, at most {MOST_BYTES / 1e6:.0f} MB")
    return made


def _none(run: Run, without: dict[str, str], why: str) -> Sliders:
    return _described(run, without, why, [], np.empty(0, dtype=np.int64), [])


def _described(
    run: Run,
    without: dict[str, str],
    refused: str,
    moved: Sequence[Unknown],
    numbers: np.ndarray,
    products: list[SliderProduct],
) -> Sliders:
    units = run.units
    return Sliders(
        unknowns=[
            SliderUnknown.model_validate(
                {
                    "name": unknown.quantity,
                    "unit": units.get(unknown.quantity, run.study.compiled.units.get(unknown.quantity, "1")),
                    "from": unknown.low,
                    "to": unknown.high,
                    "relative": unknown.relative,
                    "nominal": 0.0 if unknown.relative else unknown.nominal,
                    "weight": unknown.weight,
                }
            )
            for unknown in moved
        ],
        without=without,
        refused=refused,
        objectives=[
            SliderObjective(name=objective.quantity, unit=units.get(objective.quantity, "1"), sense=objective.sense)
            for objective in run.study.compiled.objectives
        ],
        candidates=numbers.tolist(),
        labels=_labels(run, numbers),
        products=products,
        interpolated=_rounds_twice(),
        digest=run.manifest.digest,
    )


def _labels(run: Run, numbers: np.ndarray) -> list[str]:
    """Return what differs in designs, as a person would call them."""
    several = {axis.name for axis in run.manifest.space.axes if axis.values > 1} | {"alternative"}
    units = run.units
    return [
        ", ".join(
            value if name == "alternative" or units.get(name, TEXT) == TEXT else f"{run.label(name)} {value}"
            for name, value in run.study.space.parameters(int(number)).items()
            if name in several
        )
        or f"design {number}"
        for number in numbers
    ]


def _prevented(run: Run, moved: Sequence[Unknown]) -> dict[str, str]:
    """Return which unknowns cannot be moved, and why: the first function that cannot be repeated."""
    reasons: dict[str, str] = {}
    unknown = uncertain_problem(run.study.compiled, moved)
    space = run.study.space
    firsts = [np.arange(size := min(16, product.size)) * (product.size // size) for product in space.products]
    numbers = np.concatenate([own + offset for own, offset in zip(firsts, space.offsets, strict=False)])
    for designs in affected_designs(unknown, numbers):
        for label, (inputs, _) in unrepeatable(designs).items():
            for movable in moved:
                if (factor_name(movable.quantity) if movable.relative else movable.quantity) in inputs:
                    reasons.setdefault(movable.quantity, f"{label} reads it, which cannot be written as steps")
    return reasons


def _product(alternative: str, positions: np.ndarray, steps: RepeatedSteps, inputs: list[list[int]]) -> SliderProduct:
    bits = np.ascontiguousarray(steps.columns.T).view(np.int64).reshape(len(positions), -1)
    if bits.shape[1]:
        _, first, classes = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    else:
        first, classes = np.zeros(1, dtype=int), np.zeros(len(positions), dtype=int)
    return SliderProduct(
        alternative=alternative,
        positions=packed(positions.astype(np.uint16)),
        classes=packed(classes.reshape(-1).astype(np.uint16)),
        rows=len(first),
        columns=[_column(column[first]) for column in steps.columns],
        inputs=inputs,
        constants=packed(np.array(steps.constants, dtype=float)),
        tables=[packed(table) for table in steps.tables],
        steps=[(operation, list(operands)) for operation, operands in steps.steps],
        objectives=list(steps.objectives),
        limits=list(steps.limits),
    )


def _column(values: np.ndarray) -> tuple[str, str]:
    """Return a column by its few distinct values, or as it is."""
    distinct, which = np.unique(values.view(np.int64), return_inverse=True)
    if 8 * len(distinct) + 2 * len(values) < 8 * len(values):
        return packed(distinct.view(float)), packed(which.astype(np.uint16))
    return packed(values), ""


def _rounds_twice() -> bool:
    """Tell whether `numpy.interp` multiplies and adds with a rounding each, as the page does (not everywhere)."""
    rng = np.random.default_rng(0)
    x = rng.random(256)
    slope = (np.float64(1.7) - np.float64(0.3)) / (np.float64(1.0) - np.float64(0.0))
    return bool((np.interp(x, [0.0, 1.0], [0.3, 1.7]) == slope * (x - 0.0) + 0.3).all())
