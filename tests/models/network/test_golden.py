"""Numbers of the specification, section by section, from the oracle and from the models.

Bandwidths in GB/s, latencies in ns; the functions get B/s and s.
"""

import math

import pytest

from dse.models.network import effective_bandwidth, mean_path, network_parts

from . import oracle

GB, NS = 1e9, 1e-9


def in_si(par: dict) -> dict:
    """The same parameters in B/s and s."""

    def scaled(name, value):
        factor = GB if name in ("b", "b0", "b1", "b2", "bl", "bg") else NS if name[0] == "l" else None
        if factor is None:
            return value
        return [one * factor for one in value] if isinstance(value, list) else value * factor

    return {name: scaled(name, value) for name, value in par.items()}


def found_by_models(topology, par, pattern="uniform", extra=None, **options) -> tuple[float, float, float]:
    """B_node in GB/s, l_link in ns, links."""
    si = in_si(par)
    path = mean_path(topology, si, pattern, extra, **options)
    bandwidth = float(effective_bandwidth(topology, si, pattern, extra, **options))
    assert float(path.switches) == pytest.approx(float(path.links) - 1, rel=1e-12)
    return bandwidth / GB, float(path.link_latency) / NS, float(path.links)


# --- section 11: reference cases, ten digits ------------------------------------------------------------------------

MESH = {"a": 6, "p": 10, "b0": 7, "b1": 7, "l0": 2.5, "l1": 12}
TREE = {"m1": 16, "m2": 8, "w0": 1, "w1": 4, "b0": 7, "b1": 7, "l0": 2.5, "l1": 12}
TALL = {"m1": 8, "m2": 4, "m3": 4, "w0": 1, "w1": 4, "w2": 2, "b0": 7, "b1": 7, "b2": 7, "l0": 2.5, "l1": 12, "l2": 12}
FLY = {"a": 4, "p": 2, "h": 2, "g": 9, "b0": 70, "bl": 7, "bg": 7, "l0": 2.5, "ll": 12, "lg": 100}
SLIM = {"q": 5, "p": 4, "b0": 7, "b1": 7, "l0": 2.5, "l1": 12}


def grid(p, d, b, latency=12, b0=70):
    """Torus or HyperX."""
    return {"p": p, "d": d, "b0": b0, "b": b, "l0": 2.5, "l": latency}


def case(topology, par, pattern, *expected, routing="minimal", **extra):
    return topology, par, pattern, extra, routing, expected


NEIGHBOURS = "nearest-neighbour"
NARROW = TALL | {"w1": 2, "w2": 1}
TWO_TILES = {"grid": [16, 8], "tiles": [[8, 4], [4, 2]]}
SMALL = TREE | {"m1": 4, "m2": 16, "w1": 2, "b0": 70}
ROWS = grid(2, [6, 2], [5, 1])
UNEVEN = grid(3, [4, 3], [5, 4], [12, 10])

REFERENCE = [  # nodes, B_node, l_link, links
    case("full-mesh", MESH, "uniform", 60, 4.2, 15.16949153, 2.847457627),
    case("full-mesh", MESH | {"b1": 2}, "uniform", 60, 1.2, 15.16949153, 2.847457627),
    case("full-mesh", MESH | {"b1": 2}, "uniform", 60, 1.18, 15.16949153, 2.847457627, include_self=False),
    case("full-mesh", MESH, "shift", 60, 1.75, 9.8, 2.4, step=4),
    case("full-mesh", MESH, "shift", 60, 1, 17, 3, step=23),
    case("full-mesh", MESH, "shift", 60, 0.7, 17, 3, step=30),
    case("full-mesh", MESH, "shift", 60, 2.333333333, 8.6, 2.3, step=57),
    case("full-mesh", MESH, NEIGHBOURS, 60, 5.6, 9.2, 2.35, grid=[10, 6], tiles=[[5, 2]]),
    case("fat-tree-2-level", TREE, "uniform", 128, 2, 26.16535433, 3.763779528),
    case("fat-tree-2-level", TREE, "shift", 128, 5.6, 12.5, 2.625, step=5),
    case("fat-tree-2-level", TREE, "shift", 128, 5.6, 12.5, 2.625, step=123),
    case("fat-tree-2-level", TREE | {"w1": 1}, NEIGHBOURS, 128, 1.75, 11, 2.5, grid=[16, 8], tiles=[[4, 4]]),
    case("fat-tree-3-level", TALL, "uniform", 128, 2.333333333, 45.81889764, 5.401574803),
    case("fat-tree-3-level", TALL, "shift", 128, 2.8, 44, 5.25, step=20),
    case("fat-tree-3-level", TALL, "shift", 128, 3.5, 36.5, 4.625, step=118),
    case("fat-tree-3-level", NARROW, NEIGHBOURS, 128, 2.333333333, 18.5, 3.125, **TWO_TILES),
    case("torus", grid(1, [4, 4, 4], [2, 2, 2], b0=7), "uniform", 64, 4, 41.57142857, 5.047619048),
    case("torus", grid(2, [5, 3], [2, 3], b0=7), "uniform", 30, 1.666666667, 28.17241379, 3.931034483),
    case("torus", grid(2, [6], [2]), "uniform", 12, 1.333333333, 24.63636364, 3.636363636),
    case("torus", grid(2, [5, 4], [2, 3], [12, 10]), "shift", 40, 0.6666666667, 30, 4.2, step=7),
    case("torus", grid(4, [4, 4], [2, 3], [12, 10]), NEIGHBOURS, 64, 4, 10.5, 2.5, grid=[8, 8], tiles=[[2, 2]]),
    case("torus", grid(1, [8, 6], [2, 3], [12, 10]), "complement", 48, 1, 45.66666667, 5.666666667),
    case("hyperx", grid(4, [4, 3], [5, 5], b0=7), "uniform", 48, 3.75, 22.36170213, 3.446808511),
    case("hyperx", grid(2, [4, 2], [5, 5]), NEIGHBOURS, 16, 5, 17, 3, grid=[4, 4], tiles=()),
    case("hyperx", grid(2, [6, 3], [5, 5]), NEIGHBOURS, 36, 10, 16, 2.916666667, grid=[4, 9], tiles=()),
    case("hyperx", UNEVEN, "shift", 36, 1.6, 27, 4, step=16),
    case("hyperx", UNEVEN, "shift", 36, 1.333333333, 27, 4, step=16, routing="dimension-order"),
    case("dragonfly", FLY, "uniform", 72, 7.411764706, 112.3802817, 4.338028169),
    case("dragonfly", FLY | {"g": 5}, "uniform", 40, 7.777777778, 103.6666667, 4.205128205),
    case("dragonfly", FLY | {"b0": 7}, "shift", 72, 0.875, 123, 4.5, step=8),
    case("dragonfly", FLY | {"b0": 7, "bl": 1}, "shift", 72, 0.25, 123, 4.5, step=11),
    case("fat-tree-2-level", SMALL, "transpose", 64, 3.5, 29, 4),
    case("fat-tree-2-level", SMALL | {"m1": 16, "m2": 4}, "bit-reversal", 64, 1.166666667, 25.57142857, 3.714285714),
    case("slim-fly", SLIM, "uniform", 200, 6.730769231, 26.94974874, 3.829145729),
    # below the table: a HyperX with d2 = 2 (the other one, a torus with d1 = 2, is the next test)
    case("hyperx", ROWS, NEIGHBOURS, 24, 2, 16, 2.916666667, grid=[4, 6], tiles=()),
]


@pytest.mark.parametrize("case", REFERENCE, ids=lambda case: f"{case[0]}-{case[2]}")
def test_reference_cases(case):
    """34 cases of ten digits and the HyperX with d2 = 2, by the oracle and by the models."""
    topology, par, pattern, extra, routing, (nodes, *answers) = case
    slow = oracle.evaluate(topology, par, pattern, extra, routing)
    assert oracle.number_of_nodes(topology, par) == nodes
    assert [slow.bandwidth, slow.link_latency, slow.links] == pytest.approx(answers, rel=1e-8)
    assert int(network_parts(topology, in_si(par)).nodes) == nodes
    assert found_by_models(topology, par, pattern, extra, routing=routing) == pytest.approx(tuple(answers), rel=1e-8)


@pytest.mark.parametrize(
    ("b", "double", "bandwidth"),
    [([6, 3], True, 3.0), ([6, 3], False, 3.0), ([3, 30], True, 6.0), ([3, 30], False, 3.0)],
)
def test_ring_of_two_with_one_link_or_two(b, double, bandwidth):
    par = {"p": 2, "d": [2, 4], "b0": 70, "b": b, "l0": 2.5, "l": 12, "double_link_at_2": double}
    assert oracle.evaluate("torus", par).bandwidth == pytest.approx(bandwidth, rel=1e-12)
    assert float(effective_bandwidth("torus", in_si(par))) / GB == pytest.approx(bandwidth, rel=1e-12)


# --- section 8: the study of 262,144 nodes ---------------------------------------------------------------------------

LINKS = {"b0": 5, "b1": 5, "l0": 2.5, "l1": 12}
SHARED = {"b0": 5, "b": 5, "l0": 2.5, "l": 12}

# topology, parameters; B_node, links, l_link, latency per message in µs, switches, radix
STUDY = [
    ("hyperx", SHARED | {"p": 64, "d": [64, 64]}, 5, 3.968758, 28.6251, 3.006755, 4096, 190),
    ("hyperx", SHARED | {"p": 256, "d": [32, 32]}, 0.625, 3.937507, 28.2501, 2.984505, 1024, 318),
    ("torus", SHARED | {"p": 1, "d": [16, 16, 8, 8, 16]}, 2.5, 18.000061, 197.0007, 12.997043, 262144, 11),
    (
        "fat-tree-3-level",
        LINKS | {"m1": 64, "m2": 64, "m3": 64, "w0": 1, "w1": 64, "w2": 64, "b2": 5, "l2": 12},
        5,
        5.968277,
        52.6193,
        4.430413,
        12288,
        128,
    ),
]


@pytest.mark.parametrize("case", STUDY, ids=lambda case: f"{case[0]}-{case[-2]}")
def test_study_of_262144_nodes(case):
    """The digits printed: 0.9 µs in the node and 0.7 µs per switch beside the links."""
    topology, par, bandwidth, links, latency, message, switches, radix = case
    found = found_by_models(topology, par)
    assert found[0] == pytest.approx(bandwidth, rel=1e-12)
    assert found[1] == pytest.approx(latency, abs=5.1e-5)
    assert found[2] == pytest.approx(links, abs=5.1e-7)
    assert 0.9 + found[1] / 1000 + (found[2] - 1) * 0.7 == pytest.approx(message, abs=5.1e-7)
    parts = network_parts(topology, in_si(par))
    assert (int(parts.nodes), int(parts.switches), int(parts.ports)) == (262144, switches, radix)


# --- sections 5 and 9: latencies of nearest neighbours on 3-level trees, right and as printed ------------------------

# grid; tiles; right, printed (full-system.md, section 2.3)
TREE_LATENCIES = [
    ((8, 16), ((8, 4), (8, 2)), 11.25, 11.44),
    ((8, 16), ((8, 4), (4, 4)), 11.25, 13.25),
    ((16, 8), ((4, 8), (2, 2)), 13.75, 18.44),
    ((16, 16), ((4, 4), (4, 2)), 15.25, 18.375),
    ((16, 16), ((4, 8), (2, 2)), 15.125, 19.81),
    ((16, 16), ((4, 4), (4, 4)), 14.0, 14.0),
]


@pytest.mark.parametrize(("grid", "tiles", "right", "printed"), TREE_LATENCIES)
def test_latency_of_nearest_neighbours_on_a_3_level_tree(grid, tiles, right, printed):
    """Appendix table 5 counts one L1 tile of each subtree and calls all others remote."""
    outer, inner = (math.prod(tile) for tile in tiles)
    par = {"m1": inner, "m2": outer // inner, "m3": math.prod(grid) // outer, "w1": 1, "w2": 1}
    par |= {"b0": 1, "b1": 1, "b2": 1, "l0": 3, "l1": 5, "l2": 11}
    extra = {"grid": grid, "tiles": tiles}
    assert oracle.evaluate("fat-tree-3-level", par, NEIGHBOURS, extra).link_latency == right
    assert found_by_models("fat-tree-3-level", par, NEIGHBOURS, extra)[1] == pytest.approx(right, rel=1e-12)
    as_printed = found_by_models("fat-tree-3-level", par, NEIGHBOURS, extra, equations="printed")[1]
    assert as_printed == pytest.approx(printed, abs=5.1e-3)


# --- section 9: where print and correction differ --------------------------------------------------------------------

PRINTED = [  # what differs; topology, parameters, pattern, pattern parameters; B_node printed, right
    ("5.8, one switch", "full-mesh", MESH | {"a": 1}, "uniform", {}, 0.7, 7),
    ("5.41, d = 1", "hyperx", SHARED | {"p": 4, "d": [1, 8], "b": 4, "b0": 70}, "uniform", {}, 1.0, 8.0),
    ("5.50, n - p < s", "full-mesh", MESH, "shift", {"step": 57}, 1.0, 7 / 3),
    ("5.54, n - m1 < s", "fat-tree-2-level", TREE, "shift", {"step": 123}, 1.75, 5.6),
    ("5.60, n - m1 m2 < s", "fat-tree-3-level", TALL, "shift", {"step": 118}, 1.75, 3.5),
    ("5.54, w0", "fat-tree-2-level", TREE | {"w0": 2, "w1": 64}, "shift", {"step": 16}, 7, 14),
    ("table 5.7, row 1", "fat-tree-3-level", NARROW, NEIGHBOURS, TWO_TILES, 2.8, 7 / 3),
    ("table 5.8, d2 = 2", "hyperx", ROWS, NEIGHBOURS, {"grid": [4, 6], "tiles": ()}, 4.0, 2.0),
]


@pytest.mark.parametrize("case", PRINTED, ids=lambda case: case[0])
def test_printed_and_corrected_bandwidths(case):
    _, topology, par, pattern, extra, printed, right = case
    assert oracle.evaluate(topology, par, pattern, extra).bandwidth == pytest.approx(right, rel=1e-12)
    si = in_si(par)
    found = [
        float(effective_bandwidth(topology, si, pattern, extra, equations=which)) / GB
        for which in ("printed", "corrected")
    ]
    assert found == pytest.approx([printed, right], rel=1e-12)


def test_printed_latency_of_a_torus_counts_the_sender():
    """Appendix table 1: a ring of four, 9.5 in place of 12.667 ns."""
    par = {"p": 1, "d": [4], "b0": 1, "b": 1, "l0": 3, "l": 5}
    assert found_by_models("torus", par)[1] == pytest.approx(38 / 3, rel=1e-12)
    assert found_by_models("torus", par, equations="printed")[1] == pytest.approx(9.5, rel=1e-12)


# --- full-system.md, section 6: configurations that were measured ----------------------------------------------------

UNIT = {"b0": 1, "b": 1, "l0": 1, "l": 1}
PLAIN = {"b0": 1, "b1": 1, "l0": 1, "l1": 1}
PLAIN_TALL = PLAIN | {"b2": 1, "l2": 1}


def tree(m1, *higher):
    par = {"m1": m1, "m2": higher[0], "w0": 1, "w1": 4}
    if len(higher) == 1:
        return "fat-tree-2-level", PLAIN | par
    return "fat-tree-3-level", PLAIN_TALL | par | {"m3": higher[1], "w2": 2}


def grid_of(topology, p, *d):
    return topology, UNIT | {"p": p, "d": list(d)}


def mesh(p, a):
    return "full-mesh", PLAIN | {"p": p, "a": a}


# configuration; nodes, mean links, B_node, switches
GRAPH500 = [
    (grid_of("torus", 1, 4), 4, 3.3333, 1, 4),
    (grid_of("torus", 1, 2, 2), 4, 3.3333, 1, 4),
    (grid_of("torus", 1, 2, 4), 8, 3.7143, 1, 8),
    (grid_of("torus", 1, 2, 2, 2), 8, 3.7143, 1, 8),
    (grid_of("torus", 1, 4, 4), 16, 4.1333, 1, 16),
    (grid_of("torus", 1, 2, 2, 4), 16, 4.1333, 1, 16),
    (grid_of("torus", 1, 2, 4, 4), 32, 4.5806, 1, 32),
    (grid_of("torus", 1, 4, 4, 4), 64, 5.0476, 1, 64),
    (grid_of("hyperx", 1, 2, 2), 4, 3.3333, 1, 4),
    (grid_of("hyperx", 1, 4, 2), 8, 3.4286, 1, 8),
    (grid_of("hyperx", 2, 2, 2), 8, 3.1429, 1, 4),
    (grid_of("hyperx", 1, 4, 4), 16, 3.6000, 1, 16),
    (grid_of("hyperx", 1, 8, 2), 16, 3.4667, 1, 16),
    (grid_of("hyperx", 2, 4, 2), 16, 3.3333, 1, 8),
    (grid_of("hyperx", 4, 2, 2), 16, 3.0667, 0.5, 4),
    (grid_of("hyperx", 1, 8, 4), 32, 3.6774, 1, 32),
    (grid_of("hyperx", 2, 4, 4), 32, 3.5484, 1, 16),
    (grid_of("hyperx", 2, 8, 2), 32, 3.4194, 1, 16),
    (grid_of("hyperx", 4, 4, 2), 32, 3.2903, 0.5, 8),
    (grid_of("hyperx", 2, 8, 4), 64, 3.6508, 1, 32),
    (grid_of("hyperx", 4, 4, 4), 64, 3.5238, 1, 16),
    (grid_of("hyperx", 4, 8, 2), 64, 3.3968, 0.5, 16),
    (mesh(1, 4), 4, 3.0000, 1, 4),
    (mesh(1, 8), 8, 3.0000, 1, 8),
    (mesh(2, 4), 8, 2.8571, 1, 4),
    (mesh(1, 16), 16, 3.0000, 1, 16),
    (mesh(2, 8), 16, 2.9333, 1, 8),
    (mesh(4, 4), 16, 2.8000, 1, 4),
    (mesh(2, 16), 32, 2.9677, 1, 16),
    (mesh(4, 8), 32, 2.9032, 1, 8),
    (mesh(4, 16), 64, 2.9524, 1, 16),
    (tree(1, 4), 4, 4.0000, 1, 8),
    (tree(2, 4), 8, 3.7143, 1, 8),
    (tree(4, 4), 16, 3.6000, 1, 8),
    (tree(8, 4), 32, 3.5484, 0.6667, 8),
    (tree(16, 4), 64, 3.5238, 0.3333, 8),
    (tree(1, 4, 2), 8, 5.1429, 1, 24),
    (tree(2, 4, 2), 16, 4.9333, 1, 24),
    (tree(4, 4, 2), 32, 4.8387, 1, 24),
    (tree(8, 4, 2), 64, 4.7937, 0.5, 24),
]


@pytest.mark.parametrize("case", GRAPH500, ids=str)
def test_measured_configurations_of_graph_500(case):
    """Uniform traffic, unit bandwidths, four decimals."""
    (topology, par), nodes, links, bandwidth, switches = case
    slow, found = oracle.evaluate(topology, par), found_by_models(topology, par)
    assert (slow.links, slow.bandwidth) == pytest.approx((links, bandwidth), abs=5.1e-5)
    assert (found[2], found[0]) == pytest.approx((links, bandwidth), abs=5.1e-5)
    parts = network_parts(topology, in_si(par))
    assert (int(parts.nodes), int(parts.switches)) == (nodes, switches)


LU = [  # configuration; nodes, mean links on a periodic square grid placed linearly
    (grid_of("hyperx", 4, 2, 2), 16, 2.75),
    (grid_of("hyperx", 2, 4, 2), 16, 3.0),
    (grid_of("hyperx", 1, 4, 4), 16, 3.0),
    (grid_of("hyperx", 1, 8, 2), 16, 3.25),
    (grid_of("hyperx", 1, 5, 5), 25, 3.0),
    (grid_of("hyperx", 1, 12, 3), 36, 3.25),
    (grid_of("hyperx", 3, 4, 3), 36, 2.9167),
    (grid_of("hyperx", 3, 6, 2), 36, 2.8333),
    (grid_of("hyperx", 2, 6, 3), 36, 3.0),
    (grid_of("hyperx", 1, 6, 6), 36, 3.0),
    (grid_of("hyperx", 2, 9, 2), 36, 2.9167),
    (grid_of("hyperx", 4, 4, 4), 64, 2.875),
    (grid_of("hyperx", 2, 8, 4), 64, 3.0),
    (mesh(2, 8), 16, 2.75),
    (mesh(1, 16), 16, 3.0),
    (mesh(4, 16), 64, 2.625),
    (tree(4, 4), 16, 3.0),
    (tree(16, 4), 64, 2.5),
    (tree(2, 4, 2), 16, 4.0),
    (tree(8, 4, 2), 64, 3.25),
]


@pytest.mark.parametrize("case", LU, ids=str)
def test_measured_configurations_of_lu(case):
    (topology, par), nodes, links = case
    side = math.isqrt(nodes)
    extra = {"grid": [side, side], "tiles": ()}
    assert oracle.evaluate(topology, par, NEIGHBOURS, extra).links == pytest.approx(links, abs=5.1e-5)
    assert found_by_models(topology, par, NEIGHBOURS, extra)[2] == pytest.approx(links, abs=5.1e-5)


# --- the oracle itself -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m1", "m2", "m3", "w1", "w2"), [(3, 4, 3, 2, 2), (2, 1, 3, 3, 1), (4, 3, 1, 1, 2)])
@pytest.mark.parametrize("pattern", ["uniform", "shift", "complement"])
def test_fat_switches_stand_for_equal_split_over_real_ones(m1, m2, m3, w1, w2, pattern):
    """One bundle carries what the real links of it carry together, each the same."""
    par = TALL | {"m1": m1, "m2": m2, "m3": m3, "w1": w1, "w2": w2}
    flows = oracle.flows_of("fat-tree-3-level", par, pattern, {"step": m1 + 1})
    fat = oracle.answer_of(oracle.fat_tree(par, "minimal"), flows)
    real = oracle.answer_of(oracle.real_fat_tree(par), flows)
    assert real.bandwidth == pytest.approx(fat.bandwidth, rel=1e-12)
    assert real.traversals == pytest.approx(fat.traversals, rel=1e-12)


def test_routes_of_the_oracle_are_joined_shortest_paths():
    """Every path starts and ends where it should, on links that exist; dragonfly alone may take longer ones."""
    nets = {
        "full-mesh": MESH,
        "fat-tree-3-level": TALL,
        "torus": {"p": 1, "d": [4, 1, 2, 3], "b0": 1, "b": 1, "l0": 1, "l": 1},
        "hyperx": {"p": 1, "d": [3, 1, 2, 2], "b0": 1, "b": 1, "l0": 1, "l": 1},
        "dragonfly": FLY | {"g": 3},
        "slim-fly": {"q": 5, "p": 1, "b0": 1, "b1": 1, "l0": 1, "l1": 1},
    }
    for topology, par in nets.items():
        net = oracle.TOPOLOGIES[topology](par, "minimal")
        for one in net.edge_switches:
            for other in net.edge_switches:
                routes = net.minimal(one, other)
                assert sum(share for share, _ in routes) == pytest.approx(1, rel=1e-12)
                for _, path in routes:
                    assert all(link in net.links for link in path)
                    assert [link[1] for link in path[:-1]] == [link[0] for link in path[1:]]
                    assert not path or (path[0][0], path[-1][1]) == (one, other)
                    assert (len(path) == net.hops(one)[other]) or topology == "dragonfly"
