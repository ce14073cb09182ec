"""Published figures of power, technologies and yields beside what the models give.

Goldens of the MeSAP equations, the powers the published tool gives for its examples, Tables 7.3 and 7.4 of the thesis,
scaling polynomials, textbook examples of yield, and what was said of the McPAT tables when they were made.
"""

from __future__ import annotations

from dse.authoring.claims import Claim
from dse.models.power._core_claims import core_claims
from dse.models.power._dram_claims import dram_claims
from dse.models.power._technology_claims import technology_claims
from dse.models.processor.accuracy import measured_claims

__all__ = ["claims"]


def claims() -> list[Claim]:
    """Return every published figure of power, with what the models give."""
    return [*dram_claims(), *technology_claims(), *core_claims(), *measured_claims("power")]
