"""The reference of the models, from their declarations: every quantity with its formula, unit, source and error.

    .venv/bin/python docs/scripts/model_reference.py             # all models, to docs/reference/models/
    .venv/bin/python docs/scripts/model_reference.py hybrid      # one model, printed

The pages are made when they are wanted and not committed: what they say stands in the models.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from dse.authoring.declare.declaration import Assumption, DocumentParameter, ModelFunction, Parameter, TableParameter
from dse.authoring.library.library import Model, enumerations_with, load_model
from dse.authoring.library.listing import available_models

FOLDER = Path(__file__).parents[1] / "reference/models"
LONGEST = 200  # characters of a formula that is shown as code


def page(model: Model) -> str:
    """Return the page of a model."""
    parts = [f"# {model.name}", *map(_paragraph, model.doc.split("\n\n")), "## Quantities"]
    for gives, functions in _by_what_they_give(model.functions):
        parts += [f"### {', '.join(f'`{name}` [{unit}]' for name, unit in gives)}", "\n".join(_entries(functions))]
    parts += _section("Parameters", ["parameter", "unit", "what", "limits"], map(_parameter, model.parameters.values()))
    headings = ["assumption", "value", "what", "limits", "source"]
    parts += _section("Assumptions", headings, map(_assumption, model.assumptions.values()))
    parts += _section("Slots", ["slot", "components"], _slots(model.functions))
    parts += _section("Tables", ["table", "column", "unit", "what"], _columns(model.tables))
    enumerations = enumerations_with(model).items()
    rows = ([f"`{name}`", _first_line(item.doc), item.source] for name, item in enumerations)
    parts += _section("Rows of an axis", ["name", "what", "source"], rows)
    pictures = ([_first_line(p.doc) or p.title, _listed(p.providers)] for p in model.pictures)
    parts += _section("Pictures", ["what", "components"], pictures)
    return "\n\n".join(part for part in parts if part) + "\n"


def pages() -> dict[str, str]:
    """Return all pages by the name of their file."""
    models = {name: load_model(name) for name in available_models()}
    rows = ([f"[{name}]({name}.md)", _first_line(model.doc)] for name, model in models.items())
    index = "\n\n".join(["# Models", *_section("", ["model", "what it gives"], rows)]) + "\n"
    return {"README.md": index, **{f"{name}.md": page(model) for name, model in models.items()}}


def formula(function: Callable[..., Any]) -> str:
    """Return the expression a function returns, where it does nothing else."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, SyntaxError, ValueError):
        return ""
    body = [step for step in getattr(tree, "body", []) if not _is_text(step)]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return ""
    text = ast.unparse(body[0].value)
    return text if len(text) <= LONGEST else ""


def _paragraph(text: str) -> str:
    """Keep the columns of a table that is set by hand."""
    return f"```\n{text}\n```" if "====" in text else text


def _is_text(step: ast.stmt) -> bool:
    return isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant)


Gives = tuple[tuple[str, str], ...]


def _by_what_they_give(functions: Iterable[ModelFunction]) -> Iterator[tuple[Gives, list[ModelFunction]]]:
    """Yield the functions that give the same quantities together, in the order in which they are declared."""
    together: dict[Gives, list[ModelFunction]] = {}
    for function in functions:
        together.setdefault(tuple(function.gives.items()), []).append(function)
    yield from together.items()


def _entries(functions: list[ModelFunction]) -> Iterator[str]:
    """Yield one item per formula, with the components that share it."""
    for said, same in groupby(functions, key=_described):
        components = [f"{f.provider}{' (default)' if f.default else ''}" for f in same if f.provider]
        slot = functions[0].slot
        yield f"- {f'**{slot}: ' + ', '.join(components) + '.** ' if components else ''}{said}"


def _described(function: ModelFunction) -> str:
    code = formula(function.function)
    remarks = [
        f"`{code}`" if code else "",
        f"needs {_listed(function.needs)}" if function.needs and not code else "",
        f"sum of {_listed(function.sum_of)}" if function.sum_of else "",
        f"maximum of {_listed(function.max_of)}" if function.max_of else "",
        f"over {function.over}: {function.by}" if function.over else "",
        f"source: {function.source}",
        *_errors(function),
        *(f"validated for `{name}` {low:g} to {high:g}" for name, (low, high) in function.valid.items()),
    ]
    doc = " ".join(function.doc.split())
    return "  \n  ".join([doc, " · ".join(filter(None, remarks))] if doc else [" · ".join(filter(None, remarks))])


def _errors(function: ModelFunction) -> Iterator[str]:
    errors = function.error if isinstance(function.error, Mapping) else {"": function.error}
    for name, error in errors.items():
        if error is not None:
            spread = "" if error.std is None else f" ± {100 * error.std:.3g}"
            of = f" ({error.of})" if error.of else ""
            yield f"published error{f' of `{name}`' if name else ''} {100 * error.mean:.3g}{spread} %{of}"


def _limits(item: Parameter | Assumption) -> str:
    limits = [
        f">= {item.minimum:g}" if item.minimum is not None else "",
        f"> {item.above:g}" if item.above is not None else "",
        f"<= {item.maximum:g}" if item.maximum is not None else "",
        "whole" if item.integer else "",
    ]
    return ", ".join(filter(None, limits))


def _parameter(item: Parameter) -> list[str]:
    return [f"`{item.name}`", item.unit, item.doc, _limits(item)]


def _assumption(item: Assumption) -> list[str]:
    return [
        f"`{item.name}`",
        f"{item.value:g} {'' if item.unit == '1' else item.unit}",
        item.doc,
        _limits(item),
        item.source,
    ]


def _slots(functions: Iterable[ModelFunction]) -> Iterator[list[str]]:
    slots: dict[str, dict[str, None]] = {}
    for function in functions:
        if function.slot:
            label = f"`{function.provider}`{' (default)' if function.default else ''}"
            slots.setdefault(function.slot, {})[label] = None
    for slot, components in slots.items():
        yield [f"`{slot}`", ", ".join(components)]


def _columns(tables: Mapping[str, TableParameter | DocumentParameter]) -> Iterator[list[str]]:
    for name, table in tables.items():
        yield [f"`{name}`", "", "", table.doc]
        for column, declared in getattr(table, "columns", {}).items():
            yield ["", f"`{column}`", declared.unit, declared.doc]


def _section(title: str, headings: list[str], rows: Iterable[list[str]]) -> list[str]:
    lines = [_row(row) for row in rows]
    if not lines:
        return []
    table = "\n".join([_row(headings), "|" + "---|" * len(headings), *lines])
    return [f"## {title}", table] if title else [table]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _first_line(text: str) -> str:
    return text.split("\n")[0]


def main(names: list[str]) -> None:
    """Print the pages of the models that are named, or write all."""
    if names:
        print("\n".join(page(load_model(name)) for name in names), end="")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"written: {FOLDER}")


if __name__ == "__main__":
    main(sys.argv[1:])
