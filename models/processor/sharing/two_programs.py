"""Two programs on the cores of one chip, as quantities: what each has of level 3 and of the memory's bandwidth.

The slot ``programs`` takes ``one`` (default: all threads run `profile`, and share equally), or ``two``: `threads` run
`profile` and `threads_2` run `profile_2`. They divide level 3 in proportion to their accesses per second and the
memory's bandwidth in proportion to what each would use of all of it (`dse.models.processor.sharing.sharing`): a fixed
point.

Quantities of the first program keep their names, so all of a core is explained as it is for one program; those of the
second end in ``_2``. Exchanged profiles explain the other. Both programs are taken to run all the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction, document_parameter, parameter, quantities, quantity
from dse.models.processor.core import branch_prediction
from dse.models.processor.memory.memory_access import l3_share_over_private
from dse.models.processor.program import program
from dse.models.processor.program.events import MISMATCH
from dse.models.processor.sharing.contention import Chip
from dse.models.processor.sharing.dram_queueing import QUEUE
from dse.models.processor.sharing.open_graph import OpenGraph
from dse.models.processor.sharing.thread_of_design import on_machine, thread_of
from dse.models.sources import ANGHEL_2017, XU_2010
from dse.models.workload.profile.reading import read_profile

__all__ = ["SECOND", "fixed_points"]

_SHARING = f"{ANGHEL_2017}, Section 4.2.3; {XU_2010}: parts by use"
_TOOL = f"{ANGHEL_2017}, Section 4.2.3, and the published tool (ExaBounds)"
_TWO: dict[str, Any] = {"slot": "programs", "provider": "two"}

SECOND = ("cycles_per_instruction_2", "instructions_2", "float_operations_2", "l3_hit_fraction_2", "dram_accesses_2")
"""Quantities of the second program."""

profile_2 = document_parameter(read=read_profile, doc="Workload profile of one thread of the second program")
threads_2 = parameter(unit="1", doc="Threads that run the second program, one per core", minimum=1, integer=True)


def _second(function: ModelFunction, **names: str) -> ModelFunction:
    """Return what a function gives for the second program, from its quantities instead of those of the first."""
    return replace(
        function,
        name=f"{function.name}_2",
        needs=tuple(names.get(need, need) for need in function.needs),
        gives={f"{name}_2": unit for name, unit in function.gives.items()},
        valid={names.get(name, name): limits for name, limits in function.valid.items()},
        doc=f"{function.doc.removesuffix('.')}, of the second program.",
    )


best_of_profile_2, of_entropy_2, of_max_outcome_2, constant_rate_2 = (
    _second(function, profile="profile_2", branch_table_mismatch="branch_table_mismatch_2")
    for function in (
        branch_prediction.best_of_profile,
        branch_prediction.of_entropy,
        branch_prediction.of_max_outcome,
        branch_prediction.constant_rate,
    )
)
branch_table_mismatch_2 = _second(branch_prediction.branch_table_mismatch, profile="profile_2")
window_mismatch_2 = _second(program.window_mismatch, profile="profile_2")
l3_share_over_private_2 = _second(l3_share_over_private, l3_share="l3_share_2")


@quantity(unit="1", name="threads_per_core", source="one thread per core", **_TWO)
def threads_of_both_per_core(threads, threads_2, cores):
    """Threads of both programs per core."""
    return (threads + threads_2) / cores


# ---- shares ----------------------------------------------------------------------------------------------------------


@quantities(
    gives={"l3_share": "B", "l3_share_2": "B"},
    source=_SHARING,
    valid={"shares_unsettled": (0.0, 0.0), "threads_per_core": (0.0, 1.0)},
    **_TWO,
)
def l3_shares(l3_size, l3_part, threads, threads_2, shares_unsettled, threads_per_core):
    """Level 3 that one thread of each program has."""
    return l3_size * l3_part / threads, l3_size * (1.0 - l3_part) / threads_2


@quantities(
    gives={"dram_bandwidth_share": "B/s", "dram_bandwidth_share_2": "B/s"},
    source=_SHARING,
    valid={"threads_per_core": (0.0, 1.0)},
    **_TWO,
)
def dram_bandwidth_shares(dram_bandwidth, dram_part, threads, threads_2, threads_per_core):
    """Bandwidth of the memory that one thread of each program has."""
    return dram_bandwidth * dram_part / threads, dram_bandwidth * (1.0 - dram_part) / threads_2


def _threads_of_both(values: Mapping[str, Any]) -> list[OpenGraph]:
    return [
        thread_of(values[f"profile{which}"], values[f"branch_miss_estimate{which}"], values) for which in ("", "_2")
    ]


def _parts(values: Mapping[str, Any]) -> Any:
    members = [values["threads"], values["threads_2"]]
    shares, bandwidths, settled = Chip.of(values).shared_by_use(_threads_of_both(values), members, values["l3_size"])
    size, bandwidth = values["l3_size"], values["dram_bandwidth"]
    there = np.greater(size, 0.0)
    part = np.where(there, shares[0] * members[0] / np.where(there, size, 1.0), members[0] / sum(members))
    return part, bandwidths[0] * members[0] / bandwidth, np.where(settled, 0.0, 1.0)


def _utilisation(values: Mapping[str, Any]) -> Any:
    threads = [
        thread.fill(l3_share=values[f"l3_share{which}"], dram_bandwidth_share=values[f"dram_bandwidth_share{which}"])
        for thread, which in zip(_threads_of_both(values), ("", "_2"), strict=True)
    ]
    return Chip.of(values).utilisation(threads, [values["threads"], values["threads_2"]])


def _second_program(values: Mapping[str, Any]) -> Any:
    thread = thread_of(values["profile_2"], values["branch_miss_estimate_2"], values, "dram_latency_cycles")
    shares = {name: values[f"{name}_2"] for name in ("l3_share", "dram_bandwidth_share")}
    wanted = [name.removesuffix("_2") for name in SECOND]
    results = thread.fill(**shares).read(wanted, dram_latency_cycles=values["dram_latency_cycles"])
    return tuple(np.array(value, dtype=float) for value in results)


def fixed_points() -> dict[str, ModelFunction]:
    """Return the functions that run both programs on the machine of a design."""
    both = ("profile", "profile_2", "branch_miss_estimate", "branch_miss_estimate_2", "threads", "threads_2")
    shares = ("l3_share", "l3_share_2", "dram_bandwidth_share", "dram_bandwidth_share_2")
    functions = (
        on_machine(
            _parts,
            (*both, "window_mismatch_2"),
            name="parts_by_use",
            gives={"l3_part": "1", "dram_part": "1", "shares_unsettled": "1"},
            source=_SHARING,
            doc="Parts of level 3 and of the memory's bandwidth that all threads of the first program have; "
            "1 where the shares go on changing by about a line.",
            valid={"window_mismatch_2": (0.0, MISMATCH)},
            module="processor.two_programs",
            **_TWO,
        ),
        on_machine(
            _utilisation,
            (*both, *shares),
            name="utilisation_of_two_programs",
            gives={"dram_utilisation": "1"},
            source=QUEUE,
            doc="Share of the memory's bandwidth that all threads use, at the latency that follows from it.",
            module="processor.two_programs",
            **_TWO,
        ),
        on_machine(
            _second_program,
            (
                *("profile_2", "branch_miss_estimate_2", "l3_share_2", "dram_bandwidth_share_2"),
                *("dram_latency_cycles", "l3_share_over_private_2"),
            ),
            name="second_program",
            gives=dict.fromkeys(SECOND, "1"),
            source=_TOOL,
            doc="Cycles, instructions and accesses of a thread of the second program.",
            valid={"l3_share_over_private_2": (1.0, np.inf)},
            module="processor.two_programs",
            **_TWO,
        ),
    )
    return {function.name: function for function in functions}


# ---- times and traffic -----------------------------------------------------------------------------------------------


@quantity(unit="s", source=f"{ANGHEL_2017}, Section 4.2")
def run_time_2(instructions_2, cycles_per_instruction_2, frequency):
    """Time of the threads of the second program."""
    return instructions_2 * cycles_per_instruction_2 / frequency


@quantity(
    unit="s",
    source="ours: the shares hold until the last program ends, though the other leaves its part before",
    max_of=("run_time", "run_time_2"),
)
def mixture_run_time(run_time, run_time_2):
    """Time until both programs have ended."""
    return np.maximum(run_time, run_time_2)


@quantity(unit="B/s", name="dram_traffic", source=_TOOL, **_TWO)
def traffic_of_both(
    threads,
    dram_accesses,
    cycles_per_instruction,
    threads_2,
    dram_accesses_2,
    cycles_per_instruction_2,
    cache_line,
    frequency,
):
    """Traffic of all threads to the memory while both programs run."""
    accesses = threads * dram_accesses / cycles_per_instruction + threads_2 * dram_accesses_2 / cycles_per_instruction_2
    return accesses * cache_line * frequency


@quantity(unit="flop/s", name="float_rate", source=_TOOL, **_TWO)
def float_rate_of_both(
    threads,
    float_operations,
    cycles_per_instruction,
    threads_2,
    float_operations_2,
    cycles_per_instruction_2,
    frequency,
):
    """Floating-point operations per second of all threads while both programs run."""
    operations = threads * float_operations / cycles_per_instruction
    return (operations + threads_2 * float_operations_2 / cycles_per_instruction_2) * frequency
