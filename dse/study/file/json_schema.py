"""The JSON Schema of a study file, for editors: keys, values, and the units of what models declare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dse.authoring.declare.declaration import Assumption, Parameter
from dse.authoring.document_schema import JsonSchema, document_schema, with_reference
from dse.study.file.key_descriptions import KEYS
from dse.study.file.schema import AXIS_KINDS, StudySpec
from dse.study.file.unit_patterns import pattern_of
from dse.units import TEXT, common_units

__all__ = ["SCHEMA_FILE", "study_schema"]

SCHEMA_FILE = ".dse/study.schema.json"
"""Where a study that `dse init` writes finds its schema, from its own folder: it works offline and moves with it."""

_SEVERAL = ("values", "range", "powers_of_two", "linspace")
_PICKS = ("minimize", "maximize", "knee", "weights", "order")


def _at_most_one(*kinds: Sequence[str]) -> JsonSchema:
    """Return a rule that no two kinds of keys stand together. Where none does, another key has been named, or none."""
    required = [{"required": list(kind)} for kind in kinds]
    return {"oneOf": [*required, {"not": {"anyOf": required}}], "minProperties": 1}


_RULES: dict[str, JsonSchema] = {
    "AxisSpec": {
        **_at_most_one(*([kind] for kind in AXIS_KINDS)),
        "dependencies": {"step": ["range"], "where": ["part"], "label": ["part"], "given": ["enumerate"]},
    },
    "ObjectiveSpec": {"minProperties": 1, "maxProperties": 1},
    "PickSpec": {**_at_most_one(*([kind] for kind in _PICKS)), "dependencies": {"within": ["order"]}},
    "UncertainSpec": {
        **_at_most_one(["within"], ["from"], ["error"]),
        "dependencies": {"from": ["to"], "to": ["from"], "shared": ["error"], "each": ["within"]},
    },
}


def study_schema(declared: Iterable[Parameter | Assumption] = ()) -> JsonSchema:
    """Return the JSON Schema of a study file.

    Parameters
    ----------
    declared : iterable of Parameter and Assumption
        What models read from a study: their names get words and units. Of two of one name the last counts.

    Returns
    -------
    dict
        JSON Schema, draft 7. What it refuses is no study; what it accepts may still have faults that ``dse check``
        finds: names that nothing gives, formulas, units of products.
    """
    schema = document_schema(StudySpec, "A study of dse", KEYS, _RULES)
    parts = schema["definitions"]
    inputs = {item.name: item for item in declared}
    parts |= _values(sorted({item.unit for item in inputs.values()} - {TEXT}))
    parts["Set"] = {
        "type": "object",
        "properties": {name: _of_name(item) for name, item in sorted(inputs.items())},
        "additionalProperties": {"type": ["number", "string"]},
    }
    parts["Axes"] = {
        "type": "object",
        "properties": {name: _axis_of(item) for name, item in sorted(inputs.items())},
        "additionalProperties": {"$ref": "#/definitions/AxisSpec"},
    }
    for part in (schema, *parts.values()):
        for key, name in (("set", "Set"), ("axes", "Axes")):
            own = part.get("properties", {}).get(key)
            if own is not None and part is not parts[name]:
                part["properties"][key] = with_reference(name, description=own["description"])
    parts["QuantitySpec"] = {"anyOf": [{"type": "string"}, parts["QuantitySpec"]]}
    return schema


def _values(units: Iterable[str]) -> dict[str, JsonSchema]:
    """Return, as definitions, the schemas of a value in each unit, of its text, and of an axis of such values."""
    values: dict[str, JsonSchema] = {}
    for unit in units:
        name, plain = _name(unit), unit == "1"
        written = ", ".join(common_units(unit)) or unit
        text = {"$ref": f"#/definitions/Written_{name}"}
        values[f"Written_{name}"] = {"pattern": pattern_of(unit)}
        values[f"Value_{name}"] = {
            "type": ["number", "string"] if plain else "string",
            "description": "A number." if plain else f"A number with its unit, as text: {written}.",
            **with_reference(f"Written_{name}"),
        }
        several = {kind: {"type": "array", "items": text} for kind in _SEVERAL}
        values[f"Axis_{name}"] = with_reference(
            "AxisSpec", properties={**several, "step": text}, additionalProperties=True
        )
    return values


def _name(unit: str) -> str:
    """Return a unit as part of the name of a definition; no letter in it means something in a reference."""
    return "in_" + unit.replace("/", "_per_").replace("^", "")


def _of_name(item: Parameter | Assumption) -> JsonSchema:
    if item.unit == TEXT:
        return {"type": "string", "description": item.doc}
    return with_reference(f"Value_{_name(item.unit)}", description=_said(item))


def _axis_of(item: Parameter | Assumption) -> JsonSchema:
    """Return the schema of an axis of a declared quantity; its plain numbers are in the `unit` of the axis."""
    return with_reference("AxisSpec" if item.unit == TEXT else f"Axis_{_name(item.unit)}", description=_said(item))


def _said(item: Parameter | Assumption) -> str:
    unit = "" if item.unit in ("1", TEXT) else f" [{item.unit}]"
    default = f" Without it {item.value:g} {item.unit}." if isinstance(item, Assumption) else ""
    return f"{item.doc.rstrip('.')}{unit}.{default}"
