"""Collective operations of a process in the whole machine: calls and bytes of each, their time, energy and messages.

A study names it beside the model `system` and gives, of each operation, ``allreduce_calls`` (calls of one process) and
``allreduce_bytes`` (what one process receives in all of them), or takes them from a profile by
`system.profiled_collectives`. Every call is one of all processes of the machine; its time is by
`collectives.whole_machine`, whose slots choose the algorithms. The time of a process becomes

    Tcomm = messages (Eq. 6.4) + sum over the operations of calls T(s)

with the mean size s = r, r = bytes/calls, of a message: for bcast, allreduce, scan, exscan, scatter and reduce_scatter
r, for allgather and alltoall r/P (r holds the blocks of all), for reduce r and for gather r/P of the class with the
root, which alone receives. An operation whose time is affine in s takes the same with sizes and with their mean; where
the best algorithm, or its pieces, go with the size, the time is concave, and that of the mean an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import Assumption, ModelFunction, assumption, declarations, quantities
from dse.errors import InputError
from dse.models.collectives import whole_machine, whole_machine_pictures
from dse.models.collectives.in_machines.costs import IN_MACHINES
from dse.models.sources import ANGHEL_2017, HOEFLER_2014

__all__ = ["OPERATIONS"]

OPERATIONS = tuple(IN_MACHINES)
"""All collective operations, in the order of the family `collectives`."""

_CLASSES = "process_class"
_AT_ROOT = ("reduce", "gather")
_OF_ALL_BLOCKS = ("allgather", "alltoall", "gather")
_COUNTED = f"{ANGHEL_2017}, Section 3.5: calls of collective operations as profiled"
_COMPOSED = f"{ANGHEL_2017}, Eq. 6.4, with calls of collective operations by {HOEFLER_2014}; ours"
_INSIDE = "ours: messages inside a node are copies in its memory, shared by its processes"

unknown_collective_bytes = assumption(
    8.0,
    unit="B",
    source="ours: one number; tools count calls of some operations without their bytes",
    doc="Size of a message of a collective operation whose calls are counted without bytes",
    minimum=0,
)
collectives_inside_messages = assumption(
    0,
    unit="1",
    source="ours: the messages of a profile are those that the program sends itself",
    doc="Whether messages are counted with those inside collective operations (1), so that these add nothing",
    minimum=0,
    maximum=1,
    integer=True,
)


@quantities(
    gives={"collectives_counted": "1", "collectives_inside": "1"},
    source="ours: what is among the messages already is not counted again",
    marks=("collectives_inside",),
    mark_words={
        "collectives_inside": "have their collective operations among their messages, so that these add nothing"
    },
)
def counted_once(collectives_inside_messages):
    """Whether collective operations are counted (1), or are among the messages already (then the second is 1)."""
    return 1.0 - collectives_inside_messages, collectives_inside_messages * 1.0


@quantities(
    gives={"inside_latency": "s", "inside_byte_time": "s/B"},
    source=_INSIDE,
    slot="node_processes",
    provider="one",
    default=True,
)
def nothing_inside(processes_per_node):
    """Time of a message, and of a byte, between processes of a node: none, as there is one."""
    return processes_per_node * 0.0, processes_per_node * 0.0


@quantities(
    gives={"inside_latency": "s", "inside_byte_time": "s/B"}, source=_INSIDE, slot="node_processes", provider="several"
)
def copies_inside(intra_node_latency, processes_per_node, copy_bandwidth):
    """Time of an empty message between processes of a node, and of a byte when all of them copy at once."""
    return intra_node_latency * 1.0, processes_per_node / copy_bandwidth


def _assumed(collective: str) -> dict[str, Assumption]:
    source = "none: no calls unless a study or a profile has them"
    calls = assumption(0.0, unit="1", source=source, doc=f"Calls of {collective} by a process", minimum=0)
    held = assumption(
        0.0, unit="B", source=source, doc=f"Bytes a process receives in all its calls of {collective}", minimum=0
    )
    return {f"{collective}_calls": calls, f"{collective}_bytes": held}


def _function(name: str, needs: tuple[str, ...], unit: str, function: Callable[..., Any], doc: str, **rest: Any) -> Any:
    return ModelFunction(
        name=name,
        function=function,
        needs=needs,
        gives={name: unit},
        source=rest.pop("source", _COUNTED),
        doc=doc,
        module="system.collectives",
        **rest,
    )


def _refuse_uncalled(collective: str, calls: Any, held: Any) -> None:
    wrong = np.greater(*np.broadcast_arrays(held, 0.0)) & np.equal(calls, 0.0)
    if wrong.any():
        number = np.broadcast_to(held, wrong.shape)[wrong][0]
        raise InputError(
            f"'{collective}_bytes' is {number:.12g} B, and '{collective}_calls' is 0",
            allowed=f"the calls that receive these bytes, or no {collective}_bytes",
        )


def _block_share(collective: str, processes: Any) -> Any:
    return processes if collective in _OF_ALL_BLOCKS else 1.0


def _sizes(collective: str) -> list[ModelFunction]:
    """Return what gives the size of a message of an operation, and where it is assumed."""
    calls, held, size = (f"{collective}_{part}" for part in ("calls", "bytes", "size"))
    if collective == "barrier":
        return [_function(size, (calls,), "B", lambda calls: calls * 0.0, "Size of a message of a barrier: empty.")]
    if collective in _AT_ROOT:
        return _sizes_at_root(collective, calls, held, size)

    def mean(calls: Any, held: Any, processes: Any, unknown: Any) -> tuple[Any, Any]:
        calls, held, processes, unknown = np.broadcast_arrays(calls, held, processes, unknown)
        _refuse_uncalled(collective, calls, held)
        counted = held / np.where(calls > 0.0, calls, 1.0) / _block_share(collective, processes)
        missing = (calls > 0.0) & (held == 0.0)
        return np.where(missing, unknown, counted), 1.0 * missing

    return [
        ModelFunction(
            name=size,
            function=mean,
            needs=(calls, held, "machine_processes", "unknown_collective_bytes"),
            gives={size: "B", f"{size}_assumed": "1"},
            source=_COUNTED,
            doc=f"Mean size of a message of {collective}, s, and where its bytes are not known (then 1).",
            points_only=True,
            marks=(f"{size}_assumed",),
            mark_words={f"{size}_assumed": f"have an assumed size of {collective}, unknown_collective_bytes"},
            module="system.collectives",
        )
    ]


def _sizes_at_root(collective: str, calls: str, held: str, size: str) -> list[ModelFunction]:
    received, largest = f"{collective}_received", f"{collective}_root_size"

    def mean(calls: Any, held: Any, processes: Any) -> Any:
        _refuse_uncalled(collective, calls, held)
        return held / np.where(np.asarray(calls) > 0.0, calls, 1.0) / _block_share(collective, processes)

    def known(calls: Any, largest: Any) -> Any:
        calls, largest = np.broadcast_arrays(calls, largest)
        if ((calls > 0.0) & (largest == 0.0)).any():
            raise InputError(
                f"'{collective}_bytes' is 0 in every class of processes, and '{collective}_calls' is not",
                allowed=f"the bytes that the root of {collective} receives, in the class that it is of",
            )
        return largest * 1.0

    return [
        _function(
            received,
            (calls, held, "machine_processes"),
            "B",
            mean,
            "Block that a process of a class receives in a call.",
            points_only=True,
        ),
        _function(
            largest,
            (received,),
            "B",
            lambda sizes: sizes * 1.0,
            "The same at the root: the largest of all classes.",
            over=_CLASSES,
            by="max",
        ),
        _function(size, (calls, largest), "B", known, f"Mean size of a message of {collective}, s.", points_only=True),
    ]


def _totals(collective: str) -> list[ModelFunction]:
    calls, processes = f"{collective}_calls", "machine_processes"
    return [
        _function(
            f"{collective}_total_time",
            (calls, f"{collective}_time", "collectives_counted"),
            "s",
            lambda calls, time, counted: calls * time * counted,
            f"Time of all calls of {collective} by a process.",
            source=_COMPOSED,
        ),
        _function(
            f"{collective}_total_energy",
            (calls, f"{collective}_energy", processes, "collectives_counted"),
            "J",
            lambda calls, energy, processes, counted: calls * energy / processes * counted,
            f"Energy of all calls of {collective}, the part of one process.",
            source=_COMPOSED,
        ),
        _function(
            f"{collective}_total_messages",
            (calls, f"{collective}_messages", processes, "collectives_counted"),
            "1",
            lambda calls, messages, processes, counted: calls * messages / processes * counted,
            f"Messages of all calls of {collective}, the part of one process.",
            source=_COMPOSED,
        ),
    ]


def _every(part: str, unit: str, doc: str) -> ModelFunction:
    names = tuple(f"{collective}_total_{part}" for collective in OPERATIONS)

    def total(*parts: Any) -> Any:
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    result: ModelFunction = _function(f"collective_{part}", names, unit, total, doc, source=_COMPOSED, sum_of=names)
    return result


def _functions() -> dict[str, Any]:
    functions: dict[str, Any] = {}
    for collective in OPERATIONS:
        functions |= _assumed(collective)
        functions |= {function.name: function for function in (*_sizes(collective), *_totals(collective))}
    totals = (
        _every("time", "s", "Time a process spends in collective operations."),
        _every("energy", "J", "Energy of what collective operations send, the part of one process."),
        _every("messages", "1", "Messages of collective operations, the mean of a process; beside `messages`."),
    )
    return functions | {function.name: function for function in totals}


globals().update(declarations(whole_machine))
globals().update(whole_machine_pictures.collective_pictures())
globals().update(_functions())
