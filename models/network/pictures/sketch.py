"""What the pictures of networks are put together from: switches, nodes, links, and lines of them with gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dse.authoring.picture import Box, Curve, Dot, Drawing, Kind, Line, Shape, Text
from dse.units import format_number

__all__ = ["ENDS", "MIDDLE", "MOST_NODES", "WIDTH", "Cables", "Point", "Sketch", "around", "by", "caption", "counted"]
__all__ += ["outward", "slots", "whole"]

WIDTH = 420.0  # of every drawing
MIDDLE = WIDTH / 2
MOST_NODES = 256  # that are drawn; else one switch says how many it has
ENDS = "the ends of each line drawn"

Point = tuple[float, float]

_LAYERS = (
    *("zoom", "frame", "disc", "far", "link", "global", "upper", "local"),
    *("node-link", "node", "block", "switch", "gap", "word"),
)


class Cables(NamedTuple):
    """The cables of a kind: how many the network has, where they run, and the share of them that is optical.

    What is drawn faint as "far" is of the first kind of a network: the ends of a line of a torus, and links between the
    columns of a Slim Fly.
    """

    kind: str
    total: int
    where: str
    share: float


def whole(value: float) -> int:
    """Return a size as a whole number, at least 1."""
    return max(1, round(value))


def counted(number: int, singular: str, many: str | None = None) -> str:
    """Return "1 switch" or "2 switches"."""
    return f"{format_number(number)} {singular if number == 1 else many or singular + 's'}"


def by(sizes: Sequence[int]) -> str:
    """Return "4 × 4 × 8"."""
    return " × ".join(format_number(size) for size in sizes)


def caption(name: str, switches: int, nodes: int, drawn: str, *, each: int = 0) -> str:
    """Return the caption of a network: its name, where asked for its nodes per switch, counts, what part is drawn."""
    per_switch = f", {counted(each, 'node')} per switch" if each else ""
    every = f"{counted(switches, 'switch', 'switches')}, {counted(nodes, 'node')}"
    return f"{name}{per_switch}: {every}" + (f"; schematic: {drawn}" if drawn else "")


def slots(count: int, most: int) -> list[int | None]:
    """Return the items to draw of `count`, at most `most` places: the first ones, a gap (None) and the last one."""
    if count <= most:
        return list(range(count))
    return [*range(most - 2), None, count - 1]


def around(centre: Point, radius: float, angle: float) -> Point:
    """Return the point at an angle (in turns, clockwise from the top) on a circle."""
    return centre[0] + radius * math.sin(2 * math.pi * angle), centre[1] - radius * math.cos(2 * math.pi * angle)


def outward(centre: Point, radius: float, angle: float, count: int, pitch: float) -> Iterator[Point]:
    """Return points side by side on a circle, symmetric about an angle."""
    step = pitch / (2 * math.pi * radius)
    return (around(centre, radius, angle + (i - (count - 1) / 2) * step) for i in range(count))


class Sketch:
    """A drawing in the making; links come to lie under nodes, nodes under switches, switches under words."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []

    # ---- shapes -------------------------------------------------------------------------------------------------

    def switch(self, at: Point, width: float, height: float | None = None) -> None:
        """Draw a switch."""
        self.shapes.append(Box(*at, width, height or width, "switch"))

    def block(self, at: Point, width: float, height: float | None = None) -> None:
        """Draw a part of the network that stands for many switches."""
        self.shapes.append(Box(*at, width, height or width, "block"))

    def disc(self, at: Point, radius: float) -> None:
        """Draw a disc under a part."""
        self.shapes.append(Dot(*at, radius, "disc"))

    def frame(self, left: float, top: float, right: float, bottom: float) -> None:
        """Draw a frame round a part."""
        self.shapes.append(Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top, "frame"))

    def node(self, switch: Point, at: Point, radius: float, links: int = 1) -> None:
        """Draw a node and its parallel links to its switch."""
        away = math.hypot(at[0] - switch[0], at[1] - switch[1]) or 1.0
        across = ((at[1] - switch[1]) / away, (switch[0] - at[0]) / away)
        for i in range(links):
            aside = (i - (links - 1) / 2) * min(1.8, 5 / links)
            dx, dy = aside * across[0], aside * across[1]
            self.shapes.append(Line(switch[0] + dx, switch[1] + dy, at[0] + dx, at[1] + dy, "node-link"))
        self.shapes.append(Dot(*at, radius, "node"))

    def link(self, start: Point, other: Point, kind: str = "link", bend: float = 0.0) -> None:
        """Draw a link; `bend` is how far its middle stands to the left of the straight line."""
        if not bend:
            self.shapes.append(Line(*start, *other, kind))
            return
        away = math.hypot(other[0] - start[0], other[1] - start[1]) or 1.0
        dx, dy = (other[1] - start[1]) / away * bend * 4 / 3, (start[0] - other[0]) / away * bend * 4 / 3
        (x0, y0), (x1, y1) = start, other
        inner = [(x0 + t * (x1 - x0) + dx, y0 + t * (y1 - y0) + dy) for t in (0.25, 0.75)]
        self.shapes.append(Curve((start, *inner, other), kind))

    def towards(self, start: Point, other: Point, middle: Point, pull: float, kind: str = "link") -> None:
        """Draw a link that is drawn towards a point."""
        inner = [(p[0] + pull * (middle[0] - p[0]), p[1] + pull * (middle[1] - p[1])) for p in (start, other)]
        self.shapes.append(Curve((start, *inner, other), kind))

    def track(self, start: Point, other: Point, aside: float, kind: str = "link") -> None:
        """Draw a link from one end of a line to the other that runs beside it, at its left."""
        away = math.hypot(other[0] - start[0], other[1] - start[1]) or 1.0
        along = ((other[0] - start[0]) / away, (other[1] - start[1]) / away)
        out, left = abs(aside) * 1.1, (along[1] * aside, -along[0] * aside)

        def place(p: Point, forth: float, up: float) -> Point:
            return p[0] + forth * along[0] + up * left[0], p[1] + forth * along[1] + up * left[1]

        first, last = place(start, 0, 1), place(other, 0, 1)
        third = away / 3
        points = [
            start,
            place(start, -out, 0),
            place(start, -out, 1),
            first,
            place(start, third, 1),
            place(other, -third, 1),
        ]
        points += [last, place(other, out, 1), place(other, out, 0), other]
        self.shapes.append(Curve(tuple(points), kind))

    def gap(self, at: Point, step: Point, radius: float = 1.3) -> None:
        """Draw three dots for what is left out."""
        for i in (-1, 0, 1):
            self.shapes.append(Dot(at[0] + i * step[0], at[1] + i * step[1], radius, "gap"))

    @staticmethod
    def width_of(text: str, size: float = 11.0) -> float:
        """Return about how wide words are."""
        return 0.55 * size * len(text)

    def word(self, at: Point, text: str, anchor: str = "middle", size: float = 11.0) -> None:
        """Write a few words, moved aside where they would stick out."""
        width = self.width_of(text, size)
        left = {"start": at[0], "middle": at[0] - width / 2, "end": at[0] - width}[anchor]
        aside = max(0.0, 2 - left) - max(0.0, left + width - WIDTH + 2)
        self.shapes.append(Text(at[0] + aside, at[1], text, "word", anchor, size))

    # ---- parts --------------------------------------------------------------------------------------------------

    def mesh_ring(
        self, centre: Point, radius: float, count: int, most: int, *, kind: str = "link"
    ) -> list[tuple[int, Point, float]]:
        """Link switches on a circle with each other, each with all; return those drawn with place and angle."""
        chosen = slots(count, most)
        places = [around(centre, radius, i / len(chosen)) if len(chosen) > 1 else centre for i in range(len(chosen))]
        shown = [(s, places[i], i / len(chosen)) for i, s in enumerate(chosen) if s is not None]
        for i, (_, begin, _) in enumerate(shown):
            for _, other, _ in shown[i + 1 :]:
                self.link(begin, other, kind)
        if None in chosen:
            at = chosen.index(None)
            angle = at / len(chosen)
            step = around((0, 0), radius * 0.3 / len(chosen) * 2 * math.pi / 1.6, angle + 0.25)
            self.gap(places[at], step)
            for _, begin, _ in shown:
                self.stub(begin, places[at], kind)
        return shown

    def line(
        self,
        points: Sequence[Point],
        chosen: Sequence[int | None],
        *,
        wrapped: bool,
        aside: float,
        arcs: bool = False,
    ) -> None:
        """Link the switches of one dimension: a ring (`wrapped`), or each with all.

        `points` are the places of all slots. What does not run straight stands at most `aside` to the left.
        """
        for i in range(len(points) - 1):
            start, other = points[i : i + 2]
            if None not in chosen[i : i + 2]:
                self.link(start, other)
            else:
                self.stub(*((other, start) if chosen[i] is None else (start, other)))
        shown = [point for point, slot in zip(points, chosen, strict=True) if slot is not None]
        if wrapped and len(points) == 2:
            self.link(shown[0], shown[1], "far", aside / 2)
        elif wrapped and len(points) > 2:
            if arcs:
                self.link(shown[0], shown[-1], "far", aside)
            else:
                self.track(shown[0], shown[-1], aside, "far")
        elif not wrapped:
            places = [i for i, slot in enumerate(chosen) if slot is not None]
            longest = max(places[-1] - 1, 1)
            for i, a in enumerate(places):
                for b in places[i + 1 :]:
                    if b - a > 1:
                        self.link(points[a], points[b], bend=aside * (b - a - 0.5) / longest)

    def stub(self, switch: Point, gap: Point, kind: str = "link") -> None:
        """Draw the beginning of a link to a switch that is left out."""
        away = math.hypot(gap[0] - switch[0], gap[1] - switch[1]) or 1.0
        part = max(0.62, 1 - 14 / away)
        self.link(switch, (switch[0] + part * (gap[0] - switch[0]), switch[1] + part * (gap[1] - switch[1])), kind)

    def zoom(self, at: Point, size: float, left: float, top: float, bottom: float) -> None:
        """Show that a block looks like what a frame to its right holds."""
        for y, end in ((at[1] - size / 2, top), (at[1] + size / 2, bottom)):
            self.shapes.append(Line(at[0] + size / 2, y, left, end, "zoom"))

    # ---- the whole ----------------------------------------------------------------------------------------------

    def drawing(
        self,
        height: float,
        cables: Sequence[Cables],
        *,
        switches: int,
        nodes: int,
        node_links: int,
        node_share: float,
        caption: str,
        description: str,
    ) -> Drawing:
        """Return the drawing; the legend has the counts of the whole network."""
        names = {"far", *(cable.kind for cable in cables)}
        drawn = sum(shape.kind in names for shape in self.shapes)
        width = 1.2 if drawn <= 100 else 0.9 if drawn <= 350 else 0.7
        kinds = {
            "switch": Kind("ink", counted(switches, "switch", "switches"), 0.6),
            "node": Kind("green", counted(nodes, "node")),
            "node-link": Kind("green", f"{counted(node_links, 'node link')}, {_material(node_share)}", 0.8),
        }
        for cable in cables:
            count_text = (
                f"{counted(cable.total, 'link')} {cable.where}, {_material(cable.share)}" if cable.total else ""
            )
            kinds[cable.kind] = Kind("blue" if cable.share >= 0.5 else "orange", count_text, width)
        kinds |= {
            "far": kinds[cables[0].kind]._replace(label="", soft=True),
            "block": Kind("ink", width=0.9, soft=True),
            "disc": Kind("quiet", soft=True),
            "frame": Kind("quiet", width=0.8, soft=True),
            "zoom": Kind("quiet", width=0.8, soft=True),
            "gap": Kind("quiet"),
            "word": Kind("quiet"),
        }
        order = {name: place for place, name in enumerate(_LAYERS)}
        shapes = sorted(self.shapes, key=lambda shape: order[shape.kind])
        return Drawing(WIDTH, height, tuple(shapes), kinds, caption, description)


def _material(share: float) -> str:
    return "optical" if share >= 1 else "electrical" if share <= 0 else f"{100 * share:.3g} % optical"
