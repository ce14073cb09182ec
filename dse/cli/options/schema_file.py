"""JSON Schemas on the screen or as files beside a study, where an editor finds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from dse.errors import InputError

__all__ = ["SchemaOut", "give_schema", "write_schema"]

SchemaOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write it to this file; one that is no schema is not overwritten.")
]


def give_schema(schema: Mapping[str, object], out: Path | None, *, as_json: bool = False) -> None:
    """Print a schema, or write it to a file and say where, as JSON where that is wanted."""
    if out is None:
        typer.echo(json.dumps(schema, indent=1, ensure_ascii=False))
        return
    write_schema(schema, out)
    typer.echo(json.dumps({"file": str(out)}) if as_json else f"wrote {out}")


def write_schema(schema: Mapping[str, object], path: Path) -> None:
    """Write a schema to a file that is not there yet, or that holds a schema already.

    Raises
    ------
    InputError
        The file holds something else, or cannot be written.
    """
    try:
        if path.exists() and not _is_schema(path):
            raise InputError("the file holds no schema; it is not overwritten", file=path, allowed="another name")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(schema, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None


def _is_schema(path: Path) -> bool:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "$schema" in document
