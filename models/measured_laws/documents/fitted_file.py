"""The file of a fitted model (JSON): one format for all kinds, read with every check and never overwritten.

It begins with ``format``, ``kind``, ``source``, ``sha256`` of the measurements, ``date`` and ``synthetic``; then comes
what its kind adds. A kind is a `FittedDocument` of its own.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from dse.errors import InputError, refuse_control, shown
from dse.models.measured_laws.documents.stored_json import validated, write_new
from dse.models.measured_laws.tables.text_table import read_bounded

__all__ = ["FIT_FORMAT", "FittedDocument", "Strict", "read_fitted", "write_fitted"]

FIT_FORMAT: Literal["dse-fit/1"] = "dse-fit/1"


class Strict(BaseModel):
    """A part of a file: no other keys, no number that is infinite or none."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class FittedDocument(Strict):
    """What every file of a fitted model begins with; a kind names itself, narrows this, and adds its content."""

    largest: ClassVar[int] = 64 * 2**20
    """Bytes."""
    plain_texts: ClassVar[bool] = False
    """Whether texts with control characters are refused."""

    format: Literal["dse-fit/1"] = FIT_FORMAT
    kind: str
    source: str | tuple[str, ...]
    sha256: str
    date: datetime.date | str
    synthetic: bool = False

    @classmethod
    def kind_name(cls) -> str:
        """Return the kind as it stands in a file and behind ``dse fit --kind``."""
        return str(cls.model_fields["kind"].default)


Document = TypeVar("Document", bound=FittedDocument)


def read_fitted(file: Path, kind: type[Document]) -> Document:
    """Read a fitted model of a kind.

    Raises
    ------
    InputError
        No such file, too large, no JSON, no fitted model, one of another kind, or the first fault in it by its key.
    """
    data = read_bounded(file, kind.largest)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no JSON: {shown(str(error))}", file=file, allowed="a file that dse fit wrote") from None
    _refuse_others(document, kind.kind_name(), file)
    if kind.plain_texts:
        refuse_control(document, file=file)
    return validated(document, kind, file=file, allowed=f"{FIT_FORMAT}, as dse fit --kind {kind.kind_name()} writes")


def write_fitted(document: FittedDocument, file: Path) -> None:
    """Write a fitted model; a file that exists is not overwritten.

    Raises
    ------
    InputError
        There is such a file, or it cannot be written.
    """
    write_new(document.model_dump_json(indent=1) + "\n", file)


def _refuse_others(document: Any, kind: str, file: Path) -> None:
    """Refuse what is no fitted model, and one of another kind."""
    given = document.get("format") if isinstance(document, dict) else None
    if not isinstance(document, dict) or given != FIT_FORMAT:
        raise InputError(f"format {shown(given)}", file=file, key="format", allowed=FIT_FORMAT)
    if document.get("kind") != kind:
        named = shown(document["kind"]) if "kind" in document else "no kind"
        raise InputError(
            f"a fitted model of kind {named}",
            file=file,
            key="kind",
            allowed=f"'{kind}', as dse fit --kind {kind} writes",
        )
