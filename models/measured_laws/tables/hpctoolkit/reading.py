"""The door to databases of HPCToolkit: which kind a folder or a file is, and its rows."""

from __future__ import annotations

from pathlib import Path

from dse.models.measured_laws.tables.hpctoolkit.call_paths import rows_of
from dse.models.measured_laws.tables.hpctoolkit.experiment import is_experiment, read_experiment
from dse.models.measured_laws.tables.hpctoolkit.sparse import is_database, read_database
from dse.models.measured_laws.tables.rows import Row

__all__ = ["database_in", "files_beside", "is_hpctoolkit", "read_hpctoolkit"]

_ANCHORS = ("meta.db", "experiment.xml")


def database_in(folder: Path) -> Path | None:
    """Return the file that a database is read from, where a folder is one."""
    return next((folder / name for name in _ANCHORS if (folder / name).is_file()), None)


def is_hpctoolkit(data: bytes) -> bool:
    """Return whether a file begins as one of a database does."""
    return is_database(data) or is_experiment(data)


def files_beside(path: Path) -> list[Path]:
    """Return the other files that the values of a database are in."""
    if path.name == "meta.db":
        return [path.with_name("profile.db")] if path.with_name("profile.db").is_file() else []
    return sorted(path.parent.glob("*.metric-db"))


def read_hpctoolkit(path: Path, data: bytes, *, alone: bool = False) -> tuple[list[Row], list[str]]:
    """Read a database: own values of the ten heaviest call paths, of each rank where the database has ranks.

    Parameters
    ----------
    path : Path
        ``meta.db`` or ``experiment.xml``.
    data : bytes
        Its beginning.
    alone : bool
        Whether no name of a folder says the parameters: the number of ranks is one then, ``processes``.
    """
    profile = read_database(path) if is_database(data) else read_experiment(path)
    return rows_of(profile, path, alone=alone)
