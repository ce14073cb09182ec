"""The formulas as printed: equal to ours where the thesis is right, different with known values where it is not."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.network import effective_bandwidth, link_loads, mean_path

NEAR = "nearest-neighbour"
sizes, above_1 = st.integers(1, 9), st.integers(2, 9)
speeds = st.floats(0.1, 100.0)


def both(topology, parameters, pattern="uniform", options=None):
    """Bandwidth as printed and corrected."""
    return tuple(
        effective_bandwidth(topology, parameters, pattern, options, equations=equations)
        for equations in ("printed", "corrected")
    )


def both_paths(topology, parameters, pattern="uniform", options=None):
    """Mean links by class, as printed and corrected."""
    return tuple(
        mean_path(topology, parameters, pattern, options, equations=equations).by_class
        for equations in ("printed", "corrected")
    )


def agree(pair):
    printed, corrected = pair
    assert printed == pytest.approx(corrected, rel=1e-12)


@st.composite
def trees(draw, levels=None, w0=None):
    levels = levels or draw(st.sampled_from((2, 3)))
    drawn = {f"m{i}": draw(sizes) for i in range(1, levels + 1)} | {f"w{i}": draw(sizes) for i in range(1, levels)}
    drawn |= {f"b{i}": draw(speeds) for i in range(levels)} | {f"l{i}": draw(speeds) for i in range(levels)}
    return f"fat-tree-{levels}-level", {**drawn, "w0": w0 or draw(st.integers(1, 3))}


@st.composite
def meshes(draw, switches=above_1):
    names = ("b0", "b1", "l0", "l1")
    return "full-mesh", {"a": draw(switches), "p": draw(sizes), **{name: draw(speeds) for name in names}}


@st.composite
def grids(draw, topology, dimensions, size=above_1):
    d = tuple(draw(size) for _ in range(dimensions))
    b, l = (tuple(draw(speeds) for _ in d) for _ in range(2))  # noqa: E741
    return topology, {"p": draw(sizes), "d": d, "b0": draw(speeds), "l0": draw(speeds), "b": b, "l": l}


def nodes_of(parameters):
    return int(np.prod([value for name, value in parameters.items() if name[0] in "map"]))


# ---- where the thesis is right ---------------------------------------------------------------------------------------


@given(st.one_of(trees(), meshes(), grids("hyperx", 2)))
def test_uniform(network):
    agree(both(*network))
    agree(both_paths(*network))


@given(st.integers(1, 5).flatmap(lambda dimensions: grids("torus", dimensions, sizes)))
def test_uniform_on_a_torus(network):
    agree(both(*network))
    printed, corrected = both_paths(*network)
    nodes = network[1]["p"] * np.prod(network[1]["d"])
    for name, links in printed.items():  # all of appendix table 1 is low by (n - 1)/n: it counts a node to itself
        share = 0.0 if name == "node" and nodes == 1 else corrected[name] * (nodes - 1) / nodes
        assert links == pytest.approx(share)


@given(st.one_of(trees(w0=1), meshes()), st.data())
def test_shift_that_does_not_wrap_into_its_own_block(network, data):
    topology, parameters = network
    nodes = nodes_of(parameters)
    block = (
        parameters["p"]
        if topology == "full-mesh"
        else parameters["m1"] * ((parameters.get("m3") and parameters["m2"]) or 1)
    )
    assume(nodes > block)
    step = data.draw(st.integers(1, nodes - block))
    agree(both(topology, parameters, "shift", {"step": step}))


@given(st.tuples(above_1, above_1), st.tuples(above_1, above_1), st.data())
def test_neighbours_on_tiles(tile, counts, data):
    """Tables 5.5 and 5.6, appendix tables 3 and 4, with more than one tile along each side."""
    grid, block = tuple(t * c for t, c in zip(tile, counts, strict=True)), tile[0] * tile[1]
    options, blocks = {"grid": grid, "tiles": (tile,)}, counts[0] * counts[1]
    _, mesh = data.draw(meshes())
    _, tree = data.draw(trees(levels=2, w0=1))
    for topology, parameters in (
        ("full-mesh", {**mesh, "a": blocks, "p": block}),
        ("fat-tree-2-level", {**tree, "m1": block, "m2": blocks}),
    ):
        agree(both(topology, parameters, NEAR, options))
        agree(both_paths(topology, parameters, NEAR, options))


@pytest.mark.parametrize("counts", [(1, 3), (1, 4), (3, 1), (5, 1), (2, 1)])
def test_one_tile_along_a_side(counts):
    tile = (5, 2)
    options = {"grid": (5 * counts[0], 2 * counts[1]), "tiles": (tile,)}
    latencies = {"b0": 100.0, "b1": 3.0, "l0": 1.0, "l1": 2.0}
    for topology, shape in (
        ("full-mesh", {"a": counts[0] * counts[1], "p": 10}),
        ("fat-tree-2-level", {"m1": 10, "m2": counts[0] * counts[1], "w1": 2}),
    ):
        agree(both(topology, {**shape, **latencies}, NEAR, options))
        agree(both_paths(topology, {**shape, **latencies}, NEAR, options))


@given(st.integers(1, 4), st.integers(1, 4), st.integers(3, 6), st.integers(2, 5), speeds, speeds, speeds)
def test_hyperx_rows(m, k, d2, p, b0, b1, b2):
    """Table 5.8 and appendix table 6."""
    network = {"p": p, "d": (m * k, d2), "b0": b0, "b": (b1, b2), "l0": 1.0, "l": (2.0, 3.0)}
    options = {"grid": (m * p, k * d2)}
    agree(both("hyperx", network, NEAR, options))
    agree(both_paths("hyperx", network, NEAR, options))


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.tuples(above_1, above_1), speeds)
def test_table_5_7_below_row_1(a, b, x, y, inner, b2):
    assume((a == 1) != (b == 1))
    assume((x, y) != (1, 1))
    tree, options = subtrees((a, b), (x, y), inner, b2=b2)
    agree(both("fat-tree-3-level", tree, NEAR, options))


def subtrees(counts, inside, inner, **rest):
    outer = tuple(i * n for i, n in zip(inner, inside, strict=True))
    grid = tuple(o * n for o, n in zip(outer, counts, strict=True))
    sizes = {"m1": np.prod(inner), "m2": np.prod(inside), "m3": np.prod(counts), "w1": 2, "w2": 1}
    links = {"b0": 100.0, "b1": 7.0, "b2": 7.0, "l0": 3.0, "l1": 5.0, "l2": 11.0}
    return {**sizes, **links, **rest}, {"grid": grid, "tiles": (outer, inner)}


@given(st.tuples(above_1, above_1), st.tuples(above_1, above_1))
def test_appendix_table_5_is_right_with_one_switch_per_subtree(counts, inner):
    tree, options = subtrees(counts, (1, 1), inner)
    agree(both_paths("fat-tree-3-level", tree, NEAR, options))


# ---- where it is not -------------------------------------------------------------------------------------------------

G = 1e9
MESH = {"a": 6, "p": 10, "b0": 7 * G, "b1": 7 * G}
TWO = {"m1": 16, "m2": 8, "w1": 4, "b0": 7 * G, "b1": 7 * G}
THREE = {"m1": 8, "m2": 4, "m3": 4, "w1": 4, "w2": 2, "b0": 7 * G, "b1": 7 * G, "b2": 7 * G}
WIDE = {"w0": 2, "b0": 0.5 * G}


@pytest.mark.parametrize(
    ("topology", "parameters", "pattern", "options", "printed", "right"),
    [
        ("full-mesh", {**MESH, "a": 1, "b1": 2 * G}, "uniform", {}, 0.2, 7),
        ("hyperx", {"p": 4, "d": (4, 1), "b0": 7 * G, "b": 5 * G}, "uniform", {}, 1.25, 5),
        ("full-mesh", MESH, "shift", {"step": 57}, 1, 7 / 3),
        ("full-mesh", MESH, "shift", {"step": 60}, 0.7, 7),
        ("fat-tree-2-level", TWO, "shift", {"step": 123}, 1.75, 5.6),
        ("fat-tree-3-level", THREE, "shift", {"step": 118}, 1.75, 3.5),
        ("fat-tree-2-level", {**TWO, **WIDE}, "shift", {"step": 3}, 0.5, 1),
        ("fat-tree-3-level", {**THREE, **WIDE}, "shift", {"step": 3}, 0.5, 1),
        ("fat-tree-2-level", {**TWO, **WIDE}, NEAR, {"grid": (16, 8), "tiles": ((4, 4),)}, 0.5, 1),
        ("fat-tree-3-level", {**THREE, **WIDE}, NEAR, {"grid": (16, 8), "tiles": ((8, 4), (4, 2))}, 0.5, 1),
        (
            "full-mesh",
            {"a": 2, "p": 10, "b0": 70 * G, "b1": 7 * G},
            NEAR,
            {"grid": (5, 4), "tiles": ((5, 2),)},
            7,
            2.8,
        ),
        (
            "fat-tree-3-level",
            {**THREE, "w1": 2, "w2": 1},
            NEAR,
            {"grid": (16, 8), "tiles": ((8, 4), (4, 2))},
            2.8,
            7 / 3,
        ),
        ("hyperx", {"p": 2, "d": (6, 2), "b0": 70 * G, "b": (5 * G, G)}, NEAR, {"grid": (4, 6)}, 4, 2),
        ("hyperx", {"p": 2, "d": (6, 1), "b0": 70 * G, "b": (5 * G, G)}, NEAR, {"grid": (4, 3)}, 4, 10),
    ],
)
def test_corner(topology, parameters, pattern, options, printed, right):
    assert both(topology, parameters, pattern, options) == pytest.approx((printed * G, right * G))


@pytest.mark.parametrize(
    ("grid", "outer", "inner", "right", "printed"),
    [
        ((8, 16), (8, 4), (8, 2), 11.25, 11.4375),
        ((8, 16), (8, 4), (4, 4), 11.25, 13.25),
        ((16, 8), (4, 8), (2, 2), 13.75, 18.4375),
        ((16, 16), (4, 4), (4, 2), 15.25, 18.375),
        ((16, 16), (4, 8), (2, 2), 15.125, 19.8125),
        ((16, 16), (4, 4), (4, 4), 14.0, 14.0),
    ],
)
def test_appendix_table_5(grid, outer, inner, right, printed):
    m1, below = np.prod(inner), np.prod(outer)
    tree = {"m1": m1, "m2": below // m1, "m3": np.prod(grid) // below, "w1": 1, "w2": 1, "l0": 3, "l1": 5, "l2": 11}
    options = {"grid": grid, "tiles": (outer, inner)}
    for equations, expected in (("printed", printed), ("corrected", right)):
        path = mean_path("fat-tree-3-level", tree, NEAR, options, equations=equations)
        assert path.link_latency == pytest.approx(expected)


def test_torus_of_four_nodes_is_a_quarter_low():
    ring = {"p": 1, "d": (4,), "l0": 3.0, "l": 5.0}
    assert mean_path("torus", ring, equations="printed").link_latency == pytest.approx(9.5)
    assert mean_path("torus", ring).link_latency == pytest.approx(9.5 * 4 / 3)


def test_no_path_of_a_shift():
    found = link_loads("fat-tree-2-level", {"m1": 4, "m2": 4, "w1": 2}, "shift", {"step": 3}, equations="printed")
    assert np.isnan(found.classes[1].traversals)


def test_arrays_over_designs():
    steps = np.array([4, 10, 23, 57, 60])
    found = effective_bandwidth("full-mesh", MESH, "shift", {"step": steps}, equations="printed")
    assert found / G == pytest.approx([1.75, 0.7, 1.0, 1.0, 0.7])


def test_further_dimensions_of_one_switch_change_nothing():
    for topology, d in (("torus", (4, 3)), ("hyperx", (4, 3))):
        plain, longer = ({"p": 2, "d": (*d, *more), "b0": 7.0, "b": 2.0, "l0": 1.0, "l": 2.0} for more in ((), (1, 1)))
        assert both(topology, longer) == pytest.approx(both(topology, plain))
        paths = [mean_path(topology, one, equations="printed").link_latency for one in (plain, longer)]
        assert paths[0] == pytest.approx(paths[1])


# ---- what it has no formula for --------------------------------------------------------------------------------------

GRID = {"p": 2, "d": (4, 3), "b0": 7.0, "b": 2.0}


@pytest.mark.parametrize(
    ("topology", "parameters", "pattern", "options"),
    [
        ("dragonfly", {"a": 4, "p": 2, "h": 2, "b0": 7, "bl": 7, "bg": 7}, "uniform", {}),
        ("slim-fly", {"q": 5, "p": 4, "b0": 7, "b1": 7}, "uniform", {}),
        ("torus", GRID, "shift", {"step": 3}),
        ("torus", GRID, NEAR, {"grid": (6, 4)}),
        ("torus", {**GRID, "d": (2,) * 6}, "uniform", {}),
        ("torus", {**GRID, "d": (2, 3), "double_link_at_2": False}, "uniform", {}),
        ("hyperx", {**GRID, "d": (2, 2, 2)}, "uniform", {}),
        ("hyperx", {**GRID, "d": (4,)}, "uniform", {}),
        ("hyperx", GRID, "shift", {"step": 3}),
        ("hyperx", GRID, NEAR, {"grid": (8, 3), "tiles": ((2, 1),)}),
        ("hyperx", GRID, NEAR, {"grid": (12, 2)}),  # D2 = 2
        ("hyperx", GRID, NEAR, {"grid": (3, 8)}),  # a row is one and a half switches
        ("hyperx", {**GRID, "d": (4, 3)}, NEAR, {"grid": (4, 3, 2)}),
        ("full-mesh", MESH, "uniform", {"include_self": False}),
        ("full-mesh", MESH, "shift", {"step": -3}),
        ("full-mesh", MESH, "complement", {}),
        ("full-mesh", {**MESH, "p": 6}, "transpose", {}),
        ("full-mesh", MESH, NEAR, {"grid": (10, 6)}),
        ("full-mesh", {**MESH, "a": 1}, NEAR, {"grid": (5, 2), "tiles": ((5, 2),)}),
        ("full-mesh", {**MESH, "p": 4}, NEAR, {"grid": (4, 3, 2), "tiles": ((2, 1, 2),)}),
        ("fat-tree-3-level", {**THREE, "m3": 1}, NEAR, {"grid": (8, 4), "tiles": ((8, 4), (4, 2))}),
        ("fat-tree-3-level", {**THREE, "m2": 1}, NEAR, {"grid": (4, 8), "tiles": ((4, 2), (4, 2))}),
    ],
)
def test_no_formula(topology, parameters, pattern, options):
    with pytest.raises(InputError, match="the thesis prints no") as caught:
        effective_bandwidth(topology, parameters, pattern, options, equations="printed")
    assert topology in str(caught.value)
    assert pattern in str(caught.value) or pattern == NEAR
