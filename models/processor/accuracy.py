"""How well profiles and the models of processors, branches and power agree with measurements, as published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dse.authoring.claims import Claim
from dse.authoring.declaration import RelativeError

__all__ = ["ACCURACY", "INTERACTION_CONTENTION", "MEASURED", "Measured", "measured_claims"]

THESIS = "Anghel 2017"
JOURNAL = "Jongerius et al. 2018, abstract"
STEEN_2015, STEEN_2016 = "Van den Steen et al. 2015, abstract", "Van den Steen et al. 2016, abstract"
SPEC_GRAPH_V3 = "SPEC CPU2006 and Graph 500 on Xeon E5-2697 v3"


@dataclass(frozen=True)
class Measured:
    """One published accuracy.

    Attributes
    ----------
    what : str
        Model or metric, and the quantity.
    of : str
        What it was compared on.
    source : str
    measure : str
        "mean error", "largest error", "root mean square error", "accuracy" (1 less the error), "correlation" or
        "R squared".
    value : float or tuple of float
        Fractions; several in the order of `of`.
    note : str
    family : str
        The models it is of: "processor", "branches" or "power".
    """

    what: str
    of: str
    source: str
    measure: str
    value: Any
    note: str = ""
    family: str = "processor"


_ERRORS_NOT_ACCURACIES = "the conclusion of the thesis (Section 4.6) calls these errors accuracies"
_POINTS = "points of a fraction"

MEASURED: tuple[Measured, ...] = (
    Measured(
        "instruction mix, POWER8",
        "Graph 500 csr; list",
        f"{THESIS}, Section 3.5.1, Fig. 3.16",
        "root mean square error",
        (0.025, 0.014),
        f"{_POINTS}; upper limits",
    ),
    Measured(
        "instruction mix, x86",
        "Graph 500 csr; list",
        f"{THESIS}, Section 3.5.1",
        "root mean square error",
        (0.062, 0.042),
        f"{_POINTS}; upper limits",
    ),
    Measured(
        "instruction mix, POWER8",
        "SPEC CPU2006 mean; mcf; sjeng",
        f"{THESIS}, Fig. 3.17",
        "root mean square error",
        (0.075, 0.039, 0.148),
        _POINTS,
    ),
    Measured(
        "instruction mix, x86",
        "SPEC CPU2006 mean; libquantum; gobmk",
        f"{THESIS}, Section 3.5.1",
        "root mean square error",
        (0.11, 0.066, 0.157),
        _POINTS,
    ),
    Measured(
        "instruction mix, between instruction sets",
        "Graph 500; SPEC CPU2006",
        f"{THESIS}, Section 3.5.1",
        "root mean square error",
        (0.05, 0.11),
        _POINTS,
    ),
    Measured(
        "hit rate of level 1",
        "Graph 500; SPEC CPU2006, on POWER8 (64 KB, lines of 128 B)",
        f"{THESIS}, Section 3.5.2, Figs. 3.18 and 3.19",
        "root mean square error",
        (0.12, 0.028),
        _POINTS,
    ),
    Measured(
        "branch entropy, 32 outcomes",
        "SPEC CPU2006 on x86; POWER8",
        f"{THESIS}, Section 3.5.3",
        "R squared",
        (0.77, 0.76),
        family="branches",
    ),
    Measured(
        "branch entropy, 32 outcomes",
        "the programs of Section 4.4.1",
        f"{THESIS}, Fig. 4.7",
        "R squared",
        0.78,
        "printed as a correlation; the text introduces it as a coefficient of determination",
        family="branches",
    ),
    Measured(
        "branch entropy by history",
        "32 outcomes; 33 (the best), on Sandy Bridge",
        f"{THESIS}, Fig. 4.8",
        "R squared",
        (0.772, 0.795),
        "printed as a correlation",
        family="branches",
    ),
    Measured(
        "branch entropy, 32 outcomes",
        "without libquantum: mean; least; most",
        f"{THESIS}, Figs. 4.10 and 4.11",
        "accuracy",
        (0.53, 0.30, 0.92),
        family="branches",
    ),
    Measured(
        "branch entropy, log2 t - 3 outcomes",
        "without libquantum: mean; least; most",
        f"{THESIS}, Figs. 4.10 and 4.11",
        "accuracy",
        (0.58, 0.338, 0.927),
        family="branches",
    ),
    Measured(
        "branch entropy, 32; log2 t - 3 outcomes",
        "without libquantum",
        f"{THESIS}, Figs. 4.10 and 4.11",
        "correlation",
        (0.87, 0.84),
        family="branches",
    ),
    Measured(
        "max-outcome, 32 outcomes",
        "without libquantum: mean; least; most",
        f"{THESIS}, Figs. 4.10 and 4.11",
        "accuracy",
        (0.70, 0.11, 0.985),
        family="branches",
    ),
    Measured(
        "max-outcome, log2 t - 3 outcomes",
        "without libquantum: mean; least; most",
        f"{THESIS}, Figs. 4.10 and 4.11",
        "accuracy",
        (0.64, 0.33, 0.98),
        family="branches",
    ),
    Measured(
        "max-outcome, 32; log2 t - 3 outcomes",
        "without libquantum",
        f"{THESIS}, Figs. 4.10 and 4.11",
        "correlation",
        (0.86, 0.82),
        family="branches",
    ),
    Measured(
        "independent events, CPI; time",
        SPEC_GRAPH_V3,
        f"{THESIS}, Section 4.2.2, Figs. 4.1 and 4.2",
        "mean error",
        (1.26, 0.45),
        f"{_ERRORS_NOT_ACCURACIES}; times compare counts of different instructions",
    ),
    Measured(
        "independent events, correlation of CPI; time",
        SPEC_GRAPH_V3,
        f"{THESIS}, Section 4.2.2, Figs. 4.1 and 4.2",
        "correlation",
        (0.95, 0.84),
    ),
    Measured(
        "event interaction, CPI; time",
        SPEC_GRAPH_V3,
        f"{THESIS}, Section 4.2.4, Figs. 4.3 and 4.4",
        "mean error",
        (0.24, 0.34),
        _ERRORS_NOT_ACCURACIES,
    ),
    Measured(
        "event interaction, correlation of CPI; time",
        SPEC_GRAPH_V3,
        f"{THESIS}, Section 4.2.4, Figs. 4.3 and 4.4",
        "correlation",
        (0.96, 0.97),
    ),
    Measured(
        "event interaction, one thread",
        "Xeon and Cortex-A15",
        JOURNAL,
        "mean error",
        0.59,
        "a simulator has 0.25",
    ),
    Measured("event interaction, correlation, one thread", "Xeon and Cortex-A15", JOURNAL, "correlation", 0.8),
    Measured("event interaction, contention of cores", "Xeon and Cortex-A15", JOURNAL, "largest error", 0.114),
    Measured(
        "power of independent events with McPAT and CACTI",
        "SPEC CPU2006 on POWER7+; Xeon E5-2697 v2",
        f"{THESIS}, Section 4.3.4, Fig. 4.5",
        "accuracy",
        (0.87, 0.53),
        "machines are ranked right",
        family="power",
    ),
    Measured(
        "power of independent events with McPAT and CACTI",
        "Graph 500 on POWER7+; Xeon E5-2697 v2",
        f"{THESIS}, Section 4.3.4",
        "accuracy",
        (0.80, 0.74),
        "machines are ranked right",
        family="power",
    ),
    Measured(
        "power of the memory, MeSAP; CACTI",
        "STREAM, DDR4",
        f"{THESIS}, Section 4.3.3",
        "mean error",
        (0.26, 1.65),
        family="power",
    ),
    Measured(
        "power of the memory, MeSAP with event interaction",
        "SPEC CPU2006 and Graph 500",
        f"{THESIS}, Section 4.3.3",
        "mean error",
        0.20,
        "about",
        family="power",
    ),
    Measured(
        "interval model of 2015, time; power", "a design space, simulated", STEEN_2015, "mean error", (0.13, 0.07)
    ),
    Measured(
        "interval model of 2016, time; power", "a design space, simulated", STEEN_2016, "mean error", (0.093, 0.043)
    ),
)
"""Every published accuracy of profiles, performance, branch prediction and power."""


def measured_claims(family: str) -> list[Claim]:
    """Return the accuracies of a family as claims; none can be checked."""
    missing = "the measurements are not published as numbers"
    return [
        Claim(
            family,
            f"{entry.what}: {entry.measure} on {entry.of}",
            entry.source,
            entry.value,
            None,
            kind="not checkable",
            note=f"{missing}; {entry.note}" if entry.note else missing,
        )
        for entry in MEASURED
        if entry.family == family
    ]


def _thesis(mean: float, section: str) -> RelativeError:
    return RelativeError(mean, of=f"{SPEC_GRAPH_V3}; {THESIS}, {section}")


ACCURACY: dict[tuple[str, str], RelativeError] = {
    ("independent", "cpi"): _thesis(1.26, "Section 4.2.2"),
    ("independent", "seconds"): _thesis(0.45, "Section 4.2.2"),
    ("interaction", "cpi"): _thesis(0.24, "Section 4.2.4"),
    ("interaction", "seconds"): _thesis(0.34, "Section 4.2.4"),
}
"""Published mean error by model and quantity. The journal finds 0.59 for single threads on Xeon and Cortex-A15."""

INTERACTION_CONTENTION = RelativeError(0.114, of=f"largest error of contention between cores; {JOURNAL}")
"""What sharing level 3 and the memory adds to the error of the interaction model."""
