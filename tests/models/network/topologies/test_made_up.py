"""A topology is added by adding a folder: nothing else is told of it."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "made_up" / "run_a_star.py"


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stars") / "run"
    result = subprocess.run(
        [sys.executable, SCRIPT, folder], capture_output=True, text=True, cwd=folder.parent, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def test_it_stands_at_its_place_in_the_list(answers):
    assert answers["topologies"] == [
        *("full-mesh", "fat-tree-2-level", "fat-tree-3-level"),
        "star",
        *("torus", "hyperx", "dragonfly", "slim-fly", "skywalk"),
    ]
    assert "network" in answers["models"]
    assert not any("topologies" in name for name in answers["models"])  # a topology is no model of its own
    assert answers["parameters"].index("arms") == answers["parameters"].index("dimension_1") - 1
    assert "draw_star" in answers["pictures"]


def test_python_answers_for_it(answers):
    """Arms of 20 GB/s, 4 nodes each: closed form of uniform traffic, all else by routing."""
    assert answers["uniform"] == pytest.approx([16 * 20e9 / (4 * 12), 32 * 20e9 / (4 * 28)], rel=1e-14)
    assert answers["shift"] == [7e9, 7e9]  # two flows on an arm of 20 GB/s, so the node links limit
    assert answers["tiles"] == 7e9  # 8 of the 16 flows of a tile leave it
    assert answers["links"] == [3.0, 3.0]
    assert answers["valiant"] == pytest.approx([one / 2 for one in answers["uniform"]], rel=1e-14)
    assert answers["switches"] == [5, 9]
    assert answers["faults"] == ["one arm is no star (s >= 2)"]
    assert answers["refused"].startswith("star with s = 1, p = 4")


def test_a_study_runs_over_it(answers):
    """Fewer arms share less; two arms have the fewest switches and the most bandwidth."""
    (best,) = answers["frontier"]
    assert best["arms"] == 2
    assert math.isclose(best["effective_bandwidth"], 7e9)
    assert best["shift_routed"] == 1
    assert best["uniform_bottleneck"] == "node"
    assert best["neighbour_2d_bandwidth"] > 0
