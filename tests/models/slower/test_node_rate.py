"""Rates of nodes that hide latency: golden values, an oracle that iterates, limits, bounds, and what is refused."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.slower import (
    core_knee,
    experiment,
    experiment_gain,
    gain,
    node_rate,
    plateau_gain,
    rate_bound,
    task_knee,
    work_of_mix,
    work_of_thread,
)

from . import golden
from .fixed_point_oracle import damped, messages_per_cycle

MIX = work_of_mix(0.08, 0.24)
SERVICE = 64.0 / (59.7 * 2**30) * 2.6e9
THREE = {"rtol": 0.0, "atol": 0.00051}


@pytest.mark.parametrize("cores", golden.OVERHEAD)
def test_gain_over_overhead(cores):
    found = experiment_gain("overhead", overhead=golden.OVERHEADS, cores=cores)
    np.testing.assert_allclose(found, golden.OVERHEAD[cores], **THREE)


def test_gain_over_tasks():
    np.testing.assert_allclose(experiment_gain("tasks"), list(golden.TASKS.values()), **THREE)


def test_gain_over_cores_with_8_and_with_64_tasks():
    few, many = zip(*golden.LATENCY.values(), strict=True)
    np.testing.assert_allclose(experiment_gain("latency"), few, **THREE)
    np.testing.assert_allclose(experiment_gain("latency-64-tasks"), many, **THREE)


def test_gain_by_mix():
    np.testing.assert_allclose(experiment_gain("mix"), list(golden.MIX.values()), **THREE)


@pytest.mark.parametrize(("cores", "p", "tasks", "overhead", "rate", "efficiency", "response"), golden.THREADS)
def test_threads_of_a_processor(cores, p, tasks, overhead, rate, efficiency, response):
    work = work_of_thread(1.02631, 0.002, SERVICE, p)
    found = node_rate(work, latency=5200, overhead=overhead, tasks=tasks, cores=cores)
    assert found.core_rate == pytest.approx(rate, abs=5e-9)
    assert found.efficiency == pytest.approx(efficiency, abs=5e-7)
    assert found.memory_response == pytest.approx(response, abs=5e-7)
    assert found.node_rate == cores * found.core_rate


def test_work_of_the_mix_of_the_paper():
    p = 0.08
    assert float(MIX.core_cycles / p) == pytest.approx(13.9, rel=1e-12)
    assert float(MIX.memory_accesses / p) == pytest.approx(0.03, rel=1e-12)
    assert float(MIX.cycles_per_instruction) == pytest.approx(1.592, rel=1e-12)
    assert float(MIX.cycles_with(200.0, 16.0) / p) == pytest.approx(35.9, rel=1e-12)


def test_misses_that_cost_the_levels_above_too():
    """An access of level 2 takes 11 register operations, and one of the memory 11 of the core and 200 of the memory."""
    work = work_of_mix(0.08, 0.24, cumulative=True)
    assert float(work.cycles_per_instruction - MIX.cycles_per_instruction) == pytest.approx(0.0216 + 0.0024 * 11)
    assert work.memory_accesses == MIX.memory_accesses
    changed = experiment_gain("tasks", cumulative=True)
    assert np.all(changed[0, -2:] < experiment_gain("tasks")[0, -2:])


@settings(max_examples=15, deadline=None)
@given(
    p=st.floats(0.005, 0.3),
    q=st.floats(1e-4, 0.5),
    latency=st.floats(1.0, 2e4),
    overhead=st.floats(0.0, 4096.0),
    tasks=st.integers(1, 20),
    cores=st.integers(1, 12),
    service=st.floats(5.0, 400.0),
)
def test_one_design_at_a_time(p, q, latency, overhead, tasks, cores, service):
    work = work_of_mix(p, q, memory_service_cycles=service)
    for protocol in ("non-blocking", "blocking"):
        blocking = protocol == "blocking"
        rate, response = messages_per_cycle(p, q, latency, overhead, tasks, cores, service, blocking)
        found = node_rate(work, latency=latency, overhead=overhead, tasks=tasks, cores=cores, protocol=protocol)
        assert found.core_rate == pytest.approx(rate / p, rel=1e-8)
        assert found.memory_response == pytest.approx(response, rel=1e-7)


@pytest.mark.parametrize(("latency", "tasks", "cores"), [(8192, 64, 32), (1024, 8, 16), (64, 64, 4), (2048, 8, 8)])
def test_the_damped_iteration_ends_there(latency, tasks, cores):
    rate, response = damped(0.08, 0.24, latency, 16, tasks, cores)
    found = node_rate(MIX, latency=latency, overhead=16, tasks=tasks, cores=cores)
    assert found.core_rate == pytest.approx(rate / 0.08, rel=1e-9)
    assert found.memory_response == pytest.approx(response, rel=1e-8)


DESIGNS = st.fixed_dictionaries(
    {
        "latency": st.just(0.0) | st.floats(1.0, 3e4),
        "overhead": st.floats(0.0, 1e4),
        "tasks": st.integers(1, 120),
        "cores": st.integers(1, 64),
    }
)


@settings(max_examples=20, deadline=None)
@given(DESIGNS, st.floats(0.0, 0.5), st.floats(0.0, 0.5))
@example({"latency": 0.0, "overhead": 0.0, "tasks": 1, "cores": 64}, 0.0, 0.5)
def test_no_rate_passes_its_bounds(design, p, q):
    """Core always busy, no task waiting, memory always busy; the gain is at most the tasks; e is the product."""
    work = work_of_mix(p, q)
    found = node_rate(work, **design)
    hair = 1.0 + 1e-9
    assert found.core_rate <= found.core_rate_bound * hair
    assert found.core_rate * work.cycles_with(found.memory_response, design["overhead"]) <= hair
    assert found.memory_utilisation <= hair
    assert found.memory_response * hair >= 200.0
    assert found.memory_response <= 200.0 * design["cores"] * hair
    assert 0.0 < found.efficiency <= hair
    parts = found.overhead_efficiency * found.waiting_efficiency * found.busy_fraction
    assert found.efficiency == pytest.approx(float(parts), rel=1e-9)
    assert np.all(gain(work, **design) <= design["tasks"] * (1.0 + 1e-6))


@settings(max_examples=20, deadline=None)
@given(DESIGNS, st.floats(0.01, 0.3), st.floats(0.0, 0.5))
@example({"latency": 0.0, "overhead": 0.0, "tasks": 1, "cores": 1}, 0.25, 0.0)
def test_more_tasks_are_never_slower(design, p, q):
    rates = node_rate(work_of_mix(p, q), **{**design, "tasks": [1, 2, 3, 5, 8, 13, 30, 64, 150]}).core_rate
    assert np.all(np.diff(rates) >= -1e-9 * rates[1:])


def test_schweitzer_takes_over_without_a_jump():
    """Above 256 tasks there is no recursion; the two differ by less than 3 % there, most at the knee."""
    rng = np.random.default_rng(0)
    latency, overhead = rng.uniform(10, 2e4, 300), rng.uniform(0, 200, 300)
    design = {"latency": latency, "overhead": overhead, "cores": rng.integers(1, 40, 300)}
    exact = node_rate(MIX, tasks=300, exact_tasks=10**6, **design).core_rate
    close = node_rate(MIX, tasks=300, **design).core_rate
    np.testing.assert_allclose(close, exact, rtol=0.03)
    assert np.any(close != exact)


def test_many_tasks_hide_the_network():
    """The rate tends to that of a core without messages, and with no overhead to one per cycle of C + nu R."""
    found = node_rate(MIX, latency=8192, overhead=0, tasks=10**6, cores=4)
    no_network = MIX.cycles_with(found.memory_response)
    assert found.core_rate == pytest.approx(1.0 / float(no_network), rel=1e-4)


def test_without_messages_nothing_is_gained():
    work = work_of_mix(0.0, 0.32)
    alone = node_rate(work, latency=8192, overhead=16, tasks=64, cores=1)
    assert alone.core_rate == pytest.approx(1.0 / float(work.cycles_per_instruction), rel=1e-14)
    assert np.all(gain(work, latency=8192, overhead=16, tasks=[1, 64], cores=[[1], [32]]) == 1.0)
    few = node_rate(work_of_mix(1e-12, 0.32), latency=8192, overhead=16, tasks=64, cores=8)
    none = node_rate(work, latency=8192, overhead=16, tasks=64, cores=8)
    assert few.core_rate == pytest.approx(float(none.core_rate), rel=1e-6)


def test_without_misses_the_memory_answers_at_once():
    work = work_of_mix(0.08, 0.24, l1_hit_fraction=1.0)
    found = node_rate(work, latency=1024, overhead=16, tasks=8, cores=32)
    assert found.memory_response == 200.0
    assert found.core_rate == node_rate(work, latency=1024, overhead=16, tasks=8, cores=1).core_rate
    assert core_knee(work, 1024, 16, 8) == np.inf


def test_a_saturated_memory_sets_the_rate_of_the_node():
    """At most 2.0833 instructions per register operation with 24 % memory operations."""
    found = node_rate(MIX, latency=64, overhead=16, tasks=64, cores=64)
    assert found.node_rate == pytest.approx(1.0 / (0.24 * 0.01 * 200.0), rel=1e-9)
    thread = work_of_thread(1.0, 0.05, 10.0, 1e-4)
    for cores, short in ((3, 0.03), (30, 1e-6)):  # three of them leave it idle at times: they are 1.5 of its rate
        found = node_rate(thread, latency=100, tasks=4, cores=cores)
        assert 2.0 * (1.0 - short) < found.node_rate < 2.0 * (1.0 + 1e-9)


def test_one_core_alone_is_the_sum_of_computing_and_messages():
    """Blocking on one core: time = I c0/f + messages L/f."""
    instructions, messages, frequency, latency = 3.7e9, 12_000.0, 2.6e9, 5200.0
    work = work_of_thread(1.02631, 0.002, SERVICE, messages / instructions)
    expected = instructions * 1.02631 / frequency + messages * latency / frequency
    for options in ({"protocol": "blocking"}, {"tasks": 1, "overhead": 0.0}):
        rate = float(node_rate(work, latency=latency, **options).core_rate)
        assert instructions / (rate * frequency) == pytest.approx(expected, rel=1e-13)


def test_one_task_that_switches_loses_the_overhead():
    assert gain(MIX, latency=8192, overhead=16, tasks=1) == pytest.approx((19.9 + 8192) / (19.9 + 16 + 8192))
    assert plateau_gain(MIX, 64.0, 100.0) < 1.0
    assert gain(MIX, latency=64, overhead=100, tasks=256) == pytest.approx(float(plateau_gain(MIX, 64, 100)), rel=1e-6)


def test_waiting_that_the_processor_model_has_is_not_counted_again():
    found = node_rate(MIX, latency=8192, overhead=16, tasks=64, cores=32, contention="processor")
    assert found.memory_response == 200.0
    assert found.waiting_efficiency == 1.0


def test_knees():
    assert float(task_knee(MIX, 8192, 16)) == pytest.approx(229.19, abs=0.01)
    assert [float(task_knee(work_of_mix(p, 0.32 - p), 1024, 16)) for p in (0.16, 0.01)] == pytest.approx(
        [43.6, 6.1], abs=0.05
    )
    assert float(task_knee(MIX, 8192, 110.13)) == pytest.approx(64.0, rel=2e-4)
    assert float(core_knee(MIX, 8192, 16, 64)) == pytest.approx(21.4, abs=0.05)
    assert float(core_knee(MIX, 8192, 16, 8)) == pytest.approx(171.4, abs=0.05)
    assert float(core_knee(MIX, 1024, 16, 64)) == pytest.approx(5.98, abs=0.005)


def test_where_the_error_is_large():
    latency, overhead, tasks = [8192, 8192, 8192, 300, 300], [16, 16, 4000, 16, 16], [8, 64, 3, 8, 64]
    found = node_rate(MIX, latency=latency, overhead=overhead, tasks=tasks)
    assert found.near_knee.tolist() == [False, False, True, True, False]
    assert found.error.tolist() == [0.07, 0.07, 0.15, 0.15, 0.15]


def test_a_design_is_the_same_in_any_company():
    rng = np.random.default_rng(7)
    p = rng.uniform(0.0, 0.16, 20)
    values = {
        "latency": rng.uniform(0, 9000, 20),
        "overhead": rng.uniform(0, 900, 20),
        "tasks": rng.integers(1, 400, 20),
        "cores": rng.integers(1, 40, 20),
    }
    together = node_rate(work_of_mix(p, 0.32 - p), **values)
    for row in range(20):
        alone = node_rate(work_of_mix(p[row], 0.32 - p[row]), **{name: one[row] for name, one in values.items()})
        assert alone.core_rate == together.core_rate[row]
        assert alone.memory_response == together.memory_response[row]


def test_the_bound_is_that_of_the_paper():
    assert float(rate_bound(MIX, 64.0, 16.0, 64, 64)) * 64 == pytest.approx(1.0 / 0.48)
    assert float(rate_bound(MIX, 8192.0, 16.0, 8, 1)) == pytest.approx(8 / (0.08 * (35.9 + 8192)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"latency": -1.0}, "latency: -1; allowed: a number >= 0"),
        ({"overhead": np.nan}, "overhead: nan"),
        ({"tasks": 0}, "tasks: 0; allowed: a whole number >= 1"),
        ({"tasks": 2.5}, "tasks: 2.5"),
        ({"cores": [1, 0]}, "cores: 0"),
        ({"latency": "long"}, "latency: 'long' is no number"),
        ({"protocol": "blockin"}, "did you mean 'blocking'"),
        ({"contention": "procesor"}, "did you mean 'processor'"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(InputError) as error:
        node_rate(MIX, **{"latency": 100.0, "tasks": 2, **change})
    assert words in str(error.value)


def test_work_that_is_refused():
    with pytest.raises(InputError, match="network_fraction: 1; allowed"):
        work_of_mix(1.0, 0.0)
    with pytest.raises(InputError, match=r"1\.2 of the instructions together"):
        work_of_mix(0.6, 0.6)
    with pytest.raises(InputError, match="the memory needs 2 for its lines"):
        work_of_thread([3.0, 1.0], 0.1, 20.0, 1e-4)
    with pytest.raises(InputError, match="did you mean 'overhead'"):
        experiment("overheads")
    with pytest.raises(InputError, match="did you mean 'tasks'"):
        experiment("mix", task=3)
