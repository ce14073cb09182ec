"""By how much limits are missed that no design meets: what each of them would have to be, the others as they are.

A limit of one quantity by a number is met nearest by the design with the least of the quantity, or the most, among
those that meet all other limits: a search with this one objective finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dse.analysis.choose.pick import limits_of, meets, search_within, why_search_again
from dse.graph.expression import Expression

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["MissedLimit", "missed_limits"]


@dataclass(frozen=True)
class MissedLimit:
    """The design that misses a limit by least and meets all others.

    Attributes
    ----------
    limit : str
    quantity : str
    value : float
        What it has of the quantity, SI.
    design : int
    """

    limit: str
    quantity: str
    value: float
    design: int


def missed_limits(run: Run, where: Sequence[str]) -> list[MissedLimit]:
    """Return, of each of some limits that no design meets together, what it would have to be.

    Parameters
    ----------
    run : Run
    where : sequence of str
        The limits. Of one that compares no quantity with a number, and of one without which nothing is feasible
        either, nothing is said.
    """
    limits = limits_of(run, where)
    senses = {objective["quantity"]: objective["sense"] for objective in run.objectives}
    misses = []
    for place, limit in enumerate(limits):
        bound = _bound(limit)
        if bound is None:
            continue
        quantity, sense = bound
        others = [text for at, text in enumerate(where) if at != place]
        miss = _nearest(run, limit.text, quantity, sense, others, senses)
        if miss is not None:
            misses.append(miss)
    return misses


def _bound(limit: Expression) -> tuple[str, str] | None:
    """Return the quantity that a limit bounds by a number, and whether it needs less or more of it."""
    if limit.sides is None:
        return None
    left, relation, right = limit.sides
    if relation[0] not in "<>":
        return None
    less = relation[0] == "<"
    if right.name and left.is_constant:
        left, right, less = right, left, not less
    return (left.name, "min" if less else "max") if left.name and right.is_constant else None


def _nearest(
    run: Run, text: str, quantity: str, sense: str, others: Sequence[str], senses: Mapping[str, str]
) -> MissedLimit | None:
    """Return the design with the least, or the most, of a quantity among those that meet other limits."""
    frame = run.frontier
    left = limits_of(run, others)
    if senses.get(quantity) == sense and why_search_again(left, senses) is None:
        frame = frame[meets(frame, left)]
    else:
        objective = {"minimize" if sense == "min" else "maximize": quantity}
        also = [name for name in dict.fromkeys([*senses, *run.study.spec.also]) if name != quantity]
        frame = search_within(run, others, f"--{sense}", objectives=[objective], also=also).frontier
    if not len(frame):
        return None
    at = frame[quantity].argmin() if sense == "min" else frame[quantity].argmax()
    row = frame.iloc[int(at)]
    return MissedLimit(text, quantity, float(row[quantity]), int(row["design"]))
