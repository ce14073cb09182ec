"""Sweeping a parameter: the best design at each of its values, and where it changes, each by a search of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from dse.analysis.choice import knee_row
from dse.analysis.pick import Row, records_of
from dse.errors import InputError
from dse.run.execute import run_study
from dse.run.run import Run
from dse.study.study import Study
from dse.units import TEXT, parse_quantity, unit_of

__all__ = ["BreakEven", "Step", "Sweep", "sweep_study", "values_of"]

CLOSE = 1e-3  # width, as a share of the larger value, to which a break-even is narrowed
LARGEST = 1000  # values of a sweep


@dataclass(frozen=True)
class Step:
    """The best design at one value (SI): what it is told by, and its cells; None where nothing is feasible."""

    value: float
    winner: str | None
    design: Row | None


@dataclass(frozen=True)
class BreakEven:
    """Where the best changes: after `low`, and at `high` at the latest (SI)."""

    low: float
    high: float
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Sweep:
    """The best design along a parameter.

    Attributes
    ----------
    study, varied, unit : str
        The study; the parameter or axis, and its SI unit.
    rule : str
        What is best: "least time", "knee".
    by : list of str
        What designs are told apart by: "alternative", parts, or what was asked for.
    objectives : list of str
        The quantities that are shown.
    steps : list of Step
    break_even : list of BreakEven
        A winner that comes and goes between two neighbouring steps is not seen.
    searches, evaluated : int
        How many searches it took, and how many designs these evaluated.
    units : dict of str to str
    synthetic : list of str
    """

    study: str
    varied: str
    unit: str
    rule: str
    by: list[str]
    objectives: list[str]
    steps: list[Step]
    break_even: list[BreakEven]
    searches: int
    evaluated: int
    units: dict[str, str]
    synthetic: list[str]

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return asdict(self)


def values_of(study: Study, name: str, text: str, steps: int) -> tuple[list[float], str]:
    """Return the values of a sweep in SI, and their unit.

    Parameters
    ----------
    study : Study
    name : str
        A parameter, an assumption or an axis of numbers.
    text : str
        ``"100..800 Gbit/s"``, of which `steps` evenly spaced values are taken, or a list: ``"100, 200, 400 Gbit/s"``.
    steps : int
    """
    key = f"--vary {name}"
    declared = study.declarations.of_input(name)
    units = {axis.name: axis.units[axis.name] for one in study.space.products for axis in one.axes if not axis.is_part}
    unit = declared.unit if declared is not None else units.get(name)
    if unit is None or unit == TEXT:
        inputs = study.declarations.units | units
        known = sorted(one for one, of in inputs.items() if of != TEXT)
        raise InputError(
            f"the study has no number '{name}' to vary", key=key, allowed=known, wrong=name, candidates=known
        )
    ends = [part.strip() for part in re.split(r"\.\.", text)]
    parts = ends if len(ends) == 2 else [part.strip() for part in text.split(",")]
    if len(parts) < 2 or not all(parts):
        example = "100..800 Gbit/s or 100, 200, 400 Gbit/s"
        raise InputError(f"'{text}' is neither a range nor a list of values", key=key, allowed=example)
    last = unit_of(parts[-1])
    try:
        found = [parse_quantity(part if unit_of(part) or not last else f"{part} {last}", unit) for part in parts]
    except InputError as error:
        raise error.within(key=key) from None
    if any(low >= high for low, high in pairwise(found)):
        raise InputError(f"'{text}' does not run upwards", key=key, allowed="values in rising order")
    if len(ends) == 2:
        if not 2 <= steps <= LARGEST:
            raise InputError(f"{steps} steps", key="--steps", allowed=f"2 to {LARGEST}")
        found = np.linspace(found[0], found[1], steps).tolist()
        if getattr(declared, "integer", False):
            found = sorted({float(round(value)) for value in found})
    return found, unit


def sweep_study(
    study: Study,
    name: str,
    text: str,
    *,
    steps: int = 33,
    quantity: str | None = None,
    by: str | None = None,
    run_type: type[Run] = Run,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Search the space of a study at each value of a parameter, and find where the best design changes by bisection.

    Parameters
    ----------
    study : Study
    name, text, steps
        What is varied, as `values_of` takes it.
    quantity : str, optional
        What is best: the least of it (the most, where an objective of the study is maximised). Default: the knee of
        the frontier.
    by : str, optional
        What designs are told apart by: an axis, or "alternative". Default: the alternatives, else all part axes.
    run_type : type of Run
    progress : callable, optional
        Called with (steps done, searches so far).
    """
    values, unit = values_of(study, name, text, steps)
    search = _Search(study, name, unit, quantity, by, run_type)
    found = []
    for value in values:
        found.append(search.at(value))
        if progress is not None:
            progress(len(found), search.searches)
    changes = [
        change for one, other in pairwise(found) for change in (search.changes(one, other) if search.told_by else ())
    ]
    shown = [quantity] if quantity is not None else [o.quantity for o in study.compiled.objectives]
    rule = f"{'most' if search.most else 'least'} {quantity}" if quantity is not None else "knee"
    return Sweep(
        study.name,
        name,
        unit,
        rule,
        search.told_by,
        [str(one) for one in shown],
        found,
        changes,
        search.searches,
        search.evaluated,
        search.units,
        study.synthetic,
    )


class _Search:
    """The best design at any value, and where it changes."""

    def __init__(
        self, study: Study, name: str, unit: str, quantity: str | None, by: str | None, run_type: type[Run]
    ) -> None:
        self.study, self.name, self.unit, self.quantity, self.run_type = study, name, unit, quantity, run_type
        self.most = any(o.quantity == quantity and o.sense == "max" for o in study.compiled.objectives)
        self.searches, self.evaluated = 0, 0
        self.units: dict[str, str] = {}
        self._by = by
        _ = self.told_by

    @cached_property
    def told_by(self) -> list[str]:
        """What designs are told apart by."""
        products = self.study.space.products
        axes = {axis.name: axis for product in products for axis in product.axes if axis.name != self.name}
        several = ["alternative"] if len(products) > 1 else []
        if self._by is not None:
            if self._by not in (known := [*several, *axes]):
                raise InputError(
                    f"'{self._by}' tells no designs apart", key="--by", allowed=known, wrong=self._by, candidates=known
                )
            return [self._by]
        return several or [axis.name for axis in axes.values() if axis.is_part and len(axis) > 1]

    def at(self, value: float) -> Step:
        """Return the best design at a value."""
        wanted = [self.quantity] if self.quantity is not None else []
        given = value if self.unit == "1" else f"{value!r} {self.unit}"
        try:
            variant = self.study.with_(
                set={self.name: given},
                minimize=[] if self.most else wanted,
                maximize=wanted if self.most else [],
                name="step",
            )
        except InputError as error:
            asked = {f"--set {self.name}": f"--vary {self.name}", "--min": "--quantity", "--max": "--quantity"}
            error.key = asked.get(error.key or "", error.key)
            raise error.within() from None
        run = run_study(variant, self.run_type)
        self.searches += 1
        self.evaluated += run.manifest.certificate.evaluated
        self.units |= run.units
        if not len(run.frontier):
            return Step(value, None, None)
        names, senses = [o["quantity"] for o in run.objectives], [o["sense"] for o in run.objectives]
        row = 0 if self.quantity is not None else knee_row(run.frontier[names].to_numpy(dtype=float), senses)
        (design,) = records_of(run.frontier.iloc[[row]], run.validation_columns)
        axes = {axis.name: axis for product in variant.space.products for axis in product.axes}
        told = []
        for axis in self.told_by:
            cell = design.get(axis)
            number = isinstance(cell, float) and axis in axes and not axes[axis].is_part
            told.append(f"{cell:.12g}" if number else "–" if cell is None else str(cell))
        return Step(value, ", ".join(told), design)

    def changes(self, one: Step, other: Step) -> Iterator[BreakEven]:
        """Return where the winner changes between two steps."""
        while one.winner != other.winner:
            low, high = one, other
            while not self._close(low.value, high.value):
                step = self.at(self._between(low.value, high.value))
                low, high = (step, high) if step.winner == one.winner else (low, step)
            yield BreakEven(low.value, high.value, low.winner, high.winner)
            one = high

    @cached_property
    def _whole(self) -> bool:
        return bool(getattr(self.study.declarations.of_input(self.name), "integer", False))

    def _between(self, low: float, high: float) -> float:
        middle = low + (high - low) / 2
        return float(np.floor(middle)) if self._whole else middle

    def _close(self, low: float, high: float) -> bool:
        return high - low <= 1 if self._whole else high - low <= CLOSE * max(abs(low), abs(high))
