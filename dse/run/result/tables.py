"""The tables of a run: the frontier, which knows its units and shows them, and a sample of designs beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dse.errors import ModelError
from dse.units import TEXT, display_unit, format_number, told_apart

if TYPE_CHECKING:
    from dse.evaluation.problem import Evaluated, Problem
    from dse.run.result.self_check import FlatDesigns

__all__ = ["Frontier", "SharedUnits", "frontier_table", "readable_cells", "sample_designs", "sample_table"]

_SHOWN = 20
_PIECE = 65_536
_ALONE = 4


class SharedUnits(dict[str, str]):
    """Units by column. pandas copies what a table knows of itself with each column that is taken: these it shares."""

    def __deepcopy__(self, memo: object) -> SharedUnits:
        return self


class Frontier(pd.DataFrame):
    """A pandas table of designs; ``units`` has the SI unit of each column.

    In a notebook it shows its values with readable units, the first twenty rows.
    """

    @property
    def _constructor(self) -> Callable[..., Frontier]:
        return Frontier

    @property
    def units(self) -> dict[str, str]:
        """SI unit by column."""
        return dict(self.attrs.get("units", {}))

    def _repr_html_(self) -> str:
        heads, columns = ["<th></th>"], []
        for name in self.columns:
            unit, cells = readable_cells(self[name], self.units.get(name, TEXT), _SHOWN)
            heads.append(f"<th>{escape(str(name))}{f' [{escape(unit)}]' if unit else ''}</th>")
            columns.append(cells)
        rows = [
            f"<tr><th>{index}</th>" + "".join(f"<td>{escape(column[index])}</td>" for column in columns) + "</tr>"
            for index in range(min(_SHOWN, len(self)))
        ]
        more = f"<p>… {len(self) - _SHOWN} more rows</p>" if len(self) > _SHOWN else ""
        return f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def readable_cells(values: Any, unit: str, most: int) -> tuple[str, list[str]]:
    """Return the unit a column is shown in and the texts of its first rows."""
    head = values.iloc[:most]
    if unit == TEXT or not pd.api.types.is_numeric_dtype(values):
        return "", [str(value) for value in head]
    finite = values[np.isfinite(values)]
    scale, written = display_unit(unit, float(finite.abs().max()) if len(finite) else 0.0)
    return written, told_apart(
        [value / scale for value in head],
        lambda value, digits: format_number(value, digits) if np.isfinite(value) else "–",
    )


def frontier_table(problem: Problem, also: Sequence[str], numbers: np.ndarray, objectives: np.ndarray) -> Frontier:
    """Return designs with their objective values and all else that is shown.

    Parameters
    ----------
    problem : Problem
    also : sequence of str
        What the study shows beside the objectives.
    numbers : (n,) ndarray of int
    objectives : (n, d) ndarray
        As the search gave them.
    """
    known = problem.units
    count = len(numbers)
    columns: dict[str, np.ndarray] = {"design": np.asarray(numbers, dtype=np.int64)}
    if any(product.name for product in problem.space.products):
        columns["alternative"] = np.full(count, "", dtype=object)
    units: dict[str, str] = {}
    everywhere = [axis for product in problem.space.products for axis in product.axes]
    texts = {axis.name for axis in everywhere if axis.is_part or axis.units[axis.name] == TEXT}
    for product in problem.space.products:
        for axis in product.axes:
            text = axis.name in texts
            columns.setdefault(axis.name, np.full(count, "" if text else np.nan, dtype=object if text else float))
            units[axis.name] = TEXT if text else axis.units[axis.name]
            if axis.joined:
                columns.setdefault(axis.joined, np.full(count, "", dtype=object))
                units[axis.joined] = TEXT
            if axis.confidences:
                columns.setdefault(axis.confidence_name, np.full(count, "", dtype=object))
                units[axis.confidence_name] = TEXT
            if axis.validations:
                columns.setdefault(axis.validation_name, np.full(count, "", dtype=object))
                units[axis.validation_name] = TEXT
    values_of = dict(zip((o.quantity for o in problem.objectives), objectives.T, strict=True))
    asked = dict.fromkeys(also)
    marks = [name for name in problem.marks if name not in asked]
    shown = [name for name in [*asked, *marks] if name not in values_of and name not in columns]
    extrapolated = np.full(count, "", dtype=object)
    extra = {
        name: np.full(count, "", dtype=object) if known[name] == TEXT else np.full(count, np.nan) for name in shown
    }
    alone = -(-_ALONE * _PIECE // max(count, _PIECE))
    for begin, record in _records(problem, columns["design"]):
        product, here = problem.space.products[record["product"]], record["positions"] + begin
        problem.refuse_negatives(record, numbers[here])
        swept = {n: v[here] for n, v in values_of.items()}
        _refuse_not_elementwise(problem, numbers[here], swept, record["values"], alone)
        if product.name:
            columns["alternative"][here] = product.name
        rows = problem.space.decode(record["product"], columns["design"][here])
        for axis, row in zip(product.axes, rows, strict=True):
            columns[axis.name][here] = _of_rows(axis.label, row) if axis.name in texts else axis.columns[axis.name][row]
            if axis.joined:
                columns[axis.joined][here] = np.array(axis.parts, dtype=object)[row]
            if axis.confidences:
                columns[axis.confidence_name][here] = _of_rows(axis.confidence, row)
            if axis.validations:
                columns[axis.validation_name][here] = _of_rows(axis.validation, row)
        for name in shown:
            value = record["values"].get(name, 0.0) if name in marks else record["values"][name]
            extra[name][here] = np.broadcast_to(np.asarray(value).reshape(-1), len(here))
        extrapolated[here] = problem.outside_validity(record["product"], record["values"], len(here)).texts
    columns.update({name: np.ascontiguousarray(values) for name, values in values_of.items()})
    for name in marks:
        if not extra[name].any():
            del extra[name]
    columns.update(extra)
    columns["extrapolated"] = extrapolated
    frame = Frontier(columns, copy=False)  # which keeps every column as it is
    frame.attrs["units"] = SharedUnits(units | {name: known[name] for name in [*values_of, *extra]} | {"design": "1"})
    return frame


def _records(problem: Problem, numbers: np.ndarray) -> Iterator[tuple[int, Evaluated]]:
    """Yield the quantities of designs, some of them at a time, with the place where these begin."""
    for begin in range(0, len(numbers), _PIECE):
        for record in problem.quantities(numbers[begin : begin + _PIECE]):
            yield begin, record


def _of_rows(text: Callable[[int], str], rows: np.ndarray) -> np.ndarray:
    """Return the text of each of some rows of an axis; rows that are the same share it."""
    used, back = np.unique(rows, return_inverse=True)
    return np.array([text(int(row)) for row in used], dtype=object)[back]


def _refuse_not_elementwise(
    problem: Problem, numbers: np.ndarray, swept: Mapping[str, np.ndarray], together: Mapping[str, object], alone: int
) -> None:
    """Refuse models whose value of a design depends on the designs it is evaluated with (a sum over an axis).

    About `alone` of the designs are evaluated by themselves, too.
    """
    trials = [(np.arange(len(numbers)), together)]
    for row in range(0, len(numbers), max(1, len(numbers) // alone)):
        (record,) = problem.quantities(numbers[row : row + 1])
        trials.append((np.array([row]), record["values"]))
    for rows, values in trials:
        for name, column in swept.items():
            again = np.broadcast_to(np.asarray(values[name], dtype=float).reshape(-1), len(rows))
            for bad in np.flatnonzero(~np.isclose(column[rows], again, rtol=1e-9, atol=0.0)):
                raise ModelError(
                    f"'{name}' of design {numbers[rows[bad]]} is {column[rows[bad]]:g} in the sweep and {again[bad]:g} "
                    f"beside {len(rows) - 1} other designs: a function it comes from mixes designs "
                    "(sum, max, mean or a sort over an array is not allowed)"
                )


def sample_designs(problem: Problem) -> pd.DataFrame:
    """Return the objectives of all designs of a small space, or of a random sample (`sample_table`)."""
    from dse.run.result.self_check import evaluate_flat, sample_numbers

    return sample_table(problem, evaluate_flat(problem, sample_numbers(problem)))


def sample_table(problem: Problem, designs: FlatDesigns) -> pd.DataFrame:
    """Return designs with their objectives.

    ``feasible`` tells whether a design meets every constraint, ``violated`` which is the first it breaks (its place
    among the constraints of the study, -1 for none).
    """
    columns = {o.quantity: designs.values[:, column] for column, o in enumerate(problem.objectives)}
    feasible = {"feasible": designs.feasible, "violated": designs.violated}
    return pd.DataFrame({"design": designs.numbers, **columns, **feasible})
