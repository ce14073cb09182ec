"""Systems made up for the tests of the engine, and oracles that share no code with it.

An oracle knows the functions by name and calls them on flat arrays of every design, in the order of
`itertools.product`; dominance is the definition, written out over all pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import ModelFunction
from dse.authoring.library.library import Model
from dse.evaluation.plan import Plan
from dse.evaluation.problem import Constraint, Objective, Problem, System
from dse.evaluation.product_evaluator import Blocks, ProductEvaluator
from dse.graph.expression import parse
from dse.graph.graph import Input
from dse.graph.resolve import resolve
from dse.search.frontier.archive import Archive
from dse.search.frontier.prefilter import Prefilter
from dse.space.axes import Axis, values_axis
from dse.space.design_space import Product, Space

SOURCE = "made up for a test"


def axis(name: str, values: Sequence[Any], unit: str = "1") -> Axis:
    return values_axis(name, list(values), unit)


def part(name: str, **columns: Sequence[Any]) -> Axis:
    """A part axis whose columns are given; texts become text columns."""
    arrays, units = {}, {}
    for column, values in columns.items():
        text = isinstance(values[0], str)
        arrays[column] = np.array(list(values), dtype=object if text else float)
        units[column] = "text" if text else "1"
    count = len(next(iter(arrays.values())))
    return Axis(name, arrays, units, SOURCE, tuple(f"{name}{row}" for row in range(count)))


def function(name: str, needs: str, body: Callable[..., Any], gives: Any = None, **rest: Any) -> ModelFunction:
    """A model function of the blank-separated quantities `needs`."""
    given = {name: "1"} if gives is None else dict.fromkeys(gives.split(), "1")
    return ModelFunction(name, body, tuple(needs.split()), given, SOURCE, **rest)


def model(functions: Sequence[ModelFunction], assumptions: dict | None = None, name: str = "test") -> Model:
    return Model(name, "", tuple(functions), {}, assumptions or {}, {}, ())


@dataclass(frozen=True)
class Limit:
    """A constraint as text for the engine and as a function of all quantities for the oracle."""

    text: str
    holds: Callable[[dict[str, Any]], Any]


@dataclass
class Case:
    """A problem for the engine, and what the oracle needs."""

    products: list[Product]
    functions: list[ModelFunction]
    senses: dict[str, str]
    limits: list[Limit] = field(default_factory=list)
    seed: int = 0
    per_product: list[list[ModelFunction]] | None = None

    def problem(self, seed: int | None = None) -> Problem:
        systems = []
        for index, product in enumerate(self.products):
            functions = self.functions + (self.per_product[index] if self.per_product else [])
            supplied, units = {}, {}
            for one in product.axes:
                for column, unit in one.units.items():
                    supplied[column], units[column] = Input(column, unit, "axis", "study"), unit
            for name, value in product.fixed.items():
                unit = "text" if isinstance(value, str) else "1"
                supplied[name], units[name] = Input(name, unit, "set", "study"), unit
            for one in functions:
                units.update(one.gives)
            constraints, extra = [], []
            for number, limit in enumerate(self.limits):
                expression = parse(limit.text, units)
                name = f"constraint_{number}"
                extra.append(ModelFunction(name, expression, expression.needs, {name: "bool"}, "study"))
                constraints.append(Constraint(limit.text, name, expression))
            targets = [*self.senses, *(c.quantity for c in constraints)]
            graph = resolve(targets, models=[model(functions)], supplied=supplied, extra=extra)
            systems.append(System(graph, {}, tuple(constraints)))
        objectives = tuple(Objective(name, sense) for name, sense in self.senses.items())
        space = Space(tuple(self.products))
        return Problem(space, tuple(systems), objectives, self.seed if seed is None else seed)

    def every_quantity(self, index: int) -> dict[str, np.ndarray]:
        """All quantities of all designs of a product, flat, in the order of itertools.product."""
        product = self.products[index]
        functions = self.functions + (self.per_product[index] if self.per_product else [])
        rows = np.array(list(itertools.product(*(range(len(a)) for a in product.axes))), dtype=int)
        count = len(rows)
        values: dict[str, Any] = {
            column: array[rows[:, position]]
            for position, one in enumerate(product.axes)
            for column, array in one.columns.items()
        }
        for name, value in product.fixed.items():
            values[name] = np.full(count, value, dtype=object if isinstance(value, str) else float)
        givers = {name: one for one in functions for name in one.gives}

        def get(name: str) -> Any:
            if name not in values:
                one = givers[name]
                with np.errstate(all="ignore"):
                    result = one.function(*(get(need) for need in one.needs))
                results = (result,) if len(one.gives) == 1 else result
                for given, array in zip(one.gives, results, strict=True):
                    numbers = np.asarray(array)
                    if numbers.dtype.kind in "fiub":  # as the engine takes them over
                        numbers = numbers.astype(float)
                    values[given] = np.broadcast_to(numbers, count)
            return values[name]

        for name in givers:
            get(name)
        return values

    def answer(self) -> Answer:
        """The frontier by definition."""
        points, feasible, violated = [], [], {limit.text: 0 for limit in self.limits}
        for index in range(len(self.products)):
            values = self.every_quantity(index)
            count = len(next(iter(values.values())))
            good = np.ones(count, dtype=bool)
            for limit in self.limits:
                holds = np.broadcast_to(np.asarray(limit.holds(values), dtype=bool), count)
                violated[limit.text] += int((~holds).sum())
                good &= holds
            points.append(np.stack([values[name].astype(float) for name in self.senses], axis=1) + 0.0)
            feasible.append(good)
        everything, good = np.concatenate(points), np.concatenate(feasible)
        signs = np.array([1.0 if sense == "min" else -1.0 for sense in self.senses.values()])
        numbers = np.flatnonzero(good)
        kept = numbers[undominated(everything[numbers] * signs)]
        return Answer(kept, everything[kept], len(everything), int(good.sum()), violated)


@dataclass
class Answer:
    numbers: np.ndarray
    values: np.ndarray
    designs: int
    feasible: int
    violated: dict[str, int]

    def assert_equals(self, numbers: np.ndarray, values: np.ndarray) -> None:
        assert numbers.tolist() == self.numbers.tolist()
        assert same_bits(values, self.values)


def undominated(points: np.ndarray) -> np.ndarray:
    """Rows that no other row dominates, by comparing all pairs; ties stay."""
    kept = np.ones(len(points), dtype=bool)
    for begin in range(0, len(points), 256):
        some = points[begin : begin + 256]
        no_worse = np.ones((len(some), len(points)), dtype=bool)
        better = np.zeros((len(some), len(points)), dtype=bool)
        for column in range(points.shape[1]):
            no_worse &= points[None, :, column] <= some[:, None, column]
            better |= points[None, :, column] < some[:, None, column]
        kept[begin : begin + 256] = ~(no_worse & better).any(axis=1)
    return kept


def same_bits(one: Any, other: Any) -> bool:
    one, other = np.ascontiguousarray(one, dtype=float), np.ascontiguousarray(other, dtype=float)
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def run_chunks(searcher: type, problem: Problem, order: str = "forward", **settings: Any) -> tuple:
    """Run every chunk of every product and merge: numbers, values as the models give them, evaluated designs."""
    archive = Archive(len(problem.objectives), Prefilter(len(problem.objectives)))
    evaluated = designs = 0
    for index in range(len(problem.space.products)):
        search = searcher(problem, index, **settings)
        designs += search.pruned
        pieces = range(len(search)) if order == "forward" else reversed(range(len(search)))
        for piece in pieces:
            result = search.run(piece)
            archive.add(result.points, result.numbers)
            evaluated += result.evaluated
            designs += result.designs
    points, numbers = archive.result()
    assert designs == problem.space.size
    return numbers, points * problem.signs + 0.0, evaluated


def sweep(evaluator: ProductEvaluator, steps: Sequence[int], names: Sequence[str]) -> dict[str, np.ndarray]:
    """Every value of the loop by design number within the product, evaluated in blocks."""
    blocks = Blocks(evaluator, steps)
    found: dict[str, Any] = {}
    numbers = []
    for index in np.ndindex(*blocks.counts()):
        ranges = blocks.ranges(index)
        shape = tuple(end - begin for begin, end in ranges)
        with np.errstate(all="ignore"):
            values = blocks.evaluate(ranges)
        total: Any = np.zeros(shape, dtype=np.int64)
        for atom, (begin, end) in enumerate(ranges):
            own = evaluator.numbers[atom][begin:end]
            total = total + own.reshape([-1 if i == atom else 1 for i in range(len(shape))])
        numbers.append(total.reshape(-1))
        for name in names:
            found.setdefault(name, []).append(np.broadcast_to(values[name], shape).reshape(-1).copy())
    order = np.argsort(np.concatenate(numbers))
    assert np.concatenate(numbers)[order].tolist() == list(range(evaluator.size))
    return {name: np.concatenate(pieces)[order] for name, pieces in found.items()}


def random_plan(problem: Problem, index: int, rng: np.random.Generator) -> Plan:
    """A plan made by hand: any functions tabulated with all they need, any axes merged, in any order."""
    system = problem.systems[index]
    functions = system.graph.functions
    giver = {name: position for position, one in enumerate(functions) for name in one.gives}
    wanted = system.graph.below(problem.results(index))
    use = [p for p, one in enumerate(functions) if wanted & set(one.gives)]
    tabulated: set[int] = set()
    for position in use:
        if rng.random() < 0.4:
            todo = [position]
            while todo:
                one = todo.pop()
                tabulated.add(one)
                todo += [giver[need] for need in functions[one].needs if need in giver]
    joined = tuple(p for p in use if p not in tabulated)
    made = {name for p in joined for name in functions[p].gives}
    read = [need for p in joined for need in functions[p].needs] + problem.results(index)
    cut = tuple(dict.fromkeys(name for name in read if name not in made))
    atoms: list[list[int]] = []
    for one in rng.permutation(len(problem.space.products[index].axes)).tolist():
        if atoms and rng.random() < 0.5:
            atoms[rng.integers(len(atoms))].append(one)
        else:
            atoms.append([one])
    return Plan(tuple(sorted(tabulated)), joined, cut, tuple(tuple(sorted(atom)) for atom in atoms))


_OPERATIONS: list[tuple[int, Callable[..., Any]]] = [
    (2, lambda a, b: a + b),
    (2, lambda a, b: a - b),
    (2, lambda a, b: a * b),
    (2, lambda a, b: a / (np.abs(b) + 1.0)),
    (2, np.minimum),
    (2, np.maximum),
    (1, lambda a: np.floor(a / 2.0)),
    (1, lambda a: np.sqrt(np.abs(a))),
    (1, lambda a: a * a),
    (1, lambda a: -a),
    (3, lambda a, b, c: np.where(a > b, b, c)),
    (3, lambda a, b, c: np.where(a <= c, 3.0, 2.0) + b),
    (2, lambda a, b: (a > 1) * b),
    (2, lambda a, b: np.clip(a, -1.0, 2.0) - b),
    (3, lambda a, b, c: a + b + c),
    (2, lambda a, b: a + b - 0.75 * np.minimum(a, b)),
]
_PAIRS: list[Callable[..., Any]] = [
    lambda a, b: (a + 1.0, a * b),
    lambda a, b: (np.maximum(a, 0.0), a - b),
]


def random_case(rng: np.random.Generator, *, largest: int = 1500, objectives: int | None = None) -> Case:
    """A small system with few integer levels, so that ties are frequent."""
    while True:
        case = _random_case(rng, objectives)
        if 2 <= sum(product.size for product in case.products) <= largest:
            return case


def _random_case(rng: np.random.Generator, objectives: int | None) -> Case:
    levels = np.arange(-2.0, 5.0)
    axes: list[Axis] = []
    for number in range(int(rng.integers(3, 7))):
        count = int(rng.integers(1, 6))
        values = rng.choice(levels, count, replace=False)
        if rng.random() < 0.2:
            axes.append(part(f"p{number}", **{f"p{number}_u": values, f"p{number}_v": rng.integers(-1, 3, count)}))
        else:
            axes.append(axis(f"a{number}", values.tolist()))
    known = [column for one in axes for column in one.columns]
    columns = list(known)
    functions = []
    for number in range(int(rng.integers(4, 10))):
        if rng.random() < 0.15:
            needs = rng.choice(known, 2)
            functions.append(
                function(f"q{number}", " ".join(needs), _PAIRS[rng.integers(len(_PAIRS))], f"q{number}x q{number}y")
            )
            known += [f"q{number}x", f"q{number}y"]
            continue
        arity, body = _OPERATIONS[rng.integers(len(_OPERATIONS))]
        recent = known[-6:]
        needs = [str(rng.choice(recent if rng.random() < 0.6 else known)) for _ in range(arity)]
        functions.append(_distinct(f"q{number}", needs, body))
        known.append(f"q{number}")
    derived = [name for name in known if name not in columns]
    count = int(rng.integers(1, 7)) if objectives is None else objectives
    chosen = list(dict.fromkeys([*rng.permutation(derived[-5:]), *rng.permutation(columns)]))[:count]
    senses = {str(name): str(rng.choice(["min", "max"])) for name in chosen}
    products = [Product("", tuple(axes))]
    for number in range(int(rng.integers(0, 3))):
        other, fixed = [], {}
        for one in axes:
            action = rng.random()
            if action < 0.25 and len(one) > 1:
                fixed.update({column: float(values[0]) for column, values in one.columns.items()})
            elif action < 0.4 and not one.is_part:
                other.append(axis(one.name, rng.choice(levels, int(rng.integers(1, 5)), replace=False).tolist()))
            else:
                other.append(one)
        products.append(Product(f"other{number}", tuple(other), fixed))
    case = Case(products, functions, senses)
    sample = case.every_quantity(0)
    for _ in range(int(rng.integers(0, 4))):
        case.limits.append(_random_limit(rng, columns, derived, sample))
    case.limits = list({limit.text: limit for limit in case.limits}.values())
    return case


def _distinct(name: str, needs: list[str], body: Callable[..., Any]) -> ModelFunction:
    """A function that may read one quantity several times."""
    once = list(dict.fromkeys(needs))
    where = [once.index(need) for need in needs]
    return function(name, " ".join(once), lambda *values: body(*(values[i] for i in where)))


def _random_limit(rng: np.random.Generator, columns: list[str], derived: list[str], sample: dict) -> Limit:
    one = str(rng.choice(columns if rng.random() < 0.4 else derived))
    other = str(rng.choice(columns + derived))
    level = float(np.round(np.quantile(sample[one].astype(float), rng.random())))
    plain = f"{level:g}" if level >= 0 else f"-{-level:g}"
    kind = rng.integers(5)
    if kind == 0:
        return Limit(f"{one} <= {plain}", lambda v: v[one] <= level)
    if kind == 1:
        return Limit(f"{one} >= {plain}", lambda v: v[one] >= level)
    if kind == 2:
        return Limit(f"{one} + {other} > {plain}", lambda v: v[one] + v[other] > level)
    if kind == 3:
        return Limit(f"{one} != {plain} and not {other} < 0", lambda v: (v[one] != level) & ~(v[other] < 0))
    return Limit(
        f"{one} in [0, 1, {plain}] or {other} < {plain}", lambda v: np.isin(v[one], [0, 1, level]) | (v[other] < level)
    )
