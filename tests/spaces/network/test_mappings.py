"""Tiles as an axis: all that fit, what they give, and none better forgotten by the sub-domains."""

from itertools import product
from math import prod

import numpy as np
import pytest

from dse import Study
from dse.authoring.library.library import find_enumeration
from dse.errors import InputError

GRID = {"nodes": 128, "radix": 24, "nodes_per_switch": 16, "taper": 16}
LINKS = {
    "node_link_bandwidth": "7 GB/s",
    "switch_link_bandwidth": "7 GB/s",
}


def rows(**given):
    return find_enumeration("network.tiles").rows(given)


def study(
    given, *, enumerated="tiles", use=None, topology="fat-tree-2-level", links=LINKS, also=("neighbour_2d_bottleneck",)
):
    return Study(
        {
            "name": "tiles",
            "models": ["network"],
            "objectives": [{"maximize": "neighbour_2d_bandwidth"}],
            "also": ["nodes", *also],
            "use": {"topology": topology, "process_mapping": "tiles", **(use or {})},
            "set": dict(links),
            "space": {"axes": {"mapping": {"enumerate": f"network.{enumerated}", "given": given}}},
        }
    )


def test_tiles_of_a_tree_with_their_bandwidths():
    """16 by 8 processes, 16 nodes of a switch, one uplink: 1.75, 1.75, 1.4 and 0.875 GB/s."""
    asked = study({"topology": "fat-tree-2-level", "shape": GRID, "grid": [16, 8]}, also=("mapping_name",))
    told = {}
    for label in rows(topology="fat-tree-2-level", shape=GRID, grid=[16, 8]).labels:
        values = asked.evaluate({"mapping": label})
        told[values["mapping_name"]] = values["neighbour_2d_bandwidth"] / 1e9
    assert told == pytest.approx({"linear": told["linear"], "2×8": 1.75, "4×4": 1.75, "8×2": 1.4, "16×1": 0.875})
    assert told["linear"] == pytest.approx(0.875)  # rows of the grid on switches: 16 by 1


def test_all_tiles_that_fit_and_no_others():
    found = rows(blocks=[8, 2], grid=[8, 4], linear=False)
    columns = zip(*(found.columns[f"tile_{level}_{axis}"] for level in (1, 2) for axis in "xy"), strict=True)
    listed = {tuple(int(side) for side in row) for row in columns}
    every = {
        (a, b, c, d)
        for a, b, c, d in product(range(1, 9), repeat=4)
        if a * b == 8 and c * d == 2 and 8 % a == 0 and 4 % b == 0 and a % c == 0 and b % d == 0
    }
    assert listed == every
    assert found.considered == found.kept + sum(found.refused.values())
    assert found.refused["a side of the tile does not divide that of the grid"] == 1  # 1 by 8
    assert set(found.labels) >= {"4x2 of 2x1", "2x4 of 1x2"}


def test_shapes_and_tiles_are_one_axis():
    """Each machine with its own tiles, and those whose nodes are not the processes are counted."""
    shape = {"nodes": {"values": [64, 128]}, "radix": 64}
    found = rows(topology="fat-tree-3-level", shape=shape, grid=[16, 8])
    both = find_enumeration("network.fat-tree-3-level").rows(shape)
    names = [f"tree_children_{level}" for level in (1, 2, 3)]
    nodes = prod(both.columns[name] for name in names)
    assert found.refused["the grid has not one process for each node of the machine"] == int((nodes == 64).sum())
    m1, m2, m3 = (found.columns[name] for name in names)
    assert set((m1 * m2 * m3).tolist()) == {128.0}
    linear = found.columns["tile_1_x"] == 0
    assert linear.sum() == (nodes == 128).sum()
    outer = found.columns["tile_1_x"] * found.columns["tile_1_y"]
    inner = found.columns["tile_2_x"] * found.columns["tile_2_y"]
    np.testing.assert_array_equal(outer[~linear], (m1 * m2)[~linear])
    np.testing.assert_array_equal(inner[~linear], m1[~linear])


def test_without_a_grid_it_is_the_most_square_one():
    shape = {"nodes": 32, "radix": 24, "nodes_per_switch": 4}
    assert rows(topology="full-mesh", shape=shape).labels[1:] == ("a=8, p=4; 1x4", "a=8, p=4; 2x2", "a=8, p=4; 4x1")
    assert "tile_1_z" in rows(topology="full-mesh", shape=shape, dimensions=3).columns


@pytest.mark.parametrize(
    ("topology", "shape", "slow"),
    [
        ("fat-tree-2-level", {"nodes": 96, "radix": 64, "taper": [2, 4]}, "1 GB/s"),
        ("fat-tree-3-level", {"nodes": 64, "radix": 24, "taper": [1, 2]}, "2 GB/s"),
        ("full-mesh", {"nodes": 64, "radix": 40}, "2 GB/s"),
    ],
)
def test_the_best_of_the_axis_is_never_worse_than_sub_domains(topology, shape, slow):
    """And on a tree the same, wherever one of its links limits."""
    links = {**LINKS, "switch_link_bandwidth": slow}
    links |= {"upper_link_bandwidth": slow} if topology == "fat-tree-3-level" else {}
    given = {"topology": topology, "shape": shape}
    swept = study(given, topology=topology, links=links)
    best = study(shape, enumerated=topology, topology=topology, links=links, use={"process_mapping": "sub-domains"})
    listed = rows(**given)
    of_machine: dict[str, list[float]] = {}
    for label in listed.labels:
        machine = label.split(";")[0]
        of_machine.setdefault(machine, []).append(swept.evaluate({"mapping": label})["neighbour_2d_bandwidth"])
    compared = 0
    for machine, found in of_machine.items():
        told = best.evaluate({"mapping": machine})
        assert max(found) >= told["neighbour_2d_bandwidth"] * (1 - 1e-12)
        if topology == "fat-tree-2-level" and told["neighbour_2d_bottleneck"] != "node":
            compared += 1
            assert max(found) == pytest.approx(told["neighbour_2d_bandwidth"], rel=1e-12)
    assert compared or topology != "fat-tree-2-level"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ["'topology' and 'blocks'", "one of the two"]),
        ({"topology": "torus", "blocks": [4], "grid": [4, 4]}, ["one of the two"]),
        ({"blocks": [4]}, ["grid"]),
        ({"topology": "fat-tree-2-levels", "shape": {"nodes": 64, "radix": 64}}, ["fat-tree-2-level"]),
        ({"topology": "torus"}, ["nodes"]),
        ({"grid": [4, 4, 4, 4], "blocks": [4]}, ["one to three dimensions"]),
        ({"grid": [5, 5], "blocks": [4], "linear": False}, ["a side of the tile does not divide"]),
    ],
)
def test_refused(given, words):
    with pytest.raises(InputError) as caught:
        rows(**given)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_tiles_that_do_not_fit_the_machine_are_refused():
    asked = study(
        {"blocks": [8], "grid": [16, 8]},
        links={**LINKS, **{"tree_children_1": 16, "tree_children_2": 8, "tree_uplinks_1": 1}},
    )
    with pytest.raises(InputError, match=r"tiles\[0\] = .*16 in all"):
        asked.evaluate({"mapping": "4x2"})


def test_rows_of_the_thesis_have_no_tiles():
    links = {**LINKS, "dimension_1": 8, "dimension_2": 2, "nodes_per_switch": 8}
    asked = study({"blocks": [8], "grid": [16, 8]}, topology="hyperx-as-printed", links=links)
    with pytest.raises(InputError, match="maps rows of the process grid, no tiles"):
        asked.evaluate({"mapping": "4x2"})
