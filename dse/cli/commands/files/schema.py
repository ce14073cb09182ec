"""The command `schema`: the JSON Schemas of what people write, for editors and programs; families add theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.families import command_group
from dse.cli.later import later
from dse.cli.options.options import Json
from dse.cli.options.schema_file import SchemaOut, give_schema
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.authoring.declare.declaration import Assumption, Parameter
    from dse.authoring.library.library import Model, library_models, load_model
    from dse.study.edit.variant_schema import variant_schema
    from dse.study.file.json_schema import study_schema
    from dse.study.file.reading import find_study, read_toml
else:
    library_models, load_model = later("dse.authoring.library.library", "library_models", "load_model")
    (variant_schema,) = later("dse.study.edit.variant_schema", "variant_schema")
    (study_schema,) = later("dse.study.file.json_schema", "study_schema")
    find_study, read_toml = later("dse.study.file.reading", "find_study", "read_toml")

__all__ = ["GROUP", "register", "schema_of_studies"]

GROUP = "Print the JSON Schema of a file, for editors. Of a study, a variant or a profile: keys, units and names."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = command_group(app, "schema", GROUP)
    group.command(epilog="Examples: dse schema study --out .dse/study.schema.json · dse schema study my-study.toml")(
        study
    )
    group.command(epilog="Example: dse schema variant --out variant.schema.json")(variant)


def study(
    name: Annotated[
        str | None, typer.Argument(metavar="[STUDY]", help="A study whose own models are to be known too.")
    ] = None,
    out: SchemaOut = None,
    json: Json = False,
) -> None:
    """Print the schema of a study file; the parameters of all models of the library have their units in it.

    The first line of a study names the file: #:schema .dse/study.schema.json
    """
    give_schema(schema_of_studies(name), out, as_json=json)


def variant(out: SchemaOut = None, json: Json = False) -> None:
    """Print the schema of a variant: what `Study.with_` takes in Python, the same as the options of `dse run`."""
    give_schema(variant_schema(), out, as_json=json)


def schema_of_studies(name: str | None = None) -> dict[str, object]:
    """Return the schema of a study file, with the parameters of the library and of the models of a study."""
    declared: list[Parameter | Assumption] = []
    for model in [*library_models(), *(_models_of(name) if name is not None else [])]:
        declared += [*model.parameters.values(), *model.assumptions.values()]
    return study_schema(declared)


def _models_of(name: str) -> list[Model]:
    """Return the models that a study names, whatever else stands in it."""
    path = find_study(name)
    _, document = read_toml(path)
    named = document.get("models")
    if not isinstance(named, list) or not all(isinstance(model, str) for model in named):
        raise InputError("is no list of models", file=path, key="models", allowed='a list such as ["hybrid"]')
    return [load_model(model, path.parent) for model in named]
