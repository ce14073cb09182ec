"""The reference of study files, from their JSON Schema: every table of a study with its keys.

.venv/bin/python docs/scripts/study_reference.py             # printed
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from dse.study.file.json_schema import study_schema

Schema = Mapping[str, object]

# Where a table of the schema stands in a file: `AxisSpec` is written as [space.axes], and so on.
WRITTEN = {
    "ObjectiveSpec": "[[objectives]]",
    "SpaceSpec": "[space]",
    "AxisSpec": "An axis, in [space.axes]",
    "AlternativeSpec": "[space.alternatives.NAME]",
    "QuantitySpec": "A quantity, in [quantities]",
    "TableSpec": "A table, in [tables]",
    "MemberSpec": "[index.SET.MEMBER]",
    "UncertainSpec": "An unknown, in [uncertain]",
    "TrustSpec": "[trust]",
    "SearchSpec": "[search]",
    "AnswerSpec": "[answer]",
    "PickSpec": "[answer.pick]",
    "ReferenceSpec": "[references.NAME]",
    "ClassSpec": "A class of references, in [references.NAME.classes]",
    "LeftOutSpec": "What a law without the system gives, in [references.NAME.left_out]",
}


def page() -> str:
    """Return the page of all keys."""
    schema = study_schema()
    definitions = _mapping(schema["definitions"])
    named = {name: _mapping(body) for name, body in definitions.items() if name.endswith("Spec")}
    parts = [
        "# Keys of a study",
        "Every key that a study file may have, from the schema that checks it. [Studies](../docs/guide/studies.md)"
        " says how they are used; `dse schema study` writes the schema for your editor.",
        "## The study itself",
        _table(schema),
    ]
    order = list(WRITTEN)
    for name in sorted(named, key=order.index):  # a table that is not in the order is an error here
        body = named[name]
        about = str(body.get("description", "")).replace("``", "`")
        parts += [f"## {WRITTEN[name].replace('[', chr(92) + '[')}", about]
        if "properties" in body:
            parts.append(_table(body))
    return "\n\n".join(part for part in parts if part) + "\n"


def _mapping(value: object) -> Schema:
    assert isinstance(value, Mapping)
    return value


def _table(body: Schema) -> str:
    required = body.get("required", [])
    assert isinstance(required, list)
    rows = [
        f"| `{key}` | {_kind(_mapping(item))}{', needed' if key in required else ''} | {_about(_mapping(item))} |"
        for key, item in _mapping(body["properties"]).items()
    ]
    return "\n".join(["| key | is | what |", "|---|---|---|", *rows])


def _about(item: Schema) -> str:
    default = item.get("default")
    said = f" Default: `{default}`." if default not in (None, "", [], {}, False) else ""
    return (str(item.get("description", "")) + said).replace("|", "\\|").replace("\n", " ").replace("``", "`")


def _kind(item: Schema) -> str:
    """Return what a value is, in words: "text", "list of numbers", "table"."""
    return " or ".join(dict.fromkeys(_kinds(item))) or "any"


NAMES = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false", "object": "table"}


def _kinds(item: Schema) -> Iterator[str]:
    if "$ref" in item:
        yield "table"
        return
    if "enum" in item:
        choices = item["enum"]
        assert isinstance(choices, list)
        yield ", ".join(f'`"{choice}"`' for choice in choices)
        return
    for together in ("allOf", "anyOf", "oneOf"):
        choices = item.get(together, [])
        assert isinstance(choices, list)
        for choice in choices:
            yield from _kinds(choice)
    kind = item.get("type", [])
    for name in kind if isinstance(kind, list) else [kind]:
        if name == "array":
            inner = _kind(_mapping(item["items"])) if isinstance(item.get("items"), Mapping) else ""
            yield f"list of {inner}" if inner and inner != "any" else "list"
        elif name in NAMES:
            yield NAMES[name]


if __name__ == "__main__":
    sys.stdout.write(page())
