"""Skywalk: its graph, its best paths and their loads against counting by hand, and what is refused."""

import itertools
import math
from collections import Counter, deque
from fractions import Fraction

import numpy as np
import pytest
from example_counts import sampled_product
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.network import effective_bandwidth, link_loads, mean_path, message_loads, network_parts, over_seeds
from dse.models.network.graphs.zero_load import least_mean_hops
from dse.models.network.patterns.destinations import destinations
from dse.models.network.topologies.skywalk.graph import skywalk_neighbours

FLOOR = {"row": 8, "width": 0.6, "depth": 2.1, "slack": 2.0, "inside": 2.0}
SPEEDS = {"b0": 7e9, "b1": 3e9, "l0": 2.5e-9, "lm": 5e-9}


def machine(s, c, k, p=1, seed=1, **rest):
    return {"s": s, "c": c, "k": k, "p": p, "seed": seed, **SPEEDS, **rest}


# --- the oracle: links of the model, all else by hand -----------------------------------------------------------------


def cable(par, one, other):
    """In tenths of a metre, as a whole number: the lengths of the tests have one digit."""
    at = {**FLOOR, **par}
    tenths = {name: round(10 * at[name]) for name in ("width", "depth", "slack", "inside")}
    here, there = (switch // (par["s"] // par["c"]) for switch in (one, other))
    if here == there:
        return tenths["inside"]
    across, along = abs(here // at["row"] - there // at["row"]), abs(here % at["row"] - there % at["row"])
    return along * tenths["width"] + across * tenths["depth"] + tenths["slack"]


def links_of(par):
    near = skywalk_neighbours(par["s"], par["c"], par["k"], par["seed"]).tolist()
    return {switch: set(others) for switch, others in enumerate(near)}


def hops_from(graph, start):
    """Breadth-first search."""
    found, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for other in graph[here] - found.keys():
            found[other] = found[here] + 1
            queue.append(other)
    return found


def best_paths(par, graph, one, other, routing="minimal"):
    """Every path of fewest links, one by one; those with the shortest cables are left, or all."""
    hops = hops_from(graph, other)

    def walk(here):
        if here == other:
            yield [here]
        for after in graph[here]:
            if hops[after] == hops[here] - 1:
                for rest in walk(after):
                    yield [here, *rest]

    paths = {tuple(path): sum(cable(par, *link) for link in itertools.pairwise(path)) for path in walk(one)}
    least = min(paths.values())
    return [path for path, length in paths.items() if length == least or routing == "fewest-links"]


def counted(par, flows, routing="minimal"):
    """Largest load, links crossed and tenths of metres of cable, inside cabinets and between, of flows of switches."""
    graph, together = links_of(par), par["s"] // par["c"]
    load = {"cabinet": Counter(), "between": Counter()}
    tenths = {"cabinet": Fraction(0), "between": Fraction(0)}
    for (one, other), number in flows.items():
        paths = best_paths(par, graph, one, other, routing)
        for path in paths:
            for link in itertools.pairwise(path):
                kind = "cabinet" if link[0] // together == link[1] // together else "between"
                load[kind][link] += Fraction(number, len(paths))
                tenths[kind] += Fraction(number * cable(par, *link), len(paths))
    return {
        kind: (float(max(some.values(), default=0)), float(sum(some.values())), float(tenths[kind] / 10))
        for kind, some in load.items()
    }


SMALL = [
    machine(16, 4, 5, seed=3),
    machine(16, 8, 4, 2, seed=1, row=4),
    machine(12, 12, 3, seed=2, row=3, width=0.7, depth=1.9, slack=0.0),
    machine(20, 4, 6, 3, seed=5, row=1, inside=1.5),
    machine(24, 6, 4, seed=1, row=2, width=0.0),
    machine(18, 9, 8, 2, seed=4),
]
PATTERNS = [
    ("uniform", {}),
    ("shift", {"step": 3}),
    ("complement", {}),
    ("tornado", {}),
    ("nearest-neighbour", {"grid": (4, 3)}),
]


@pytest.mark.parametrize(
    ("par", "pattern", "extra", "routing"), sampled_product(SMALL, PATTERNS, ["minimal", "fewest-links"], each=4)
)
def test_loads_paths_and_cables_are_those_counted_by_hand(par, pattern, extra, routing):
    nodes = par["s"] * par["p"]
    if "grid" in extra:
        extra = {"grid": (nodes // 2, 2)}
    if pattern == "uniform":
        ends = itertools.product(range(nodes), repeat=2)
        sent = nodes
    else:
        source, destination = destinations(pattern, nodes, extra, nodes_per_switch=par["p"])
        ends, sent = zip(source.tolist(), destination.tolist(), strict=True), len(source) // nodes
    ends = list(ends)
    leaving = sum(one != other for one, other in ends)
    flows = Counter((one // par["p"], other // par["p"]) for one, other in ends)
    wanted = counted(par, {pair: number for pair, number in flows.items() if pair[0] != pair[1]}, routing)
    found = link_loads("skywalk", par, pattern, extra, routing=routing)
    assert bool(found.routed)
    metres = 0.0
    for link in found.classes[1:]:
        largest, total, length = wanted[link.name]
        assert float(link.load) == pytest.approx(largest, rel=1e-12)
        assert float(link.traversals) == pytest.approx(total / leaving, rel=1e-12)
        metres += length / leaving
    assert float(found.link_latency) == pytest.approx(2 * 2.5e-9 + 5e-9 * metres, rel=1e-9)
    worst = max(wanted["cabinet"][0], wanted["between"][0])
    bandwidth = effective_bandwidth("skywalk", par, pattern, extra, routing=routing)
    assert bandwidth == pytest.approx(min(7e9, 3e9 * sent / worst), rel=1e-12)


@pytest.mark.parametrize("par", SMALL[:3], ids=lambda par: f"{par['s']}-{par['c']}")
def test_single_messages(par):
    """Each over its own best paths."""
    source, destination = [0, 5, 9], [7, 2, 1]
    p = par["p"]
    flows = Counter((one // p, other // p) for one, other in zip(source, destination, strict=True))
    wanted = counted(par, {pair: number for pair, number in flows.items() if pair[0] != pair[1]})
    found = message_loads("skywalk", par, source, destination)
    for link in found.classes[1:]:
        assert float(link.load) == pytest.approx(wanted[link.name][0])
    metres = sum(length for _, _, length in wanted.values()) / 3
    assert float(found.link_latency) == pytest.approx(5e-9 + 5e-9 * metres)


@pytest.mark.parametrize("par", SMALL, ids=lambda par: f"{par['s']}-{par['c']}-{par['k']}")
def test_counts_are_those_of_the_graph(par):
    graph, together = links_of(par), par["s"] // par["c"]
    ends = {frozenset((one, other)) for one, near in graph.items() for other in near}
    inside = sum(min(pair) // together == max(pair) // together for pair in ends)
    found = network_parts("skywalk", par)
    assert (found.nodes, found.switches, found.ports) == (par["s"] * par["p"], par["s"], par["p"] + par["k"])
    assert found.links == {"node": par["s"] * par["p"], "cabinet": inside, "between": len(ends) - inside}
    assert (found.switch_links, found.optical_links) == (len(ends), len(ends) - inside)
    assert found.diameter == max(max(hops_from(graph, start).values()) for start in graph)
    assert not found.bisection_exact


def test_the_estimate_of_the_bisection_is_the_mean_over_graphs():
    """Links between the first and the last half of the cabinets, on average; every graph is close to it."""
    cuts = []
    for seed in range(1, 81):
        near = skywalk_neighbours(64, 16, 9, seed)
        cuts.append(int((near[:32] >= 32).sum()))
    estimate = network_parts("skywalk", machine(64, 16, 9, 64, b0=1e12)).bisection_bandwidth / 3e9
    assert np.mean(cuts) == pytest.approx(estimate, rel=0.02)
    assert estimate == pytest.approx(6 * 32 * 32 / 60)


# --- the graph -------------------------------------------------------------------------------------------------------


@st.composite
def shapes(draw):
    together, cabinets = draw(st.integers(1, 5)), draw(st.integers(4, 12))
    switches = together * cabinets * (1 if together * cabinets % 2 == 0 else 2)
    cabinets = switches // together
    least = together - 1 + math.ceil(3 / together)
    return switches, cabinets, draw(st.integers(least, max(least, min(least + 4, switches // 2))))


@given(shape=shapes(), seed=st.integers(1, 10_000))
def test_graphs(shape, seed):
    """Every switch has k others, those of its cabinet among them; all can be reached; no mean is below the bound."""
    switches, cabinets, degree = shape
    near = skywalk_neighbours(switches, cabinets, degree, seed)
    graph = {switch: set(others) for switch, others in enumerate(near.tolist())}
    together = switches // cabinets
    for switch, others in graph.items():
        assert len(others) == degree  # no pair is linked twice
        assert switch not in others
        assert all(switch in graph[other] for other in others)
        first = switch // together * together
        assert others & set(range(first, first + together)) == set(range(first, first + together)) - {switch}
    for matching in near.T[together - 1 :]:
        assert (matching[matching] == np.arange(switches)).all()
    hops = [hops_from(graph, start) for start in graph]
    assert all(len(found) == switches for found in hops)
    mean = sum(sum(found.values()) for found in hops) / (switches * (switches - 1))
    assert mean >= least_mean_hops(switches, degree) - 1e-12
    path = mean_path("skywalk", machine(switches, cabinets, degree, seed=seed))
    assert path.links - 2 == pytest.approx(mean)


def test_the_same_seed_gives_the_same_graph_and_another_one_another():
    first = skywalk_neighbours(64, 16, 6, 1).copy()
    skywalk_neighbours.cache_clear()
    np.testing.assert_array_equal(skywalk_neighbours(64, 16, 6, 1), first)
    others = {skywalk_neighbours(64, 16, 6, seed).tobytes() for seed in range(1, 30)}
    assert len(others) == 29
    with pytest.raises(ValueError, match="read-only"):
        skywalk_neighbours(64, 16, 6, 1)[0, 0] = 1


def test_more_links_make_paths_shorter_and_longer_floors_cables_longer():
    degrees = [mean_path("skywalk", machine(64, 16, k)) for k in range(4, 12)]
    assert all(after.links < before.links for before, after in itertools.pairwise(degrees))
    floors = [mean_path("skywalk", machine(64, 16, 6, width=width)) for width in (0.0, 0.6, 2.0)]
    assert floors[0].link_latency < floors[1].link_latency < floors[2].link_latency
    assert floors[0].links == pytest.approx(floors[1].links, rel=1e-12)
    assert floors[2].links == pytest.approx(floors[1].links, rel=1e-12)
    slow = mean_path("skywalk", machine(64, 16, 6, lm=10e-9)).link_latency
    assert slow - 5e-9 == pytest.approx(2 * (floors[1].link_latency - 5e-9))


def test_all_paths_of_fewest_links_have_the_same_links_and_no_shorter_cables():
    for par in (*SMALL, machine(64, 16, 9)):
        short, every = (mean_path("skywalk", par, routing=routing) for routing in ("minimal", "fewest-links"))
        assert every.links == pytest.approx(short.links)
        assert every.link_latency >= short.link_latency * (1 - 1e-12)


def test_complete_graph():
    """As many links as other switches: every path is a link, the closed form of a full mesh."""
    par = machine(16, 8, 15, 2)
    mesh = {"a": 16, "p": 2, "b0": 7e9, "b1": 3e9, "l0": 2.5e-9, "l1": 0.0}
    assert effective_bandwidth("skywalk", par) == pytest.approx(effective_bandwidth("full-mesh", mesh))
    assert mean_path("skywalk", par).links == pytest.approx(mean_path("full-mesh", mesh).links)
    step = {"step": 5}
    assert effective_bandwidth("skywalk", par, "shift", step) == pytest.approx(
        effective_bandwidth("full-mesh", mesh, "shift", step)
    )


def test_arrays_of_machines_are_each_alone():
    several = machine(np.array([16, 32, 16]), 8, np.array([4, 5, 5]), seed=np.array([1, 2, 1]))
    single = [machine(s, 8, k, seed=seed) for s, k, seed in ((16, 4, 1), (32, 5, 2), (16, 5, 1))]
    for pattern, extra in (("uniform", {}), ("shift", {"step": 3})):
        found = effective_bandwidth("skywalk", several, pattern, extra)
        assert found.tolist() == [effective_bandwidth("skywalk", one, pattern, extra) for one in single]
        latency = mean_path("skywalk", several, pattern, extra).link_latency
        assert latency.tolist() == [mean_path("skywalk", one, pattern, extra).link_latency for one in single]


# --- means over seeds ------------------------------------------------------------------------------------------------


def test_over_seeds():
    par = machine(64, 16, 6)
    found = over_seeds("skywalk", par, seeds=range(3, 9))
    links = [mean_path("skywalk", {**par, "seed": seed}).links for seed in range(3, 9)]
    assert found.links.mean == pytest.approx(sum(links) / 6)
    assert found.links.deviation == pytest.approx(math.sqrt(sum((one - sum(links) / 6) ** 2 for one in links) / 5))
    assert (found.links.least, found.links.largest) == (min(links), max(links))
    assert found.effective_bandwidth.largest == max(
        effective_bandwidth("skywalk", {**par, "seed": seed}) for seed in range(3, 9)
    )


@pytest.mark.parametrize(
    ("topology", "seeds", "words"),
    [
        ("torus", range(1, 6), ["'torus' is not drawn at random", "skywalk"]),
        ("skywalk", [1, 2, 3, 4], ["seeds = [1, 2, 3, 4]", "at least 5"]),
        ("skywalk", [1, 2, 3, 4, 4], ["each once"]),
    ],
)
def test_seeds_that_are_refused(topology, seeds, words):
    with pytest.raises(InputError) as error:
        over_seeds(topology, machine(64, 16, 6), seeds=seeds)
    assert all(word in str(error.value) for word in words)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"s": 30, "c": 4}, ["s = 30, c = 4", "divisible"]),
        ({"s": 27, "c": 9}, ["s = 27", "s even"]),
        ({"k": 1}, ["k = 1", "too few links", "k >= s/c"]),
        ({"k": 3, "c": 8}, ["k = 3", "too few links"]),
        ({"s": 16, "c": 8, "k": 2}, ["k = 2", "ring"]),
        ({"k": 32}, ["k = 32", "more links of a switch than other switches"]),
        ({"c": 1, "k": 31}, ["c = 1", "full mesh"]),
        ({"s": 4096, "c": 64, "k": 70}, ["s = 4096", "2,048"]),
        ({"width": -0.1}, ["width = -0.1", "a length from 0 to 1000 m"]),
        ({"inside": "long"}, ["inside", "a length"]),
        ({"seed": 0}, ["seed = 0", "whole number >= 1"]),
        ({"k": 4.5}, ["k = 4.5", "whole number"]),
    ],
)
def test_machines_that_cannot_be_built(changed, words):
    with pytest.raises(InputError) as error:
        effective_bandwidth("skywalk", {**machine(32, 8, 5), **changed})
    assert all(word in str(error.value) for word in words), str(error.value)


@pytest.mark.parametrize(("s", "c", "k"), [(48, 12, 46), (48, 12, 47), (40, 2, 31), (8, 4, 7), (4, 2, 3), (36, 36, 34)])
def test_nearly_complete_graphs_are_drawn_by_what_they_leave_out(s, c, k):
    """A simple graph of one degree: the whole cabinet, and all but a few switches of the others."""
    near = skywalk_neighbours(s, c, k, 1)
    together = s // c
    graph = {switch: set(row) for switch, row in enumerate(near.tolist())}
    assert near.shape == (s, k)
    assert all(len(others) == k and switch not in others for switch, others in graph.items())
    assert all(switch in graph[other] for switch in graph for other in graph[switch])
    assert all(set(range(i // together * together, (i // together + 1) * together)) <= graph[i] | {i} for i in graph)
    assert all(
        other // together == i // together for i, row in enumerate(near.tolist()) for other in row[: together - 1]
    )
    assert float(effective_bandwidth("skywalk", machine(s, c, k))) > 0


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((16, 0, 5, 1), ["cabinets = 0", ">= 2"]),
        ((16, 5, 5, 1), ["switches = 16", "the 5 cabinets divide"]),
        ((15, 5, 5, 1), ["switches = 15", "an even number"]),
        ((16, 4, 16, 1), ["degree = 16", "to 15"]),
        ((16, 4, 3, 1), ["degree = 3", "from 4"]),
        ((16, 4, -1, 1), ["degree = -1", ">= 1"]),
        ((16.0, 4, 5, 1), ["switches = 16.0", "whole number"]),
        (("16", 4, 5, 1), ["switches = '16'", "whole number"]),
        ((16, 4, 5, -1), ["seed = -1", ">= 0"]),
        ((4096, 64, 70, 1), ["switches = 4096", "2,048"]),
    ],
)
def test_links_of_no_skywalk_are_refused_by_name(sizes, words):
    with pytest.raises(InputError) as error:
        skywalk_neighbours(*sizes)
    assert all(word in str(error.value) for word in words), str(error.value)


# --- what was counted beforehand -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degree", "hops", "cables", "latency"),
    [
        (5, (4.23, 0.03), (23.6, 0.5), (432e-9, 3e-9)),
        (7, (3.198, 0.012), (18.5, 0.3), (344e-9, 2e-9)),
        (9, (2.797, 0.008), (16.9, 0.3), (312e-9, 2e-9)),
        (11, (2.588, 0.005), (15.6, 0.3), (293e-9, 2e-9)),
    ],
)
def test_machines_of_256_switches_in_64_cabinets(degree, hops, cables, latency):
    """Means over five seeds; another program, with other random numbers, found these."""
    found = over_seeds("skywalk", {"s": 256, "c": 64, "k": degree, "p": 1, "l0": 0.0, "lm": 5e-9})
    metres = found.link_latency.mean / 5e-9
    assert found.links.mean - 2 == pytest.approx(hops[0], abs=hops[1])
    assert metres == pytest.approx(cables[0], abs=cables[1])
    assert (found.links.mean - 1) * 60e-9 + found.link_latency.mean == pytest.approx(latency[0], abs=latency[1])
    assert found.links.deviation < 0.01 * found.links.mean
