"""One machine by hand: 1,024 nodes of 16 ranks on a HyperX, conjugate gradients of 2,048^3 cells.

The values of network and energy are hand calculations from the formulas of the families; the profile is that of laws of
n and ranks (``dse profile extrapolate``), for which they were made. Its core is eight wide with 32 KiB, 256 KiB and
32 MiB: of 384 nodes the only one with all the times and powers that are given, to what they are rounded to.
"""

import numpy as np
import pytest
from grid_runs import files, of_cubes, run

from dse.models.codesign.prefetching import coverage
from dse.models.network.bandwidth.neighbour_processes import inside_fraction, node_block
from dse.models.processor.program.hierarchy import level_hits
from dse.models.processor.program.program import reuse_of


@pytest.mark.parametrize(
    ("block", "inside"),
    [((4, 2, 2), 0.5833333), ((2, 2, 2), 0.5), ((4, 4, 2), 0.6666667), ((8, 1, 1), 0.2916667)],
)
def test_blocks_keep_the_faces_between_their_ranks(block, inside):
    assert float(inside_fraction(block)) == pytest.approx(inside, abs=5e-8)
    pairs = np.indices(block).reshape(3, -1).T
    neighbours = sum(
        tuple(one + step) in set(map(tuple, pairs.tolist()))
        for one in pairs
        for step in np.concatenate([np.eye(3, dtype=int), -np.eye(3, dtype=int)])
    )
    assert float(inside_fraction(block)) == pytest.approx(neighbours / (6 * len(pairs)))


def test_a_block_of_sixteen_ranks():
    assert node_block((32, 32, 16), 16) == (4, 2, 2)


@pytest.fixture
def machine(plain, load):
    study = load(tables={"profile": {"file": "cg-2048-16384.json"}}, set={"l2_size": "256 KiB"})
    return study.evaluate(dram_units=2)


def test_messages_of_the_machine(machine):
    assert machine["run_processes"] == 16384
    assert machine["inside_fraction"] == pytest.approx(9.1558326e-4, rel=1e-6)
    assert machine["effective_bandwidth"] == pytest.approx(97_560_882.57, rel=1e-9)
    assert machine["effective_bandwidth"] == pytest.approx(16368 / (32 * 512 * 256 / 25e9), rel=1e-12)
    assert machine["transfer_time"] == pytest.approx(0.07990139, rel=1e-6)
    assert machine["network_latency"] == pytest.approx(3.030392e-6, rel=1e-6)
    assert machine["latency_time"] == pytest.approx(0.454143e-3, rel=2e-6)
    # The hand calculation has 1.124822 ms of collectives; here they copy through two channels of DDR5.
    assert machine["collective_time"] == pytest.approx(1.124822e-3, rel=1e-3)
    messages = machine["transfer_time"] + machine["latency_time"] + machine["inside_time"]
    assert messages + 1.124822e-3 == pytest.approx(0.08148339, rel=1e-6)
    assert machine["communication_time"] == pytest.approx(messages + machine["collective_time"], rel=1e-12)


def test_energy_of_the_machine(machine):
    assert machine["path_links"] == pytest.approx(4.001955, rel=1e-6)
    carried = 16384 * machine["leaving_bytes"] * 8 * 70e-12 * machine["path_links"]
    assert carried == pytest.approx(286.23, abs=0.005)
    assert machine["network_dynamic_energy"] == pytest.approx(286.23 + 0.09, rel=3e-5)
    assert machine["network_power"] == pytest.approx(14_564.16, rel=1e-9)
    # 1,024 nodes at rest and at work, the switches, and what is carried; nothing is there twice.
    nodes = 1024 * (machine["node_static_power"] * machine["system_time"] + machine["dynamic_energy"])
    assert machine["system_energy"] == pytest.approx(
        nodes + 14_564.16 * machine["system_time"] + machine["network_dynamic_energy"], rel=1e-12
    )
    assert machine["node_static_power"] == pytest.approx(14.41306, abs=5e-6)
    assert machine["dynamic_energy"] / machine["run_time"] == pytest.approx(18.32452, abs=5.1e-6)
    assert machine["system_energy"] == pytest.approx(37_055.60, rel=1e-6)
    by_hand = 1024 * (14.41306 * 0.79643339 + 18.32452 * 0.71495) + 14_564.16 * 0.79643339 + 286.32
    assert by_hand == pytest.approx(37_055.60, rel=2e-5)


def test_coverage_of_the_machine(foretold):
    reuse = reuse_of(foretold, 128)
    missed = [float(1.0 - level_hits(reuse, 2.0**21, line)) for line in (64.0, 128.0)]
    assert missed == pytest.approx([0.0843939, 0.0478846], abs=5e-8)
    assert float(coverage(*missed)) == pytest.approx(0.8652110, abs=5e-8)
    assert float(coverage(0.0, 0.0)) == 0.0
    assert float(coverage(0.1, 0.2)) == 0.0
    assert float(coverage(0.1, 0.04)) == 1.0


def test_prefetching_turns_what_binds(plain, load):
    times = {}
    for component in ("none", "streams"):
        study = load(
            tables={"profile": {"file": "cg-2048-16384.json"}},
            use={"prefetching": component},
            set={"l2_size": "256 KiB"},
        )
        times[component] = [study.evaluate(dram_units=units)["compute_time"] for units in (2, 4, 8)]
    none, streams = times["none"], times["streams"]
    # More channels change nothing where every line is waited for; with streams two channels bind.
    assert none == pytest.approx([none[0]] * 3, rel=1e-12)
    assert none[0] == pytest.approx(0.71495, abs=5e-6)
    assert streams[0] == pytest.approx(0.464688, rel=1e-5)
    assert streams[1] == streams[2] == pytest.approx(0.237929, rel=1e-5)


def test_memory_of_a_node_by_laws_of_size_and_ranks(load):
    from dse.models.workload.extrapolation.profiles import extrapolate

    runs = [run("cg", *key) for key in files("cg", of_cubes)]
    held = extrapolate(runs, {"n": 2048, "processes": 256}).profile.only.footprint_bytes
    assert held == 4_068_820_649
    assert 4 * held + 2**31 == pytest.approx(18.42e9, rel=5e-4)
    # By laws of cells the memory of a rank is 120 cells + 56 cells^(2/3) + 260 B.
    found = load(set={"cores": 4, "dimension_1": 2, "dimension_2": 1, "dimension_3": 1}).evaluate(dram_units=2)
    cells = 2048**3 / 256
    assert found["rank_memory"] == pytest.approx(120 * cells + 56 * cells ** (2 / 3) + 260, rel=1e-6)
    assert found["node_memory"] == 4 * found["rank_memory"] + 2**31
    assert found["dram_capacity"] == 32e9
