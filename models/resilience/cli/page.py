"""The page of the command `dse resilience`: time lost over the interval, useful time over the number of nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dse.models.resilience.drawing import draw_efficiency, draw_loss, efficiency_over_nodes, loss_view
from dse.models.resilience.inputs import node_mtbf
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, tag
from dse.units import with_unit

__all__ = ["write_resilience_page"]

_SCHEMES = {
    "not compressed": (1.0, np.inf),
    "lossless, best: ratio 2.16": (2.16, 1e9),
    "lossy, 0.5 %: ratio 4.7": (4.7, 1e9),
    "lossy, best: ratio 8": (8.0, 1e9),
}
_NODES = np.geomspace(1e3, 1e5, 121)


def write_resilience_page(cost: float, failures: float, restart: float, path: str | Path) -> Path:
    """Write the page for a cost of checkpoints, a time between failures and a restart [s]."""
    over_nodes = efficiency_over_nodes(_NODES, _SCHEMES, node_data=64e9, bandwidth=1e12, node_mtbf=node_mtbf.value)
    drawings = [draw_loss(loss_view(cost, failures, restart)), draw_efficiency(_NODES, over_nodes)]
    figures = [
        drawing.to_html(full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, drawing in enumerate(drawings)
    ]
    asked = (
        f"checkpoint {with_unit(cost, 's')}, mean time between failures {with_unit(failures, 's')}, "
        f"restart {with_unit(restart, 's')}"
    )
    words = (
        "Useful time over the number of nodes: 64 GB per node to a store of 1 TB/s, nodes of five years, ratios of Son "
        "et al. 2014 at 1 GB/s per node (made up), compressed and then written"
    )
    main = [tag("h2", "Time lost, by the interval"), Html(figures[0])]
    main += [tag("h2", "Useful time of a growing machine"), tag("p", words, class_="note"), Html(figures[1])]
    return write_figures_page(
        path,
        title="checkpoints and failures",
        header=[tag("h1", "checkpoints and failures"), tag("p", asked, class_="question")],
        main=main,
        figures=figures,
    )
