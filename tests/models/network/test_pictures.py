"""Pictures of networks: what is drawn whole has the counts of the specification; what is large is small and quick."""

import math
import time
from collections import Counter, deque
from itertools import product

import pytest
from example_counts import sampled_product

from dse.authoring.library.library import load_model
from dse.authoring.picture import MOST_SHAPES, Box, Curve, Dot, Line, Text
from dse.models.network import (
    draw_dragonfly,
    draw_fat_tree_2,
    draw_fat_tree_3,
    draw_full_mesh,
    draw_hyperx,
    draw_skywalk,
    draw_slim_fly,
    draw_torus,
)
from dse.report.charts.svg import svg

LINKS = ("link", "far", "upper", "local", "global")


def links(drawing, *kinds):
    """The ends of all links, as places."""
    found = []
    for shape in drawing.shapes:
        if shape.kind in (kinds or LINKS):
            ends = (shape.points[0], shape.points[-1]) if isinstance(shape, Curve) else (shape[:2], shape[2:4])
            found.append(tuple((round(x, 3), round(y, 3)) for x, y in ends))
    return found


def switches(drawing):
    return {(round(s.x, 3), round(s.y, 3)) for s in drawing.shapes if isinstance(s, Box) and s.kind == "switch"}


def neighbours(drawing):
    """Who is linked with whom; every link must end at switches."""
    found = {at: set() for at in switches(drawing)}
    for one, other in links(drawing):
        found[one].add(other)
        found[other].add(one)
    return found


def diameter(graph, ends=None):
    longest = 0
    for start in ends or graph:
        far = {start: 0}
        todo = deque([start])
        while todo:
            at = todo.popleft()
            for other in graph[at] - far.keys():
                far[other] = far[at] + 1
                todo.append(other)
        assert far.keys() == graph.keys()
        longest = max(longest, *(far[end] for end in ends or graph))
    return longest


def check(drawing, many, cables, nodes, node_links, across=None, ends=None):
    assert "schematic" not in drawing.caption
    assert len(switches(drawing)) == many
    assert len(links(drawing)) == cables
    dots = sum(isinstance(shape, Dot) and shape.kind == "node" for shape in drawing.shapes)
    lines = sum(isinstance(shape, Line) and shape.kind == "node-link" for shape in drawing.shapes)
    assert (dots, lines) == (nodes, node_links)
    if across is not None:
        assert diameter(neighbours(drawing), ends) == across


# ---- counts and shapes of whole networks: the table of section 7 ----------------------------------------------------


@pytest.mark.parametrize(("a", "p"), [(1, 4), (2, 1), (3, 5), (8, 16), (24, 4), (40, 1)])
def test_full_mesh(a, p):
    check(draw_full_mesh(a, p), a, a * (a - 1) // 2, a * p, a * p, min(a - 1, 1))


@pytest.mark.parametrize(("m1", "m2", "w0", "w1"), [(4, 4, 1, 2), (3, 8, 2, 4), (8, 1, 1, 3), (5, 10, 1, 24)])
def test_two_levels(m1, m2, w0, w1):
    drawing = draw_fat_tree_2(m1, m2, w0, w1)
    leaves = {at for at in switches(drawing) if at[1] > 100}
    assert len(leaves) == m2
    check(drawing, m2 + w1, m2 * w1, m1 * m2, m1 * m2 * w0, 2 if m2 > 1 else 0, leaves)


@pytest.mark.parametrize(
    ("m1", "m2", "m3", "w0", "w1", "w2"), [(2, 2, 2, 1, 2, 2), (4, 4, 4, 1, 2, 2), (3, 3, 2, 2, 2, 3)]
)
def test_three_levels(m1, m2, m3, w0, w1, w2):
    drawing = draw_fat_tree_3(m1, m2, m3, w0, w1, w2)
    n = m1 * m2 * m3
    leaves = {at for at in switches(drawing) if at[1] > 150}
    roofs = {at for at in switches(drawing) if at[1] < 50}
    assert (len(leaves), len(roofs)) == (m2 * m3, w1 * w2)
    check(drawing, m2 * m3 + m3 * w1 + w1 * w2, m2 * m3 * w1 + m3 * w1 * w2, n, n * w0, 4, leaves)
    graph = neighbours(drawing)
    assert {len(graph[at]) for at in leaves} == {w1}
    assert {len(graph[at]) for at in roofs} == {m3}
    assert {len(graph[at]) for at in graph.keys() - leaves - roofs} == {m2 + w2}


def grid(*sizes):
    return (*sizes, *[1] * (6 - len(sizes)))


@pytest.mark.parametrize(
    "d", [(1,), (2,), (3,), (8,), (4, 4), (2, 5), (1, 6, 3), (16, 16), (2, 2, 2), (4, 4, 4), (3, 2, 8)]
)
def test_torus(d):
    s, longer = math.prod(d), sum(size > 1 for size in d)
    p = 1 if s <= 64 else 4
    drawing = draw_torus(*grid(*d), p)
    drawn = s if s <= 64 else 1  # where there is no room, one switch says how many nodes it has
    check(drawing, s, s * longer, drawn, drawn, sum(size // 2 for size in d))
    degree = Counter(end for link in links(drawing) for end in link)
    assert set(degree.values()) <= {2 * longer}


@pytest.mark.parametrize("d", [(2,), (2, 4), (2, 2, 2), (1, 2, 3)])
def test_torus_with_single_links_in_rings_of_two(d):
    s = math.prod(d)
    drawing = draw_torus(*grid(*d), 1, 1)
    check(drawing, s, sum(s if size > 2 else s // 2 for size in d if size > 1), s, s, sum(size // 2 for size in d))


@pytest.mark.parametrize("d", [(1,), (7,), (4, 4), (4, 3), (1, 5, 2), (8, 8), (3, 3, 3), (2, 2, 2), (4, 3, 3)])
def test_hyperx(d):
    s = math.prod(d)
    p = 2 if s <= 40 else 1
    drawing = draw_hyperx(*grid(*d), p)
    check(drawing, s, s * sum(size - 1 for size in d) // 2, s * p, s * p, sum(size > 1 for size in d))


@pytest.mark.parametrize(
    ("a", "p", "h", "g"),
    [(4, 2, 2, 9), (4, 2, 2, 5), (4, 1, 4, 5), (2, 1, 1, 3), (1, 2, 5, 6), (6, 1, 2, 2), (3, 1, 2, 7)],
)
def test_dragonfly(a, p, h, g):
    """The wiring of section 3.2: every switch has its global cables, and every pair of groups the same number."""
    drawing = draw_dragonfly(a, p, h, g)
    across = 1 if a == 1 else 3
    check(drawing, a * g, g * a * (a - 1) // 2 + g * a * h // 2, a * p * g, a * p * g)
    assert diameter(neighbours(drawing)) <= across
    assert len(links(drawing, "local")) == g * a * (a - 1) // 2
    ports = Counter(end for link in links(drawing, "global") for end in link)
    assert set(ports.values()) == {h}
    boxes = [(round(s.x, 3), round(s.y, 3)) for s in drawing.shapes if s.kind == "switch"]
    group = {at: number // a for number, at in enumerate(boxes)}
    pairs = Counter(frozenset(group[end] for end in link) for link in links(drawing, "global"))
    assert pairs == {frozenset(pair): a * h // (g - 1) for pair in product(range(g), repeat=2) if pair[0] < pair[1]}


def test_dragonfly_is_wired_as_the_specification_says():
    """Ports of group 0 with a = 4, h = 2, g = 9: port t of a group ends at group t + 1, port 9 - (t + 1) - 1."""
    drawing = draw_dragonfly(4, 1, 2, 9)
    boxes = [(round(s.x, 3), round(s.y, 3)) for s in drawing.shapes if s.kind == "switch"]
    number = {at: divmod(place, 4) for place, at in enumerate(boxes)}
    ends = [tuple(number[end] for end in link) for link in links(drawing, "global")]
    of_zero = {
        (one if other[0] == 0 else other): (other if other[0] == 0 else one)
        for one, other in ends
        if 0 in (one[0], other[0])
    }
    assert {far: near[1] for far, near in of_zero.items()} == {(t + 1, (7 - t) // 2): t // 2 for t in range(8)}


def test_slim_fly():
    """Order 5 is the graph of Hoffman and Singleton: degree 7, no two switches more than two links apart."""
    drawing = draw_slim_fly(5, 4)
    check(drawing, 50, 175, 200, 200, 2)
    assert {len(found) for found in neighbours(drawing).values()} == {7}


@pytest.mark.parametrize(
    ("s", "c", "k", "p", "seed", "row"),
    [(32, 8, 5, 2, 1, 8), (16, 16, 4, 1, 2, 4), (64, 16, 8, 1, 1, 8), (24, 3, 8, 2, 3, 2), (20, 10, 3, 2, 1, 1)],
)
def test_skywalk(s, c, k, p, seed, row):
    """All links, those inside a cabinet between switches of one frame."""
    drawing = draw_skywalk(s, c, k, p, seed, row)
    check(drawing, s, s * k // 2, s * p, s * p)
    assert diameter(neighbours(drawing)) <= s
    assert {len(found) for found in neighbours(drawing).values()} == {k}
    assert len(links(drawing, "local")) == s * (s // c - 1) // 2
    frames = [shape for shape in drawing.shapes if shape.kind == "frame"]
    assert len(frames) == c

    def cabinet(at):
        (found,) = [
            number
            for number, box in enumerate(frames)
            if abs(at[0] - box.x) <= box.width / 2 and abs(at[1] - box.y) <= box.height / 2
        ]
        return found

    assert all(cabinet(one) == cabinet(other) for one, other in links(drawing, "local"))
    assert all(cabinet(one) != cabinet(other) for one, other in links(drawing, "global"))


# ---- large networks -------------------------------------------------------------------------------------------------

HUGE = [
    (draw_full_mesh, (10**6, 10**6)),
    (draw_fat_tree_2, (10**3, 10**3, 1, 10**3)),
    (draw_fat_tree_3, (64, 64, 64, 1, 64, 64)),
    (draw_fat_tree_3, (10**6, 10**6, 10**6, 9, 10**6, 10**6)),
    (draw_torus, (10**6, 1, 1, 1, 1, 1, 1)),
    (draw_torus, (1000, 1000, 1, 1, 1, 1, 1)),
    (draw_torus, (100, 100, 100, 1, 1, 1, 16)),
    (draw_torus, (16, 16, 8, 8, 16, 1, 1)),
    (draw_torus, (100,) * 7),
    (draw_hyperx, (1000, 1000, 1, 1, 1, 1, 64)),
    (draw_hyperx, (100, 100, 100, 1, 1, 1, 64)),
    (draw_hyperx, (2, 2, 2, 2, 2, 2, 1)),
    (draw_dragonfly, (32, 16, 16, 513)),
    (draw_dragonfly, (10**6, 10**6, 10**6, 10**6)),
    (draw_slim_fly, (10**6 + 1, 10**6)),
    (draw_slim_fly, (13, 9)),
    (draw_skywalk, (256, 64, 11, 4)),
    (draw_skywalk, (2048, 512, 16, 16, 1, 10**6)),
    (draw_skywalk, (2048, 1024, 4, 16, 1, 1)),
    (draw_skywalk, (10**6, 10**3, 10**4, 10**6)),
]


@pytest.mark.parametrize(("function", "sizes"), HUGE)
def test_large_networks(function, sizes):
    """Instantaneous, schematic, small, and nothing sticks out."""
    start = time.process_time()
    drawing = function(*map(float, sizes))
    page = svg(drawing, "a network")
    assert time.process_time() - start < 1
    assert "schematic" in drawing.caption
    assert len(drawing.shapes) <= 400 < MOST_SHAPES
    assert len(page) < 25_000
    for shape in drawing.shapes:
        for x, y in places(shape):
            assert -2 <= x <= drawing.width + 2
            assert -2 <= y <= drawing.height + 2


def places(shape):
    if isinstance(shape, Text):
        width = 0.5 * shape.size * len(shape.text)
        left = shape.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * width
        return [(left, shape.y - 0.7 * shape.size), (left + width, shape.y)]
    if isinstance(shape, Line):
        return [(shape.x0, shape.y0), (shape.x1, shape.y1)]
    if isinstance(shape, Curve):
        return [shape.points[0], shape.points[-1]]
    half = (shape.radius, shape.radius) if isinstance(shape, Dot) else (shape.width / 2, shape.height / 2)
    return [(shape.x - half[0], shape.y - half[1]), (shape.x + half[0], shape.y + half[1])]


@pytest.mark.slow
def test_every_size_up_to_the_largest_whole_one():
    """No drawing has more shapes than allowed, whole or not."""
    for a in range(1, 60):
        draw_full_mesh(a, 6)
        draw_fat_tree_2(10, a, 3, 24)
        draw_dragonfly(a % 12 + 1, 3, a % 12, a)
    for d1, d2, d3 in product(range(1, 18, 2), repeat=3):
        draw_torus(*grid(d1, d2, d3), 4)
        draw_hyperx(*grid(d1, d2, d3), 4)
        draw_fat_tree_3(3, d1, d2, 2, d3, d1)


# ---- what is said ---------------------------------------------------------------------------------------------------


def test_caption_and_legend():
    drawing = draw_torus(16, 16, 8, 1, 1, 1, 2)
    thin = "\u202f"
    every = f"2{thin}048 switches, 4{thin}096 nodes"
    assert drawing.caption == f"Torus 16 × 16 × 8, 2 nodes per switch: {every}; schematic: the ends of each line drawn"
    labels = {name: kind.label.replace(thin, "") for name, kind in drawing.kinds.items() if kind.label}
    assert labels == {
        "switch": "2048 switches",
        "node": "4096 nodes",
        "node-link": "4096 node links, electrical",
        "link": "6144 links between switches, optical",
    }


def test_colours_tell_optical_from_electrical():
    """As the shares of the design have it; without them, links inside a dragonfly group are electrical."""
    kinds = draw_dragonfly(4, 2, 2, 9).kinds
    assert (kinds["local"].tone, kinds["global"].tone) == ("orange", "blue")
    kinds = draw_fat_tree_3(2, 2, 2, 1, 2, 2, 1.0, 0.25, 1.0).kinds
    assert (kinds["link"].tone, kinds["upper"].tone) == ("orange", "blue")
    assert kinds["link"].label == "8 links between levels 1 and 2, 25 % optical"
    assert kinds["upper"].label == "8 links between levels 2 and 3, optical"
    assert kinds["node-link"].label == "8 node links, optical"


def test_every_topology_has_a_picture():
    """For each component of the slot, one picture, of quantities that its functions read."""
    model = load_model("network")
    needs = {}
    for function in model.functions:
        if function.slot == "topology":
            needs.setdefault(function.provider, set()).update(function.needs)
    for provider, known in needs.items():
        (picture,) = [picture for picture in model.pictures if provider in picture.providers]
        assert set(picture.needs) | set(picture.optional) <= known
    assert {provider for picture in model.pictures for provider in picture.providers} == set(needs)


SIDES = [*product((2, 5, 30), repeat=2), *product((2, 5, 8), repeat=3), (5, 4, 2), (2, 2, 2, 2), (16, 16, 8, 8, 16)]


@pytest.mark.parametrize(
    ("sizes", "nodes", "function"),
    sampled_product([[*sides] for sides in SIDES], [25, 1000], [draw_torus, draw_hyperx], each=1),
)
def test_the_number_of_nodes_stands_beside_the_node(function, nodes, sizes):
    """Not over it, and inside of the drawing."""
    drawing = function(*sizes, *[1] * (6 - len(sizes)), nodes_per_switch=nodes)
    words = [shape for shape in drawing.shapes if isinstance(shape, Text) and shape.text.startswith("× ")]
    for word in words:
        wide = 0.55 * word.size * len(word.text)
        left = word.x if word.anchor == "start" else word.x - wide / 2
        assert 0 <= left <= left + wide <= drawing.width
        for dot in (shape for shape in drawing.shapes if isinstance(shape, Dot) and shape.kind == "node"):
            beside = dot.x + dot.radius <= left or dot.x - dot.radius >= left + wide
            assert beside or not word.y - word.size <= dot.y <= word.y
