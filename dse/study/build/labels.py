"""Labels: the words for people that stand for the names of quantities and axes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from dse.errors import InputError
from dse.graph.indexed_names import base_name

if TYPE_CHECKING:
    from dse.study.build.declarations import Declarations
    from dse.study.file.schema import StudySpec

__all__ = ["default_label", "label_of", "labels_of", "refuse_unknown_labels"]


def default_label(name: str) -> str:
    """Return a name with blanks for underscores, the members of index sets in brackets.

    Examples
    --------
    >>> default_label("run_time"), default_label("run_time@halo")
    ('run time', 'run time (halo)')
    """
    base, *members = name.split("@")
    return _with_members(base.replace("_", " "), members)


def label_of(labels: Mapping[str, str], name: str) -> str:
    """Return the words for a name: its own, those of its quantity, or the name itself with blanks."""
    if name in labels:
        return labels[name]
    base, *members = name.split("@")
    return _with_members(labels[base], members) if base in labels else default_label(name)


def labels_of(spec: StudySpec, declarations: Declarations, names: Collection[str]) -> dict[str, str]:
    """Return the labels of some names that are more than their default: the study's, then those of the models."""
    labels = {}
    for name in names:
        base = base_name(name)
        label = spec.labels.get(name) or spec.labels.get(base) or declarations.label(base)
        if label:
            labels[name if name in spec.labels else base] = label
    return labels


def refuse_unknown_labels(spec: StudySpec, declarations: Declarations, units: Collection[str]) -> None:
    """Refuse a label for what is neither an axis nor a quantity of the study (`units` has those of its systems)."""
    space = spec.space
    holders = [*space.alternatives.values(), *(own for members in space.choices.values() for own in members.values())]
    axes = [*space.axes, *(name for own in [*holders, *spec.references.values()] for name in own.axes)]
    used = dict.fromkeys([*axes, *space.choices, *spec.quantities, *units])
    known = {*used, *declarations.inputs, *declarations.computed}
    for name in spec.labels:
        if name not in known and ("@" not in name or base_name(name) not in known):
            raise InputError(
                f"the study has no quantity or axis '{name}'",
                key=f"labels.{name}",
                allowed=[label for label in used if "@" not in label],
                wrong=name,
                candidates=known,
            )


def _with_members(words: str, members: Collection[str]) -> str:
    return f"{words} ({', '.join(members)})" if members else words
