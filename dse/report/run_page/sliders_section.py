"""The part of "How sure" in which unknowns are moved: its place, its data, and what cannot be moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dse.report.html.tags import Html, safe_json, tag
from dse.run.result.slider_file import read_sliders

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["sliders_section"]


def sliders_section(run: Run) -> Iterator[Html]:
    """Return the part, with what its script reads as JSON; nothing where nothing is stored."""
    sliders = read_sliders(run)
    if sliders is None:
        return
    yield tag("h3", "Move what is not known")
    if sliders.refused:
        yield tag("p", f"No sliders: {sliders.refused}.")
    else:
        yield tag(
            "p",
            f"The frontier of the whole space at the moved values, out of the {len(sliders.candidates)} designs that "
            "are possible at any. Arrow keys move a slider; a design of the table tells where it leaves.",
            class_="note",
        )
        names = [*(item.name for item in sliders.unknowns), *(item.name for item in sliders.objectives)]
        data = safe_json({**sliders.as_dict(), "names": {name: run.label(name) for name in names}})
        yield tag("div", "", id="moved")
        yield Html(f'<script type="application/json" id="sliders">{data}</script>')
    if sliders.without:
        reasons = "; ".join(f"{run.label(name)}: {why}" for name, why in sliders.without.items())
        yield tag("p", f"Without a slider, as the study computes with it: {reasons}.", class_="note")
