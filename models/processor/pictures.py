"""What holds a core back: bounds on its instructions per cycle, and where its cycles go.

Every bound is a stem on one logarithmic axis, the achieved instructions per cycle the tallest one: labels stand to the
right of their stems, the lowest bound highest, so no label meets another or a stem. Below, cycles per instruction as a
bar with its parts.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from dse.authoring.declare.stem_axis import stem_axis
from dse.authoring.picture import Box, Dot, Drawing, Kind, Line, Shape, Text, picture
from dse.errors import ModelError
from dse.units import format_number

__all__ = ["draw_independent_bottlenecks", "draw_interaction_bottlenecks"]

_WIDTH, _LEFT, _RIGHT = 420.0, 10.0, 410.0
_ROW, _SIZE = 13.5, 10.5  # of the labels
_LETTER = 0.58 * _SIZE  # of wide fonts, on average
_BAR, _GAP = 16.0, 5.0  # height of the bar; from a stem to its label
_TITLE = "Bottlenecks of a core"


class _Bound(NamedTuple):
    """A bound on instructions per cycle."""

    name: str
    value: float
    binds: bool = False
    stalled: bool = False  # of the full window, and its stalls


class _Part(NamedTuple):
    """A part of the cycles per instruction."""

    name: str
    cycles: float
    tone: str


@picture(title=_TITLE, slot="processor_model", provider="interaction")
def draw_interaction_bottlenecks(
    issue_bound: float,
    miss_register_bound: float,
    parallelism_bound: float,
    integer_parallelism_bound: float,
    memory_parallelism_bound: float,
    control_parallelism_bound: float,
    float_parallelism_bound: float,
    memory_unit_bound: float,
    integer_unit_bound: float,
    float_unit_bound: float,
    control_unit_bound: float,
    vector_unit_bound: float,
    full_window_cycles: float,
    dispatch_bound: float,
    l1_bandwidth_bound: float,
    l3_bandwidth_bound: float,
    dram_bandwidth_bound: float,
    stalled_cycles: float,
    steady_cycles: float,
    issue_queue_stalls: float,
    reorder_buffer_stalls: float,
    throughput_limit_cycles: float,
    branch_cycles: float,
    cycles_per_instruction: float,
    in_order: float = 0.0,
) -> Drawing:
    """Bounds of a full window, of dispatch and of bandwidths; cycles of the window, of stalls and of branches."""
    window = {
        "issue width": issue_bound,
        "miss registers": miss_register_bound,
        "parallelism": parallelism_bound,
        "integer parallelism": integer_parallelism_bound,
        "memory parallelism": memory_parallelism_bound,
        "control parallelism": control_parallelism_bound,
        "float parallelism": float_parallelism_bound,
        "memory units": memory_unit_bound,
        "integer units": integer_unit_bound,
        "float units": float_unit_bound,
        "control units": control_unit_bound,
        "vector units": vector_unit_bound,
    }
    throughput = {
        "dispatch width": dispatch_bound,
        "L1 bandwidth": l1_bandwidth_bound,
        "L3 bandwidth": l3_bandwidth_bound,
        "DRAM bandwidth": dram_bandwidth_bound,
    }
    waits = stalled_cycles == steady_cycles
    bounds = [_Bound(name, _rate(c), waits and c == full_window_cycles) for name, c in window.items()]
    bounds += [_Bound(name, _rate(c), c == steady_cycles) for name, c in throughput.items()]
    if stalled_cycles > full_window_cycles:
        bounds.append(_Bound("with stalls", _rate(stalled_cycles), stalled=True))
    parts = [
        _Part("base", full_window_cycles, "blue"),
        _Part("stalls in order" if in_order else "issue queue", issue_queue_stalls, "orange"),
        _Part("reorder buffer", reorder_buffer_stalls, "green"),
        _Part("dispatch and bandwidth", throughput_limit_cycles, "violet"),
        _Part("branches", branch_cycles, "pink"),
    ]
    return _drawing(bounds, parts, cycles_per_instruction, "binding")


@picture(title=_TITLE, slot="processor_model", provider="independent")
def draw_independent_bottlenecks(
    issue_bound: float,
    common_parallelism_bound: float,
    common_integer_unit_bound: float,
    common_float_unit_bound: float,
    common_memory_unit_bound: float,
    common_control_unit_bound: float,
    execution_cycles: float,
    l1_hit_cycles: float,
    l1_miss_cycles: float,
    l2_miss_cycles: float,
    l3_miss_cycles: float,
    fetch_miss_cycles: float,
    branch_refill_cycles: float,
    cycles_per_instruction: float,
) -> Drawing:
    """Bounds of execution with all data at hand; cycles of execution, caches, memory and branches."""
    limits = {
        "issue width": issue_bound,
        "parallelism": common_parallelism_bound,
        "integer units": common_integer_unit_bound,
        "float units": common_float_unit_bound,
        "memory units": common_memory_unit_bound,
        "control units": common_control_unit_bound,
    }
    bounds = [_Bound(name, _rate(c), c == execution_cycles) for name, c in limits.items()]
    parts = [
        _Part("execution", execution_cycles, "blue"),
        _Part("L1 hits", l1_hit_cycles, "grey"),
        _Part("L1 misses", l1_miss_cycles, "green"),
        _Part("L2 misses", l2_miss_cycles, "violet"),
        _Part("L3 misses", l3_miss_cycles, "orange"),
        _Part("instruction fetches", fetch_miss_cycles, "yellow"),
        _Part("branches", branch_refill_cycles, "pink"),
    ]
    return _drawing(bounds, parts, cycles_per_instruction, "binding execution")


def _rate(cycles: float) -> float:
    return 1.0 / cycles if cycles > 0 else math.inf


def _number(value: float) -> str:
    return format_number(value, 3)


def _drawing(bounds: Sequence[_Bound], parts: Sequence[_Part], cycles: float, binding: str) -> Drawing:
    if not 0 < cycles < math.inf:
        raise ModelError(f"{cycles:g} cycles per instruction")
    achieved = 1.0 / cycles
    ordered = sorted(bounds, key=lambda bound: bound.value)
    finite = [bound for bound in ordered if bound.value < math.inf]
    free = [bound.name for bound in ordered if bound.value == math.inf]
    spent = [part for part in parts if part.cycles > 0]
    nothing = [part.name for part in parts if part.cycles <= 0]
    shapes, y = _stems(finite, achieved, binding)
    if free:
        y = _note(shapes, y, f"no limit: {', '.join(free)}")
    y += 2 * _ROW
    shapes.append(Text(_LEFT, y, f"cycles per instruction: {_number(cycles)}", "heading", "start", _SIZE))
    y = _stack(shapes, spent, cycles, y + 6.0)
    if nothing:
        y = _note(shapes, y + 3.0, f"no cycles: {', '.join(nothing)}")
    kinds = {
        "rule": Kind("rule"),
        "bound": Kind("quiet"),
        "binding": Kind("red", width=2.0),
        "stalled": Kind("ink", width=1.2, dashed=True),
        "achieved": Kind("ink", width=2.4),
        "heading": Kind("ink"),
        "word": Kind("quiet"),
        **{part.name: Kind(part.tone) for part in spent},
    }
    tightest = [bound for bound in ordered if bound.binds]
    most = max(spent, key=lambda part: part.cycles)
    captions = [f"{_number(achieved)} instructions per cycle"]
    if tightest:
        captions.append(f"{binding} at {_number(tightest[0].value)}: {' and '.join(bound.name for bound in tightest)}")
    captions.append(f"most cycles: {most.name} ({_share(most.cycles / cycles)})")
    description = _description(finite, free, parts, achieved, binding)
    return Drawing(_WIDTH, y + 6.0, tuple(shapes), kinds, "; ".join(captions), description)


def _note(shapes: list[Shape], y: float, text: str) -> float:
    """Write a few words below y, on as many lines as they need; return where they end."""
    for line in textwrap.wrap(text, int((_RIGHT - _LEFT) / _LETTER)):
        y += _ROW
        shapes.append(Text(_LEFT, y, line, "word", "start", _SIZE))
    return y


def _stems(bounds: Sequence[_Bound], achieved: float, binding: str) -> tuple[list[Shape], float]:
    """Draw the axis with its stems, the lowest bound first, and return where it ends."""
    stems = [(achieved, f"{_number(achieved)} achieved", "achieved", "heading")]
    for bound in bounds:
        bound_text = f"{_number(bound.value)} {bound.name}"
        if bound.binds:
            stems.append((bound.value, f"{bound_text}, {binding}", "binding", "binding"))
        else:
            stems.append((bound.value, bound_text, *(("stalled", "heading") if bound.stalled else ("bound", "word"))))
    width = _RIGHT - _LEFT
    lengths = [_GAP + _LETTER * len(label) for _, label, _, _ in stems]
    scale = stem_axis([value for value, *_ in stems], lengths, width, logarithmic=True, below=1.2)
    axis = 14.0 + _ROW * len(stems)
    shapes: list[Shape] = []
    marks: list[Shape] = []
    for tick in scale.ticks(lambda tick: _LETTER * (len(f"{tick:g}") + 1)):
        x = _LEFT + scale.place(tick)
        shapes.append(Line(x, axis - 3, x, axis + 4, "rule"))
        marks.append(Text(min(max(x, _LEFT + 8), _RIGHT - 8), axis + 15, f"{tick:g}", "word", size=10.0))
    shapes.append(Line(_LEFT, axis, _RIGHT, axis, "rule"))
    for row, (value, label, kind, words) in enumerate(stems):
        x, y = _LEFT + scale.place(value), 17.0 + _ROW * row
        shapes.append(Line(x, axis, x, y - 9.0, kind))
        marks.append(Text(x + _GAP, y, label, words, "start", _SIZE))
    shapes.append(Dot(_LEFT + scale.place(achieved), axis, 4.0, "achieved"))
    shapes += [*marks, Text(_RIGHT, axis + 29, "instructions per cycle", "heading", "end", _SIZE)]
    return shapes, axis + 29


def _stack(shapes: list[Shape], parts: Sequence[_Part], cycles: float, top: float) -> float:
    """Draw the bar with its parts, each with a label below, the last one highest; return where they end."""
    middles, labels, start = [], [], 0.0
    for part in parts:
        middles.append((start + part.cycles / 2) / cycles)
        labels.append(f"{_number(part.cycles)} {part.name} ({_share(part.cycles / cycles)})")
        start += part.cycles
    width = _RIGHT - _LEFT
    for middle, label in zip(middles, labels, strict=True):
        width = min(width, _room(label) / middle)
    y = top + _BAR
    for part, middle in zip(parts, middles, strict=True):
        shapes.append(Box(_LEFT + width * middle, y - _BAR / 2, width * part.cycles / cycles, _BAR, part.name))
    for part, middle, label in reversed(list(zip(parts, middles, labels, strict=True))):
        y += _ROW
        x = _LEFT + width * middle
        shapes.append(Line(x, top + _BAR, x, y, part.name))
        shapes.append(Text(x + _GAP, y, label, "word", "start", _SIZE))
    return y


def _room(label: str) -> float:
    """Return how far from the left a label may start."""
    return _RIGHT - _LEFT - _GAP - _LETTER * len(label)


def _share(share: float) -> str:
    return f"{100 * share:.0f}\u00a0%" if share >= 0.0995 else f"{100 * share:.1f}\u00a0%"


def _description(
    finite: Sequence[_Bound], free: Sequence[str], parts: Sequence[_Part], achieved: float, binding: str
) -> str:
    bound_texts = [f"{_number(b.value)} {b.name}" + (f" ({binding})" if b.binds else "") for b in finite]
    words = (
        f"An axis of instructions per cycle with {_number(achieved)} achieved and the bounds {', '.join(bound_texts)}"
    )
    words += f"; no limit: {', '.join(free)}. " if free else ". "
    return words + "Below, cycles per instruction: " + ", ".join(f"{_number(p.cycles)} {p.name}" for p in parts) + "."
