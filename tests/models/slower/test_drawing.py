"""Figures of hidden latency and the command that shows them."""

import json

import numpy as np
import pytest

from dse.cli.main import main
from dse.errors import InputError
from dse.models.slower import (
    EXPERIMENTS,
    attribution,
    draw_attribution,
    draw_experiment,
    draw_time_of_a_core,
    experiment_gain,
    node_rate,
    work_of_mix,
)

MIX = work_of_mix(0.08, 0.24)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_figure_has_the_lines_of_the_paper(name):
    figure = draw_experiment(name)
    asked, gains = EXPERIMENTS[name], experiment_gain(name)
    assert len(figure.data) == len(asked.values[asked.lines])
    for line, row in zip(figure.data, gains, strict=True):
        np.testing.assert_array_equal(line.y, row)
        np.testing.assert_array_equal(line.x, asked.values[asked.along])
    assert f"Fig. {asked.figure}" in figure.layout.title.text


def test_time_of_a_core_adds_up():
    tasks = 2.0 ** np.arange(9)
    found = attribution(MIX, latency=1024, overhead=100, tasks=tasks, cores=12)
    np.testing.assert_allclose(found.useful + found.overhead + found.waiting + found.idle, 1.0, rtol=1e-12)
    for part in (found.useful, found.overhead, found.waiting, found.idle):
        assert np.all(part >= -1e-12)
    rates = node_rate(MIX, latency=1024, overhead=100, tasks=tasks, cores=12)
    np.testing.assert_allclose(found.useful, rates.efficiency, rtol=1e-9)
    # Overhead takes p O of the time of each instruction, and waiting a (R - S).
    np.testing.assert_allclose(found.overhead, rates.core_rate * 0.08 * 100, rtol=1e-9)
    waited = rates.core_rate * 0.0024 * (rates.memory_response - 200.0)
    np.testing.assert_allclose(found.waiting, waited, rtol=1e-9, atol=1e-15)
    assert len(draw_attribution(MIX, latency=1024, overhead=100, tasks=tasks, cores=12).data) == 4


def test_one_axis_is_drawn():
    with pytest.raises(InputError, match="allowed: one, the axis"):
        attribution(MIX, latency=[1.0, 2.0], overhead=0.0, tasks=[1, 2], cores=1)


def test_the_picture_of_a_design():
    """Half busy, half of that waiting, a fifth of the rest overhead: 20, 5, 25 and 50 %."""
    drawing = draw_time_of_a_core.function(
        overhead_efficiency=0.8, waiting_efficiency=0.5, busy_fraction=0.5, running_tasks=8.0, tasks_over_knee=0.5
    )
    told = [shape.text for shape in drawing.shapes if hasattr(shape, "text")]
    assert [text.split(" %")[0] for text in told[:4]] == ["20.0", "5.0", "25.0", "50.0"]
    assert told[4] == "8 tasks; 16 would fill the latency"


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["slower", *arguments])
    return ended.value.code, capsys.readouterr()


def test_the_command(capsys, tmp_path):
    page = tmp_path / "slower.html"
    asked = ("--latency", "8192", "--tasks", "64", "--cores", "16")
    code, shown = run(capsys, *asked, "--report", str(page))
    assert code == 0
    assert "63.555" in shown.out
    assert page.read_text(encoding="utf-8").count("plotly-graph-div") >= 7
    _, shown = run(capsys, *asked, "--json")
    found = json.loads(shown.out)
    assert found["gain"] == pytest.approx(63.555, abs=0.001)
    assert found["near_knee"] is False


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--latency", "-1"), "latency: -1; allowed: a number >= 0"),
        (("--latency", "10", "--tasks", "0"), "tasks: 0; allowed: a whole number >= 1"),
        (("--latency", "10", "--network", "0.9", "--memory", "0.2"), "1.1 of the instructions together"),
    ],
)
def test_what_the_command_refuses(capsys, options, words):
    code, shown = run(capsys, *options)
    assert code == 2
    assert words in shown.err
