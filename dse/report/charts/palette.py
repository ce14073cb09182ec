"""Colours of marks, on paper and on a dark ground: of kinds, told apart also under deuteranopia, and of a scale.

The ten kinds lie round the hues of Okabe and Ito (Color Universal Design, 2008), with their lightness changed until
each stands out from its ground by a contrast of 3 (WCAG 2.1, success criterion 1.4.11) and no two are alike, neither
to normal sight nor under simulated deuteranopia and protanopia. They were found by a random search; tests check what
it promises. The scale is a stretch of cividis (Nuñez, Anderton and Renslow 2018), the dark one on paper, the light one
on a dark ground, so that both ends stand out.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DARK", "PAPER", "Palette", "palette_style"]


class Palette(NamedTuple):
    """Colours on one `ground`: of `kinds`, in the order in which they are given out, and of a `scale`, low to high."""

    ground: str
    kinds: tuple[str, ...]
    scale: tuple[str, ...]


PAPER = Palette(
    "#ffffff",
    ("#298aff", "#cd8201", "#006d49", "#720067", "#934c00", "#1b96cc", "#0213e0", "#8f9650", "#908e8f", "#791114"),
    ("#00224e", "#0d2f66", "#223d6e", "#3d4b6c", "#51596d", "#636770", "#757574", "#878377", "#999376"),
)
DARK = Palette(
    "#14181d",
    ("#66c8ff", "#ffdb02", "#87f3a3", "#c06461", "#d4dade", "#006ed5", "#a55612", "#dfb54d", "#9f4a77", "#5843ff"),
    ("#626670", "#747474", "#868377", "#989276", "#aca172", "#c1b16a", "#d5c25d", "#ead54c", "#fee838"),
)


def palette_style() -> str:
    """Return the colours as properties for the style of a page: ``--kind-0`` …, and ``--scale`` in one row."""

    def properties(palette: Palette) -> str:
        kinds = " ".join(f"--kind-{place}: {colour};" for place, colour in enumerate(palette.kinds))
        return f":root {{ {kinds} --scale: {' '.join(palette.scale)}; }}"

    return f"{properties(PAPER)}\n@media (prefers-color-scheme: dark) {{\n  {properties(DARK)}\n}}"
