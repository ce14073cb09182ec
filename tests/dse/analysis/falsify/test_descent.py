"""The lowest score without a search: beside all designs of small spaces; the class factor, beside its definition."""

from __future__ import annotations

import numpy as np
import pytest

from dse import Study
from dse.analysis.falsify.best_of_class import BestOfClass
from dse.analysis.falsify.descent import lowest

MODEL = '''
import numpy as np

from dse import parameter, quantity

a = parameter(unit="1", doc="A number", above=0)
b = parameter(unit="1", doc="Another", above=0)
c = parameter(unit="1", doc="A third", above=0)


@quantity(unit="s", source="invented", name="time", slot="kind", provider="plain")
def plain_time(a, b):
    """Falls with both."""
    return 100.0 / (a * b)


@quantity(unit="W", source="invented", name="power", slot="kind", provider="plain")
def plain_power(a, b, c):
    """Rises with all."""
    return a * a * b + c


@quantity(unit="s", source="invented", name="time", slot="kind", provider="odd")
def odd_time(a, b):
    """Falls with both, and is worse."""
    return 170.0 / (a * b)


@quantity(unit="W", source="invented", name="power", slot="kind", provider="odd")
def odd_power(a, b, c):
    """Rises with all."""
    return 1.3 * a * a * b + 2.0 * c
'''
STUDY = """
name = "kinds"
models = ["model.py"]
constraints = ["power <= 900 W"]
objectives = [{ minimize = "time" }, { minimize = "power" }]
[space.axes]
a = { range = [1, 12], step = 1 }
b = { range = [1, 40], step = 1 }
c = { values = [1, 2, 3] }
[space.choices.kind.plain]
use.kind = "plain"
[space.choices.kind.odd]
use.kind = "odd"
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "model.py").write_text(MODEL)
    (folder / "kinds.toml").write_text(STUDY)
    return Study.load(folder / "kinds.toml")


@pytest.fixture(scope="module")
def every(study):
    """Time and power of all designs by product, feasible or not."""
    space = study.compiled.space
    records = study.compiled.quantities(np.arange(space.size))
    return [np.stack([record["values"]["time"], record["values"]["power"]], axis=1) for record in records]


def test_each_aim_has_the_lowest_score(study, every):
    """Distances to points, of which one is a design."""
    aims = np.array([[100.0 / 12, 900.0], [3.0, 50.0], [100.0 / 6, 20.0]])

    def apart(values, aim_of):
        there = np.stack([np.broadcast_to(values[name], aim_of.shape) for name in ("time", "power")], axis=1)
        return (np.log(there / aims[aim_of]) ** 2).sum(axis=1)

    nearest = lowest(study.compiled, [0], ["time", "power"], apart, aims=len(aims), starts=12)
    for aim, near in zip(aims, nearest, strict=True):
        least = (np.log(every[0] / aim) ** 2).sum(axis=1).min()
        assert near.score == pytest.approx(least, abs=1e-12)
        (record,) = study.compiled.quantities([near.design])
        assert record["values"]["time"][0] == near.values["time"]


def test_nothing_has_a_score(study):
    assert lowest(study.compiled, [0], ["time"], lambda values, aim_of: np.full(len(aim_of), np.nan)) == [None]
    assert lowest(study.compiled, [], ["time"], lambda values, aim_of: np.zeros(len(aim_of))) == [None]


def test_the_class_factor_is_the_least_of_feasible_designs(study, every):
    """By its definition: the least over designs, the most over the frontier, the least over objectives."""
    feasible = [values[values[:, 1] <= 900.0] for values in every]
    plain = feasible[0]
    frontier = np.array([own for own in plain if not ((plain <= own).all(axis=1) & (plain < own).any(axis=1)).any()])
    expected = min(max(min(own / design) for design in frontier) for own in feasible[1])
    best = BestOfClass(study.compiled, [1], frontier)
    assert best.exact.factor == pytest.approx(expected)
    assert best.bound.factor >= best.exact.factor * (1 - 1e-12)
    assert best.bound.factor == pytest.approx(expected, rel=0.05)
    for met in (best.bound, best.exact):
        (record,) = study.compiled.quantities([met.design])
        own = np.array([record["values"]["time"][0], record["values"]["power"][0]])
        assert own[1] <= 900.0
        assert max(min(own / design) for design in frontier) == pytest.approx(met.factor)


def test_a_class_without_a_feasible_design_has_no_factor(study, every):
    tight = study.edited(constraints=["power <= 2.5 W"])
    best = BestOfClass(tight.compiled, [1], every[0][:1])
    assert (best.bound, best.exact) == (None, None)
    assert BestOfClass(study.compiled, [], every[0]).exact is None
