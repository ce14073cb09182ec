"""Errors a study has without saying so: of parts by a file beside their catalogue, and of laws that state them."""

import csv
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.analysis.uncertainty.draws import batches, frontiers
from dse.authoring.declare.declaration import RelativeError
from dse.evaluation.unknowns import ALTERNATIVE, Unknown, uncertain_problem
from dse.models.training.claims.errors import device_errors
from dse.search.driver import search
from dse.search.uncertain.possible import search_possible, unreached
from dse.search.uncertain.rows import rows_kept
from dse.space.design_space import Product
from dse.study.uncertain.part_errors import errors_file
from dse.study.uncertain.stated_errors import stated_errors
from tests.engine_problems import Case, axis, function


def test_the_errors_of_devices_are_what_the_measured_runs_give():
    file = Path(str(files("dse.spaces"))) / "training" / "device-errors.csv"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    stored = [tuple(row.values()) for row in csv.DictReader(lines)]
    assert stored == [tuple(map(str, error)) for error in device_errors()]


def test_a_device_with_many_runs_has_their_spread_and_one_without_any_the_class_of_all():
    by_name = {(error.quantity, error.name): error for error in device_errors()}
    many, few, none = (by_name["matmul_share_bf16", name] for name in ("A100 80 GB", "MI250X die", "*"))
    assert many.runs >= 5
    assert many.high < few.high < none.high
    assert few.runs < 5
    # Shares 0.76, 0.556 and 0.49 of three devices: spread of their logarithms, and of a fourth one.
    between = np.std(np.log([0.76, 0.556, 0.49]), ddof=1)
    assert none.high == pytest.approx(np.sqrt(3.0) * between * np.sqrt(4.0 / 3.0), rel=0.02)
    assert all(error.low == -error.high for error in by_name.values())


def test_a_training_study_is_not_sure():
    unknowns = Study.load("training-llama-405b").unknowns
    assert {unknown.quantity for unknown in unknowns.every} == {"matmul_share_bf16", "matmul_share_fp8", "device_power"}
    shares = {unknown.quantity: unknown for unknown in unknowns.every}
    assert shares["matmul_share_fp8"].few == {"H100 SXM": 3}
    assert shares["device_power"].few == {}
    assert "training_memory" in unknowns.missing
    off = Study.load("training-llama-405b").edited(trust={"machines": False})
    assert off.unknowns.every == ()


def test_what_the_study_says_stands_before_what_its_parts_say():
    said = Study.load("training-llama-405b").edited(uncertain={"matmul_share_fp8": {"within": "3 %"}})
    (own,) = [unknown for unknown in said.unknowns.every if unknown.quantity == "matmul_share_fp8"]
    assert (own.low, own.high, own.scope) == (-0.03, 0.03, "shared")


def test_only_catalogues_of_the_library_have_errors_beside_them():
    assert errors_file("training/devices.csv").name == "device-errors.csv"
    assert errors_file("training/models.csv") is None
    assert errors_file("../training/devices.csv") is None
    assert errors_file("/training/devices.csv") is None


def two_networks(errors=(0.1, 0.3)):
    """Two alternatives with laws of their own, and a limit of one."""
    ring = [
        function("bandwidth", "n", lambda n: 8.0 / n, error=RelativeError(errors[0], of="ring")),
        function("time", "bandwidth n", lambda bandwidth, n: 4.0 / bandwidth + 12.0 / n),
        function("cost", "n", lambda n: 1.0 * n),
    ]
    tree = [
        function("bandwidth", "n", lambda n: 2.0 + 0.0 * n, error=RelativeError(errors[1], of="tree")),
        function("time", "bandwidth n", lambda bandwidth, n: 4.0 / bandwidth + 12.0 / n),
        function("cost", "n", lambda n: 1.5 * n),
    ]
    products = [Product(name, (axis("n", [1.0, 2.0, 3.0, 4.0, 6.0]),), {}, {}) for name in ("ring", "tree")]
    return Case(products, [], {"time": "min", "cost": "min"}, per_product=[ring, tree]).problem()


def test_laws_that_state_errors_of_their_own_have_one_for_each_alternative():
    stated = stated_errors(two_networks(), [])
    (unknown,) = stated.unknowns
    assert (unknown.quantity, unknown.scope, unknown.axis) == ("bandwidth", "each", ALTERNATIVE)
    assert unknown.rows == {"ring": (-0.1, 0.1), "tree": (-0.3, 0.3)}
    assert "tree" in unknown.source
    assert stated.missing == ("cost",)
    (same,) = stated_errors(two_networks((0.2, 0.2)), []).unknowns
    assert (same.scope, same.low, same.high) == ("design", -0.2, 0.2)


def test_nothing_is_added_to_what_something_reaches_already():
    known = [Unknown("n", -0.1, 0.1)]
    assert stated_errors(two_networks(), known).unknowns == ()
    assert stated_errors(two_networks(), known).missing == ()


def at(bandwidths):
    n = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
    ring, tree = 8.0 / n * bandwidths[0], (2.0 + 0.0 * n) * bandwidths[1]
    time = np.concatenate([4.0 / ring + 12.0 / n, 4.0 / tree + 12.0 / n])
    return np.stack([time, np.concatenate([n, 1.5 * n])], axis=1)


def members(points):
    beaten = [((points <= p).all(axis=1) & (points < p).any(axis=1)).any() for p in points]
    return ~np.array(beaten)


def test_errors_of_alternatives_against_brute_force():
    problem = two_networks()
    unknown = uncertain_problem(problem, stated_errors(problem, []).unknowns)
    assert unreached(unknown) == frozenset()
    possible = search_possible(unknown, search(problem).numbers)
    kept = possible.numbers[rows_kept(unknown, possible.numbers)]
    grid = np.array([(a, b) for a in np.linspace(0.9, 1.1, 41) for b in np.linspace(0.7, 1.3, 41)])
    on = np.array([members(at(one)) for one in grid])
    assert set(np.flatnonzero(on.any(axis=0))) <= set(kept.tolist()) <= set(possible.numbers.tolist())
    share = np.zeros(10)
    for batch in batches(unknown, np.arange(10), 2000, 0):
        share += frontiers(batch).sum(axis=1) / 2000
    np.testing.assert_allclose(share, on.mean(axis=0), atol=4 * np.sqrt(0.25 / 2000) + 0.02)
