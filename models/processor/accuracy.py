"""How well the models of processors agree with measurements, as published; the claims list every such accuracy."""

from __future__ import annotations

from dse.authoring.declare.declaration import RelativeError
from dse.models.sources import ANGHEL_2017, JONGERIUS_2018

__all__ = ["ACCURACY", "INTERACTION_CONTENTION"]

JOURNAL = f"{JONGERIUS_2018}, abstract"
SPEC_GRAPH_V3 = "SPEC CPU2006 and Graph 500 on Xeon E5-2697 v3"


def _thesis(mean: float, section: str) -> RelativeError:
    return RelativeError(mean, of=f"{SPEC_GRAPH_V3}; {ANGHEL_2017}, {section}")


ACCURACY: dict[tuple[str, str], RelativeError] = {
    ("independent", "cpi"): _thesis(1.26, "Section 4.2.2"),
    ("independent", "seconds"): _thesis(0.45, "Section 4.2.2"),
    ("interaction", "cpi"): _thesis(0.24, "Section 4.2.4"),
    ("interaction", "seconds"): _thesis(0.34, "Section 4.2.4"),
}
"""Published mean error by model and quantity. The journal finds 0.59 for single threads on Xeon and Cortex-A15."""

INTERACTION_CONTENTION = RelativeError(0.114, of=f"largest error of contention between cores; {JOURNAL}")
"""What sharing level 3 and the memory adds to the error of the interaction model."""
