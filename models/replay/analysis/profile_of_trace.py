"""Messages and collective operations of a trace, put into a workload profile.

A profile counts what a process receives. Events hold s: an allgather or alltoall receives P s, the root of a gather
P s, that of a reduce s, all but the root of a bcast s; a trace keeps no roots, so rank 0 counts as the root.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dse.errors import InputError
from dse.models.replay.network.patterns import classify
from dse.models.replay.network.traffic import sizes_in_powers, traffic_of
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import IRECV, ISEND, OPERATIONS, RECV, SEND
from dse.models.workload.profile.profile import (
    Collective,
    Communication,
    Peer,
    PointToPoint,
    ProcessClass,
    SizeBin,
    WorkloadProfile,
)

__all__ = ["communication_of", "merged", "rank_classes"]


def communication_of(trace: Trace, rank: int, pattern: str) -> Communication:
    """Return what one rank sends and receives."""
    own = slice(int(trace.first[rank]), int(trace.first[rank + 1]))
    kind = trace.kind[own]
    sent = trace.bytes[own][(kind == SEND) | (kind == ISEND)]
    receives = np.flatnonzero((kind == RECV) | (kind == IRECV)) + own.start
    got = trace.bytes[trace.partner[receives]]
    offset, of_peer = np.unique((trace.peer[receives] - rank) % trace.ranks, return_inverse=True)
    count, held = np.bincount(of_peer, minlength=len(offset)), np.bincount(of_peer, got, minlength=len(offset))
    peers = tuple(Peer(*(int(value) for value in row)) for row in zip(offset, count, held, strict=True))
    whole = np.floor(sent)
    sizes = tuple(SizeBin(*(int(value) for value in row)) for row in sizes_in_powers(whole))
    messages = PointToPoint(
        messages=len(receives),
        bytes=int(got.sum()),
        sent_messages=len(sent),
        sent_bytes=int(whole.sum()),
        pattern=pattern,
        peers=peers,
        sizes=sizes,
    )
    return Communication(messages, _collectives(trace, rank))


def _collectives(trace: Trace, rank: int) -> Mapping[str, Collective]:
    collectives = {}
    _, which, held = trace.collectives
    for number in np.unique(which).tolist():
        name, sizes = OPERATIONS[number], held[which == number]
        collectives[name] = Collective(len(sizes), int(sizes.sum() * _received(name, trace.ranks, rank == 0)))
    return collectives


def _received(name: str, ranks: int, is_root: bool) -> float:
    """Return the bytes that a rank receives, in units of s."""
    if name in ("allgather", "alltoall"):
        return float(ranks)
    if name == "gather":
        return float(ranks * is_root)
    if name == "reduce":
        return float(is_root)
    if name == "bcast":
        return float(not is_root)
    return 0.0 if name == "barrier" else 1.0


def rank_classes(trace: Trace) -> list[tuple[int, int, Communication]]:
    """Return classes of ranks with equal counts: first rank, ranks, communication."""
    pattern = classify(traffic_of(trace)).name
    classes: dict[str, tuple[int, int, Communication]] = {}
    for rank in range(trace.ranks):
        communication = communication_of(trace, rank, pattern)
        key = repr(communication)
        first, members, _ = classes.get(key, (rank, 0, communication))
        classes[key] = (first, members + 1, communication)
    return list(classes.values())


def merged(trace: Trace, profile: WorkloadProfile) -> WorkloadProfile:
    """Return a profile with the messages and collectives of a trace.

    Parameters
    ----------
    trace : Trace
    profile : WorkloadProfile
        Of one class, which is split where ranks differ, or of as many classes as the ranks have, of the same sizes.

    Raises
    ------
    InputError
        A profile of another number of processes, or of other classes.
    """
    taken = profile.run.processes
    if taken not in (None, 1, trace.ranks):
        raise InputError(
            f"the profile '{profile.name}' has {taken} processes, and the trace {trace.ranks} ranks",
            allowed=f"a profile of {trace.ranks} processes, or of one",
        )
    classes = rank_classes(trace)
    own = list(profile.classes)
    if len(own) == 1:
        names = [own[0].name] if len(classes) == 1 else [f"{own[0].name}-{first}" for first, _, _ in classes]
        made = [_with(own[0], *rank_class, name=name) for rank_class, name in zip(classes, names, strict=True)]
    elif [item.members for item in own] == [members for _, members, _ in classes]:
        made = [_with(given, *rank_class, name=given.name) for given, rank_class in zip(own, classes, strict=True)]
    else:
        sizes = ", ".join(str(members) for _, members, _ in classes)
        raise InputError(
            f"the profile '{profile.name}' has {len(own)} classes",
            allowed=f"one class, or classes of {sizes} processes: ranks with equal counts",
        )
    run = replace(profile.run, processes=trace.ranks)
    synthetic = profile.synthetic or trace.synthetic
    return replace(profile, classes=tuple(made), run=run, synthetic=synthetic)


def _with(given: ProcessClass, first: int, members: int, communication: Communication, *, name: str) -> ProcessClass:
    return replace(given, name=name, members=members, comm=communication)
