"""The picture of a design in a report: where the time of a core goes, and how many tasks would fill its latency."""

from __future__ import annotations

from dse.authoring.picture import Box, Drawing, Kind, Line, Picture, Shape, Text

__all__ = ["draw_time_of_a_core"]

_LEFT, _WIDE, _TOP, _HIGH, _ROW = 20.0, 460.0, 24.0, 26.0, 18.0
_PARTS = (
    ("useful", "green", "useful"),
    ("overhead", "orange", "overhead of switches"),
    ("waiting", "red", "waiting for the memory"),
    ("idle", "grey", "no task ready: latency and starvation"),
)


def _drawn(
    overhead_efficiency: float,
    waiting_efficiency: float,
    busy_fraction: float,
    running_tasks: float,
    tasks_over_knee: float,
) -> Drawing:
    kept = busy_fraction * waiting_efficiency
    useful = kept * overhead_efficiency
    shares = {"useful": useful, "overhead": kept - useful, "waiting": busy_fraction - kept, "idle": 1.0 - busy_fraction}
    shapes: list[Shape] = []
    at = _LEFT
    for row, (part, _, words) in enumerate(_PARTS):
        width = _WIDE * max(shares[part], 0.0)
        shapes.append(Box(at + width / 2, _TOP, max(width, 0.1), _HIGH, part))
        at += width
        y = _TOP + _HIGH + _ROW * (row + 1)
        shapes.append(Box(_LEFT + 5, y - 4, 10, 10, part))
        shapes.append(Text(_LEFT + 16, y, f"{100 * shares[part]:.1f} % {words}", "words", anchor="start"))
    knee = running_tasks / tasks_over_knee
    y = _TOP + _HIGH + _ROW * (len(_PARTS) + 1)
    shapes.append(Line(_LEFT, y - 14, _LEFT + _WIDE, y - 14, "rule"))
    words = f"{running_tasks:g} tasks; {knee:.3g} would fill the latency"
    shapes.append(Text(_LEFT, y + 4, words, "words", anchor="start"))
    kinds = {part: Kind(tone, words) for part, tone, words in _PARTS} | {"words": Kind("ink"), "rule": Kind("rule")}
    caption = f"A core does useful work {100 * useful:.3g} % of the time."
    return Drawing(_LEFT + _WIDE + 20, y + 16, tuple(shapes), kinds, caption, caption)


draw_time_of_a_core = Picture(
    name="draw_time_of_a_core",
    function=_drawn,
    needs=("overhead_efficiency", "waiting_efficiency", "busy_fraction", "running_tasks", "tasks_over_knee"),
    title="Time of a core",
    slot="task_protocol",
    providers=("non-blocking", "blocking"),
    doc="Shares of the time of a core: useful, overhead, waiting for the memory, and without a task to run.",
    module="slower",
)
