"""The page of the command `dse collectives`: plots over processes and over message size, and a map of the winners."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dse.models.collectives.costs.crossover import winner_map
from dse.models.collectives.costs.drawing import draw, draw_map
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, tag

__all__ = ["write_collectives_page"]

_MOST_BITS = 20
_SIZES = 2.0 ** np.arange(0, 27)


def write_collectives_page(
    operation: str, processes: int, size: float, network: str, path: str | Path, *, metric: str, static_scope: str
) -> Path:
    """Write the page: over the powers of two of processes, and, of what carries bytes, over sizes, and a map."""
    bits = max(processes.bit_length(), min(_MOST_BITS, processes.bit_length() + 4))
    ranks = 2 ** np.arange(1, bits + 1)
    drawings = [draw(operation, ranks, size, network, static_scope=static_scope)]
    if operation != "barrier":
        drawings.append(draw(operation, processes, _SIZES, network, static_scope=static_scope))
        winners = winner_map(operation, ranks, _SIZES, network, metric=metric, static_scope=static_scope)
        drawings.append(draw_map(winners))
    figures = [
        drawing.to_html(full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, drawing in enumerate(drawings)
    ]
    words = f"{operation} by all its algorithms; network {network}; trees of arity 2, pipelines with the fastest pieces"
    return write_figures_page(
        path,
        title=f"{operation}: collective operation",
        header=[tag("h1", "collective operation"), tag("p", words, class_="question")],
        main=[Html(figure) for figure in figures],
        figures=figures,
    )
