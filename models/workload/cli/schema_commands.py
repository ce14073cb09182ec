"""The command `schema profile`: the JSON Schema of a workload profile."""

from __future__ import annotations

from typing import Any

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json
from dse.cli.options.schema_file import SchemaOut, give_schema

__all__ = ["SCHEMAS", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    command_group(app, "schema").command(epilog="Example: dse schema profile --out .dse/profile.schema.json")(profile)


def profile(out: SchemaOut = None, json: Json = False) -> None:
    """Print the schema of a workload profile."""
    give_schema(_schema(), out, as_json=json)


def _schema() -> dict[str, Any]:
    from dse.models.workload.profile.json_schema import profile_schema

    return profile_schema()


SCHEMAS = {"profile": _schema}
