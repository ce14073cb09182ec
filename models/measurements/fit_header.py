"""What files of fitted models begin with: ``format``, ``kind``, ``source``, ``sha256``, ``date``, ``synthetic``.

``sha256`` is of the measurements.
"""

from __future__ import annotations

from pathlib import Path

from dse.errors import InputError, shown

__all__ = ["FIT_FORMAT", "refuse_other_fits"]

FIT_FORMAT = "dse-fit/1"


def refuse_other_fits(document: object, kind: str, file: Path) -> None:
    """Refuse what is no fitted model, and one of another kind.

    Raises
    ------
    InputError
        With the kind that was found.
    """
    found = document.get("format") if isinstance(document, dict) else None
    if not isinstance(document, dict) or found != FIT_FORMAT:
        raise InputError(f"format {shown(found)}", file=file, key="format", allowed=FIT_FORMAT)
    if document.get("kind") != kind:
        told = shown(document["kind"]) if "kind" in document else "no kind"
        raise InputError(
            f"a fitted model of kind {told}",
            file=file,
            key="kind",
            allowed=f"'{kind}', as dse fit --kind {kind} writes",
        )
