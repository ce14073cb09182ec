"""The section of the page with the pictures of the designs of the frontier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from dse.authoring.picture import Drawing, Picture, draw
from dse.errors import ModelError
from dse.report.charts.shown_column import spelled
from dse.report.charts.svg import legend, svg
from dse.report.html.tags import Html, tag
from dse.report.record.view import PageView, PictureView
from dse.units import format_number

if TYPE_CHECKING:
    from dse.study.study import Study

__all__ = ["MOST_PICTURES", "collect_pictures", "pictures_section"]

MOST_PICTURES = 12  # of a kind, on a page

_Look = tuple[tuple[str, object], ...]
"""What a picture is drawn from, by name: designs with the same look have the same picture."""


def collect_pictures(
    study: Study, numbers: np.ndarray, products: np.ndarray, distances: np.ndarray, first: Sequence[int]
) -> tuple[tuple[PictureView, ...], int]:
    """Draw the designs of the frontier.

    A design may have several pictures, of its network and of its processor; those for the same slot are of a kind.

    Parameters
    ----------
    study : Study
    numbers, products : ndarray
        Number and alternative of each design.
    distances : ndarray
        How far each is from the best in all objectives: the nearest represent the others.
    first : sequence of int
        Rows to draw before others.

    Returns
    -------
    (tuple of PictureView, int)
        At most `MOST_PICTURES` of each kind, by design number: of the best design of each alternative, of `first`, of
        the nearest; and how many different ones there are.
    """
    problem = study.compiled
    if not any(system.graph.pictures for system in problem.systems):
        return (), 0
    looks: dict[int, list[tuple[Picture, _Look]]] = {row: [] for row in range(len(numbers))}
    for record in problem.quantities(numbers):
        rows, values = record["positions"].tolist(), record["values"]
        for picture in problem.systems[record["product"]].graph.pictures:
            names = picture.arguments(values)
            columns = [np.broadcast_to(np.asarray(values[name]).reshape(-1), len(rows)).tolist() for name in names]
            for place, row in enumerate(rows):
                given = tuple((name, column[place]) for name, column in zip(names, columns, strict=True))
                if picture.when is None or picture.when(**dict(given)):
                    looks[row].append((picture, given))
    nearest = np.argsort(distances, kind="stable").tolist()
    best = {int(products[row]): row for row in reversed(nearest)}
    alike: dict[tuple[str, _Look], list[int]] = {}
    chosen: dict[tuple[str, _Look], Picture] = {}
    for row in dict.fromkeys([*sorted(best.values(), key=lambda row: distances[row]), *first, *nearest]):
        for picture, given in looks[row]:
            alike.setdefault((picture.label, given), []).append(row)
            chosen.setdefault((picture.label, given), picture)
    kinds: dict[str, list[PictureView]] = {}
    for key, picture in chosen.items():
        kind = kinds.setdefault(picture.slot or picture.label, [])
        if len(kind) < MOST_PICTURES:
            kind.append(PictureView(picture.title, tuple(alike[key]), _drawn(picture, dict(key[1]))))
    ordered = [sorted(kind, key=lambda shown: int(numbers[shown.rows[0]])) for kind in kinds.values()]
    return tuple(chain.from_iterable(ordered)), len(chosen)


def _drawn(picture: Picture, given: Mapping[str, object]) -> Drawing | str:
    try:
        return draw(picture, given)
    except ModelError as error:
        return str(error)


def pictures_section(view: PageView) -> Iterator[Html]:
    """Return the section; nothing where no design of the frontier has a picture."""
    if not view.pictures:
        return
    yield tag("h2", "The designs in pictures")
    where = "on the frontier" if view.exact else "among the best found"
    if view.looks > len(view.pictures):
        which = (
            f"{len(view.pictures)} of the {format_number(view.looks)} different pictures {where}, at most"
            f" {MOST_PICTURES} of a kind: of each alternative the design nearest to the best in all objectives, the"
            " designs proposed above, then the next nearest ones."
        )
    else:
        which = f"Each of the different pictures {where}, drawn from the design's own numbers."
    yield tag("p", which, class_="note")
    yield tag("div", *(_figure(view, place) for place in range(len(view.pictures))), class_="pictures")


def _figure(view: PageView, place: int) -> Html:
    picture = view.pictures[place]
    row, others = picture.rows[0], len(picture.rows) - 1
    number = format_number(int(view.numbers[row]))
    words = _parameters(view, row)
    if others:
        words += f"; also {format_number(others)} other {'design' if others == 1 else 'designs'} with this picture"
    content: list[Html] = []
    if isinstance(picture.drawing, str):
        content = [tag("p", f"Not drawn: {picture.drawing}.", class_="bad")]
    else:
        drawn = svg(picture.drawing, f"{picture.title}, design {number}")
        content = [tag("div", drawn, legend(picture.drawing) or "", class_="drawing")]
        content.append(tag("figcaption", picture.drawing.caption))
    button = tag("button", f"Design {number}", type="button", class_="link", data_row=row)
    head = tag("h3", button, f": {picture.title}")
    return tag("figure", head, tag("p", words, class_="note"), *content, class_="picture", id=f"picture-{place}")


def _parameters(view: PageView, row: int) -> str:
    """Return the choices of a design, as the page shows them."""
    choices = []
    for axis in view.axes:
        code, entries = int(axis.codes[row]), axis.texts if axis.texts is not None else axis.values
        if entries is None or code >= len(entries):
            continue
        entry = entries[code]
        label = entry if isinstance(entry, str) else spelled(entry, axis.scale, axis.shown, given=True)
        choices.append(label if axis.name == "alternative" else f"{axis.name} {label}".replace(" ", "\u00a0"))
    return ", ".join(choices) or "the only design"
