"""The closed model beside a simulation instruction by instruction; the whole grids with DSE_SLOWER_GRID=1."""

import os

import numpy as np
import pytest

from dse.models.slower import gain, node_rate, work_of_mix
from dse.models.slower.repairman import response_of_few

from . import event_simulation, record_simulation

FEW = (
    (0.08, 8192, 16, 64, 1),
    (0.08, 8192, 512, 64, 8),
    (0.08, 1024, 16, 8, 16),
    (0.02, 1024, 16, 8, 1),
    (0.08, 256, 16, 64, 4),
    (0.16, 64, 16, 4, 1),
)
"""Share of network operations, latency, overhead, tasks, cores: on the published grids."""

OFF = (
    # p, q, latency, overhead, tasks, cores, service, h1, h2, within
    (0.16, 0.167, 2048, 1024, 3, 12, 100.0, 0.9, 0.9, 0.15),
    (0.03, 0.30, 3000, 40, 40, 6, 120.0, 0.95, 0.6, 0.07),
    (0.05, 0.40, 6000, 100, 16, 10, 80.0, 0.8, 0.8, 0.15),
    (0.10, 0.10, 500, 8, 32, 3, 300.0, 0.9, 0.9, 0.15),
)
"""Off the grids; the last of each is the error that is to be expected."""


def within(p, latency, near):
    return 0.15 if near else 0.05 if latency >= 1024 else 0.12


@pytest.mark.parametrize(("p", "latency", "overhead", "tasks", "cores"), FEW)
def test_rates_on_the_grids(p, latency, overhead, tasks, cores):
    simulated = event_simulation.node_rate(p, 0.32 - p, latency, overhead, tasks, cores, seed=1)
    found = node_rate(work_of_mix(p, 0.32 - p), latency=latency, overhead=overhead, tasks=tasks, cores=cores)
    # 1.5 million instructions have 1.5 % of noise.
    assert float(found.node_rate) == pytest.approx(simulated, rel=within(p, latency, False) + 0.015)


@pytest.mark.parametrize(("p", "q", "latency", "overhead", "tasks", "cores", "service", "h1", "h2", "most"), OFF)
def test_rates_off_the_grids(p, q, latency, overhead, tasks, cores, service, h1, h2, most):
    options = {"service": service, "h1": h1, "h2": h2, "seed": 2}
    work = work_of_mix(p, q, l1_hit_fraction=h1, l2_hit_fraction=h2, memory_service_cycles=service)
    found = node_rate(work, latency=latency, overhead=overhead, tasks=tasks, cores=cores)
    assert found.error == most
    simulated = event_simulation.node_rate(p, q, latency, overhead, tasks, cores, **options)
    assert float(found.node_rate) == pytest.approx(simulated, rel=most)
    waiting = node_rate(work, latency=latency, cores=cores, protocol="blocking")
    simulated = event_simulation.node_rate(p, q, latency, 0, 1, cores, blocking=True, **options)
    assert float(waiting.node_rate) == pytest.approx(simulated, rel=0.15 if latency < 1024 else 0.07)


def test_short_runs_are_noisy():
    """Runs of 2^17 at a latency of 8,192 hold 16 messages of a blocking core, so a gain above the tasks is noise."""
    gains = np.array([event_simulation.short_gain(seed, operations=2**17) for seed in range(30)])
    assert gains.std() > 1.0
    assert (gains > 8.0).sum() >= 5
    assert abs(gains.mean() - 8.5) < 4 * gains.std() / np.sqrt(30)
    assert gain(work_of_mix(0.08, 0.24), latency=8192, overhead=16, tasks=8) < 8.0


@pytest.mark.skipif("DSE_SLOWER_GRID" not in os.environ, reason="minutes; DSE_SLOWER_GRID=1 runs it")
def test_every_case_of_the_grids():
    for number, (_, p, latency, overhead, tasks, cores) in enumerate(record_simulation.cases()):
        options = {"instructions": 3_000_000, "seed": 1000 + number}
        simulated = event_simulation.node_rate(p, 0.32 - p, latency, overhead, tasks, cores, **options)
        found = node_rate(work_of_mix(p, 0.32 - p), latency=latency, overhead=overhead, tasks=tasks, cores=cores)
        case = (p, latency, overhead, tasks, cores)
        assert float(found.node_rate) == pytest.approx(simulated, rel=within(p, latency, False) + 0.015), case


NEAR_SATURATION = (
    # n, M, L, O, p, q, h1, h2, S
    (3, 128, 2500, 1024, 0.01, 0.6, 0.5, 0.5, 60.0),  # +12.5 % by the recursion
    (3, 64, 4096, 256, 0.01, 0.3, 0.9, 0.8, 400.0),  # +8.8 %
    (2, 64, 1024, 256, 0.01, 0.49, 0.5, 0.8, 100.0),
    (3, 128, 2500, 1024, 0.08, 0.5, 0.5, 0.5, 400.0),
    (4, 128, 2500, 1024, 0.03, 0.51, 0.5, 0.5, 100.0),
    (4, 128, 2500, 16, 0.01, 0.28, 0.9, 0.8, 100.0),
    (8, 16, 1024, 1024, 0.03, 0.37, 0.5, 0.5, 60.0),
)


@pytest.mark.parametrize(("cores", "tasks", "latency", "overhead", "p", "q", "h1", "h2", "service"), NEAR_SATURATION)
def test_M2_few_cores_near_the_saturation_of_memory(cores, tasks, latency, overhead, p, q, h1, h2, service):
    work = work_of_mix(p, q, l1_hit_fraction=h1, l2_hit_fraction=h2, memory_service_cycles=service)
    found = node_rate(work, latency=latency, overhead=overhead, tasks=tasks, cores=cores)
    simulated = event_simulation.node_rate(
        p, q, latency, overhead, tasks, cores, service=service, h1=h1, h2=h2, seed=3, instructions=600_000
    )
    assert float(found.node_rate) == pytest.approx(simulated, rel=0.07 if cores <= 3 else float(found.error))
    assert bool(found.near_knee) == (cores > 3)
    assert float(found.error) == (0.15 if cores > 3 else 0.07)


def test_M2_the_response_of_few_is_that_of_a_simulated_queue():
    """Customers that think exponentially and one server of constant service: no core, no instruction."""
    generator = np.random.default_rng(6)
    for customers, think in ((2, 60.0), (3, 82.9), (3, 250.0)):
        ready, free, served = list(generator.exponential(think, customers)), 0.0, 0
        waits = []
        while served < 60_000:
            place = int(np.argmin(ready))
            begin = max(free, ready[place])
            free = begin + 60.0
            waits.append(free - ready[place])
            ready[place] = free + generator.exponential(think)
            served += 1
        exact = response_of_few(np.array([60.0]), np.array([think]), np.array([float(customers)]))[0]
        assert exact == pytest.approx(np.mean(waits), rel=0.015)


def test_M2_limits_of_the_response_of_few():
    service, customers = np.full(4, 50.0), np.array([1.0, 2.0, 3.0, 3.0])
    assert response_of_few(service, np.zeros(4), customers).tolist() == [50.0, 100.0, 150.0, 150.0]
    assert response_of_few(service, np.full(4, 1e9), customers) == pytest.approx(50.0, rel=1e-6)
