"""Curves through measurements: the printed fits, brute force without each point, and the rule of choice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.measured_laws.kinds.energy.history import history
from dse.models.measured_laws.kinds.energy.laws import FittedEnergy
from dse.models.measured_laws.kinds.energy.predictor import candidates, fit_curve
from tests.example_counts import examples
from tests.models.measured_laws.kinds.energy import oracle

A = [(130, "7.6"), (135, "7.9"), (220, "7.6")]
B = [*A, (320, "7.5")]
TABLE = [(115, "7.5"), (200, "7.7"), (285, "7.3"), (300, "7.4"), (340, "7.5"), (400, "7.5"), (460, "7.7"), (500, "7.7")]
PRINTED = {115: 7.7, 200: 7.6, 285: 7.5, 300: 7.5, 340: 7.5, 400: 7.4, 460: 7.3, 500: 7.3}
BOTH = sorted([*B, *TABLE])
ERRORS = [
    (A, {1: (1.634, 40.622), 2: (0.0, None)}),
    (B, {1: (1.430, 2.594), 2: (1.428, 89.088)}),
    (TABLE, {1: (1.751, 2.267), 2: (1.392, 3.057), 3: (1.305, 6.632)}),
    (BOTH, {1: (2.016, 2.458), 2: (1.615, 2.203), 3: (1.529, 2.635)}),
]


def measured(points, **options):
    return history([n for n, _ in points], [float(v) for _, v in points], **options)


@pytest.mark.parametrize(("points", "printed"), ERRORS)
def test_errors_of_whole_curves(points, printed):
    of_order = {one.orders[0]: one for one in candidates(measured(points)) if one.case in ("I", "II")}
    assert set(of_order) == set(printed)
    for order, (own, left_out) in printed.items():
        curve = of_order[order]
        assert curve.percent_rmse == pytest.approx(own, abs=6e-4)
        assert curve.percent_rmse == pytest.approx(oracle.in_sample(points, order), abs=1e-9)
        if left_out is None:
            assert curve.interpolates
            assert np.isnan(curve.percent_left_out)
        else:
            assert curve.percent_left_out == pytest.approx(left_out, abs=6e-4)
            assert curve.percent_left_out == pytest.approx(oracle.left_out(points, order), rel=1e-9)


def test_history_a_is_the_published_line_though_it_foretells_badly():
    curve = fit_curve(measured(A))
    assert (curve.case, curve.admissible) == ("I", True)
    assert curve.segments[0].powers == pytest.approx((7.95277, -0.00156352), rel=2e-6)
    assert float(curve.at(320)) == pytest.approx(7.452, abs=5e-4)
    assert curve.percent_left_out > 40.0


def test_history_b_gives_the_printed_predictions():
    curve = fit_curve(measured(B))
    assert curve.segments[0].powers == pytest.approx((7.91714, -0.00132741), rel=1e-6)
    assert {n: abs(float(curve.at(n)) - value) <= 0.07 for n, value in PRINTED.items()} == dict.fromkeys(PRINTED, True)


def test_two_points_are_joined_and_say_so():
    found = measured([(6, "0.54"), (32, "2.84")])
    curve = fit_curve(found)
    assert curve.at([64, 128, 256, 512]) == pytest.approx([5.671, 11.332, 22.655, 45.302], abs=5e-4)
    assert curve.interpolates
    assert curve.extrapolated([6, 7, 32, 33, 5]).tolist() == [False, False, False, True, True]
    assert any("two numbers of nodes" in note for note in found.notes)


NODES = np.array([1, 2, 4, 8, 16, 60, 165, 450, 500.0])


def saturating(n):
    """Synthetic: a parabola up to 450 nodes, a falling line beyond."""
    n = np.asarray(n, dtype=float)
    return np.where(n <= 450, 2000 + 6 * n + 0.03 * n**2, 2000 + 6 * 450 + 0.03 * 450**2 - 8 * (n - 450))


def test_a_bent_then_straight_curve_is_cut_where_it_saturates():
    few = fit_curve(history(NODES[:7], saturating(NODES[:7])))
    assert (few.case, few.orders) == ("II", (2,))
    assert abs(float(few.at(500)) / saturating(500) - 1.0) > 0.1
    curve = fit_curve(history(NODES, saturating(NODES)))
    assert (curve.case, curve.breakpoints, curve.orders) == ("IV", (450.0,), (2, 1))
    assert float(curve.at(700)) == pytest.approx(float(saturating(700)), rel=1e-9)


@pytest.mark.parametrize("case", ["III", "V"])
def test_the_other_cuts(case):
    n = np.array([2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 256, 320, 400.0])
    end = 192 if case == "V" else 1000
    y = np.where(n <= 32, 900 + 40 * n, 900 + 40 * 32 + 0.5 * (np.minimum(n, end) - 32) ** 2)
    y = y + np.where(n > end, 500.0 * (n - end), 0.0)
    curve = fit_curve(history(n, y))
    assert (curve.case, curve.percent_rmse) == (case, pytest.approx(0.0, abs=1e-9))
    assert curve.breakpoints == ((32.0,) if case == "III" else (32.0, 192.0))


@given(st.lists(st.floats(50.0, 60.0), min_size=5, max_size=9))
@settings(max_examples=examples(40), deadline=None)
def test_the_choice_is_the_least_error_of_points_left_out_if_it_halves_that_of_the_straight_law(values):
    found = history(range(1, len(values) + 1), values)
    every = [one for one in candidates(found, 50.0) if one.admissible and not one.interpolates]
    curve = fit_curve(found, 50.0)
    least = min(one.percent_left_out for one in every)
    if every[0].percent_left_out < 2.0 * least - 1e-9:
        assert curve.case == "I"
        return
    assert curve.percent_left_out <= 1.01 * least + 2e-9
    assert all(one.percent_left_out > 1.01 * least + 1e-9 for one in every[: every.index(curve)])


def test_none_within_the_limit_gives_the_nearest_and_says_so():
    curve = fit_curve(history([1, 2, 3, 4], [1.0, 9.0, 1.0, 9.0]), 5.0)
    assert not curve.admissible
    assert not curve.interpolates


def test_a_curve_that_goes_below_0_is_not_taken_there():
    curve = fit_curve(history([1, 2], [9.0, 1.0]))
    with pytest.raises(InputError, match="not above 0 on 3 nodes"):
        curve.at([2, 3])


@given(st.floats(1.0, 5.0), st.floats(0.1, 0.5), st.floats(1e3, 1e9))
@settings(max_examples=examples(50), deadline=None)
def test_the_unit_changes_nothing_but_the_values(start, slope, scale):
    n = np.array([1, 3, 8, 20.0])
    y = start + slope * n + np.array([0.01, -0.02, 0.02, -0.01])
    one, other = fit_curve(history(n, y)), fit_curve(history(n, y * scale))
    assert one.case == other.case
    assert other.at([5, 19]) == pytest.approx(one.at([5, 19]) * scale, rel=1e-9)
    assert other.percent_rmse == pytest.approx(one.percent_rmse, rel=1e-6, abs=1e-9)


def test_repetitions_are_reduced_and_kept_in_mind():
    runs = history([20, 4, 20, 4], [3.0, 1.0, 3.06, 1.0], "max")
    assert (runs.nodes, runs.values, runs.repetitions) == ((4.0, 20.0), (1.0, 3.06), (2, 2))
    assert runs.spread == pytest.approx(0.06 / 3.03)
    assert any("not sorted" in note for note in runs.notes)
    assert any("apart" in note for note in history([1, 1, 2], [1.0, 1.2, 3.0]).notes)
    assert any("one measurement" in note for note in history([1, 2], [1.0, 2.0]).notes)


@pytest.mark.parametrize(
    ("nodes", "values", "told"),
    [
        ([4], [1.0], "measurements on 1 number of nodes; allowed: two"),
        ([4, 4], [1.0, 1.1], "measurements on 1 number of nodes"),
        ([], [], "measurements on 0 numbers"),
        ([4, 8], [1.0, 0.0], "values: 0 on 8 nodes; allowed: numbers above 0"),
        ([4, 8], [1.0, -2.0], "-2 on 8 nodes"),
        ([4, 8], [1.0, float("nan")], "nan on 8 nodes"),
        ([4, 8.5], [1.0, 2.0], "8.5 nodes; allowed: whole"),
        ([0, 8], [1.0, 2.0], "0 nodes"),
        ([4, 8], [1.0], "2 numbers of nodes and 1 values"),
    ],
)
def test_wrong_measurements(nodes, values, told):
    with pytest.raises(InputError, match=told):
        history(nodes, values)


def test_wrong_options():
    with pytest.raises(InputError, match="did you mean 'mean'"):
        history([1, 2], [1.0, 2.0], "meann")
    with pytest.raises(InputError, match="rmse_limit"):
        fit_curve(history([1, 2], [1.0, 2.0]), 0.0)


def test_what_was_not_measured_follows_from_the_others():
    n = [1, 2, 4, 8]
    both = FittedEnergy({"energy": history(n, [8.0, 9.0, 11.0, 15.0]), "time": history(n, [8.0, 4.0, 2.0, 1.0])})
    assert both.power([2, 8]).tolist() == [2.25, 15.0]
    assert both.metrics == ("energy", "power", "time")
    assert both.percent_error("power") == pytest.approx(
        np.hypot(both.percent_error("energy"), both.percent_error("time"))
    )
    powers = FittedEnergy({"power": history(n, [1.0, 2.0, 4.0, 8.0]), "time": history(n, [8.0, 4.0, 2.0, 1.0])})
    assert powers.energy([1, 8]).tolist() == [8.0, 8.0]
    alone = FittedEnergy({"energy": history(n, [8.0, 9.0, 11.0, 15.0])})
    for wanted in ("time", "power"):
        with pytest.raises(InputError, match=f"the {wanted} was not measured"):
            getattr(alone, wanted)(4)
    with pytest.raises(InputError, match="no measurements"):
        FittedEnergy({})


def test_measured_nodes_give_what_was_measured_unless_told():
    found = {"energy": measured(B)}
    assert FittedEnergy(found).energy([135, 320]).tolist() == [7.9, 7.5]
    assert FittedEnergy(found, stored=False).energy(135) == pytest.approx(7.91714 - 0.00132741 * 135, abs=1e-5)


def test_what_was_measured_is_told_beside_what_was_not_though_the_curve_is_below_0_there():
    """Numbers of nodes are answered one by one: what others stand beside them is no matter."""
    model = FittedEnergy({"energy": history([1, 8, 16], [0.1, 1.0, 30.0])})
    assert float(model.curves["energy"].unchecked(1)) < 0.0
    alone = [float(model.energy(1)), float(model.energy(12))]
    assert model.energy([1, 12]).tolist() == alone
    with pytest.raises(InputError, match="not above 0 on 1 nodes"):
        FittedEnergy({"energy": history([2, 8, 16], [0.1, 1.0, 30.0])}).energy([1, 2])
