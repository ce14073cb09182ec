"""Where the time of a run goes, in words and as a picture, and where the point of the laws lies among their runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from dse.authoring.picture import Box, Drawing, Kind, Line, Picture, Shape, Text
from dse.models.workload.laws.program_laws import ProgramLaws
from dse.units import format_number, percent_text, with_unit

__all__ = ["account_of_time"]

_WIDTH, _LEFT, _RIGHT, _ROW = 640.0, 150.0, 500.0, 26.0
_KINDS = {
    "computing": Kind("blue", "computing"),
    "messages": Kind("orange", "messages"),
    "collectives": Kind("green", "collectives"),
    "waiting": Kind("grey", "waiting for other ranks"),
    "kernels": Kind("red", "kernels on devices"),
    "transfers": Kind("orange", "between host and device"),
    "runs": Kind("rule", "what the runs of the laws span", width=6.0),
    "point": Kind("red", "the point of this design", width=2.0),
    "words": Kind("ink"),
}
_PARTS = ("computing", "messages", "collectives", "waiting")
_DEVICES = ("device_kernel_time", "device_transfer_time", "exposed_transfer_time", "device_time")
_TRANSFERS = ("device_transfers", "device_transfer_bytes", "device_link_latency", "device_link_bandwidth")
_TIMES = ("system_time", "compute_time", "communication_time", "collective_time", "rank_imbalance")
_COMPUTING = ("instructions", "cycles_per_instruction", "frequency", "repetitions", "full_window_cycles")
_BOUNDS = {
    "issue_bound": "the issue width",
    "parallelism_bound": "parallelism of instructions",
    "memory_parallelism_bound": "parallelism of memory accesses",
    "miss_register_bound": "miss registers",
    "memory_unit_bound": "memory units",
    "integer_unit_bound": "integer units",
    "float_unit_bound": "floating-point units",
    "control_unit_bound": "branch units",
    "vector_unit_bound": "vector units",
    "integer_parallelism_bound": "parallelism of integer instructions",
    "float_parallelism_bound": "parallelism of floating-point instructions",
    "control_parallelism_bound": "parallelism of branches",
    "dispatch_bound": "the dispatch width",
    "l1_bandwidth_bound": "bandwidth of level 1",
    "l3_bandwidth_bound": "bandwidth of level 3",
    "dram_bandwidth_bound": "bandwidth of the memory",
}
_MESSAGES = ("messages", "message_size", "inside_fraction", "effective_bandwidth")
_POINT = ("run_processes", "problem_size", "problem_size_2", "profile_distance", "profile_band_low")


def account_of_time() -> dict[str, Picture]:
    """Return the picture by its name."""
    picture = Picture(
        name="draw_time_of_the_run",
        function=_drawn,
        needs=(*_TIMES, *_COMPUTING, *_MESSAGES, *_POINT, "profile_band_high"),
        optional=("profile", *_BOUNDS, *_DEVICES, *_TRANSFERS, "device_turns"),
        title="Where the time of the run goes",
        doc="Time of computing, messages and collectives, and where the point of the laws lies among their runs.",
        module="codesign",
        explains=True,
    )
    return {picture.name: picture}


def parts_of_time(values: Mapping[str, Any]) -> dict[str, float]:
    """Return the time of each part of a run [s]; waiting is what the slowest rank computes beyond the mean one.

    With devices, the transfers are those that no kernel hides.
    """
    waiting = values["compute_time"] * (1.0 - 1.0 / values["rank_imbalance"])
    collectives = values["collective_time"]
    messages = values["communication_time"] - collectives
    parts = dict(zip(_PARTS, (values["compute_time"] - waiting, messages, collectives, waiting), strict=True))
    if values.get("device_time") is not None:
        parts |= {"kernels": values["device_kernel_time"], "transfers": values["exposed_transfer_time"]}
    return parts


def _drawn(**values: Any) -> Drawing:
    parts = parts_of_time(values)
    shapes: list[Shape] = []
    whole = sum(parts.values())
    for row, (name, seconds) in enumerate(parts.items()):
        y, width = _ROW * (row + 0.5), (_RIGHT - _LEFT) * seconds / whole
        shapes.append(Text(_LEFT - 8.0, y + 4.0, _KINDS[name].label, "words", anchor="end"))
        shapes.append(Box(_LEFT + width / 2.0, y, max(width, 1.0), 14.0, name))
        shapes.append(Text(_LEFT + width + 8.0, y + 4.0, with_unit(seconds, "s"), "words", anchor="start"))
    top = _ROW * (len(parts) + 1.0)
    profile = values.get("profile")
    if isinstance(profile, ProgramLaws):
        shapes += _sizes(profile, values, top)
        top += _ROW * (len(profile.sizes) + 0.5)
    lines = [*_lines(parts, values)]
    return Drawing(_WIDTH, top, tuple(shapes), _KINDS, f"{lines[0]}.", "\n".join(lines))


def _sizes(profile: ProgramLaws, values: Mapping[str, Any], top: float) -> Iterator[Shape]:
    """Yield, for each size of the laws, the span of the runs and the point, on a logarithmic scale."""
    for row, law in enumerate(profile.sizes):
        at = _size_at(profile, law.size.name, values)
        ends = [max(end, 1e-300) for end in (law.least, law.largest, at)]
        low, high = math.log(min(ends)), math.log(max(ends))
        scale = (_RIGHT - _LEFT) / max(high - low, 1e-9)
        x = [_LEFT + (math.log(end) - low) * scale for end in ends]
        y = top + _ROW * (row + 0.5)
        shapes = (
            Text(_LEFT - 8.0, y + 4.0, f"{law.size.name} of a rank", "words", anchor="end"),
            Line(x[0], y, x[1], y, "runs"),
            Line(x[2], y - 8.0, x[2], y + 8.0, "point"),
            Text(_RIGHT + 8.0, y + 4.0, format_number(at), "words", anchor="start"),
        )
        yield from shapes


def _size_at(profile: ProgramLaws, name: str, values: Mapping[str, Any]) -> float:
    sizes = (values["problem_size"], values["problem_size_2"])[: len(profile.parameters)]
    return float(profile.law_point(profile.point(values["run_processes"], *sizes))[name])


def _lines(parts: Mapping[str, float], values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an explanation says first."""
    whole = values["system_time"]
    words = [
        f"{_KINDS[name].label} {with_unit(seconds, 's')} ({percent_text(seconds / whole)})"
        for name, seconds in parts.items()
    ]
    yield f"system_time {with_unit(whole, 's')} = {' + '.join(words)}"
    frequency = with_unit(values["frequency"], "Hz")
    often = values["repetitions"]
    yield (
        f"computing: {values['instructions'] * often:.3g} instructions a rank × "
        f"{format_number(values['cycles_per_instruction'], 3)} cycles / {frequency}{_binding(values)}"
    )
    if values["messages"] > 0.0:
        yield (
            f"messages: {format_number(values['messages'])} of {with_unit(values['message_size'], 'B')} a rank, "
            f"{percent_text(values['inside_fraction'])} inside the node; "
            f"{with_unit(values['effective_bandwidth'], 'B/s')} a rank"
        )
    if values.get("device_time") is not None:
        often *= values["device_turns"]
        yield (
            f"between host and device: {format_number(values['device_transfers'] * often)} copies of "
            f"{with_unit(values['device_link_latency'], 's')}, "
            f"{with_unit(values['device_transfer_bytes'] * often, 'B')} at "
            f"{with_unit(values['device_link_bandwidth'], 'B/s')}: {with_unit(values['device_transfer_time'], 's')}"
        )
    profile = values.get("profile")
    if isinstance(profile, ProgramLaws):
        sizes = " and ".join(
            f"{format_number(_size_at(profile, law.size.name, values))} {law.size.name}" for law in profile.sizes
        )
        far = values["profile_distance"]
        where = "inside the runs" if far <= 1.0 else f"{format_number(far, 3)} times the runs"
        low, high = (100.0 * (values[f"profile_band_{end}"] - 1.0) for end in ("low", "high"))
        yield (
            f"profile: {format_number(values['run_processes'])} ranks of {sizes}: {where} "
            f"(band {low:+.2g} to {high:+.2g} %)"
        )


def _binding(values: Mapping[str, Any]) -> str:
    """Say what bounds the instructions per cycle: the largest of the bounds in cycles."""
    bounds = {name: values[name] for name in _BOUNDS if name in values}
    if not bounds:
        return ""
    most = max(bounds.values())
    binding = [_BOUNDS[name] for name, value in bounds.items() if value >= most * (1.0 - 1e-9)]
    return f"; {' and '.join(binding)} {'binds' if len(binding) == 1 else 'bind'}"
