"""The picture of an operation in a report."""

import numpy as np
import pytest

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.authoring.picture import Box, Dot, Text, draw
from dse.models.collectives import ALGORITHMS, COLLECTIVES, INFINIBAND, cost
from dse.report.run_page.page import write_report

PICTURES = {picture.name: picture for picture in load_model("collectives").pictures}
NETWORK = ("latency", "overhead", "receiver_overhead", "gap", "byte_time", "reduction_time")


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("processes", [1, 2, 1000])
def test_every_defined_algorithm_has_a_bar_and_the_taken_one_is_marked(collective, processes):
    defined = [name for name, one in COLLECTIVES[collective].items() if one.is_defined(np.array([processes]))[0]]
    name = defined[-1]
    found = cost(name, collective, processes, 0.0 if collective == "barrier" else 8.0)
    values = {f"{collective}_time": found.time, f"{collective}_choice": float(ALGORITHMS.index(name))}
    values |= {"collective_processes": processes, "collective_message_size": 8.0}
    values |= {f"loggp_{part}": getattr(INFINIBAND, part) for part in NETWORK}
    drawing = draw(PICTURES[f"draw_{collective}"], values)
    bars = [shape.kind for shape in drawing.shapes if isinstance(shape, Box)]
    assert sorted(bars) == sorted(["taken"] + ["other"] * (len(defined) - 1))
    assert sum(isinstance(shape, Dot) for shape in drawing.shapes) == 1
    assert set(defined) <= {shape.text for shape in drawing.shapes if isinstance(shape, Text)}
    assert f"{name} is taken" in drawing.caption


def test_a_report_shows_the_winner_by_name(tmp_path):
    run = Study.load("collectives-tradeoff").run(tmp_path / "run")
    page = write_report(run).read_text(encoding="utf-8")
    assert "butterfly is taken" in page
