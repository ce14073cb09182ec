"""The command `models`: what models give, and what they read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from dse.cli.later import later
from dse.cli.options.options import Json
from dse.cli.text.output import print_json, say, shown, table
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.authoring.declare.declaration import RelativeError
    from dse.authoring.library.library import Model, enumerations_with, load_model
    from dse.authoring.library.listing import available_models
else:
    enumerations_with, load_model = later("dse.authoring.library.library", "enumerations_with", "load_model")
    (available_models,) = later("dse.authoring.library.listing", "available_models")

__all__ = ["register"]

_LISTED = 100  # quantities of a model that are listed in full


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Examples: dse models hybrid; dse models network shift_bandwidth")(models)


def models(
    name: Annotated[str | None, typer.Argument(help="A model, to see its quantities.")] = None,
    quantity: Annotated[str | None, typer.Argument(help="One of its quantities, with all its components.")] = None,
    json: Json = False,
) -> None:
    """List the models, or what one of them computes. Quantities with units, sources, validity and published errors."""
    if name is None:
        library = available_models()
        if json:
            print_json([{"name": model, "doc": doc} for model, doc in library.items()])
            return
        table(["model", "what it gives"], [[model, doc] for model, doc in library.items()])
        say("one in full: dse models hybrid")
        return
    described = _described(load_model(name))
    if quantity is not None:
        known = dict.fromkeys(q["name"] for q in described["quantities"])
        if quantity not in known:
            raise InputError(
                f"the model '{name}' gives no quantity '{quantity}'",
                allowed=list(known),
                wrong=quantity,
                candidates=known,
            )
        described["quantities"] = [q for q in described["quantities"] if q["name"] == quantity]
    if json:
        print_json(described)
        return
    if quantity is not None or len(described["quantities"]) <= _LISTED:
        if quantity is None:
            say(described["doc"], style=None)
        else:
            say(described["quantities"][0]["doc"], style=None)
        table(
            ["quantity", "unit", "needs", "source"],
            [[q["name"], q["unit"], ", ".join(q["needs"]), q["source"] + _marks(q)] for q in described["quantities"]],
        )
        if quantity is not None:
            return
    else:
        say(described["doc"], style=None)
        table(["quantity", "unit", "what", "components"], list(_by_name(described["quantities"])))
        say(f"one in full, with sources: dse models {name} {described['quantities'][0]['name']}")
    table(["parameter", "unit", "what"], [[p["name"], p["unit"], p["doc"]] for p in described["parameters"]])
    if described["assumptions"]:
        rows = [[a["name"], shown(a["value"], a["unit"]), a["doc"], a["source"]] for a in described["assumptions"]]
        table(["assumption", "value", "what", "source"], rows, right=[1])
    for item in described["tables"]:
        if not item["columns"]:
            say(f"document {item['name']}: {item['doc']}")
            continue
        rows = [[c["name"], c["unit"], c["doc"], ", ".join(c["aliases"])] for c in item["columns"]]
        table([f"table {item['name']}", "unit", "what", "also called"], rows)
    if described["enumerations"]:
        rows = [[e["name"], e["doc"], e["source"]] for e in described["enumerations"]]
        table(["rows of an axis", "what", "source"], rows)
    if described["pictures"]:
        rows = [
            [p["name"], p["doc"], f"{p['slot']}: {', '.join(p['providers'])}" if p["slot"] else ""]
            for p in described["pictures"]
        ]
        table(["picture", "what", "components"], rows)
    if described["requirements"]:
        rows = [[r["name"], r["condition"], r["doc"], r["source"]] for r in described["requirements"]]
        table(["requirement", "condition", "what", "source"], rows)
    for slot, names in described["slots"].items():
        say(f"slot {slot}: {', '.join(names)}")


class _StatedError(TypedDict):
    mean: float
    std: float | None
    of: str
    published: bool


class _Quantity(TypedDict):
    """A quantity of a model, of one component where it belongs to a slot."""

    name: str
    unit: str
    needs: list[str]
    source: str
    doc: str
    slot: str | None
    provider: str | None
    valid: dict[str, list[float]]
    error: _StatedError | None


class _Input(TypedDict):
    name: str
    unit: str
    doc: str


class _Assumed(_Input):
    value: float
    source: str


class _Column(_Input):
    aliases: list[str]


class _Table(TypedDict):
    name: str
    doc: str
    columns: list[_Column]


class _Enumeration(TypedDict):
    name: str
    doc: str
    source: str


class _Requirement(TypedDict):
    """A condition a model brings with it; one that warns excludes nothing."""

    name: str
    condition: str
    doc: str
    source: str
    warns: bool


class _Picture(TypedDict):
    name: str
    doc: str
    title: str
    slot: str | None
    providers: list[str]


class _Described(TypedDict):
    """A model as ``dse models --json`` shows it."""

    name: str
    doc: str
    quantities: list[_Quantity]
    parameters: list[_Input]
    assumptions: list[_Assumed]
    tables: list[_Table]
    requirements: list[_Requirement]
    slots: dict[str, list[str]]
    enumerations: list[_Enumeration]
    pictures: list[_Picture]


def _by_name(quantities: list[_Quantity]) -> Iterator[list[str]]:
    """Yield each quantity once, with how many components give it."""
    having: dict[str, list[_Quantity]] = {}
    for q in quantities:
        having.setdefault(q["name"], []).append(q)
    for name, of_components in having.items():
        first, count = of_components[0], len(of_components)
        slot = first["slot"]
        components = f"{slot}: {count}" if slot and count > 1 else f"{slot}: {first['provider']}" if slot else ""
        yield [name, first["unit"], _first_line(first["doc"]), components]


def _marks(q: _Quantity) -> str:
    marks = [f"{q['slot']}: {q['provider']}"] if q["slot"] else []
    marks += [f"validated for {name} {low:g} to {high:g}" for name, (low, high) in q["valid"].items()]
    if q["error"]:
        whose = "published " if q["error"]["published"] else ""
        marks.append(f"{whose}error {100 * q['error']['mean']:.0f} % of {q['error']['of']}")
    return f" ({'; '.join(marks)})" if marks else ""


def _stated(error: RelativeError) -> _StatedError:
    return {"mean": error.mean, "std": error.std, "of": error.of, "published": error.published}


def _described(model: Model) -> _Described:
    quantities: list[_Quantity] = []
    slots: dict[str, list[str]] = {}
    for function in model.functions:
        if function.slot:
            named = slots.setdefault(function.slot, [])
            label = f"{function.provider}{' (default)' if function.default else ''}"
            if label not in named:
                named.append(label)
        for name, unit in function.gives.items():
            error = function.error.get(name) if isinstance(function.error, Mapping) else function.error
            quantities.append(
                {
                    "name": name,
                    "unit": unit,
                    "needs": list(function.needs),
                    "source": function.source,
                    "doc": function.doc,
                    "slot": function.slot,
                    "provider": function.provider,
                    "valid": {k: list(v) for k, v in function.valid.items()},
                    "error": _stated(error) if error else None,
                }
            )
    return {
        "name": model.name,
        "doc": model.doc,
        "quantities": quantities,
        "parameters": [{"name": p.name, "unit": p.unit, "doc": p.doc} for p in model.parameters.values()],
        "assumptions": [
            {"name": a.name, "value": a.value, "unit": a.unit, "doc": a.doc, "source": a.source}
            for a in model.assumptions.values()
        ],
        "tables": [
            {
                "name": t.name,
                "doc": t.doc,
                "columns": [
                    {"name": n, "unit": c.unit, "doc": c.doc, "aliases": list(c.aliases)}
                    for n, c in getattr(t, "columns", {}).items()
                ],
            }
            for t in model.tables.values()
        ],
        "requirements": [
            {"name": r.label, "condition": r.condition, "doc": r.doc, "source": r.source, "warns": r.warns}
            for r in model.requirements.values()
        ],
        "slots": slots,
        "enumerations": [
            {"name": name, "doc": _first_line(item.doc), "source": item.source}
            for name, item in enumerations_with(model).items()
        ],
        "pictures": [
            {
                "name": p.name,
                "doc": _first_line(p.doc) or p.title,
                "title": p.title,
                "slot": p.slot,
                "providers": list(p.providers),
            }
            for p in model.pictures
        ],
    }


def _first_line(doc: str) -> str:
    return doc.split("\n")[0]
