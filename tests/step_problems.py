"""Systems whose functions read every axis and are taken apart into steps, so that groups of axes end inside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from engine_problems import Case, Limit, axis, function

from dse.space.design_space import Product

__all__ = ["random_body", "random_steps"]

_OPERATIONS: list[Callable[[Any, Any, float], Any]] = [
    lambda a, b, c: a + b,
    lambda a, b, c: a - b,
    lambda a, b, c: a * b,
    lambda a, b, c: a / (b * b + 1.0),
    lambda a, b, c: np.maximum(a, b),
    lambda a, b, c: np.where(a > b, a, c),
    lambda a, b, c: a**2 + c,
    lambda a, b, c: np.floor(a) * c,
    lambda a, b, c: np.clip(a, -4.0, 4.0) + c * b,
]
_MONOTONE = (0, 1, 2, 3, 4, 8)


def random_body(rng: np.random.Generator) -> Callable[..., Any]:
    """A random formula of some arguments, as operations on a growing list."""
    constants = [0.0, 0.5, 2.0, -3.0]
    plan = [(*rng.integers([9, 2**30, 2**30]), float(rng.choice(constants))) for _ in range(int(rng.integers(2, 9)))]

    def body(*given: Any) -> Any:
        known = list(given)
        for kind, first, second, constant in plan:
            a, b = known[first % len(known)], known[second % len(known)]
            known.append(_OPERATIONS[kind](a, b, constant))
        return known[-1]

    return body


def random_steps(rng: np.random.Generator) -> Case:
    """Two pairs of axes, each with a random formula of its own, joined inside two functions that read all four."""
    axes = tuple(axis(name, rng.permutation(7)[: int(rng.integers(3, 6))].tolist()) for name in "uvxy")
    case = Case([Product("", axes)], [_joined(name, rng) for name in "fg"], {"f": "min", "g": "min"})
    case.senses["g"] = str(rng.choice(["min", "max"]))
    if rng.random() < 0.4:
        level = float(np.round(np.median(case.every_quantity(0)["f"])))
        text = f"{level:g}" if level >= 0 else f"-{-level:g}"
        case.limits.append(Limit(f"f <= {text}", lambda values: values["f"] <= level))
    return case


def _joined(name: str, rng: np.random.Generator) -> Any:
    first, second = _of_two(rng), _of_two(rng)
    kind, constant = int(rng.choice(_MONOTONE)), float(rng.choice([0.5, 2.0]))

    def body(u: Any, v: Any, x: Any, y: Any) -> Any:
        return _OPERATIONS[kind](first(u, v), second(x, y), constant)

    return function(name, "u v x y", body)


def _of_two(rng: np.random.Generator) -> Callable[[Any, Any], Any]:
    """A short formula of two arguments, of three operations at most."""
    plan = [(int(rng.integers(9)), float(rng.choice([0.5, 2.0, -3.0]))) for _ in range(int(rng.integers(1, 4)))]

    def body(a: Any, b: Any) -> Any:
        for kind, constant in plan:
            a = _OPERATIONS[kind](a, b, constant)
        return a

    return body
