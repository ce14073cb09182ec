"""Collective operations as quantities of a study: a slot for each operation, and what it costs by the algorithm in it.

The slot ``collective_algorithm_<operation>`` takes the name of an algorithm, or ``best``, ``best_energy`` or
``best_memory``; ``<operation>_choice`` is the number of the algorithm that is taken, its place in `ALGORITHMS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantity
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.algorithms.registry import ALGORITHMS, COLLECTIVES
from dse.models.collectives.costs.best import best
from dse.models.collectives.costs.cost import Cost, cost
from dse.models.sources import HOEFLER_2014

__all__ = ["BEST", "NAMES", "NETWORK", "Names", "operation_functions"]

BEST = {"best": "time", "best_energy": "energy", "best_memory": "memory"}
"""Components that choose among all algorithms, and what each makes least."""


class Names(NamedTuple):
    """The slot of an operation and the quantities of it."""

    slot: str
    time: str
    messages: str
    moved_bytes: str
    descriptors: str
    choice: str
    dynamic_energy: str
    static_energy: str
    energy: str
    memory: str


NAMES: dict[str, Names] = {
    "barrier": Names(
        "collective_algorithm_barrier",
        "barrier_time",
        "barrier_messages",
        "barrier_moved_bytes",
        "barrier_descriptors",
        "barrier_choice",
        "barrier_dynamic_energy",
        "barrier_static_energy",
        "barrier_energy",
        "barrier_memory",
    ),
    "bcast": Names(
        "collective_algorithm_bcast",
        "bcast_time",
        "bcast_messages",
        "bcast_moved_bytes",
        "bcast_descriptors",
        "bcast_choice",
        "bcast_dynamic_energy",
        "bcast_static_energy",
        "bcast_energy",
        "bcast_memory",
    ),
    "reduce": Names(
        "collective_algorithm_reduce",
        "reduce_time",
        "reduce_messages",
        "reduce_moved_bytes",
        "reduce_descriptors",
        "reduce_choice",
        "reduce_dynamic_energy",
        "reduce_static_energy",
        "reduce_energy",
        "reduce_memory",
    ),
    "allreduce": Names(
        "collective_algorithm_allreduce",
        "allreduce_time",
        "allreduce_messages",
        "allreduce_moved_bytes",
        "allreduce_descriptors",
        "allreduce_choice",
        "allreduce_dynamic_energy",
        "allreduce_static_energy",
        "allreduce_energy",
        "allreduce_memory",
    ),
    "scan": Names(
        "collective_algorithm_scan",
        "scan_time",
        "scan_messages",
        "scan_moved_bytes",
        "scan_descriptors",
        "scan_choice",
        "scan_dynamic_energy",
        "scan_static_energy",
        "scan_energy",
        "scan_memory",
    ),
    "exscan": Names(
        "collective_algorithm_exscan",
        "exscan_time",
        "exscan_messages",
        "exscan_moved_bytes",
        "exscan_descriptors",
        "exscan_choice",
        "exscan_dynamic_energy",
        "exscan_static_energy",
        "exscan_energy",
        "exscan_memory",
    ),
    "gather": Names(
        "collective_algorithm_gather",
        "gather_time",
        "gather_messages",
        "gather_moved_bytes",
        "gather_descriptors",
        "gather_choice",
        "gather_dynamic_energy",
        "gather_static_energy",
        "gather_energy",
        "gather_memory",
    ),
    "scatter": Names(
        "collective_algorithm_scatter",
        "scatter_time",
        "scatter_messages",
        "scatter_moved_bytes",
        "scatter_descriptors",
        "scatter_choice",
        "scatter_dynamic_energy",
        "scatter_static_energy",
        "scatter_energy",
        "scatter_memory",
    ),
    "allgather": Names(
        "collective_algorithm_allgather",
        "allgather_time",
        "allgather_messages",
        "allgather_moved_bytes",
        "allgather_descriptors",
        "allgather_choice",
        "allgather_dynamic_energy",
        "allgather_static_energy",
        "allgather_energy",
        "allgather_memory",
    ),
    "alltoall": Names(
        "collective_algorithm_alltoall",
        "alltoall_time",
        "alltoall_messages",
        "alltoall_moved_bytes",
        "alltoall_descriptors",
        "alltoall_choice",
        "alltoall_dynamic_energy",
        "alltoall_static_energy",
        "alltoall_energy",
        "alltoall_memory",
    ),
    "reduce_scatter": Names(
        "collective_algorithm_reduce_scatter",
        "reduce_scatter_time",
        "reduce_scatter_messages",
        "reduce_scatter_moved_bytes",
        "reduce_scatter_descriptors",
        "reduce_scatter_choice",
        "reduce_scatter_dynamic_energy",
        "reduce_scatter_static_energy",
        "reduce_scatter_energy",
        "reduce_scatter_memory",
    ),
}
"""All names, by operation."""

_SOURCE = f"{HOEFLER_2014}, Sections 3.1 and 3.2; corrections and extensions of this family checked by simulation"


@quantity(
    unit="1",
    source=f"{HOEFLER_2014}, Section 2, with the interfaces of all processes",
    slot="collective_static_power",
    provider="per-process",
    default=True,
    name="collective_interfaces",
)
def all_interfaces(collective_processes):
    """Network interfaces whose static power counts: one for each process."""
    return collective_processes * 1.0


@quantity(
    unit="1",
    source=f"{HOEFLER_2014}, Section 4.2: 0.5 W in all",
    slot="collective_static_power",
    provider="single",
    name="collective_interfaces",
)
def single_interface(collective_processes):
    """Network interfaces whose static power counts: a single one, as printed."""
    return collective_processes * 0.0 + 1.0


def operation_functions() -> dict[str, ModelFunction]:
    """Return the functions of all operations: a component for each algorithm, and the sums of energy and memory."""
    functions = [
        function
        for collective, names in NAMES.items()
        for function in (*_components(collective, names), *_totals(names))
    ]
    return {function.name: function for function in functions}


_ASKED = ("collective_processes", "collective_message_size")
NETWORK = (
    "loggp_latency",
    "loggp_overhead",
    "loggp_receiver_overhead",
    "loggp_gap",
    "loggp_byte_time",
    "loggp_reduction_time",
)
"""Of a network, what the time of an operation depends on."""

_TUNING = {"": (), "arity": ("collective_arity",), "pieces": ("collective_pieces",)}
_PRICES = (
    "collective_memory_cap",
    "loggp_message_energy",
    "loggp_byte_energy",
    "loggp_static_power",
    "loggp_descriptor_size",
    "collective_interfaces",
)


def _components(collective: str, names: Names) -> list[ModelFunction]:
    gives = {names.time: "s", names.messages: "1", names.moved_bytes: "B", names.descriptors: "1", names.choice: "1"}
    results = "Time, messages, bytes, descriptors and the number of the algorithm"
    functions: list[ModelFunction] = []
    for name in (*BEST, *COLLECTIVES[collective]):
        chosen = name in BEST
        if chosen:
            needs: tuple[str, ...] = (*_ASKED, *NETWORK, *_PRICES)
            function = _chosen(collective, BEST[name])
            words = f"{results} whose {BEST[name]} is least."
        else:
            tuned = COLLECTIVES[collective][name].tuned
            needs = (*_ASKED, *NETWORK, *_TUNING[tuned])
            function = _by_name(collective, name, tuned)
            words = f"{results}: {name}, for {COLLECTIVES[collective][name].defined} of processes."
        functions.append(
            ModelFunction(
                name=f"{collective}_by_{name}",
                function=function,
                needs=needs,
                gives=gives,
                source=_SOURCE,
                doc=words,
                slot=names.slot,
                provider=name,
                default=name == "best",
                points_only=True,
                module="collectives.quantities",
            )
        )
    return functions


def _network(values: tuple[np.ndarray, ...], **prices: np.ndarray | float) -> LogGP:
    latency, overhead, receiver_overhead, gap, byte_time, reduction_time = values
    return LogGP(
        latency=latency,
        overhead=overhead,
        receiver_overhead=receiver_overhead,
        gap=gap,
        byte_time=byte_time,
        reduction_time=reduction_time,
        **prices,
    )


def _size(collective: str, message_size: np.ndarray) -> np.ndarray:
    """Return the bytes of a message; a barrier carries nothing, whatever the size of other operations."""
    return message_size * 0.0 if collective == "barrier" else message_size


def _parts(price: Cost) -> tuple[np.ndarray, ...]:
    """Return what a component gives; descriptors are the memory of descriptors of one byte."""
    numbers = np.zeros(price.algorithm.shape)
    for number, name in enumerate(ALGORITHMS):
        numbers = np.where(price.algorithm == name, float(number), numbers)
    return price.time, price.messages, price.bytes, price.memory, numbers


def _by_name(collective: str, name: str, tuned: str) -> Callable[..., tuple[np.ndarray, ...]]:
    """Return a component that is one algorithm."""

    def component(processes: np.ndarray, message_size: np.ndarray, *rest: np.ndarray) -> tuple[np.ndarray, ...]:
        net = _network(rest[:6], descriptor_size=1.0)
        size = _size(collective, message_size)
        if tuned == "arity":
            return _parts(cost(name, collective, processes, size, net, arity=rest[6]))
        if tuned != "pieces":
            return _parts(cost(name, collective, processes, size, net))
        fixed = np.asarray(rest[6])
        given = _parts(cost(name, collective, processes, size, net, pieces=np.maximum(fixed, 1)))
        if (fixed > 0).all():
            return given
        fastest = _parts(cost(name, collective, processes, size, net))
        return tuple(np.where(fixed > 0, *pair) for pair in zip(given, fastest, strict=True))

    return component


def _chosen(collective: str, metric: str) -> Callable[..., tuple[np.ndarray, ...]]:
    """Return a component that is the best algorithm by a metric."""

    def component(processes: np.ndarray, message_size: np.ndarray, *rest: np.ndarray) -> tuple[np.ndarray, ...]:
        cap, message_energy, byte_energy, static_power, descriptor_size, interfaces = rest[6:]
        # The interfaces that count are one here, of the power of all of them.
        net = _network(
            rest[:6],
            descriptor_size=1.0,
            message_energy=message_energy,
            byte_energy=byte_energy,
            static_power=static_power * interfaces,
        )
        room = np.where(descriptor_size > 0, cap / np.where(descriptor_size > 0, descriptor_size, 1.0), np.inf)
        return _parts(
            best(
                collective,
                processes,
                _size(collective, message_size),
                net,
                metric=metric,
                memory_cap=room,
                static_scope="single",
            )
        )

    return component


def _totals(names: Names) -> list[ModelFunction]:
    """Return energy and memory of an operation, which have range forms."""
    energies = (names.dynamic_energy, names.static_energy)
    prices = ("loggp_message_energy", "loggp_byte_energy")
    return [
        _total(
            names.dynamic_energy,
            (names.messages, names.moved_bytes, *prices),
            "J",
            _dynamic_energy,
            "Dynamic energy: a price for each message and one for each byte.",
        ),
        _total(
            names.static_energy,
            (names.time, "loggp_static_power", "collective_interfaces"),
            "J",
            _static_energy,
            "Static energy of the interfaces that count, over the time.",
        ),
        _total(names.energy, energies, "J", _sum, "Dynamic and static energy.", sum_of=energies),
        _total(
            names.memory,
            (names.descriptors, "loggp_descriptor_size"),
            "B",
            _product,
            "Memory of the offload descriptors of the process with the most.",
        ),
    ]


def _total(
    name: str,
    needs: tuple[str, ...],
    unit: str,
    function: Callable[..., np.ndarray],
    doc: str,
    sum_of: tuple[str, ...] = (),
) -> ModelFunction:
    return ModelFunction(
        name=name,
        function=function,
        needs=needs,
        gives={name: unit},
        source=f"{HOEFLER_2014}, Section 2",
        doc=doc,
        sum_of=sum_of,
        module="collectives.quantities",
    )


def _dynamic_energy(messages, moved_bytes, message_energy, byte_energy):
    return messages * message_energy + moved_bytes * byte_energy


def _static_energy(time, static_power, interfaces):
    return static_power * (interfaces * time)


def _sum(dynamic_energy, static_energy):
    return dynamic_energy + static_energy


def _product(descriptors, descriptor_size):
    return descriptors * descriptor_size
