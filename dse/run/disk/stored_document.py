"""A JSON document that a command keeps in the folder of a run; who reads it may have it from anybody."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from dse.authoring.library.regular_file import read_regular
from dse.errors import InputError, RunFolderError, refuse_control

__all__ = ["as_type", "damaged", "read_document"]


Document = TypeVar("Document", bound=BaseModel)


def damaged(file: Path, again: str) -> RunFolderError:
    """Return the error that says a file is damaged, and what writes it `again`."""
    return RunFolderError("is damaged", file=file, allowed=again)


def _refuse(word: str) -> float:
    """Refuse NaN and infinities, which are no JSON and which no run writes."""
    raise ValueError(word)


def read_document(folder: str | Path | None, name: str, largest: int, again: str) -> dict[str, object] | None:
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


def as_type(
    kind: type[Document], document: Mapping[str, object], digest: str, file: Path, again: str
) -> Document | None:
    """Return a document as its type; None where it does not bear the `digest` of the run, so belongs to another state.

    Raises
    ------
    RunFolderError
        It does not fit its type, or holds control characters.
    """
    try:
        account = kind.model_validate(document)
        refuse_control(document)
    except (ValueError, RecursionError, ValidationError, InputError):
        raise damaged(file, again) from None
    return account if document["digest"] == digest else None
