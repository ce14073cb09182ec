"""The document of a variant: that of a study with one value, further limits, other objectives, or values left out."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from dse.authoring.declare.declaration import Assumption
from dse.errors import InputError
from dse.graph.indexed_names import base_name
from dse.space.axes import Axis
from dse.study.build.building import Builder
from dse.study.build.places import of_alternative
from dse.study.edit.part_numbers import PartAxis, refuse_column, set_part_number
from dse.study.edit.question import changed_question
from dse.study.edit.variants import Changes
from dse.study.file.reading import TomlTable
from dse.study.file.schema import PART_NUMBER, AxisSpec
from dse.units import TEXT

__all__ = ["blamed", "vary"]

ALTERNATIVE = "alternative"  # what stands for the alternatives of a space where values are left out
LIMIT = "limit"  # and this for the constraints of the study
_NOTHING = "none"  # what is said of a quantity of which all is known
_DOUBT = re.compile(r"\s*(?:(within|error)\s+(\S.*?)|from\s+(\S.*?)\s+to\s+(\S.*?))\s*")
_DOUBTS = '"within 5 %", "error 10 %", "from 1 GHz to 2 GHz", or "none"'
_KEPT = {"within": ("each", "distribution"), "error": ("shared", "distribution"), "from": ()}
_OF_PART = re.compile(PART_NUMBER)
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def vary(document: Mapping[str, object], builder: Builder, changes: Changes) -> tuple[TomlTable, dict[str, str]]:
    """Return the document of a variant, and which option each of its changed keys comes from.

    Parameters
    ----------
    document : dict
        Of the study.
    builder : Builder
        Of the study.
    changes : Changes

    Raises
    ------
    InputError
        A name the study does not have, a value that is not there to be left out, nothing left.
    """
    edit = _Edit(copy.deepcopy(dict(document)), builder)
    for name, value in changes.values.items():
        edit.set(name, value)
    left_out: set[tuple[str, str]] = set()
    for name, value in changes.without:
        if (name, str(value)) in left_out:
            raise InputError(f"'{value}' stands twice", key=f"--without {name}", allowed="each once")
        left_out.add((name, str(value)))
        edit.leave_out(name, value)
    for name, text in changes.uncertain.items():
        edit.doubt(name, text)
    edit.extend("constraints", changes.where, "--where")
    wanted = [{"minimize": name} for name in changes.minimize] + [{"maximize": name} for name in changes.maximize]
    shown = list(changes.also)
    if wanted:
        given = [option for option, names in (("--min", changes.minimize), ("--max", changes.maximize)) if names]
        edit.places["objectives"] = ", ".join(given)
        edit.document["objectives"] = wanted
        shown += [objective.quantity for objective in builder.spec.objectives]
        edit.drop_pick()
    known = {*builder.spec.also, *changes.minimize, *changes.maximize}
    edit.extend("also", [name for name in dict.fromkeys(shown) if name not in known], "--also")
    edit.drop_labels()
    if question := document.get("question"):
        edit.document["question"] = changed_question(str(question), document, edit.document)
    return edit.document, edit.places


def blamed(error: InputError, places: Mapping[str, str]) -> InputError:
    """Return an error of a variant with the option its key comes from instead of key and file, where there is one."""
    key = error.key or ""
    for place, option in places.items():
        if key == place or key.startswith((f"{place}.", f"{place}[")):
            error.file = error.key = None
            return error.within(key=option)
    return error


def _refuse_missing(faults: Iterable[InputError], option: str) -> None:
    """Refuse a value that no axis of its name has, with the fault of one that has something like it."""
    every = list(faults)
    for fault in [*(fault for fault in every if fault.nearest), *every][:1]:
        fault.file = fault.key = None
        raise fault.within(key=option) from None


@dataclass
class _Edit:
    """A document that is being changed, and the option that each changed key comes from."""

    document: TomlTable
    builder: Builder
    places: dict[str, str] = field(default_factory=dict)

    def extend(self, key: str, texts: Sequence[str], option: str) -> None:
        """Add texts at the end of a list of the document."""
        if texts:
            here = list(self.document.get(key, []))
            self.places |= {f"{key}[{len(here) + position}]": option for position in range(len(texts))}
            self.document[key] = [*here, *texts]

    # ---- one value ---------------------------------------------------------------------------------------------------

    def set(self, name: str, value: object) -> None:
        """Give an axis, a parameter or an assumption one value, or a row of a part another number."""
        option = f"--set {name}"
        if (of_part := _OF_PART.fullmatch(name)) is not None:
            number = self._number(of_part[1], value)
            self.places |= set_part_number(self._part_axes(), of_part[1], of_part[2], number, option)
            return
        axes = list(self._axes(name))
        faults: dict[str, InputError] = {}
        for key, spec, holder in axes:
            try:
                holder[name] = self._fixed(name, key, spec, value)
                self.places[key] = option
            except InputError as error:
                faults[key.removesuffix(f".axes.{name}")] = error
        if len(faults) == len(axes):
            _refuse_missing(faults.values(), option)
        for place in faults:  # no design there has that part
            self._leave_out_place(place, option)
        if not axes:
            self._refuse_unknown(name, option)
        number = self._number(name, value)
        for place, own in self._members_of_sets(name):
            own[base_name(name)] = number
            self.places[f"{place}.set.{base_name(name)}"] = option
        if "@" in name:
            return
        assumed = isinstance(self.builder.declarations.of_input(name), Assumption)
        beside = [others for others in self._unions() if any(name in own.get("axes", {}) for own in others.values())]
        given = 0
        for place, own in self._alternatives():
            other = assumed and any(place in others for others in beside) and name not in own.get("axes", {})
            if name in own.get("set", {}) or other:
                own.setdefault("set", {})[name] = number
                self.places[f"{place}.set.{name}"] = option
                given += 1
        if axes:
            return
        if not given or name in self.document.get("set", {}) or assumed:
            self.document.setdefault("set", {})[name] = number
            self.places[f"set.{name}"] = option

    def _part_axes(self) -> Iterator[PartAxis]:
        """Return every axis of parts as it is now."""
        for place, own in [("space", self.document.get("space", {})), *self._alternatives()]:
            for name, written in list(own.get("axes", {}).items()):
                spec = AxisSpec.model_validate(written)
                if spec.part is not None:
                    key = f"{place}.axes.{name}"
                    yield PartAxis(key, name, spec, own["axes"], self._axis(name, key, spec))

    def _fixed(self, name: str, key: str, spec: AxisSpec, value: object) -> TomlTable:
        """Return an axis of the document with one value: any, or one of its parts or shapes."""
        if spec.part is not None or spec.enumerate is not None:
            axis = self._axis(name, key, spec)
            kept = spec.model_dump(exclude_unset=True, exclude={"only", "without"})
            return {**kept, "only": [axis.label(axis.row_of(value))]}
        entry: dict[str, object] = {"values": [self._number(name, value, spec.unit)]}
        return entry | ({"unit": spec.unit} if spec.unit is not None else {})

    def _number(self, name: str, value: object, unit: str | None = None) -> object:
        """Return a text that is a plain number as one, unless a text is wanted."""
        declared = self.builder.declarations.of_input(name)
        if not isinstance(value, str) or TEXT in (unit, declared.unit if declared is not None else ""):
            return value
        text = value.strip()
        if _WHOLE.fullmatch(text):
            return int(text)
        return float(text) if _NUMBER.fullmatch(text) else text

    def _refuse_unknown(self, name: str, option: str) -> None:
        """Refuse what is neither an axis nor a value that a study can set."""
        builder = self.builder
        axes = builder.axis_names
        known = [*axes, *sorted(builder.declarations.inputs - {*builder.declarations.tables, *axes})]
        if name in builder.spec.space.choices:
            members = list(builder.spec.space.choices[name])
            raise InputError(
                f"'{name}' is a choice; its members are left out, not set",
                key=option,
                allowed=[f"--without {name}={member}" for member in members],
            )
        slots = {function.slot for model in builder.models for function in model.functions}
        if name in slots and builder.declarations.of_input(name) is None:
            raise InputError(
                f"'{name}' is a slot, which a component fills", key=option, allowed="[use] of the study file"
            )
        base, _, member = name.partition("@")
        sets = builder.spec.index
        having = [f"{base}@{member}" for members in sets.values() for member, own in members.items() if base in own.set]
        if having and name not in having:
            raise InputError(f"every member has its own '{base}'", key=option, allowed=having)
        if member and name not in having:
            raise InputError(f"no member of an index set has '{name}'", key=option, allowed=having or known)
        given = [self.document, *(own for _, own in self._alternatives())]
        if not any(name in own.get("set", {}) for own in given):
            refuse_column(self._part_axes(), name, option)
        if builder.declarations.of_input(name) is None:
            computed = name in builder.declarations.computed or name in builder.spec.quantities
            problem = f"'{name}' is computed, so it cannot be set" if computed else f"the study has no '{name}'"
            raise InputError(problem, key=option, allowed=known, wrong=name, candidates=known)

    def _members_of_sets(self, name: str) -> Iterator[tuple[str, TomlTable]]:
        base, _, member = name.partition("@")
        for index, members in self.document.get("index", {}).items():
            if member in members and base in members[member].get("set", {}):
                yield f"index.{index}.{member}", members[member]["set"]

    def doubt(self, name: str, text: str) -> None:
        """Say of a quantity what is not known of it: other words than the study's, or its first."""
        option = f"--uncertain {name}"
        document = self.document.setdefault("uncertain", {})
        if text.strip() == _NOTHING:
            if name not in document:
                known = list(document)
                raise InputError(
                    f"the study says nothing of '{name}'", key=option, allowed=known, wrong=name, candidates=known
                )
            del document[name]
            return
        match = _DOUBT.fullmatch(text)
        if match is None:
            raise InputError(f"'{text}' says not what is not known", key=option, allowed=_DOUBTS)
        kind, value, low, high = match.groups()
        kept = {key: own for key, own in document.get(name, {}).items() if key in _KEPT.get(kind or "from", ())}
        given = {kind: self._number(name, value)} if kind else {"from": low.strip(), "to": high.strip()}
        document[name] = {**kept, **given}
        self.places[f"uncertain.{name}"] = option

    # ---- left out ----------------------------------------------------------------------------------------------------

    def leave_out(self, name: str, value: object) -> None:
        """Leave out a value of an axis, a row of a part, a member of a choice, an alternative or a limit."""
        option = f"--without {name}"
        space = self.builder.spec.space
        axes = list(self._axes(name))
        joined = [] if axes else list(self._joined_axes(name))
        if axes:
            self._leave_out_value(name, value, axes, option)
        elif joined:
            self._leave_out_joined(name, value, joined, option)
        elif name in space.choices:
            members = list(space.choices[name])
            if value not in members:
                raise InputError(
                    f"'{name}' has no '{value}'", key=option, allowed=members, wrong=str(value), candidates=members
                )
            self._exclude({name: str(value)}, option)
        elif name == ALTERNATIVE:
            self._leave_out_alternative(str(value), option)
        elif name == LIMIT:
            self._leave_out_limit(str(value), option)
        else:
            known = [*self.builder.axis_names, *space.choices, *([ALTERNATIVE] if self._alternative_names() else [])]
            known += [LIMIT] if self.document.get("constraints") else []
            raise InputError(f"the study has no axis '{name}'", key=option, allowed=known, wrong=name, candidates=known)

    def _leave_out_value(
        self, name: str, value: object, axes: Sequence[tuple[str, AxisSpec, dict[str, object]]], option: str
    ) -> None:
        faults: list[InputError] = []
        for key, spec, holder in axes:
            try:
                axis = self._axis(name, key, spec)
                given = value if axis.is_part else self._number(name, value, spec.unit)
                with_unit = isinstance(given, (int, float)) and spec.unit not in (None, TEXT)
                row = axis.row_of(f"{given!r} {spec.unit}" if with_unit else given)
            except InputError as error:
                faults.append(error)
                continue
            left_out = axis.label(row) if axis.is_part else given
            written = spec.model_dump(exclude_unset=True)
            holder[name] = {**written, "without": [*written.get("without", []), left_out]}
            self.places[key] = option
        if len(faults) == len(axes):
            _refuse_missing(faults, option)

    def _joined_axes(self, name: str) -> Iterator[tuple[str, str, AxisSpec, TomlTable]]:
        """Return every axis whose parts are joined to a catalogue by a column of that name, with its own name first."""
        for place, own in [("space", self.document.get("space", {})), *self._alternatives()]:
            for axis, written in own.get("axes", {}).items():
                spec = AxisSpec.model_validate(written)
                if name in spec.join:
                    yield axis, f"{place}.axes.{axis}", spec, own["axes"]

    def _leave_out_joined(
        self, name: str, value: object, axes: Sequence[tuple[str, str, AxisSpec, TomlTable]], option: str
    ) -> None:
        """Leave out all rows of parts that are joined to one row of a catalogue: the boards of a device."""
        faults: list[InputError] = []
        for own, key, spec, holder in axes:
            axis = self._axis(own, key, spec)
            try:
                rows = axis.rows_named(name, value)
            except InputError as error:
                faults.append(error)
                continue
            written = spec.model_dump(exclude_unset=True)
            left_out = [axis.label(row) for row in rows]
            holder[own] = {**written, "without": [*written.get("without", []), *left_out]}
            self.places[key] = option
        if len(faults) == len(axes):
            _refuse_missing(faults, option)

    def _alternative_names(self) -> list[str]:
        return [alternative.name for alternative in self.builder.alternatives if alternative.name]

    def _leave_out_alternative(self, value: str, option: str) -> None:
        names = self._alternative_names()
        if value not in names:
            raise InputError(
                f"the space has no alternative '{value}'",
                key=option,
                allowed=names or "none, it is one product",
                wrong=value,
                candidates=names,
            )
        choices = self.builder.spec.space.choices
        if choices:
            every = (dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values()))
            self._exclude(next(chosen for chosen in every if " ".join(chosen.values()) == value), option)
            return
        alternatives = self.document["space"]["alternatives"]
        alternatives.pop(value, None)
        if not alternatives:
            raise InputError("nothing is left of the space", key=option, allowed="to leave at least one alternative")

    def _leave_out_limit(self, value: str, option: str) -> None:
        """Leave out a constraint, told by its text, or by a word of it that no other has."""
        limits = self.document.get("constraints", [])
        wanted = " ".join(value.split())
        matching = [text for text in limits if " ".join(text.split()) == wanted]
        matching = matching or [text for text in limits if wanted in re.findall(r"\w+", text)]
        if len(matching) != 1:
            words = sorted({word for text in limits for word in re.findall(r"[A-Za-z_]\w+", text)})
            problem = f"several limits hold '{value}'" if matching else f"the study has no limit '{value}'"
            allowed = matching or limits or "none, the study has no limits"
            raise InputError(problem, key=option, allowed=allowed, wrong=value, candidates=[*limits, *words])
        self.document["constraints"] = [text for text in limits if text != matching[0]]

    def _leave_out_place(self, place: str, option: str) -> None:
        """Leave out the alternative, or the member of a choice, that stands under a key."""
        space = self.builder.spec.space
        for name in space.alternatives:
            if place == of_alternative(name):
                self._leave_out_alternative(name, option)
        for choice, members in space.choices.items():
            for member in members:
                if place == f"space.choices.{choice}.{member}":
                    self._exclude({choice: member}, option)

    def _exclude(self, chosen: Mapping[str, str], option: str) -> None:
        condition = " and ".join(f"{choice} == '{member}'" for choice, member in chosen.items())
        space = self.document["space"]
        space["exclude"] = [*space.get("exclude", []), condition]
        self.places["space.exclude"] = option

    def drop_pick(self) -> None:
        """Drop a pick by objectives that are others now."""
        pick = self.builder.spec.answer.pick
        if pick is not None and (pick.weights or pick.order):
            self.document.pop("answer")

    def drop_labels(self) -> None:
        """Drop the labels of axes that went with their alternatives."""
        gone = {name for name in self.builder.axis_names if not any(self._axes(name))}
        if "labels" in self.document:
            self.document["labels"] = {n: label for n, label in self.document["labels"].items() if n not in gone}

    # ---- what the document has ---------------------------------------------------------------------------------------

    def _axis(self, name: str, key: str, spec: AxisSpec) -> Axis:
        return self.builder.axes.axis(name, spec, key)

    def _unions(self) -> Iterator[dict[str, TomlTable]]:
        """Return, by their keys, the alternatives, then the members of each choice: a design has one of them."""
        space = self.document.get("space", {})
        yield {of_alternative(name): own for name, own in space.get("alternatives", {}).items()}
        for choice, members in space.get("choices", {}).items():
            yield {f"space.choices.{choice}.{member}": own for member, own in members.items()}

    def _alternatives(self) -> Iterator[tuple[str, TomlTable]]:
        """Return the alternatives or the members of choices, each with its key."""
        for union in self._unions():
            yield from union.items()

    def _axes(self, name: str) -> Iterator[tuple[str, AxisSpec, TomlTable]]:
        """Return every axis of a name as it is now: its key, what it says, and the table it stands in."""
        holders = [("space", self.document.get("space", {})), *self._alternatives()]
        for place, own in holders:
            if name in own.get("axes", {}):
                yield f"{place}.axes.{name}", AxisSpec.model_validate(own["axes"][name]), own["axes"]
