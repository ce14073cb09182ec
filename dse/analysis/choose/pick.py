"""Picking a design: the least of one quantity within limits.

The frontier alone answers when the quantity is an objective and every limit bounds an objective on its bad side
("time <= 100 s" where time is minimised). Any other limit can admit designs that are not on the frontier, so the
space is searched again, and the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dse.analysis.choose.rounding import by_rounding, settled
from dse.errors import InputError, MissingQuantityError
from dse.graph.expression import names_in, parse
from dse.run.result.notebook_html import html_heading, html_lines, html_table
from dse.search.account.stopping import UNLIMITED
from dse.search.frontier.pareto import to_minimise
from dse.units import TEXT, with_unit

__all__ = [
    "Choice",
    "limits_of",
    "meets",
    "pick_design",
    "plain",
    "records_of",
    "search_within",
    "validations_together",
    "why_search_again",
]

if TYPE_CHECKING:
    import pandas as pd

    from dse.graph.expression import Expression
    from dse.run.result.run import Run

FROM_FRONTIER = "the frontier has the answer, nothing was searched again"

Cell = bool | int | float | str | None
"""A value of a table as JSON holds it."""

Row = dict[str, Cell | dict[str, str]]
"""A row of a frontier: its cells by column, and under ``validation`` how well the laws of its parts held, by axis."""


@dataclass(frozen=True)
class Choice:
    """The design a rule picks.

    Attributes
    ----------
    found : bool
        Whether any design meets the limits.
    designs : list of dict
        Number, parameters and quantities of each; of designs that tie, those on the frontier, or all of them when the
        space was searched again.
    searched_again : bool
        Whether the frontier could not answer.
    reason : str
        Why it could, or could not.
    evaluated : int
        Designs evaluated by the search.
    rule : str
        The rule in words.
    units : dict of str to str
        SI unit of each quantity, where they are known; not part of the JSON.
    """

    found: bool
    designs: list[Row]
    searched_again: bool
    reason: str
    evaluated: int
    rule: str
    units: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "units"}

    def _repr_html_(self) -> str:
        """Show in a notebook the rule, who answered, and the designs that were picked."""
        head = html_heading(self.rule or "no design meets the limits")
        columns = list(dict.fromkeys(name for row in self.designs for name in row if name != "validation"))
        rows = [
            [name, *(_written(row.get(name), self.units.get(name, "")) for row in self.designs)] for name in columns
        ]
        titles = ["", *(f"picked {at + 1}" if len(self.designs) > 1 else "picked" for at in range(len(self.designs)))]
        return head + html_lines([self.reason]) + html_table(titles, rows)


def _written(value: Cell | dict[str, str], unit: str) -> str:
    """Write a cell; a number whose unit is not known stands as it is, in SI."""
    if value is None or isinstance(value, dict):
        return "–"
    return with_unit(value, unit) if unit and not isinstance(value, bool) else str(value)


def pick_design(run: Run, quantity: str, *, sense: str = "min", where: Sequence[str] = ()) -> Choice:
    """Find the design with the least (or most) of a quantity that meets further limits.

    Parameters
    ----------
    run : Run
    quantity : str
        Any quantity of the study.
    sense : {"min", "max"}
    where : sequence of str
        Further constraints, such as ``"run_time <= 100 s"``.
    """
    units = _units(run, quantity)
    if quantity not in units:
        raise InputError(
            f"unknown quantity '{quantity}'", key=f"--{sense}", wrong=quantity, candidates=units, allowed=sorted(units)
        )
    if units[quantity] in ("text", "table"):
        raise InputError(f"'{quantity}' is no number", key=f"--{sense}", allowed="a quantity with a number")
    limits = limits_of(run, where)
    senses = {o["quantity"]: o["sense"] for o in run.objectives}
    reason = why_search_again(limits, senses)
    if senses.get(quantity) != sense:
        reason = (
            f"'{quantity}' is not an objective of the study that is {'minimised' if sense == 'min' else 'maximised'}"
        )
    if reason is None:
        return _from_frontier(run, quantity, sense, limits)
    return _search_again(run, quantity, sense, where, reason)


def limits_of(run: Run, where: Sequence[str]) -> list[Expression]:
    """Parse further limits.

    Raises
    ------
    InputError
        An unreadable limit, an unknown quantity, units that do not fit.
    """
    if not where:
        return []

    limits = []
    for text in where:
        try:
            expression = parse(text, _units(run, *names_in(text)))
            if expression.unit != "bool":
                raise InputError(f"'{text}' is no condition", allowed="such as 'power <= 20 MW'")
        except InputError as error:
            if isinstance(error, MissingQuantityError):
                from dse.study.build.missing import with_way_out

                axes = {axis.name for axis in run.manifest.space.axes if run.units.get(axis.name, TEXT) == TEXT}
                error = with_way_out(error, axes, run.study.spec.space.choices, _variant_of(run))
            raise error.within(key="--where") from None
        limits.append(expression)
    return limits


def _variant_of(run: Run) -> str:
    """Return the beginning of the command that makes a variant of a run's study."""
    file = run.manifest.study_file
    return f"dse run {file if file is not None and Path(file).is_file() else run.manifest.name.partition('@')[0]} "


def _units(run: Run, *names: str) -> dict[str, str]:
    """Return the units of what can be asked for: the quantities of the run, or all that its study has a value for.

    The latter are those of its models, their assumptions, and every column of its parts, read by something or not.
    """
    units = {name: unit for name, unit in run.units.items() if not re.fullmatch(r"constraint_\d+", name)}
    if not set(names) <= set(units):
        for function in (function for model in run.study.models for function in model.functions):
            units = {**function.gives, **units}
        for model in run.study.models:
            units = {**{name: item.unit for name, item in model.assumptions.items()}, **units}
        for product in run.study.space.products:
            for given in (product.fixed_units, *(axis.units for axis in product.axes)):
                units = {**given, **units}
        for name, own in run.study.spec.quantities.items():
            units.setdefault(name, parse(own.expression, units).unit)
    return units


def why_search_again(limits: Sequence[Expression], senses: Mapping[str, str]) -> str | None:
    """Return why the finished frontier cannot answer, or None when every limit bounds an objective on its bad side."""
    for limit in limits:
        good = False
        if limit.sides is not None:
            left, relation, right = limit.sides
            if right.name:
                left, right, relation = right, left, {"<": ">", ">": "<"}.get(relation[0], "=")
            good = right.is_constant and relation[0] == {"min": "<", "max": ">"}.get(senses.get(left.name, ""))
        if not good:
            return (
                f"'{limit.text}' limits more than an objective on its bad side, so its answer may lie off the frontier"
            )
    return None


def meets(frame: pd.DataFrame, limits: Sequence[Expression]) -> np.ndarray:
    """Mark the rows of a frontier that meet every limit."""
    mask = np.ones(len(frame), dtype=bool)
    for limit in limits:
        mask &= np.asarray(limit(*(frame[name].to_numpy(dtype=float) for name in limit.needs)), dtype=bool)
    return mask


def _from_frontier(run: Run, quantity: str, sense: str, limits: Sequence[Expression]) -> Choice:
    frame, rule = run.frontier, extreme_text(quantity, sense)
    mask = meets(frame, limits)
    if not mask.any():
        return Choice(False, [], False, FROM_FRONTIER, 0, rule)
    values = settled(frame[quantity].to_numpy(dtype=float))
    best = values[mask].min() if sense == "min" else values[mask].max()
    rows = frame[mask & (values == best)]
    points = to_minimise(
        rows[[o["quantity"] for o in run.objectives]].to_numpy(dtype=float), [o["sense"] for o in run.objectives]
    )
    rows = rows[~by_rounding(points)]
    return Choice(True, records_of(rows, run.validation_columns), False, FROM_FRONTIER, 0, rule)


def search_within(run: Run, where: Sequence[str], option: str, **changes: object) -> Run:
    """Search the space of a run again, within further limits.

    Parameters
    ----------
    run : Run
    where : sequence of str
        The limits.
    option : str
        What asked for the objectives, which faults in them are reported for.
    **changes
        Other keys of the study that change.
    """
    from dse.run.execute.execute import EXACTLY, run_study

    study = run.study
    own = len(study.spec.constraints)
    try:
        edited = study.edited(constraints=[*study.spec.constraints, *where], **changes)
        edited.compiled  # noqa: B018
    except InputError as error:
        place = re.match(r"(constraints|objectives)\[(\d+)\]", error.key or "")
        if place is None or (place[1] == "constraints" and int(place[2]) < own):
            raise
        error.file, error.key = None, None
        raise error.within(key="--where" if place[1] == "constraints" else option) from None
    asked = run.manifest.options
    if asked.method == "evolve":  # by name, perhaps not by that of the study: another method might never end
        return run_study(edited, type(run), method=asked.method, evaluations=asked.evaluations)
    return run_study(edited, type(run), tolerance=EXACTLY, budget=UNLIMITED)


def _search_again(run: Run, quantity: str, sense: str, where: Sequence[str], reason: str) -> Choice:
    names = [o["quantity"] for o in run.objectives]
    again = search_within(
        run,
        where,
        f"--{sense}",
        objectives=[{"minimize" if sense == "min" else "maximize": quantity}],
        also=[name for name in dict.fromkeys([*names, *run.study.spec.also]) if name != quantity],
    )
    evaluated = again.manifest.certificate.evaluated
    designs = records_of(again.frontier, again.validation_columns)
    return Choice(bool(designs), designs, True, reason, evaluated, extreme_text(quantity, sense))


def extreme_text(quantity: str, sense: str) -> str:
    return f"{'least' if sense == 'min' else 'most'} {quantity}"


def records_of(rows: pd.DataFrame, validations: Mapping[str, str]) -> list[Row]:
    """Return rows of a frontier as plain values.

    Parameters
    ----------
    rows : DataFrame
    validations : dict of str to str
        By part axis: the column that tells how well the law of its part held (`Run.validation_columns`). Those that
        tell it stand together as ``validation``, where there are such columns.
    """
    together = validations_together(rows, validations)
    return [
        {str(name): dict(value) if isinstance(value, dict) else plain(value) for name, value in record.items()}
        for record in together.to_dict("records")
    ]


def validations_together(rows: pd.DataFrame, validations: Mapping[str, str]) -> pd.DataFrame:
    """Return rows of a frontier with their validations in one column, as `records_of` has them; rows alike share one.

    Parameters
    ----------
    rows : DataFrame
    validations : dict of str to str
        As for `records_of`.
    """
    if not validations:
        return rows
    shared: dict[tuple[str, ...], dict[str, str]] = {}
    cells = []
    for texts in zip(*(rows[column].astype(str) for column in validations.values()), strict=True):
        own_validations = {axis: text for axis, text in zip(validations, texts, strict=True) if text}
        cells.append(shared.setdefault(texts, own_validations))
    together = rows.drop(columns=list(validations.values()))
    together["validation"] = cells
    return together


def plain(value: object) -> Cell:
    """Return a value as JSON holds it: numbers, texts, None for a missing one."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    assert value is None or isinstance(value, (bool, int, float, str))
    return value
