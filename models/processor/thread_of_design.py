"""A machine and its threads as `predict` has them, made of the quantities of a study.

What threads that run together do to one another is a fixed point, and takes their cycles at many shares and latencies;
so it is found with the Python functions, from the same quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declaration import ModelFunction, quantity
from dse.models.processor.behaviour import CORRECTED
from dse.models.processor.contention import Thread
from dse.models.processor.hierarchy import Hierarchy, cache_hierarchy, private_levels
from dse.models.processor.interaction import Cycles, interaction_cycles
from dse.models.processor.machine import Machine
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.processor.program import rates_of
from dse.models.workload.profile import WorkloadProfile

__all__ = ["MACHINE", "machine_of", "on_machine", "thread_of"]

_BEHAVIOUR = replace(CORRECTED, associativity=True, prefetching=False)
_SOURCE = "the study"
_LEVELS = ("l1", "l2", "l3")
_DIRECT = {
    name: parameter
    for name, parameter in PARAMETER_OF.items()
    if name not in ("cores", "reorder_buffer", "l3_latency", "dram_latency")
}

MACHINE = (
    *_DIRECT,
    *("l3_latency", "dram_latency", "cache_line", "in_order", "reorder_entries", "events_interact"),
    *(f"{level}_lines_per_set" for level in _LEVELS),
)
"""Quantities that make a machine."""


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


def machine_of(values: Mapping[str, Any]) -> Machine:
    """Return the machine that quantities describe, with all of level 3 and of the bandwidth of an idle memory.

    Parameters
    ----------
    values : mapping of str to array
        By the names of `MACHINE`.
    """
    found = {parameter: values[name] for name, parameter in _DIRECT.items()}
    found |= {f"{level}_latency": values[f"{level}_latency"] * values["frequency"] for level in ("l3", "dram")}
    found |= {f"{level}_line_bytes": values["cache_line"] for level in _LEVELS}
    found |= {f"{level}_ways": values[f"{level}_lines_per_set"] for level in _LEVELS}
    found |= {"rob": values["reorder_entries"], "in_order": values["in_order"]}
    nothing = np.zeros(())
    return Machine(found | dict.fromkeys(("smt_mode", "all_threads_busy", "l3_inclusion"), nothing))


def thread_of(profile: WorkloadProfile, branch_miss_estimate: Any, values: Mapping[str, Any]) -> Thread:
    """Return what the machines of a study make of a program.

    Parameters
    ----------
    profile : WorkloadProfile
    branch_miss_estimate : float or array
        Mispredictions per control instruction before the factor of the machine.
    values : mapping of str to array
        By the names of `MACHINE`.
    """
    rates = rates_of(profile, values["vector_width"], values["issue_queue"], values["in_order"])
    rates = replace(rates, branch_miss_estimate=branch_miss_estimate)

    private = private_levels(rates, machine_of(values), _BEHAVIOUR)

    def run(machine: Machine) -> tuple[Hierarchy, Cycles]:
        caches = cache_hierarchy(rates, machine, _BEHAVIOUR, private)
        return caches, interaction_cycles(rates, caches, machine, _BEHAVIOUR)

    return run


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
