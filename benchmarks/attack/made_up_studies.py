"""Studies made up at random, and their frontiers by brute force in plain floats: no code is shared with the engine.

A study is a tree of expressions that is written as TOML for the engine and evaluated here, design for design, with the
operators of Python. SYNTHETIC: the quantities mean nothing.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

__all__ = ["BruteDesign", "MadeUpStudy", "made_up_study"]

Values = dict[str, float]
_UNKNOWN = "defect_clustering"  # a plain number that the model named in `models` takes
_NOMINAL = 4.0


@dataclass(frozen=True)
class Term:
    """A number of the study: how the study file writes it, and what it is for the values of a design."""

    text: str
    value: Callable[[Values], float]


@dataclass(frozen=True)
class BruteDesign:
    """A design by brute force: its number, alternative, axes, every quantity, and whether it meets every limit."""

    number: int
    alternative: str
    axes: Values
    quantities: Values
    feasible: bool


@dataclass
class MadeUpStudy:
    """A study and what is needed to search it without the engine.

    Attributes
    ----------
    features : set of str
        What of the engine it uses.
    alternatives : list of (str, dict of str to list of float)
        Name and axes of each, in the order of the space; the name is empty where there is one.
    quantities : dict of str to Term
    objectives : list of (str, str)
        Quantity and "min" or "max".
    limits : list of (str, str, float)
    """

    features: set[str] = field(default_factory=set)
    alternatives: list[tuple[str, dict[str, list[float]]]] = field(default_factory=list)
    quantities: dict[str, Term] = field(default_factory=dict)
    objectives: list[tuple[str, str]] = field(default_factory=list)
    limits: list[tuple[str, str, float]] = field(default_factory=list)
    space: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    uncertain: bool = False

    @property
    def text(self) -> str:
        """The study file."""
        lines = ['name = "made-up"', 'models = ["node"]', *self.head]
        lines.append("constraints = [" + ", ".join(f'"{n} {sign} {c!r}"' for n, sign, c in self.limits) + "]")
        senses = {"min": "minimize", "max": "maximize"}
        for name, sense in self.objectives:
            lines += ["[[objectives]]", f'{senses[sense]} = "{name}"']
        lines += ["[set]", f"{_UNKNOWN} = {_NOMINAL}", "[quantities]"]
        lines += [f'{name} = {{ expression = "{term.text}", signed = true }}' for name, term in self.quantities.items()]
        if self.uncertain:
            lines += ["[uncertain]", f'{_UNKNOWN} = {{ within = "20 %" }}']
        return "\n".join([*lines, *self.space]) + "\n"

    @property
    def size(self) -> int:
        """How many designs there are."""
        return sum(math.prod(map(len, axes.values())) for _, axes in self.alternatives)

    def designs(self, unknown: float = _NOMINAL) -> Iterator[BruteDesign]:
        """Yield every design, the last axis the fastest, at a value of what is not known."""
        number = 0
        for name, axes in self.alternatives:
            for row in itertools.product(*axes.values()):
                values: Values = {**dict(zip(axes, row, strict=True)), _UNKNOWN: unknown}
                for quantity, term in self.quantities.items():
                    values[quantity] = term.value(values)
                met = all(values[q] <= c if sign == "<=" else values[q] >= c for q, sign, c in self.limits)
                own = {axis: values[axis] for axis in axes}
                yield BruteDesign(number, name, own, {q: values[q] for q in self.quantities}, met)
                number += 1

    def points(self, design: BruteDesign) -> tuple[float, ...]:
        """Return the objectives of a design, to be minimised."""
        return tuple(design.quantities[n] if sense == "min" else -design.quantities[n] for n, sense in self.objectives)

    def frontier(self, unknown: float = _NOMINAL) -> list[BruteDesign]:
        """Return the feasible designs that no other beats, equal ones included."""
        feasible = [design for design in self.designs(unknown) if design.feasible]
        points = sorted({self.points(design) for design in feasible})
        best: list[tuple[float, ...]] = []
        for point in points:  # whoever beats a point stands before it
            if not any(all(a <= b for a, b in zip(other, point, strict=True)) for other in best):
                best.append(point)
        kept = set(best)
        return [design for design in feasible if self.points(design) in kept]


def made_up_study(rng: random.Random, largest: int = 4000) -> MadeUpStudy:
    """Return a study of a few axes, quantities, objectives and limits."""
    while True:
        study = MadeUpStudy()
        _space(study, rng)
        if 1 <= study.size <= largest:
            break
    shared = sorted(set.intersection(*(set(axes) for _, axes in study.alternatives)))
    terms: list[Term] = [_axis(name) for name in shared]
    if rng.random() < 0.3:
        study.uncertain = True
        study.features.add("uncertain")
    terms.append(_axis(_UNKNOWN) if study.uncertain or rng.random() < 0.5 else _constant(rng))
    study.quantities["q0"] = _of_all(rng, [*shared, _UNKNOWN])  # a study must depend on each of its axes
    terms.append(_axis("q0"))
    for place in range(1, rng.randint(2, 6)):
        name = f"q{place}"
        study.quantities[name] = _expression(rng, terms, rng.randint(1, 3))
        terms.append(_axis(name))
    names = [*study.quantities]
    chosen = rng.sample(names, min(len(names), rng.randint(1, 3)))
    if study.uncertain and "q0" not in chosen:
        chosen[0] = "q0"  # what is not known must decide something
    study.objectives = [(name, rng.choice(["min", "min", "max"])) for name in chosen]
    study.features.add(f"{len(chosen)} objectives")
    everything = [design.quantities for design in study.designs()]
    for name in rng.sample(names, rng.randint(0, min(2, len(names)))):
        values = sorted(quantities[name] for quantities in everything)
        study.limits.append((name, rng.choice(["<=", ">="]), values[int(rng.random() * (len(values) - 1))]))
        study.features.add("limits")
    study.head.append("also = [" + ", ".join(f'"{name}"' for name in names if name not in chosen) + "]")
    return study


def _of_all(rng: random.Random, names: list[str]) -> Term:
    """Return a quantity that depends on every axis: a sum that may be hidden behind products."""
    term = _axis(names[0])
    for name in names[1:]:
        term = _joined(rng.choice("++*-"), term, _axis(name))
    return term


def _joined(sign: str, one: Term, other: Term) -> Term:
    left, right = one.value, other.value
    if sign == "+":
        return Term(f"({one.text} + {other.text})", lambda values: left(values) + right(values))
    if sign == "-":
        return Term(f"({one.text} - {other.text})", lambda values: left(values) - right(values))
    return Term(f"({one.text} * {other.text})", lambda values: left(values) * right(values))


def _axis(name: str) -> Term:
    return Term(name, lambda values: values[name])


def _constant(rng: random.Random) -> Term:
    number = rng.choice([0.0, 1.0, 2.0, 0.5, 3.25, 0.1, 7.0, 1e-3, 1e4])
    return Term(repr(number), lambda _: number)


def _expression(rng: random.Random, terms: list[Term], depth: int) -> Term:
    if depth == 0:
        return rng.choice(terms) if rng.random() < 0.8 else _constant(rng)
    one = _expression(rng, terms, depth - 1)
    kind = rng.randrange(11)
    if kind >= 8:  # of one argument
        name = ("abs", "floor", "sqrt")[kind - 8]
        if name == "sqrt":
            return Term(f"sqrt(abs({one.text}))", lambda values: math.sqrt(abs(one.value(values))))
        function: Callable[[float], float] = abs if name == "abs" else lambda x: float(math.floor(x))
        return Term(f"{name}({one.text})", lambda values: function(one.value(values)))
    other = _expression(rng, terms, rng.randint(0, depth - 1))
    left, right = one.value, other.value
    if kind < 5:
        return _joined("++-**"[kind], one, other)
    if kind == 5:
        divided = f"({one.text} / (abs({other.text}) + 1))"
        return Term(divided, lambda values: left(values) / (abs(right(values)) + 1.0))
    word, taken = ("min", min) if kind == 6 else ("max", max)
    return Term(f"{word}({one.text}, {other.text})", lambda values: taken(left(values), right(values)))


def _axis_of(rng: random.Random) -> tuple[str, list[float]]:
    """Return how an axis is written, and its values."""
    kind = rng.randrange(4)
    if kind == 0:
        first, count, step = rng.randint(0, 5), rng.randint(1, 7), rng.randint(1, 3)
        last = first + step * (count - 1)
        return f"{{ range = [{first}, {last}], step = {step} }}", [float(first + step * n) for n in range(count)]
    if kind == 1:
        low, high = rng.randint(0, 2), rng.randint(2, 5)
        return f"{{ powers_of_two = [{2**low}, {2**high}] }}", [float(2**n) for n in range(low, high + 1)]
    values = rng.sample([0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 7.0, 10.0, 0.25], rng.randint(1, 5))
    return f"{{ values = {values} }}", values


def _space(study: MadeUpStudy, rng: random.Random) -> None:
    common, shared_values = [], {}
    for place in range(rng.randint(1, 4)):
        text, values = _axis_of(rng)
        common.append(f"x{place} = {text}")
        shared_values[f"x{place}"] = values
    study.space = ["[space.axes]", *common]
    kind = rng.choice(["one", "one", "alternatives", "choices"])
    if kind == "one":
        study.alternatives = [("", shared_values)]
    elif kind == "alternatives":
        study.features.add("alternatives")
        for name in ("a", "b", "c")[: rng.randint(2, 3)]:
            text, values = _axis_of(rng)
            study.space += [f"[space.alternatives.{name}.axes]", f"own = {text}"]
            study.alternatives.append((name, {**shared_values, "own": values}))
    else:
        _choices(study, rng, shared_values)


def _choices(study: MadeUpStudy, rng: random.Random, common: dict[str, list[float]]) -> None:
    study.features.add("choices")
    members: dict[str, dict[str, tuple[str, list[float]]]] = {}
    for choice, axis in (("node", "y"), ("net", "z")):
        members[choice] = {}
        for member in (f"{choice}1", f"{choice}2")[: rng.randint(1, 2)]:
            text, values = _axis_of(rng)
            members[choice][member] = (axis, values)
            study.space += [f"[space.choices.{choice}.{member}.axes]", f"{axis} = {text}"]
    excluded: set[tuple[str, str]] = set()
    pairs = list(itertools.product(members["node"], members["net"]))
    if len(pairs) > 1 and rng.random() < 0.4:
        study.features.add("exclude")
        excluded = {rng.choice(pairs)}
        ((node, net),) = excluded
        study.space.insert(0, f"[space]\nexclude = [\"node == '{node}' and net == '{net}'\"]")
    for node, net in pairs:
        if (node, net) not in excluded:
            own = dict([members["node"][node], members["net"][net]])
            study.alternatives.append((f"{node} {net}", {**common, **own}))
