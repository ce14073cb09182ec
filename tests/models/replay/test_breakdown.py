"""Where the time goes, factors, waiting times and windows: hand calculations and sums that must hold."""

import numpy as np
import pytest
from example_counts import examples

from dse.errors import InputError
from dse.models.replay import Network, analyse, rank_breakdown, replay
from dse.models.system.dependencies import breakdown

from .runs import US, as_trace, c, random_run, recv, send
from .test_replay import GOLDEN, NETWORK

PARTS = {  # compute, calls, dependencies, network of each rank [us]
    "ping-pong": [(0, 1, 1, 4.2), (0, 1, 0.5, 2.1)],
    "ping-pong, rendezvous": [(0, 1, 1, 32), (0, 1, 0.5, 30)],
    "ring": [(0, 1, 3, 8.4), (0, 1, 0.5, 2.1), (0, 1, 1.5, 4.2), (0, 1, 2.5, 6.3)],
    "stencil": [(10, 2, 30, 3.5), (20, 2, 9, 3), (30, 2, 9, 3), (40, 2, 0, 0.5)],
    "master-worker": [(0, 3, 30, 4.1008), (30, 1, 0.5, 2.1), (20, 1, 1, 2.1), (10, 1, 1.5, 2.1)],
    "late sender": [(100, 0.5, 0, 0), (30, 0.5, 80.5, 2.1)],
    "late receiver": [(30, 0.5, 79.5, 12), (100, 0.5, 0, 14)],
    "alltoall by messages": [(0, 3, 0, 1.1)] * 4,
    "alltoall": [(5 * k, 2, 15 - 5 * k, 2.3) for k in range(4)],
    "allreduce and barrier": [(24, 4, 3, 8.0016)] * 4,
}
FACTORS = {
    "stencil": (0.625, 1, 0.879121),
    "master-worker": (0.5, 1, 0.808608),
    "late sender": (0.65, 0.909091, 0.972591),
    "late receiver": (0.65, 0.909091, 0.901639),
    "alltoall": (0.5, 1, 0.777202),
    "allreduce and barrier": (1, 0.888889, 0.692279),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_each_rank(name):
    found = analyse(as_trace(GOLDEN[name][0]), NETWORK)
    parts = found.parts
    table = np.stack([parts.compute, parts.calls, parts.dependency, parts.network], axis=1)
    np.testing.assert_allclose(table, np.multiply(PARTS[name], US), rtol=1e-9, atol=1e-17)
    np.testing.assert_allclose(parts.idle, found.modes["modelled"].time - parts.finish, atol=1e-17)
    times = {mode: found.modes[mode].time for mode in found.modes}
    whole = breakdown(
        times["modelled"], times["unordered"], times["zero-delay"], point_to_point=parts.calls.mean(axis=-1)
    )
    assert float(found.run.network_delay) == float(whole.network_delay)
    assert float(found.run.speedup_bound) == pytest.approx(times["modelled"] / times["zero-delay"])


@pytest.mark.parametrize("name", GOLDEN)
def test_factors(name):
    found = analyse(as_trace(GOLDEN[name][0]), NETWORK).factors
    if name not in FACTORS:
        assert np.isnan(found).all()
        return
    np.testing.assert_allclose(found[:3], FACTORS[name], atol=6e-7)
    assert found.efficiency == pytest.approx(np.prod(found[:3]), rel=1e-12)


@pytest.mark.parametrize("seed", range(examples(40)))
def test_parts_are_never_negative_and_add_up(seed):
    trace = as_trace(random_run(seed))
    found = analyse(trace, NETWORK)
    parts = found.parts
    for part in (parts.compute, parts.calls, parts.dependency, parts.network, parts.idle):
        assert (part >= 0).all()
    np.testing.assert_allclose(parts.finish, replay(trace, NETWORK).finish, rtol=1e-12, atol=1e-18)
    if parts.compute.max() > 0:
        mean = parts.compute.mean() / found.modes["modelled"].time
        assert found.factors.efficiency == pytest.approx(mean, rel=1e-12)
        assert max(found.factors) <= 1 + 1e-12
    lasted = np.bincount(trace.rank, weights=found.waits.events, minlength=trace.ranks)
    np.testing.assert_allclose(lasted, found.waits.late_sender + found.waits.late_receiver + found.waits.collective)
    assert (lasted <= parts.dependency + parts.network + 1e-15).all()
    assert found.waits.seconds.sum() == pytest.approx(lasted.sum())
    assert found.waits.caused.sum() == pytest.approx(lasted.sum())


def test_parts_of_many_designs():
    trace = as_trace(random_run(5))
    parts = rank_breakdown(trace, Network([[1e-6], [2e-6]], 0.5 * US, [1e9, 1e10, 1e11]))
    assert parts.network.shape == (2, 3, trace.ranks)
    alone = rank_breakdown(trace, Network(2e-6, 0.5 * US, 1e10))
    np.testing.assert_array_equal(parts.network[1, 1], alone.network)
    np.testing.assert_allclose(parts.dependency, np.broadcast_to(alone.dependency, parts.dependency.shape))


def test_late_sender_and_late_receiver():
    found = analyse(as_trace(GOLDEN["late sender"][0]), NETWORK)
    np.testing.assert_allclose(found.waits.late_sender, [0, 80 * US])
    assert found.waits.most == 0
    assert (found.waits.waiting.tolist(), found.waits.causing.tolist()) == ([1], [0])
    found = analyse(as_trace(GOLDEN["late receiver"][0]), NETWORK)
    np.testing.assert_allclose(found.waits.late_receiver, [79.5 * US, 0])
    assert found.waits.most == 1
    found = analyse(as_trace(GOLDEN["alltoall"][0]), NETWORK)
    np.testing.assert_allclose(found.waits.collective, [15 * US, 10 * US, 5 * US, 0], atol=1e-18)
    assert found.waits.most == 3


def test_a_waitall_waits_for_each_message_once():
    run = [[("irecv", 1, 0, 1), ("irecv", 2, 0, 2), ("irecv", 3, 0, 3), ("waitall",)]]
    run += [[c(time), send(0)] for time in (10, 5, 30)]
    found = analyse(as_trace(run), NETWORK)
    assert found.waits.late_sender[0] == pytest.approx(30 * US)
    np.testing.assert_allclose(found.waits.caused, [0, 10 * US, 0, 20 * US], rtol=1e-12)


def test_windows_of_the_alltoall():
    found = analyse(as_trace(GOLDEN["alltoall by messages"][0]), NETWORK)
    windows = found.intervals
    assert np.flatnonzero(windows.messages).tolist() == [0, 2, 4]
    np.testing.assert_allclose(windows.active_share[[0, 2, 4]], 1 / 3)
    np.testing.assert_array_equal(windows.mean_bytes[[0, 2, 4]], 1000)
    np.testing.assert_array_equal(windows.bytes_deviation[[0, 2, 4]], 0)
    assert np.isnan(windows.mean_bytes[1])
    assert windows.like_uniform_share == 0
    np.testing.assert_allclose(windows.begin[1], 0.205 * US)
    whole = analyse(found.trace, NETWORK, windows=1).intervals
    assert whole.like_uniform.tolist() == [True]


def test_volumes():
    run = [[send(1, 100), send(1, 300), send(2, 8192)], [recv(0), recv(0)], [recv(0)]]
    found = analyse(as_trace(run), NETWORK)
    volumes = found.volumes
    assert (volumes.pairs, volumes.active_pairs) == (6, 2)
    values = np.array([400.0, 8192, 0, 0, 0, 0])
    assert volumes.all_bytes.mean == values.mean()
    assert volumes.all_bytes.relative_deviation == pytest.approx(values.std() / values.mean())
    assert volumes.all_bytes.skewness == pytest.approx(((values - values.mean()) ** 3).mean() / values.std() ** 3)
    assert volumes.message_size.mean == (200 + 8192) / 2
    assert volumes.sizes.tolist() == [[128, 1, 100], [512, 1, 300], [8192, 1, 8192]]
    np.testing.assert_array_equal(found.traffic.matrix(), [[0, 400, 8192], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(found.traffic.matrix("messages"), [[0, 2, 1], [0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("operation", "algorithm", "expected"),
    [
        ("alltoall", "direct", 10.0 * (1 - np.eye(4))),
        ("allgather", "ring_allgather", 30.0 * np.roll(np.eye(4), 1, axis=1)),
        ("bcast", "binomial", [[0, 10, 10, 0], [0, 0, 0, 0], [0, 0, 0, 10], [0, 0, 0, 0]]),
        ("reduce", "binomial", [[0, 0, 0, 0], [10, 0, 0, 0], [10, 0, 0, 0], [0, 0, 10, 0]]),
        ("gather", "flat_pers", [[0, 0, 0, 0], [10, 0, 0, 0], [10, 0, 0, 0], [10, 0, 0, 0]]),
        ("scatter", "flat_pers", [[0, 10, 10, 10], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),
        ("allreduce", "butterfly", 10.0 * (np.eye(4)[[1, 0, 3, 2]] + np.eye(4)[[2, 3, 0, 1]])),
        ("scan", "scan_dissemination", 10.0 * (np.roll(np.eye(4), 1, axis=1) + np.roll(np.eye(4), 2, axis=1))),
    ],
)
def test_messages_of_collectives(operation, algorithm, expected):
    trace = as_trace([[("collective", operation, 10.0)]] * 4)
    assert analyse(trace, NETWORK).traffic.bytes.sum() == 0
    network = NETWORK.with_(collectives={operation: algorithm})
    found = analyse(trace, network, expand_collectives=True)
    assert found.expanded == {operation: (algorithm,)}
    np.testing.assert_array_equal(found.traffic.matrix(), expected)


def test_an_operation_without_a_known_algorithm_is_left_out_and_named():
    trace = as_trace([[("collective", "reduce_scatter", 8.0)]] * 6)
    found = analyse(trace, NETWORK, expand_collectives=True)
    assert found.expanded == {"reduce_scatter": ("no algorithm known",)}
    assert found.pattern.name == "none"


def test_sends_and_the_quickest_known_algorithms_together():
    trace = as_trace([[("collective", "barrier", 0.0), ("collective", "reduce_scatter", 8.0), send(1)], *[
        [("collective", "barrier", 0.0), ("collective", "reduce_scatter", 8.0), *([recv(0)] if rank == 1 else [])]
        for rank in range(1, 4)
    ]])  # fmt: skip
    found = analyse(trace, NETWORK, expand_collectives=True)
    assert set(found.expanded) == {"barrier", "reduce_scatter"}
    assert found.traffic.matrix()[0, 1] >= 1000
    assert found.traffic.matrix("messages")[2].sum() > 0


def measured(run, network):
    """Return a trace whose measured times are those of its replay."""
    trace = as_trace(run)
    end = replay(trace, network).completion
    begin = np.append(0.0, end[:-1])
    begin[trace.first[:-1]] = 0.0
    object.__setattr__(trace, "enter", begin + 7.0)
    object.__setattr__(trace, "exit", end + 7.0)
    return trace.checked()


@pytest.mark.parametrize("seed", range(examples(12)))
def test_times_that_were_measured(seed):
    """Of a trace measured on the modelled network nothing is left, and waits and windows are the same."""
    trace = measured(random_run(seed), NETWORK)
    one, other = analyse(trace, NETWORK), analyse(trace, NETWORK, times="measured")
    assert abs(one.not_modelled).max() < 1e-9
    assert one.factors_measured == pytest.approx(one.factors, nan_ok=True)
    np.testing.assert_allclose(other.waits.late_sender, one.waits.late_sender, atol=1e-9)
    np.testing.assert_allclose(other.waits.caused, one.waits.caused, atol=1e-9)
    assert other.intervals.messages.sum() == len(trace.sends)


def test_factors_of_regions():
    trace = as_trace([[c(10), c(5), send(1)], [c(10), c(15), recv(0)]])
    object.__setattr__(trace, "region", np.array([0, 1, 1, 0, 1, 1], dtype=np.int32))
    object.__setattr__(trace, "regions", ("even", "uneven"))
    found = analyse(trace, NETWORK).factors_by_region
    assert found["even"] == pytest.approx((1, 1, 1, 1))
    assert found["uneven"].load_balance == pytest.approx(10 / 15)
    assert found["uneven"].efficiency == pytest.approx(10 / 15.5)


def test_refused():
    trace = as_trace([[c(1)]])
    with pytest.raises(InputError, match="single numbers; replay takes designs"):
        analyse(trace, Network([1e-6, 2e-6], 0.0, 1e9))
    with pytest.raises(InputError, match="did you mean 'measured'"):
        analyse(trace, NETWORK, times="messured")
    with pytest.raises(InputError, match="no measured times"):
        analyse(trace, NETWORK, times="measured")
    with pytest.raises(InputError, match="0 windows"):
        analyse(trace, NETWORK, windows=0)
