"""A frontier is attacked before it is written: a right one stands, a wrong one ends the run and leaves nothing."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from engine_problems import Case, Limit, axis, function, random_case

import dse.run.execute.execute as execute
import dse.run.result.self_check as check
from dse import Run, Study
from dse.errors import ContradictedError, ModelError
from dse.run.result.self_check import check_frontier, evaluate_flat, sample_numbers, unbeaten
from dse.search.account.certificate import TIES, VECTORS
from dse.search.driver import SearchOptions, search
from dse.space.design_space import Product


def grid(count=12, body=lambda a, b: a + b, limits=()):
    """Two axes: time falls along one and power rises, or as `body` has it."""
    axes = (axis("a", list(range(1, count + 1))), axis("b", list(range(1, count + 1))))
    functions = [function("time", "a b", lambda a, b: 100 / (a * b)), function("power", "a b", body)]
    return Case([Product("", axes)], functions, {"time": "min", "power": "min"}, list(limits))


def searched(case, method="auto"):
    problem = case.problem()
    return problem, search(problem, SearchOptions(method))


def wrong(monkeypatch, change):
    """Let every search of a study end with another frontier."""
    found = execute.search

    def other(problem, *given, **named):
        return change(problem, found(problem, *given, **named))

    monkeypatch.setattr(execute, "search", other)


def without_row(problem, result):
    return replace(result, numbers=result.numbers[1:], values=result.values[1:])


def test_checked_certificate_says_what_was_thrown(toy, dse):
    run = Study.load("toy.toml").run("out")
    checked = run.manifest.certificate.checked
    assert set(checked) == {"designs", "feasible", "neighbours", "better", "seed"}
    assert (checked["designs"], checked["better"], checked["seed"]) == (14, 0, 0)
    assert checked["feasible"] == int(run.sample["feasible"].sum())
    assert 0 < checked["neighbours"] <= 14 - len(run.frontier)
    assert json.loads((toy / "out/manifest.json").read_text())["certificate"]["checked"] == checked
    assert Run.load("out").manifest.certificate == run.manifest.certificate
    thrown = f"all 14 designs ({checked['feasible']} feasible) and {checked['neighbours']} neighbours of the frontier "
    thrown += "computed once more: none beats it"
    assert f"checked: {thrown}" in " ".join(dse("show", "out").out.split())
    dse("report", "out")
    assert thrown in (toy / "out/report.html").read_text()


def test_checked_run_in_memory_too(toy):
    run = Study.load("toy.toml").run()
    assert run.manifest.certificate.checked["designs"] == len(run.sample) == 14


def test_contradiction_ends_with_70_says_what_to_send_and_writes_nothing(toy, dse, monkeypatch):
    missing = int(Study.load("toy.toml").run().frontier["design"].iloc[0])
    wrong(monkeypatch, without_row)
    with pytest.raises(ContradictedError):
        Study.load("toy.toml").run()
    told = dse("run", "toy.toml", "--out", "out")
    assert told.code == 70
    assert f"design {missing} (nodes = " in told.err
    for part in ("is feasible and no design of the frontier beats it", "please send", "toy.toml", "numpy"):
        assert part in told.err
    assert "Traceback" not in told.err
    assert [file.name for file in (toy / "out").iterdir()] == ["progress.sqlite"]
    monkeypatch.undo()


def test_contradicted_by_an_infeasible_a_beaten_and_a_changed_row():
    problem, result = searched(grid(limits=[Limit("a <= 6", lambda q: q["a"] <= 6)]))
    fine = check_frontier(problem, result.numbers, result.values, result.certificate)
    assert (fine.faults, fine.counts["better"]) == ((), 0)

    def fault(number, changed=None):
        values = evaluate_flat(problem, np.array([number])).values if changed is None else changed
        numbers = np.append(result.numbers, number)
        order = np.argsort(numbers)
        both = np.concatenate([result.values, values])
        return " ".join(check_frontier(problem, numbers[order], both[order], result.certificate).faults)

    infeasible = 11 * 12 + 11
    assert "breaks a constraint" in fault(infeasible)
    beaten = next(n for n in range(72) if n not in result.numbers)
    assert f"design {beaten} " in fault(beaten)
    assert "another design of it beats it" in fault(beaten)
    assert "do not recompute" in fault(beaten, np.array([[1e-3, 1e-3]]))


def test_only_an_exact_frontier_promises_that_nothing_beats_it():
    problem, result = searched(grid())
    stopped = replace(result.certificate, exact=False)
    told = check_frontier(problem, result.numbers[1:], result.values[1:], stopped)
    assert told.faults == ()
    assert told.counts["better"] > 0


def test_neighbours_see_what_the_sample_cannot(monkeypatch):
    monkeypatch.setattr(check, "_SAMPLE", 1)
    problem, result = searched(grid())
    place = len(result.numbers) // 2
    told = check_frontier(
        problem, np.delete(result.numbers, place), np.delete(result.values, place, 0), result.certificate
    )
    assert told.counts["designs"] == 1
    assert f"design {result.numbers[place]} " in told.faults[0]


def test_no_more_neighbours_than_said(monkeypatch):
    monkeypatch.setattr(check, "_NEIGHBOURS", 5)
    monkeypatch.setattr(check, "_RECOMPUTED", 7)
    problem, result = searched(grid())
    told = check_frontier(problem, result.numbers, result.values, result.certificate)
    assert (told.faults, told.counts["neighbours"]) == ((), 5)


def test_equal_designs_are_missed_only_where_they_are_promised():
    problem, result = searched(grid())
    values = result.values
    order = np.lexsort(values.T)
    twins = [row for row, other in pairwise(order) if (values[row] == values[other]).all()]
    assert twins
    for ties, faults in ((TIES, 1), (VECTORS, 0)):
        certificate = replace(result.certificate, ties=ties)
        told = check_frontier(problem, np.delete(result.numbers, twins[0]), np.delete(values, twins[0], 0), certificate)
        assert len(told.faults) == faults


def test_equal_designs_are_missed_by_the_check_where_the_filter_of_the_search_loses_them(monkeypatch):
    right = check.nondominated
    for case in (grid(), Case([Product("", grid().products[0].axes)], grid().functions, {"power": "max"})):
        case.products[0] = Product("", (*case.products[0].axes, axis("colour", [1, 2])))
        problem, result = searched(case)
        first = np.unique(result.values, axis=0, return_index=True)[1]
        assert len(first) < len(result.numbers)
        with monkeypatch.context() as patch:
            patch.setattr(check, "nondominated", lambda points: right(points, keep_ties=False))
            chosen = np.sort(first)
            told = check_frontier(problem, result.numbers[chosen], result.values[chosen], result.certificate)
        assert "is feasible and no design of the frontier beats it, but it is not on it" in told.faults[0]
        assert told.counts["better"] == len(result.numbers) - len(first)


def test_rounding_is_forgiven_only_where_functions_round():
    frontier, thrown = np.array([[1.0, 2.0]]), np.array([[1.0 - 2**-52, 3.0]])
    assert unbeaten(grid().problem(), frontier, thrown).tolist() == [0]
    rounding = grid(body=lambda a, b: np.exp(a) + b).problem()
    assert unbeaten(rounding, frontier, thrown).tolist() == []
    assert unbeaten(rounding, frontier, thrown - 1e-9).tolist() == [0]


def test_a_model_that_does_not_always_give_the_same_is_named():
    calls, drift = iter(range(1, 10**6)), [0.0]
    _, result = searched(grid())
    again = grid(body=lambda a, b: a + b - drift[0] * next(calls)).problem()
    again.structure(0)  # what a look at a few designs does not show
    drift[0] = 1e-6
    with pytest.raises(ModelError, match=r"^'power' of design \d+ is .* alone: a function it comes from mixes designs"):
        check_frontier(again, result.numbers, result.values, result.certificate)


def test_the_order_of_designs_changes_nothing():
    problem = random_case(np.random.default_rng(3), largest=800).problem()
    numbers = sample_numbers(problem)
    plain, mixed = evaluate_flat(problem, numbers), evaluate_flat(problem, numbers, np.random.default_rng(0))
    assert np.allclose(plain.values, mixed.values, rtol=1e-12, atol=0, equal_nan=True)
    assert (plain.violated == mixed.violated).all()


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_right_frontiers_stand_and_every_account_adds_up(method):
    for seed in range(25):
        problem, result = searched(random_case(np.random.default_rng(seed), largest=800), method)
        c = result.certificate
        assert c.evaluated + c.excluded_by_bound + c.pruned_by_group == c.designs
        assert c.exact is True
        assert check_frontier(problem, result.numbers, result.values, c).faults == ()


def test_exact_follows_from_the_account(monkeypatch):
    from dse.search.bundles.levels import Level

    case = grid(40, limits=[Limit("a <= 6", lambda q: q["a"] <= 6)])
    problem, right = searched(case, "bundles")
    assert right.certificate.excluded_by_bound > 0
    assert (right.certificate.exact, right.certificate.warnings) == (True, ())
    monkeypatch.setattr(Level, "designs", lambda *given: 0)
    lost = search(problem, SearchOptions("bundles")).certificate
    assert (lost.exact, lost.excluded_by_bound) == (False, 0)
    assert "do not add up" in lost.warnings[-1]
