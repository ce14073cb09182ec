"""The messages of a process, as its profile counted them.

A study names it beside the model `system`: ``models = [..., "system", "system.profiled_messages"]``, with the profile
under ``[tables]``. A profile holds for the number of processes it was taken with: designs of other numbers are excluded
(`as_recorded`), and counted as such. Profiles
whose tool counted posted receive buffers instead of the bytes received (Anghel 2017, Section 3.5.4) have too large
messages: what was sent is taken where the profile has it.

A histogram of sizes (``comm.p2p.sizes``) fills the slot ``message_sizes``. Eq. 6.4 is linear in messages and bytes, so
serial messages take the same time with and without it. Sizes decide above `eager_limit`, and of pipelined messages,
which start after their bytes or after the gap, whichever is longer. All messages of a bin have its mean size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import document_parameter, quantities, quantity
from dse.authoring.declare.requirement import requirement
from dse.errors import InputError
from dse.models.sources import ALEXANDROV_1995, ANGHEL_2017
from dse.models.workload.profile.profile import Communication, PointToPoint
from dse.models.workload.profile.reading import read_profile

__all__ = ["as_recorded", "processes_taken", "profile_processes_off", "sent_messages"]

_COUNTED = f"{ANGHEL_2017}, Section 3.5: messages between two processes as profiled"
_HELD = "ours: a profile holds for the number of processes it was taken with"

profile = document_parameter(read=read_profile, doc="Workload profile of a class of processes, with its messages")


@quantities(gives={"messages": "1", "message_size": "B"}, source=_COUNTED, points_only=True)
def profiled_messages(profile, nodes, processes_per_node):
    """Messages a process sends, and their mean size, on machines of as many processes as the profile has."""
    sent, size = sent_messages(profile)
    ones = np.ones(np.broadcast_shapes(np.shape(nodes), np.shape(processes_per_node)))
    return sent * ones, (size / sent if sent else 0.0) * ones


@quantity(unit="1", source=_HELD, points_only=True)
def profile_processes_off(profile, nodes, processes_per_node):
    """How many processes a machine runs more, or less, than the profile was taken with."""
    return np.abs(nodes * processes_per_node - processes_taken(profile))


as_recorded = requirement(
    "profile_processes_off <= 0",
    name="profile",
    source=_HELD,
    doc="a machine has as many processes as the profile was taken with",
)


@quantity(
    unit="1",
    name="handshake_messages",
    source="ours: the messages of the bins whose mean size is above the limit",
    slot="message_sizes",
    provider="profile",
    default=True,
)
def profiled_handshake_messages(profile, eager_limit, leaving_fraction):
    """Messages a process asks for leave to send, by the histogram of the profile."""
    above = sum((np.where(size > eager_limit, count, 0.0) for count, size in _bins(profile)), 0.0 * eager_limit)
    return above * leaving_fraction


@quantity(
    unit="s",
    name="late_start",
    source=f"LogGP ({ALEXANDROV_1995}), in the mean over the bins",
    slot="message_sizes",
    provider="profile",
    default=True,
)
def profiled_late_start(profile, message_overhead, message_gap, effective_bandwidth):
    """Time by which the next message starts later than the bytes of one are out, in the mean over the histogram."""
    begun, bins = np.maximum(message_overhead, message_gap), _bins(profile)
    total = sum(count for count, _ in bins)
    late = (count / total * np.maximum(begun - size / effective_bandwidth, 0.0) for count, size in bins)
    return sum(late, 0.0 * begun)


def _counted(profile: Any) -> PointToPoint:
    communication: Communication | None = profile.only.comm
    if communication is None or communication.p2p is None:
        raise InputError(
            f"the profile '{profile.name}' counts no messages", allowed="a profile with comm.p2p, or messages as a law"
        )
    return communication.p2p


def _bins(profile: Any) -> list[tuple[float, float]]:
    """Return messages and their mean size for each bin that has any; one bin where only the totals are known."""
    counted = _counted(profile)
    bins = [(size_bin.messages, size_bin.bytes) for size_bin in counted.sizes] or [counted.outgoing]
    return [(float(messages), held / messages) for messages, held in bins if messages]


def sent_messages(profile: Any) -> tuple[float, float]:
    """Return messages and bytes that a process sends, else those it receives."""
    messages, held = _counted(profile).outgoing
    return float(messages), float(held)


def processes_taken(profile: Any) -> int:
    """Return with how many processes a profile was taken."""
    taken: int | None = profile.run.processes
    if taken is None:
        raise InputError(
            f"the profile '{profile.name}' does not say how many processes ran", allowed="run.processes in the profile"
        )
    return taken
