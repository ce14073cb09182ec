"""The panel of a study: what of it can be changed, with units, ranges and names, made from the study and its models.

Each entry says by which key of a variant it is changed (`dse.study.edit.variant_schema.VariantSpec`), so that what the
panel sends is what ``dse run --set … --where … --without …`` reads.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Sequence

import numpy as np
from pydantic import JsonValue

from dse.api import Run, Study
from dse.authoring.declare.declaration import Assumption, Parameter
from dse.errors import RunFolderError
from dse.graph.index_sets import member_name
from dse.graph.indexed_names import base_name
from dse.space.axes import Axis
from dse.study.build.labels import label_of
from dse.study.edit.plain_limits import plain_limit
from dse.study.edit.variant_document import ALTERNATIVE
from dse.study.edit.variants import name_and_value
from dse.units import CURRENCIES, TEXT, common_units, with_unit

__all__ = ["panel_of", "panel_of_run"]

_MONEY = re.compile(r"(?:^|_)(?:price|prices|cost|tariff)(?:_|$)")
_WITHOUT_UNITS = {TEXT, "1", "bool"}
_MOST_VALUES = 500  # of an axis that are listed: of more none is ticked off by hand
_ZEROS = re.compile(r"(\.\d*?)0+(?= |$)")  # that say nothing, at the end of a number
_MOST_PRICES = 60  # parts of an axis whose prices are fields
_DOUBTED = "--uncertain"
_OPTIONS = {"--where": "where", "--also": "also", "--min": "minimize", "--max": "maximize"}


def panel_of_run(run: Run, *, allow_code: bool = False) -> JsonValue:
    """Return the panel of the study of a run; of a variant that of the study it comes from, with its changes.

    Raises
    ------
    RunFolderError
        The study is gone, or it is not this user's and names model files, which are not run then.
    """
    derived = run.manifest.derived_from
    if derived is None:
        return {**_entries(run.study), "variant": {}}
    if run.manifest.study_file is None:
        raise RunFolderError("the study of the run stands in no file, so it cannot be varied here", file=run.folder)
    study = Study.load(run.manifest.study_file)
    if study.model_files and not run.searched_here and not allow_code:  # whatever the run says that it names
        raise RunFolderError(
            f"the run bears no seal of this user, so the model files of its study are not run: "
            f"{', '.join(study.model_files)}",
            file=run.folder,
            allowed="--allow-code, if you know what they do",
        )
    return {**_entries(study), "variant": changed_by(derived.changes), "variant_name": derived.variant}


def panel_of(study: Study) -> JsonValue:
    """Return the panel of a study."""
    return {**_entries(study), "variant": {}}


def changed_by(options: Sequence[str]) -> dict[str, JsonValue]:
    """Return the document of a variant from its options, as a run keeps them.

    Examples
    --------
    >>> changed_by(['--set nodes=16', '--where "power <= 20 MW"'])
    {'set': {'nodes': '16'}, 'where': ['power <= 20 MW']}
    """
    values: dict[str, JsonValue] = {}
    doubts: dict[str, JsonValue] = {}
    lists: dict[str, list[JsonValue]] = {}
    without: dict[str, list[JsonValue]] = {}
    for option in options:
        kind, text = shlex.split(option)
        name, _, value = name_and_value(text)
        if kind == "--set":
            values[name] = value
        elif kind == _DOUBTED:
            doubts[name] = value
        elif kind == "--without":
            without.setdefault(name, []).append(value)
        elif kind in _OPTIONS:
            lists.setdefault(_OPTIONS[kind], []).append(text)
    document: dict[str, JsonValue] = {"set": values} if values else {}
    document |= {"uncertain": doubts} if doubts else {}
    document |= {key: [*own] for key, own in lists.items()}
    return document | ({"without": {name: [*own] for name, own in without.items()}} if without else {})


def _entries(study: Study) -> dict[str, JsonValue]:
    labels, units = study.labels, study.units
    objectives: list[JsonValue] = [
        {"quantity": own.quantity, "sense": own.sense, "label": label_of(labels, own.quantity)}
        for own in study.spec.objectives
    ]
    given = [*_given(study)]
    set_names = {name for name, _ in given}
    return {
        "study": study.spec.name,
        "file": study.file,
        "question": study.spec.question,
        "designs": study.space.size,
        "objectives": objectives,
        "limits": [_limit(text, labels) for text in study.spec.constraints],
        "required": [
            {"text": state.requirement.condition, "label": state.requirement.label}
            for state in study.requirements
            if state.state == "held"
        ],
        "values": [_value(study, name, value) for name, value in given],
        "assumptions": [
            _value(study, name, with_unit(value, item.unit, 6), assumed=True)
            for name, value, item in _assumed(study)
            if name not in set_names
        ],
        "part_prices": [*_part_prices(study)],
        "axes": [*_axes(study)],
        "choices": [*_choices(study)],
        "unknown": [
            {
                "quantity": name,
                "label": label_of(labels, name),
                "text": _unknown_text(own.model_dump(exclude_unset=True, by_alias=True)),
            }
            for name, own in study.spec.uncertain.items()
        ],
        "quantities": [
            {"quantity": name, "label": label_of(labels, name), "unit": "" if unit == "1" else unit}
            for name, unit in sorted(units.items())
            if unit != TEXT
        ],
        "units": {unit: list(common_units(unit)) for unit in sorted({*units.values()} - _WITHOUT_UNITS)},
        "code": [name for name, digest in study.model_files.items() if digest is not None],
        "methods": study.spec.search.method,
    }


def _given(study: Study) -> Iterator[tuple[str, object]]:
    """Return what the study sets, each name once: for all, for members of index sets, in alternatives."""
    space = study.spec.space
    known: dict[str, object] = dict(study.spec.set)
    for members in study.spec.index.values():
        for member, own in members.items():
            known |= {member_name(name, member): value for name, value in own.set.items()}
    for own_set in [
        *(alternative.set for alternative in space.alternatives.values()),
        *(own.set for members in space.choices.values() for own in members.values()),
    ]:
        for name, value in own_set.items():
            known[name] = value if known.get(name, value) == value else ""  # alternatives have several
    yield from known.items()


def _assumed(study: Study) -> Iterator[tuple[str, float, Assumption]]:
    """Return the defaults that the study rests on."""
    seen: set[str] = set()
    for system in study.compiled.systems:
        for name, value in system.assumptions.items():
            declared = study.declarations.of_input(name)
            if name not in seen and isinstance(declared, Assumption) and declared.unit != TEXT:
                seen.add(name)
                yield name, value, declared


def _value(study: Study, name: str, value: object, *, assumed: bool = False) -> dict[str, JsonValue]:
    declared = study.declarations.of_input(name)
    unit = declared.unit if declared is not None else "1"
    return {
        "name": name,
        "label": label_of(study.labels, name),
        "value": str(value),
        "doc": declared.doc if declared is not None else "",
        "source": declared.source if assumed and isinstance(declared, Assumption) else "",
        "unit": "" if unit in ("1", TEXT) else unit,
        "range": _range(declared),
        "price": is_price(name, unit),
    }


def _part_prices(study: Study) -> Iterator[JsonValue]:
    """Return what each part costs, where an objective or a limit depends on it: ``node_price[small]``."""
    seen: set[str] = set()
    for product, system in zip(study.space.products, study.compiled.systems, strict=True):
        for axis in product.axes:
            if not axis.is_part or len(axis) > _MOST_PRICES:
                continue
            for column, values in axis.columns.items():
                unit = axis.units.get(column, TEXT)
                if unit == TEXT or column not in system.graph.inputs or not is_price(column, unit):
                    continue
                for label, number in _by_part(axis, values).items():
                    name = f"{column}[{label}]"
                    if name not in seen and math.isfinite(number):
                        seen.add(name)
                        entry = _value(
                            study, column, _ZEROS.sub(lambda end: end[1].rstrip("."), with_unit(number, unit, 6))
                        )
                        yield {**entry, "name": name, "label": f"{label_of(study.labels, column)} of {label}"}


def _by_part(axis: Axis, values: np.ndarray) -> dict[str, float]:
    """Return a number by the part that has it: what rows are joined to, where all of those have the same."""
    joined: dict[str, set[float]] = {}
    for part, value in zip(axis.parts, values.tolist(), strict=False):
        joined.setdefault(part, set()).add(value)
    if joined and all(len(own) == 1 for own in joined.values()):
        return {part: own.pop() for part, own in joined.items()}
    return {axis.label(row): value for row, value in enumerate(values.tolist())}


def is_price(name: str, unit: str) -> bool:
    """Tell whether a value is money, or a weight that stands for it.

    Examples
    --------
    >>> is_price("tariff_by_day", "1"), is_price("node_budget", "CHF"), is_price("nic_cost_weight", "1")
    (True, True, True)
    >>> is_price("nodes", "1")
    False
    """
    return _MONEY.search(base_name(name)) is not None or any(money in unit for money in CURRENCIES)


def _range(declared: Parameter | Assumption | None) -> str:
    """Say which values are meaningful; nothing where all are."""
    if declared is None or declared.unit == TEXT:
        return ""
    ends = [(declared.minimum, "from"), (declared.maximum, "to"), (declared.above, "above")]
    words = [f"{word} {with_unit(value, declared.unit)}" for value, word in ends if value is not None]
    return ", ".join([*words, *(["whole numbers"] if declared.integer else [])])


def _limit(text: str, labels: dict[str, str]) -> JsonValue:
    """Return a limit, with quantity, relation, number and unit where it is one of these."""
    limit = plain_limit(text)
    if limit is None:
        return {"text": text, "quantity": None}
    return {
        "text": text,
        "quantity": limit.quantity,
        "label": label_of(labels, limit.quantity),
        "relation": limit.relation,
        "value": limit.figure,
    }


def _axes(study: Study) -> Iterator[JsonValue]:
    """Return each axis once, with all values that any alternative has of it."""
    values: dict[str, dict[str, str]] = {}
    units: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for product in study.space.products:
        for axis in product.axes:
            sizes[axis.name] = max(sizes.get(axis.name, 0), len(axis))
            own = values.setdefault(axis.name, {})
            if len(axis) > _MOST_VALUES or axis.name in product.split:
                continue
            units[axis.name] = TEXT if axis.is_part else axis.units.get(axis.name, TEXT)
            own |= {axis.label(row): axis.confidence(row) for row in range(len(axis))}
    for name, own in values.items():
        labels = list(own)
        yield {
            "name": name,
            "label": label_of(study.labels, name),
            "doc": study.declarations.doc(name),
            "part": units.get(name) == TEXT,
            "values": [{"label": label, "confidence": own[label]} for label in labels[:_MOST_VALUES]],
            "more": max(0, max(sizes[name], len(labels)) - min(len(labels), _MOST_VALUES)),
        }


def _choices(study: Study) -> Iterator[JsonValue]:
    space = study.spec.space
    if space.alternatives:
        members: dict[str, str] = {name: own.description for name, own in space.alternatives.items()}
        yield {"name": ALTERNATIVE, "label": ALTERNATIVE, "members": _members(members)}
    for choice, own_members in space.choices.items():
        described = {name: own.description for name, own in own_members.items()}
        yield {"name": choice, "label": label_of(study.labels, choice), "members": _members(described)}


def _members(described: dict[str, str]) -> JsonValue:
    return [{"label": name, "doc": doc} for name, doc in described.items()]


def _unknown_text(own: dict[str, JsonValue]) -> str:
    """Say what is not known of a quantity as a person writes it."""
    if "from" in own:
        words = f"from {own['from']} to {own['to']}"
    else:
        kind = "within" if "within" in own else "error"
        words = f"{kind} {own[kind]}"
    return words
