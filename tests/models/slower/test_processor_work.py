"""Work of threads of modelled processors: every wait once, whichever model has it."""

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.processor import predict
from dse.models.processor.claims.sample_machines import MACHINES
from dse.models.slower import node_rate, work_of_thread, work_on_processor
from dse.models.workload.profile.reading import bundled_profiles, read_profile

V3 = MACHINES["Xeon E5-2697 v3"]
CSR = read_profile(bundled_profiles()["graph500-seq-csr"])
LIST = read_profile(bundled_profiles()["graph500-seq-list"])


def test_one_thread_alone_is_the_processor_model():
    alone = predict(CSR, V3)
    work = work_on_processor(CSR, V3, 1e-5)
    assert work.cycles_per_instruction == pytest.approx(float(alone.cpi), rel=1e-14)
    assert work.memory_service_cycles == pytest.approx(64 / 6.41024e10 * 2.6e9, rel=1e-5)
    moved = alone.dram_bytes_per_second / 64 * float(alone.cpi) / 2.6e9
    assert work.memory_accesses == pytest.approx(float(moved), rel=1e-9)


def test_time_is_that_of_computing_and_of_serial_messages():
    """T = I c0/f + M L/f for one blocking core."""
    alone = predict(LIST, V3)
    messages = 1e-6 * float(alone.instructions)
    found = node_rate(work_on_processor(LIST, V3, 1e-6), latency=5200, protocol="blocking")
    time = float(alone.instructions) / (float(found.core_rate) * 2.6e9)
    assert time == pytest.approx(float(alone.seconds) + messages * 5200 / 2.6e9, rel=1e-12)


def test_threads_have_their_share_of_level_3_and_all_of_the_memory():
    work = work_on_processor(LIST, V3, 0.0, threads=14)
    less = predict(LIST, {**V3, "l3_size_bytes": V3["l3_size_bytes"] / 14})
    assert work.cycles_per_instruction == pytest.approx(float(less.cpi), rel=1e-9)


def test_many_threads_reach_the_roof_of_the_memory():
    """From n a_D S / c0 = 1 on, the node has 1/(a_D S) instructions per cycle."""
    narrow = {**V3, "dram_bandwidth_Bps": V3["dram_bandwidth_Bps"] / 8}
    work = work_on_processor(LIST, narrow, 0.0, threads=14)
    lines = float(work.memory_accesses * work.memory_service_cycles)
    assert 14 * lines / float(work.cycles_per_instruction) > 1.0
    found = node_rate(work, latency=0.0, cores=14)
    assert found.node_rate == pytest.approx(1.0 / lines, rel=1e-3)


def test_waiting_of_the_processor_model():
    shared = predict(LIST, V3, threads=14)
    accesses = (shared.dram_reads + shared.dram_writes) / shared.instructions
    work = work_of_thread(shared.cpi, accesses, 64 / V3["dram_bandwidth_Bps"] * 2.6e9, 0.0)
    found = node_rate(work, latency=0.0, cores=14, contention="processor")
    assert found.core_rate == pytest.approx(1.0 / float(shared.cpi), rel=1e-12)


def test_arrays_of_threads():
    threads = np.array([1.0, 4.0, 14.0])
    many = work_on_processor(CSR, V3, 1e-5, threads=threads)
    for place, count in enumerate(threads):
        one = work_on_processor(CSR, V3, 1e-5, threads=count)
        assert many.cycles_per_instruction[place] == pytest.approx(float(one.cycles_per_instruction), rel=1e-13)


def test_a_model_without_bandwidth_is_refused_where_the_lines_take_longer():
    slow = {**V3, "dram_bandwidth_Bps": 1e7}
    with pytest.raises(InputError, match="the memory needs"):
        work_on_processor(LIST, slow, 0.0, threads=14, model="independent", mode="reference")
