"""Draws docs/images/slower.svg: the four published figures by the closed model, and where the time of a core goes.

``.venv/bin/python docs/scripts/slower_pictures.py``
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dse.models.slower import EXPERIMENTS, attribution, experiment_gain, work_of_mix
from dse.models.slower.drawing import AXES, PARTS, SHADES

FILE = Path(__file__).parents[1] / "images" / "slower.svg"
_WIDE, _HIGH, _LEFT, _TOP, _GAP = 300.0, 210.0, 52.0, 46.0, 88.0
_STYLE = (
    "<style>text{font:12px sans-serif;fill:#1f2933}.small{font-size:10px;fill:#52606d}.line{fill:none;stroke-width:1.8}"
    ".frame{fill:#fff;stroke:#9aa5b1}.grid{stroke:#e4e7eb}</style>"
)


def _place(value: float, low: float, high: float, length: float) -> float:
    return length * math.log(value / low) / math.log(high / low)


class Panel:
    """One plot with a logarithmic axis to the right."""

    def __init__(self, column: int, row: int, title: str, axis: str, places: Sequence[float]) -> None:
        self.x, self.y = _LEFT + column * (_WIDE + _GAP), _TOP + row * (_HIGH + _GAP)
        self.low, self.high = min(places), max(places)
        self.parts = [f'<rect class="frame" x="{self.x}" y="{self.y}" width="{_WIDE}" height="{_HIGH}"/>']
        self.text(self.x, self.y - 10, title)
        self.text(self.x + _WIDE / 2, self.y + _HIGH + 30, axis, "small", "middle")
        ticks = [2.0**k for k in range(15) if self.low <= 2.0**k <= self.high]
        for tick in ticks[:: 2 if len(ticks) > 9 else 1]:
            self.text(self.right(tick), self.y + _HIGH + 14, f"{tick:g}", "small", "middle")

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Write."""
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    def right(self, value: float) -> float:
        """Return where a value of the axis stands."""
        return self.x + _place(value, self.low, self.high, _WIDE)

    def lines(self, places: Sequence[float], rows: Sequence[Sequence[float]], names: Sequence[str]) -> None:
        """Draw gains, also logarithmic, and name the lines."""
        low = min(0.9, min(map(min, rows)))
        high = max(map(max, rows)) * 1.2
        for tick in (1, 4, 16, 64, 256):
            if low <= tick <= high:
                y = self.y + _HIGH - _place(tick, low, high, _HIGH)
                self.parts.append(f'<path class="grid" d="M{self.x} {y:.1f}h{_WIDE}"/>')
                self.text(self.x - 5, y + 4, f"{tick}", "small", "end")
        for number, (row, name) in enumerate(zip(rows, names, strict=True)):
            points = [
                (self.right(x), self.y + _HIGH - _place(y, low, high, _HIGH)) for x, y in zip(places, row, strict=True)
            ]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            self.parts.append(f'<path class="line" stroke="{SHADES[number]}" d="M{path}"/>')
            at = self.y + 14 + 13 * number
            self.parts.append(f'<path class="line" stroke="{SHADES[number]}" d="M{self.x + _WIDE + 5} {at - 4}h10"/>')
            self.text(self.x + _WIDE + 18, at, name, "small")

    def stack(self, places: Sequence[float], layers: Sequence[Sequence[float]], colours: Sequence[str]) -> None:
        """Fill shares that add up to 1."""
        below = np.zeros(len(places))
        for layer, colour in zip(layers, colours, strict=True):
            above = below + layer
            edge = [(self.right(x), self.y + _HIGH * (1.0 - y)) for x, y in zip(places, above, strict=True)]
            edge += [(self.right(x), self.y + _HIGH * (1.0 - y)) for x, y in zip(places, below, strict=True)][::-1]
            self.parts.append(f'<path fill="{colour}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in edge)}Z"/>')
            below = above


def picture() -> str:
    """Return the picture as text."""
    panels = []
    for number, (name, title) in enumerate(
        (
            ("overhead", "Fig. 2: gain, lines by cores"),
            ("tasks", "Fig. 3: gain, lines by cores"),
            ("latency", "Fig. 4: gain, 8 tasks, lines by latency"),
            ("latency-64-tasks", "Fig. 4: gain, 64 tasks, lines by latency"),
            ("mix", "Fig. 5: gain, lines by network operations"),
        )
    ):
        asked = EXPERIMENTS[name]
        places = asked.values[asked.along]
        panel = Panel(number % 2, number // 2, title, AXES[asked.along], places)
        values = asked.values[asked.lines]
        share = asked.lines == "network_fraction"
        names = [f"{100 * value:g} %" if share else f"{value:g}" for value in values]
        panel.lines(places, experiment_gain(name).tolist(), names)
        panels.append(panel)
    tasks = 2.0 ** np.arange(0, 9)
    shares = attribution(work_of_mix(0.08, 0.24), latency=1024.0, overhead=16.0, tasks=tasks, cores=8)
    panel = Panel(1, 2, "time of a core: 8 cores, latency 1,024, overhead 16", AXES["tasks"], tasks.tolist())
    panel.stack(tasks.tolist(), [getattr(shares, part) for part in PARTS], [colour for _, colour in PARTS.values()])
    for number, (words, colour) in enumerate(PARTS.values()):
        at = panel.y + _HIGH + 46 + 14 * number
        panel.parts.append(f'<rect x="{panel.x}" y="{at - 9}" width="10" height="10" fill="{colour}"/>')
        panel.text(panel.x + 15, at, words, "small")
    panels.append(panel)
    width, height = _LEFT + 2 * (_WIDE + _GAP), _TOP + 3 * (_HIGH + _GAP) + 22
    body = "\n".join(part for one in panels for part in one.parts)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">{_STYLE}'
    return f'{head}<rect width="{width:g}" height="{height:g}" fill="#fff"/>\n{body}\n</svg>\n'


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
