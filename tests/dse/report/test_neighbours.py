"""One step along each axis, for many designs at once: each compared to that system evaluated by itself."""

import numpy as np
import pytest

from dse.api import Run
from dse.errors import ModelError, RunFolderError
from dse.report.record.collect import page_view
from dse.report.record.neighbours import collect_neighbours


def steps_of(found):
    """Every step of every row: (row, axis, label, up, place, broken, differences)."""
    rows = np.repeat(found.rows, found.counts)
    for at, row in enumerate(rows.tolist()):
        yield (
            row,
            found.axes[found.axis[at]],
            found.labels[found.label[at]],
            bool(found.up[at]),
            int(found.place[at]),
            int(found.broken[at]),
            found.differences[at],
        )


def around(space, number):
    """The designs next to one, found by walking over the values of its axes, which are listed one by one."""
    parameters = dict(space.parameters(number))
    alternative = parameters.pop("alternative", "")
    (product,) = [one for one in space.products if one.name == alternative]
    for axis in product.axes:
        labels = [axis.label(row) for row in range(len(axis))]
        at = labels.index(parameters[axis.name])
        for up in (False, True):
            to = at + 1 if up else at - 1
            if 0 <= to < len(labels):
                yield axis.name, labels[to], up, alternative, {**parameters, axis.name: labels[to]}


def against_one_by_one(study, view, found, rows):
    problem = study.compiled
    told = {}
    for row, axis, label, up, _, broken, differences in steps_of(found):
        told.setdefault(row, []).append((axis, label, up, broken, differences))
    for row in rows:
        number = int(view.numbers[row])
        own = {key: value for key, value in problem.space.parameters(number).items() if key != "alternative"}
        expected = list(around(problem.space, number))
        assert [one[:3] for one in told[row]] == [one[:3] for one in expected]
        for (*_, broken, differences), (_, _, _, alternative, parameters) in zip(told[row], expected, strict=True):
            here = study.evaluate(own, alternative or None)
            there = study.evaluate(parameters, alternative or None)
            for difference, objective in zip(differences, problem.objectives, strict=True):
                added = there[objective.quantity] - here[objective.quantity]
                assert difference == pytest.approx(added, rel=1e-6, abs=1e-9 * abs(here[objective.quantity]))
            index = [product.name for product in problem.space.products].index(alternative)
            wrong = [c.place for c in problem.systems[index].constraints if not there[c.quantity]]
            assert broken == min(wrong, default=-1)


@pytest.mark.parametrize("name", ["ska-correlator", "hybrid-xeon-sp"])
def test_steps_are_those_of_systems_evaluated_one_by_one(runs, name):
    run = runs(name)
    view = page_view(run)
    front = int((view.kinds == 0).sum())
    rows = [*range(min(front, 5)), *np.random.default_rng(3).integers(front, len(view.numbers), 5).tolist()]
    against_one_by_one(run.study, view, view.neighbours, rows)
    assert view.neighbours.rows.tolist() == list(range(len(view.numbers)))
    assert (view.neighbours.broken >= 0).any() == (name == "ska-correlator")


def test_alternatives_are_no_neighbours(make_run):
    """Steps along parts and along axes that one alternative has; none leads from one alternative to another."""
    part = {"part": {"part": "parts & <b>.csv", "label": "name"}}
    alternatives = {
        "one": {"axes": {"width": {"values": [1, 2, 5]}}},
        "two": {"axes": {"overhead": {"values": ["5 W", "6 W"]}}, "set": {"width": 3}},
    }
    run = make_run(constraints=["power <= 20 MW"], space={"axes": part, "alternatives": alternatives})
    view = page_view(run)
    against_one_by_one(run.study, view, view.neighbours, range(len(view.numbers)))
    assert set(view.neighbours.axes) == {"part", "width", "overhead"}
    for row, axis, _, up, place, *_ in steps_of(view.neighbours):
        stride = int(view.neighbours.strides[view.products[row]][axis])
        assert view.numbers[place] == view.numbers[row] + (stride if up else -stride)
        assert view.products[place] == view.products[row]


def test_the_frontier_comes_first_where_there_is_no_room(runs):
    run = runs("ska-correlator")
    view = page_view(run)
    problem, front = run.study.compiled, int((view.kinds == 0).sum())
    feasible = np.flatnonzero(view.kinds == 1)
    some = collect_neighbours(problem, view.numbers, view.kinds, designs=front + 4)
    assert some.rows[:front].tolist() == list(range(front))
    assert len(some.rows) == front + 4
    assert set(some.rows[front:]) < set(feasible.tolist())
    assert collect_neighbours(problem, view.numbers, view.kinds, designs=2).rows.tolist() == [0, 1]
    steps = len(collect_neighbours(problem, view.numbers, view.kinds, size=4_000).axis)
    assert 0 < steps * (4 * 2 + 7) <= 4_000


def test_steps_lead_to_rows_of_the_page(runs):
    """Where the neighbour is on the page, its row; where it is not, none."""
    run = runs("ska-correlator")
    view = page_view(run)
    front = int((view.kinds == 0).sum())
    few = collect_neighbours(run.study.compiled, view.numbers[:front], view.kinds[:front])
    linked = {(row, place) for row, *_, place, _, _ in steps_of(few) if place >= 0}
    assert linked
    assert all(0 <= place < front and place != row for row, place in linked)
    assert (few.place < 0).any()
    values = np.column_stack([o.values for o in view.objectives])
    for row, *_, place, _, differences in steps_of(few):
        if place >= 0:
            np.testing.assert_allclose(values[place] - values[row], differences, rtol=1e-6, atol=1e-9)


def test_none_without_axes_or_designs(make_run):
    problem = make_run(constraints=[], space={"axes": {"width": {"values": [1]}, "part_power": {"values": ["3 W"]}}})
    assert page_view(problem).neighbours is None
    problem = problem.study.compiled
    assert collect_neighbours(problem, np.zeros(0, np.int64), np.zeros(0, np.uint8)) is None


def test_none_where_no_model_may_run(make_run, monkeypatch):
    """The study of a stranger's run cannot be had, and a model may fail one step away: the page is made without."""
    run = make_run(constraints=[])

    class Strange(Run):
        @property
        def study(self):
            raise RunFolderError("its model files are not run without --allow-code")

    kept = Run(run.frontier, run.manifest, study=run.study, sample=run.sample)
    kept.__class__ = Strange
    assert page_view(kept).neighbours is None
    assert page_view(run).neighbours is not None

    def failing(*_, **__):
        raise ModelError("not here")

    monkeypatch.setattr("dse.report.record.neighbours.evaluate_flat", failing)
    assert page_view(run).neighbours is None
