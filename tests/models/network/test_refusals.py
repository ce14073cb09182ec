"""Bad input: each field by name, with the value that is wrong."""

import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from example_counts import sampled_product

from dse.errors import InputError
from dse.models.network import effective_bandwidth, link_loads, mean_path, network_parts, shape_faults

GOOD = {
    "full-mesh": {"a": 4, "p": 4, "b0": 7.0, "b1": 5.0, "l0": 1.0, "l1": 2.0},
    "fat-tree-2-level": {"m1": 4, "m2": 4, "w0": 1, "w1": 2, "b0": 7.0, "b1": 5.0, "l0": 1.0, "l1": 2.0},
    "fat-tree-3-level": {
        **{"m1": 4, "m2": 4, "m3": 4, "w0": 1, "w1": 2, "w2": 3},
        **{"b0": 7.0, "b1": 5.0, "b2": 3.0, "l0": 1.0, "l1": 2.0, "l2": 3.0},
    },
    "torus": {"p": 1, "d": [4, 6], "b0": 7.0, "b": [5.0, 3.0], "l0": 1.0, "l": [2.0, 3.0]},
    "hyperx": {"p": 1, "d": [4, 6], "b0": 7.0, "b": [5.0, 3.0], "l0": 1.0, "l": [2.0, 3.0]},
    "dragonfly": {"a": 4, "p": 2, "h": 2, "g": 9, "b0": 7.0, "bl": 5.0, "bg": 3.0, "l0": 1.0, "ll": 2.0, "lg": 3.0},
    "slim-fly": {"q": 5, "p": 1, "b0": 7.0, "b1": 5.0, "l0": 1.0, "l1": 2.0},
}
SIZES = ("a", "p", "h", "g", "q", "m1", "m2", "m3", "w0", "w1", "w2")
EVERY_SIZE = [(topology, name) for topology, par in GOOD.items() for name in par if name in SIZES]
EVERY_RATE = [
    (topology, name) for topology, par in GOOD.items() for name in par if name[0] in "bl" and name not in ("b", "l")
]


def refused(words, topology, par, pattern="uniform", extra=None, function=effective_bandwidth, **options):
    """The input is refused, and the sentence has all the words."""
    with pytest.raises(InputError) as error:
        function(topology, par, pattern, extra, **options)
    text = str(error.value)
    for word in words:
        assert word in text, f"{word!r} is not in: {text}"


def test_the_inputs_that_the_others_spoil_are_good():
    for topology, par in GOOD.items():
        assert float(effective_bandwidth(topology, par)) > 0


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [("torsu", "torus"), ("fat-tree-2level", "fat-tree-2-level"), ("full_mesh", "full-mesh"), ("Slim-Fly", "slim-fly")],
)
@pytest.mark.parametrize("function", [effective_bandwidth, mean_path, link_loads])
def test_unknown_topologies(function, name, near):
    refused([name, f"did you mean '{near}'"], name, GOOD["torus"], function=function)


def test_unknown_topology_of_parts():
    with pytest.raises(InputError, match="did you mean 'hyperx'"):
        network_parts("hyperxx", GOOD["hyperx"])


@pytest.mark.parametrize(
    ("name", "near"),
    [("unifrom", "uniform"), ("bit_reversal", "bit-reversal"), ("nearest-neighbor", "nearest-neighbour")],
)
def test_unknown_patterns(name, near):
    refused([name, f"did you mean '{near}'"], "torus", GOOD["torus"], name)


@pytest.mark.parametrize(
    ("topology", "wrong", "words"),
    [
        ("full-mesh", {"b00": 1.0}, ["b00", "b0"]),
        ("torus", {"double_links_at_2": True}, ["double_links_at_2", "did you mean 'double_link_at_2'"]),
        ("fat-tree-2-level", {"w2": 4}, ["w2"]),
        ("hyperx", {"double_link_at_2": True}, ["double_link_at_2"]),
        ("dragonfly", {"b1": 4.0}, ["b1"]),
    ],
)
def test_unknown_parameters(topology, wrong, words):
    """Also those of another topology."""
    refused(words, topology, GOOD[topology] | wrong)


@pytest.mark.parametrize(
    ("pattern", "extra", "words"),
    [
        ("shift", {"stepp": 1}, ["stepp", "step"]),
        ("shift", {"step": 1, "include_self": True}, ["include_self"]),
        ("uniform", {"include_selfs": True}, ["include_selfs", "did you mean 'include_self'"]),
        ("nearest-neighbour", {"grid": [16], "tile": ()}, ["tile", "tiles"]),
        ("complement", {"step": 1}, ["step"]),
    ],
)
def test_unknown_parameters_of_patterns(pattern, extra, words):
    refused(words, "full-mesh", GOOD["full-mesh"], pattern, extra)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"routing": "minimum"}, ["minimum", "minimal"]),
        ({"routing": "dimension_order"}, ["dimension_order", "dimension-order"]),
        ({"equations": "correct"}, ["correct", "corrected"]),
    ],
)
def test_unknown_options(options, words):
    refused(words, "hyperx", GOOD["hyperx"], **options)


@pytest.mark.parametrize("topology", ["full-mesh", "torus", "fat-tree-2-level", "dragonfly", "slim-fly"])
def test_dimension_order_is_for_hyperx(topology):
    refused(["dimension-order", topology], topology, GOOD[topology], routing="dimension-order")


# --- missing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topology", "name"),
    [(topology, name) for topology, par in GOOD.items() for name in par if name[0] != "l" and name not in ("w0", "g")],
)
def test_missing_parameters(topology, name):
    """A bandwidth needs every size and every bandwidth."""
    par = {key: value for key, value in GOOD[topology].items() if key != name}
    refused([name, topology], topology, par)


@pytest.mark.parametrize(("topology", "name"), [(topology, "l0") for topology in GOOD] + [("torus", "l")])
def test_a_path_needs_latencies_and_a_bandwidth_does_not(topology, name):
    par = {key: value for key, value in GOOD[topology].items() if key != name}
    assert float(effective_bandwidth(topology, par)) > 0
    refused([name, topology], topology, par, function=mean_path)


@pytest.mark.parametrize(("pattern", "name"), [("shift", "step"), ("nearest-neighbour", "grid")])
def test_missing_parameters_of_patterns(pattern, name):
    refused([name, pattern], "full-mesh", GOOD["full-mesh"], pattern, {})


# --- sizes and rates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topology", "name", "value"), sampled_product(EVERY_SIZE, [0, -1, 2.5, math.nan, math.inf], each=2)
)
def test_sizes_are_whole_numbers_from_one(topology, name, value):
    """Uplinks too: a tree without uplinks is no network."""
    refused([name, f"{value:g}"], topology, GOOD[topology] | {name: value})


@pytest.mark.parametrize("topology", ["torus", "hyperx"])
@pytest.mark.parametrize("value", [0, -3, 1.5, math.nan])
def test_sizes_of_dimensions(topology, value):
    refused(["d", f"{value:g}"], topology, GOOD[topology] | {"d": [4, value]})


@pytest.mark.parametrize("topology", ["torus", "hyperx"])
def test_dimensions_and_their_links_are_as_many(topology):
    refused(["d"], topology, GOOD[topology] | {"d": []})
    refused(["b", "3"], topology, GOOD[topology] | {"b": [1.0, 2.0, 3.0]})
    refused(["l", "3"], topology, GOOD[topology] | {"l": [1.0, 2.0, 3.0]}, function=mean_path)


@pytest.mark.parametrize(("topology", "name", "value"), sampled_product(EVERY_RATE, [-1.0, math.nan], each=1))
def test_rates_and_latencies_are_numbers_above(topology, name, value):
    function = effective_bandwidth if name[0] == "b" else mean_path
    refused([name, f"{value:g}"], topology, GOOD[topology] | {name: value}, function=function)


@pytest.mark.parametrize(("topology", "name"), [pair for pair in EVERY_RATE if pair[1][0] == "b"])
def test_bandwidths_of_zero(topology, name):
    refused([name, "0"], topology, GOOD[topology] | {name: 0.0})


@pytest.mark.parametrize(("name", "value"), [("b", [5.0, -2.0]), ("b", -2.0), ("b", [5.0, math.nan])])
def test_bandwidths_of_dimensions(name, value):
    bad = value[1] if isinstance(value, list) else value
    refused([name, f"{bad:g}"], "torus", GOOD["torus"] | {name: value})


def test_the_bad_entry_of_an_array_is_named():
    refused(["p", "0"], "full-mesh", GOOD["full-mesh"] | {"p": np.array([1, 2, 0, 4])})
    refused(["b1", "-3"], "full-mesh", GOOD["full-mesh"] | {"b1": np.array([[1.0], [-3.0]])})


@pytest.mark.parametrize(
    "value",
    [
        *("four", "4", b"4", None, 1j, {4}, {"a": 4}, [[1, 2], [3]], [4, None], [4, "5"], ["4", "5"], range),
        *(10**400, np.datetime64("2020-01-01"), np.array([4, None]), np.ma.array([4, 5], mask=[False, True])),
    ],
)
@pytest.mark.parametrize(("topology", "name"), [("full-mesh", "a"), ("full-mesh", "b1"), ("torus", "p")])
def test_values_that_are_no_numbers(topology, name, value):
    """Nor are texts of digits: they come from a file that was read wrongly."""
    refused([topology, name], topology, GOOD[topology] | {name: value})


@pytest.mark.parametrize(
    "value",
    [
        *(6, 6.0, np.int8(6), np.uint64(6), np.float32(6), np.float16(6), Fraction(6), Decimal(6)),
        *(np.array(6), [6], (6,), range(6, 7), np.array([[6]]), np.array([6], dtype=object), np.ma.array([6])),
    ],
)
def test_any_kind_of_number_will_do(value):
    """And any kind of array; single numbers come back as numbers of Python."""
    found = effective_bandwidth("full-mesh", GOOD["full-mesh"] | {"a": value})
    assert np.shape(found) == np.shape(value)
    assert np.all(found == 7.0)
    if np.ndim(value) == 0:
        assert type(found) is float


def test_machines_too_large_to_count():
    """Sizes up to 2^31 - 1, machines up to 2^53 nodes: whole numbers are exact up to there."""
    refused(["a = 2147483648", "at most 2,147,483,647"], "full-mesh", GOOD["full-mesh"] | {"a": 2**31})
    refused(["a = 1e+300", "at most"], "full-mesh", GOOD["full-mesh"] | {"a": 1e300})
    for sizes in ([2**30] * 2, [2**31 - 1] * 40):
        par = GOOD["torus"] | {"d": sizes, "b": 1.0, "l": 1.0}
        for function in (effective_bandwidth, mean_path, link_loads):
            refused(["nodes", "2^53"], "torus", par, function=function)
    assert effective_bandwidth("full-mesh", GOOD["full-mesh"] | {"a": 2**30, "p": 2**23}) == 7.0


@pytest.mark.parametrize("value", ["44", "4x4", b"ab", {4: 4}, {4, 5}, 4, None, np.array(4), iter((4, 4))])
def test_the_sizes_of_dimensions_are_a_sequence(value):
    refused(["torus: d", "a sequence with one size per dimension"], "torus", GOOD["torus"] | {"d": value})


@pytest.mark.parametrize("name", ["b", "l"])
@pytest.mark.parametrize("value", [np.array([1.0, 2.0]), np.array([[1.0], [2.0]]), np.ones((2, 5))])
def test_an_array_that_may_mean_dimensions_or_designs_is_refused(name, value):
    """A list has an entry per dimension; an array that is not as long as the dimensions is one value per design."""
    refused([f"'{name}'", "list(", "dimensions"], "torus", GOOD["torus"] | {name: value}, function=mean_path)
    mean_path("torus", GOOD["torus"] | {name: list(value)})
    mean_path("torus", GOOD["torus"] | {name: [value] * 2})
    mean_path("torus", GOOD["torus"] | {name: np.ones(3)})


def test_arrays_that_do_not_fit_together():
    refused(["a", "p"], "full-mesh", GOOD["full-mesh"] | {"a": np.array([2, 3]), "p": np.array([1, 2, 3])})


def test_what_is_no_name_and_no_mapping():
    """Outsiders pass anything."""
    for wrong in (5, ["torus"], ("torus",), b"torus", None):
        refused(["unknown topology"], wrong, GOOD["torus"])
        refused(["unknown pattern"], "torus", GOOD["torus"], wrong)
        refused(["routing"], "torus", GOOD["torus"], routing=wrong)
        refused(["equations"], "torus", GOOD["torus"], equations=wrong)
    for wrong in (None, 5, [], "abc", [("d", (4, 4))]):
        refused(["torus: parameters", "mapping", "d (switches"], "torus", wrong)
    for wrong in (5, "abc", [("step", 3)], ()):
        refused(["shift: parameters", "mapping", "step"], "full-mesh", GOOD["full-mesh"], "shift", wrong)
    refused(["no parameter '5'"], "torus", {5: 4})
    refused(["no parameter '5'"], "full-mesh", GOOD["full-mesh"], "shift", {5: 4})
    for wrong in ("bandwidths", None, ["bandwidth"]):
        refused(["need", "bandwidths"], "full-mesh", GOOD["full-mesh"], function=link_loads, need=wrong)


def test_the_best_routing_cannot_be_told_without_bandwidths():
    refused(["needs 'b0'"], "full-mesh", {"a": 4, "p": 2}, function=link_loads, routing="best")


@pytest.mark.parametrize(
    ("pattern", "extra"),
    [
        ("uniform", {"include_self": [True, False, True]}),
        ("shift", {"step": [1, 2, 3]}),
        ("nearest-neighbour", {"grid": ([4, 8, 2], 4)}),
        ("nearest-neighbour", {"grid": (4, 4), "tiles": [([4, 2, 1], 1)]}),
    ],
)
@pytest.mark.parametrize("where", ["a", "b1"])
def test_arrays_of_patterns_fit_those_of_the_machine(pattern, extra, where):
    """Two designs, three values: sizes and links alike."""
    par = GOOD["full-mesh"] | {where: [4, 8]}
    refused([pattern, "(3,)", "(2,)", "broadcast"], "full-mesh", par, pattern, extra)


@pytest.mark.parametrize("limit", ["nodes", "radix"])
def test_limits_of_shapes(limit):
    for wrong in ("64", math.nan, [64, None]):
        with pytest.raises(InputError, match=limit):
            shape_faults("torus", {"d": ([4, 8], 4), "p": 1}, **{limit: wrong})
    with pytest.raises(InputError, match="broadcast"):
        shape_faults("torus", {"d": ([4, 8], 4), "p": 1}, **{limit: [16, 16, 16]})
    ((reason, mask),) = shape_faults("torus", {"d": ([4, 8], 4), "p": 1}, **{limit: [16, 4]})
    assert "given" in reason
    assert mask.tolist() == [False, True]
    ((reason, mask),) = shape_faults("torus", {"d": ([4, 8], 4), "p": 1}, **{limit: [16, 16]})
    assert "16" in reason


# --- patterns --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1.5, math.nan, "one"])
def test_steps_are_whole_numbers(value):
    refused(["step", str(value)], "full-mesh", GOOD["full-mesh"], "shift", {"step": value})


def test_include_self_is_yes_or_no():
    refused(["include_self", "maybe"], "full-mesh", GOOD["full-mesh"], "uniform", {"include_self": "maybe"})


@pytest.mark.parametrize(
    ("topology", "extra", "words"),
    [
        ("full-mesh", {"grid": [4, 5], "tiles": ()}, ["grid", "(4, 5)", "16"]),
        ("full-mesh", {"grid": [], "tiles": ()}, ["grid"]),
        ("full-mesh", {"grid": [4, 0], "tiles": ()}, ["grid", "0"]),
        ("full-mesh", {"grid": [4, 4.5], "tiles": ()}, ["grid", "4.5"]),
        ("full-mesh", {"grid": [4, 4], "tiles": [[2, 3]]}, ["tile", "3"]),
        ("full-mesh", {"grid": [8, 2], "tiles": [[4, 2]]}, ["tile", "(4, 2)", "4"]),
        ("full-mesh", {"grid": [4, 4], "tiles": [[4]]}, ["tile"]),
        ("full-mesh", {"grid": [4, 4], "tiles": [[2, 0]]}, ["tile", "0"]),
        ("full-mesh", {"grid": [4, 4], "tiles": [[4, 4], [2, 2]]}, ["tile"]),
        ("fat-tree-2-level", {"grid": [4, 4], "tiles": [[2, 1]]}, ["tile", "2", "4"]),
        ("fat-tree-3-level", {"grid": [8, 8], "tiles": [[4, 4], [8, 1]]}, ["tile", "8"]),
        ("fat-tree-3-level", {"grid": [8, 8], "tiles": [[4, 4], [2, 4]]}, ["tile", "(2, 4)", "4"]),
        ("fat-tree-3-level", {"grid": [8, 8], "tiles": [[4, 2], [2, 2]]}, ["tile", "(4, 2)", "16"]),
        ("fat-tree-3-level", {"grid": [8, 8], "tiles": [[2, 2]]}, ["tile"]),
        ("torus", {"grid": [8, 3], "tiles": [[2, 1]]}, ["tile", "2", "1"]),
        ("dragonfly", {"grid": [12, 6], "tiles": [[4, 2], [4, 1]]}, ["tile", "4", "2"]),
        ("dragonfly", {"grid": [12, 6], "tiles": [[2, 1]]}, ["tile"]),
    ],
)
def test_grids_and_tiles_that_do_not_fit(topology, extra, words):
    refused(words, topology, GOOD[topology], "nearest-neighbour", extra)


@pytest.mark.parametrize(
    ("pattern", "number", "rule"),
    [
        ("transpose", 12, "square"),
        ("transpose", 8, "square"),
        ("bit-reversal", 12, "power of"),
        ("bit-reversal", 9, "power of"),
        ("butterfly", 6, "power of"),
    ],
)
@pytest.mark.parametrize("topology", ["full-mesh", "torus"])
def test_patterns_for_other_numbers_of_nodes(topology, pattern, number, rule):
    """Transpose needs a square, bits a power of 2; the words say so and give the number."""
    size = {"full-mesh": {"a": number, "p": 1}, "torus": {"d": [number, 1], "p": 1}}[topology]
    refused([pattern, str(number), rule], topology, GOOD[topology] | size, pattern)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"grid": "44"}, ["grid"]),
        ({"grid": {4}}, ["grid"]),
        ({"grid": 16}, ["grid"]),
        ({"grid": [4, 4], "tiles": 4}, ["tiles = 4"]),
        ({"grid": [4, 4], "tiles": "22"}, ["tiles = '22'"]),
        ({"grid": [4, 4], "tiles": True}, ["tiles"]),
        ({"grid": [4, 4], "tiles": [2, 2]}, ["tiles[0] = 2"]),
        ({"grid": [4, 4], "tiles": [None]}, ["tiles[0] = None"]),
        ({"grid": [4, 4], "tiles": [[2, "2"]]}, ["tiles[0][1] = '2'"]),
    ],
)
def test_grids_and_tiles_that_are_none(extra, words):
    refused(words, "full-mesh", GOOD["full-mesh"], "nearest-neighbour", extra)


def test_tiles_may_be_an_array():
    tiled = effective_bandwidth(
        "full-mesh", GOOD["full-mesh"], "nearest-neighbour", {"grid": [4, 4], "tiles": [[2, 2]]}
    )
    for grid, tiles in ((np.array([4, 4]), np.array([[2, 2]])), ((4, 4), ((2, 2),))):
        extra = {"grid": grid, "tiles": tiles}
        assert effective_bandwidth("full-mesh", GOOD["full-mesh"], "nearest-neighbour", extra) == tiled
    linear = effective_bandwidth("full-mesh", GOOD["full-mesh"], "nearest-neighbour", {"grid": [4, 4]})
    for tiles in ((), None, np.array([])):
        extra = {"grid": [4, 4], "tiles": tiles}
        assert effective_bandwidth("full-mesh", GOOD["full-mesh"], "nearest-neighbour", extra) == linear


def test_the_design_that_is_wrong_is_told_and_no_other():
    """Its grid, its nodes, its block; in any layout."""
    par = GOOD["full-mesh"] | {"a": [[4], [3]], "p": [4, 3, 1]}
    grid = ([[4], [3]], [4, 3, 2])
    refused(["grid = (4, 2)", "4 in all"], "full-mesh", par, "nearest-neighbour", {"grid": grid})
    grid, tiles = ([[4], [3]], [4, 3, 1]), [(1, [4, 3, 2])]
    refused(["(1, 2)", "4×1"], "full-mesh", par, "nearest-neighbour", {"grid": grid, "tiles": tiles})
    par = GOOD["full-mesh"] | {"a": [4, 3], "p": [4, 3]}
    extra = {"grid": ([4, 3], [4, 3]), "tiles": [([2, 3], [2, 3])]}
    refused(["(3, 3)", "3 in all"], "full-mesh", par, "nearest-neighbour", extra)
    par = GOOD["dragonfly"] | {"a": [[4], [4]], "p": [1, 2, 3], "g": [[9], [8]]}
    refused(["a = 4, p = 1, h = 2, g = 8 (design 3 of 6)"], "dragonfly", par)
    refused(["q = 7, p = 2 (design 1 of 6)"], "slim-fly", GOOD["slim-fly"] | {"q": [5, 7], "p": [[2], [3], [4]]})


def test_printed_equations_say_the_way_out_first():
    for pattern in ("complement", "tornado"):
        refused(["allowed: equations 'corrected', uniform on"], "torus", GOOD["torus"], pattern, equations="printed")


# --- shapes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("g", "why"), [(8, "evenly"), (10, "too few"), (100, "too few")])
def test_dragonflies_that_cannot_be_wired(g, why):
    """a h = 8 global ports do not spread over g - 1 groups."""
    for function in (effective_bandwidth, mean_path, link_loads):
        refused(["dragonfly", f"g = {g}", why], "dragonfly", GOOD["dragonfly"] | {"g": g}, function=function)
    with pytest.raises(InputError, match=str(g)):
        network_parts("dragonfly", GOOD["dragonfly"] | {"g": g})


@pytest.mark.parametrize("q", [1, 2, 3, 4, 7, 9, 11, 15, 21, 25])
def test_slim_flies_that_do_not_exist_here(q):
    """A prime 4 w + 1; 9 and 25 are powers of primes, which the construction would need fields for."""
    refused(["q", str(q), "prime"], "slim-fly", GOOD["slim-fly"] | {"q": q})


def test_a_design_of_many_that_cannot_be_wired():
    refused(["g", "10"], "dragonfly", GOOD["dragonfly"] | {"g": np.array([9, 5, 10])})


def test_slim_flies_too_large_to_route():
    """Uniform has a closed form at any size."""
    par = GOOD["slim-fly"] | {"q": 97}
    assert effective_bandwidth("slim-fly", par) > 0
    refused(["q = 97", "route", "up to 89"], "slim-fly", par, "complement")


def test_too_many_flows_to_route_are_refused_at_once():
    """No closed form, 2^26 nodes: an error that says so, not an hour of work and not another pattern."""
    par = GOOD["torus"] | {"d": [8192, 8192]}
    start = time.process_time()
    refused(["transpose", "torus"], "torus", par, "transpose")
    assert time.process_time() - start < 2
