"""Where the time of a program goes, from three measured runs (Anghel 2017, Chapter 2)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.system import breakdown

from .machines import floats

seconds = floats(1e-6, 1e6)


@given(st.tuples(seconds, seconds, seconds))
def test_parts_add_up_to_the_run(times):
    unordered, zero_delay, real = sorted(times)
    calls, reductions = unordered / 8, unordered / 16
    found = breakdown(real, unordered, zero_delay, point_to_point=calls, all_reduce=reductions)
    assert found.run_time == pytest.approx(real, rel=1e-12)
    assert found.compute == pytest.approx(unordered * (1 - 1 / 8 - 1 / 16), rel=1e-12)
    assert found.data_dependencies >= 0
    assert found.network_delay >= 0
    assert found.speedup_bound == pytest.approx(real / zero_delay, rel=1e-15)
    # A network without delay leaves everything else.
    assert float(found.run_time - found.network_delay) == pytest.approx(zero_delay, rel=1e-9, abs=1e-12 * real)
    assert float(found.communication_share) == pytest.approx(1 - float(found.compute) / real, rel=1e-9, abs=1e-12)


def test_a_search_that_waits():
    """256 processes, 16 edges per vertex: more than 80 % communication, of which most is waiting for data."""
    found = breakdown(np.array([10.0, 20.0]), np.array([1.5, 3.0]), np.array([9.2, 18.0]))
    np.testing.assert_allclose(found.communication_share, [0.85, 0.85])
    np.testing.assert_allclose(found.waiting_share, [0.77, 0.75])
    np.testing.assert_allclose(found.speedup_bound, [10 / 9.2, 20 / 18])


@pytest.mark.parametrize(
    ("times", "calls", "words"),
    [
        ((5.0, 2.0, 6.0), {}, ["'real_time' is 5 s, less than zero_delay_time, 6 s", "real_time >= zero_delay_time"]),
        ((9.0, 7.0, 6.0), {}, ["'zero_delay_time' is 6 s, less than unordered_time, 7 s"]),
        ((9.0, 1.0, 6.0), {"all_reduce": 2.0}, ["'unordered_time' is 1 s, less than the calls in it, 2 s"]),
        ((9.0, 0.0, 6.0), {}, ["'unordered_time' is 0", "seconds > 0"]),
        ((float("nan"), 1.0, 6.0), {}, ["'real_time' is nan"]),
        ((9.0, 1.0, 6.0), {"point_to_point": -1.0}, ["'point_to_point' is -1", "seconds >= 0"]),
    ],
)
def test_runs_that_cannot_be(times, calls, words):
    with pytest.raises(InputError) as caught:
        breakdown(*times, **calls)
    for word in words:
        assert word in str(caught.value)
