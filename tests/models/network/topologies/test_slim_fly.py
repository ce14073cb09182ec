"""Slim Fly: its graph, closed forms against the oracle, and routed flows against the formula of matrices."""

import numpy as np
import pytest

from dse.models.network import effective_bandwidth, mean_path, network_parts
from dse.models.network.bandwidth.routing import route
from dse.models.network.patterns.destinations import destinations
from dse.models.network.topologies.slim_fly.route import slim_fly_adjacency

from .. import oracle
from ..test_closed_forms import check, same_bits

# --- the graph, and routing over it ----------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [5, 13, 17])
def test_graph_of_the_slim_fly(q):
    """Symmetric, regular of degree (3q - 1)/2, diameter 2, linked as powers of a primitive root say."""
    links = slim_fly_adjacency(q)
    assert links.dtype == bool
    assert links.shape == (2 * q * q, 2 * q * q)
    assert (links == links.T).all()
    assert not links.diagonal().any()
    assert (links.sum(axis=0) == (3 * q - 1) // 2).all()
    steps = links.astype(float)
    assert (steps + steps @ steps > 0).all()
    root = next(r for r in range(2, q) if len({pow(r, k, q) for k in range(q - 1)}) == q - 1)
    even, odd = ({pow(root, k, q) for k in range(first, q - 1, 2)} for first in (0, 1))
    rng = np.random.default_rng(q)
    for x, y, m, c in rng.integers(0, q, (50, 4)).tolist():
        assert links[x * q + y, x * q + c] == ((y - c) % q in even)
        assert links[q * q + m * q + y, q * q + m * q + c] == ((y - c) % q in odd)
        assert links[x * q + y, q * q + m * q + c] == ((y - m * x - c) % q == 0)
    slim_fly_adjacency(q)[:] = False
    assert slim_fly_adjacency(q).any()


def matrix_loads(links, flows):
    """Largest load and sum of loads of equal split over shortest paths of at most two links."""
    paths = links @ links
    spread = np.where((links == 0) & ~np.eye(len(links), dtype=bool), flows / np.maximum(paths, 1), 0.0)
    loads = links * (flows + spread @ links + links @ spread)
    return loads.max(), loads.sum()


@pytest.mark.slow
@pytest.mark.parametrize("q", [5, 13, 17])
def test_slim_fly_equals_the_matrix_formula(q):
    links = slim_fly_adjacency(q).astype(float)
    for p, pattern, options in [
        (1, "uniform", {}),
        (3, "shift", {"step": 7}),
        (2, "shift", {"step": q * q}),
        (2, "complement", {}),
        (2, "transpose", {}),
        (2, "nearest-neighbour", {"grid": (2 * q, 2 * q)}),
        (2, "nearest-neighbour", {"grid": (q, 4 * q), "tiles": [(1, 2)]}),
    ]:
        n = 2 * q * q * p
        source, destination = (
            np.divmod(np.arange(n * n), n) if pattern == "uniform" else destinations(pattern, n, options, blocks=(p,))
        )
        flows = np.zeros(links.shape)
        np.add.at(flows, (source // p, destination // p), 1.0)
        np.fill_diagonal(flows, 0.0)
        largest, total = matrix_loads(links, flows)
        found = route("slim-fly", {"q": q, "p": p}, pattern, options)
        assert found.loads["switch"] == pytest.approx(largest, rel=1e-12)
        assert found.traversals["switch"] == pytest.approx(total / (source != destination).sum(), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("q", "p"), [(5, 1), (5, 4), (13, 2), (17, 1), (29, 3)])
def test_uniform_on_a_slim_fly(q, p):
    """The links between the parts carry most, p² (3q - 2); those inside the columns p² (2q + 3)."""
    assert route("slim-fly", {"q": q, "p": p}, "uniform").loads["switch"] == pytest.approx(p * p * (3 * q - 2))


# --- closed forms ----------------------------------------------------------------------------------------------------

SLIM_FLY = {"q": 5, "b0": 50.0, "b1": 3.0, "l0": 2.0, "l1": 7.0}


@pytest.mark.parametrize("nodes", [1, 2, 4])
@pytest.mark.parametrize("own", [True, False])
def test_uniform_on_slim_fly(nodes, own):
    """50 switches of degree 7, one shortest path between any two: exact."""
    check("slim-fly", {**SLIM_FLY, "p": nodes}, "uniform", {"include_self": own})


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize(
    ("pattern", "extra"),
    [
        ("shift", {"step": 7}),
        ("shift", {"step": 53}),
        ("complement", {}),
        ("tornado", {}),
        ("nearest-neighbour", {"grid": [5, 10], "tiles": ()}),
        ("nearest-neighbour", {"grid": [5, 10], "tiles": ((1, 1),)}),
    ],
)
def test_patterns_on_slim_fly(nodes, pattern, extra):
    """Switches in the order (side, x, y), the last fastest."""
    if "grid" in extra:
        extra = extra | {"grid": [5 * nodes, 10]}
        extra |= {"tiles": tuple((nodes, 1) for _ in extra["tiles"])}
    check("slim-fly", {**SLIM_FLY, "p": nodes}, pattern, extra)


def test_transpose_on_slim_fly():
    check("slim-fly", {**SLIM_FLY, "p": 2}, "transpose")


@pytest.mark.slow
def test_uniform_on_a_larger_slim_fly():
    """Two nodes may have several shortest paths: at q = 13 37 flows on the worst link, 34.47 on the mean one."""
    par = {**SLIM_FLY, "q": 13, "p": 1}
    assert oracle.evaluate("slim-fly", par).loads["switch"] == pytest.approx(37, rel=1e-12)
    check("slim-fly", par, "uniform")
    mean = (19 + 2 * (337 - 19)) / 19
    assert float(effective_bandwidth("slim-fly", par)) <= 338 * par["b1"] / mean


def test_counts_of_slim_fly():
    for q, p in ((5, 4), (13, 1)):
        want, found = (
            oracle.parts("slim-fly", {**SLIM_FLY, "q": q, "p": p}),
            network_parts("slim-fly", {"q": q, "p": p}),
        )
        assert (int(found.nodes), int(found.switches), int(found.ports)) == (want.nodes, want.switches, want.ports)
        assert (int(found.switch_links), int(found.diameter)) == (want.links["switch"], 2)
        assert want.diameter == 2


def test_arrays_of_slim_flies():
    par = {**SLIM_FLY, "q": np.array([5, 13, 5]), "p": np.array([1, 1, 3])}
    single = [{**par, "q": q, "p": p} for q, p in zip([5, 13, 5], [1, 1, 3], strict=True)]
    same_bits(effective_bandwidth("slim-fly", par), [effective_bandwidth("slim-fly", one) for one in single])
    same_bits(mean_path("slim-fly", par).links, [mean_path("slim-fly", one).links for one in single])
