"""The threads of a design of a study, as the graph of the study once more with shares and latency open.

What threads that run together do to one another is a fixed point, and takes their cycles at many shares and latencies;
so the graph is evaluated again and again, from the same quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, quantity
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.processor.sharing.open_graph import OpenGraph, open_graph
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["MACHINE", "on_machine", "thread_of"]

_SOURCE = "the study"
_ELSEWHERE = ("cores", "reorder_buffer", "l3_latency", "dram_latency")

MACHINE = (
    *(name for name in PARAMETER_OF if name not in _ELSEWHERE),
    *("l3_latency", "dram_latency", "cache_line", "in_order", "reorder_entries", "events_interact"),
    *("l1_lines_per_set", "l2_lines_per_set", "l3_lines_per_set"),
)
"""Quantities that make a machine."""

_MARKS = {"window_mismatch": 0.0, "line_mismatch": 1.0, "l3_share_over_private": 1.0, "latency_out_of_order": 0.0}
_WANTED = (
    *("cycles_per_instruction", "instructions", "float_operations"),
    *("l3_hit_fraction", "l3_accesses", "dram_accesses"),
)


@quantity(unit="1", source=_SOURCE, name="reorder_entries", slot="core_order", provider="out-of-order", default=True)
def entries_of_the_study(reorder_buffer):
    """Entries of the reorder buffer that the core has."""
    return reorder_buffer * 1.0


@quantity(unit="1", source=_SOURCE, name="reorder_entries", slot="core_order", provider="in-order")
def no_entries():
    """Entries of the reorder buffer that the core has: none."""
    return np.zeros(1)


@quantity(unit="1", source=_SOURCE, slot="processor_model", provider="interaction", default=True)
def events_interact():
    """1: events overlap and bandwidths bound them, which threads that run together need."""
    return np.ones(1)


@lru_cache
def _graph(core_order: str, memory: str) -> OpenGraph:
    """Return the graph of a thread, its marks left out: they are those of the study."""
    names = ("profile", "branch_miss_estimate", "reorder_buffer", *MACHINE, *_MARKS)
    names += ("l3_share", "dram_bandwidth_share", memory)
    use = {"core_order": core_order, "processor_model": "interaction", "dram_queueing": "queueing"}
    graph = open_graph(_WANTED, names, use, source=_SOURCE)
    return graph.filled({name: np.array(value) for name, value in _MARKS.items()})


def thread_of(
    profile: WorkloadProfile, branch_miss_estimate: Any, values: Mapping[str, Any], memory: str = "dram_utilisation"
) -> OpenGraph:
    """Return what the machines of a study make of a program, with the shares of the thread open.

    Parameters
    ----------
    profile : WorkloadProfile
    branch_miss_estimate : float or array
        Mispredictions per control instruction before the factor of the machine.
    values : mapping of str to array
        By the names of `MACHINE`.
    memory : str
        The quantity of the memory in use that is open, too.
    """
    machine = {name: values[name] for name in MACHINE} | {"reorder_buffer": values["reorder_entries"]}
    graph = _graph("in-order" if np.any(values["in_order"]) else "out-of-order", memory)
    return graph.filled({**machine, "profile": profile, "branch_miss_estimate": branch_miss_estimate})


def on_machine(function: Callable[[Mapping[str, Any]], Any], needs: Sequence[str], **rest: Any) -> ModelFunction:
    """Return a model function of the quantities of a machine and of others.

    Parameters
    ----------
    function : callable
        Of all these by name.
    needs : sequence of str
        The others.
    **rest
        Further attributes of the `ModelFunction`.
    """
    every = (*needs, *MACHINE)

    def called(*given: Any) -> Any:
        values: dict[str, Any] = {}
        for name, value in zip(every, given, strict=True):
            if isinstance(value, np.ndarray):
                values[name] = np.asarray(value, dtype=float)
            elif isinstance(value, WorkloadProfile):
                values[name] = value
            else:  # derivatives and ranges would get lost in the steps of an iteration
                raise TypeError(f"'{name}' is a {type(value).__name__}: points only")
        with np.errstate(divide="ignore", invalid="ignore"):
            return function(values)

    return ModelFunction(function=called, needs=every, points_only=True, **rest)
