"""Sweeping a parameter: the best design at each of its values, and where it changes, each by a search of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from dse.analysis.choose.best_design import Best, BestDesign
from dse.analysis.choose.constant_limits import ConstantLimit, constant_limits
from dse.analysis.choose.pick import Row
from dse.analysis.sweep.bisection import halvings, narrowed
from dse.analysis.sweep.varied_values import is_whole, values_of
from dse.run.result.notebook_html import html_heading, html_lines
from dse.run.result.run import Run
from dse.run.result.tables import Frontier
from dse.study.build.labels import label_of
from dse.study.study import Study
from dse.units import format_number, with_unit

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BreakEven", "Step", "Sweep", "sweep_study"]

CLOSE = 1e-3  # width, as a share of the larger value, to which a break-even is narrowed


@dataclass(frozen=True)
class Step:
    """The best design at one value (SI): what it is told by, its cells and sums; None where nothing is feasible."""

    value: float
    winner: str | None
    design: Row | None
    parts: dict[str, dict[str, float]] = field(default_factory=dict)


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
        What designs are told apart by: the alternative and the parts, or what was asked for.
    objectives : list of str
        The quantities that are shown.
    steps : list of Step
    break_even : list of BreakEven
        A winner that comes and goes between two neighbouring steps is not seen.
    edges : list of Step
        The best designs at both ends of each break-even, in its order.
    other_changes : list of str
        Axes that designs are not told apart by, and whose value in the best design is not the same in all steps.
    limits : list of ConstantLimit
        The limits of the study on what is shown.
    searches, evaluated : int
        How many searches it took, and how many designs these evaluated.
    units : dict of str to str
    synthetic : list of str
    labels : dict of str to str
        Words for people, of names whose words are more than the name.
    """

    study: str
    varied: str
    unit: str
    rule: str
    by: list[str]
    objectives: list[str]
    steps: list[Step]
    break_even: list[BreakEven]
    edges: list[Step]
    other_changes: list[str]
    limits: list[ConstantLimit]
    searches: int
    evaluated: int
    units: dict[str, str]
    synthetic: list[str]
    labels: dict[str, str]

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """Show in a notebook where the best changes, and the best design at each value."""
        name = label_of(self.labels, self.varied)
        changes = [
            f"{change.before or 'nothing feasible'} until {with_unit(change.low, self.unit)}, "
            f"{change.after or 'nothing feasible'} from {with_unit(change.high, self.unit)}"
            for change in self.break_even
        ]
        made_up = [f"synthetic: {', '.join(self.synthetic)}"] if self.synthetic else []
        account = f"{self.searches} searches, {format_number(self.evaluated)} designs evaluated"
        head = html_heading(f"{self.study}: {self.rule} along {name}")
        shown = Frontier(self.table)
        shown.attrs["units"] = self.table.attrs["units"]
        return head + html_lines([*(changes or ["the same throughout"]), *made_up, account]) + shown._repr_html_()

    @property
    def table(self) -> pd.DataFrame:
        """A row for each value: the best design there, with what tells it apart; ``units`` has the SI units."""
        names = [*self.objectives, *self.by, *self.other_changes]
        cells: dict[str, list[object]] = {self.varied: [step.value for step in self.steps]}
        for name in dict.fromkeys(name for name in names if name != self.varied):
            is_choice = self.by == [name]  # a choice is no cell of a design
            cells[name] = [
                step.design.get(name, step.winner if is_choice else None) if step.design else None
                for step in self.steps
            ]
        frame = Frontier(cells)
        frame.attrs["units"] = {name: self.units[name] for name in cells if name in self.units} | {
            self.varied: self.unit
        }
        return frame

    @cached_property
    def searched(self) -> list[Step]:
        """The steps and the ends of the break-evens, by rising value."""
        return [step for _, step in sorted({step.value: step for step in [*self.steps, *self.edges]}.items())]

    @cached_property
    def winners(self) -> list[str]:
        """The winners of steps and break-evens, in the order in which they come."""
        return list(dict.fromkeys(step.winner for step in self.searched if step.winner is not None))


def sweep_study(
    study: Study,
    name: str,
    text: str,
    *,
    steps: int = 33,
    quantity: str | None = None,
    by: str | None = None,
    also: Collection[str] = (),
    run_type: type[Run] = Run,
    progress: Callable[[str, int, int], None] | None = None,
) -> Sweep:
    """Search the space of a study at each value of a parameter, and find where the best design changes by bisection.

    Parameters
    ----------
    study : Study
    name, text, steps
        What is varied, as `values_of` takes it.
    quantity : str, optional
        What is best: the least of it (the most, where an objective of the study is maximised). Default: the pick of
        the study, else the knee of the frontier.
    by : str, optional
        What designs are told apart by, as `BestDesign` takes it.
    also : collection of str
        What is shown beside the objectives.
    run_type : type of Run
    progress : callable, optional
        Called with (what is done: "steps" or "break-evens", how many searches of it are done, of about how many).
    """
    values, unit = values_of(study, name, text, steps)
    search = BestDesign(study, {name: unit}, quantity=quantity, by=by, also=also, run_type=run_type)
    listener = progress or (lambda what, done, of: None)
    searched = []
    listener("steps", 0, len(values))
    for value in values:
        searched.append(_step(search, name, value))
        listener("steps", len(searched), len(values))
    narrowing = _Narrowing(search, name, is_whole(study, name), listener)
    changes = list(narrowing.changes(searched)) if search.told_by else []
    return Sweep(
        study.name,
        name,
        unit,
        search.rule,
        search.told_by,
        search.shown,
        searched,
        changes,
        narrowing.edges,
        _differing(searched, search.others),
        constant_limits(study, search.shown),
        search.searches,
        search.evaluated,
        search.units,
        study.synthetic,
        study.labels,
    )


def _step(search: BestDesign, name: str, value: float) -> Step:
    best = search.at({name: value})
    return Step(value, best.winner, best.design, best.parts)


def _differing(steps: Sequence[Step | Best], names: Sequence[str]) -> list[str]:
    designs = [step.design for step in steps if step.design is not None]
    return [name for name in names if len({str(design.get(name)) for design in designs}) > 1]


class _Narrowing:
    """Finds by bisection where the winner changes."""

    def __init__(self, search: BestDesign, name: str, whole: bool, progress: Callable[[str, int, int], None]) -> None:
        self.search, self.name, self.whole, self.progress = search, name, whole, progress
        self.done = self.total = 0
        self.edges: list[Step] = []

    def changes(self, steps: Sequence[Step]) -> Iterator[BreakEven]:
        """Return where the winner changes between neighbouring steps."""
        pairs = [(step, other) for step, other in pairwise(steps) if step.winner != other.winner]
        self.total = sum(self._halvings(step.value, other.value) for step, other in pairs)
        if self.total:
            self.progress("break-evens", 0, self.total)
        for step, other in pairs:
            yield from self._between(step, other)

    def _between(self, before: Step, other: Step) -> Iterator[BreakEven]:
        while before.winner != other.winner:
            low, high = narrowed(
                before, other, self._probe, _same_winner, close=CLOSE, whole=self.whole, listener=self._tell_halving
            )
            self.edges += [low, high]
            yield BreakEven(low.value, high.value, low.winner, high.winner)
            before = high

    def _probe(self, value: float) -> Step:
        return _step(self.search, self.name, value)

    def _tell_halving(self, low: Step, high: Step) -> None:
        self.done += 1
        self.total = max(self.total, self.done + self._halvings(low.value, high.value) - 1)
        self.progress("break-evens", self.done, self.total)

    def _halvings(self, low: float, high: float) -> int:
        return halvings(low, high, CLOSE, whole=self.whole)


def _same_winner(left: Step, other: Step) -> bool:
    return left.winner == other.winner
