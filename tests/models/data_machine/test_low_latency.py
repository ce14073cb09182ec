"""Topologies of low latency on one floor: graphs, paths and cables by hand, and what the study takes from them."""

import csv
import heapq
from pathlib import Path

import numpy as np
import pytest

import dse.spaces
from dse import Study
from dse.errors import InputError
from dse.models.data_machine import low_latency_topologies
from dse.models.data_machine.low_latency import _FIXED, hyperx_neighbours, torus_neighbours
from dse.models.network.graphs.equal_cost_paths import equal_cost_paths
from dse.models.network.graphs.floor_plan import FloorPlan
from dse.models.network.graphs.zero_load import least_mean_hops, zero_load

GRIDS = Path(str(dse.spaces.__file__)).parent / "network" / "grids-on-a-floor.csv"
COMPARED = {one.name: one for one in low_latency_topologies()}


def nearest(neighbours, start):
    """Links, and tenths of metres of cable, to every switch (Dijkstra); four switches in a cabinet, eight in a row."""
    found, queue = {}, [(0, 0, start)]
    while queue:
        hops, tenths, here = heapq.heappop(queue)
        if here in found:
            continue
        found[here] = hops, tenths
        for other in neighbours[here]:
            (row, column), (there, aside) = divmod(here // 4, 8), divmod(other // 4, 8)
            way = 6 * abs(aside - column) + 21 * abs(there - row) + 20
            heapq.heappush(queue, (hops + 1, tenths + (20 if here // 4 == other // 4 else way), int(other)))
    return found


@pytest.mark.parametrize("name", _FIXED)
def test_hops_and_cables_are_those_of_a_search_by_hand(name):
    """From every 15th switch; the means are those of all."""
    neighbours = _FIXED[name]()
    cabinet = np.arange(256) // 4
    paths = equal_cost_paths(neighbours, FloorPlan().cable_lengths(cabinet[:, None], cabinet[neighbours]))
    for start in range(0, 256, 15):
        row = nearest(neighbours.tolist(), start)
        assert paths.hops[start].tolist() == [row[end][0] for end in range(256)]
        assert paths.cable[start] * 10 == pytest.approx([row[end][1] for end in range(256)], abs=1e-6)
    hops, metres = (one.sum() / (256 * 255) for one in (paths.hops, paths.cable))
    mean = COMPARED[name].mean
    assert mean == pytest.approx((hops, metres, (hops + 1) * 60e-9 + 5e-9 * metres), rel=1e-12)


def test_graphs():
    """Links have two ends; means of hops in closed form; a dragonfly has four links between each two groups."""
    for name, neighbours in _FIXED.items():
        rows = [[other for other in near if other != one] for one, near in enumerate(neighbours().tolist())]
        for one, near in enumerate(rows):
            assert all(rows[other].count(one) == near.count(other) for other in near), name
    others = 256 / 255
    assert COMPARED["torus 16x16"].mean.hops == pytest.approx(others * 2 * 4)
    assert COMPARED["hypercube"].mean.hops == pytest.approx(others * 8 / 2)
    assert COMPARED["HyperX 4x8x8"].mean.hops == pytest.approx(others * (3 / 4 + 7 / 8 + 7 / 8))
    rows = _FIXED["dragonfly a=16, g=16, h=4"]().tolist()
    pairs = np.zeros((16, 16), dtype=int)
    for one, near in enumerate(rows):
        for other in near:
            pairs[one // 16, other // 16] += one != other
    assert (pairs[~np.eye(16, dtype=bool)] == 4).all()
    assert (pairs.diagonal() == 16 * 15).all()


def test_no_topology_has_fewer_hops_than_the_bound():
    for one in COMPARED.values():
        assert one.mean.hops > one.least_hops
        assert one.least_hops == least_mean_hops(256, one.degree)
    assert least_mean_hops(5, 4) == 1.0
    assert least_mean_hops(1 + 3 + 6, 3) == (3 + 2 * 6) / 9  # the graph of Petersen
    assert least_mean_hops(10, 1) == np.inf


def test_the_order_of_the_topologies():
    """Random links take fewer hops than a Skywalk's, and longer cables: it is the faster one."""
    for degree in (5, 7, 9, 11):
        skywalk, random = COMPARED[f"skywalk k={degree}"], COMPARED[f"random k={degree}"]
        assert random.mean.hops < skywalk.mean.hops
        assert random.mean.cable > skywalk.mean.cable
        assert random.mean.latency > skywalk.mean.latency
        assert 0 < skywalk.deviation.latency < 0.02 * skywalk.mean.latency


def test_other_floors_and_what_is_refused():
    crowded = zero_load(torus_neighbours((16, 16)), cabinets=64, floor=FloorPlan(cabinet_width=0.0, cabinet_depth=0.0))
    assert crowded.cable == pytest.approx(2 * crowded.hops)
    assert crowded.hops == COMPARED["torus 16x16"].mean.hops
    with pytest.raises(InputError, match="divides the 256 switches"):
        zero_load(torus_neighbours((16, 16)), cabinets=60)
    with pytest.raises(ValueError, match="at least 5"):
        low_latency_topologies([1, 2, 3])


# --- the study -------------------------------------------------------------------------------------------------------


def grids():
    with GRIDS.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.mark.parametrize("row", grids(), ids=lambda row: row["name"])
def test_grids_on_the_floor_are_those_of_the_table(row):
    sides = [int(row[f"dimension_{place}"]) for place in (1, 2, 3, 4)]
    sides = [side for side in sides if side > 1]
    neighbours = torus_neighbours(sides) if row["grid"] == "torus" else hyperx_neighbours(sides)
    found = zero_load(neighbours, cabinets=64)
    assert float(row["switch_link_latency [ns]"]) == pytest.approx(5 * found.cable / found.hops, rel=1e-5)
    cabinet = np.arange(256) // 4
    share = np.mean(cabinet[neighbours] != cabinet[:, None])
    assert float(row["optical_switch_share"]) == pytest.approx(share, rel=1e-5)


def test_the_study_has_the_latencies_of_the_comparison():
    """Of four nodes per switch: 3 of 1023 messages stay at their switch, and node links take 2.5 ns each."""
    table = Study.load("low-latency-topologies").run(trust=False).frontier

    def expected(mean):
        return (1020 * mean.latency + 3 * 60e-9) / 1023 + 5e-9

    for name in ("torus 16x16", "HyperX 4x8x8"):
        (found,) = table[table["shape"] == name]["network_latency"]
        assert found == pytest.approx(expected(COMPARED[name].mean), rel=1e-5)
    skywalk = table[table["alternative"] == "skywalk"].sort_values("switch_degree")
    for degree in (5, 7, 9, 11):
        (found,) = skywalk[skywalk["switch_degree"] == degree]["network_latency"]
        one = COMPARED[f"skywalk k={degree}"]
        assert found == pytest.approx(expected(one.mean), abs=4 * one.deviation.latency)
    assert (np.diff(skywalk["network_latency"]) < 0).all()
    assert (np.diff(skywalk["network_power"]) > 0).all()
