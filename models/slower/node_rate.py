r"""Instructions per cycle of a node whose cores hide the latency of messages by other tasks: a fixed point.

Between two messages a task keeps its core busy for B = C + nu R + O: its own cycles, nu accesses to the shared memory
that each take R with waiting, and the overhead of the switch to another task. Then it is away for the latency L. So a
core is a server of mean service B for its M tasks, which think for L; and the memory is a server of constant service S
for the n cores, which think for Z = 1/(X nu) - R between two accesses, X being the messages per cycle of a core. R and
X follow from one another.

Here all is per instruction (p B, p L, X / p), which leaves the equations as they are and has a limit for p = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from dse.arithmetic.fixed_point import root_between
from dse.authoring.declare.arguments import refuse_shapes
from dse.errors import InputError, shown
from dse.models.slower.knees import near_knee, near_memory_knee, rate_bound, task_knee
from dse.models.slower.repairman import EXACT_CUSTOMERS, FEW, response_of_few, throughput
from dse.models.slower.work import MOST_CYCLES, Work, check

__all__ = ["CONTENTIONS", "PROTOCOLS", "NodeRate", "gain", "node_rate"]

PROTOCOLS = ("non-blocking", "blocking")
CONTENTIONS = ("slower", "processor")
_ROWS = 2048
_KNEE_ERROR, _ERROR, _SHORT_LATENCY = 0.15, 0.07, 1024.0


@dataclass(frozen=True)
class NodeRate:
    """What a node does, as arrays of one shape.

    Attributes
    ----------
    core_rate, node_rate : ndarray
        Instructions per cycle of a core and of all cores, X/p and n X/p.
    efficiency : ndarray
        `core_rate` times the cycles of an instruction where nothing waits: the product of the next three.
    overhead_efficiency, waiting_efficiency, busy_fraction : ndarray
        What overhead leaves, (C + nu S)/(C + nu S + O); what waiting for the memory leaves of that,
        (C + nu S + O)/(C + nu R + O); and the share of the time a core has a task to run, X B: what latency and
        starvation leave.
    memory_response : ndarray
        Cycles from an access to its answer, R. A diagnostic: it may be low by 15 %, occasionally by half.
    memory_utilisation : ndarray
        Share of the time the shared memory is busy.
    core_rate_bound : ndarray
        What `core_rate` cannot exceed.
    task_knee : ndarray
        Tasks that would just fill the latency, 1 + L/B.
    near_knee : ndarray of bool
        Where the error is largest: few tasks, near `task_knee`; or 4 to 8 cores that the memory can just serve.
    error : ndarray
        Relative error that is to be expected of the rates: 0.15 near the knee and for latencies below 1,024 cycles,
        else 0.07.
    """

    core_rate: np.ndarray
    node_rate: np.ndarray
    efficiency: np.ndarray
    overhead_efficiency: np.ndarray
    waiting_efficiency: np.ndarray
    busy_fraction: np.ndarray
    memory_response: np.ndarray
    memory_utilisation: np.ndarray
    core_rate_bound: np.ndarray
    task_knee: np.ndarray
    near_knee: np.ndarray
    error: np.ndarray


def node_rate(
    work: Work,
    *,
    latency: npt.ArrayLike,
    overhead: npt.ArrayLike = 0.0,
    tasks: npt.ArrayLike = 1,
    cores: npt.ArrayLike = 1,
    protocol: str = "non-blocking",
    contention: str = "slower",
    exact_tasks: int = EXACT_CUSTOMERS,
) -> NodeRate:
    """Return the rate of a node and what it loses where, for one design or for arrays of them.

    Parameters
    ----------
    work : Work
        `work_of_mix` for a mix of instructions, `work_of_thread` for what a processor model gave.
    latency : array_like
        Cycles from sending a message to its answer, L: 0, or from 1 on (seconds times the clock).
    overhead : array_like
        Cycles of a switch to another task, O, paid at every message.
    tasks, cores : array_like
        Tasks per core, M, and cores of the node that share the memory, n.
    protocol : {"non-blocking", "blocking"}
        blocking: a core waits for its message, and has one task and no switches, whatever `tasks` and `overhead` say.
    contention : {"slower", "processor"}
        processor: the work has the waiting for the memory in it already, so R = S.
    exact_tasks : int
        Tasks per core above which Schweitzer's approximation replaces the recursion.

    Returns
    -------
    NodeRate

    Raises
    ------
    InputError
        A value that is impossible, by name.

    Examples
    --------
    >>> mix = work_of_mix(0.08, 0.24)
    >>> found = node_rate(mix, latency=8192, overhead=16, tasks=64, cores=16)
    >>> round(float(found.node_rate), 3)
    1.548
    """
    if not isinstance(work, Work):
        raise InputError(f"'work' is {shown(work)}", allowed="a Work: work_of_mix, work_of_thread or work_on_processor")
    _one_of("protocol", protocol, PROTOCOLS)
    _one_of("contention", contention, CONTENTIONS)
    delay, switch = _latency(latency), check("overhead", overhead, most=MOST_CYCLES)
    many, own = check("tasks", tasks, least=1.0, whole=True), check("cores", cores, least=1.0, whole=True)
    if protocol == "blocking":
        many, switch = np.ones(()), np.zeros(())
    parts = [getattr(work, field.name) for field in fields(work)]
    known = [argument for argument in (*parts, delay, switch, many, own) if argument is not None]
    shape = _shape(work, delay, switch, many, own)
    flat = iter([np.broadcast_to(np.asarray(argument, dtype=float), shape).reshape(-1) for argument in known])
    work = Work(*(next(flat) if part is not None else None for part in parts))
    delay, switch, many, own = flat
    response = work.memory_service_cycles * 1.0
    rate = np.empty_like(response)
    order = np.lexsort([-own, -many])
    for begin in range(0, len(order), _ROWS):
        rows = order[begin : begin + _ROWS]
        piece = _Rows.of(work, rows, delay, switch, many, own, exact_tasks)
        if contention == "slower":
            response[rows] = piece.memory_response()
        rate[rows] = piece.core_rate(response[rows])
    return _described(work, rate, response, delay, switch, many, own, protocol, shape)


def gain(
    work: Work,
    *,
    latency: npt.ArrayLike,
    overhead: npt.ArrayLike,
    tasks: npt.ArrayLike,
    cores: npt.ArrayLike = 1,
    contention: str = "slower",
) -> np.ndarray:
    """Return how much faster many tasks per core are than one that blocks; arguments as of `node_rate`.

    Below 1 where switching does not pay: for one task, and for overheads above the latency. 1 without messages.
    """
    many = node_rate(work, latency=latency, overhead=overhead, tasks=tasks, cores=cores, contention=contention)
    blocking = node_rate(work, latency=latency, cores=cores, protocol="blocking", contention=contention)
    result: np.ndarray = many.core_rate / blocking.core_rate
    return result


@dataclass(frozen=True)
class _Rows:
    """Some designs, those of many tasks first."""

    work: Work
    delay: np.ndarray
    switch: np.ndarray
    tasks: np.ndarray
    cores: np.ndarray
    by_cores: np.ndarray
    exact: int

    @classmethod
    def of(cls, work: Work, rows: np.ndarray, *columns: Any) -> _Rows:
        parts = (getattr(work, field.name) for field in fields(work))
        taken = Work(*(part if part is None else part[rows] for part in parts))
        delay, switch, tasks, cores = (column[rows] for column in columns[:4])
        return cls(taken, delay * taken.messages, switch, tasks, cores, np.argsort(-cores, kind="stable"), columns[4])

    def core_rate(self, response: np.ndarray) -> np.ndarray:
        """Return the instructions per cycle of a core whose memory answers after so many cycles."""
        service = self.work.cycles_with(response, self.switch)
        variation = self.work.variation_with(response, self.switch)
        return throughput(service, self.delay, self.tasks, variation, self.exact)[0]

    def memory_response(self) -> np.ndarray:
        """Return R: what the memory answers with at the rate that R allows, between S and n S."""
        service, accesses = self.work.memory_service_cycles, self.work.memory_accesses
        # A memory that is used so little has no queue in double precision.
        used = accesses * service > _HARDLY * self.work.cycles_per_instruction
        safe, per_access = np.where(used, service, 1.0), np.where(used, accesses, 1.0)
        order, few = self.by_cores, (self.cores > 1.0) & (self.cores <= FEW)

        def excess(response: np.ndarray) -> np.ndarray:
            think = np.maximum(1.0 / (self.core_rate(response) * per_access) - response, 0.0)
            responses = np.empty_like(response)
            responses[order] = throughput(safe[order], think[order], self.cores[order], 0.0, exact=_NO_LIMIT)[1]
            if few.any():
                responses = np.where(few, response_of_few(safe, think, np.minimum(self.cores, FEW)), responses)
            return np.where(used, responses - response, 0.0)

        # Ends apart, also of one core and where the memory is not used: there the answer is the lower one.
        return root_between(excess, service * 1.0, service * self.cores + np.where(used, service, 1.0))


_NO_LIMIT = 2**62
_HARDLY = 1e-30


def _described(
    work: Work,
    rate: np.ndarray,
    response: np.ndarray,
    delay: np.ndarray,
    switch: np.ndarray,
    tasks: np.ndarray,
    cores: np.ndarray,
    protocol: str,
    shape: tuple[int, ...],
) -> NodeRate:
    service, p = work.memory_service_cycles, work.messages
    alone, with_overhead = work.cycles_per_instruction, work.cycles_with(service, switch)
    busy = work.cycles_with(response, switch)
    knee = task_knee(work, delay, switch, response)
    close = near_knee(tasks, knee) & (protocol == "non-blocking") & (p > 0.0)
    accesses = rate * work.memory_accesses
    between = np.divide(1.0, accesses, out=np.full_like(rate, np.inf), where=accesses > 1e-300)
    close |= near_memory_knee(cores, cores * service / np.maximum(between - response + service, service))
    described = {
        "core_rate": rate,
        "node_rate": cores * rate,
        "efficiency": rate * alone,
        "overhead_efficiency": alone / with_overhead,
        "waiting_efficiency": with_overhead / busy,
        "busy_fraction": np.minimum(rate * busy, 1.0),
        "memory_response": response,
        "memory_utilisation": cores * rate * work.memory_accesses * service,
        "core_rate_bound": rate_bound(work, delay, switch, tasks, cores),
        "task_knee": knee,
        "near_knee": close,
        "error": np.where(close | (delay < _SHORT_LATENCY), _KNEE_ERROR, _ERROR),
    }
    return NodeRate(**{name: values.reshape(shape) for name, values in described.items()})


def _latency(value: npt.ArrayLike) -> np.ndarray:
    delay = check("latency", value, most=MOST_CYCLES)
    seconds = (delay > 0.0) & (delay < 1.0)
    if np.any(seconds):
        raise InputError(
            f"{delay[seconds].flat[0]:g} cycles",
            key="latency",
            allowed="cycles, 0 or from 1 on: a time in seconds times the clock (checked_factors.cycles_at)",
        )
    return delay


def _shape(work: Work, *columns: np.ndarray) -> tuple[int, ...]:
    named = {field.name: getattr(work, field.name) for field in fields(work)}
    named |= dict(zip(("latency", "overhead", "tasks", "cores"), columns, strict=True))
    shapes = {name: np.shape(value) for name, value in named.items() if value is not None}
    refuse_shapes(shapes)
    return np.broadcast_shapes(*shapes.values())


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"unknown {name} {value!r}", key=name, allowed=allowed, wrong=str(value), candidates=allowed)
