"""Every study on dual numbers: values to the last bit, derivatives as finite differences of the whole system have them.

What is not exact must say so: a function without a form for dual numbers, steps, and derivatives that hold on one side.
"""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from example_counts import ALL_EXAMPLES

import dse.studies
from dse import Study
from dse.analysis.explain.sensitivity import differentiated
from dse.arithmetic.duals import Dual
from dse.errors import InputError, ModelError
from dse.graph.graph import call
from dse.units import TEXT

pytestmark = pytest.mark.slow


def apart(paths):
    """Of studies with the same models and components the one of the shortest name; all with all examples."""
    firsts = {}
    for path in sorted(paths, key=lambda path: (len(path.stem), path.stem)):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        key = repr((content["models"], sorted(content.get("use", {}).items())))
        firsts.setdefault(path if ALL_EXAMPLES else key, path.stem)
    return sorted(firsts.values())


STUDIES = apart(Path(dse.studies.__file__).parent.glob("*.toml"))
# Of a power of two, a power of two is often whole by chance: where only whole numbers are taken there would be slopes.
DISTANCES = (0.7 * 2.0**-9, 0.7 * 2.0**-13, 0.7 * 2.0**-17)


@pytest.fixture(scope="module", params=STUDIES)
def study(request):
    return Study.load(request.param)


def some_designs(study):
    """The first or a random design of one or two alternatives and the last of all; with all examples both, of all.

    Studies have alternatives in common, and each study takes others of them. Of a split space, of many functions, the
    last alone.
    """
    if study.spec.space.split and not ALL_EXAMPLES:
        return [study.space.size - 1]
    rng = np.random.default_rng(5)
    found, apart = {study.space.size - 1}, -(-len(study.space.products) // 2)
    for place, (product, first) in enumerate(zip(study.space.products, study.space.offsets, strict=True)):
        two = [first, first + int(rng.integers(product.size))]
        if ALL_EXAMPLES:
            found |= {*two}
        elif (place + STUDIES.index(study.name)) % apart == 0:
            found.add(two[(place // apart + 1) % 2])
    return sorted(found)


class System:
    """A design whose inputs can be changed, evaluated on plain arrays."""

    def __init__(self, study, number):
        problem, self.declarations = study.compiled, study.declarations
        index, _ = problem.space.rows_of(number)
        self.graph = problem.systems[index].graph
        (record,) = problem.quantities([number])
        self.values = record["values"]
        self.below = cache(lambda quantity: self.graph.below([quantity]))
        self.moved = None, {}

    def at(self, name, xs, quantity):
        """A quantity at other values of one input; None where the system cannot have one."""
        found = self.together(name, tuple(xs), quantity)
        if found is None:  # one that it cannot have ends the evaluation of all
            found = [value for x in xs for value in self.together(name, (x,), quantity) or [np.nan]]
        return [float(value) if np.isfinite(value) else None for value in found]

    def together(self, name, xs, quantity):
        if self.moved[0] != name:
            self.moved = name, {}
        # What was computed for another quantity from the same values stands.
        values, changed, done = self.moved[1].setdefault(xs, ({**self.values, name: np.array(xs)}, {name}, set()))
        below = self.below(quantity)
        try:
            for place, function in enumerate(self.graph.functions):
                if place in done or below.isdisjoint(function.gives) or changed.isdisjoint(function.needs):
                    continue
                with np.errstate(all="ignore"):
                    results = call(function, values)
                values.update(results)
                changed.update(results)
                done.add(place)
        except (InputError, ModelError):
            return None
        return np.broadcast_to(np.asarray(values[quantity]).reshape(-1), len(xs))

    def slopes(self, name, x, quantity, distance):
        """The slopes up and down by Richardson's extrapolation; None where the system cannot be there."""
        distances = [sign * distance for sign in (1, -1)]
        here, *ends = self.at(name, [x, *(x + one / part for one in distances for part in (1, 2, 4))], quantity)
        return [self.slope(here, *three) for three in ((distances[0], ends[:3]), (distances[1], ends[3:]))]

    @staticmethod
    def slope(here, distance, ends):
        if any(end is None for end in ends):
            return None
        first, second, third = ((end - here) * part / distance for end, part in zip(ends, (1, 2, 4), strict=True))
        return (4 * (2 * third - second) - (2 * second - first)) / 3

    def secant(self, name, x, quantity, step):
        """The slope over a step either way, or the one way there is."""
        least = getattr(self.declarations.of_input(name), "minimum", None)
        (above,) = self.at(name, [x + step], quantity)
        (below,) = self.at(name, [x - step], quantity) if least is None or x - step >= least else [None]
        if above is None or below is None:
            (here,) = self.at(name, [x], quantity)
            return (above - here) / step if below is None else (here - below) / step
        return (above - below) / (2 * step)


def near(found, expected, scale):
    return abs(found - expected) <= 1e-6 * max(abs(found), abs(expected)) + 1e-9 * scale


def check(system, row, quantity, effect):
    """Compare one derivative with differences of the whole system; tell what was compared."""
    name, x, slope = row["input"], row["value"], effect["derivative"]
    where = (name, quantity, effect)
    scale = abs(system.at(name, [x], quantity)[0] / x)
    if effect["kind"] == "steps":
        secant = system.secant(name, x, quantity, 1.0 if row["whole"] else 0.01 * x)
        assert near(slope, secant, scale), (where, secant)
        assert effect["steps"] or effect["unknown"]
        return "steps"
    sides, both = [], False
    for distance in (abs(x) * share for share in DISTANCES):
        slopes = system.slopes(name, x, quantity, distance)
        found = [one for one in slopes if one is not None]
        sides += found
        both |= len(found) == 2
        if effect["kind"] != "unknown" and len(found) == 2 and near(*found, scale):
            assert near(slope, sum(found) / 2, scale), (where, found)
            return "smooth"
    if effect["kind"] == "unknown":
        assert effect["unknown"] or effect["steps"]
        assert effect["reason"] or effect["steps"]
        # Another quantity may have no value a little away, as a price list has none for a part that is not sold.
        assert not sides or effect["reason"].endswith("the system a little away is refused"), (where, sides)
        return "unknown"
    assert effect["one_sided"] or not both, (where, sides)
    assert not sides or any(near(slope, one, scale) for one in sides), (where, sides)
    return "one side" if sides else "no other value"


def test_derivatives_are_those_of_differences(study):
    """What joins designs has a form for dual numbers; what has none is marked `points_only`, and named."""
    if study.name == "codesign-graph500":
        pytest.skip("its profile at another size holds whole counts: slopes over small distances are those of rounding")
    compared = Counter()
    for number in some_designs(study):
        system = System(study, number)
        functions = {one.label: one for one in system.graph.functions}
        rows = study.sensitivities(number)
        # Of many inputs every second one: other designs, and other studies of the same models, take the others.
        for row in rows if ALL_EXAMPLES or len(rows) < 20 else rows[int(number) % 2 :: 2]:
            for quantity, effect in row["effects"].items():
                assert all(functions[name].points_only for name in effect["numeric"])
                assert effect["kind"] != "numeric" or effect["numeric"]
                if row["value"]:
                    compared[check(system, row, quantity, effect)] += 1
                else:
                    assert effect["elasticity"] is None
    assert compared["smooth"] > compared["no other value"]


def test_values_are_those_of_arrays_to_the_last_bit(study):
    """All quantities that are asked for, shown or constrained, in one evaluation with all inputs as directions."""
    for number in some_designs(study)[::2]:
        index, _ = study.space.rows_of(number)
        graph = study.compiled.systems[index].graph
        (record,) = study.compiled.quantities([number])
        inputs = {name: record["values"][name] for name in graph.inputs}
        names = [name for name in graph.inputs if graph.units[name] not in (TEXT, "table")]
        targets = [one for one in graph.targets if not one.startswith("constraint_")]
        with np.errstate(all="ignore"):
            values, _ = differentiated(graph, inputs, names, targets)
        assert set(values) >= graph.below(targets)
        for name, value in values.items():
            plain = value.value if isinstance(value, Dual) else value
            expected = record["values"][name]
            if isinstance(expected, np.ndarray) and expected.dtype != object:
                assert np.asarray(plain, dtype=float).tobytes() == np.asarray(expected, dtype=float).tobytes(), name
