"""A drawing as SVG: shapes of a kind that follow one another become one element, so that the page stays small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from dse.authoring.picture import Box, Curve, Dot, Drawing, Kind, Line, Shape, Text
from dse.report.html.tags import Html, join, tag

__all__ = ["legend", "svg"]

_CORNER = 2.5  # largest radius of the corners of a box


def svg(drawing: Drawing, title: str) -> Html:
    """Return the drawing as an SVG element; colours come from the classes of page.css."""
    shapes = (_element(list(group), drawing.kinds[kind]) for (_, kind, _), group in groupby(drawing.shapes, key=_alike))
    return tag(
        "svg",
        tag("title", title),
        tag("desc", " ".join(text for text in (drawing.caption, drawing.description) if text)),
        *shapes,
        viewBox=f"0 0 {_n(drawing.width)} {_n(drawing.height)}",
        role="img",
    )


def legend(drawing: Drawing) -> Html | None:
    """Return what the kinds of shapes mean, each with a sample; None where no kind has a label."""
    used: dict[str, Shape] = {}
    for shape in drawing.shapes:
        used.setdefault(shape.kind, shape)
    entries = []
    for name, kind in drawing.kinds.items():
        if kind.label and name in used:
            drawn = _element([_sample(used[name])], kind._replace(width=max(kind.width, 1.4)))
            sample = tag("svg", drawn, viewBox="0 0 20 12", aria_hidden="true")
            entries.append(tag("li", sample, kind.label))
    return tag("ul", *entries) if entries else None


def _sample(shape: Shape) -> Shape:
    if isinstance(shape, Dot):
        return Dot(10, 6, min(shape.radius, 4.5), shape.kind)
    if isinstance(shape, Box):
        return Box(10, 6, 9, 9, shape.kind)
    if isinstance(shape, Text):
        return Text(10, 10, "a", shape.kind)
    return Line(1, 6, 19, 6, shape.kind)


def _alike(shape: Shape) -> tuple[str, str, float]:
    if isinstance(shape, Text):
        return "text", shape.kind, float(id(shape))  # each by itself
    if isinstance(shape, Dot):
        return "dot", shape.kind, shape.radius
    return ("box" if isinstance(shape, Box) else "line"), shape.kind, 0.0


def _element(shapes: Sequence[Shape], kind: Kind) -> Html:
    """Return one element for shapes that look alike."""
    look = f"tone-{kind.tone}{' soft' if kind.soft else ''}{' dashed' if kind.dashed else ''}"
    first = shapes[0]
    if isinstance(first, Text):
        anchor = None if first.anchor == "start" else first.anchor
        x, y, size = _n(first.x), _n(first.y), _n(first.size)
        return tag("text", first.text, class_=look, x=x, y=y, font_size=size, text_anchor=anchor)
    if isinstance(first, Dot):  # a line of no length with round ends
        return tag("path", class_=f"dot {look}", d=join(_path(shapes), ""), stroke_width=_n(2 * first.radius))
    name = "box" if isinstance(first, Box) else "line"
    return tag("path", class_=f"{name} {look}", d=join(_path(shapes), ""), stroke_width=_n(kind.width))


def _path(shapes: Sequence[Shape]) -> Iterator[str]:
    for shape in shapes:
        if isinstance(shape, Dot):
            yield f"M{_n(shape.x)} {_n(shape.y)}h0"
        elif isinstance(shape, Box):
            r = min(_CORNER, shape.width / 4, shape.height / 4)
            w, h = shape.width - 2 * r, shape.height - 2 * r
            corner = f"a{_n(r)} {_n(r)} 0 0 1 "
            yield (
                f"M{_n(shape.x - w / 2)} {_n(shape.y - shape.height / 2)}h{_n(w)}{corner}{_n(r)} {_n(r)}v{_n(h)}"
                f"{corner}{_n(-r)} {_n(r)}h{_n(-w)}{corner}{_n(-r)} {_n(-r)}v{_n(-h)}{corner}{_n(r)} {_n(-r)}z"
            )
        elif isinstance(shape, Line):
            yield f"M{_n(shape.x0)} {_n(shape.y0)}L{_n(shape.x1)} {_n(shape.y1)}"
        elif isinstance(shape, Curve):
            (x, y), *rest = shape.points
            yield f"M{_n(x)} {_n(y)}C" + " ".join(f"{_n(x)} {_n(y)}" for x, y in rest)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
