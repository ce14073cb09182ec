"""The replay of a trace: on a network, without its delay, without any order, or at no cost at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError, shown
from dse.models.replay.network.network import Network, network_of
from dse.models.replay.timing.evaluation import node_times
from dse.models.replay.timing.operation_times import operation_times
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COMPUTE, IRECV, RECV

__all__ = ["MODES", "Replay", "compute_seconds", "replay", "replays"]

MODES = ("modelled", "zero-delay", "unordered", "ideal", "measured")


@dataclass(frozen=True, eq=False)
class Replay:
    """When the ranks of a run are done.

    Attributes
    ----------
    mode : str
        One of `MODES`.
    time : float or ndarray
        T, of the last rank [s]; of the shape of the network.
    finish : ndarray, (..., ranks)
        F of each rank [s].
    completion : ndarray, (..., events), optional
        C, the end of each event [s]; none of an unordered run, whose ranks know no common time.
    """

    mode: str
    time: Any
    finish: np.ndarray
    completion: np.ndarray | None = None


def replay(trace: Trace, network: Network | Mapping[str, Any] | None = None, mode: str = "modelled") -> Replay:
    """Replay a trace.

    Parameters
    ----------
    trace : Trace
    network : Network or mapping, optional
        Its values may be arrays of designs; not needed for "measured" and "ideal".
    mode : {"modelled", "zero-delay", "unordered", "ideal", "measured"}
        On the network; with latency 0 and infinite bandwidth, where every receive still waits for its send; every rank
        for itself, computes and overheads alone; as without delay, and no overheads; the times of the trace.

    Returns
    -------
    Replay

    Raises
    ------
    Deadlock
        Events wait for one another in a circle.
    InputError
        An unknown mode, a network that is missing or wrong, no measured times.

    Notes
    -----
    A message of s bytes leaves its interface at ``I = max(C, I') + s/B`` after its send is done at ``C = C' + o`` and
    the message before it at I'; a receive is done at ``max(C', I + L) + o_r``. A blocking send above `eager_limit`
    waits for its receive: ``C = I = max(max(C' + o + L, post) + L, I') + s/B``. All ranks leave a collective at the
    latest arrival plus T_op. There is no contention between messages of different ranks.

    Examples
    --------
    >>> from dse.models.replay import Network, trace_of_rows
    >>> there = [{"rank": 0, "kind": "send", "peer": 1, "bytes": 1000}, {"rank": 0, "kind": "recv", "peer": 1}]
    >>> back = [{"rank": 1, "kind": "recv", "peer": 0}, {"rank": 1, "kind": "send", "peer": 0, "bytes": 1000}]
    >>> round(replay(trace_of_rows(there + back), Network(2e-6, 0.5e-6, 10e9)).time * 1e6, 9)
    6.2
    """
    mode = mode.replace("_", "-")
    if mode not in MODES:
        raise InputError(f"unknown mode '{mode}'", key="mode", allowed=MODES, wrong=mode, candidates=MODES)
    return replays(trace, network, (mode,))[mode]


def replays(
    trace: Trace, network: Network | Mapping[str, Any] | None, modes: tuple[str, ...] = MODES[:-1]
) -> dict[str, Replay]:
    """Replay a trace in several modes at once, as `replay` in one."""
    net = None if network is None else network_of(network)
    replayed: dict[str, Replay] = {}
    for mode in modes:
        if mode == "measured":
            replayed[mode] = _measured(trace)
            continue
        _refuse_one_sided(trace, mode)
        if net is None and mode != "ideal":
            raise InputError("no network", key="network", allowed="latency, overhead and bandwidth")
        given = net if net is not None else Network(0.0, 0.0, np.inf)
        if mode == "unordered":
            replayed[mode] = _unordered(trace, given)
        elif mode == "zero-delay":
            replayed[mode] = _ordered(trace, given.without_delay(), mode)
        else:
            replayed[mode] = _ordered(trace, given.ideal() if mode == "ideal" else given, mode)
    return replayed


def _ordered(trace: Trace, network: Network, mode: str) -> Replay:
    shape = network.shape
    # One design is evaluated as a single network, and gets the bits it has alone.
    flat = network if not shape else _flat(network)
    times = node_times(trace, flat)[: trace.events]
    completion = np.moveaxis(times, 0, -1).reshape(*shape, trace.events)
    finish = completion[..., trace.first[1:] - 1]
    return Replay(mode, _plain(finish.max(axis=-1)), finish, completion)


def _flat(network: Network) -> Network:
    names = ("latency", "overhead", "receiver_overhead", "bandwidth")
    spread = {name: np.broadcast_to(getattr(network, name), network.shape).reshape(-1) for name in names}
    return network.with_(**spread)


def _plain(value: np.ndarray) -> Any:
    return float(value) if np.ndim(value) == 0 else value


def compute_seconds(trace: Trace) -> np.ndarray:
    """Return the seconds each rank computes."""
    return np.bincount(trace.rank, weights=trace.seconds * (trace.kind == COMPUTE), minlength=trace.ranks)


def _unordered(trace: Trace, network: Network) -> Replay:
    """Return the computes of each rank, o for each send, o_r for each receive, and collectives without delay.

    They are added one by one in the order of the rank, as along a path: so rounding never makes it the longer one.
    """
    shape = network.shape
    flat = _flat(network) if shape else network
    together = operation_times(trace.collectives, trace.ranks, flat.without_delay())
    requests = trace.requests
    completed = np.bincount(requests.closed[trace.kind[requests.made] == IRECV], minlength=trace.events)
    completed[trace.kind == RECV] = 1
    sends = np.zeros(trace.events, dtype=bool)
    sends[trace.sends] = True
    operation = np.full(trace.events, -1)
    operation[trace.collectives.members] = np.arange(len(together))[:, None]
    finish = np.empty((trace.ranks, *flat.shape))
    for rank in range(trace.ranks):
        own = slice(trace.first[rank], trace.first[rank + 1])
        events = np.repeat(np.arange(own.start, own.stop), np.maximum(completed[own], 1))
        added = np.zeros((len(events), *flat.shape))
        added[sends[events]] = flat.overhead
        added[completed[events] > 0] = flat.receiver_overhead
        met = operation[events] >= 0
        added[met] = together[operation[events[met]]]
        seconds = np.where(trace.kind[events] == COMPUTE, trace.seconds[events], 0.0)
        added += seconds.reshape(-1, *(1 for _ in flat.shape))
        finish[rank] = np.cumsum(added, axis=0)[-1]
    finish = np.moveaxis(finish, 0, -1).reshape(*shape, trace.ranks)
    return Replay("unordered", _plain(finish.max(axis=-1)), finish)


def _refuse_one_sided(trace: Trace, mode: str) -> None:
    if not isinstance(trace, Trace):
        raise InputError(f"the trace is {shown(trace)}", key="trace", allowed="a Trace, as read_trace gives it")
    if trace.one_sided.size:
        event = int(trace.one_sided[0])
        raise InputError(
            f"{trace.what(event)}: no replay ({mode}) knows when a target serves a one-sided call",
            key=trace.place(event),
            allowed="the mode 'measured', and dse trace waits",
        )


def _measured(trace: Trace) -> Replay:
    if not trace.is_measured:
        event = int(np.flatnonzero(np.isnan(trace.enter) | np.isnan(trace.exit))[0])
        raise InputError("no measured times", key=trace.place(event), allowed="enter and exit of every event")
    begin, end = trace.enter[trace.first[:-1]], trace.exit[trace.first[1:] - 1]
    finish = end - begin
    return Replay("measured", float(finish.max()), finish, trace.exit - float(begin.min()))
