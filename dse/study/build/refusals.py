"""What a study must not say: names that stand for something else, quantities from two places, things nothing reads."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from dse.errors import InputError
from dse.evaluation.problem import System
from dse.graph.graph import Input
from dse.graph.indexed_names import base_name
from dse.space.axes import Axis
from dse.space.design_space import Product
from dse.study.build.alternatives import Alternative
from dse.study.build.declarations import Declarations
from dse.study.file.schema import StudySpec

__all__ = ["refuse_clashes", "refuse_members_of_two_sets", "refuse_reserved", "refuse_unused"]
__all__ += ["refuse_words_of_parts"]

RESERVED = ("design", "alternative", "extrapolated", "feasible", "violated")


def refuse_members_of_two_sets(spec: StudySpec) -> None:
    """Refuse a member, a value or a table that two index sets have, and a member that has nothing of its own."""
    seen: dict[str, str] = {}
    givers: dict[tuple[str, str], tuple[str, str]] = {}
    for index, members in spec.index.items():
        for member, own in members.items():
            key = f"index.{index}.{member}"
            if member in seen:
                raise InputError(f"'{member}' is a member of '{seen[member]}' too", key=key, allowed="another name")
            if not own.set and not own.tables:
                raise InputError(f"'{member}' has nothing of its own", key=key, allowed="set = {…} or tables = {…}")
            seen[member] = index
            for kind, names in (("set", own.set), ("tables", own.tables)):
                for name in names:
                    other, place = givers.setdefault((kind, name), (index, f"{key}.{kind}.{name}"))
                    if other != index:
                        raise InputError(
                            f"'{name}' is given by members of two index sets, here and at {place}",
                            key=f"{key}.{kind}.{name}",
                            allowed=f"one of the sets '{other}' and '{index}'",
                        )


def refuse_reserved(spec: StudySpec, alternatives: Sequence[Alternative]) -> None:
    """Refuse names that the tables of a run need for themselves."""
    places = {f"space.axes.{name}": name for name in spec.space.axes}
    for alternative in alternatives:
        places |= {alternative.key("axes", name): name for name in alternative.own.axes}
    places |= {f"objectives[{i}]": o.quantity for i, o in enumerate(spec.objectives)}
    places |= {f"also[{i}]": name for i, name in enumerate(spec.also)}
    places |= {f"quantities.{name}": name for name in spec.quantities}
    for key, name in places.items():
        if name in RESERVED or re.fullmatch(r"constraint_\d+", name):
            raise InputError(f"the name '{name}' is one of dse itself", key=key, allowed="another name")


def refuse_words_of_parts(spec: StudySpec, products: Sequence[Product], objectives: Sequence[str]) -> None:
    """Refuse names that stand for the confidence or the validation of a part."""
    axes = [axis for product in products for axis in product.axes]
    shown = {axis.name for axis in axes} | {*objectives, *spec.also}
    for axis in axes:
        taken = {axis.confidence_name: "confidence"} if axis.confidences else {}
        if axis.validations:
            taken |= {axis.validation_name: "validation", "validation": "validation"}
        for name, kind in taken.items():
            if name in shown:
                raise InputError(
                    f"'{name}' is what the {kind} of the part axis '{axis.name}' is called",
                    key="space",
                    allowed="another name for the axis",
                )


def refuse_clashes(axes: Mapping[str, Axis], fixed: Mapping[str, object], alternative: Alternative) -> None:
    """Refuse a quantity that two axes bring, or an axis and a fixed value."""
    origin: dict[str, str] = dict.fromkeys(fixed, "[set]")
    for axis in axes.values():
        for column in axis.columns:
            if column in origin:
                raise InputError(
                    f"two providers of '{column}': the axis '{axis.name}' and {origin[column]}",
                    key=alternative.key("axes", axis.name),
                )
            origin[column] = f"the axis '{axis.name}'"


def refuse_unused(
    spec: StudySpec,
    declarations: Declarations,
    alternatives: Sequence[Alternative],
    products: Sequence[Product],
    systems: Sequence[System],
    lifted: Collection[str] = (),
) -> None:
    """Refuse an axis, a fixed value or a table that no quantity of its alternative reads.

    Values that conditions read which the study lifts (`lifted`) are no mistake.
    """
    for alternative, product, system in zip(alternatives, products, systems, strict=True):
        inputs = system.graph.inputs
        for axis in product.axes:
            if not any(column in inputs for column in axis.columns):
                common = axis.name in spec.space.axes
                key = f"space.axes.{axis.name}" if common else alternative.key("axes", axis.name)
                needed = sorted(name for name in declarations.inputs if name not in inputs)
                raise InputError(
                    f"nothing depends on '{axis.name}'",
                    key=key,
                    allowed=_choices(inputs),
                    wrong=axis.name,
                    candidates=[name for name in [*inputs, *needed] if name != axis.name],
                )
        unread = [
            name
            for name in product.fixed
            if name not in lifted and not any(name in other.graph.inputs for other in systems)
        ]
        for name in unread[:1]:
            key = f"set.{name}" if name in spec.set else alternative.key("set", name)
            key = _member_key(spec, name, "set") or key
            others = [f"'{other}'" for other in dict.fromkeys(map(base_name, unread[1:])) if other != base_name(name)]
            raise InputError(
                f"nothing depends on '{base_name(name)}'" + (f", nor on {', '.join(others)}" if others else ""),
                key=key,
                allowed=_choices(inputs),
                wrong=name,
                candidates=set(inputs) - {name},
            )
        for name in product.tables:
            if name not in inputs and not any(name in other.graph.inputs for other in systems):
                key = _member_key(spec, name, "tables") or f"tables.{name}"
                raise InputError(f"nothing reads the table '{base_name(name)}'", key=key)


def _member_key(spec: StudySpec, name: str, kind: str) -> str | None:
    """Return where a member of an index set says what it has of its own."""
    base, _, member = name.partition("@")
    index = next((index for index, members in spec.index.items() if member in members), None)
    return None if index is None else f"index.{index}.{member}.{kind}.{base}"


def _choices(inputs: Mapping[str, Input]) -> list[str]:
    return sorted(name for name, item in inputs.items() if item.kind != "table")
