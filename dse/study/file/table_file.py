"""Where a table or catalogue that a study names stands: beside the study, else among those of the project."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from dse.authoring.library.inside import refuse_outside
from dse.errors import InputError

__all__ = ["find_table"]

_RENAMED = {"data_machine/devices.csv": "data_machine/drives.csv", "power/devices.csv": "power/transistors.csv"}


def find_table(name: str, beside: Path) -> Path:
    """Return the file of a catalogue or table.

    Parameters
    ----------
    name : str
        As the study names it.
    beside : Path
        The folder of the study, which is looked through first.
    """
    relative = Path(name)
    if relative.is_absolute() or ".." in relative.parts or not relative.parts or "\0" in name:
        raise InputError(f"'{name}' leaves the folder of the study", allowed="a file inside it, or a catalogue of dse")
    spaces = Path(str(files("dse.spaces")))
    for folder in (beside, spaces):
        if (folder / relative).is_file():
            refuse_outside(folder / relative, name, beside, spaces)
            return folder / relative
    if name in _RENAMED:
        raise InputError(f"'{name}' has another name now", allowed=f"'{_RENAMED[name]}'")
    ending = relative.suffix if relative.suffix == ".json" else ".csv"
    known = [str(path.relative_to(spaces)) for path in sorted(spaces.rglob(f"*{ending}"))]
    known += [str(path.relative_to(beside)) for path in sorted(beside.glob(f"*{ending}"))]
    raise InputError(f"no such file '{name}'", allowed=known, wrong=name, candidates=known)
