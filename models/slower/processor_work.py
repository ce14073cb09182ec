"""Work of a thread from the Python door of the processor models; studies have `slower.modelled_nodes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from dse.models.processor.predict.machine import read_machine
from dse.models.processor.predict.prediction import predict
from dse.models.processor.program.behaviour import behaviour_of
from dse.models.slower.work import Work, work_of_thread
from dse.models.workload.profile.profile import ProcessClass, WorkloadProfile

__all__ = ["work_on_processor"]


def work_on_processor(
    profile: ProcessClass | WorkloadProfile,
    machine: Mapping[str, Any],
    messages_per_instruction: npt.ArrayLike,
    *,
    threads: npt.ArrayLike = 1,
    **options: Any,
) -> Work:
    """Return the work of one of several equal threads of a machine.

    Parameters
    ----------
    profile : ProcessClass or WorkloadProfile
    machine : mapping
        As of `dse.models.processor.predict`.
    messages_per_instruction : array_like
        p.
    threads : array_like
        Threads that share level 3 and the memory: the `cores` of `node_rate`.
    **options
        As of `predict`: mode, model, window, branch_miss_rate, split.

    Returns
    -------
    Work
        Cycles of a thread with its share of level 3 and the whole bandwidth of the memory; the lines it reads there
        and writes; and the cycles in which the memory moves one, line / bandwidth x clock.

    Raises
    ------
    InputError
        As of `predict`; also where the model knows no bandwidth and its cycles are fewer than the lines take.
    """
    running = np.asarray(threads, dtype=float)
    node = read_machine(machine, behaviour_of(options.get("mode", "corrected")))
    bandwidth = node["dram_bandwidth_Bps"]
    # Equal threads share the bandwidth equally, so of so much more each has what there is.
    alone = predict(profile, _with_bandwidth(machine, bandwidth * running), threads=threads, **options)
    lines = (alone.dram_reads + alone.dram_writes) / alone.instructions
    service = node["l3_line_bytes"] / bandwidth * node["f_core_hz"]
    return work_of_thread(alone.cpi, lines, service, messages_per_instruction)


def _with_bandwidth(machine: Mapping[str, Any], bandwidth: Any) -> dict[str, Any]:
    """Return a machine with another bandwidth of its memory, wherever that stands."""
    changed = dict(machine)
    if isinstance(changed.get("dram"), Mapping) and "bandwidth_Bps" in changed["dram"]:
        return {**changed, "dram": {**changed["dram"], "bandwidth_Bps": bandwidth}}
    return {**changed, "dram_bandwidth_Bps": bandwidth}
