"""The replay beside an event simulation of its own, the hand calculations, and the laws of longest paths."""

import numpy as np
import pytest
from example_counts import examples

from dse.errors import InputError
from dse.models.replay import Deadlock, Network, replay, trace_of_rows

from .event_simulation import Stuck, simulate
from .runs import US, as_trace, c, random_run, recv, send

NETWORK = Network(2 * US, 0.5 * US, 10e9, collectives="simple")
MODES = ("modelled", "zero-delay", "unordered", "ideal")


def ring(rank, ranks=4):
    order = [send((rank + 1) % ranks), recv((rank - 1) % ranks)]
    return order if rank == 0 else order[::-1]


def stencil(rank, ranks=4):
    left, right = (rank - 1) % ranks, (rank + 1) % ranks
    posted = [("irecv", left, 0, 0), ("irecv", right, 0, 1), ("isend", left, 1e4, 0, 2), ("isend", right, 1e4, 0, 3)]
    return [c(10 * (rank + 1)), *posted, ("waitall",)]


def alltoall(rank, ranks=4):
    posted = [("irecv", (rank - step) % ranks, 0, step) for step in (1, 2, 3)]
    return [*posted, *(("isend", (rank + step) % ranks, 1000.0, 0, 10 + step) for step in (1, 2, 3)), ("waitall",)]


WORKERS = [[recv(0), c(40 - 10 * worker), send(0, 8)] for worker in (1, 2, 3)]
GOLDEN = {  # times of the four modes, F_a by rank
    "ping-pong": ([[send(1), recv(1)], [recv(0), send(0)]], (6.2, 2.0, 1.0, 0), (6.2, 3.6)),
    "ping-pong, rendezvous": ([[send(1, 1e5), recv(1)], [recv(0), send(0, 1e5)]], (34.0, 2.0, 1.0, 0), (34.0, 31.5)),
    "ring": ([ring(rank) for rank in range(4)], (12.4, 4.0, 1.0, 0), (12.4, 3.6, 6.7, 9.8)),
    "stencil": ([stencil(rank) for rank in range(4)], (45.5, 42.0, 42.0, 40.0), (45.5, 34.0, 44.0, 42.5)),
    "master-worker": (
        [[*(send(worker) for worker in (1, 2, 3)), *(recv(worker) for worker in (1, 2, 3))], *WORKERS],
        (37.1008, 33.0, 31.0, 30.0),
        (37.1008, 33.6, 24.1, 14.6),
    ),
    "late sender": ([[c(100), send(1)], [c(20), recv(0), c(10)]], (113.1, 111.0, 100.5, 110.0), (100.5, 113.1)),
    "late receiver": ([[c(20), send(1, 1e5), c(10)], [c(100), recv(0)]], (122.0, 110.0, 100.5, 110.0), (122.0, 114.5)),
    "alltoall by messages": ([alltoall(rank) for rank in range(4)], (4.1, 3.0, 3.0, 0), (4.1,) * 4),
    "alltoall": ([[c(5 * k), ("collective", "alltoall", 1000.0)] for k in range(4)], (19.3, 17, 17, 15), (19.3,) * 4),
    "allreduce and barrier": (
        [[c(10 + k), ("collective", "allreduce", 8.0), c(14 - k), ("collective", "barrier", 0.0)] for k in range(4)],
        (39.0016, 31.0, 28.0, 27.0),
        (39.0016,) * 4,
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_hand_calculations(name):
    run, times, finish = GOLDEN[name]
    trace = as_trace(run)
    for mode, time in zip(MODES, times, strict=True):
        assert replay(trace, NETWORK, mode).time == pytest.approx(time * US, rel=1e-9, abs=1e-18)
    np.testing.assert_allclose(replay(trace, NETWORK).finish, np.multiply(finish, US), rtol=1e-9)
    found = replay(trace, NETWORK.with_(collectives="best")).time  # no algorithm is quicker on four ranks
    assert found == pytest.approx(times[0] * US, rel=1e-9)


SPEEDS = [(2e-6, 5e-7, 5e-7, 1e10), (0.0, 1e-6, 3e-7, 1e9), (1e-6, 0.0, 0.0, 3e9), (5e-6, 2e-7, 9e-7, 1e12)]


@pytest.mark.parametrize("part", range(4))
def test_an_event_simulation_gives_the_same_finish_of_every_rank(part):
    for seed in range(part * examples(200), (part + 1) * examples(200)):
        run = random_run(seed)
        latency, overhead, receiver, bandwidth = SPEEDS[seed % 4]
        eager = [8192.0, 0.0, 1e9][seed % 3]
        expected = simulate(run, latency, overhead, receiver, bandwidth, eager)
        network = Network(latency, overhead, bandwidth, receiver, eager_limit=eager, collectives="simple")
        np.testing.assert_allclose(replay(as_trace(run), network).finish, expected, rtol=1e-9, atol=1e-18)


def test_of_careless_runs_those_that_never_end_are_the_same():
    ended = stuck = 0
    count = examples(400)
    for seed in range(1000, 1000 + count):
        run = random_run(seed, careless=True)
        trace = as_trace(run)
        try:
            expected = simulate(run, 2e-6, 5e-7, 5e-7, 1e10, 8192.0)
        except Stuck:
            stuck += 1
            with pytest.raises(Deadlock) as found:
                replay(trace, NETWORK)
            assert len({rank for rank, _ in found.value.circle}) > 1
        else:
            ended += 1
            np.testing.assert_allclose(replay(trace, NETWORK).finish, expected, rtol=1e-9, atol=1e-18)
    assert min(ended, stuck) > count / 10


def test_a_deadlock_is_named_and_goes_with_the_limit():
    run = as_trace([[send(1, 1e5), recv(1)], [send(0, 1e5), recv(0)]])
    with pytest.raises(Deadlock) as found:
        replay(run, NETWORK)
    assert "rank 0 event 0 (send 100 kB to 1) waits for rank 1 event 1 (recv from 0)" in str(found.value)
    assert set(found.value.circle) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert replay(run, NETWORK.with_(eager_limit=1e5)).time > 0
    assert replay(as_trace([[send(1, 8192), recv(1)], [send(0, 8192), recv(0)]]), NETWORK).time > 0


def test_a_deadlock_through_a_collective_names_both_ranks():
    run = [[("collective", "barrier", 0.0), send(1, 8)], [recv(0), ("collective", "barrier", 0.0)], []]
    run[2] = [("collective", "barrier", 0.0)]
    with pytest.raises(Deadlock, match=r"\(barrier\) waits for rank 1 event 1 \(barrier\)") as found:
        replay(as_trace(run), NETWORK)
    assert {(1, 0), (1, 1), (0, 1)} <= set(found.value.circle)


@pytest.mark.parametrize("seed", range(examples(40)))
def test_laws_of_longest_paths(seed):
    """Order of the modes; more latency, overhead, bytes or computing and less bandwidth never make a run shorter."""
    run = random_run(seed)
    trace = as_trace(run)
    finish = {mode: replay(trace, NETWORK, mode).finish for mode in MODES}
    assert (finish["ideal"] <= finish["zero-delay"]).all()
    assert (finish["zero-delay"] <= finish["modelled"]).all()
    assert (finish["unordered"] <= finish["zero-delay"]).all()
    before = finish["modelled"]
    for slower in (
        {"latency": 3 * US},
        {"overhead": 0.7 * US, "receiver_overhead": 0.5 * US},
        {"receiver_overhead": 0.6 * US},
        {"bandwidth": 9e9},
    ):
        assert (replay(trace, NETWORK.with_(**slower)).finish >= before).all()
    double = [[(e[0], 2 * e[1]) if e[0] == "compute" else e for e in events] for events in run]
    half = NETWORK.with_(latency=4 * US, overhead=1 * US, receiver_overhead=1 * US, bandwidth=5e9)
    np.testing.assert_allclose(replay(as_trace(double), half).finish, 2 * before, rtol=1e-12)
    longer = [list(events) for events in run]
    longer[seed % len(run)].insert(seed % 7, c(5))
    assert (replay(as_trace(longer), NETWORK).finish >= before - 1e-18).all()
    turned = [*range(1, len(run)), 0]  # rank r becomes rank turned[r]
    renamed = [None] * len(run)
    for rank, events in enumerate(run):
        renamed[turned[rank]] = [
            (e[0], turned[e[1]], *e[2:]) if e[0] in ("send", "isend", "recv", "irecv") else e for e in events
        ]
    np.testing.assert_array_equal(replay(as_trace(renamed), NETWORK).finish[turned], before)


def test_many_designs_get_what_each_gets_alone():
    trace = as_trace(random_run(3, ranks=5, length=120))
    latency, bandwidth = np.array([[1e-6], [2e-6], [0.0]]), np.array([1e9, 1e10, np.inf, 3e9])
    several = Network(latency, 0.5 * US, bandwidth)
    for mode in MODES:
        many = replay(trace, several, mode)
        assert many.time.shape == (3, 4)
        assert many.finish.shape == (3, 4, 5)
        for one in np.ndindex(3, 4):
            alone = replay(trace, Network(latency[one[0], 0], 0.5 * US, bandwidth[one[1]]), mode)
            assert many.time[one] == alone.time
            np.testing.assert_array_equal(many.finish[one], alone.finish)


@pytest.mark.parametrize("seed", range(examples(8)))
def test_few_and_many_nodes_of_a_level_are_evaluated_alike(monkeypatch, seed):
    run = random_run(seed, ranks=6, length=200)
    found = []
    for narrow in (0, 10**9):
        monkeypatch.setattr("dse.models.replay.timing.evaluation._NARROW", narrow)
        found.append(replay(as_trace(run), NETWORK).completion)
    np.testing.assert_array_equal(*found)


def test_one_rank_alone():
    trace = as_trace([[c(3), ("collective", "allreduce", 8.0), c(4)]])
    for mode in MODES:
        assert replay(trace, NETWORK, mode).time == pytest.approx(7 * US)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        ({"latency": -1, "overhead": 0, "bandwidth": 1}, r"network\.latency: -1; allowed: a finite number >= 0"),
        ({"latency": 0, "overhead": 0, "bandwidth": 0}, r"network\.bandwidth: 0; allowed: a number > 0, or infinite"),
        ({"latency": 0, "overhead": 0}, "network: no 'bandwidth'"),
        ({"latency": 0, "overhead": 0, "bandwith": 1}, "did you mean 'bandwidth'"),
        ({"latency": "x", "overhead": 0, "bandwidth": 1}, "a number, or an array of numbers"),
        ({"latency": [1, 2], "overhead": [1, 2, 3], "bandwidth": 1}, "shapes that broadcast"),
        ({"latency": 0, "overhead": 0, "bandwidth": 1, "collectives": "bset"}, "did you mean 'best'"),
        ({"latency": 0, "overhead": 0, "bandwidth": 1, "collectives": {"bcast": "binomal"}}, "did you mean 'binomial'"),
    ],
)
def test_networks_that_are_none(network, message):
    trace = trace_of_rows([{"rank": 0, "kind": "compute", "seconds": 1}])
    with pytest.raises(InputError, match=message):
        replay(trace, network)


def test_receives_that_take_longer_than_sends():
    """Algorithms of collectives have no such receives; the simple forms do, and messages."""
    slow = Network(2 * US, 0.5 * US, 10e9, 1 * US)
    assert replay(as_trace([[send(1)], [recv(0)]]), slow).time == pytest.approx(3.6 * US)
    trace = as_trace([[("collective", "allreduce", 0.0)]] * 4)
    with pytest.raises(InputError, match='collectives "simple", which has no such limit'):
        replay(trace, slow)
    assert replay(trace, slow.with_(collectives="simple")).time == pytest.approx(7 * US)


def test_modes_that_are_none():
    trace = trace_of_rows([{"rank": 0, "kind": "compute", "seconds": 1}])
    with pytest.raises(InputError, match="did you mean 'modelled'"):
        replay(trace, NETWORK, "modeled")
    with pytest.raises(InputError, match="rank 0 event 0: no measured times"):
        replay(trace, NETWORK, "measured")
    with pytest.raises(InputError, match="network: no network"):
        replay(trace)
    assert replay(trace, mode="ideal").time == 1.0
