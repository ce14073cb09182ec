"""The alternatives of a space: those a study writes out, or the product of its choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np

from dse.errors import InputError, MissingQuantityError
from dse.graph.expression import Expression, parse, words_in
from dse.study.build.places import at, of_alternative
from dse.study.file.schema import AlternativeSpec, SpaceSpec
from dse.units import TEXT

__all__ = ["LARGEST", "Alternative", "alternatives_of"]

LARGEST = 100_000  # alternatives a product of choices may have, before any is excluded
_KINDS = ("axes", "set", "use", "tables")


@dataclass(frozen=True)
class Alternative:
    """An alternative, and where the study says what it has of its own.

    Attributes
    ----------
    name : str
        Empty where the space has no alternatives.
    own : AlternativeSpec
        What it has beside what is common.
    place : str
        The key it stands under as a whole.
    members : dict of str to str
        The key of the member of a choice that gives each part of `own`, by ``kind.name``; empty without choices.
    split : dict of str to float
        Of a part of an alternative: the quantities it was taken apart by, and their values in it (`split`).
    rows : dict of str to tuple of int
        The rows that the part has of each axis that decides them.
    whole : str
        The name of the alternative that the part is of.
    """

    name: str
    own: AlternativeSpec
    place: str
    members: Mapping[str, str]
    split: Mapping[str, float] = field(default_factory=dict)
    rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    whole: str = ""

    def key(self, kind: str, name: str) -> str:
        """Return the key of one of its axes, fixed values, components or tables."""
        return f"{self.part(kind, name)}.{kind}.{name}"

    def part(self, kind: str, name: str) -> str:
        """Return the key of the alternative, or of the member of a choice, that gives one of them."""
        return self.members.get(f"{kind}.{name}", self.place)


def alternatives_of(space: SpaceSpec) -> tuple[Alternative, ...]:
    """Return the alternatives of a space, in the order of their designs' numbers.

    Those of choices are named by their members with a blank between, and the last choice changes fastest.

    Raises
    ------
    InputError
        Choices beside alternatives, two members that give the same thing, conditions that leave nothing or exclude
        nothing.
    """
    if not space.choices:
        if space.exclude:
            raise InputError("there are no choices", key="space.exclude", allowed="[space.choices.CHOICE.MEMBER]")
        written = space.alternatives or {"": AlternativeSpec()}
        return tuple(Alternative(name, own, of_alternative(name), {}) for name, own in written.items())
    if space.alternatives:
        raise InputError("there are choices too", key="space.alternatives", allowed="alternatives or choices")
    count = prod(len(members) for members in space.choices.values())
    if count > LARGEST:
        raise InputError(f"the choices make {count} alternatives", key="space.choices", allowed=f"at most {LARGEST}")
    every = tuple(dict(zip(space.choices, chosen, strict=True)) for chosen in product(*space.choices.values()))
    remaining = _not_excluded(space, every)
    alternatives = tuple(_joined(space, chosen) for chosen in remaining)
    for name, times in Counter(alternative.name for alternative in alternatives).items():
        if times > 1:  # members 'a b' and 'c', and 'a' and 'b c'
            raise InputError(f"{times} alternatives are called '{name}'", key="space.choices", allowed="other members")
    return alternatives


def _not_excluded(space: SpaceSpec, every: tuple[dict[str, str], ...]) -> list[dict[str, str]]:
    columns = {choice: np.array([chosen[choice] for chosen in every]) for choice in space.choices}
    excluded = np.zeros(len(every), dtype=bool)
    for position, text in enumerate(space.exclude):
        with at(f"space.exclude[{position}]"):
            condition = _condition(text, space)
            met = np.broadcast_to(condition(*(columns[choice] for choice in condition.needs)), excluded.shape)
            if not met.any():
                raise InputError(f"'{text}' excludes nothing", allowed="a condition that some members meet")
            excluded |= met
    if excluded.all():
        raise InputError("no combination is left", key="space.exclude", allowed="conditions that leave at least one")
    return [chosen for chosen, gone in zip(every, excluded, strict=True) if not gone]


def _condition(text: str, space: SpaceSpec) -> Expression:
    """Return a condition on choices, every word of which is a member."""
    example = "such as \"node == 'many-core' and network == 'torus'\""
    try:
        condition = parse(text, dict.fromkeys(space.choices, TEXT))
    except MissingQuantityError as error:
        problem = error.problem.replace("unknown quantity", "unknown choice")
        (wrong,) = error.missing
        raise InputError(problem, allowed=list(space.choices), wrong=wrong, candidates=space.choices) from None
    if condition.unit != "bool":
        raise InputError(f"'{text}' is no condition", allowed=example)
    if not condition.needs:
        raise InputError(f"'{text}' reads no choice", allowed=list(space.choices))
    members = [member for choice in condition.needs for member in space.choices[choice]]
    for word in words_in(text):
        if word not in members:
            raise InputError(
                f"'{word}' is no member of {', '.join(condition.needs)}",
                allowed=members,
                wrong=word,
                candidates=members,
            )
    return condition


def _joined(space: SpaceSpec, chosen: Mapping[str, str]) -> Alternative:
    """Return the alternative of one member of each choice."""
    parts: dict[str, dict[str, object]] = {kind: {} for kind in _KINDS}
    members: dict[str, str] = {}
    for choice, member in chosen.items():
        place, own = f"space.choices.{choice}.{member}", space.choices[choice][member]
        for kind, name, value in _entries(own):
            whole = f"{kind}.{name}"
            if whole in members:
                raise InputError(
                    f"given by members of two choices, here and at {members[whole]}.{whole}",
                    key=f"{place}.{whole}",
                    allowed="one of them",
                )
            members[whole] = place
            parts[kind][name] = value
    texts = [space.choices[choice][member].description for choice, member in chosen.items()]
    own = AlternativeSpec().model_copy(update={"description": "; ".join(text for text in texts if text), **parts})
    return Alternative(" ".join(chosen.values()), own, "space.choices", members)


def _entries(own: AlternativeSpec) -> Iterator[tuple[str, str, object]]:
    for kind in _KINDS:
        for name, value in getattr(own, kind).items():
            yield kind, name, value
