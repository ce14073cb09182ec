"""Published figures of networks beside what the models give.

The thesis prints formulas and the accuracy it found for them in simulation, but no simulated bandwidth. So the claims
are of five kinds: its formulas, as printed and corrected; its slips; the configurations it measured and studied; its
accuracies, which cannot be recomputed; and cases of ours that an independent program confirmed by routing every flow.
"""

from __future__ import annotations

from dse.authoring.claims import Claim
from dse.models.network._accuracy_claims import accuracy_claims
from dse.models.network._configuration_claims import configuration_claims
from dse.models.network._equation_claims import equation_claims
from dse.models.network._misprint_claims import misprint_claims
from dse.models.network._neighbour_claims import neighbour_claims
from dse.models.network._path_claims import path_claims
from dse.models.network._reference_claims import reference_claims

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
    ]
