"""Folders whose files or sub-folders are named by their parameters: ``app.p64.n1000.r2`` (the habit of Extra-P)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from dse.errors import InputError
from dse.models.measured_laws.tables.call_trees import tau_place
from dse.models.measured_laws.tables.hpctoolkit.reading import database_in
from dse.models.measured_laws.tables.rows import parameter_value

__all__ = ["Entry", "entries_of", "parameters_of"]

_PART = re.compile(r"([A-Za-z_]+?)_?(\d+(?:e\d+)?)\Z", re.ASCII)
_SUFFIXES = (".csv", ".txt", ".json", ".jsonl", ".mpip", ".mpiP", ".parquet", ".gz", ".cubex", ".extra-p")
_MOST_FILES = 10_000


@dataclass(frozen=True)
class Entry:
    """A file, and what its name says of the run."""

    file: Path
    application: str
    parameters: dict[str, float]
    repetition: int | None


def parameters_of(name: str) -> tuple[str, dict[str, float], int | None]:
    """Return application, parameters and repetition that a name says.

    Examples
    --------
    >>> parameters_of("kripke.p64.n1000.r2")
    ('kripke', {'p': 64.0, 'n': 1000.0}, 2)
    """
    begun: list[str] = []
    parameters: dict[str, float] = {}
    repetition = None
    for part in name.split("."):
        match = _PART.match(part)
        if match is None:
            if parameters or repetition is not None:
                raise InputError(f"'{part}' in the name is no parameter with a value", allowed="p64.n1000.r2")
            begun.append(part)
            continue
        if match[1] == "r":
            repetition = int(match[2])
        elif match[1] in parameters:
            raise InputError(f"the parameter {match[1]} stands twice in the name", allowed="p64.n1000.r2")
        else:
            parameters[match[1]] = parameter_value(match[1], match[2], match[1], name)
    return ".".join(begun), parameters, repetition


def entries_of(folder: Path) -> list[Entry]:
    """Return the measured files of a folder, by name.

    Raises
    ------
    InputError
        Names that say no parameters, a folder that does not hold one file, too many, links that lead outside.
    """
    home, entries = folder.resolve(), []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        try:
            application, parameters, repetition = parameters_of(_bare(path))
        except InputError as error:
            raise error.within(file=path) from None
        if not parameters:
            raise InputError("the name says no parameters", file=path, allowed="names such as p64.n1000.r2")
        held = [path]
        if path.is_dir():
            held = _measured(path)
        if not all(file.resolve().is_relative_to(home) for file in held):
            raise InputError("is a link that leads out of the folder", file=path)
        entries += [Entry(file, application, parameters, repetition) for file in held]
        if len(entries) > _MOST_FILES:
            raise InputError(f"more than {_MOST_FILES:,} files", file=folder)
    if not entries:
        raise InputError("holds no files", file=folder, allowed="files named such as p64.n1000.r2")
    return entries


def _measured(folder: Path) -> list[Path]:
    """Return the file of a run: the profile of Score-P among its settings, those of TAU, else the one that is there."""
    if (database := database_in(folder)) is not None:
        return [database]
    held = [file for file in sorted(folder.iterdir()) if file.is_file() and not file.name.startswith(".")]
    cubes = [file for file in held if file.suffix == ".cubex"]
    threads = [file for file in held if tau_place(file.name) is not None]
    chosen = cubes if len(cubes) == 1 else threads or held
    if len(chosen) != 1 and not threads:
        raise InputError(f"holds {len(held)} files", file=folder, allowed="one text dump, table or profile")
    return chosen


def _bare(path: Path) -> str:
    name = path.name
    while not path.is_dir() and (suffix := Path(name).suffix) in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name
