"""Attainable curves: the best of every objective that any design reaches within each budget, whatever else is chosen.

Of a quantity, such as the power of the machine, one search for each objective gives the whole curve: the frontier over
(objective, budget). It is exact. Let a design be the best of the objective within a budget; what no design of that
frontier beats is not beaten by it, so the frontier has a design that is as good and needs no more. Nor does the
frontier hold anything else: each of its designs is the best within what it needs itself. Of an axis of numbers, each
value has a search of its own; the spaces of these searches are the parts into which the axis cuts the space.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.choose.best_design import choices_of
from dse.analysis.choose.constant_limits import ConstantLimit, constant_limits, limit_of
from dse.analysis.choose.pick import Row, records_of
from dse.errors import InputError
from dse.run.execute.execute import EXACTLY, run_study
from dse.run.result.run import Run
from dse.run.result.tables import Frontier
from dse.search.account.stopping import UNLIMITED
from dse.study.study import Study
from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Attainable", "Curve", "Point", "attainable_study"]

WITHIN, REACHING, AT = "within", "reaching", "at"


@dataclass(frozen=True)
class Point:
    """Where a curve steps: the budget, the best of the objective from there on (SI), and the design that has it."""

    budget: float
    value: float | None
    design: Row | None


@dataclass(frozen=True)
class Curve:
    """The best of one objective: its SI unit and sense, and the points by rising budget."""

    quantity: str
    unit: str
    sense: str
    points: list[Point]


@dataclass(frozen=True)
class Attainable:
    """The best of every objective that any design reaches within each budget.

    Attributes
    ----------
    study, budget, unit : str
        The study; the quantity or axis that is limited, and its SI unit.
    relation : str
        "within": a budget is the most there may be; "reaching": the least, of what the study maximises or asks a least
        of; "at": the values of an axis.
    choices : list of str
        What the designs of the curves differ in.
    also : list of str
        What is shown beside the objectives.
    curves : list of Curve
        Between two points a curve is level: what the first of them needs is the best until the second.
    limits, lifted : list of ConstantLimit
        The limits on the budget itself, beyond which the curves say nothing; and those of the study that were lifted.
    searches, evaluated : int
    units : dict of str to str
    synthetic : list of str
    labels : dict of str to str
        Words for people, of names whose words are more than the name.
    """

    study: str
    budget: str
    unit: str
    relation: str
    choices: list[str]
    also: list[str]
    curves: list[Curve]
    limits: list[ConstantLimit]
    lifted: list[ConstantLimit]
    searches: int
    evaluated: int
    units: dict[str, str]
    synthetic: list[str]
    labels: dict[str, str]

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return asdict(self)

    @property
    def found(self) -> bool:
        """Whether anything can be built."""
        return any(point.design is not None for curve in self.curves for point in curve.points)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each point of each curve, with what was chosen; ``units`` has the SI units."""
        objectives = [curve.quantity for curve in self.curves]
        names = [name for name in dict.fromkeys([*objectives, *self.also, *self.choices]) if name != self.budget]
        rows = [(curve.quantity, point) for curve in self.curves for point in curve.points]
        cells: dict[str, list[object]] = {"best": [name for name, _ in rows]}
        cells[self.budget] = [point.budget for _, point in rows]
        for name in names:
            column: list[object] = [point.design.get(name) if point.design else None for _, point in rows]
            if any(cell is not None and cell != "" for cell in column):
                cells[name] = column
        frame = Frontier(cells)
        known = {name: self.units[name] for name in cells if name in self.units}
        frame.attrs["units"] = known | {"best": TEXT, self.budget: self.unit}
        return frame


def attainable_study(
    study: Study,
    budget: str,
    *,
    quantity: str | None = None,
    lift: bool = False,
    also: Collection[str] = (),
    run_type: type[Run] = Run,
    progress: Callable[[str, int, int], None] | None = None,
) -> Attainable:
    """Find the best of every objective within each budget.

    Parameters
    ----------
    study : Study
    budget : str
        A quantity of the study, or an axis of numbers.
    quantity : str, optional
        The one objective whose curve is wanted: any quantity; the least of it unless the study maximises it.
    lift : bool
        Whether the limits of the study on `budget` are lifted. Requirements of models stay.
    also : collection of str
        What is shown beside them in the cells of a design.
    run_type : type of Run
    progress : callable, optional
        Called with ("searches", done, of how many).

    Raises
    ------
    InputError
        A budget that is no number of the study, or that is the objective itself.
    """
    senses = {o.quantity: o.sense for o in study.compiled.objectives}
    wanted = {quantity: senses.get(quantity, "min")} if quantity is not None else dict(senses)
    wanted.pop(budget, None)
    if not wanted:
        raise InputError(
            f"'{budget}' is the objective itself", key="--attainable", allowed="another quantity, or --quantity"
        )
    own = [_own_limit(study, budget, text) for text in study.spec.constraints]
    lifted = [limit for limit in own if limit is not None and limit.quantity == budget] if lift else []
    if lifted:
        kept = [text for text, limit in zip(study.spec.constraints, own, strict=True) if limit not in lifted]
        study = study.edited(constraints=kept, also=list(dict.fromkeys([*study.spec.also, budget])))
    search = _Searches(study, budget, also, run_type, progress or (lambda what, done, of: None))
    limits = [] if search.axis else constant_limits(study, [budget])
    relations = {limit.relation[0] for limit in [*limits, *lifted]}
    least = senses.get(budget, "max" if relations == {">"} else "min") == "max"
    relation = AT if search.axis else REACHING if least else WITHIN
    curves = search.at_values(wanted) if search.axis else search.within(wanted, most=relation == REACHING)
    return Attainable(
        study.name,
        budget,
        search.unit,
        relation,
        list(choices_of(study, [budget], several=True)),
        [name for name in dict.fromkeys(also) if name != budget],
        curves,
        limits,
        lifted,
        search.searches,
        search.evaluated,
        search.units,
        study.synthetic,
        study.labels,
    )


def _own_limit(study: Study, budget: str, text: str) -> ConstantLimit | None:
    """Return a constraint of the study as a limit; None where it is no limit on the budget alone."""
    for constraint in study.compiled.constraints:
        if constraint.text == text and constraint.expression.needs == (budget,):
            return limit_of(constraint.expression)
    return None


class _Searches:
    """The searches that the curves of a study take."""

    def __init__(
        self,
        study: Study,
        budget: str,
        also: Collection[str],
        run_type: type[Run],
        progress: Callable[[str, int, int], None],
    ) -> None:
        self.study, self.budget, self.run_type, self.progress = study, budget, run_type, progress
        self.searches = self.evaluated = 0
        self.units: dict[str, str] = {}
        axes = [axis for product in study.space.products for axis in product.axes if axis.name == budget]
        everywhere = len(axes) == len(study.space.products)  # elsewhere a search would set what is no axis there
        self.axis = everywhere and not any(axis.is_part for axis in axes) and axes[0].units[budget] != TEXT
        self.values = sorted({float(value) for axis in axes for value in axis.columns[budget]}) if self.axis else []
        self.also = list(also)
        self.unit = self._unit()

    def _unit(self) -> str:
        unit = self.study.units.get(self.budget)
        if unit is None and not self.axis:
            try:
                unit = self.study.with_(also=self.budget, name="step").units[self.budget]
            except InputError as error:
                error.key = "--attainable"
                raise error.within() from None
        if unit is None or unit in (TEXT, "bool", "table"):
            raise InputError(f"'{self.budget}' is no number", key="--attainable", allowed="a quantity with a number")
        return unit

    def within(self, wanted: Mapping[str, str], *, most: bool) -> list[Curve]:
        """Return the curve of each objective over a quantity: one search over the two of them."""
        curves = []
        self.progress("searches", 0, len(wanted))
        for name, sense in wanted.items():
            run = self._run({name: sense, self.budget: "max" if most else "min"})
            curves.append(Curve(name, run.units[name], sense, _steps(run, name, self.budget)))
            self.progress("searches", len(curves), len(wanted))
        return curves

    def at_values(self, wanted: Mapping[str, str]) -> list[Curve]:
        """Return the best of each objective at each value of the axis."""
        points: dict[str, list[Point]] = {name: [] for name in wanted}
        self.progress("searches", 0, len(self.values))
        for place, value in enumerate(self.values, 1):
            given = value if self.unit == "1" else f"{value!r} {self.unit}"
            run = self._run(wanted, {self.budget: given})
            for name, sense in wanted.items():
                column = run.frontier[name].to_numpy(dtype=float)
                if not len(column):
                    points[name].append(Point(value, None, None))
                    continue
                row = int(np.argmin(column) if sense == "min" else np.argmax(column))
                (design,) = records_of(run.frontier.iloc[[row]], run.validation_columns)
                points[name].append(Point(value, float(column[row]), design))
            self.progress("searches", place, len(self.values))
        return [Curve(name, self.units[name], sense, points[name]) for name, sense in wanted.items()]

    def _run(self, objectives: Mapping[str, str], values: Mapping[str, object] = {}) -> Run:
        try:
            variant = self.study.with_(
                set=values,
                also=[name for name in self.also if name not in (*objectives, *self.study.spec.also)],
                minimize=[name for name, sense in objectives.items() if sense == "min"],
                maximize=[name for name, sense in objectives.items() if sense == "max"],
                name="step",
            )
        except InputError as error:
            error.key = {"--min": "--quantity", "--max": "--quantity"}.get(error.key or "", error.key)
            raise error.within() from None
        run = run_study(variant, self.run_type, tolerance=EXACTLY, budget=UNLIMITED)
        self.searches += 1
        self.evaluated += run.manifest.certificate.evaluated
        self.units |= run.units
        return run


def _steps(run: Run, name: str, budget: str) -> list[Point]:
    """Return a frontier of two objectives by rising budget; of designs that are alike the first."""
    frame = run.frontier.drop_duplicates([budget, name]).sort_values(budget, kind="stable")
    designs = records_of(frame, run.validation_columns)
    pairs: Sequence[tuple[float, float]] = list(zip(frame[budget].tolist(), frame[name].tolist(), strict=True))
    return [Point(float(limit), float(value), design) for (limit, value), design in zip(pairs, designs, strict=True)]
