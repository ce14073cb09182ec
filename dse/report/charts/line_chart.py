"""A chart as SVG: lines, steps or stacked areas over a parameter, with bands, marked places and limits.

Colours are those of page.css; what a colour tells, a shape of the marker tells too. Each chart is drawn twice, for wide
and for narrow screens, so that its letters have one size on both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dse.report.charts.chart_axis import ChartAxis, evener
from dse.report.html.tags import Html, tag

__all__ = ["CHART_STYLE", "HATCHING", "TONES", "Area", "Band", "Chart", "Mark", "chart_figure", "marker", "tone_key"]

TONES = 8
"""Colours, and shapes of markers; more are drawn hollow, in the same order again."""
_WIDE, _NARROW = (660, 380), (350, 300)
_LETTER = 6.6  # width of a letter, px
_CLOSE = 16.0  # labels of places nearer than this stand on two rows

CHART_STYLE = (
    "\n".join(f".t{tone} {{ --tone: var(--part-{tone}); }}" for tone in range(TONES))
    + """
.charts { display: grid; gap: 1.2rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); }
.charts figure { margin: 0; min-width: 0; max-width: 46rem; }
figcaption { font-weight: 600; }
.chart { display: block; width: 100%; height: auto; }
.chart.narrow { display: none; }
.chart text { font-size: 12px; fill: var(--quiet); }
.chart text.name { fill: var(--ink); }
.chart .grid { stroke: var(--grid); fill: none; }
.chart .frame { stroke: var(--quiet); fill: none; }
.chart .line { stroke: var(--ink); stroke-width: 1.4; fill: none; stroke-linejoin: round; }
.chart .line.toned { stroke: var(--tone); }
.chart .band { fill: var(--tone); opacity: .16; }
.chart .area { fill: var(--tone); stroke: var(--paper); stroke-width: .6; }
.chart .place { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 2 3; fill: none; }
.chart .limit { stroke: var(--bad); stroke-width: 1.4; stroke-dasharray: 7 4; fill: none; }
.chart text.limit { stroke: none; fill: var(--bad); }
.chart .mark, .marker .mark { fill: var(--tone); stroke: var(--ink); stroke-width: .7; }
.chart .mark.hollow, .marker .mark.hollow { fill: var(--paper); stroke: var(--tone); stroke-width: 2; }
.chart .nothing { fill: url(#nothing); }
.hatching { position: absolute; width: 0; height: 0; }
.hatch { stroke: var(--quiet); stroke-width: 1.2; opacity: .55; fill: none; }
ul.keys { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; margin: .4rem 0; padding: 0; list-style: none; }
ul.keys { font-size: .9rem; }
ul.keys li { display: inline-flex; align-items: center; gap: .4rem; min-width: 0; overflow-wrap: anywhere; }
ul.keys svg { flex: none; width: 16px; height: 16px; }
ul.keys .patch { fill: var(--tone); }
@media (max-width: 40rem) { .chart.wide { display: none; } .chart.narrow { display: block; } }
"""
)

HATCHING = Html(
    '<svg class="hatching" aria-hidden="true"><defs><pattern id="nothing" width="7" height="7" '
    'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" class="hatch"/></pattern></defs>'
    "</svg>"
)
"""Stands once on a page with charts."""

_SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "M-4 -4h8v8h-8z",
    "M0 -5.2L5 3.8H-5z",
    "M0 -5.6L5 0L0 5.6L-5 0z",
    "M0 5.2L5 -3.8H-5z",
    "M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z",
    "M0 -5.2L5 -1.2L3 4.6H-3L-5 -1.2z",
    "M-5 -2.4h10v4.8h-10z",
)


class Mark(NamedTuple):
    """A point: x and y (SI), the tone of what it belongs to, and what is told of it."""

    x: float
    y: float
    tone: int
    title: str


class Band(NamedTuple):
    """A stretch along x with one tone; None where nothing is feasible."""

    begin: float
    end: float
    tone: int | None


class Area(NamedTuple):
    """A part of a stack: its tone, and (x, from, to) at each value."""

    tone: int
    points: Sequence[tuple[float, float, float]]


class Chart(NamedTuple):
    """What is drawn: names and SI units of both axes, and what stands in the frame.

    Attributes
    ----------
    lines : sequence of sequence of (float, float)
        Each drawn from point to point.
    line_tones : sequence of int
        Of the lines; none: all in the colour of letters.
    ribbons : sequence of Area
        What a value may be, about a line: seen through, the widest first.
    level : str
        "": straight lines; "after": the value of a point holds until the next; "before": from the one before.
    places : sequence of (float, str)
        Along x, each with a short name.
    limits, x_limits : sequence of (float, str)
        On y, and on x.
    x_values : sequence of float
        What the axis spans, rising, on the scale where they stand more evenly. Default: those of the marks.
    nothing : str
        The side of the first line where nothing can be built, which is hatched: "below", "above" or "".
    """

    title: str
    x_name: str
    x_unit: str
    y_name: str
    y_unit: str
    marks: Sequence[Mark] = ()
    lines: Sequence[Sequence[tuple[float, float]]] = ()
    line_tones: Sequence[int] = ()
    areas: Sequence[Area] = ()
    ribbons: Sequence[Area] = ()
    bands: Sequence[Band] = ()
    places: Sequence[tuple[float, str]] = ()
    limits: Sequence[tuple[float, str]] = ()
    x_limits: Sequence[tuple[float, str]] = ()
    level: str = ""
    x_values: Sequence[float] = ()
    nothing: str = ""


def chart_figure(chart: Chart, keys: Html | None = None) -> Html:
    """Return a chart with its title, drawn for wide and for narrow screens, and the keys below it."""
    drawn = [_svg(chart, *_WIDE, "wide"), _svg(chart, *_NARROW, "narrow")]
    return tag("figure", tag("figcaption", chart.title), *drawn, *([keys] if keys else []))


def marker(tone: int) -> Html:
    """Return the marker of a tone."""
    hollow = " hollow" if tone >= TONES else ""
    return tag("path", class_=f"mark t{tone % TONES}{hollow}", d=_SHAPES[tone % TONES])


def tone_key(entries: Sequence[tuple[int, str]], *, patches: bool = False) -> Html:
    """Return what tones mean, by markers or by patches of colour."""
    items = []
    for tone, label in entries:
        sample = tag("rect", class_=f"patch t{tone % TONES}", x=-7, y=-7, width=14, height=14, rx=2)
        drawn = tag(
            "svg", sample if patches else marker(tone), class_="marker", viewBox="-8 -8 16 16", aria_hidden="true"
        )
        items.append(tag("li", drawn, tag("span", label)))
    return tag("ul", *items, class_="keys")


def _svg(chart: Chart, width: float, height: float, kind: str) -> Html:
    narrow = kind == "narrow"
    values = [mark.y for mark in chart.marks] + [value for line in chart.lines for _, value in line]
    values += [value for area in (*chart.areas, *chart.ribbons) for _, *ends in area.points for value in ends]
    limits = [limit for limit in chart.limits if _near(limit[0], values)]
    bottom, top = height - 40, 34 if chart.places else 14
    y = ChartAxis.of([*values, *(value for value, _ in limits)], chart.y_unit, bottom, top, zero=bool(chart.areas))
    ticks = y.ticks(6)
    left = max(30.0, 12 + _LETTER * max((len(text) for _, text in ticks), default=0))
    xs = chart.x_values or sorted(mark.x for mark in chart.marks)
    margin = 0.0 if chart.areas else 0.02
    x = ChartAxis.of(xs, chart.x_unit, left, width - 12, logarithmic=evener(xs), margin=margin)
    return tag(
        "svg",
        tag("title", chart.title),
        tag("desc", f"{chart.y_name} over {chart.x_name}; the table below has the values."),
        *_frame(chart, x, y, ticks, 4 if narrow else 7),
        *_inside(chart, x, y, limits),
        class_=f"chart {kind}",
        viewBox=f"0 0 {width} {height}",
        role="img",
    )


def _near(limit: float, values: Sequence[float]) -> bool:
    """Tell whether a limit stands near enough to the values that both can be seen."""
    low, high = min(values), max(values)
    reach = max(high - low, 0.1 * abs(high))
    return low - reach <= limit <= high + reach


def _frame(chart: Chart, x: ChartAxis, y: ChartAxis, ticks: Sequence[tuple[float, str]], most: int) -> Iterator[Html]:
    left, right, bottom, top = x.begin, x.end, y.begin, y.end
    across = x.ticks(most)
    lines = [f"M{_n(left)} {_n(y.place(value))}H{_n(right)}" for value, _ in ticks]
    lines += [f"M{_n(x.place(value))} {_n(bottom)}V{_n(top)}" for value, _ in across]
    yield tag("path", class_="grid", d=" ".join(lines))
    yield tag("path", class_="frame", d=f"M{_n(left)} {_n(top)}V{_n(bottom)}H{_n(right)}")
    for value, text in ticks:
        yield tag("text", text, x=_n(left - 6), y=_n(y.place(value) + 4), text_anchor="end")
    for value, text in across:
        place = min(max(x.place(value), left + 4), right - _LETTER * len(text) / 2)
        yield tag("text", text, x=_n(place), y=_n(bottom + 16), text_anchor="middle")
    yield tag("text", chart.x_name + x.heading, class_="name", x=_n(right), y=_n(bottom + 33), text_anchor="end")
    yield tag("text", chart.y_name + y.heading, class_="name", x=_n(left), y=_n(bottom + 33))


def _inside(chart: Chart, x: ChartAxis, y: ChartAxis, limits: Sequence[tuple[float, str]]) -> Iterator[Html]:
    bottom, top = y.begin, y.end
    for band in chart.bands:
        begin, end = x.place(band.begin), x.place(band.end)
        look = "nothing" if band.tone is None else f"band t{band.tone % TONES}"
        if end > begin:
            yield tag("rect", class_=look, x=_n(begin), y=_n(top), width=_n(end - begin), height=_n(bottom - top))
    for kind, area in [("area", area) for area in chart.areas] + [("band", area) for area in chart.ribbons]:
        upper = [f"{_n(x.place(at))} {_n(y.place(high))}" for at, _, high in area.points]
        lower = [f"{_n(x.place(at))} {_n(y.place(low))}" for at, low, _ in reversed(area.points)]
        yield tag("path", class_=f"{kind} t{area.tone % TONES}", d=f"M{'L'.join([*upper, *lower])}z")
    if chart.nothing:
        yield tag("path", class_="nothing", d=_side(chart, x, y))
    for number, line in enumerate(chart.lines):
        look = f"line toned t{chart.line_tones[number] % TONES}" if chart.line_tones else "line"
        yield tag("path", class_=look, d=_path(line, x, y, chart.level))
    last = [-1e9, -1e9]
    for value, text in chart.places:
        place = x.place(value)
        yield tag("path", class_="place", d=f"M{_n(place)} {_n(bottom)}V{_n(top)}")
        row = 0 if place - last[0] >= _CLOSE else 1
        if place - last[row] >= _CLOSE:
            last[row] = place
            yield tag("text", text, class_="name", x=_n(place), y=_n(top - 6 - 13 * row), text_anchor="middle")
    for value, text in limits:
        place = y.place(value)
        yield tag("path", class_="limit", d=f"M{_n(x.begin)} {_n(place)}H{_n(x.end)}")
        yield tag("text", text, class_="limit", x=_n(x.end - 4), y=_n(place - 5), text_anchor="end")
    for value, text in chart.x_limits:
        if x.low <= value <= x.high:
            place = x.place(value)
            yield tag("path", class_="limit", d=f"M{_n(place)} {_n(bottom)}V{_n(top)}")
            yield tag("text", text, class_="limit", x=_n(place - 5), y=_n(top + 12), text_anchor="end")
    for mark in chart.marks:
        look = f"mark t{mark.tone % TONES}" + (" hollow" if mark.tone >= TONES else "")
        move = f"translate({_n(x.place(mark.x))} {_n(y.place(mark.y))})"
        yield tag("path", tag("title", mark.title), class_=look, d=_SHAPES[mark.tone % TONES], transform=move)


def _side(chart: Chart, x: ChartAxis, y: ChartAxis) -> str:
    """Return what lies on one side of the first line, from the begin of the frame to its end or the limit there."""
    line = chart.lines[0]
    edge = y.begin if chart.nothing == "below" else y.end
    beyond = y.end if chart.nothing == "below" else y.begin
    before, after = (beyond, None) if chart.level == "after" else (None, beyond)
    begin = f"M{_n(x.begin)} {_n(edge)}V{_n(before if before is not None else y.place(line[0][1]))}"
    known = [x.place(value) for value, _ in chart.x_limits if line[-1][0] <= value <= x.high]
    end = f"H{_n(min([x.end, *known]))}V{_n(edge)}z"
    inside = _path(line, x, y, chart.level).replace("M", "H", 1).replace(" ", "V", 1)
    return begin + inside + (f"V{_n(after)}" if after is not None else "") + end


def _path(points: Sequence[tuple[float, float]], x: ChartAxis, y: ChartAxis, level: str) -> str:
    placed = [(_n(x.place(at)), _n(y.place(value))) for at, value in points]
    (first, start), *rest = placed
    steps = {"": "L{at} {value}", "after": "H{at}V{value}", "before": "V{value}H{at}"}[level]
    return "".join([f"M{first} {start}", *(steps.format(at=at, value=value) for at, value in rest)])


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
