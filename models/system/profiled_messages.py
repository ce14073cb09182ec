"""The messages of a process, as its profile counted them.

A study names it beside the model `system`: ``models = [..., "system", "system.profiled_messages"]``, with the profile
under ``[tables]``. A profile holds for the number of processes it was taken with; other machines are refused. Profiles
whose tool counted posted receive buffers instead of the bytes received (Anghel 2017, Section 3.5.4) have too large
messages: what was sent is taken where the profile has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declaration import document_parameter, quantities
from dse.errors import InputError
from dse.models.sources import ANGHEL_2017
from dse.models.workload.reading import read_profile

__all__: list[str] = []

_COUNTED = f"{ANGHEL_2017}, Section 3.5: messages between two processes as profiled"

profile = document_parameter(read=read_profile, doc="Workload profile of a class of processes, with its messages")


@quantities(gives={"messages": "1", "message_size": "B"}, source=_COUNTED, points_only=True)
def profiled_messages(profile, nodes):
    """Messages a process sends, and their mean size, on machines of as many nodes as the profile has processes."""
    sent, size = _sent(profile)
    _refuse_others(profile, np.asarray(nodes))
    one = np.ones(np.shape(nodes))
    return sent * one, (size / sent if sent else 0.0) * one


def _sent(profile: Any) -> tuple[float, float]:
    """Return messages and bytes that a process sends, else those it receives."""
    found = profile.only.comm
    if found is None or found.p2p is None:
        raise InputError(
            f"the profile '{profile.name}' counts no messages", allowed="a profile with comm.p2p, or messages as a law"
        )
    counted = found.p2p
    if counted.sent_messages is None or counted.sent_bytes is None:
        return float(counted.messages), float(counted.bytes)
    return float(counted.sent_messages), float(counted.sent_bytes)


def _refuse_others(profile: Any, nodes: np.ndarray) -> None:
    """Refuse machines of another size than the profile was taken on."""
    taken = profile.run.processes
    if taken is None:
        raise InputError(
            f"the profile '{profile.name}' does not say how many processes ran", allowed="run.processes in the profile"
        )
    wrong = nodes[nodes != taken]
    if wrong.size:
        raise InputError(
            f"the profile '{profile.name}' was taken with {taken} processes, and a machine of the space has "
            f"{wrong.flat[0]:.12g} nodes",
            allowed=f"machines of {taken} nodes, or messages as a law of the number of processes",
        )
