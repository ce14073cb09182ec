"""The graph of the family as the Python functions read it: one variant for each behaviour, model and kind of machine.

The machine and the rates of the program are given; the shares of a thread and the use of the memory are left open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.models.processor.core.independent import BRANCH_MISS_RATE
from dse.models.processor.core.stalls import out_of_order_stalls
from dse.models.processor.node_inputs import PARAMETER_OF
from dse.models.processor.predict import python_machine, reference
from dse.models.processor.predict.machine import Machine
from dse.models.processor.predict.results import BOUNDS, PARTS
from dse.models.processor.program.behaviour import Behaviour
from dse.models.processor.program.events import EventRates
from dse.models.processor.program.hierarchy import instruction_hits
from dse.models.processor.program.program import RATES
from dse.models.processor.sharing.contention import Chip
from dse.models.processor.sharing.open_graph import OpenGraph, open_graph

__all__ = ["Variant", "variant_for"]

_LEVELS = ("l1", "l2", "l3")
_ELSEWHERE = ("cores", "l3_latency", "dram_latency", "l2_latency_cycles", "branch_factor")
_PARAMETERS = {name: parameter for name, parameter in PARAMETER_OF.items() if name not in _ELSEWHERE}
_DIVIDED = (
    *("issue_width", "dispatch_width", "integer_units", "float_units", "memory_units", "control_units"),
    *("front_end_stages", "reorder_buffer", "issue_queue", "miss_registers"),
)
_PREFETCHING = tuple(
    f"{level}_prefetch_{what}" for level in ("l2", "l3", "dram") for what in ("coverage", "accuracy", "lead")
)
_SUPPLIED = (
    *(*_PARAMETERS, *RATES, *_PREFETCHING, "branch_factor", "cache_line", "in_order", "data_reuse", "l3_exclusive"),
    *(name for level in _LEVELS for name in (f"{level}_line", f"{level}_lines_per_set")),
    *(name for level in ("l2", "l3", "dram") for name in (f"{level}_latency_cycles", f"{level}_latency_alone")),
    *("dram_latency_idle", "dram_dirty_fraction", "overlapping_entries", "instruction_hit_fraction"),
    *("branch_miss_estimate", "branch_miss_rate", "latency_out_of_order"),
    *("l3_share", "dram_bandwidth_share", "dram_utilisation"),
)
_WANTED = (
    *("cycles_per_instruction", "run_time", "l1_hit_fraction", "l2_hit_fraction", "l3_hit_fraction"),
    *("l2_accesses", "l3_accesses", "dram_accesses", "dram_reads", "dram_writes"),
    *("l3_requests", "dram_requests"),
)


@dataclass(frozen=True)
class Variant:
    """The functions that hold for machines of a kind.

    Attributes
    ----------
    model : str
    behaviour : Behaviour
    core_order : {"out-of-order", "in-order", "either"}
    ahead : bool
        Whether some of the machines prefetch.
    """

    model: str
    behaviour: Behaviour
    core_order: str
    ahead: bool

    @property
    def dram_latency(self) -> str:
        """The quantity that is the latency of the memory before prefetching hides some of it."""
        return "dram_latency_alone" if self.ahead else "dram_latency_cycles"

    @property
    def functions(self) -> list[ModelFunction]:
        """The functions in place of those of a study."""
        functions: dict[str, ModelFunction] = {function.name: function for function in python_machine.EVERY_MACHINE}
        if self.ahead:
            functions |= {function.name: function for function in python_machine.AHEAD}
        functions |= {function.name: function for function in reference.switched(self.behaviour)}
        if self.behaviour.queueing:
            loaded = python_machine.latency_in_use if self.ahead else python_machine.QUEUEING
            functions[loaded.name] = loaded
        if self.core_order == python_machine.EITHER_ORDER:
            either = python_machine.either_order(functions.get(out_of_order_stalls.name, out_of_order_stalls))
            functions[either.name] = either
        return list(functions.values())

    @property
    def graph(self) -> OpenGraph:
        """The resolved graph; the same for all factors of mispredictions, which are an input."""
        behaviour = self.behaviour
        if behaviour.branch_factor is not None:
            behaviour = replace(behaviour, branch_factor=1.0)
        return _graph(replace(self, behaviour=behaviour))

    def thread(self, machine: Machine, rates: EventRates, branch_miss_rate: float | None) -> OpenGraph:
        """Return a thread of a program on machines, with its shares open.

        Parameters
        ----------
        machine : Machine
            With the private caches as the thread has them.
        rates : EventRates
        branch_miss_rate : float, optional
            Mispredictions per control instruction of independent events.
        """
        behaviour, share = self.behaviour, machine.core_share
        values = {name: machine[parameter] for name, parameter in _PARAMETERS.items()}
        values |= {name: getattr(rates, name) for name in RATES}
        values["overlapping_entries"] = values["reorder_buffer"]
        if np.any(share != 1.0):
            if self.model == "interaction":  # a core that is divided is a core with a part of each
                also = ("vector_units", "overlapping_entries") if behaviour.divided == "all" else ()
                values |= {name: values[name] / share for name in (*_DIVIDED, *also)}
            if behaviour.shared_first_levels:
                values |= {name: values[name] / share for name in ("l1_size", "l2_size")}
        for level in _LEVELS:
            values[f"{level}_line"] = machine[f"{level}_line_bytes"]
            values[f"{level}_lines_per_set"] = machine.get(f"{level}_ways", 0.0) if behaviour.associativity else 0.0
        above = "alone" if self.ahead else "cycles"
        values |= {f"{level}_latency_{above}": machine[f"{level}_latency"] for level in ("l2", "l3")}
        values["dram_latency_idle" if behaviour.queueing else self.dram_latency] = machine["dram_latency"]
        if self.ahead:
            values |= {name: machine[name] for name in _PREFETCHING}
        exclusive = (machine["l2_inclusion"], machine["l3_inclusion"])
        if behaviour.inclusion != "machine":
            exclusive = (1.0 if behaviour.inclusion == "tool" else 0.0), 0.0
        values["l2_exclusive"], values["l3_exclusive"] = exclusive
        factor = machine["branch_factor"] if behaviour.branch_factor is None else behaviour.branch_factor
        return self.graph.filled(
            {
                **values,
                "branch_factor": factor,
                "branch_miss_estimate": rates.branch_miss_estimate,
                "branch_miss_rate": BRANCH_MISS_RATE if branch_miss_rate is None else branch_miss_rate,
                "cache_line": machine["l3_line_bytes"],
                "in_order": machine["in_order"],
                "data_reuse": rates.data_reuse,
                "dram_dirty_fraction": machine.get("dram_dirty_fraction", rates.store_share),
                "instruction_hit_fraction": _instruction_hits(rates, machine),
                "latency_out_of_order": 0.0,
            }
        )

    def chip(self, machine: Machine) -> Chip:
        """Return what the threads of a machine share."""
        shared = (machine["f_core_hz"], machine["l3_line_bytes"], machine["dram_bandwidth_Bps"])
        return Chip(*shared, l3_requests="l3_requests", dram_requests="dram_requests")


def variant_for(model: str, behaviour: Behaviour, machine: Machine) -> Variant:
    """Return the variant for machines."""
    inside = np.greater(machine["in_order"], 0.0)
    order = "out-of-order"
    if model == "interaction" and inside.any():
        order = "in-order" if inside.all() else python_machine.EITHER_ORDER
    covered = (machine[f"{level}_prefetch_coverage"] for level in ("l2", "l3", "dram"))
    ahead = behaviour.prefetching and any(np.any(coverage > 0.0) for coverage in covered)
    return Variant(model, behaviour, order, ahead)


@lru_cache(maxsize=128)
def _graph(variant: Variant) -> OpenGraph:
    """Resolve the graph of a variant."""
    functions = variant.functions
    given = set(_SUPPLIED).difference(*(function.gives for function in functions))
    wanted = [*_WANTED, *BOUNDS[variant.model].values(), *PARTS[variant.model].values()]
    wanted += ["stalled_cycles", "steady_cycles"] if variant.model == "interaction" else []
    wanted += [variant.dram_latency] if variant.behaviour.queueing else []
    use = {"processor_model": variant.model, "core_order": variant.core_order}
    use["write_policy"] = variant.behaviour.write_policy
    return open_graph(wanted, given, use, functions=functions)


def _instruction_hits(rates: EventRates, machine: Machine) -> Any:
    """Return the hit fraction of the instruction cache; 1 where the profile does not know it."""
    if rates.instruction_reuse is None:
        return 1.0
    size = machine.get("l1i_size_bytes", machine["l1_size_bytes"])
    line = machine.get("l1i_line_bytes", machine["l1_line_bytes"])
    return instruction_hits(rates.instruction_reuse, size, line)
