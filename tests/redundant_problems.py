"""Systems of which much adds nothing: idle and monotone axes, slack limits; and whether what is said of these is so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from engine_problems import Case, Limit, axis, function

from dse.search.account.certificate import Certificate
from dse.space.design_space import Product

__all__ = ["random_redundant", "true_claims"]

_SHAPES: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a + 0.0 * b,
    lambda a, b: np.maximum(a, np.minimum(b, -1.0)),
    lambda a, b: a + np.where(b >= 0.0, 1.0, b),
    lambda a, b: a / (b + 1.0),
    lambda a, b: a - b,
]
_IDLE = re.compile(r"(x\d): 1 of \d rows left, any of them: no result depends on which")
_END = re.compile(r"(x\d): 1 of \d rows left, the best whatever the others are; better is (less|more) \1$")


def random_redundant(rng: np.random.Generator) -> Case:
    """Three or four axes, of which functions read some in vain; now and then a limit that is slack, or never met."""
    count = int(rng.integers(3, 5))
    names = [f"x{place}" for place in range(count)]
    rows = rng.integers(2, 5, count)
    axes = tuple(axis(name, rng.permutation(6)[:own].tolist()) for name, own in zip(names, rows, strict=True))

    def body(kinds: np.ndarray, order: np.ndarray) -> Callable[..., Any]:
        def joined(*given: Any) -> Any:
            result = given[order[0]]
            for place, kind in zip(order[1:], kinds, strict=True):
                result = _SHAPES[kind](result, given[place])
            return result

        return joined

    functions = [
        function(name, " ".join(names), body(rng.integers(len(_SHAPES), size=count - 1), rng.permutation(count)))
        for name in "fgh"
    ]
    bound = float(rng.choice([-100, 2, 6, 1000]))
    limits = [Limit(f"h <= {bound:g}", lambda values: values["h"] <= bound)] if rng.random() < 0.6 else []
    return Case([Product("", axes)], functions, {"f": "min", "g": str(rng.choice(["min", "max"]))}, limits)


def true_claims(case: Case, certificate: Certificate) -> Counter[str]:
    """Check by all designs what a search said of axes and limits; return how often it said what.

    Idle: every result is the same. One end: no result is better elsewhere. A limit that is always met is.

    Raises
    ------
    AssertionError
        Something that was said is not so.
    """
    said: Counter[str] = Counter()
    points, met = _results(case)
    for text in certificate.groups:
        idle, end = _IDLE.fullmatch(text), _END.match(text)
        if idle:
            said["idle"] += 1
            place = int(idle[1][1:])
            for array in [*points, *met]:
                assert (array == array.take([0], axis=place)).all(), text
        elif end:
            said["end"] += 1
            place = int(end[1][1:])
            values = case.products[0].axes[place].columns[end[1]]
            best = [int(values.argmin() if end[2] == "less" else values.argmax())]
            assert all((array.take(best, axis=place) <= array).all() for array in points), text
            assert all((array.take(best, axis=place) >= array).all() for array in met), text
        elif text.startswith("limit "):
            said["slack"] += 1
            assert met[0].all()
    if "no design meets" in certificate.reason:
        said["never"] += 1
        assert not met[0].any()
    return said


def _results(case: Case) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the objectives, to be minimised, and where every limit is met, on the grid of the axes."""
    values, product = case.every_quantity(0), case.products[0]
    signs = [1.0 if sense == "min" else -1.0 for sense in case.senses.values()]
    points = [values[name].astype(float) * sign for name, sign in zip(case.senses, signs, strict=True)]
    met = [np.broadcast_to(limit.holds(values), product.size) for limit in case.limits]
    return [array.reshape(product.shape) for array in points], [array.reshape(product.shape) for array in met]
