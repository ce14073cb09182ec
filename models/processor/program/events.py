"""What a mean instruction of a program does, as plain numbers: the profile as the processor models read it.

Vector instructions are split to the width of the machine's vectors first, so these numbers belong to a program and a
vector width. Fractions are per dynamic instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from dse.authoring.watch.memoise import distinct
from dse.errors import InputError
from dse.models.processor.caches.caches import ReuseCurve, curve_for, curve_hits
from dse.models.processor.program.behaviour import Behaviour
from dse.models.processor.program.vector_memo import fitted, once
from dse.models.workload.profile.profile import TYPES, ProcessClass
from dse.models.workload.profile.reuse import ReuseHistogram
from dse.models.workload.profile.vectors import UNKNOWN_BITS

__all__ = ["EventRates", "Reuse", "data_curves", "event_rates", "instruction_curves"]

SCALAR_ACCESS_BYTES = 4.0
"""Bytes of an access whose size the profile does not know."""
TOOL_WINDOW = 54
MISMATCH = 1.5
TOOL_LINES = (64, 128)


@dataclass(frozen=True, eq=False)
class Reuse:
    """Reuse curves of a program, by the way its vectors were split where that differs from design to design.

    Attributes
    ----------
    curves : tuple of tuple of ReuseCurve
        For each way, one curve per size of lines, in rising size.
    choice : ndarray
        The way of each design.
    """

    curves: tuple[tuple[ReuseCurve, ...], ...]
    choice: Any = 0

    def hits(self, lines: Any, line_bytes: Any) -> Any:
        """Return the hit fraction of a fully associative cache of so many lines."""
        return self.each(lambda curves: curve_hits(curves, lines, line_bytes))

    def each(self, read: Callable[[tuple[ReuseCurve, ...]], Any]) -> Any:
        """Return what is read from the curves, design by design."""
        value = read(self.curves[0])
        for index, curves in enumerate(self.curves[1:], 1):
            value = np.where(np.equal(self.choice, index), read(curves), value)
        return value

    def substitutes(self, line_bytes: Any) -> list[tuple[float, float]]:
        """Return sizes of lines that were not profiled, each with the size that is read instead."""
        pairs = ((float(size), curve_for(self.curves[0], float(size)).line_bytes) for size in np.unique(line_bytes))
        return [(wanted, profiled) for wanted, profiled in pairs if wanted not in (0.0, profiled)]


@dataclass(frozen=True, eq=False)
class EventRates:
    """What a mean instruction of a program does.

    Attributes
    ----------
    instructions : float
        Of a thread, after splitting.
    memory_fraction, address_fraction, integer_fraction, integer_arithmetic_fraction : float
        Loads and stores; address arithmetic; integer operations (without addresses); of these, arithmetic.
    integer_multiply_fraction, integer_divide_fraction : float
        Of integer arithmetic.
    float_fraction, float_multiply_fraction, float_divide_fraction, control_fraction : float
    scalar_integer_fraction, scalar_float_fraction : float
        What integer (with addresses) and floating-point units do: operations of vector length 1.
    vector_fraction : float
        What vector units do: longer operations and moves within vectors.
    float_operations : float
        Elements of floating-point operations.
    store_share : float
        Stores among loads and stores.
    access_bytes : float
        Mean bytes of an access.
    ilp, memory_ilp, integer_ilp, control_ilp, float_ilp : float
        Parallelism of all instructions and by type, with the spans of the types; 0 where it is not known.
    common_memory_ilp, common_integer_ilp, common_control_ilp, common_float_ilp : float
        Parallelism by type with the span of the program.
    branch_miss_estimate : float
        Estimated mispredictions per control instruction.
    data_reuse, instruction_reuse : Reuse
        The latter None where it was not measured.
    warnings : tuple of str
    """

    instructions: Any
    memory_fraction: Any
    address_fraction: Any
    integer_fraction: Any
    integer_arithmetic_fraction: Any
    integer_multiply_fraction: Any
    integer_divide_fraction: Any
    float_fraction: Any
    float_multiply_fraction: Any
    float_divide_fraction: Any
    control_fraction: Any
    scalar_integer_fraction: Any
    scalar_float_fraction: Any
    vector_fraction: Any
    float_operations: Any
    store_share: Any
    access_bytes: Any
    ilp: Any
    memory_ilp: Any
    integer_ilp: Any
    control_ilp: Any
    float_ilp: Any
    common_memory_ilp: Any
    common_integer_ilp: Any
    common_control_ilp: Any
    common_float_ilp: Any
    branch_miss_estimate: Any
    data_reuse: Reuse
    instruction_reuse: Reuse | None
    warnings: tuple[str, ...] = ()


def event_rates(
    process_class: ProcessClass,
    vector_bits: Any,
    behaviour: Behaviour,
    *,
    in_order: Any = 0.0,
    window: Any = TOOL_WINDOW,
    branch_miss_rate: float | None = None,
    split: bool = True,
    typed: bool = True,
) -> EventRates:
    """Return what a mean instruction does on machines of these vector widths.

    Parameters
    ----------
    process_class : ProcessClass
    vector_bits : int or array
        Width of the machine's vectors; 0 where it has none.
    behaviour : Behaviour
    in_order : float or array
        1 for in-order machines, which use the in-order figures of the profile if it has any.
    window : float or array
        Entries of the issue queue the parallelism is wanted for.
    branch_miss_rate : float, optional
        Estimated mispredictions per control instruction, instead of the estimate in the profile.
    split : bool
        False leaves vector instructions as they were profiled.
    typed : bool
        Whether parallelism with the spans of the types is wanted; False leaves it unknown (0).

    Raises
    ------
    InputError
        The profile lacks what the models need, or has one window where the issue queue varies.
    """
    mismatch = _window_warnings(process_class, window, behaviour)

    def rates(threads: ProcessClass) -> EventRates:
        ilp, common = _parallelism(threads, behaviour, in_order, window, typed)
        return _rates(threads, behaviour, ilp, common, branch_miss_rate)

    if not split:
        return _warned(rates(process_class), mismatch)
    widths, choice = distinct(vector_bits)
    by_width = [rates(fitted(process_class, width)) for width in widths.tolist()]
    return _warned(_chosen(by_width, choice), mismatch)


def _rates(
    process_class: ProcessClass,
    behaviour: Behaviour,
    ilp: Mapping[str, Any],
    common: Mapping[str, Any],
    branch_miss_rate: float | None,
) -> EventRates:
    n = process_class.instructions
    fraction = process_class.fractions()
    miss_estimate, warnings = _branch_miss_estimate(process_class, behaviour, branch_miss_rate)
    vector = {name: process_class.vector_count(name) / n for name in ("int", "addr", "fp")}
    memory = process_class.count("mem")
    return EventRates(
        instructions=float(n),
        memory_fraction=fraction["mem"],
        address_fraction=fraction["addr"],
        integer_fraction=fraction["int"],
        integer_arithmetic_fraction=fraction["int_arith"],
        integer_multiply_fraction=fraction["int_mul"],
        integer_divide_fraction=fraction["int_div"],
        float_fraction=fraction["fp"],
        float_multiply_fraction=fraction["fp_mul"],
        float_divide_fraction=fraction["fp_div"],
        control_fraction=fraction["control"],
        scalar_integer_fraction=(process_class.scalar_count("int") + process_class.scalar_count("addr")) / n,
        scalar_float_fraction=process_class.scalar_count("fp") / n,
        vector_fraction=vector["int"] + vector["addr"] + vector["fp"] + fraction["vector_move"],
        float_operations=process_class.lanes("fp") / n,
        store_share=process_class.count("store") / memory if memory else 0.0,
        access_bytes=_access_bytes(process_class) if behaviour.access_bytes == "measured" else SCALAR_ACCESS_BYTES,
        ilp=ilp["all"],
        memory_ilp=ilp["mem"],
        integer_ilp=ilp["int"],
        control_ilp=ilp["control"],
        float_ilp=ilp["fp"],
        common_memory_ilp=common["mem"],
        common_integer_ilp=common["int"],
        common_control_ilp=common["control"],
        common_float_ilp=common["fp"],
        branch_miss_estimate=miss_estimate,
        data_reuse=Reuse((data_curves(process_class, behaviour),)),
        instruction_reuse=instruction_curves(process_class, behaviour),
        warnings=warnings,
    )


def _parallelism(
    process_class: ProcessClass, behaviour: Behaviour, in_order: Any, window: Any, typed: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parallelism, of all and by type, with the spans of the types and with that of the program."""
    mode = "reference" if behaviour.window == "tool" else "corrected"

    def read(order: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        options: Any = {"order": order, "mode": mode}
        own = process_class.ilp_by_type(window, "own", **options) if typed else dict.fromkeys(TYPES, 0.0)
        common = process_class.ilp_by_type(window, "common", **options)
        return {"all": process_class.ilp(window, **options), **own}, common

    if not process_class.has_order("in"):
        return read("ooo")
    if behaviour.ilp == "tool" or np.all(np.equal(in_order, 1.0)):
        return read("in")
    if np.all(np.equal(in_order, 0.0)):
        return read("ooo")
    inside, outside = read("in"), read("ooo")
    is_in_order = np.greater(in_order, 0.0)
    own, common = (
        {name: np.where(is_in_order, value, other[name]) for name, value in side.items()}
        for side, other in zip(inside, outside, strict=True)
    )
    return own, common


def _window_warnings(process_class: ProcessClass, window: Any, behaviour: Behaviour) -> tuple[str, ...]:
    """Return a warning where the profiled windows are far from the wanted ones; refuse to vary one that cannot be."""
    windows = process_class.finite_windows()
    window_texts = ", ".join(f"{size:g}" for size in windows) or "none that is bounded"
    if behaviour.window == "issue queue" and len(windows) < 2 and np.unique(window).size > 1:
        raise InputError(
            f"the issue queue varies, and '{process_class.name}' has parallelism for one window ({window_texts})",
            key="issue_queue",
            allowed="one size, or a profile of two windows or more: longer queues would cost cycles and gain nothing",
        )
    if np.max(process_class.window_mismatch(window)) > MISMATCH:
        return (f"the parallelism was profiled with other windows ({window_texts}) than the issue queue has",)
    return ()


def _branch_miss_estimate(
    process_class: ProcessClass, behaviour: Behaviour, given: float | None
) -> tuple[float, tuple[str, ...]]:
    """Return mispredictions per control instruction, and what there is to say about them."""
    if given is not None:
        return given, ()
    branch = process_class.branch
    if branch is None or branch.tool_miss_rate is None:
        return 0.0, ("the profile has no estimate of mispredictions: branches cost nothing",)
    estimate = branch.tool_miss_rate
    control = process_class.count("control")
    if branch.conditional_only and behaviour.branch_factor is None and control:
        return estimate * branch.events / control, ()
    return estimate, ()


def _access_bytes(process_class: ProcessClass) -> float:
    """Return the mean bytes of an access: those of vectors from their shape, 4 for the others."""
    accesses = process_class.count("mem")
    if not accesses:
        return SCALAR_ACCESS_BYTES
    vectors = [entry for entry in process_class.vectors if entry.of in ("load", "store")]
    moved = sum(entry.count * entry.length * (entry.bits or UNKNOWN_BITS) / 8.0 for entry in vectors)
    return (moved + SCALAR_ACCESS_BYTES * process_class.scalar_count("mem")) / accesses


def data_curves(process_class: ProcessClass, behaviour: Behaviour) -> tuple[ReuseCurve, ...]:
    """Return the reuse curves of a class of threads, one per size of lines, in rising size."""
    curves: tuple[ReuseCurve, ...] = once(
        process_class, "curves", behaviour.hits, lambda: _data_curves(process_class, behaviour)
    )
    return curves


def _data_curves(process_class: ProcessClass, behaviour: Behaviour) -> tuple[ReuseCurve, ...]:
    histograms = [histogram for histogram in process_class.data_reuse if histogram.line is not None]
    if behaviour.hits == "tool":
        histograms = [histogram for histogram in histograms if histogram.line in TOOL_LINES] or histograms
    if not histograms:
        process_class.reuse(TOOL_LINES[0])  # says what is missing
    return tuple(
        _curve(histogram, behaviour) for histogram in sorted(histograms, key=lambda histogram: histogram.line or 0)
    )


def instruction_curves(process_class: ProcessClass, behaviour: Behaviour) -> Reuse | None:
    """Return how instructions are reused, None where the profile does not know it."""
    histograms = [histogram for histogram in process_class.inst_reuse if histogram.line is not None]
    if not histograms:
        return None
    return Reuse(
        (
            tuple(
                _curve(histogram, behaviour)
                for histogram in sorted(histograms, key=lambda histogram: histogram.line or 0)
            ),
        )
    )


def _curve(histogram: ReuseHistogram, behaviour: Behaviour) -> ReuseCurve:
    low, high, share = histogram.bins("reference" if behaviour.hits == "tool" else "corrected")
    if behaviour.hits == "tool":
        lines, hits = histogram.cumulative("reference")
    elif behaviour.hits == "counts":
        lines, hits = high, np.cumsum(share)
    else:
        lines, hits = histogram.cumulative("corrected")
    return ReuseCurve(float(histogram.line or 0), lines, hits, low, high, share)


def _chosen(by_width: Sequence[EventRates], choice: Any) -> EventRates:
    """Return the rates of each design from those of each width."""
    if len(by_width) == 1:
        return by_width[0]
    values: dict[str, Any] = {}
    for name in (entry.name for entry in fields(EventRates)):
        parts = [getattr(rates, name) for rates in by_width]
        if name in ("data_reuse", "instruction_reuse"):
            values[name] = None if parts[0] is None else Reuse(tuple(part.curves[0] for part in parts), choice)
        elif name == "warnings":
            values[name] = parts[0]
        else:
            values[name] = _of_width(parts, choice)
    return EventRates(**values)


def _of_width(parts: Sequence[Any], choice: Any) -> Any:
    """Return the value of each design's width; a number where all widths have the same."""
    if all(np.ndim(part) == 0 for part in parts):
        values = np.array(parts, dtype=float)
        return parts[0] if (values == values[0]).all() else values[choice]
    value = parts[0]
    for index, part in enumerate(parts[1:], 1):
        value = np.where(np.equal(choice, index), part, value)
    return value


def _warned(rates: EventRates, warnings: tuple[str, ...]) -> EventRates:
    values = {entry.name: getattr(rates, entry.name) for entry in fields(EventRates)}
    return EventRates(**{**values, "warnings": (*rates.warnings, *warnings)})
