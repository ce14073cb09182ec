"""Arguments and options that many commands have."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["AllowCode", "Folder", "Json", "StudyName"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON: stable keys, SI numbers, units beside them.")]
AllowCode = Annotated[
    bool, typer.Option("--allow-code", help="Run the model files (.py) of a run that bears no seal of this user.")
]
Folder = Annotated[str, typer.Argument(help="The folder of a run, such as runs/my-study.")]
StudyName = Annotated[str, typer.Argument(help="A study file (.toml) or the name of a study that comes with dse.")]
