"""Arguments and options that many commands have."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Json", "StudyName"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON: stable keys, SI numbers, units beside them.")]
StudyName = Annotated[str, typer.Argument(help="A study file (.toml) or the name of a study that comes with dse.")]
