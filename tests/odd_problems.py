"""Random systems of odd numbers: integers of every width, truth values, small floats, overflow, 2**53 and beyond.

They may also mix designs, interpolate between knots in any order, look outside a table, join members of an index set
and have a component of their own in each alternative. What the engine must say of each is found with nothing but the
functions on flat arrays: the frontier by definition, in float64; or that some function must be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from engine_problems import Answer, Case, Limit, axis, function, same_bits

import dse.evaluation.plan as planning
import dse.search.frontier.archive as archive
from dse.arithmetic.lookup import lookup
from dse.authoring.declare.declaration import ModelFunction
from dse.errors import InputError, ModelError
from dse.graph.index_sets import IndexSet, expand
from dse.search.bundles import bundles
from dse.search.bundles.exhaustive import ExhaustiveProduct
from dse.search.driver import SearchOptions, SearchResult, search
from dse.search.groups import nested_groups, reduced_product
from dse.space.axes import Axis
from dse.space.design_space import Product

METHODS = ("exhaustive", "bundles", "groups")
_SIGNED = (np.int8, np.int16, np.int32, np.int64)
_UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
_SMALL = (np.float16, np.float32)
_TABLE = np.array([5.0, 1.0, 4.0, 2.0])
_LAST = 2**53

Body = Callable[..., Any]
Maker = Callable[[np.random.Generator], tuple[Body, int]]


@dataclass
class OddCase:
    """A system with what must be said of it: `refused` names a function that no method may accept."""

    case: Case
    refused: str | None


def _kept(a: Any) -> Any:
    """Whole numbers from 0 to 7, which every kind holds: casts of others, and of NaN, are undefined."""
    return np.where(a == a, np.minimum(np.abs(np.floor(a)), 7.0), 0.0)


def _wrapping(rng: np.random.Generator) -> tuple[Body, int]:
    kind = (*_SIGNED, *_UNSIGNED)[rng.integers(8)]
    factor = kind(np.iinfo(kind).max // int(rng.integers(2, 9)))
    small = kind is np.int64 or kind is np.uint64
    shift = kind(12 if small else 0)  # what is left is below 2**53
    return lambda a, b: (_kept(a).astype(kind) * factor + _kept(b).astype(kind)) >> shift, 2


def _unsigned(rng: np.random.Generator) -> tuple[Body, int]:
    kind = _UNSIGNED[rng.integers(3)]
    return lambda a, b: _kept(a).astype(kind) - _kept(b).astype(kind), 2


def _negated(rng: np.random.Generator) -> tuple[Body, int]:
    kind = _UNSIGNED[rng.integers(3)]
    return lambda a: -_kept(a).astype(kind), 1


def _cast(rng: np.random.Generator) -> tuple[Body, int]:
    kind = (*_SIGNED, *_UNSIGNED, *_SMALL)[rng.integers(10)]
    return lambda a: _kept(a).astype(kind), 1


def _small(rng: np.random.Generator) -> tuple[Body, int]:
    kind = _SMALL[rng.integers(2)]
    return lambda a, b: (_kept(a) / (_kept(b) + 1.0)).astype(kind) * kind(3), 2


def _condition(rng: np.random.Generator) -> tuple[Body, int]:
    bodies: list[Body] = [lambda a, b: a > b, lambda a, b: (a > b) & (b > 0), lambda a, b: np.where(a > b, True, False)]
    return bodies[rng.integers(3)], 2


def _counted(rng: np.random.Generator) -> tuple[Body, int]:
    return lambda a, b: np.where(a > b, 2, 1) * np.where(b > 1, 3, 5), 2


def _near_the_end(rng: np.random.Generator) -> tuple[Body, int]:
    bodies: list[Body] = [
        lambda a, b: (_LAST - _kept(a) * 8.0 - _kept(b)).astype(np.int64),
        lambda a, b: _LAST - 8 * _kept(a).astype(np.int64) - _kept(b).astype(np.int64),
        lambda a, b: _LAST - 8.0 * _kept(a) - _kept(b),
        lambda a, b: (_LAST + _kept(a) * 8.0) + 2.0 * _kept(b),
    ]
    return bodies[rng.integers(4)], 2


def _table(rng: np.random.Generator) -> tuple[Body, int]:
    return lambda a: lookup(_TABLE, _kept(a) % 4.0), 1


def _outside(rng: np.random.Generator) -> tuple[Body, int]:
    return lambda a: lookup(_TABLE, a), 1


def _knots(rng: np.random.Generator) -> tuple[Body, int]:
    return lambda a: np.interp(a, [-1.0, 0.0, 0.0, 2.0, 6.0], [3.0, 1.0, 2.0, 2.0, -1.0]), 1


def _join(rng: np.random.Generator) -> tuple[Body, int]:
    bodies: list[Body] = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * np.minimum(np.abs(b), 3.0),
        np.minimum,
        np.maximum,
        lambda a, b: np.where(a > b, a, 2.0 * b),
    ]
    return bodies[rng.integers(6)], 2


_ODD: list[Maker] = [
    *(_wrapping, _unsigned, _negated, _cast, _small, _condition, _counted, _near_the_end, _table, _outside, _knots),
    *(_join, _join, _join, _join, _join, _join),
]

_WRONG: list[Body] = [
    lambda a: np.maximum.accumulate(a, axis=0),
    lambda a: np.minimum.accumulate(a, axis=-1),
    lambda a: np.cumsum(a, axis=0),
    lambda a: np.sort(a, axis=-1),
    lambda a: a - np.asarray(a).mean(),
    lambda a: np.interp(a, [0.0, 2.0, 1.0], [1.0, 5.0, 2.0]),
    lambda a: _kept(a).astype(np.int64) + (_LAST + 1),
    lambda a: _kept(a).astype(np.uint64) + np.uint64(2**63),
    lambda a: _kept(a).astype(np.longdouble),
    lambda a: a + 0j,
    lambda a: np.ma.masked_greater(np.asarray(a), 0.5),
    lambda a: np.asarray(a).astype(object),
]
"""What is refused by name wherever it stands; each reads an axis of several values."""


def odd_case(rng: np.random.Generator, *, largest: int = 600) -> OddCase:
    """Return a small system of odd numbers."""
    while True:
        made = _odd_case(rng)
        if 2 <= sum(product.size for product in made.case.products) <= largest:
            return made


def _odd_case(rng: np.random.Generator) -> OddCase:
    axes = _axes(rng)
    columns = [one.name for one in axes]
    functions: list[ModelFunction] = []
    known = list(columns)
    for number in range(int(rng.integers(3, 8))):
        body, arity = _ODD[rng.integers(len(_ODD))](rng)
        recent = known[-5:]
        functions.append(_named(f"q{number}", [str(rng.choice(recent)) for _ in range(arity)], body))
        known.append(f"q{number}")
    fixed: dict[str, float | str] = {}
    if rng.random() < 0.3:
        functions += _members(rng, columns, known, fixed)
    functions.append(_named("last", list(dict.fromkeys(known[-4:])), lambda *parts: sum(parts[1:], parts[0])))
    refused = None
    if rng.random() < 0.2:
        refused = "wrong"
        functions.append(function("wrong", str(columns[0]), _WRONG[rng.integers(len(_WRONG))]))
        functions.append(function("total", "last wrong", lambda last, wrong: last + wrong))
        known.append("last")
    derived = [one for function_ in functions for one in function_.gives if one not in ("total", "wrong", "last")]
    ends = ["total"] if refused else ["last"]
    chosen = list(dict.fromkeys([*ends, *rng.permutation([*derived, *columns]).tolist()]))[: int(rng.integers(1, 4))]
    senses = {str(name): str(rng.choice(["min", "max"])) for name in chosen}
    products = [Product("", axes, fixed)]
    per_product: list[list[ModelFunction]] | None = None
    if rng.random() < 0.3:
        products.append(Product("other", tuple(_axes(rng, axes)), fixed))
    if rng.random() < 0.3:
        per_product = [[_component(rng, columns)] for _ in products]
        senses["component"] = "max"
    case = Case(products, functions, senses, per_product=per_product)
    for _ in range(int(rng.integers(0, 3))):
        name, level = str(rng.choice(columns)), float(rng.integers(-1, 5))
        text = f"{level:g}" if level >= 0 else f"-{-level:g}"
        case.limits.append(Limit(f"{name} <= {text}", lambda v, name=name, level=level: v[name] <= level))
    if rng.random() < 0.3:
        name, level = str(rng.choice(derived)), float(rng.integers(0, 6))
        case.limits.append(Limit(f"{name} >= {level:g}", lambda v, name=name, level=level: v[name] >= level))
    case.limits = list({limit.text: limit for limit in case.limits}.values())
    return OddCase(case, refused)


def _axes(rng: np.random.Generator, like: tuple[Axis, ...] = ()) -> tuple[Axis, ...]:
    """Return axes in any order of their values, the first of several values; some of few integers, as NumPy's kinds."""
    names = [one.name for one in like] or [f"a{number}" for number in range(int(rng.integers(2, 5)))]
    axes = []
    for position, name in enumerate(names):
        count = int(rng.integers(3 if position == 0 else 1, 6))
        values = rng.choice(np.arange(-2.0, 7.0), count, replace=False)
        if rng.random() < 0.2:
            values = values * 0.5
        if rng.random() < 0.3 and (values == np.floor(values)).all():
            kind = _SIGNED[rng.integers(4)]
            axes.append(Axis(name, {name: values.astype(kind)}, {name: "1"}, "made up for a test"))
        else:
            axes.append(axis(name, values.tolist()))
    return tuple(axes)


def _named(name: str, needs: list[str], body: Body) -> ModelFunction:
    once = list(dict.fromkeys(needs))
    where = [once.index(need) for need in needs]
    return function(name, " ".join(once), lambda *values: body(*(values[i] for i in where)))


def _members(
    rng: np.random.Generator, columns: list[str], known: list[str], fixed: dict[str, float | str]
) -> list[ModelFunction]:
    """Return what is made of an index set of two members, each with a weight of its own, and joined again."""
    body, arity = _ODD[rng.integers(len(_ODD))](rng)
    first = str(rng.choice(columns))
    share = function(
        "share", f"{first} weight", lambda a, weight: body(*((a, weight)[:arity] if arity == 2 else (a + weight,)))
    )
    by = str(rng.choice(["sum", "max", "min"]))
    joined = function("shares", "share", lambda share: share, over="kind", by=by)
    index = IndexSet("kind", {"one": frozenset(["weight"]), "two": frozenset(["weight"])})
    fixed |= {"weight@one": float(rng.integers(0, 4)), "weight@two": float(rng.integers(0, 4))}
    known.append("shares")
    return [made for _, made in expand([share, joined], [index], {})]


def _component(rng: np.random.Generator, columns: list[str]) -> ModelFunction:
    """Return what one alternative has in the slot that all of them fill."""
    body, arity = _ODD[rng.integers(len(_ODD))](rng)
    return _named("component", [str(rng.choice(columns)) for _ in range(arity)], body)


def expected(odd: OddCase) -> Answer | None:
    """Return the frontier by definition, or None where no method may give one."""
    if odd.refused is not None:
        return None
    case = odd.case
    for index in range(len(case.products)):
        values = case.every_quantity(index)
        count = len(next(iter(values.values())))
        good = np.ones(count, dtype=bool)
        for limit in case.limits:
            if np.isnan(values[limit.text.split()[0]].astype(float)).any():
                return None
            good &= np.broadcast_to(limit.holds(values), count)
        if any(not np.isfinite(np.broadcast_to(values[name], count)[good]).all() for name in case.senses):
            return None
    return case.answer()


def beyond(odd: OddCase) -> bool:
    """Tell whether a function gives an integer beyond 2**53 for some design: it is refused where it is computed."""
    found = False

    def watched(one: ModelFunction) -> Body:
        def body(*values: Any) -> Any:
            nonlocal found
            result = one.function(*values)
            numbers = np.asarray(result)
            if numbers.dtype.kind in "iu" and numbers.size:
                found = found or max(abs(int(numbers.min())), abs(int(numbers.max()))) > _LAST
            return result

        return body

    case = odd.case
    for index in range(len(case.products)):
        own = [*case.functions, *(case.per_product[index] if case.per_product else [])]
        spied = [function(one.name, " ".join(one.needs), watched(one), " ".join(one.gives)) for one in own]
        Case([case.products[index]], spied, case.senses).every_quantity(0)
    return found


@contextmanager
def shrunk(rng: np.random.Generator) -> Iterator[None]:
    """Use the settings of large spaces on small ones: early joins, small boxes, chunks and buffers."""
    limit, by_bundles, chunk = float(rng.choice([1, 4, 30, 1e6])), bool(rng.integers(2)), int(rng.choice([20, 2**25]))
    settings: list[tuple[Any, str, Any]] = [
        (planning, "_LIMITS", (limit,)),
        (archive, "_BUFFER", 20),
        (bundles, "_FEWEST_BOXES", 4),
        (bundles, "_PIECE", 5),
        (bundles, "_POINTS", 3),
        (nested_groups, "_FEWEST_ROWS", 2),
        (nested_groups, "_LEAST_GAIN", 1.0),
        (reduced_product, "_BUNDLES_FROM", 0 if by_bundles else 10**9),
    ]
    before = [getattr(module, name) for module, name, _ in settings]
    defaults = ExhaustiveProduct.__init__.__kwdefaults__
    assert defaults is not None
    chunk_before = defaults["chunk"]
    for module, name, value in settings:
        setattr(module, name, value)
    defaults["chunk"] = chunk
    planning._cached.cache_clear()
    try:
        yield
    finally:
        for (module, name, _), value in zip(settings, before, strict=True):
            setattr(module, name, value)
        defaults["chunk"] = chunk_before
        planning._cached.cache_clear()


_FOR_GOOD: list[Any] = []


class Made:
    """Makes the problem of a seed in a worker process."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def problem(self) -> Any:
        """Return the problem, with the settings of `shrunk` for good."""
        rng = np.random.default_rng(self.seed)
        odd = odd_case(rng)
        _FOR_GOOD.append(shrunk(rng))
        _FOR_GOOD[-1].__enter__()
        return odd.case.problem()


def _searched(odd: OddCase, options: SearchOptions, factory: Made | None) -> tuple[SearchResult | None, str]:
    try:
        return search(odd.case.problem(), options, factory=factory), ""
    except (ModelError, InputError) as error:
        return None, str(error)


def check(seed: int, jobs: tuple[int, ...] = (1,)) -> str:
    """Search the system of a seed by every method; return what was the matter with it.

    Returns
    -------
    str
        "answered" or "refused".

    Raises
    ------
    AssertionError
        A frontier that is not the one by definition, or an answer and a refusal of the same system.
    """
    rng = np.random.default_rng(seed)
    odd = odd_case(rng)
    answer = expected(odd)
    may_refuse = answer is None or beyond(odd)
    said = set()
    with shrunk(rng):
        for method in METHODS:
            for processes in jobs:
                factory = Made(seed) if processes > 1 else None
                found, error = _searched(odd, SearchOptions(method, jobs=processes), factory)
                if found is None:
                    assert may_refuse, f"seed {seed}, {method}: refused: {error}"
                    known = [*(one.name for one in odd.case.functions), *odd.case.senses]
                    assert any(f"'{name}'" in error or error.startswith(name) for name in known), error
                    assert odd.refused is None or error.startswith(odd.refused), error
                    said.add("refused")
                    continue
                assert answer is not None, f"seed {seed}, {method}: answered what must be refused"
                assert found.numbers.tolist() == answer.numbers.tolist(), f"seed {seed}, {method}: other designs"
                assert same_bits(found.values, answer.values), f"seed {seed}, {method}: other values"
                said.add("answered")
    assert len(said) == 1, f"seed {seed}: some methods answer and some refuse"
    return said.pop()
