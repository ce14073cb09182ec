"""Brackets: components between which the truth lies, so that both are told of a design.

A function of a component says by `beside` which others of its slot are the other end. Their values are those of the
same study with the other component in that slot, at the same designs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

if TYPE_CHECKING:
    from dse.study.study import Study

__all__ = ["Bracket", "OtherEnd", "brackets_of", "other_ends"]


class OtherEnd(TypedDict):
    """An objective of one design with another component in a slot; `change` is relative, None where it is from 0."""

    slot: str
    component: str
    other: str
    quantity: str
    unit: str
    value: float
    other_value: float
    change: float | None


@dataclass(frozen=True)
class Bracket:
    """Objectives of designs by the component of a study, and by another one of its slot.

    Attributes
    ----------
    slot, component, other : str
    quantities : tuple of str
    own, others : (n, d) ndarray
        A row for each design.
    """

    slot: str
    component: str
    other: str
    quantities: tuple[str, ...]
    own: np.ndarray
    others: np.ndarray


def brackets_of(study: Study, numbers: Sequence[int]) -> list[Bracket]:
    """Return the brackets of a study at some designs; none where no component has another end.

    Parameters
    ----------
    study : Study
    numbers : sequence of int
        Design numbers; the space does not change with the component.
    """
    functions = [function for system in study.compiled.systems for function in system.graph.functions]
    ends = {
        (function.slot, function.provider, other)
        for function in functions
        if function.slot
        for other in function.beside
    }
    names = tuple(objective.quantity for objective in study.compiled.objectives)
    brackets = []
    for slot, component, other in sorted(ends, key=str):
        used = study.document.get("use")
        use = {**(used if isinstance(used, dict) else {}), str(slot): other}
        # How sure is another question, and what is not known may not be there with the other component.
        variant = study.edited(use=use, uncertain={}, references={})
        own, others = (_objectives(side, names, numbers) for side in (study, variant))
        brackets.append(Bracket(str(slot), str(component), other, names, own, others))
    return brackets


def _objectives(study: Study, names: Sequence[str], numbers: Sequence[int]) -> np.ndarray:
    values = np.full((len(numbers), len(names)), np.nan)
    for record in study.compiled.quantities(numbers):
        here = record["positions"]
        for column, name in enumerate(names):
            values[here, column] = np.asarray(record["values"][name], dtype=float).reshape(-1)
    return values


def other_ends(study: Study, number: int) -> list[OtherEnd]:
    """Return what the other ends of brackets make of one design, for each objective that they change."""
    units = study.compiled.units
    return [
        {
            "slot": bracket.slot,
            "component": bracket.component,
            "other": bracket.other,
            "quantity": name,
            "unit": units[name],
            "value": float(own),
            "other_value": float(other),
            "change": float(other / own - 1.0) if own else None,
        }
        for bracket in brackets_of(study, [number])
        for name, own, other in zip(bracket.quantities, bracket.own[0], bracket.others[0], strict=True)
        if own != other
    ]
