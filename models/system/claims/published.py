"""Published figures of whole machines beside what the models give.

Lengths of paths, bandwidths and parts of the measured and studied machines are claims of the family ``network``.
"""

from __future__ import annotations

from dse.authoring.library.claims import Claim
from dse.models.system.claims.accuracy import accuracy_claims
from dse.models.system.claims.graph500 import graph500_claims
from dse.models.system.claims.messages import message_claims
from dse.models.system.claims.paths import path_claims

__all__ = ["claims"]


def claims() -> list[Claim]:
    """Return every published figure of whole machines, with what the models give."""
    return [*graph500_claims(), *message_claims(), *path_claims(), *accuracy_claims()]
