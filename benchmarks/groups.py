"""Groups beside bundles: seconds, designs looked at, and the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.machine import require, rounds
from benchmarks.report import Column, Section, mebibytes, number, ratio, seconds

STUDY = "exascale"
ALTERNATIVES = ("many-core fat-tree-3-level", "many-core dragonfly")
# the space in words, what makes it
SPACES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "full": [
        ("synthetic", {"node_values": 102}),
        ("synthetic", {"node_values": 1_020}),
        *((f"{STUDY}, {name}", {"study": STUDY, "alternative": name}) for name in ALTERNATIVES),
    ],
    "small": [("synthetic", {"node_values": 20})],
}
REPEATS = 3


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search each space by bundles and by groups, in turn."""
    orders = {
        f"{place} {method}": {"variant": "searched", "method": method, **made}
        for place, (_, made) in enumerate(SPACES[designs])
        for method in ("bundles", "groups")
    }
    samples = rounds(orders, REPEATS, tell)
    rows = []
    for place, (label, _) in enumerate(SPACES[designs]):
        bundles, groups = (samples[f"{place} {method}"] for method in ("bundles", "groups"))
        require(bundles.answer["digest"] == groups.answer["digest"], f"frontiers of bundles and of groups, {label}")
        rows.append(
            {
                "label": label,
                "designs": groups.answer["designs"],
                "frontier": groups.answer["frontier"],
                "bundles": bundles.typical,
                "groups": groups.typical,
                "speedup": bundles.typical / groups.typical,
                "bundles_looked": bundles.answer["evaluated"],
                "groups_looked": groups.answer["evaluated"],
                "peak_mib": max(groups.peak_mib),
            }
        )
    return Section(
        "groups",
        f"Bundles and groups, one process; medians of {REPEATS}",
        [
            Column("label", "space"),
            Column("designs", "designs", number),
            Column("frontier", "on the frontier", number),
            Column("bundles", "bundles", seconds),
            Column("groups", "groups", seconds),
            Column("speedup", "faster", ratio),
            Column("bundles_looked", "evaluated, bundles", number),
            Column("groups_looked", "evaluated, groups", number),
            Column("peak_mib", "peak MiB (groups)", mebibytes),
        ],
        rows,
        [],
        ["frontiers of bundles and of groups, every design of them: the same bytes"],
        [
            "finding the groups, proving them and looking up equal designs are counted",
            f"the alternatives of {STUDY} are those of the study that comes with the project",
        ],
    )
