"""Index sets: one function, several members (process classes, workloads), a quantity of its own for each.

A study names the members of a set and what each has of its own::

    [index.process_class.root]
    set = { processes = 1, messages = 2e6 }
    [index.process_class.leaf]
    set = { processes = 1023, messages = 1e4 }

Every quantity that depends on something of their own becomes one quantity per member, ``class_time@root`` and
``class_time@leaf``. A function declared with ``over="process_class"`` joins them again: the maximum or the sum.
Nothing here is an array axis: members are names, so each is kept on the sub-grid of the axes it depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dse.arithmetic.duck_array import Operand
from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.library.library import Model

__all__ = ["IndexSet", "expand", "expand_models", "member_name"]

_JOINS: dict[str, np.ufunc] = {"max": np.maximum, "min": np.minimum, "sum": np.add}


@dataclass(frozen=True)
class IndexSet:
    """The members of a set, and the names of the inputs that each has of its own."""

    name: str
    members: Mapping[str, frozenset[str]]

    @property
    def own(self) -> frozenset[str]:
        """Every input that at least one member has of its own."""
        return frozenset().union(*self.members.values())


def member_name(quantity: str, member: str) -> str:
    """Return the name of a quantity of one member."""
    return f"{quantity}@{member}"


def expand_models(
    models: Sequence[Model], extra: Sequence[ModelFunction], sets: Sequence[IndexSet], use: Mapping[str, str]
) -> tuple[tuple[Model, ...], list[ModelFunction]]:
    """Return models and further functions with a function per member wherever members differ.

    Parameters
    ----------
    models : sequence of Model
    extra : sequence of ModelFunction
        Those made from expressions of the study.
    sets : sequence of IndexSet
        Expanded one after the other; what depends on two sets gets a function for every pair.
    use : dict of str to str
        The components chosen, so that a component that is not in use makes nothing depend on a member.
    """
    if not sets:
        return tuple(models), list(extra)
    parts: dict[int, list[ModelFunction]] = {}
    for origin, function in expand([*(f for model in models for f in model.functions), *extra], sets, use):
        parts.setdefault(origin, []).append(function)
    expanded = tuple(
        replace(model, functions=tuple(part for whole in model.functions for part in parts[id(whole)]))
        for model in models
    )
    return expanded, [part for whole in extra for part in parts[id(whole)]]


def expand(
    functions: Iterable[ModelFunction], sets: Sequence[IndexSet], use: Mapping[str, str]
) -> list[tuple[int, ModelFunction]]:
    """Return the functions with one per member wherever members differ, each with the `id` of the one it came from."""
    expanded = [(id(function), function) for function in functions]
    for index in sets:
        expanded = _expand_over(expanded, index, use)
    return expanded


def _expand_over(
    functions: list[tuple[int, ModelFunction]], index: IndexSet, use: Mapping[str, str]
) -> list[tuple[int, ModelFunction]]:
    differing = _differing([function for _, function in functions], index, use)
    computed = {name for _, function in functions for name in function.gives} & differing
    expanded: list[tuple[int, ModelFunction]] = []
    for origin, function in functions:
        if function.over == index.name:
            expanded.append((origin, _joined(function, index, computed)))
        elif differing.isdisjoint(function.gives):
            expanded.append((origin, function))
        else:
            expanded += [
                (origin, _of_member(function, member, computed | own)) for member, own in index.members.items()
            ]
    return expanded


def _differing(functions: Sequence[ModelFunction], index: IndexSet, use: Mapping[str, str]) -> set[str]:
    """Return the names of everything that differs from member to member."""
    chosen = _chosen(functions, use)
    differing = set(index.own)
    active = [f for f in functions if f.over != index.name and (f.slot is None or chosen(f))]
    while True:
        more = {name for f in active if not differing.isdisjoint({*f.needs, *f.gives}) for name in f.gives} - differing
        if not more:
            return differing
        differing |= more


def _chosen(functions: Sequence[ModelFunction], use: Mapping[str, str]) -> Callable[[ModelFunction], bool]:
    defaults = {(f.slot, f.provider) for f in functions if f.default}
    filled = {slot for slot, _ in defaults}

    def chosen(function: ModelFunction) -> bool:
        slot = str(function.slot)
        if slot in use:
            return use[slot] == function.provider
        return slot not in filled or (slot, function.provider) in defaults

    return chosen


def _of_member(function: ModelFunction, member: str, names: Iterable[str]) -> ModelFunction:
    own = frozenset(names)

    def named(name: str) -> str:
        return member_name(name, member) if name in own else name

    error = function.error
    return replace(
        function,
        name=member_name(function.name, member),
        needs=tuple(named(name) for name in function.needs),
        gives={member_name(name, member): unit for name, unit in function.gives.items()},
        valid={named(name): limits for name, limits in function.valid.items()},
        sum_of=tuple(named(name) for name in function.sum_of),
        max_of=tuple(named(name) for name in function.max_of),
        marks=tuple(member_name(name, member) for name in function.marks),
        mark_words={member_name(name, member): words for name, words in function.mark_words.items()},
        signed=tuple(member_name(name, member) for name in function.signed),
        error={member_name(name, member): own for name, own in error.items()} if isinstance(error, Mapping) else error,
    )


def _joined(function: ModelFunction, index: IndexSet, computed: set[str]) -> ModelFunction:
    (name,) = function.needs
    needs = tuple(
        member_name(name, member) if name in computed or name in own else name for member, own in index.members.items()
    )
    several = len(set(needs)) > 1
    return replace(
        function,
        function=_Join(function.by),
        needs=needs,
        sum_of=needs if several and function.by == "sum" else (),
        max_of=needs if several and function.by == "max" else (),
    )


@dataclass(frozen=True)
class _Join:
    """The maximum, minimum or sum of its arguments, two by two, so that it runs on ranges too."""

    by: str

    def __call__(self, first: Operand, *others: Operand) -> Operand:
        for other in others:
            first = _JOINS[self.by](first, other)
        return first
