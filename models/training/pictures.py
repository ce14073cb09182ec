"""The picture of a training in a report: the time of a step and the memory of a device, each as a bar of its parts."""

from __future__ import annotations

from collections.abc import Sequence

from dse.authoring.picture import Box, Drawing, Kind, Line, Shape, Text, picture
from dse.units import with_unit

__all__: list[str] = []

_LEFT, _WIDTH, _HEIGHT = 20.0, 520.0, 26.0


def _bar(top: float, parts: Sequence[tuple[str, float, str]], whole: float) -> list[Shape]:
    """Return the boxes of a bar, as long as its parts are of `whole`."""
    shapes: list[Shape] = []
    begin = _LEFT
    for _, value, kind in parts:
        width = _WIDTH * value / whole
        if width > 0.0:
            shapes.append(Box(begin + width / 2.0, top + _HEIGHT / 2.0, width, _HEIGHT, kind))
        begin += width
    return shapes


@picture(title="A step and the memory of a device", slot="training_stack", provider=("unfused", "fused", "overlapped"))
def draw_step_and_memory(
    pipeline_time,
    bubble_time,
    last_head_time,
    data_exchange_time,
    optimizer_time,
    state_memory,
    embedding_memory,
    activation_memory,
    logit_memory,
    device_memory_capacity,
    usable_device_memory,
):
    """The time of a step by what it is spent on, and the memory of a device by what it holds."""
    times = (
        ("pipeline", pipeline_time, "blue"),
        ("filling and draining", bubble_time, "orange"),
        ("head", last_head_time, "ink"),
        ("gradients and weights", data_exchange_time, "green"),
        ("optimizer", optimizer_time, "red"),
    )
    held = (
        ("states of layers", state_memory, "blue"),
        ("states of tables", embedding_memory, "orange"),
        ("activations", activation_memory, "green"),
        ("logits", logit_memory, "red"),
    )
    step, memory = sum(part[1] for part in times), sum(part[1] for part in held)
    most = max(memory, device_memory_capacity)
    shapes: list[Shape] = [Text(_LEFT, 20.0, f"a step, {with_unit(step, 's')}", "words", anchor="start")]
    shapes += _bar(28.0, times, step)
    shapes.append(Text(_LEFT, 70.0, _listed(times, "s", step), "words", anchor="start", size=10.0))
    memory_text = f"a device, {with_unit(memory, 'B')} of {with_unit(device_memory_capacity, 'B')}"
    shapes.append(Text(_LEFT, 106.0, memory_text, "words", anchor="start"))
    shapes += _bar(114.0, held, most)
    edge = _LEFT + _WIDTH * usable_device_memory / most
    shapes.append(Line(edge, 108.0, edge, 146.0, "usable"))
    shapes.append(Text(_LEFT, 156.0, _listed(held, "B", memory), "words", anchor="start", size=10.0))
    kinds = {
        "blue": Kind("blue", "pipeline; states of layers"),
        "orange": Kind("orange", "filling and draining; states of tables"),
        "green": Kind("green", "gradients and weights; activations"),
        "red": Kind("red", "optimizer; logits"),
        "ink": Kind("ink", "head"),
        "usable": Kind("ink", "usable memory", width=2.0),
        "words": Kind("ink"),
    }
    used = {shape.kind for shape in shapes}
    caption = f"{_listed(times, 's', step)}. {_listed(held, 'B', memory)}."
    kept = {name: kind for name, kind in kinds.items() if name in used}
    return Drawing(_WIDTH + 2.0 * _LEFT, 170.0, tuple(shapes), kept, caption, caption)


def _listed(parts: Sequence[tuple[str, float, str]], unit: str, whole: float) -> str:
    """Name the parts above a thousandth of the whole, with what they are."""
    return ", ".join(f"{name} {with_unit(value, unit)}" for name, value, _ in parts if value > 1e-3 * whole)
