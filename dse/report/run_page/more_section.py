"""What lies below the first screen of the page, in tabs; without scripts all their panels are in sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dse.report.html.tags import Html, join, tag

__all__ = ["MorePanel", "more_section"]


class MorePanel(NamedTuple):
    """A panel: its key in links, the words on its tab, and what stands in it."""

    key: str
    title: str
    content: Sequence[Html]


def more_section(panels: Sequence[MorePanel]) -> Iterator[Html]:
    """Return the tabs with their panels; those without content are left out."""
    kept = [panel for panel in panels if panel.content]
    tabs = [
        tag(
            "button",
            panel.title,
            type="button",
            role="tab",
            id=f"more-tab-{panel.key}",
            aria_controls=f"more-{panel.key}",
            data_show=panel.key,
            aria_selected="false",
        )
        for panel in kept
    ]
    bodies = [
        tag(
            "section",
            *panel.content,
            class_="more",
            id=f"more-{panel.key}",
            role="tabpanel",
            aria_labelledby=f"more-tab-{panel.key}",
        )
        for panel in kept
    ]
    # A script shows the list: without one there is nothing to choose.
    choice = tag("div", *tabs, class_="tabs", role="tablist", aria_label="More of this run", hidden="")
    yield tag("div", choice, join(bodies), id="more")
