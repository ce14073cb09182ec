"""Published figures of power, technologies and yields beside what the models give.

Goldens of the MeSAP equations, the powers the published tool gives for its examples, Tables 7.3 and 7.4 of the thesis,
scaling polynomials, textbook examples of yield, and what was said of the McPAT tables when they were made.
"""

from __future__ import annotations

from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.power.claims.cores import core_claims
from dse.models.power.claims.memory import dram_claims
from dse.models.power.claims.technologies import technology_claims

__all__ = ["claims", "measured_claims"]


def claims() -> list[Claim]:
    """Return every published figure of power, with what the models give."""
    return [*dram_claims(), *technology_claims(), *core_claims(), *measured_claims()]


def measured_claims() -> list[Claim]:
    """Return the published accuracies of power against measurements."""
    return read_figures(Path(__file__).with_name("measured.csv"), "power").not_checkable()
