"""Published figures of networks beside what the models give.

The thesis prints formulas and the accuracy it found for them in simulation, but no simulated bandwidth. So the claims
are of six kinds: its formulas, as printed and corrected; its slips; the configurations it measured and studied; its
accuracies, beside those of machines of the same ranges that are simulated here; all topologies and patterns beside
packets simulated here; and cases of ours that an independent program confirmed by routing every flow.
"""

from __future__ import annotations

from dse.authoring.library.claims import Claim
from dse.models.network.claims.accuracy import accuracy_claims
from dse.models.network.claims.equations import equation_claims
from dse.models.network.claims.misprints import misprint_claims
from dse.models.network.claims.neighbours import neighbour_claims
from dse.models.network.claims.paths import path_claims
from dse.models.network.claims.reference_cases import reference_claims
from dse.models.network.claims.simulated_here import simulated_claims
from dse.models.network.claims.whole_machines import configuration_claims

__all__ = ["claims"]


def claims() -> list[Claim]:
    """Return every published figure and formula of networks, with what the models give."""
    return [
        *equation_claims(),
        *neighbour_claims(),
        *path_claims(),
        *misprint_claims(),
        *configuration_claims(),
        *accuracy_claims(),
        *reference_claims(),
        *simulated_claims(),
    ]
