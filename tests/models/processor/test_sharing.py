"""Fixed points of threads that share: against halving, and the same bits in any company."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.models.processor import CORRECTED, predict, predict_mixture
from dse.models.processor._machines import MACHINES
from dse.models.processor.sharing import cache_shares, queueing_utilisation

from .profiles import measured

V3 = MACHINES["Xeon E5-2697 v3"]


def halved(utilisation_at):
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if float(utilisation_at(middle)) > middle else (low, middle)
    return low


CURVES = {
    "queue": lambda demand: lambda u: demand / (1.0 + 0.5 * u / (1.0 - u)),
    "cap and queue": lambda demand: (
        lambda u: np.minimum(demand, 1.0) / (1.0 + np.maximum(0.1 * u / (1.0 - u) - 0.3, 0.0))
    ),
    "jump": lambda demand: lambda u: np.where(np.less(u, 0.3), demand, 0.1 * demand),
    "nothing": lambda demand: lambda u: 0.0 * demand * u,
}


@settings(max_examples=60)
@given(st.sampled_from(list(CURVES)), st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=20))
def test_utilisation_is_where_the_curve_crosses(curve, demands):
    every = np.array(demands)
    with np.errstate(all="ignore"):
        found = queueing_utilisation(CURVES[curve](every), every.shape)
        for number, demand in enumerate(demands):
            assert found[number] == pytest.approx(halved(CURVES[curve](demand)), rel=1e-12, abs=1e-18)
            alone = queueing_utilisation(CURVES[curve](every[number : number + 1]), (1,))
            assert alone.tobytes() == found[number : number + 1].tobytes()


def test_few_looks_are_enough():
    """Halving would take fifty."""
    looks = 0

    def counted(u):
        nonlocal looks
        looks += 1
        return CURVES["queue"](np.logspace(-6, 3, 1000))(u)

    queueing_utilisation(counted, (1000,))
    assert looks < 15


@pytest.mark.slow
@pytest.mark.parametrize("queueing", [False, True])
@pytest.mark.parametrize("ways", [None, 8])
def test_mixtures_have_the_same_bits_in_any_company(queueing, ways):
    """Each alone, all together, backwards, and beside one whose shares settle later."""
    rng = np.random.default_rng(3)
    sizes, clocks = rng.uniform(2e6, 6e7, 40), rng.uniform(1e9, 4e9, 40)
    mode = replace(CORRECTED, queueing=queueing, associativity=ways is not None)
    given_ = {f"{level}_ways": ways for level in ("l1", "l2", "l3")} if ways else {}
    parts = [(measured("csr"), 3), (measured("list"), 2)]

    def cycles(rows):
        machine = {**V3, **given_, "l3_size_bytes": sizes[rows], "f_core_hz": clocks[rows], "latency_clock_hz": 2.6e9}
        return np.stack([one.cpi for one in predict_mixture(parts, machine, mode=mode).predictions])

    every = np.arange(40)
    together = cycles(every)
    assert cycles(every[::-1])[:, ::-1].tobytes() == together.tobytes()
    for row in range(0, 40, 7):
        assert cycles(every[row : row + 1]).tobytes() == together[:, row : row + 1].tobytes()


@pytest.mark.parametrize("threads", [1, 14])
def test_queueing_has_the_same_bits_in_any_company(threads):
    bandwidths = np.logspace(8, 12, 50)
    mode = replace(CORRECTED, queueing=True)

    def cycles(chosen):
        return predict(measured("list"), {**V3, "dram_bandwidth_Bps": chosen}, threads=threads, mode=mode).cpi

    together = cycles(bandwidths)
    assert np.array([float(cycles(one)) for one in bandwidths]).tobytes() == together.tobytes()


def test_shares_tell_where_they_settled():
    """Rates that jump between two shares never settle; others beside them do, and stay."""

    def rates(shares):
        unsteady = np.where(np.greater(shares[0], 40.0), 0.1, 10.0)
        return [np.where(np.array([True, False]), unsteady, 3.0), np.ones(2)]

    (first, second), settled = cache_shares(rates, np.full(2, 100.0), [1.0, 1.0])
    np.testing.assert_allclose(first + second, 100.0)
    assert settled.tolist() == [False, True]
    assert first[1] == pytest.approx(75.0, rel=1e-12)
