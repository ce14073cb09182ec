"""Nearest neighbours with the mapping chosen for each design: the rule, the oracle, and arrays of mixed designs."""

import contextlib
import math

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.network import TOPOLOGIES, LinkLoads, link_loads
from dse.models.network.bandwidth import neighbours
from dse.models.network.bandwidth.neighbours import neighbour_loads
from dse.models.network.patterns.process_grid import most_square

from . import oracle
from .test_closed_forms import ALL, GRIDS, blocks, designs, factors, stacked
from .test_process_grid import best_by_trying

WITH_SLIM_FLY = [*ALL, "slim-fly"]
SLIM_FLY = {"q": 5, "b0": 50.0, "b1": 3.0, "l0": 2.0, "l1": 7.0}


@st.composite
def machines(draw, topology: str) -> dict:
    if topology == "slim-fly":
        return {**SLIM_FLY, "p": draw(st.integers(1, 3))}
    return draw(designs(topology, largest=72))


def drawn_grid(topology: str, par: dict, data) -> tuple[int, ...]:
    """Any grid, and often one that may be laid on the switches of a torus or HyperX."""
    n = oracle.number_of_nodes(topology, par)
    dimensions = data.draw(st.integers(1, 3))
    if topology in GRIDS and data.draw(st.booleans()):
        sizes = par["d"][:dimensions]
        tile = data.draw(st.sampled_from(factors(n // math.prod(sizes), len(sizes))))
        return tuple(side * size for side, size in zip(tile, sizes, strict=True))
    return data.draw(st.sampled_from(factors(n, dimensions)))


def rule(topology: str, par: dict, grid) -> tuple:
    """The documented choice: tiles as the switches of a torus or HyperX, else those that the fewest flows leave."""
    if topology in GRIDS:
        switches = [*par["d"], *[1] * (len(grid) - len(par["d"]))]
        fits = all(side % size == 0 for side, size in zip(grid, switches, strict=False))
        tile = tuple(side // size for side, size in zip(grid, switches, strict=False))
        beyond = math.prod(switches[len(grid) :])
        return (tile,) if fits and beyond == 1 else ()
    volumes = [par["p"]] if topology in ("slim-fly", "skywalk") else blocks(topology, par)[:-1]
    if len(volumes) == 2:
        volumes = [math.prod(volumes), volumes[0]]
    return best_by_trying(grid, volumes) or ()


@contextlib.contextmanager
def watched():
    """The tiles of every call that neighbour_loads makes, per side an array over its designs."""
    seen = []

    def watch(topology, parameters, pattern, options, **how):
        seen.append(options["tiles"])
        return link_loads(topology, parameters, pattern, options, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "link_loads", watch)
        yield seen


def same_as_oracle(found: LinkLoads, topology, par, extra, routing="minimal") -> None:
    want = oracle.evaluate(topology, par, "nearest-neighbour", extra, routing)
    assert float(found.flows_per_node) == want.flows_per_node
    assert float(found.effective_bandwidth) == pytest.approx(want.bandwidth, rel=1e-9)
    assert {one.name: float(one.load) for one in found.classes} == pytest.approx(want.loads, rel=1e-9)
    assert {one.name: float(one.capacity) for one in found.classes} == pytest.approx(want.capacity, rel=1e-12)
    if want.leaving:
        assert {one.name: float(one.traversals) for one in found.classes} == pytest.approx(want.traversals, rel=1e-9)
        assert float(found.link_latency) == pytest.approx(want.link_latency, rel=1e-9)


# --- one design ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("topology", WITH_SLIM_FLY)
@settings(max_examples=examples(120))
@given(data=st.data())
def test_the_mapping_is_that_of_the_rule_and_the_numbers_are_the_oracles(topology, data):
    par = data.draw(machines(topology))
    grid = drawn_grid(topology, par, data)
    routing = data.draw(st.sampled_from(["minimal", "dimension-order"])) if topology == "hyperx" else "minimal"
    with watched() as seen, np.errstate(all="raise"):
        found = neighbour_loads(topology, par, grid, 1.0, routing=routing)
    wanted = rule(topology, par, grid)
    assert [tuple(tuple(int(side.item()) for side in tile) for tile in tiles) for tiles in seen] == [wanted]
    same_as_oracle(found, topology, par, {"grid": grid, "tiles": wanted}, routing)


@pytest.mark.parametrize("topology", WITH_SLIM_FLY)
@settings(max_examples=examples(40))
@given(data=st.data())
def test_without_sub_domains_ranks_follow_the_nodes(topology, data):
    par = data.draw(machines(topology))
    grid = drawn_grid(topology, par, data)
    with watched() as seen, np.errstate(all="raise"):
        found = neighbour_loads(topology, par, grid, False)
    assert [list(tiles) for tiles in seen] == [[]]
    same_as_oracle(found, topology, par, {"grid": grid, "tiles": ()})


@pytest.mark.parametrize(
    ("topology", "sizes", "grid", "wanted"),
    [
        ("torus", {"p": 4, "d": [4, 4]}, (8, 8), ((2, 2),)),
        ("torus", {"p": 4, "d": [4, 4]}, (4, 16), ((1, 4),)),
        ("torus", {"p": 4, "d": [4, 4]}, (64,), ()),  # dimension 2 has no side
        ("torus", {"p": 4, "d": [16, 1]}, (64,), ((4,),)),
        ("torus", {"p": 1, "d": [4, 4]}, (4, 2, 2), ()),
        ("torus", {"p": 2, "d": [4, 4]}, (4, 4, 2), ((1, 1, 2),)),  # a third side inside a switch
        ("hyperx", {"p": 2, "d": [6, 2]}, (4, 6), ()),  # 6 does not divide 4: rows of the grid, a closed form
        ("hyperx", {"p": 6, "d": [2, 2]}, (6, 4), ((3, 2),)),
        ("full-mesh", {"a": 4, "p": 7}, (7, 4), ((7, 1),)),
        ("full-mesh", {"a": 3, "p": 5}, (15, 1), ((5, 1),)),
        ("full-mesh", {"a": 9, "p": 4}, (6, 6), ((2, 2),)),
        ("full-mesh", {"a": 4, "p": 9}, (6, 6), ((3, 3),)),
        ("full-mesh", {"a": 9, "p": 16}, (16, 9), ((16, 1),)),  # a row is closed; (4, 4) does not divide
    ],
)
def test_mappings_by_hand(topology, sizes, grid, wanted):
    par = sizes | ({"b0": 3.0, "b": 2.0} if topology in GRIDS else {"b0": 3.0, "b1": 2.0})
    with watched() as seen:
        neighbour_loads(topology, par, grid, 1.0)
    assert [tuple(tuple(int(side.item()) for side in tile) for tile in tiles) for tiles in seen] == [wanted]


@pytest.mark.parametrize("topology", ["full-mesh", "fat-tree-2-level", "fat-tree-3-level"])
@settings(max_examples=examples(60))
@given(data=st.data())
def test_a_tree_never_carries_more_with_tiles_than_without(topology, data):
    """The fewest flows leave the outermost block, tried against the tiles of the linear mapping where it has some."""
    par = data.draw(machines(topology))
    n = oracle.number_of_nodes(topology, par)
    grid = most_square(n, 2)
    tiled, linear = (neighbour_loads(topology, par, grid, mapped) for mapped in (True, False))
    if rule(topology, par, grid):
        assert tiled.classes[-1].load <= linear.classes[-1].load * (1 + 1e-12)
    else:
        assert tiled.classes[-1].load == linear.classes[-1].load


# --- arrays ----------------------------------------------------------------------------------------------------------


def values_of(loads: LinkLoads, whole: tuple[int, ...]) -> dict[str, np.ndarray]:
    found = {"flows": loads.flows_per_node, "routed": loads.routed, "bandwidth": loads.effective_bandwidth}
    found |= {"bottleneck": loads.bottleneck, "links": loads.links, "latency": loads.link_latency}
    for one in loads.classes:
        found |= {
            f"{one.name} {name}": getattr(one, name)
            for name in ("capacity", "load", "traversals", "latency", "optical")
        }
    return {name: np.broadcast_to(value, whole) for name, value in found.items()}


def same_bits(found: LinkLoads, whole: tuple[int, ...], single) -> None:
    """Every entry of every result equals that of the design alone."""
    many = values_of(found, whole)
    for index in np.ndindex(*whole):
        for name, value in values_of(single(index), ()).items():
            np.testing.assert_array_equal(many[name][index], value, err_msg=f"{name} of design {index}")


def at(value, index):
    """An entry of a parameter at a place of the broadcast result."""
    if isinstance(value, (list, tuple)):
        return [at(one, index) for one in value]
    array = np.asarray(value)
    here = index[len(index) - array.ndim :]
    return array[tuple(0 if length == 1 else place for place, length in zip(here, array.shape, strict=True))].item()


# The last entries of each are bandwidths. Some designs are tiled, some linear with a closed form (HyperX), some routed.
MIXED = {
    "full-mesh": ({"a": [4, 6, 9], "p": [4, 6, 4]}, [4, 6, 6], {"b0": 7.0}, {"b1": [5.0, 0.5]}),
    "fat-tree-2-level": (
        {"m1": [4, 6, 5], "m2": [4, 6, 6]},
        [4, 6, 6],
        {"w0": 1, "b0": 7.0, "b1": 5.0},
        {"w1": [1, 2]},
    ),
    "fat-tree-3-level": (
        {"m1": [4, 4, 5], "m2": [2, 4, 3], "m3": [2, 4, 4]},
        [4, 8, 10],
        {"w2": 1, "b0": 7.0, "b1": 5.0, "b2": 3.0},
        {"w0": [1, 2], "w1": [1, 2]},
    ),
    "torus": (
        {"d": [[4, 4, 2], [4, 2, 3]], "p": [4, 2, 6]},
        [8, 4, 6],
        {"b0": 70.0},
        {"b": [[5.0, 0.5]] * 2, "double_link_at_2": [1, 0]},
    ),
    "hyperx": ({"d": [[4, 6, 4], [4, 2, 9]], "p": [4, 2, 1]}, [8, 4, 6], {"b0": 70.0}, {"b": [[5.0, 0.5]] * 2}),
    "dragonfly": (
        {"a": [4, 2, 4], "p": [2, 2, 1], "h": [1, 2, 2], "g": [5, 5, 9]},
        [8, 5, 6],
        {"b0": 7.0, "bl": 5.0},
        {"bg": [4.0, 0.5]},
    ),
    "slim-fly": ({"p": [1, 2, 3]}, [10, 10, 15], {"q": 5, "b0": 7.0}, {"b1": [4.0, 0.5]}),
}
LAYOUTS = {  # where the three sizes and the two bandwidths run; sub-domains run along both
    "column and row": ((3, 1), (1, 2), (3, 2)),
    "row and column": ((1, 3), (2, 1), (2, 3)),
    "three axes": ((3, 1, 1), (1, 1, 2), (3, 1, 2)),
    "the middle of four axes": ((1, 3, 1, 1), (2, 1, 1, 1), (1, 3, 1, 1)),
    "a row and a column of their own": ((3,), (2, 1), (2, 3)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("topology", WITH_SLIM_FLY)
def test_mixed_designs_in_any_layout_equal_single_designs(topology, layout):
    """Bit for bit; read-only arguments."""
    sizes, width, fixed, rates = MIXED[topology]
    down, along, both = LAYOUTS[layout]

    def laid_out(value, shape):
        if isinstance(value[0], list):
            return [laid_out(one, shape) for one in value]
        array = np.reshape(value, shape)
        array.setflags(write=False)
        return array

    par = {name: laid_out(value, down) for name, value in sizes.items()} | fixed
    par |= {name: laid_out(value, along) for name, value in rates.items()}
    par |= dict.fromkeys(TOPOLOGIES[topology].latencies, 2.0)
    grid = [laid_out(width, down), nodes_of(topology, par) // laid_out(width, down)]
    mapped = laid_out([True, True, False, False, True, True][: math.prod(both)], both)
    whole = np.broadcast_shapes(down, along, both)
    with watched() as seen, np.errstate(all="raise"):
        found = neighbour_loads(topology, par, grid, mapped)
    assert {len(tiles) for tiles in seen} == {0, 2 if topology in ("fat-tree-3-level", "dragonfly") else 1}
    assert set(np.ravel(found.routed)) == ({True} if topology in ("dragonfly", "slim-fly") else {True, False})

    def single(index):
        one = {name: at(value, index) for name, value in par.items()}
        return neighbour_loads(topology, one, [at(side, index) for side in grid], at(mapped, index))

    same_bits(found, whole, single)


def nodes_of(topology: str, par: dict):
    return TOPOLOGIES[topology].nodes({"m3": 1, **par} if topology == "fat-tree-3-level" else par)


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=8)
@given(data=st.data())
def test_batches_of_designs_equal_single_designs(topology, data):
    dimensions = data.draw(st.integers(1, 3))
    pars, grids, mapped = [], [], []
    for _ in range(10):
        par = data.draw(designs(topology, largest=64, dimensions=2 if topology in GRIDS else 0))
        par = {"w0": 1, **par} if topology.startswith("fat-tree") else par
        par = {"g": par["a"] * par["h"] + 1, **par} if topology == "dragonfly" else par
        par = {"double_link_at_2": True, **par} if topology == "torus" else par
        par |= {name: oracle.each(par[name], par["d"]) for name in ("b", "l") if name in par}
        n = oracle.number_of_nodes(topology, par)
        pars.append(par)
        grids.append(data.draw(st.sampled_from([most_square(n, dimensions), *factors(n, dimensions)])))
        mapped.append(data.draw(st.booleans()))
    many = {name: stacked([par[name] for par in pars]) for name in pars[0]}
    found = neighbour_loads(topology, many, stacked(grids), stacked(mapped))
    same_bits(found, (10,), lambda index: neighbour_loads(topology, pars[index[0]], grids[index[0]], mapped[index[0]]))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_a_single_design_keeps_its_shape(shape):
    par = {"a": np.full(shape, 4), "p": 4, "b0": 7.0, "b1": 5.0, "l0": 1.0, "l1": 2.0}
    found = neighbour_loads("full-mesh", par, [4, 4], np.ones(shape))
    assert np.shape(found.effective_bandwidth) == shape
    assert np.shape(found.links) == shape


# --- what cannot be --------------------------------------------------------------------------------------------------


def test_a_grid_with_other_processes_than_nodes_is_refused():
    par = {"a": np.array([4, 4]), "p": 4, "b0": 7.0, "b1": 5.0}
    for mapped in (True, False, np.array([True, False])):
        with pytest.raises(InputError, match=r"grid = \(4, 5\).*one process per node, 16 in all"):
            neighbour_loads("full-mesh", par, [4, np.array([4, 5])], mapped)


def test_more_flows_than_can_be_routed_are_refused():
    """2^26 nodes, and a grid of three sides on a torus of two dimensions."""
    par = {"d": [8192, 8192], "p": 1, "b0": 7.0, "b": 5.0}
    with pytest.raises(InputError, match="has no closed form: 402,653,184 flows to route"):
        neighbour_loads("torus", par, [512, 512, 256], True)
    assert neighbour_loads("torus", par, [8192, 8192], True).effective_bandwidth == 7.0
