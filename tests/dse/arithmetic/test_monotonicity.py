"""Signs: what the rules claim of unchanged functions holds for floating-point numbers, neighbours included."""

import numpy as np
import pytest

from dse.arithmetic.lookup import lookup
from dse.arithmetic.monotonicity import FALLS, FREE, RISES, UNKNOWN, Signed, seeds
from dse.arithmetic.primitive import primitive, rising
from dse.arithmetic.ranges import Condition, Range


def _pair():
    return seeds([Range([1.0], [10.0]), Range([2.0], [8.0])])


KNOWN = {
    "sum": (lambda a, b: a + b, [RISES, RISES]),
    "difference": (lambda a, b: a - b, [RISES, FALLS]),
    "product": (lambda a, b: a * b, [RISES, RISES]),
    "product with something negative": (lambda a, b: a * (b - 9.0), [FALLS, RISES]),
    "product with something of either sign": (lambda a, b: a * (b - 5.0), [UNKNOWN, RISES]),
    "quotient": (lambda a, b: a / b, [RISES, FALLS]),
    "quotient of something negative": (lambda a, b: (a - 20.0) / b, [RISES, RISES]),
    "divisor of either sign": (lambda a, b: a / (b - 5.0), [UNKNOWN, UNKNOWN]),
    "constant left of it": (lambda a, b: 3.0 - a / np.float64(2.0), [FALLS, FREE]),
    "array left of it": (lambda a, b: np.array([1.0, 2.0]) * a, [RISES, FREE]),
    "larger and a part of the smaller": (lambda a, b: np.maximum(a, b) + 0.3 * np.minimum(a, b), [RISES, RISES]),
    "the same, written with cancellation": (lambda a, b: a + b - 0.7 * np.minimum(a, b), [UNKNOWN, UNKNOWN]),
    "saturation": (lambda a, b: a / (a + b), [UNKNOWN, FALLS]),
    "the same, each name once": (lambda a, b: 1.0 / (1.0 + b / a), [RISES, FALLS]),
    "mean power": (lambda a, b: (10.0 * a + 5.0) / (a + b), [UNKNOWN, FALLS]),
    "queue": (lambda a, b: ((a + b) + np.sqrt((a - b) ** 2 + 1.0)) / 2.0, [UNKNOWN, UNKNOWN]),
    "jump up": (lambda a, b: np.where(a > 5, 3.0, 2.0), [RISES, FREE]),
    "jump down": (lambda a, b: np.where(a > 5, 2.0, 3.0), [FALLS, FREE]),
    "jump of unknown direction": (lambda a, b: np.where(a > 5, b, 4.0), [UNKNOWN, RISES]),
    "choice by something else": (lambda a, b: np.where(np.array([True, False]), a, b), [RISES, RISES]),
    "choice that is decided": (lambda a, b: np.where(a < 20, b, -a), [FREE, RISES]),
    "choice by a number": (lambda a, b: np.where(a - 5.0, 3.0, 2.0), [UNKNOWN, FREE]),
    "minimum that is decided": (lambda a, b: np.minimum(a, b + 20.0), [RISES, FREE]),
    "clip": (lambda a, b: np.clip(a, 2.0, b), [RISES, RISES]),
    "clip from below": (lambda a, b: np.clip(5.0, a, 20.0), [RISES, FREE]),
    "rounding": (lambda a, b: np.floor(a / 3.0) - np.ceil(b), [RISES, FALLS]),
    "whole number": (lambda a, b: (a / 2.0).astype(int), [RISES, FREE]),
    "rest": (lambda a, b: a % 3.0, [UNKNOWN, FREE]),
    "whole quotient": (lambda a, b: a // b, [UNKNOWN, UNKNOWN]),
    "square": (lambda a, b: a * a - b**2, [RISES, FALLS]),
    "square of either sign": (lambda a, b: np.square(a - 5.0), [UNKNOWN, FREE]),
    "size of something negative": (lambda a, b: np.abs(a - 20.0), [FALLS, FREE]),
    "power": (lambda a, b: a**1.5 + b**-0.4, [RISES, FALLS]),
    "exponent of a large base": (lambda a, b: 2.0**a, [RISES, FREE]),
    "exponent of a small base": (lambda a, b: 0.5**a, [FALLS, FREE]),
    "exponent of either kind": (lambda a, b: (b - 1.5) ** a, [UNKNOWN, RISES]),
    "reciprocal": (lambda a, b: np.reciprocal(a) + np.sqrt(b), [FALLS, RISES]),
    "logarithm and exponential": (lambda a, b: np.exp(np.log(a) - np.log2(b)), [RISES, FALLS]),
    "comparison": (lambda a, b: a <= b, [FALLS, RISES]),
    "comparison turned": (lambda a, b: ~(a < b), [RISES, FALLS]),
    "comparisons together": (lambda a, b: (a > 3) & (b > 4) | (a > 6), [RISES, RISES]),
    "comparisons against each other": (lambda a, b: (a > 3) & (a < 6), [UNKNOWN, FREE]),
    "equality": (lambda a, b: a == b, [UNKNOWN, UNKNOWN]),
    "equality that cannot be": (lambda a, b: a == b + 20.0, [FREE, FREE]),
    "condition as a factor": (lambda a, b: (a > 3) * b, [RISES, RISES]),
    "place in a table": (lambda a, b: np.searchsorted([2.0, 3.0, 7.0], a), [RISES, FREE]),
    "line through points": (lambda a, b: np.interp(a, [0.0, 3.0, 7.0, 20.0], [4.0, 3.0, 1.5, 1.0]), [FALLS, FREE]),
    "broken line": (lambda a, b: np.interp(a, [0.0, 3.0, 7.0], [4.0, 3.0, 5.0]), [UNKNOWN, FREE]),
    "rising table": (lambda a, b: lookup([0.0, 1, 1, 2, 3, 5, 6, 7, 8, 9, 11], a), [RISES, FREE]),
    "table that rises where it is read": (lambda a, b: lookup([9.0, 8, 0, 1, 2, 3, 4, 5, 6, -7], b), [FREE, RISES]),
    "table that falls at the last step read": (lambda a, b: lookup([0.0, 1, 2, 3, 4, 5, 6, 7, 1], b), [FREE, UNKNOWN]),
    "broken table": (lambda a, b: lookup([0.0, 1, 2, 1, 3, 5, 6, 7, 8, 9, 11], a), [UNKNOWN, FREE]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_each_operation_hands_the_signs_on(name):
    function, expected = KNOWN[name]
    assert function(*_pair()).signs.tolist() == expected


def test_a_saturation_falls_between_neighbours_though_it_rises_in_mathematics():
    """Why its sign must stay unknown."""
    x = np.random.default_rng(1).uniform(1.0, 100.0, 100_000)
    further = np.nextafter(x, np.inf)
    assert (further / (further + 3.3) < x / (x + 3.3)).any()


def test_a_line_through_points_that_passes_one_by_a_rounding_has_no_sign():
    rng = np.random.default_rng(3)
    for _ in range(2_000):
        knots, heights = np.array([-rng.random(), 1e-18, rng.random()]), np.sort(rng.random(3))
        before = np.interp(np.nextafter(knots[1:], -np.inf), knots, heights)
        (x,) = seeds([Range([0.0], [1.0])])
        found = np.interp(x, knots, heights).signs.tolist()
        assert found == [RISES if (before <= heights[1:]).all() else UNKNOWN]
        if found == [UNKNOWN]:
            break
    else:
        pytest.fail("no table passes one of its points by a rounding")


def test_nothing_is_claimed_where_the_bounds_hold_nan():
    (x,) = seeds([Range([0.0], [np.inf])])
    assert (x * 0.0).signs.tolist() == [UNKNOWN]
    assert seeds([Range([np.nan], [1.0])])[0].signs.tolist() == [UNKNOWN]
    assert np.sqrt(seeds([Range([-1.0], [1.0])])[0]).signs.tolist() == [UNKNOWN]


def test_a_value_that_cannot_change_is_free_of_every_seed():
    a, b = _pair()
    assert np.minimum(a + b, 2.0).signs.tolist() == [FREE, FREE]
    assert Signed(Condition([True], [False]), [RISES]).signs.tolist() == [FREE]


def test_a_primitive_has_no_sign_unless_it_gives_a_rule():
    def root(x):
        return np.sqrt(x)

    a, b = _pair()
    assert primitive(rising(root))(root)(a - b + 20.0).signs.tolist() == [UNKNOWN, UNKNOWN]
    assert primitive(rising(root), None, root)(root)(a - b + 20.0).signs.tolist() == [RISES, FALLS]


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda a: np.hypot(a, 1.0), "np.hypot has no form for ranges; write np.sqrt(x * x + y * y)"),
        (lambda a: np.stack([a, a]), "np.stack has no form for signed ranges; write the terms one by one"),
        (lambda a: a if a > 1 else 0, "np.where"),
        (lambda a: a[..., None], "indexing a signed range"),
        (lambda a: np.add(a, 1.0, out=np.zeros(1)), "out="),
        (lambda a: float(a), "float(x)"),
        (lambda a: np.sin(a), "np.sin has no form"),
    ],
)
def test_what_has_no_bounds_is_refused(function, told):
    with pytest.raises(TypeError) as caught:
        function(_pair()[0])
    assert told in str(caught.value)


_STEPS = [
    (2, lambda x, y: x + y),
    (2, lambda x, y: x - y),
    (2, lambda x, y: x * y),
    (2, lambda x, y: x / (np.abs(y) + 0.25)),
    (2, np.minimum),
    (2, np.maximum),
    (1, lambda x: np.floor(x / 3.0)),
    (1, lambda x: np.sqrt(np.maximum(x, 0.0))),
    (1, lambda x: 0.1 * x * x),
    (1, lambda x: -x),
    (1, lambda x: np.exp(np.minimum(x, 3.0))),
    (1, lambda x: np.log(np.maximum(x, 0.5))),
    (1, lambda x: np.clip(x, -1.5, 2.5)),
    (1, lambda x: np.interp(x, [-3.0, -1.0, 0.7, 4.0], [0.1, 0.3, 0.35, 2.0])),
    (1, lambda x: np.searchsorted([-2.0, 0.5, 3.0], x) * 0.7),
    (3, lambda x, y, z: np.where(x > y, z, y)),
    (3, lambda x, y, z: np.where(x <= 1.0, y + 0.3, z)),
    (2, lambda x, y: (x > 0.5) * np.maximum(y, 0.1)),
    (1, lambda x: np.maximum(x, 0.3) ** 0.7),
]


@pytest.mark.slow
def test_what_is_claimed_of_random_programs_holds_for_points_and_their_neighbours():
    """Seeds move together, each the way the value rises with it; a quarter of the moves are to the next number."""
    claimed = strict = 0
    for seed in range(1_500):
        rng = np.random.default_rng(seed)
        low = rng.uniform(-2.0, 2.0, 3)
        boxes = [(one, one + rng.uniform(0.1, 3.0)) for one in low]
        program = []
        for place in range(3, 3 + rng.integers(1, 7)):
            arity, step = _STEPS[rng.integers(len(_STEPS))]
            program.append((step, [int(rng.integers(max(0, place - 4), place)) for _ in range(arity)]))

        def run(values, program=program):
            known = list(values)
            for step, needs in program:
                known.append(step(*(known[need] for need in needs)))
            return known[-1]

        signs = run(seeds([Range([begin], [end]) for begin, end in boxes])).signs.tolist()
        if all(sign == UNKNOWN for sign in signs):
            continue
        claimed += 1
        points = [rng.uniform(begin, end, 4_000) for begin, end in boxes]
        moved = []
        for sign, point, (begin, end) in zip(signs, points, boxes, strict=True):
            other = rng.uniform(begin, end, 4_000)
            if sign in (RISES, FALLS):
                other = np.maximum(other, point) if sign == RISES else np.minimum(other, point)
                near = rng.random(4_000) < 0.25
                other = np.where(near, np.clip(np.nextafter(point, sign * np.inf), begin, end), other)
            moved.append(point if sign == UNKNOWN else other)
        before, after = run(points), run(moved)
        assert np.all(after >= before), (seed, signs)
        strict += bool(np.any(after > before))
    assert claimed > 600
    assert strict > 400
