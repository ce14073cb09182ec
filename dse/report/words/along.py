"""Objectives along the parts of a split space, in words and as rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dse.units import display_unit, format_number, percent_text, with_unit

if TYPE_CHECKING:
    from dse.analysis.explain.parts import Curve

__all__ = ["band_text", "headings", "row_texts"]


def band_text(curve: Curve) -> str:
    """Say what the bands of curves are."""
    text = (
        "The dark band is what laws that fit alike foretell; the light one has the model's published error beside it."
    )
    if curve.others:
        text += " The other end of a bracket is no band: neither component is right for every program."
    return text


def headings(curves: Sequence[Curve], label: Callable[[str], str]) -> list[str]:
    """Return the heads of a table of curves: the column, the part, and for each curve its value, ends and others."""
    heads = [label(curves[0].column), "part"]
    for curve in curves:
        heads.append(label(curve.quantity))
        heads += ["by laws alike", "with the model's error"] if curve.banded else []
        heads += [f"with {other}" for other in curve.others]
        heads += ["of ideal"] if curve.efficiency else []
    return heads


def row_texts(curves: Sequence[Curve], place: int, part: str) -> list[str]:
    """Return a row of that table."""
    texts = [with_unit(curves[0].values[place], curves[0].column_unit), part]
    for curve in curves:
        texts.append(with_unit(curve.points[place], curve.unit))
        if curve.banded:
            texts += [_ends(curve, *ends[place]) for ends in (curve.band, curve.reach)]
        texts += [with_unit(values[place], curve.unit) for values in curve.others.values()]
        texts += [percent_text(curve.efficiency[place])] if curve.efficiency else []
    return texts


def _ends(curve: Curve, low: float, high: float) -> str:
    if not low < high:
        return "–"
    scale, unit = display_unit(curve.unit, high)
    return f"{format_number(low / scale, 3)} to {format_number(high / scale, 3)} {unit}".strip()
