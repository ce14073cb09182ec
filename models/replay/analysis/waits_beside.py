"""Waiting times found here beside those that Scalasca found in the same run, rank by rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.replay.analysis.waits import waits_of
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import OPERATIONS

__all__ = ["SCALASCA_WAITS", "WaitBeside", "waits_beside"]

_ROOTED = ("bcast", "scatter", "reduce", "gather", "scan")

SCALASCA_WAITS: dict[str, tuple[str, ...]] = {
    "late sender": ("mpi_latesender",),
    "late receiver": ("mpi_latereceiver",),
    "barrier, n to n": ("mpi_barrier_wait", "mpi_wait_nxn"),
    "to and from a root, scan": ("mpi_latebroadcast", "mpi_earlyreduce", "mpi_earlyscan"),
}
"""Metrics of Scalasca 2, by their unique names, for each kind of waiting [s]."""


class WaitBeside(NamedTuple):
    """A kind of waiting [s].

    Attributes
    ----------
    name : str
    here : ndarray, (ranks,)
        By the measured times of the trace.
    profile : ndarray, (ranks,), or None
        As the profile has it; None where it has none of the metrics.
    """

    name: str
    here: np.ndarray
    profile: np.ndarray | None


def waits_beside(trace: Trace, profile: Mapping[str, np.ndarray], eager_limit: float) -> list[WaitBeside]:
    """Return each kind of waiting, as found here and as in a profile of the same run.

    Parameters
    ----------
    trace : Trace
        With measured times.
    profile : mapping of str to ndarray, (ranks,)
        Metrics of `SCALASCA_WAITS` of each process.
    eager_limit : float
        Blocking sends of more bytes wait for their receive [B].

    Raises
    ------
    InputError
        A trace without times, a profile of other processes or without waiting times.

    Notes
    -----
    Late senders and receivers, barriers and operations n to n are defined alike: until the other, or the last, enters.
    Scalasca counts of a bcast and a scatter what the others wait for the root, of a reduce and a gather what the root
    waits for the first, of a scan what a rank waits for those before it; here each waits for the last of all.
    """
    if not trace.is_measured:
        raise InputError("has no measured times", key="--cube", allowed="a trace with enter and exit of each event")
    if not any(name in profile for names in SCALASCA_WAITS.values() for name in names):
        allowed = [name for names in SCALASCA_WAITS.values() for name in names]
        raise InputError("the profile has no waiting times", key="--cube", allowed=allowed)
    for name, of_process in profile.items():
        if len(of_process) != trace.ranks:
            raise InputError(
                f"{name} of {len(of_process)} processes", key="--cube", allowed=f"those of {trace.ranks} ranks"
            )
    waits = waits_of(trace, trace.enter, trace.exit, 0.0, eager_limit)
    members = trace.collectives.members
    rooted = np.isin(trace.collectives.operation, [OPERATIONS.index(name) for name in _ROOTED])
    of_roots, of_all = (waits.events[members[chosen]].sum(axis=0) for chosen in (rooted, ~rooted))
    here = (waits.late_sender, waits.late_receiver, of_all, of_roots)
    beside = []
    for (name, metrics), own in zip(SCALASCA_WAITS.items(), here, strict=True):
        there = [profile[metric] for metric in metrics if metric in profile]
        beside.append(WaitBeside(name, own, np.sum(there, axis=0) if there else None))
    return beside
