"""Time of a program on a node: the profile of a thread and the parameters of a machine in, cycles and traffic out.

Names, defaults and checks stand here; what follows from them is the graph of the family (`variants`).

>>> from dse.models.processor import predict
>>> predict(profile, machine, threads=14, mode="reference").cpi          # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from dse.errors import InputError, shown
from dse.models.processor.core.ratios import until_used_up
from dse.models.processor.core.roofline import peak_float_rate
from dse.models.processor.memory.memory_access import dram_bandwidth_share, l3_share
from dse.models.processor.predict.machine import Machine, read_machine
from dse.models.processor.predict.results import BOUNDS, PARTS, Mixture, Prediction
from dse.models.processor.predict.variants import Variant, variant_for
from dse.models.processor.program.behaviour import Behaviour, behaviour_of
from dse.models.processor.program.events import TOOL_WINDOW, EventRates, event_rates
from dse.models.processor.sharing.open_graph import OpenGraph
from dse.models.processor.sharing.sharing import active_sharers
from dse.models.workload.profile.profile import ProcessClass, WorkloadProfile

__all__ = ["MODELS", "Mixture", "Prediction", "predict", "predict_mixture"]

MODELS = ("interaction", "independent")


def predict(
    profile: ProcessClass | WorkloadProfile,
    machine: Mapping[str, Any],
    *,
    threads: Any = 1,
    mode: str | Behaviour = "corrected",
    model: str = "interaction",
    window: Any = None,
    branch_miss_rate: float | None = None,
    split: bool = True,
) -> Prediction:
    """Return cycles, time, traffic and what limits them for one program on a machine, or on arrays of machines.

    Parameters
    ----------
    profile : ProcessClass or WorkloadProfile
        A class of threads, or a profile that has one.
    machine : mapping
        Values by the names of `dse.models.processor.predict.machine.PARAMETERS`, numbers or arrays that broadcast; the
        parameters of a level may stand in a mapping under its name ("l1", "l2", "l3", "dram").
    threads : int or array
        Threads that run the program, one per core; each has an equal part of level 3 and of the memory's bandwidth.
    mode : {"corrected", "reference"} or Behaviour
        reference: as the published tool, its defaults for empty parameters and its errors included.
    model : {"interaction", "independent"}
        Events that overlap (Anghel 2017, Section 4.2.3) or not (Section 4.2.1).
    window : int or array, optional
        Entries of the issue queue for which the parallelism is read from the profile. By default 54 in reference
        mode, else those of the machine.
    branch_miss_rate : float, optional
        Mispredictions per control instruction that the profile estimates, before the factor of the machine; for the
        independent model the mispredictions themselves, by default 0.03.
    split : bool
        False leaves vector instructions as they were profiled, whatever the width of the machine's.

    Returns
    -------
    Prediction

    Raises
    ------
    InputError
        A parameter that is missing, unknown or impossible; a machine without units that the program needs; more
        threads than cores (the reference tool leaves those over out).
    """
    _refuse_no_profile(profile)
    behaviour = _behaviour(mode, model)
    node = read_machine(machine, behaviour)
    running = _running(threads, node, behaviour)
    rates = _rates(profile, node, model, behaviour, window, branch_miss_rate, split)
    _check_units(rates, node, model)
    variant = variant_for(model, behaviour, node)
    own = _shared(node, running, behaviour)
    whole = own.with_values(dram_bandwidth_Bps=node["dram_bandwidth_Bps"], l3_size_bytes=node["l3_size_bytes"])
    thread = _with_shares(variant.thread(whole, rates, branch_miss_rate), own)
    if behaviour.queueing:
        thread = thread.fill(dram_utilisation=variant.chip(node).utilisation([thread], [running]))
    return _prediction(variant, thread, rates, own, running, _warnings(rates, node))


def predict_mixture(
    parts: Sequence[tuple[ProcessClass | WorkloadProfile, Any]],
    machine: Mapping[str, Any],
    *,
    mode: str | Behaviour = "corrected",
    model: str = "interaction",
    window: Any = None,
    split: bool = True,
) -> Mixture:
    """Return what `predict` returns for several programs that run together on one chip.

    Level 3 and the memory's bandwidth are divided by use (`dse.models.processor.sharing.sharing`), which takes a fixed
    point.

    Parameters
    ----------
    parts : sequence of (ProcessClass or WorkloadProfile, int or array)
        Programs and threads of each.
    machine, mode, model, window, split
        As for `predict`.

    Raises
    ------
    InputError
        As for `predict`; also where level 3 is not shared by all cores.
    """
    for profile, _ in parts:
        _refuse_no_profile(profile)
    behaviour = _behaviour(mode, model)
    node = read_machine(machine, behaviour)
    counts = [np.asarray(threads, dtype=float) for _, threads in parts]
    everyone = np.asarray(sum(counts))
    _running(everyone, node, behaviour, strict=True)
    shared_by = node.get("l3_shared_by") if behaviour.inclusion == "machine" else None
    if shared_by is not None and np.any(np.not_equal(shared_by, node["cores"])):
        raise InputError("programs can only be mixed on a level 3 shared by all cores", key="l3_shared_by")
    rates = [_rates(profile, node, model, behaviour, window, None, split) for profile, _ in parts]
    for program in rates:
        _check_units(program, node, model)
    variant = variant_for(model, behaviour, node)
    chip, threads = variant.chip(node), [variant.thread(node, program, None) for program in rates]
    shares, bandwidths, settled = chip.shared_by_use(threads, counts, node["l3_size_bytes"])
    nodes = [
        node.with_values(l3_size_bytes=share, dram_bandwidth_Bps=part)
        for share, part in zip(shares, bandwidths, strict=True)
    ]
    threads = [_with_shares(thread, own) for thread, own in zip(threads, nodes, strict=True)]
    if behaviour.queueing:
        used = chip.utilisation(threads, counts)
        threads = [thread.fill(dram_utilisation=used) for thread in threads]
    unsettled = () if settled.all() else ("the shares of level 3 change by about a line from step to step",)
    predictions = [
        _prediction(variant, thread, program, own, count, (*_warnings(program, node), *unsettled))
        for thread, program, own, count in zip(threads, rates, nodes, counts, strict=True)
    ]
    return Mixture(tuple(predictions), tuple(shares), tuple(bandwidths))


def _refuse_no_profile(profile: object) -> None:
    """Refuse what is no profile; a name or a file is what people try first."""
    if isinstance(profile, (ProcessClass, WorkloadProfile)):
        return
    named = f"read_profile({str(profile)!r})" if isinstance(profile, (str, PathLike)) else "such as read_profile gives"
    raise InputError(f"{shown(profile)} is no profile", key="profile", allowed=f"a profile: {named}")


def _behaviour(mode: str | Behaviour, model: str) -> Behaviour:
    """Return the behaviour of a mode; in reference mode the independent model has inclusive caches."""
    if model not in MODELS:
        raise InputError(f"unknown model '{model}'", key="model", allowed=MODELS, wrong=model, candidates=MODELS)
    behaviour = behaviour_of(mode)
    if model == "independent" and behaviour.inclusion == "tool":
        return replace(behaviour, inclusion="inclusive")
    return behaviour


def _rates(
    profile: ProcessClass | WorkloadProfile,
    machine: Machine,
    model: str,
    behaviour: Behaviour,
    window: Any,
    branch_miss_rate: float | None,
    split: bool,
) -> EventRates:
    """Return the program as the models read it."""
    process_class = profile.only if isinstance(profile, WorkloadProfile) else profile
    if window is None:
        window = TOOL_WINDOW if behaviour.window == "tool" else machine["issue_queue"] / machine.core_share
    bits = machine["vector_bits"]
    if behaviour.missing_values != "tool":
        bits = np.where(machine["fu_vector"] > 0.0, bits, 0.0)
    together = model == "interaction"
    return event_rates(
        process_class,
        bits,
        behaviour,
        in_order=machine["in_order"],
        window=window,
        branch_miss_rate=branch_miss_rate if together else 0.0,
        split=split,
        typed=together,
    )


def _running(threads: Any, machine: Machine, behaviour: Behaviour, *, strict: bool = False) -> Any:
    """Return the threads that run; refuse what is no number of threads, and threads without a core."""
    wanted = np.asarray(threads, dtype=float)
    if not np.all((wanted >= 1) & (wanted == np.floor(wanted))):
        raise InputError(f"{threads} threads", key="threads", allowed="a whole number of at least 1")
    cores = machine.get("cores")
    if np.all(wanted == 1.0):
        return wanted
    if cores is None:
        raise InputError("the machine has no value for cores", key="cores", allowed="the number of cores on the chip")
    if behaviour.missing_values == "tool" and not strict:
        return np.minimum(wanted, cores)
    most = cores if behaviour.missing_values == "tool" else cores * machine.core_share
    if np.any(wanted > most):
        raise InputError(f"{np.max(wanted):g} threads on {np.min(most):g} cores", key="threads", allowed="one per core")
    return wanted


def _shared(machine: Machine, threads: Any, behaviour: Behaviour) -> Machine:
    """Return the machine as one of several equal threads has it."""
    values = {"dram_bandwidth_Bps": dram_bandwidth_share(machine["dram_bandwidth_Bps"], threads)}
    cores = machine.get("cores")
    if behaviour.inclusion != "machine" or cores is None:
        values["l3_size_bytes"] = l3_share(machine["l3_size_bytes"], threads)
        return machine.with_values(**values)
    busy = np.minimum(threads, cores)  # threads of one core divide its own caches only if the behaviour says so
    l2_sharers = active_sharers(busy, cores, machine["l2_shared_by"])
    l3_sharers = active_sharers(threads, cores, machine.get("l3_shared_by", cores))
    values["l2_size_bytes"] = machine["l2_size_bytes"] / l2_sharers
    values["l3_size_bytes"] = l3_share(machine["l3_size_bytes"], l3_sharers)
    return machine.with_values(**values)


def _with_shares(thread: OpenGraph, own: Machine) -> OpenGraph:
    """Return a thread with the shares of level 3 and of the memory's bandwidth that its machine states."""
    return thread.fill(l3_share=own["l3_size_bytes"], dram_bandwidth_share=own["dram_bandwidth_Bps"])


def _prediction(
    variant: Variant, thread: OpenGraph, rates: EventRates, machine: Machine, threads: Any, warnings: tuple[str, ...]
) -> Prediction:
    clock, line, cpi = machine["f_core_hz"], machine["l3_line_bytes"], thread["cycles_per_instruction"]
    if variant.behaviour.queueing:
        machine = machine.with_values(dram_latency=thread[variant.dram_latency])
    per_second = clock / cpi
    moved = {
        "l1": per_second * thread["memory_fraction"] * machine["l1_line_bytes"],
        "l3": per_second * thread["l3_requests"] * line,
        "dram": per_second * thread["dram_requests"] * line,
    }
    return Prediction(
        cpi=cpi,
        cycles=cpi * rates.instructions,
        seconds=thread["run_time"],
        instructions=rates.instructions,
        threads=threads,
        stack=_stack(thread, variant.model),
        bounds={name: until_used_up(1.0, thread[bound]) for name, bound in BOUNDS[variant.model].items()},
        hits={level: thread[f"{level}_hit_fraction"] for level in ("l1", "l2", "l3")},
        accesses={
            "l1": thread["memory_fraction"],
            **{level: thread[f"{level}_accesses"] for level in ("l2", "l3", "dram")},
        },
        bytes_per_second=moved,
        dram_reads=thread["dram_reads"] * rates.instructions,
        dram_writes=thread["dram_writes"] * rates.instructions,
        flops=per_second * rates.float_operations,
        peak_flops=peak_float_rate(clock, machine["fu_fp"], machine["fu_vector"], machine["vector_bits"]),
        rates=rates,
        machine=machine,
        model=variant.model,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _stack(thread: OpenGraph, model: str) -> dict[str, Any]:
    """Return the parts of the cycles per instruction; those of dispatch and of bandwidth apart."""
    parts = {name: thread[part] for name, part in PARTS[model].items()}
    if model == "independent":
        return parts
    stalled, branches = thread["stalled_cycles"], parts.pop("branches")
    dispatched = np.maximum(stalled, thread["dispatch_bound"])
    limits = {"dispatch": dispatched - stalled, "bandwidth": thread["steady_cycles"] - dispatched}
    return {**parts, **limits, "branches": branches}


def _check_units(rates: EventRates, machine: Machine, model: str) -> None:
    """Refuse a machine without units that the program needs."""
    together = model == "interaction"
    integer = rates.scalar_integer_fraction if together else rates.integer_fraction + rates.address_fraction
    needs = {
        "fu_mem": ("accesses memory", rates.memory_fraction),
        "fu_int": ("has integer operations", integer),
        "fu_fp": ("has floating-point operations", rates.scalar_float_fraction if together else rates.float_fraction),
        "fu_control": ("has control operations", rates.control_fraction),
        "fu_vector": ("has vector operations", rates.vector_fraction if together else 0.0),
    }
    for name, (what, fraction) in needs.items():
        units = machine[name]
        used = np.greater(machine["vector_bits"], 0.0) if name == "fu_vector" else True
        if np.any((units == 0.0) & (np.asarray(fraction) > 0.0) & used):
            raise InputError(f"the program {what}, and a machine has no units for that", key=name, allowed="at least 1")


def _warnings(rates: EventRates, machine: Machine) -> tuple[str, ...]:
    """Return what there is to say about the profile, about sizes of lines, and about defaults."""
    pairs: dict[tuple[float, float], None] = {}
    for level in ("l1", "l2", "l3"):
        pairs |= dict.fromkeys(rates.data_reuse.substitutes(machine[f"{level}_line_bytes"]))
    lines = (
        f"reuse was not profiled for lines of {wanted:g} B; that for {nearest:g} B is used" for wanted, nearest in pairs
    )
    defaults = (f"not given, so as the published tool has it: {', '.join(machine.defaults)}",)
    return (*rates.warnings, *lines, *(defaults if machine.defaults else ()))
