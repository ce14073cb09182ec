"""The catalogues of ``spaces/training``: rows by name, as quantities of the model."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from dse.authoring.library.library import load_model
from dse.authoring.table import Table, read_table
from dse.errors import InputError

__all__ = ["catalogue", "part"]

_OPTIONS = {"models": "architecture", "devices": "device"}


@cache
def catalogue(name: str) -> Table:
    """Return a catalogue; cells of numbers that are empty are NaN."""
    path = Path(str(files("dse.spaces"))) / "training" / f"{name}.csv"
    return read_table(path, name=f"spaces/training/{name}.csv", empty=True)


def part(name_of_catalogue: str, name: str) -> dict[str, float]:
    """Return the quantities of a row, those that the model declares, in SI.

    Parameters
    ----------
    name_of_catalogue : str
        "models" or "devices".
    name : str
        Of the row.

    Raises
    ------
    InputError
        No such row; the nearest name is told.
    """
    table = catalogue(name_of_catalogue)
    names = [str(row_name) for row_name in table["name"]]
    if name not in names:
        key = _OPTIONS[name_of_catalogue]
        raise InputError(f"no '{name}'", key=key, allowed=names, wrong=name, candidates=names)
    model, row = load_model("training"), names.index(name)
    known = {**model.parameters, **model.assumptions}
    return {key: float(values[row]) for key, values in table.columns.items() if key in known}
