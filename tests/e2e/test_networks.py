"""The network studies and the network model through the command line."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import pytest

from dse import Study
from dse.models.network import effective_bandwidth, network_parts
from dse.study.file.headings import bundled_studies

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("networks")]  # what they share is made once

MILLION = {
    "full-mesh": {"mesh_switches": 1000, "nodes_per_switch": 1000},
    "fat-tree-2-level": {"tree_children_1": 1000, "tree_children_2": 1000, "tree_uplinks_1": 500},
    "fat-tree-3-level": {
        "tree_children_1": 100,
        "tree_children_2": 100,
        "tree_children_3": 100,
        "tree_uplinks_1": 50,
        "tree_uplinks_2": 100,
    },
    "torus": {"dimension_1": 100, "dimension_2": 100, "dimension_3": 100, "nodes_per_switch": 1},
    "hyperx": {"dimension_1": 50, "dimension_2": 50, "dimension_3": 20, "nodes_per_switch": 20},
    "dragonfly": {"group_switches": 32, "nodes_per_switch": 16, "global_ports": 62, "groups": 1985},
    "slim-fly": {"field_order": 53, "nodes_per_switch": 178},
}

# Links that only one topology has.
LINKS = {"fat-tree-3-level": "upper_link_bandwidth", "dragonfly": "global_link_bandwidth"}

STUDY = """
name = "million"
models = ["network"]
also = ["nodes", "radix", "diameter", "link_latency", "bisection_bandwidth", "shift_bandwidth", "shift_routed"]
objectives = [{{ maximize = "effective_bandwidth" }}]
use = {{ topology = "{topology}" }}

[set]
switch_link_bandwidth = "25 GB/s"
shift_step = 1000
{sizes}

[space.axes]
node_link_bandwidth = {{ values = ["25 GB/s", "50 GB/s"] }}
"""


def write_study(folder, topology, sizes):
    lines = [f"{name} = {size}" for name, size in sizes.items()]
    if topology in LINKS:
        lines.append(f'{LINKS[topology]} = "25 GB/s"')
    (folder / "million.toml").write_text(STUDY.format(topology=topology, sizes="\n".join(lines)), encoding="utf-8")


def wrong(dse, *arguments):
    """Run a command whose input is wrong, and return its message on one line."""
    result = dse(*arguments)
    assert result.code == 2, result
    return " ".join(result.err.split())


@pytest.mark.parametrize("topology", MILLION)
def test_a_million_nodes(dse, tmp_path, topology):
    write_study(tmp_path, topology, MILLION[topology])

    told = dse.good("evaluate", "million.toml", "--set", "node_link_bandwidth=25 GB/s", "--json").json["values"]

    assert 1_000_000 <= told["nodes"] <= 1_020_000
    assert 0 < told["effective_bandwidth"] <= 25e9
    assert 0 < told["shift_bandwidth"] <= 25e9
    assert told["shift_routed"] == (topology in ("hyperx", "slim-fly"))


@pytest.fixture(scope="module")
def frontier():
    return Study.load("topology-uniform-4096").run(trust=False)


def test_frontier_of_4096_nodes(frontier):
    """The whole fat tree has every bandwidth; of the others each is better in switches or cables."""
    table = frontier.frontier
    tree = table[(table["alternative"] == "fat-tree-2-level") & (table["shape"] == "m=64,64 w=1,64")].iloc[0]
    assert (tree["uniform_bandwidth"], tree["shift_bandwidth"], tree["neighbour_2d_bandwidth"]) == (7e9, 7e9, 7e9)
    mesh = table[table["alternative"] == "full-mesh"].iloc[0]
    assert (mesh["switches"], mesh["uniform_bandwidth"]) == (64, 7e9)
    assert mesh["shift_bandwidth"] == pytest.approx(7e9 / 64)  # all 64 nodes of a switch share one link
    assert set(table["alternative"]) == {"full-mesh", "fat-tree-2-level", "hyperx", "dragonfly", "slim-fly"}
    assert (table["uniform_bandwidth"] <= 7e9).all()


def test_numbers_of_the_frontier_are_those_of_the_python_functions(frontier):
    row = frontier.frontier[frontier.frontier["alternative"] == "hyperx"].iloc[0]
    sizes, p = row["shape"].split(", p=")
    shape = {"d": [int(size) for size in sizes.split("x")], "p": int(p), "b0": 7e9, "b": 7e9}
    assert effective_bandwidth("hyperx", shape) == row["uniform_bandwidth"]
    assert effective_bandwidth("hyperx", shape, "shift", {"step": 2048}) == row["shift_bandwidth"]
    parts = network_parts("hyperx", shape)
    assert (parts.switches, parts.switch_links, parts.nodes) == (row["switches"], row["switch_links"], 4096)
    assert prod(shape["d"]) * shape["p"] == 4096


def test_routed_designs_are_marked(frontier):
    """Neighbours of a dragonfly have no closed form: the column says so, and the account counts them."""
    table = frontier.frontier
    dragonflies = table["alternative"] == "dragonfly"
    assert dragonflies.any()
    assert (table.loc[dragonflies, "neighbour_2d_routed"] == 1).all()
    assert (table.loc[table["alternative"] == "fat-tree-2-level", "neighbour_2d_routed"] == 0).all()
    assert "uniform_routed" not in table.columns
    assert frontier.manifest.frontier.numeric["neighbour_2d_routed"] == table["neighbour_2d_routed"].sum()


def test_routed_designs_are_marked_on_screen_and_in_the_report(dse, tmp_path):
    told = dse.good("run", "topology-uniform-4096", "--report")
    assert "no closed form and were worked out numerically (neighbour_2d_routed is 1)" in " ".join(told.out.split())
    assert "refused: 27 ×" in told.out or "refused: 11 ×" in told.out
    page = (tmp_path / "runs" / "topology-uniform-4096" / "report.html").read_text(encoding="utf-8")
    assert "on the frontier: neighbour_2d_routed is 1" in page
    assert "The designs in pictures" in page


def test_break_even_holds_for_every_pair():
    """No design of the frontier is beaten by another, and the biggest machine is a fat tree or a HyperX."""
    run = Study.load("topology-break-even").run(trust=False)
    table = run.frontier
    assert run.exact
    assert table["nodes"].max() == 262_144
    biggest = table[table["nodes"] == 262_144]
    assert "hyperx" in set(biggest["alternative"])
    ordered = table.sort_values(["nodes", "effective_bandwidth"])
    assert (ordered["effective_bandwidth"] >= 5e9).all()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("radix = 128 } }", "radix = 2 } }"), "no shape is left of 12 considered: 12 × more than 2 ports on a switch"),
        (("taper = [1, 2, 3, 4]", "taper = [0]"), "given.taper"),
        (('"network.torus"', '"network.tours"'), "did you mean 'network.torus'"),
        (("dimensions = [2, 3, 4, 5]", "dimension = [2, 3]"), "did you mean 'dimensions'"),
    ],
)
def test_impossible_enumerations(dse, tmp_path, change, told):
    text = bundled_studies()["topology-uniform-4096"].read_text(encoding="utf-8")
    assert change[0] in text
    Path(tmp_path / "edited.toml").write_text(text.replace(change[0], change[1], 1), encoding="utf-8")
    assert told in wrong(dse, "check", "edited.toml")


def test_an_impossible_shape_is_refused_with_its_reason(dse, tmp_path):
    write_study(tmp_path, "dragonfly", {"group_switches": 4, "nodes_per_switch": 2, "global_ports": 2, "groups": 8})
    found = wrong(dse, "run", "million.toml")
    assert "dragonfly with a = 4, p = 2, h = 2, g = 8" in found
    assert "do not spread evenly over the g − 1 other groups" in found


@pytest.mark.parametrize("name", ["dimension_2", "links_in_ring_of_two"])
def test_counts_with_a_default_are_whole_numbers(dse, tmp_path, name):
    write_study(tmp_path, "torus", {**MILLION["torus"], name: 1.5})
    assert f"set.{name}: '{name}' is 1.5; allowed: whole numbers" in wrong(dse, "check", "million.toml")


def test_published_figures_pass(dse):
    told = json.loads(dse.good("validate", "network", "--json").out)
    assert told["counts"]["fail"] == 0
    assert told["counts"]["pass"] >= 150
