"""Objectives along nodes: the curve, how far it reaches, and both ends of a bracket, on the screen and on the page."""

import json

import numpy as np
import pytest

from dse.analysis.explain.parts import along_parts, curves_along
from dse.analysis.explain.reach import reach_of
from dse.cli.main import main
from dse.graph.graph import call

SPLIT = {
    "set": dict.fromkeys(("dimension_1", "dimension_2", "dimension_3", "nodes_per_switch")),
    "space": {
        "axes": {
            "width": {"part": "node/widths.csv", "only": ["8-wide"]},
            "memory": {"part": "processor/dram-types.csv", "only": ["DDR5-4800"]},
            "dram_units": {"values": [2]},
            "shape": {
                "enumerate": "network.hyperx",
                "given": {"nodes": {"values": [64, 128, 256]}, "radix": 64, "dimensions": [2], "largest_ratio": 2},
            },
        },
        "split": ["nodes"],
    },
}


def explain(folder, *options):
    """Return the exit code of `dse explain`."""
    with pytest.raises(SystemExit) as ended:
        main(["explain", str(folder), *options])
    return ended.value.code or 0


@pytest.fixture
def split(load):
    return load(**SPLIT)


@pytest.fixture
def curves(split):
    return curves_along(split, along_parts(split, 0))


def test_the_reach_is_the_study_with_compute_time_at_both_ends(split):
    """Everything after the time of computing, evaluated once more by hand with that time as an end of its band."""
    problem = split.compiled
    (record,) = problem.quantities([0, 1])
    graph, values = problem.systems[0].graph, record["values"]
    reach = reach_of(graph, values, ["system_time", "system_energy"], 2)
    for name, ends, factor in (
        ("profile_band_low", reach.band_low, 1.0),
        ("profile_band_high", reach.band_high, 1.0),
        ("profile_band_low", reach.low, 0.66),
        ("profile_band_high", reach.high, 1.34),
    ):
        there = {**values, "compute_time": values["compute_time"] * values[name] * factor}
        for function in graph.functions:
            if "compute_time" not in function.gives:
                there.update(call(function, there))
        np.testing.assert_allclose(ends[:, 0], np.broadcast_to(there["system_time"].reshape(-1), 2), rtol=1e-12)
    assert (reach.low < reach.band_low).all()
    assert (reach.band_high < reach.high).all()


def test_a_curve_has_both_ends_and_the_other_component(split, curves):
    time, energy = curves
    assert (time.quantity, time.column, time.values) == ("system_time", "nodes", (64.0, 128.0, 256.0))
    assert all(
        low <= band[0] <= point <= band[1] <= high
        for (low, high), band, point in zip(time.reach, time.band, time.points, strict=True)
    )
    assert time.banded
    (other,) = time.others
    assert other == "prefetching streams"
    assert all(there < here for there, here in zip(time.others[other], time.points, strict=True))
    assert time.efficiency[0] == 1.0
    assert time.efficiency[2] == pytest.approx(64 * time.points[0] / (256 * time.points[2]))
    assert energy.efficiency == ()


def test_the_screen_has_the_curve(tmp_path, split, capsys):
    split.run(tmp_path / "run", trust=False)
    assert explain(tmp_path / "run", "--along") == 0
    shown = capsys.readouterr().out
    assert "system time along nodes" in shown
    assert "of ideal" in shown
    assert "with prefetching streams" in shown
    assert explain(tmp_path / "run", "--along", "--json") == 0
    time, _ = json.loads(capsys.readouterr().out)
    assert [point["value"] for point in time["points"]] == [64, 128, 256]
    assert time["points"][0]["reach"][0] < time["points"][0]["objective"] < time["points"][0]["reach"][1]


def test_the_page_has_the_curve(tmp_path, split):
    page = split.run(tmp_path / "run", trust=False).report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "system time along nodes" in page
    assert page.count('class="band t0"') == 8  # two bands of two objectives, each drawn wide and narrow


def test_a_space_that_is_not_split_is_refused(tmp_path, load, capsys):
    load().run(tmp_path / "run", trust=False)
    assert explain(tmp_path / "run", "--along") == 2
    assert 'split = ["nodes"]' in capsys.readouterr().err
