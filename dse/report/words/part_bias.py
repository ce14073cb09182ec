"""Parts whose real machines were measured off what is computed of them, and which designs that would cost their limits.

A part is linked to the references that its validation text names; computed and measured figures are those of the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dse.analysis.choose.pick import meets
from dse.errors import InputError
from dse.graph.expression import parse

if TYPE_CHECKING:
    from dse.graph.expression import Expression
    from dse.run.result.run import Run

__all__ = ["PartBias", "part_biases"]


class PartBias(NamedTuple):
    """A part, the reference with it that is farthest off a limit, its measured over its computed figure, and the cost.

    Of `designs` of the frontier with the part `missing` miss the limit when its quantity is off by the same share.
    """

    axis: str
    part: str
    reference: str
    ratio: float
    limit: str
    missing: int
    designs: int


def part_biases(run: Run) -> list[PartBias]:
    """Return the biases that would cost designs of the frontier a limit, the one of most designs first."""
    return sorted(_biases(run), key=lambda bias: -bias.missing)


def _biases(run: Run) -> Iterator[PartBias]:
    if not (run.references and run.validation_columns):
        return
    frame = run.frontier
    limits = [bound for text in run.manifest.constraints if (bound := _limit(run, text)) is not None]
    for axis, column in run.validation_columns.items() if limits else ():
        for part, text in frame[[axis, column]].drop_duplicates().itertuples(index=False, name=None):
            rows = frame[frame[axis] == part]
            for limit, quantity, up in limits:
                farthest = _farthest(run, str(text), quantity, up=up)
                if farthest is None:
                    continue
                name, ratio = farthest
                off = rows.assign(**{quantity: rows[quantity] * ratio})
                missing = int((meets(rows, [limit]) & ~meets(off, [limit])).sum())
                if missing:
                    yield PartBias(axis, str(part), name, ratio, limit.text, missing, len(rows))


def _limit(run: Run, text: str) -> tuple[Expression, str, bool] | None:
    """Return a limit of a stored quantity by a number, its quantity, and whether more of it is what meets the limit."""
    try:
        limit = parse(text, run.units)
    except InputError:  # of a unit or a quantity that this version does not know
        return None
    if limit.sides is None or limit.sides[1][0] not in "<>":
        return None
    left, relation, right = limit.sides
    if right.name:
        left, right, relation = right, left, {"<": ">", ">": "<"}[relation[0]]
    if not right.is_constant or left.name not in run.frontier.columns or len(limit.needs) != 1:
        return None
    return limit, left.name, relation[0] == ">"


def _farthest(run: Run, text: str, quantity: str, *, up: bool) -> tuple[str, float] | None:
    """Return the reference that a text names whose measured figure is farthest on the bad side of the computed one."""
    ratios: dict[str, float] = {}
    for record in run.references:
        computed, measured = record["values"].get(quantity), record["measured"].get(quantity)
        named = re.search(rf"(?<!\w){re.escape(record['name'])}(?!\w)", text)
        if named and computed and measured and np.isfinite(ratio := measured["value"] / computed):
            ratios[record["name"]] = ratio
    if not ratios:
        return None
    name = min(ratios, key=lambda reference: ratios[reference] if up else -ratios[reference])
    bad = ratios[name] < 1 if up else ratios[name] > 1
    return (name, ratios[name]) if bad else None
