"""The published accuracies of the model of whole machines (Anghel 2017, Chapters 6 and 7): a quality to expect.

Neither the latencies of the machines nor any absolute time is printed. What can be checked is what the tables, the text
and the configurations say about each other.
"""

from __future__ import annotations

from typing import Any

from dse.authoring.claims import Claim
from dse.models.network.claims.configurations import GRAPH_500, LU
from dse.models.system.accuracy import GRAPH_500_ACCURACY, LU_ACCURACY
from dse.models.system.inputs import THESIS

__all__ = ["accuracy_claims"]


_MISSING = "the latencies of the machines and all absolute times are not printed"


def accuracy_claims() -> list[Claim]:
    """Return the published accuracies of run times and of extrapolated profiles, and slips in their text."""
    return [*_run_times(), *_extrapolated(), *_slips()]


def _claim(title: str, source: str, published: Any, computed: Any = None, **rest: Any) -> Claim:
    return Claim("system", title, f"{THESIS}, {source}", published, computed, **rest)


def _missing(title: str, source: str, published: Any, note: str = _MISSING) -> Claim:
    return _claim(title, source, published, kind="not checkable", note=note)


def _run_times() -> list[Claim]:
    what = "run time: mean, largest, smallest accuracy in percent, and correlation"
    tables = (("Graph 500", "Table 6.1", GRAPH_500_ACCURACY), ("NAS LU", "Table 6.3", LU_ACCURACY))
    found = [
        _missing(
            f"{program} on {row.topology} ({row.machine}), {what}",
            table,
            (row.mean, row.largest, row.smallest, row.correlation),
        )
        for program, table, rows in tables
        for row in rows
    ]
    return [
        *found,
        _missing("Graph 500 across machines: correlation at scale 16, at 17 to 21", "Section 6.3.1", (0.71, "> 0.98")),
        _missing("NAS LU across machines: least correlation, at size 36", "Section 6.3.2", 0.92),
    ]


def _extrapolated() -> list[Claim]:
    rows = (
        ("2-level fat tree", (78.98, 80.58)),
        ("3-level fat tree", (78.37, 76.27)),
        ("full mesh", (86.91, 93.13)),
        ("2-D HyperX", (84.3, 86.3)),
    )
    profile = "the fitting method and the profiles are not published"
    found = [
        _missing(
            f"Graph 500 on {topology}, extrapolated profiles, scales 24 and 25: accuracy in percent",
            "Table 6.2",
            accuracy,
        )
        for topology, accuracy in rows
    ]
    return [
        *found,
        _missing("Graph 500, extrapolated profiles: correlation at scales 24 and 25", "Section 6.3.1", (0.97, 0.92)),
        _missing(
            "NAS LU, extrapolated profiles of sizes 408 and 800: accuracy in percent", "Section 6.3.2", (60.0, 92.0)
        ),
        _missing(
            "Graph 500: errors of extrapolated instructions, reuse distance, ILP and messages in percent",
            "Section 7.2",
            (4.7, 1.4, 0.7, 9.7),
            profile,
        ),
        _missing("SKA correlator: accuracy of every extrapolated metric", "Section 7.1.3", "> 98 %", profile),
    ]


def _slips() -> list[Claim]:
    hyperx = next(row for row in GRAPH_500_ACCURACY if row.topology == "2-D HyperX")
    shapes = sum(row.label == "2-D HyperX" for row in GRAPH_500)
    # One configuration at the smallest accuracy, all others at the largest: the greatest mean there can be.
    reachable = ((shapes - 1) * hyperx.largest + hyperx.smallest) / shapes
    processes = tuple(sorted({row.processes for row in LU}))
    return [
        _claim(
            "Graph 500 on 2-D HyperX: mean accuracy is what the largest and the smallest allow, in percent",
            "Table 6.1",
            hyperx.mean,
            reachable,
            kind="deviation",
            note="over its 14 shapes, 72 and 90 allow 88.7 at most (89.8 if the six scales count too, and then all but "
            "one must be at 90); the largest is probably 99",
        ),
        _claim(
            "NAS LU: processes, 4 to 64 in powers of 2",
            "Section 6.3.2",
            (4, 8, 16, 32, 64),
            processes,
            kind="deviation",
            note="appendix table 7 has square numbers of processes, 16 to 64",
        ),
    ]
