"""Breakdowns, bounds and slacks of many designs at once: the numbers of `explain_design`, which takes one at a time."""

import numpy as np
import pytest

from dse.report.record.details import collect_details


@pytest.mark.parametrize("name", ["ska-correlator", "ska-station", "hybrid-xeon-sp"])
def test_agrees_with_explain(runs, name):
    run = runs(name)
    numbers = run.frontier["design"].to_numpy()[:5]
    details = collect_details(run.study.compiled, numbers)
    stacks = {(stack.quantity, stack.kind): stack for stack in details.stacks}
    for row, number in enumerate(numbers):
        told = run.study.explain(int(number)).as_dict()
        for kind, entries in (("sum", told["breakdowns"]), ("max", told["bounds"])):
            for entry in entries:
                stack = stacks[entry["quantity"], kind]
                assert stack.unit == entry["unit"]
                assert set(stack.parts) == {part["quantity"] for part in entry["parts"]}
                assert details.columns[stack.quantity][row] == pytest.approx(entry["value"], rel=1e-12)
                for part in entry["parts"]:
                    assert details.columns[part["quantity"]][row] == pytest.approx(part["value"], rel=1e-12)
        for limit, entry in zip(details.limits, told["constraints"], strict=True):
            assert limit.unit == entry["unit"]
            assert details.columns[limit.left][row] == pytest.approx(entry["left"])
            assert details.columns[limit.right][row] == pytest.approx(entry["right"])


@pytest.mark.parametrize("name", ["ska-correlator", "ska-station", "hybrid-xeon-sp", "hybrid-arm-cp"])
def test_parts_make_up_the_whole(runs, name):
    """Sums add up, maxima are reached, on every design of the frontier."""
    run = runs(name)
    details = collect_details(run.study.compiled, run.frontier["design"].to_numpy())
    assert details.stacks
    for stack in details.stacks:
        parts = np.array([details.columns[part] for part in stack.parts])
        whole = details.columns[stack.quantity]
        np.testing.assert_allclose(parts.sum(0) if stack.kind == "sum" else parts.max(0), whole, rtol=1e-9)


def test_parts_no_objective_reads(runs):
    """The parts of the run time stand beside the closed formula that gives it; the breakdown has them all the same."""
    run = runs("hybrid-xeon-sp")
    details = collect_details(run.study.compiled, run.frontier["design"].to_numpy())
    (stack,) = [stack for stack in details.stacks if stack.quantity == "run_time"]
    assert "memory_wait_time" in stack.parts
    system = run.study.compiled.systems[0]
    assert "memory_wait_time" not in system.graph.below(run.study.compiled.results(0))


def test_what_is_no_comparison_has_no_sides(make_run):
    run = make_run(constraints=["width <= 3 or power <= 1 W", "2 <= width", "time < 1 s"])
    details = collect_details(run.study.compiled, np.arange(8))
    assert [limit.left for limit in details.limits] == ["", "1 left", "2 left"]
    assert details.columns["1 left"].tolist() == [2.0] * 8
    assert details.columns["1 right"].tolist() == [1, 1, 2, 2, 3, 3, 4, 4]


def test_extrapolation(make_run):
    """The time was validated for widths of 1 and 2."""
    details = collect_details(make_run(constraints=[]).study.compiled, np.arange(8))
    assert details.extrapolated == [""] * 4 + ["width"] * 4
