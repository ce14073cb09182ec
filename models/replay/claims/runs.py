"""Small runs whose times were worked out by hand and by an event simulation."""

from __future__ import annotations

from typing import Any

from dse.models.replay.network.network import Network
from dse.models.replay.trace.assembling import trace_of_rows
from dse.models.replay.trace.events import Trace

__all__ = ["MICROSECOND", "NETWORK", "RUNS", "deadlocked"]

MICROSECOND = 1e-6
NETWORK = Network(2 * MICROSECOND, 0.5 * MICROSECOND, 10e9, eager_limit=8192, collectives="simple")
_RANKS = 4
_Row = dict[str, Any]


def _c(time: float) -> _Row:
    return {"kind": "compute", "seconds": time * MICROSECOND}


def _send(peer: int, size: float = 1000.0) -> _Row:
    return {"kind": "send", "peer": peer % _RANKS, "bytes": size}


def _recv(peer: int) -> _Row:
    return {"kind": "recv", "peer": peer % _RANKS}


def _isend(peer: int, size: float, request: int) -> _Row:
    return {"kind": "isend", "peer": peer % _RANKS, "bytes": size, "request": request}


def _irecv(peer: int, request: int) -> _Row:
    return {"kind": "irecv", "peer": peer % _RANKS, "request": request}


def _all(operation: str, size: float = 0.0) -> _Row:
    return {"kind": "collective", "op": operation, "bytes": size}


def _trace(*ranks: list[_Row]) -> Trace:
    return trace_of_rows([{"rank": rank, **row} for rank, rows in enumerate(ranks) for row in rows])


_WAITALL = {"kind": "waitall"}


def _ring(rank: int) -> list[_Row]:
    order = [_send(rank + 1), _recv(rank - 1)]
    return order if rank == 0 else order[::-1]


def _stencil(rank: int) -> list[_Row]:
    posted = [_irecv(rank - 1, 0), _irecv(rank + 1, 1), _isend(rank - 1, 1e4, 2), _isend(rank + 1, 1e4, 3)]
    return [_c(10.0 * (rank + 1)), *posted, _WAITALL]


def _alltoall(rank: int) -> list[_Row]:
    posted = [_irecv(rank - step, step) for step in (1, 2, 3)]
    return [*posted, *(_isend(rank + step, 1000.0, 10 + step) for step in (1, 2, 3)), _WAITALL]


def _master() -> list[_Row]:
    return [*(_send(worker) for worker in (1, 2, 3)), *(_recv(worker) for worker in (1, 2, 3))]


def _worker(number: int) -> list[_Row]:
    return [_recv(0), _c(40.0 - 10.0 * number), _send(0, 8.0)]


RUNS: dict[str, Trace] = {
    "ping-pong of 1,000 B": _trace([_send(1), _recv(1)], [_recv(0), _send(0)]),
    "ping-pong of 100,000 B": _trace([_send(1, 1e5), _recv(1)], [_recv(0), _send(0, 1e5)]),
    "ring of 4": _trace(*(_ring(rank) for rank in range(_RANKS))),
    "stencil of 4": _trace(*(_stencil(rank) for rank in range(_RANKS))),
    "master and 3 workers": _trace(_master(), *(_worker(number) for number in (1, 2, 3))),
    "late sender": _trace([_c(100.0), _send(1)], [_c(20.0), _recv(0), _c(10.0)]),
    "late receiver": _trace([_c(20.0), _send(1, 1e5), _c(10.0)], [_c(100.0), _recv(0)]),
    "alltoall of 4 by messages": _trace(*(_alltoall(rank) for rank in range(_RANKS))),
    "alltoall of 4": _trace(*([_c(5.0 * rank), _all("alltoall", 1000.0)] for rank in range(_RANKS))),
    "allreduce and barrier of 4": _trace(
        *([_c(10.0 + k), _all("allreduce", 8.0), _c(14.0 - k), _all("barrier")] for k in range(_RANKS))
    ),
}
"""By name; times are in microseconds there."""


def deadlocked(size: float) -> Trace:
    """Return two ranks that each send before they receive."""
    return _trace([_send(1, size), _recv(1)], [_send(0, size), _recv(0)])
