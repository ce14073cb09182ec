"""The text format of Extra-P: PARAMETER, POINTS, METRIC, REGION, DATA; # begins a comment."""

from __future__ import annotations

import re

from dse.errors import InputError, shown
from dse.models.measured_laws.tables.rows import MOST_ROWS, Row, number_of, parameter_value

__all__ = ["DEFAULT_METRIC", "read_extra_p_text"]

DEFAULT_METRIC = "metric"
"""What a metric without a name is called."""

_KEYWORDS = ("PARAMETER", "POINTS", "METRIC", "REGION", "DATA", "EXPERIMENT")
_IN_PARENTHESES = re.compile(r"\(([^()]*)\)")


def read_extra_p_text(text: str, name: str) -> tuple[list[Row], list[str]]:
    """Read Extra-P's text: each REGION has a DATA line per point, which holds the repetitions.

    Raises
    ------
    InputError
        Unknown keywords, points with another number of coordinates, more or fewer DATA lines than points.
    """
    parameters: list[str] = []
    points: list[tuple[float, ...]] = []
    metric, region, application = DEFAULT_METRIC, "", ""
    begun: tuple[str, int] | None = None  # the first DATA line of a block, and how many there are
    rows: list[Row] = []

    def close() -> None:
        nonlocal begun
        if begun is not None and begun[1] != len(points):
            raise InputError(
                f"{begun[1]} DATA lines of {metric} in '{region}', but {len(points)} points",
                file=name,
                key=begun[0],
                allowed="one line per point",
            )
        begun = None

    for number, line in enumerate(text.splitlines(), 1):
        where = f"line {number}"
        stripped = line.split("#", 1)[0].strip()
        if not stripped:
            continue
        keyword, _, rest = stripped.replace("\t", " ").partition(" ")
        rest = rest.strip()
        if keyword != "DATA":
            close()
        if keyword == "PARAMETER":
            if not rest:
                raise InputError("PARAMETER without a name", file=name, key=where)
            if points:
                raise InputError("PARAMETER after POINTS", file=name, key=where, allowed="before them")
            for parameter in rest.split():
                if parameter in parameters:
                    raise InputError(f"the parameter '{parameter}' stands twice", file=name, key=where)
                parameters.append(parameter)
        elif keyword == "POINTS":
            if not parameters:
                raise InputError("POINTS before any PARAMETER", file=name, key=where)
            points.extend(_points(rest, parameters, where, name))
        elif keyword == "METRIC":
            metric = rest or DEFAULT_METRIC
        elif keyword == "REGION":
            region = rest
        elif keyword == "EXPERIMENT":
            application = rest
        elif keyword == "DATA":
            place = 0 if begun is None else begun[1]
            begun = (where if begun is None else begun[0], place + 1)
            if place >= len(points):
                raise InputError(
                    f"more DATA lines than points ({len(points)})", file=name, key=where, allowed="one line per point"
                )
            if not rest:
                raise InputError("DATA without a value", file=name, key=where)
            at = dict(zip(parameters, points[place], strict=True))
            for repetition, cell in enumerate(re.split(r"[\s,;]+", rest), 1):
                value = number_of(cell, where, name)
                rows.append(Row(where, metric, at, value, "", application, region, repetition, file=name))
            if len(rows) > MOST_ROWS:
                raise InputError("too many values", file=name, key=where, allowed=f"at most {MOST_ROWS:,}")
        else:
            raise InputError(
                f"unknown keyword {shown(keyword)}",
                file=name,
                key=where,
                allowed=_KEYWORDS,
                wrong=keyword,
                candidates=_KEYWORDS,
            )
    close()
    return rows, []


def _points(rest: str, parameters: list[str], where: str, name: str) -> list[tuple[float, ...]]:
    groups = [group.replace(",", " ").split() for group in _IN_PARENTHESES.findall(rest)]
    if not groups:
        groups = [[cell] for cell in rest.replace(",", " ").split()]
    points = []
    for cells in groups:
        if len(cells) != len(parameters):
            raise InputError(
                f"a point with {len(cells)} coordinates", file=name, key=where, allowed=f"{len(parameters)}, in ( )"
            )
        points.append(
            tuple(
                parameter_value(parameter, cell, where, name) for parameter, cell in zip(parameters, cells, strict=True)
            )
        )
    if not points:
        raise InputError("POINTS without a point", file=name, key=where)
    return points
