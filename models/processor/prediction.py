"""Time of a program on a node: the profile of a thread and the parameters of a machine in, cycles and traffic out.

>>> from dse.models.processor import predict
>>> predict(profile, machine, threads=14, mode="reference").cpi          # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dse.arithmetic.ranges import Range
from dse.authoring.declaration import RelativeError
from dse.errors import InputError
from dse.models.processor.accuracy import ACCURACY
from dse.models.processor.behaviour import Behaviour, behaviour_of
from dse.models.processor.caches import local_hit_fraction
from dse.models.processor.contention import Thread, memory_utilisation, shared_by_use, with_memory_in_use
from dse.models.processor.events import TOOL_WINDOW, EventRates, event_rates
from dse.models.processor.hierarchy import Hierarchy, cache_hierarchy, instruction_hits
from dse.models.processor.independent import BRANCH_MISS_RATE, independent_cycles
from dse.models.processor.interaction import LATER, Cycles, interaction_cycles
from dse.models.processor.machine import Machine, read_machine
from dse.models.processor.ratios import until_used_up
from dse.models.processor.roofline import Roofline, peak_float_rate, roofline
from dse.models.processor.sharing import active_sharers, equal_share
from dse.models.workload.profile import ProcessClass, WorkloadProfile

__all__ = ["MODELS", "Mixture", "Prediction", "predict", "predict_mixture"]

MODELS = ("interaction", "independent")


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the models give for a program on a machine. All threads run the same program, each as long as any other.

    Attributes
    ----------
    cpi : float or array
        Cycles per instruction of a thread.
    cycles, seconds : float or array
        Of the run.
    instructions : float or array
        Of a thread, after splitting vectors to the width of the machine.
    threads : float or array
        That run.
    stack : dict of str to (float or array)
        Parts of `cpi`, which add up to it.
    bounds : dict of str to (float or array)
        Instructions per cycle that each resource allows; infinite where the program does not use it.
    hits : dict of str to (float or array)
        Share of all accesses answered up to "l1", "l2", "l3".
    accesses : dict of str to (float or array)
        Accesses per instruction that arrive at "l1", "l2", "l3" and "dram".
    bytes_per_second : dict of str to (float or array)
        Traffic of a thread to "l1", "l3" and "dram" [B/s]; whole lines.
    dram_reads, dram_writes : float or array
        Lines of a thread.
    flops, peak_flops : float or array
        Floating-point operations per second of a thread, and of a core at most.
    rates : EventRates
        The program as the models read it.
    machine : Machine
        The machine with what one thread has of level 3 and of the memory's bandwidth.
    model : str
    warnings : tuple of str
    """

    cpi: Any
    cycles: Any
    seconds: Any
    instructions: Any
    threads: Any
    stack: dict[str, Any]
    bounds: dict[str, Any]
    hits: dict[str, Any]
    accesses: dict[str, Any]
    bytes_per_second: dict[str, Any]
    dram_reads: Any
    dram_writes: Any
    flops: Any
    peak_flops: Any
    rates: EventRates = field(repr=False)
    machine: Machine = field(repr=False)
    model: str = "interaction"
    warnings: tuple[str, ...] = ()

    @property
    def errors(self) -> dict[str, RelativeError]:
        """Published errors of the model, by quantity ("cpi", "seconds")."""
        return {quantity: error for (model, quantity), error in ACCURACY.items() if model == self.model}

    @property
    def dram_bytes_per_second(self) -> Any:
        """Traffic of a thread to the memory [B/s]."""
        return self.bytes_per_second["dram"]

    @property
    def total_dram_bytes_per_second(self) -> Any:
        """Traffic of all threads to the memory [B/s]."""
        return self.threads * self.bytes_per_second["dram"]

    @property
    def total_flops(self) -> Any:
        """Floating-point operations per second of all threads."""
        return self.threads * self.flops

    @property
    def local_hits(self) -> dict[str, Any]:
        """Share of the accesses arriving at a level that it answers."""
        arriving = self.accesses
        return {one: local_hit_fraction(arriving[one], arriving[below]) for one, below in pairwise(arriving)}

    @property
    def binding(self) -> Any:
        """The resource whose bound holds: a name, or an array of names.

        Dispatch width and bandwidths where they hold in spite of the stalls, else the least bound of a full window.
        """
        return _binding(self.bounds, self.stack)

    @property
    def roofline(self) -> Roofline:
        """The roofs over the program."""
        machine, rates = self.machine, self.rates
        line = machine["l3_line_bytes"]
        dram = (self.dram_reads + self.dram_writes) / self.instructions
        moved = {"l1": self.accesses["l1"] * rates.access_bytes, "l3": self.accesses["l3"] * line, "dram": dram * line}
        bandwidths = {"l1": machine["bw_l1_Bps"], "l3": machine["bw_l3_Bps"], "dram": machine["dram_bandwidth_Bps"]}
        units = (machine["fu_fp"], machine["fu_vector"], machine["vector_bits"])
        return roofline(rates.float_operations, moved, bandwidths, machine["f_core_hz"], *units)


@dataclass(frozen=True, eq=False)
class Mixture:
    """What the models give for several programs that run together.

    Attributes
    ----------
    predictions : tuple of Prediction
        Of each program.
    l3_shares : tuple of (float or array)
        Level 3 that one thread of each program has [B].
    dram_shares : tuple of (float or array)
        Bandwidth of the memory that one thread of each program has [B/s].
    """

    predictions: tuple[Prediction, ...]
    l3_shares: tuple[Any, ...]
    dram_shares: tuple[Any, ...]

    @property
    def seconds(self) -> Any:
        """Time until the last program ends."""
        longest = self.predictions[0].seconds
        for prediction in self.predictions[1:]:
            longest = np.maximum(longest, prediction.seconds)
        return longest


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
        Values by the names of `dse.models.processor.machine.PARAMETERS`, numbers or arrays that broadcast; the
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
    behaviour = _behaviour(mode, model)
    node = read_machine(machine, behaviour)
    running = _running(threads, node, behaviour)
    options = _Options(model, behaviour, window, branch_miss_rate, split)
    rates = options.rates(_one_class(profile), node)
    _check_units(rates, node, model)
    shared = _shared(node, running, behaviour)
    thread = options.thread(rates)
    warnings = (*rates.warnings, *_line_warnings(rates, node), *_default_warnings(node))
    if behaviour.queueing:
        shared = _loaded(node, [(thread, shared, running)])[0]
    return _prediction(thread, rates, shared, running, model, warnings)


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

    Level 3 and the memory's bandwidth are divided by use (`dse.models.processor.sharing`), which takes a fixed point:
    there is no form for ranges.

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
    behaviour = _behaviour(mode, model)
    node = read_machine(machine, behaviour)
    counts = [np.asarray(threads, dtype=float) for _, threads in parts]
    everyone = np.asarray(sum(counts))
    _running(everyone, node, behaviour, strict=True)
    shared_by = node.get("l3_shared_by") if behaviour.inclusion == "machine" else None
    if shared_by is not None and np.any(np.not_equal(shared_by, node["cores"])):
        raise InputError("programs can only be mixed on a level 3 shared by all cores", key="l3_shared_by")
    options = _Options(model, behaviour, window, None, split)
    rates = [options.rates(_one_class(profile), node) for profile, _ in parts]
    for one in rates:
        _check_units(one, node, model)
    threads = [options.thread(one) for one in rates]
    shares, bandwidths, settled = shared_by_use(threads, node, counts)
    nodes = [
        node.with_values(l3_size_bytes=share, dram_bandwidth_Bps=part)
        for share, part in zip(shares, bandwidths, strict=True)
    ]
    if behaviour.queueing:
        nodes = _loaded(node, list(zip(threads, nodes, counts, strict=True)))
    unsettled = () if settled.all() else ("the shares of level 3 change by about a line from step to step",)
    predictions = []
    for thread, one, own, count in zip(threads, rates, nodes, counts, strict=True):
        warnings = (*one.warnings, *_line_warnings(one, node), *_default_warnings(node), *unsettled)
        predictions.append(_prediction(thread, one, own, count, model, warnings))
    return Mixture(tuple(predictions), tuple(shares), tuple(bandwidths))


def _behaviour(mode: str | Behaviour, model: str) -> Behaviour:
    """Return the behaviour of a mode; in reference mode the independent model has inclusive caches."""
    if model not in MODELS:
        raise InputError(f"unknown model '{model}'", key="model", allowed=MODELS, wrong=model, candidates=MODELS)
    behaviour = behaviour_of(mode)
    if model == "independent" and behaviour.inclusion == "tool":
        return replace(behaviour, inclusion="inclusive")
    return behaviour


@dataclass(frozen=True)
class _Options:
    """How a thread is evaluated."""

    model: str
    behaviour: Behaviour
    window: Any
    branch_miss_rate: float | None
    split: bool

    def rates(self, process_class: ProcessClass, machine: Machine) -> EventRates:
        """Return the program as the models read it."""
        window = self.window
        if window is None:
            window = machine["issue_queue"] / machine.core_share if self.behaviour.window != "tool" else TOOL_WINDOW
        bits = machine["vector_bits"]
        if self.behaviour.missing_values != "tool":
            units = machine["fu_vector"]
            bits = np.where((units.low if isinstance(units, Range) else units) > 0.0, bits, 0.0)
        given = self.branch_miss_rate if self.model == "interaction" else 0.0
        options: Any = {"in_order": machine["in_order"], "window": window, "branch_miss_rate": given}
        options |= {"split": self.split, "typed": self.model == "interaction"}
        return event_rates(process_class, bits, self.behaviour, **options)

    def thread(self, rates: EventRates) -> Thread:
        """Return the function from a machine, as one thread has it, to caches and cycles."""

        def run(machine: Machine) -> tuple[Hierarchy, Cycles]:
            caches = cache_hierarchy(rates, machine, self.behaviour)
            if self.model == "interaction":
                return caches, interaction_cycles(rates, caches, machine, self.behaviour)
            missed = BRANCH_MISS_RATE if self.branch_miss_rate is None else self.branch_miss_rate
            fetched = _instruction_hits(rates, machine)
            options: Any = {"instruction_hits": fetched, "branch_miss_rate": missed}
            return caches, independent_cycles(rates, caches, machine, self.behaviour, **options)

        return run


def _one_class(profile: ProcessClass | WorkloadProfile) -> ProcessClass:
    return profile.only if isinstance(profile, WorkloadProfile) else profile


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
    values = {"dram_bandwidth_Bps": equal_share(machine["dram_bandwidth_Bps"], threads)}
    cores = machine.get("cores")
    if behaviour.inclusion != "machine" or cores is None:
        values["l3_size_bytes"] = equal_share(machine["l3_size_bytes"], threads)
        return machine.with_values(**values)
    busy = np.minimum(threads, cores)  # threads of one core divide its own caches only if the behaviour says so
    l2_sharers = active_sharers(busy, cores, machine["l2_shared_by"])
    l3_sharers = active_sharers(threads, cores, machine.get("l3_shared_by", cores))
    values["l2_size_bytes"] = equal_share(machine["l2_size_bytes"], l2_sharers)
    values["l3_size_bytes"] = equal_share(machine["l3_size_bytes"], l3_sharers)
    return machine.with_values(**values)


def _loaded(machine: Machine, parts: Sequence[tuple[Thread, Machine, Any]]) -> list[Machine]:
    """Return the machines of the threads with the latency of a memory that they keep busy together."""
    utilisation = memory_utilisation(machine, parts)
    return [with_memory_in_use(machine, own, utilisation) for _, own, _ in parts]


def _instruction_hits(rates: EventRates, machine: Machine) -> Any:
    """Return the hit fraction of the instruction cache; None where the profile does not know it."""
    if rates.instruction_reuse is None:
        return None
    size = machine.get("l1i_size_bytes", machine["l1_size_bytes"])
    line = machine.get("l1i_line_bytes", machine["l1_line_bytes"])
    return instruction_hits(rates.instruction_reuse, size, line)


def _prediction(
    thread: Thread, rates: EventRates, machine: Machine, threads: Any, model: str, warnings: tuple[str, ...]
) -> Prediction:
    caches, cycles = thread(machine)
    clock, line = machine["f_core_hz"], machine["l3_line_bytes"]
    per_second = clock / cycles.cpi
    moved = {
        "l1": per_second * caches.l1_accesses * machine["l1_line_bytes"],
        "l3": per_second * caches.l3_requests * line,
        "dram": per_second * caches.dram_requests * line,
    }
    total = cycles.cpi * rates.instructions
    return Prediction(
        cpi=cycles.cpi,
        cycles=total,
        seconds=total / clock,
        instructions=rates.instructions,
        threads=threads,
        stack=cycles.stack,
        bounds={name: until_used_up(1.0, bound) for name, bound in cycles.bounds.items()},
        hits={"l1": caches.l1_hit_fraction, "l2": caches.l2_hit_fraction, "l3": caches.l3_hit_fraction},
        accesses={
            "l1": caches.l1_accesses,
            "l2": caches.l2_accesses,
            "l3": caches.l3_accesses,
            "dram": caches.dram_accesses,
        },
        bytes_per_second=moved,
        dram_reads=caches.dram_reads * rates.instructions,
        dram_writes=caches.dram_writes * rates.instructions,
        flops=per_second * rates.float_operations,
        peak_flops=peak_float_rate(clock, machine["fu_fp"], machine["fu_vector"], machine["vector_bits"]),
        rates=rates,
        machine=machine,
        model=model,
        warnings=tuple(dict.fromkeys(warnings)),
    )


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
        if not isinstance(units, Range) and np.any((units == 0.0) & (np.asarray(fraction) > 0.0) & used):
            raise InputError(f"the program {what}, and a machine has no units for that", key=name, allowed="at least 1")


def _line_warnings(rates: EventRates, machine: Machine) -> tuple[str, ...]:
    """Return which sizes of lines were not profiled and what stands in for them."""
    pairs: dict[tuple[float, float], None] = {}
    for level in ("l1", "l2", "l3"):
        pairs |= dict.fromkeys(rates.data_reuse.substitutes(machine[f"{level}_line_bytes"]))
    return tuple(
        f"reuse was not profiled for lines of {wanted:g} B; that for {found:g} B is used" for wanted, found in pairs
    )


def _default_warnings(machine: Machine) -> tuple[str, ...]:
    """Return which parameters took the published tool's defaults."""
    if not machine.defaults:
        return ()
    return (f"not given, so as the published tool has it: {', '.join(machine.defaults)}",)


def _binding(bounds: Mapping[str, Any], stack: Mapping[str, Any]) -> Any:
    later = [name for name in LATER if name in bounds]
    full = [name for name in bounds if name not in later]
    shape = np.broadcast_shapes(*(np.shape(bound) for bound in bounds.values()), *(np.shape(s) for s in stack.values()))
    names = np.array([*full, *later], dtype=object)

    def least(candidates: Sequence[str], start: int) -> tuple[np.ndarray, np.ndarray]:
        best, place = np.full(shape, np.inf), np.full(shape, start)
        for index, name in enumerate(candidates, start):
            closer = bounds[name] < best
            best, place = np.where(closer, bounds[name], best), np.where(closer, index, place)
        return best, place

    _, place = least(full, 0)
    if later:
        limited = (stack["dispatch"] > 0.0) | (stack["bandwidth"] > 0.0)
        _, other = least(later, len(full))
        place = np.where(limited, other, place)
    found = names[place]
    return found if place.ndim else str(found)
