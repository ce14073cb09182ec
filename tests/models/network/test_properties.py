"""Laws of the network models: what one topology must share with another, and what more of something may do."""

import math

import numpy as np
import pytest
from example_counts import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dse.models.network import effective_bandwidth, link_loads, mean_path, network_parts, shape_faults

from . import oracle
from .test_closed_forms import (
    ALL,
    GRIDS,
    PATTERNS,
    WANTED,
    any_number,
    bandwidths,
    designs,
    factors,
    latencies,
    tilings,
)

pytestmark = pytest.mark.slow

PLAIN = [pattern for pattern in PATTERNS if pattern not in ("shift", "nearest-neighbour", "exchange")]  # no parameters


@st.composite
def cases(draw, topologies=ALL, patterns=PATTERNS, **sizes):
    """A topology with a pattern that fits its number of nodes."""
    topology, pattern = draw(st.sampled_from(topologies)), draw(st.sampled_from(patterns))
    par = draw(designs(topology, WANTED.get(pattern, any_number), **{"largest": 64, **sizes}))
    n = oracle.number_of_nodes(topology, par)
    extra = {}
    if pattern == "shift":
        extra = {"step": draw(st.integers(0, 2 * n))}
    if pattern == "exchange":
        extra = {"exchange_bit": draw(st.integers(0, n.bit_length() - 2))}
    if pattern == "nearest-neighbour":
        extra = draw(tilings(topology, par))
        if draw(st.booleans()):
            extra["tiles"] = ()
    return topology, par, pattern, extra


def bandwidth(*case, **options) -> float:
    return float(effective_bandwidth(*case, **options))


def moves(topology, par, pattern, extra) -> bool:
    """Whether a message leaves its node."""
    flows = oracle.flows_of(topology, par, pattern, extra)
    return any(other != node for node, others in enumerate(flows) for other in others)


def is_bandwidth(name: str) -> bool:
    return name[0] == "b"


def scaled(par: dict, factor: float, names) -> dict:
    def times(value):
        return [one * factor for one in value] if isinstance(value, list) else value * factor

    return {name: times(value) if name in names else value for name, value in par.items()}


# --- limits and monotony ---------------------------------------------------------------------------------------------


@settings(max_examples=examples(300))
@given(cases(), st.data())
def test_more_of_anything_never_hurts(case, data):
    """B_node does not fall with a bandwidth or a number of parallel links, and never exceeds the injection."""
    topology, par, pattern, extra = case
    before = bandwidth(*case)
    assert 0 < before <= par.get("w0", 1) * par["b0"] * (1 + 1e-12)
    name = data.draw(st.sampled_from([name for name in par if is_bandwidth(name) or name in ("w0", "w1", "w2")]))
    if is_bandwidth(name):
        more = scaled(par, data.draw(st.floats(1, 8)), {name})
    else:
        more = par | {name: par[name] + data.draw(st.integers(1, 3))}
    assert bandwidth(topology, more, pattern, extra) >= before * (1 - 1e-12)


@settings(max_examples=examples(100))
@given(cases(), st.floats(0.01, 100))
def test_scaling_all_bandwidths_scales_the_result(case, factor):
    topology, par, pattern, extra = case
    more = scaled(par, factor, {name for name in par if is_bandwidth(name)})
    assert bandwidth(topology, more, pattern, extra) == pytest.approx(factor * bandwidth(*case), rel=1e-12)


@settings(max_examples=examples(100))
@given(cases())
def test_without_limits_in_the_network_the_node_link_decides(case):
    topology, par, pattern, extra = case
    wide = scaled(par, 1e9, {name for name in par if is_bandwidth(name) and name != "b0"})
    assert bandwidth(topology, wide, pattern, extra) == pytest.approx(par.get("w0", 1) * par["b0"], rel=1e-12)


@settings(max_examples=examples(200))
@given(cases(("fat-tree-2-level", "fat-tree-3-level")))
def test_a_fat_tree_of_full_bisection_delivers_the_injection(case):
    """As many uplinks as nodes at every level, equal links: every pattern runs at b0."""
    topology, par, pattern, extra = case
    full = par | {"w0": 1, "w1": par["m1"], "w2": par.get("m2"), "b1": par["b0"], "b2": par["b0"]}
    full = {name: value for name, value in full.items() if name in par or name == "w0"}
    assert bandwidth(topology, full, pattern, extra) == pytest.approx(par["b0"], rel=1e-12)


@settings(max_examples=examples(200))
@given(cases())
def test_the_answer_is_the_slowest_class(case):
    """B_node = F min(capacity / load); the path adds up; a class that carries nothing does not limit."""
    topology, par, *_ = case
    loads = link_loads(*case)
    rates = [float(one.capacity) / float(one.load) for one in loads.classes if float(one.load) > 0]
    assert bandwidth(*case) == pytest.approx(float(loads.flows_per_node) * min(rates), rel=1e-12)
    if not moves(*case):
        return
    path = mean_path(*case)
    crossed = {name: float(value) for name, value in path.by_class.items()}
    assert crossed["node"] == 2
    assert float(path.links) >= 2
    assert float(path.links) == pytest.approx(math.fsum(crossed.values()), rel=1e-12)
    assert float(path.switches) == pytest.approx(float(path.links) - 1, rel=1e-12)
    latency = {one.name: float(one.latency) for one in loads.classes}
    total = math.fsum(crossed[name] * latency[name] for name in crossed)
    assert float(path.link_latency) == pytest.approx(total, rel=1e-12, abs=1e-300)
    hops = 3 if topology == "dragonfly" else int(network_parts(topology, par).diameter)
    assert float(path.links) <= hops + 2 + 1e-12


# --- relations between patterns --------------------------------------------------------------------------------------


@settings(max_examples=examples(200))
@given(cases([topology for topology in ALL if topology != "torus"], ("shift",)))
def test_shifts_there_and_back_are_equal(case):
    """All flows turned round: s and n - s. A ring too, but not a torus, where the order of dimensions turns as well."""
    topology, par, pattern, extra = case
    n = oracle.number_of_nodes(topology, par)
    back = {"step": n - extra["step"] % n}
    assert bandwidth(topology, par, pattern, back) == pytest.approx(bandwidth(*case), rel=1e-12)


@settings(max_examples=examples(60))
@given(cases(("torus",), ("shift",), dimensions=1))
def test_shifts_there_and_back_are_equal_on_a_ring(case):
    topology, par, pattern, extra = case
    back = {"step": oracle.number_of_nodes(topology, par) * 2 - extra["step"]}
    assert bandwidth(topology, par, pattern, back) == pytest.approx(bandwidth(*case), rel=1e-12)


@settings(max_examples=examples(60))
@given(cases(patterns=("shift",)), st.integers(1, 5))
def test_shifts_by_whole_rounds_are_the_same(case, rounds):
    topology, par, pattern, extra = case
    n = oracle.number_of_nodes(topology, par)
    assert bandwidth(topology, par, pattern, {"step": extra["step"] + rounds * n}) == bandwidth(*case)
    assert bandwidth(topology, par, pattern, {"step": rounds * n}) == pytest.approx(
        par.get("w0", 1) * par["b0"], rel=1e-12
    )


@settings(max_examples=examples(150))
@given(cases(patterns=("uniform",)))
def test_uniform_without_self(case):
    """(n - 1)/n of the network term: the loads stay, a flow fewer per node."""
    topology, par, pattern, _ = case
    n = oracle.number_of_nodes(topology, par)
    assume(n > 1)
    wide = par | {"b0": 1e9}
    others = bandwidth(topology, wide, pattern, {"include_self": False})
    assume(others < 1e8)
    assert others == pytest.approx(bandwidth(topology, wide, pattern) * (n - 1) / n, rel=1e-12)
    least = min(par.get("w0", 1) * par["b0"], others)
    assert bandwidth(topology, par, pattern, {"include_self": False}) == pytest.approx(least, rel=1e-12)


@pytest.mark.parametrize(
    ("topology", "par"),
    [
        ("full-mesh", {"a": 1, "p": 1, "b0": 7.0, "b1": 5.0}),
        ("fat-tree-2-level", {"m1": 1, "m2": 1, "w1": 1, "b0": 7.0, "b1": 5.0}),
        ("torus", {"p": 1, "d": [1, 1], "b0": 7.0, "b": 5.0}),
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_one_node_has_the_bandwidth_of_its_link(topology, par, own):
    """Without flows too: min(b0, (n - 1)/n of a network that does not limit), neither a NaN nor a warning."""
    with np.errstate(all="raise"):
        assert bandwidth(topology, par, "uniform", {"include_self": own}) == 7.0


@settings(max_examples=examples(100))
@given(st.sampled_from(ALL), st.data())
def test_patterns_that_are_one_and_the_same(topology, data):
    """Four ranks: transpose, bit reversal and butterfly all swap two bits. Two ranks: complement is a shift by one."""
    four = data.draw(designs(topology, lambda n: n == 4, largest=4))
    same = [bandwidth(topology, four, pattern) for pattern in ("transpose", "bit-reversal", "butterfly")]
    assert same == pytest.approx([same[0]] * 3, rel=1e-12)
    two = data.draw(designs(topology, lambda n: n == 2, largest=2))
    swap = bandwidth(topology, two, "shift", {"step": 1})
    assert bandwidth(topology, two, "complement") == pytest.approx(swap, rel=1e-12)


@settings(max_examples=examples(150))
@given(st.sampled_from(["full-mesh", "fat-tree-2-level", "torus", "hyperx"]), st.data())
def test_tiles_of_whole_rows_are_the_linear_mapping(topology, data):
    """(D_1, t_2) fills a block with the ranks the linear mapping puts there: a closed form against routing."""
    par = data.draw(designs(topology))
    n = oracle.number_of_nodes(topology, par)
    block = {"full-mesh": "a", "fat-tree-2-level": "m2"}.get(topology)
    count = par[block] if block else math.prod(par["d"])
    row, rows = data.draw(st.sampled_from(factors(n // count, 2)))
    grid = (row, rows * count)
    linear = topology, par, "nearest-neighbour", {"grid": grid, "tiles": ()}
    tiled = topology, par, "nearest-neighbour", {"grid": grid, "tiles": ((row, rows),)}
    assert bandwidth(*tiled) == pytest.approx(bandwidth(*linear), rel=1e-12)
    if moves(*linear):
        assert float(mean_path(*tiled).link_latency) == pytest.approx(float(mean_path(*linear).link_latency), rel=1e-12)


@settings(max_examples=examples(60))
@given(cases(patterns=("nearest-neighbour",)), st.data())
def test_a_process_grid_may_have_dimensions_of_size_one_at_its_end(case, data):
    """Two flows more per rank, both to itself: the network carries the same, the node links two flows more."""
    topology, par, pattern, extra = case
    wide = scaled(par, 1e9, {"b0"})
    longer = {"grid": (*extra["grid"], 1), "tiles": tuple((*tile, 1) for tile in extra["tiles"])}
    one, other = (link_loads(topology, wide, pattern, which) for which in (extra, longer))
    assert float(other.flows_per_node) == float(one.flows_per_node) + 2
    for before, after in zip(one.classes, other.classes, strict=True):
        own = 2 if before.name == "node" else 0
        assert float(after.load) == pytest.approx(float(before.load) + own, rel=1e-12)
    if moves(*case):
        paths = [float(mean_path(topology, par, pattern, which).link_latency) for which in (extra, longer)]
        assert paths[1] == pytest.approx(paths[0], rel=1e-12)


def test_a_node_that_sends_to_no_one_uses_no_link():
    """A machine of one node without messages to itself: no flows, no division by their number."""
    with np.errstate(all="raise"):
        loads = link_loads("full-mesh", mesh_of(1, 1, 7.0, 5.0, 1.0, 2.0), "uniform", {"include_self": False})
        assert float(loads.effective_bandwidth) == 7.0
        assert loads.utilisation == {"node": 0.0, "switch": 0.0}


# --- relations between topologies ------------------------------------------------------------------------------------


def same_answers(one, other, routing="minimal") -> None:
    """Bandwidth and path of two cases."""
    assert bandwidth(*one, routing=routing) == pytest.approx(bandwidth(*other, routing=routing), rel=1e-12)
    if moves(*one) and routing != "valiant":
        paths = [mean_path(*case, routing=routing) for case in (one, other)]
        for name in ("link_latency", "links", "switches"):
            assert float(getattr(paths[0], name)) == pytest.approx(float(getattr(paths[1], name)), rel=1e-12)


def mesh_of(a: int, p: int, b0: float, b1: float, l0: float, l1: float) -> dict:
    return {"a": a, "p": p, "b0": b0, "b1": b1, "l0": l0, "l1": l1}


@settings(max_examples=examples(200))
@given(cases(("hyperx",), dimensions=1), st.sampled_from(["minimal", "valiant"]))
def test_hyperx_of_one_dimension_is_a_full_mesh(case, routing):
    _, par, pattern, extra = case
    par = par | {name: oracle.each(par[name], par["d"]) for name in ("b", "l")}
    mesh = mesh_of(par["d"][0], par["p"], par["b0"], par["b"][0], par["l0"], par["l"][0])
    same_answers(("hyperx", par, pattern, extra), ("full-mesh", mesh, pattern, extra), routing)


@settings(max_examples=examples(100))
@given(cases(("torus",), dimensions=1, largest=24))
def test_a_ring_of_three_is_a_full_mesh(case):
    _, par, pattern, extra = case
    par = par | {"d": [3]} | {name: oracle.each(par[name], [3]) for name in ("b", "l")}
    assume(WANTED.get(pattern, any_number)(3 * par["p"]))
    if pattern == "nearest-neighbour":
        extra = {"grid": (3 * par["p"],), "tiles": ()}
    mesh = mesh_of(3, par["p"], par["b0"], par["b"][0], par["l0"], par["l"][0])
    if pattern == "tornado":  # defined by the switches on a torus, by the ranks on other topologies
        mesh_pattern, mesh_extra = "shift", {"step": par["p"]}
    else:
        mesh_pattern, mesh_extra = pattern, extra
    same_answers(("torus", par, pattern, extra), ("full-mesh", mesh, mesh_pattern, mesh_extra))


@settings(max_examples=examples(100))
@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(bandwidths, min_size=4, max_size=4),
    st.sampled_from(["uniform", "complement"]),
)
def test_hyperx_of_twos_is_a_torus_of_twos_with_single_links(dimensions, nodes, b, pattern):
    par = {"p": nodes, "d": [2] * dimensions, "b0": 60.0, "b": b[:dimensions], "l0": 1.0, "l": 2.0}
    single = par | {"double_link_at_2": False}
    same_answers(("hyperx", par, pattern, {}), ("torus", single, pattern, {}))


@settings(max_examples=examples(200))
@given(cases(("fat-tree-2-level",)), st.integers(1, 4), bandwidths, latencies)
def test_three_levels_with_one_subtree_are_two_levels(case, w2, b2, l2):
    topology, par, pattern, extra = case
    tall = par | {"m3": 1, "w2": w2, "b2": b2, "l2": l2}
    more = {**extra, "tiles": (extra["grid"], *extra["tiles"])} if extra.get("tiles") else extra
    same_answers(("fat-tree-3-level", tall, pattern, more), (topology, par, pattern, extra))


@settings(max_examples=examples(100))
@given(cases(("full-mesh",)), bandwidths)
def test_dragonfly_of_single_switches_is_a_full_mesh(case, local):
    """a = 1, h = g - 1: the global links join all."""
    topology, par, pattern, extra = case
    assume(par["a"] > 1)
    fly = {"a": 1, "p": par["p"], "h": par["a"] - 1, "g": par["a"], "b0": par["b0"], "bl": local, "bg": par["b1"]}
    fly |= {"l0": par["l0"], "ll": 3.0, "lg": par["l1"]}
    more = extra
    if extra.get("tiles"):
        more = {**extra, "tiles": (extra["tiles"][0], extra["tiles"][0])}
    same_answers(("dragonfly", fly, pattern, more), (topology, par, pattern, extra))


@pytest.mark.parametrize("topology", GRIDS)
@settings(max_examples=examples(200))
@given(data=st.data())
def test_dimensions_of_size_one_change_nothing(topology, data):
    """Anywhere in the list: 3-D with a 1 is 2-D, 2-D with a 1 is 1-D."""
    _, par, pattern, extra = data.draw(cases((topology,)))
    par = par | {name: oracle.each(par[name], par["d"]) for name in ("b", "l")}
    place = data.draw(st.integers(0, len(par["d"])))
    more = dict(par)
    for name, value in (("d", 1), ("b", data.draw(bandwidths)), ("l", data.draw(latencies))):
        more[name] = [*par[name][:place], value, *par[name][place:]]
    same_answers((topology, par, pattern, extra), (topology, more, pattern, extra))
    one, other = network_parts(topology, par), network_parts(topology, more)
    for name in ("nodes", "switches", "node_links", "switch_links", "ports", "diameter"):
        assert int(getattr(one, name)) == int(getattr(other, name))


@pytest.mark.parametrize("pattern", ["uniform", "complement"])
@pytest.mark.parametrize("topology", GRIDS)
@settings(max_examples=examples(50))
@given(data=st.data())
def test_the_order_of_dimensions_does_not_matter(topology, pattern, data):
    """Not for patterns that treat all dimensions alike."""
    par = data.draw(designs(topology, dimensions=3))
    par |= {name: oracle.each(par[name], par["d"]) for name in ("b", "l")}
    order = data.draw(st.permutations(range(3)))
    turned = par | {name: [par[name][place] for place in order] for name in ("d", "b", "l")}
    same_answers((topology, par, pattern, {}), (topology, turned, pattern, {}))


# --- routing ---------------------------------------------------------------------------------------------------------


@settings(max_examples=examples(150))
@given(cases(largest=48))
def test_valiant_routing_forgets_the_pattern(case):
    """Half the network term of uniform whatever the pattern; the best routing is the better of the two."""
    topology, par, _, _ = case
    indirect = bandwidth(*case, routing="valiant")
    assert indirect == pytest.approx(bandwidth(topology, par, "uniform", {}, routing="valiant"), rel=1e-12)
    wide = scaled(par, 1e9, {"b0"})
    half = bandwidth(topology, wide, "uniform") / 2
    assert indirect == pytest.approx(min(par.get("w0", 1) * par["b0"], half), rel=1e-12)
    assert bandwidth(*case, routing="best") == max(indirect, bandwidth(*case))


@settings(max_examples=examples(100))
@given(cases(("hyperx",)))
def test_dimension_order_crosses_the_same_links(case):
    """Every order of the dimensions crosses the same links of each."""
    dimensions = len(case[1]["d"])
    if moves(*case):
        paths = [mean_path(*case, routing=routing) for routing in ("minimal", "dimension-order")]
        for name in paths[0].by_class:
            assert float(paths[0].by_class[name]) == pytest.approx(float(paths[1].by_class[name]), rel=1e-12)
    if dimensions == 1:
        assert bandwidth(*case) == pytest.approx(bandwidth(*case, routing="dimension-order"), rel=1e-12)


# --- shapes that cannot be built -------------------------------------------------------------------------------------


def faulty(topology, par, **limits):
    """Whether any reason applies, per design."""
    masks = [np.asarray(mask) for _, mask in shape_faults(topology, par, **limits)]
    assert all(mask.dtype == bool for mask in masks)
    return np.any(np.broadcast_arrays(*masks), axis=0) if masks else np.False_


@settings(max_examples=examples(100))
@given(st.sampled_from(ALL), st.data())
def test_shapes_that_can_be_built_have_no_faults(topology, data):
    """The number of nodes wanted and the ports at hand are faults of their own."""
    par = data.draw(designs(topology))
    parts = network_parts(topology, par)
    nodes, ports = int(parts.nodes), int(parts.ports)
    assert not faulty(topology, par).any()
    assert not faulty(topology, par, nodes=nodes, radix=ports).any()
    assert faulty(topology, par, nodes=nodes + 1).all()
    assert faulty(topology, par, radix=ports - 1).all()


def test_faults_are_found_per_design():
    """Of four dragonflies two cannot be wired; of four numbers two are primes 4 w + 1."""
    fly = {"a": np.array([4, 4, 4, 4]), "p": 2, "h": 2, "g": np.array([9, 10, 5, 7])}
    np.testing.assert_array_equal(faulty("dragonfly", fly), [False, True, False, True])
    np.testing.assert_array_equal(
        faulty("slim-fly", {"q": np.array([5, 7, 9, 13]), "p": 1}), [False, True, True, False]
    )
    reasons = [reason for reason, mask in shape_faults("dragonfly", fly) if np.any(mask)]
    assert reasons
    assert all(isinstance(reason, str) and reason for reason in reasons)
