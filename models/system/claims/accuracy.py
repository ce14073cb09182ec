"""The published accuracies of the model of whole machines (Anghel 2017, Chapters 6 and 7): a quality to expect.

Neither the latencies of the machines nor any absolute time is printed. What can be checked is what the tables, the text
and the configurations say about each other.
"""

from __future__ import annotations

from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.network.claims.configurations import GRAPH_500, LU

__all__ = ["accuracy_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "system")


def accuracy_claims() -> list[Claim]:
    """Return the published accuracies of run times and of extrapolated profiles, and slips in their text."""
    return [*FIGURES.not_checkable(), *_slips()]


def _slips() -> list[Claim]:
    what = "run time: mean, largest, smallest accuracy in percent, and correlation"
    _, largest, smallest, _ = FIGURES.value(f"Graph 500 on 2-D HyperX (Magnus), {what}")
    shapes = sum(row.label == "2-D HyperX" for row in GRAPH_500)
    # One configuration at the smallest accuracy, all others at the largest: the greatest mean there can be.
    reachable = ((shapes - 1) * largest + smallest) / shapes
    processes = tuple(sorted({row.processes for row in LU}))
    return [
        FIGURES.claim(
            "Graph 500 on 2-D HyperX: mean accuracy is what the largest and the smallest allow, in percent", reachable
        ),
        FIGURES.claim("NAS LU: processes, 4 to 64 in powers of 2", processes),
    ]
