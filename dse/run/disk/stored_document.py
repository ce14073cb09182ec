"""A JSON document that a command keeps in the folder of a run; who reads it may have it from anybody."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from dse.authoring.library.regular_file import read_regular
from dse.errors import RunFolderError

__all__ = ["damaged", "read_document"]


def damaged(file: Path, again: str) -> RunFolderError:
    """Return the error that says a file is damaged, and what writes it `again`."""
    return RunFolderError("is damaged", file=file, allowed=again)


def _refuse(word: str) -> float:
    """Refuse NaN and infinities, which are no JSON and which no run writes."""
    raise ValueError(word)


def read_document(folder: str | Path | None, name: str, largest: int, again: str) -> dict[str, Any] | None:
    """Return a document, unchecked but for being one; None where nothing is stored.

    Parameters
    ----------
    folder : str or Path, optional
        None: the run is in memory only.
    name : str
    largest : int
        Bytes beyond which it is not read.
    again : str
        What writes it again, for the message.

    Raises
    ------
    RunFolderError
        The file cannot be read, is too large, or is no JSON object.
    """
    file = None if folder is None else Path(folder) / name
    if file is None or not os.path.lexists(file):
        return None
    try:
        document = json.loads(read_regular(file, largest, inside=file.parent).decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):  # which an InputError is
        document = None
    if not isinstance(document, dict):
        raise damaged(file, again)
    return document
