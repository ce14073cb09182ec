"""The collective operations of a process, as its profile counted them.

A study names it beside `system.collectives`, with the profile under ``[tables]``; ``dse profile show`` tells which
operations it counts. Calls are those of one process, and bytes what it receives in all of them (``comm.collectives``).
Names are taken without ``MPI_`` and in lower case, variants for blocks of different sizes ("v") as the plain operation
with the mean block. Operations that have no algorithms here, such as those of neighbours, are left out and named in a
warning; ``left_out_collectives`` counts their calls. As with messages, machines of another number of processes than the
profile was taken with are excluded.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantities
from dse.errors import InputError
from dse.models.system.profiled_messages import as_recorded, profile, profile_processes_off
from dse.models.workload.profile.collective_calls import COLLECTIVE_OPERATIONS, CollectiveCalls, collective_calls

__all__ = ["GIVES", "as_recorded", "counted_calls", "profile", "profile_processes_off"]

_COUNTED = "ours: calls of collective operations as profiled"
GIVES = {f"{name}_{part}": unit for name in COLLECTIVE_OPERATIONS for part, unit in (("calls", "1"), ("bytes", "B"))}


@quantities(
    gives={**GIVES, "left_out_collectives": "1"},
    source=_COUNTED,
    points_only=True,
    marks=("left_out_collectives",),
    mark_words={"left_out_collectives": "leave out calls of operations that have no algorithms here"},
)
def profiled_collectives(profile, nodes, processes_per_node, unknown_collective_bytes):
    """Calls of each operation by a process, and what it receives in them; calls of operations that are left out.

    Bytes that the tool does not tell are 0; of a reduce or a gather, those of `unknown_collective_bytes`.
    """
    return counted_calls(profile, nodes * processes_per_node, unknown_collective_bytes)


def counted_calls(profile: Any, processes: np.ndarray, unknown_collective_bytes: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return what `profiled_collectives` gives, of machines of so many processes."""
    operations = _calls(profile)
    ones = np.ones(np.shape(processes))
    results = []
    for name in COLLECTIVE_OPERATIONS:
        calls = operations.counted.get(name)
        count = 0.0 if calls is None else float(calls.count or 0)
        held: float | np.ndarray | None = 0.0 if calls is None else calls.bytes
        if held and not count:
            raise InputError(
                f"the profile '{profile.name}' has {held} bytes of {name} and no calls",
                allowed="count, the calls of a process that receive them",
            )
        if held is None:
            held = 0.0
            if name in ("reduce", "gather"):
                # Elsewhere none stands for unknown; at a root none is what other processes receive.
                blocks = processes if name == "gather" else 1.0
                held = count * unknown_collective_bytes * blocks
        results += [count * ones, held * ones]
    return (*results, sum(operations.left_out.values()) * ones)


def _calls(profile: Any) -> CollectiveCalls:
    counted = profile.only.comm
    operations = collective_calls({} if counted is None else counted.collectives)
    if operations.left_out:
        named = ", ".join(f"{name} ({count} calls)" for name, count in operations.left_out.items())
        warnings.warn(f"the profile '{profile.name}': left out, as they have no algorithms here: {named}", stacklevel=2)
    return operations
