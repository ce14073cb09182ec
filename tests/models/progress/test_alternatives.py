"""Progress in the time of a machine: by hand, by simulation, and at its limits."""

import numpy as np
import pytest

from dse.evaluation.direct import evaluate_models
from dse.models.progress import expected_wait, least_wait_share
from dse.models.progress.alternatives import polling_wait_time

TARGETS = ("progress_compute_factor", "progress_wait_time", "class_time", "communication_time", "computing_time")
MESH = {"mesh_switches": 8.0, "nodes_per_switch": 4.0, "node_link_bandwidth": 5e9, "switch_link_bandwidth": 5e9}
WORK = {"compute_time": 10.0, "messages": 1e4, "message_size": 0.0, "collective_time": 0.0}
WORK |= {"node_static_power": 40.0, "node_dynamic_power": 60.0, "progress_cores": 16.0}
WORK |= {"progress_service_time": 1e-6, "interrupt_time": 5e-6}


def machine(progress, *targets, models=("network", "system", "progress"), **changed):
    given = {**MESH, **WORK, **changed}
    use = {"topology": "full-mesh", "progress": progress}
    found = evaluate_models(list(models), targets or TARGETS, given, use)
    return {name: float(value[0]) for name, value in found.items()}


def with_calls(progress, seconds, **changed):
    """A machine whose calls take so many seconds: collectives fill what messages leave."""
    own = machine("off", "call_time", **changed)["call_time"]
    return machine(progress, *TARGETS, "call_time", **{**changed, "collective_time": seconds - own})


def test_golden_of_polling():
    assert expected_wait(1e-3, 2.5e-4) == pytest.approx(0.8e-3)
    assert with_calls("none", 2.5)["progress_wait_time"] == pytest.approx(8.0)
    assert with_calls("none", 2.5, burst_variation=0.0)["progress_wait_time"] == pytest.approx(4.0)
    assert with_calls("none", 2.5, progress_together=1.0)["progress_wait_time"] == 0.0
    assert machine("none", messages=0.0)["progress_wait_time"] == 0.0


def test_where_nothing_takes_time_nothing_waits():
    zero, one = np.zeros(1), np.ones(1)
    assert polling_wait_time(zero, zero, one, one, zero).tolist() == [0.0]


def test_progress_is_a_part_of_communication():
    found = with_calls("none", 2.5)
    assert found["communication_time"] == pytest.approx(10.5)
    assert found["class_time"] == pytest.approx(20.5)


@pytest.mark.parametrize(("progress", "factor", "wait"), [("doubled", 2.0, 0.01), ("interrupt", 1.0, 0.1)])
def test_threads_and_interrupts(progress, factor, wait):
    found = with_calls(progress, 2.5)
    assert found["progress_compute_factor"] == factor
    assert found["computing_time"] == pytest.approx(10.0 * factor)
    assert found["progress_wait_time"] == pytest.approx(wait)


def test_the_queue_at_the_core_is_that_of_the_rate_it_causes():
    """Pollaczek and Khinchine at the rate of requests over the very time that results."""
    found = with_calls("core", 2.5, progress_service_time=1e-4)
    assert found["progress_compute_factor"] == pytest.approx(16 / 15)
    service, count = 1e-4, 1e4
    time = found["computing_time"] + found["communication_time"]
    load = count * service / time
    queue = load * service / (2.0 * (1.0 - load))
    assert found["progress_wait_time"] == pytest.approx(count * (service + queue), rel=1e-9)


def test_energy_of_computing_is_that_of_the_longer_time():
    plain = machine("off", "node_dynamic_energy")["node_dynamic_energy"]
    assert machine("doubled", "node_dynamic_energy")["node_dynamic_energy"] == pytest.approx(2.0 * plain)


@pytest.mark.parametrize("cores", [4, 16, 64])
def test_a_core_pays_from_the_break_even_on(cores):
    """At the share of waiting where a core pays, the two times are the same, with free service."""
    share = float(least_wait_share(cores))
    assert share == pytest.approx({4: 1 / 3, 16: 1 / 15, 64: 1 / 63}[cores])
    # At cv = 1 waiting over computing is u, so that calls take computing (1 - u)/u.
    calls = 10.0 * (1.0 - share) / share
    free = {"progress_service_time": 0.0, "progress_cores": float(cores)}
    times = [with_calls(progress, calls, **free)["class_time"] for progress in ("none", "core")]
    assert times[0] == pytest.approx(times[1], rel=1e-9)


def test_break_even_falls_with_the_cores():
    assert (np.diff(least_wait_share(np.arange(2, 300))) < 0).all()


@pytest.mark.parametrize(("variation", "call"), [(0.0, 0.3), (1.0, 0.5), (0.5, 2.0)])
def test_expected_wait_is_that_of_random_arrivals(variation, call):
    """A million arrivals in an alternating renewal process."""
    random = np.random.default_rng(2012)
    shape = 1.0 / variation**2 if variation else np.inf
    bursts = random.gamma(shape, 1.0 / shape, 400_000) if variation else np.ones(400_000)
    ends = np.cumsum(bursts + call)
    at = random.random(1_000_000) * ends[-1]
    cycle = np.searchsorted(ends, at)
    wait = np.maximum(ends[cycle] - call - at, 0.0)
    assert wait.mean() == pytest.approx(float(expected_wait(1.0, call, variation)), rel=0.01)


def test_targets_that_never_compute_let_nobody_wait():
    assert expected_wait(0.0, 1.0) == 0.0
    assert expected_wait(0.0, 0.0) == 0.0
