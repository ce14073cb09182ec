"""Shapes of networks against definitions: every tuple of whole numbers is looked at, and counted once."""

import time
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import product
from math import ceil, inf, isqrt, prod

import numpy as np
import pytest
from example_counts import sampled_product
from hypothesis import given
from hypothesis import strategies as st

from dse.authoring.library.library import find_enumeration
from dse.errors import InputError


def shapes(name, **options):
    return find_enumeration(f"network.{name}").rows(options)


def tuples(found):
    """Return the rows without the columns that are 1 in all (the dimensions a shape does not have)."""
    return [tuple(int(v) for v in row) for row in zip(*found.columns.values(), strict=True)]


def tuples_of(least, high):
    """Return every tuple of whole numbers, each at least the one in `least`, whose product is at most `high`."""
    if not least:
        return [()]
    found = []
    for first in range(least[0], high + 1):
        found += [(first, *rest) for rest in tuples_of(least[1:], high // first)]
    return found


# ---- oracles: (kept, refused by reason), from the definitions of the specification --------------------------------


def one_reason(*reasons):
    """Return the first reason that applies."""
    return next((name for name, applies in reasons if applies), None)


def counted(candidates):
    """Split candidates into those without a reason and the counts of the others."""
    kept = sorted(shape for shape, reason in candidates if reason is None)
    return kept, Counter(reason for _, reason in candidates if reason is not None)


def meshes(low, high, radix, wanted=None):
    found = []
    for a, p in tuples_of((2, 1), high):
        if low <= a * p and (wanted is None or p in wanted):
            found.append(((a, p), one_reason((f"more than {radix} ports on a switch", p + (a - 1) > radix))))
    return counted(found)


def uplinks(level):
    return f"the taper leaves no whole number of uplinks of a switch of level {level}"


def trees_2(low, high, radix, tapers=(1,), w0=1, wanted=None):
    found = []
    for m1, m2 in tuples_of((1, 2), high):
        if m1 * m2 < low or (wanted is not None and m1 not in wanted):
            continue
        for taper in tapers:
            w1 = Fraction(m1 * w0) / Fraction(taper)
            reason = one_reason(
                (f"more than {radix} ports on a switch of level 1", m1 * w0 + w1 > radix),
                (f"more than {radix} ports on a switch of level 2", m2 > radix),
                (uplinks(1), w1.denominator != 1),
            )
            found.append(((m1, m2, w0, int(w1)), reason))
    return counted(found)


def trees_3(low, high, radix, tapers=(1,), w0=1, wanted=None):
    found = []
    for m1, m2, m3 in tuples_of((1, 2, 2), high):
        if m1 * m2 * m3 < low or (wanted is not None and m1 not in wanted):
            continue
        for first, second in product(tapers, repeat=2):
            w1, w2 = Fraction(m1 * w0) / Fraction(first), Fraction(m2) / Fraction(second)
            reason = one_reason(
                (f"more than {radix} ports on a switch of level 1", m1 * w0 + w1 > radix),
                (f"more than {radix} ports on a switch of level 2", m2 + w2 > radix),
                (f"more than {radix} ports on a switch of level 3", m3 > radix),
                (uplinks(1), w1.denominator != 1),
                (uplinks(2), w2.denominator != 1),
            )
            found.append(((m1, m2, m3, w0, int(w1), int(w2)), reason))
    return counted(found)


def grids(low, high, radix, ports, dimensions, ordered=False, smallest=2, wanted=None, ratio=inf):
    found = []
    for count in dimensions:
        for p, *d in tuples_of((1, *(smallest,) * count), high):
            if p * prod(d) < low or (not ordered and d != sorted(d, reverse=True)):
                continue
            if wanted is None or p in wanted:
                reason = one_reason(
                    (f"more than {radix} ports on a switch", p + sum(map(ports, d)) > radix),
                    (f"a dimension more than {ratio:g} times another", max(d) > ratio * min(d)),
                )
                found.append(((*d, *(1,) * (6 - count), p), reason))
    return counted(found)


def tori(*given, **options):
    return grids(*given, lambda d: 2, **options)


def hyperxes(*given, **options):
    return grids(*given, lambda d: d - 1, **options)


def dragonflies(low, high, radix, links=None, wanted=None):
    found = []
    for a, p, g in tuples_of((2, 1, 2), high):
        if a * p * g < low or (wanted is not None and p not in wanted):
            continue
        # Without wanted numbers of links: every number of ports that is left, and at least one.
        left = max(1, radix - p - (a - 1))
        for h in [Fraction(k * (g - 1), a) for k in links] if links else range(1, left + 1):
            whole = Fraction(h).denominator == 1 and Fraction(a * h, g - 1).denominator == 1
            reason = one_reason(
                (f"more than {radix} ports on a switch", p + a - 1 + ceil(h) > radix),
                ("global links do not spread evenly over the other groups", not whole),
            )
            found.append(((a, p, int(h), g), reason))
    return counted(found)


def is_prime(q):
    return q > 1 and all(q % d for d in range(2, isqrt(q) + 1))


def slim_flies(low, high, radix, wanted=None):
    found = []
    for q, p in tuples_of((2, 1), high):
        if low <= 2 * q * q * p <= high and (wanted is None or p in wanted):
            reason = one_reason(
                (f"more than {radix} ports on a switch", p + Fraction(3 * q - 1, 2) > radix),
                ("q is no prime of the form 4 w + 1", not (is_prime(q) and q % 4 == 1)),
            )
            found.append(((q, p), reason))
    return counted(found)


def skywalks(low, high, radix, together=(4,), links=None, wanted=None):
    found = []
    for s, p in tuples_of((2, 1), high):
        if s * p < low or (wanted is not None and p not in wanted):
            continue
        for each, k in product(together, links or [radix - p]):
            if s < 2 * each:
                continue
            reason = one_reason(
                (f"more than {radix} ports on a switch", p + k > radix or k < 1),
                ("the switches do not fill the cabinets evenly", s % each != 0),
                ("an odd number of switches", s % 2 == 1),
                ("more than 2\u202f048 switches", s > 2048),
                ("fewer than three links leave a cabinet", each * (k - (each - 1)) < 3),
                ("more links of a switch than other switches", k >= s),
            )
            found.append(((s, s // each, k, p), reason))
    return counted(found)


ALL = range(1, 7)
CASES = [
    ("full_mesh", {}, meshes, {}),
    ("full_mesh", {"nodes_per_switch": [2, 7]}, meshes, {"wanted": [2, 7]}),
    ("fat_tree_2_level", {}, trees_2, {}),
    ("fat_tree_2_level", {"taper": [0.5, 1, 1.5, 3], "node_links": 2}, trees_2, {"tapers": [0.5, 1, 1.5, 3], "w0": 2}),
    ("fat_tree_2_level", {"nodes_per_switch": 4, "taper": 2}, trees_2, {"wanted": [4], "tapers": [2]}),
    ("fat_tree_3_level", {}, trees_3, {}),
    ("fat_tree_3_level", {"taper": [1, 1.5, 2], "node_links": 2}, trees_3, {"tapers": [1, 1.5, 2], "w0": 2}),
    ("fat_tree_3_level", {"nodes_per_switch": [1, 6]}, trees_3, {"wanted": [1, 6]}),
    ("torus", {}, tori, {"dimensions": ALL}),
    ("torus", {"ordered": True}, tori, {"dimensions": ALL, "ordered": True}),
    ("torus", {"dimensions": [3, 1], "smallest_dimension": 3}, tori, {"dimensions": [1, 3], "smallest": 3}),
    ("torus", {"dimensions": 2, "nodes_per_switch": [1, 4]}, tori, {"dimensions": [2], "wanted": [1, 4]}),
    ("torus", {"largest_ratio": 1.5}, tori, {"dimensions": ALL, "ratio": 1.5}),
    ("hyperx", {"largest_ratio": 1, "ordered": True}, hyperxes, {"dimensions": ALL[1:], "ratio": 1, "ordered": True}),
    ("hyperx", {}, hyperxes, {"dimensions": ALL[1:]}),
    ("hyperx", {"dimensions": [1, 2], "ordered": True}, hyperxes, {"dimensions": [1, 2], "ordered": True}),
    ("dragonfly", {}, dragonflies, {}),
    ("dragonfly", {"global_links": [1, 2]}, dragonflies, {"links": [1, 2]}),
    ("dragonfly", {"global_links": 3, "nodes_per_switch": [1, 2]}, dragonflies, {"links": [3], "wanted": [1, 2]}),
    ("slim_fly", {}, slim_flies, {}),
    ("slim_fly", {"nodes_per_switch": [1, 2]}, slim_flies, {"wanted": [1, 2]}),
    ("skywalk", {}, skywalks, {}),
    (
        "skywalk",
        {"switches_per_cabinet": [1, 3], "nodes_per_switch": [1, 2]},
        skywalks,
        {"together": [1, 3], "wanted": [1, 2]},
    ),
    (
        "skywalk",
        {"switches_per_cabinet": 2, "switch_links": [2, 3, 9]},
        skywalks,
        {"together": [2], "links": [2, 3, 9]},
    ),
]


MACHINES = [([1, 60], 12), ([64, 64], 9), ([70, 110], 16)]


@pytest.mark.parametrize(
    ("name", "options", "oracle", "same", "nodes", "radix"), sampled_product(CASES, MACHINES, each=1)
)
def test_they_are_those_of_the_definition(name, options, oracle, same, nodes, radix):
    """The same shapes, each once, and the same counts under the same reasons."""
    kept, refused = oracle(*nodes, radix, **same)
    if not kept:
        with pytest.raises(InputError, match=f"no shape is left of {sum(refused.values())} considered"):
            shapes(name, nodes=nodes, radix=radix, **options)
        return
    found = shapes(name, nodes=nodes, radix=radix, **options)
    assert sorted(tuples(found)) == kept
    assert found.refused == dict(refused)
    assert found.considered == len(kept) + sum(refused.values())


def nodes_of(name, c):
    """Return the number of nodes of shapes, by the definition of the topology."""
    if name == "full_mesh":
        return c["mesh_switches"] * c["nodes_per_switch"]
    if name.startswith("fat_tree"):
        return c["tree_children_1"] * c["tree_children_2"] * c.get("tree_children_3", 1)
    if name == "dragonfly":
        return c["group_switches"] * c["nodes_per_switch"] * c["groups"]
    if name == "slim_fly":
        return 2 * c["field_order"] ** 2 * c["nodes_per_switch"]
    if name == "skywalk":
        return c["skywalk_switches"] * c["nodes_per_switch"]
    return prod(c[f"dimension_{i}"] for i in range(1, 7)) * c["nodes_per_switch"]


NAMES = ["full_mesh", "fat_tree_2_level", "fat_tree_3_level", "torus", "hyperx", "dragonfly", "slim_fly", "skywalk"]


@given(
    name=st.sampled_from(NAMES),
    low=st.integers(1, 200_000),
    width=st.integers(0, 300),
    radix=st.integers(1, 300),
    data=st.data(),
)
def test_counts_add_up_and_labels_name_one_shape(name, low, width, radix, data):
    options = {}
    if data.draw(st.booleans()):
        options["nodes_per_switch"] = data.draw(st.lists(st.integers(1, 64), min_size=1, max_size=5, unique=True))
    if name.startswith("fat_tree"):
        ratios = st.lists(st.sampled_from([0.5, 1, 1.5, 2, 3.0, 4]), min_size=1, max_size=3, unique=True)
        options |= {"taper": data.draw(ratios), "node_links": data.draw(st.integers(1, 3))}
    try:
        found = shapes(name, nodes=[low, low + width], radix=radix, **options)
    except InputError as error:
        assert "no shape is left of" in str(error)  # noqa: PT017
        return
    nodes = nodes_of(name, found.columns)
    assert ((low <= nodes) & (nodes <= low + width)).all()
    assert (np.diff(nodes) >= 0).all()
    assert all((values >= 1).all() and (values == np.round(values)).all() for values in found.columns.values())
    assert found.kept + sum(found.refused.values()) == found.considered
    assert len(set(found.labels)) == found.kept
    assert all(label.isascii() for label in found.labels)
    assert len(set(found.short_names(range(found.kept)))) == found.kept
    wanted = options.get("nodes_per_switch")
    if wanted:
        column = "tree_children_1" if name.startswith("fat_tree") else "nodes_per_switch"
        assert set(found.columns[column]) <= set(wanted)


@pytest.mark.parametrize("name", NAMES)
def test_listed_numbers_of_nodes_are_those_of_each_alone(name):
    """The same shapes, the smallest numbers of nodes first, and the counts add up."""
    found = shapes(name, nodes={"values": [400, 100, 250]}, radix=60)
    alone = []
    for nodes in (100, 250, 400):
        with suppress(InputError):
            alone.append(shapes(name, nodes=nodes, radix=60))
    assert found.labels == tuple(label for one in alone for label in one.labels)
    assert set(nodes_of(name, found.columns)) <= {100, 250, 400}
    assert found.kept + sum(found.refused.values()) == found.considered


def test_few_shapes_among_very_many_numbers_of_nodes():
    """Where divisors are not needed, a wide range costs nothing."""
    assert shapes("slim_fly", nodes=[1, 10**7], radix=64).kept > 100
    assert shapes("dragonfly", nodes=[1024, 262144], radix=128, nodes_per_switch=[8, 16, 32], global_links=1).kept > 100


def test_labels():
    options = {"nodes": 4096, "radix": 64}
    assert "16x16x16, p=1" in shapes("torus", **options).labels
    assert "32x32, p=4" in shapes("hyperx", nodes=4096, radix=128).labels
    assert shapes("full_mesh", nodes=60, radix=15).labels == ("a=6, p=10", "a=10, p=6")
    assert "m=16,16,16 w=1,16,16" in shapes("fat_tree_3_level", **options).labels
    assert "m=16,8 w=2,4" in shapes("fat_tree_2_level", nodes=128, radix=40, node_links=2, taper=8).labels
    assert "a=4, p=2, h=2, g=9" in shapes("dragonfly", nodes=72, radix=7).labels
    assert shapes("slim_fly", nodes=200, radix=11).labels == ("q=5, p=4",)
    assert "s=64, c=16, k=8, p=4" in shapes("skywalk", nodes=256, radix=12).labels


def test_short_names():
    """What a colleague would say of a shape whose label is a code."""

    def named(label, name, **options):
        found = shapes(name, **options)
        return found.short_names([found.labels.index(label)])[0]

    assert named("16x16x16, p=1", "torus", nodes=4096, radix=64) == "16 × 16 × 16, 1 node per switch"
    assert named("a=6, p=10", "full_mesh", nodes=60, radix=15) == "6 switches of 10 nodes"
    assert named("m=16,16,16 w=1,16,16", "fat_tree_3_level", nodes=4096, radix=64) == "16 × 16 × 16"
    assert (
        named("m=16,8 w=2,4", "fat_tree_2_level", nodes=128, radix=40, node_links=2, taper=8)
        == "16 × 8, 2 links per node, tapered 8:1"
    )
    assert (
        named("a=4, p=2, h=2, g=9", "dragonfly", nodes=72, radix=7)
        == "9 groups of 4 switches with 2 nodes and 2 global links each"
    )
    assert named("q=5, p=4", "slim_fly", nodes=200, radix=11) == "50 switches of 4 nodes"
    assert (
        named("s=64, c=16, k=8, p=4", "skywalk", nodes=256, radix=12)
        == "64 switches in 16 cabinets with 4 nodes and 8 links each"
    )


def test_networks_of_the_thesis():
    """The four networks of the study of 262,144 nodes are among the shapes that so many ports allow."""
    assert "64x64, p=64" in shapes("hyperx", nodes=262144, radix=190).labels
    assert "32x32, p=256" in shapes("hyperx", nodes=262144, radix=318).labels
    assert "16x16x16x8x8, p=1" in shapes("torus", nodes=262144, radix=11).labels
    assert "m=64,64,64 w=1,64,64" in shapes("fat_tree_3_level", nodes=262144, radix=128).labels
    with pytest.raises(InputError, match="no shape is left"):
        shapes("fat_tree_3_level", nodes=262144, radix=64)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("torus", {"nodes": [9500, 10500], "radix": 64, "dimensions": [2, 3, 4, 5]}),
        ("torus", {"nodes": 262144, "radix": 64, "ordered": True}),
        ("hyperx", {"nodes": [9500, 10500], "radix": 64}),
        ("hyperx", {"nodes": 262144, "radix": 64}),
        ("fat_tree_3_level", {"nodes": [9500, 10500], "radix": 64, "taper": [1, 1.5, 2, 3]}),
        ("fat_tree_3_level", {"nodes": 262144, "radix": 128}),
        ("dragonfly", {"nodes": [9500, 10500], "radix": 64}),
        ("dragonfly", {"nodes": [261644, 262644], "radix": 128}),
        ("slim_fly", {"nodes": [9500, 10500], "radix": 64}),
        ("skywalk", {"nodes": [9500, 10500], "radix": 64}),
        ("full_mesh", {"nodes": [9500, 10500], "radix": 256}),
    ],
)
def test_they_take_no_time(name, options):
    """Well under two seconds each; they take a tenth of that on an idle machine."""
    start = time.process_time()
    shapes(name, **options)
    assert time.process_time() - start < 2


MANY = "there are more than 10\u202f000\u202f000 candidates; allowed: a narrower range"
COUNTS = "a whole number >= 1, or a list of them"
NODES = "a whole number from 1 to 1e9, [lowest, highest], { values = [ … ] }, or { powers_of_two = [lowest, highest] }"
RATIOS = "links down over links up of a switch: a number > 0, or a list of them"
WRONG = [
    ("torus", {"nodes": 0}, f"nodes: 0 is not possible; allowed: {NODES}"),
    ("torus", {"nodes": 1.5}, f"nodes: 1.5 is not possible; allowed: {NODES}"),
    ("torus", {"nodes": True}, f"nodes: True is not possible; allowed: {NODES}"),
    ("torus", {"nodes": "64"}, f"nodes: '64' is not possible; allowed: {NODES}"),
    ("torus", {"nodes": [1, 2, 3]}, f"nodes: [1, 2, 3] is not possible; allowed: {NODES}"),
    ("torus", {"nodes": [20, 10]}, "nodes: [20, 10] runs downwards; allowed: [lowest, highest]"),
    ("torus", {"nodes": {"values": []}}, f"nodes: {{'values': []}} is not possible; allowed: {NODES}"),
    ("torus", {"nodes": {"value": [64]}}, f"nodes: {{'value': [64]}} is not possible; allowed: {NODES}"),
    ("torus", {"nodes": {}}, f"nodes: {{}} is not possible; allowed: {NODES}"),
    ("torus", {"nodes": {"values": [64, 64]}}, "nodes.values: 64 stands twice; allowed: each number once"),
    ("torus", {"nodes": 10**10}, f"nodes: 10000000000 is not possible; allowed: {NODES}"),
    ("torus", {"nodes": [1, 10**9]}, f"nodes: {MANY}"),
    ("torus", {"nodes": [1, 10**7]}, f"nodes: {MANY}"),
    ("fat_tree_3_level", {"nodes": [1, 10**6]}, f"nodes: {MANY}"),
    ("torus", {"radix": 0}, "radix: 0 is not possible; allowed: a whole number >= 1: the largest number of ports of a"),
    (
        "torus",
        {"dimensions": 7},
        "dimensions: 7 is not possible; allowed: a whole number from 1 to 6, or a list of them",
    ),
    ("torus", {"dimensions": []}, "dimensions: [] is not possible; allowed: a whole number from 1 to 6, or a list of"),
    ("torus", {"dimensions": [2, 2]}, "dimensions: 2 stands twice; allowed: each number once"),
    ("torus", {"smallest_dimension": 1}, "smallest_dimension: 1 is not possible; allowed: a whole number >= 2"),
    ("torus", {"largest_ratio": 0.5}, "largest_ratio: 0.5 is not possible; allowed: a number >= 1"),
    ("torus", {"ordered": "yes"}, "ordered: 'yes' is not possible; allowed: true, false"),
    (
        "torus",
        {"taper": 1},
        "taper: unknown option 'taper'; allowed: nodes, radix, nodes_per_switch, dimensions, ordered",
    ),
    ("torus", {"node": 1}, "node: unknown option 'node'; allowed: nodes, radix, nodes_per_switch, dimensions, ordered"),
    ("hyperx", {"nodes_per_switch": [1, 0]}, f"nodes_per_switch: [1, 0] is not possible; allowed: {COUNTS}"),
    ("full_mesh", {"nodes_per_switch": [4, 4]}, "nodes_per_switch: 4 stands twice; allowed: each number once"),
    ("fat_tree_2_level", {"taper": 0}, f"taper: 0 is not possible; allowed: {RATIOS}"),
    ("fat_tree_3_level", {"taper": [1, -2]}, f"taper: [1, -2] is not possible; allowed: {RATIOS}"),
    ("fat_tree_3_level", {"taper": [1, 1.0]}, "taper: 1 stands twice; allowed: each number once"),
    ("fat_tree_3_level", {"node_links": 0}, "node_links: 0 is not possible; allowed: a whole number >= 1"),
    ("dragonfly", {"global_links": -1}, f"global_links: -1 is not possible; allowed: {COUNTS}"),
    ("dragonfly", {"global_links": [2, 2]}, "global_links: 2 stands twice; allowed: each number once"),
    ("skywalk", {"switches_per_cabinet": 0}, f"switches_per_cabinet: 0 is not possible; allowed: {COUNTS}"),
    ("skywalk", {"switch_links": [5, 5]}, "switch_links: 5 stands twice; allowed: each number once"),
    ("slim_fly", {"dimensions": 2}, "dimensions: unknown option 'dimensions'; allowed: nodes, radix, nodes_per_switch"),
]


@pytest.mark.parametrize(("name", "options", "message"), WRONG)
def test_bad_options(name, options, message):
    with pytest.raises(InputError) as caught:
        shapes(name, **{"nodes": [64, 128], "radix": 32, **options})
    assert str(caught.value).startswith(message)


def test_what_is_needed():
    for missing, allowed in (
        ("nodes", NODES),
        ("radix", "a whole number >= 1: the largest number of ports of a switch"),
    ):
        with pytest.raises(InputError) as caught:
            shapes("torus", **{name: value for name, value in (("nodes", 64), ("radix", 8)) if name != missing})
        assert str(caught.value) == f"{missing}: is missing; allowed: {allowed}"


def test_hyphens_are_underscores():
    assert find_enumeration("network.fat-tree-2-level") is find_enumeration("network.fat_tree_2_level")
