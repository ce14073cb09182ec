"""Laws of the processor models: what more of something may do, and what must stay the same."""

from dataclasses import replace

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.processor import CORRECTED, REFERENCE, predict, predict_mixture
from dse.models.processor.claims.sample_machines import MACHINES
from dse.models.processor.core.in_order import mean_excess
from dse.models.processor.core.stalls import access_penalty, buffer_entries_in_use, buffer_fill_cycles

from . import random_machines
from .profiles import (
    measured,
    thread_of,
    with_in_order,
    with_instruction_reuse,
    with_windows,
    without_branches,
    without_types,
)

V3 = dict(MACHINES["Xeon E5-2697 v3"])
PROGRAMS = ["csr", "list"]


@st.composite
def machines(draw):
    """A machine that states everything."""
    found = random_machines.machine(np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
    usual = {"f_core_hz": 2e9, "fu_vector": 1, "vector_bits": 256}
    found = {name: V3.get(name, usual.get(name, 1)) if value is None else value for name, value in found.items()}
    return {**found, "fu_vector": max(found["fu_vector"], 1)}


def cpi(program, machine, **options):
    return np.asarray(predict(measured(program), machine, **options).cpi, float)


@settings(max_examples=examples(60))
@given(machines(), st.sampled_from(PROGRAMS), st.sampled_from(["interaction", "independent"]))
def test_stack_and_bounds(machine, program, model):
    found = predict(measured(program), machine, model=model)
    parts = [float(value) for value in found.stack.values()]
    assert min(parts) >= -1e-12
    assert sum(parts) == pytest.approx(float(found.cpi), rel=1e-12)
    hits = [float(found.hits[level]) for level in ("l1", "l2", "l3")]
    assert 0 <= hits[0] <= hits[1] <= hits[2] <= 1
    if model == "interaction":
        assert float(found.cpi) >= 1 / machine["dispatch_width"] - 1e-12
        assert 1 / min(float(bound) for bound in found.bounds.values()) <= float(found.cpi) * (1 + 1e-12)
    else:
        assert float(found.cpi) >= 1 / machine["issue_width"] - 1e-12
    assert float(found.seconds) == pytest.approx(float(found.cpi) * found.instructions / machine["f_core_hz"])
    assert found.binding in found.bounds


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("name", "values", "rises"),
    [
        ("rob", np.arange(8, 400, 7), False),
        ("mshr", np.arange(1, 40), False),
        ("dispatch_width", np.arange(1, 9), False),
        ("l2_size_bytes", np.linspace(2**17, 2**22, 60), False),
        ("dram_latency", np.linspace(100, 600, 80), True),
        ("l3_latency", np.linspace(13, 100, 80), True),
    ],
)
def test_more_of_one_thing(program, name, values, rises):
    """On this machine; in general the model is not monotone: see the next test."""
    found = cpi(program, {**V3, name: values}, mode="reference", split=False)
    steps = np.diff(found) if rises else -np.diff(found)
    assert np.all(steps >= -1e-12)


def test_the_model_is_not_monotone():
    """A larger level 3 can cost cycles, and so does a longer queue when the profile does not say what it gains."""
    sizes = np.linspace(14.7, 16.2, 30) * 2**20
    assert np.any(np.diff(cpi("list", {**V3, "l3_size_bytes": sizes}, mode="reference")) > 0)
    queues = cpi("csr", {**V3, "issue_queue": np.arange(10, 200)}, mode="reference", split=False)
    assert np.all(np.diff(queues) > 0)


@settings(max_examples=examples(40))
@given(machines(), st.sampled_from(PROGRAMS), st.sampled_from(["l1", "l2", "l3"]), st.integers(0, 2**22))
def test_hits_and_bounds_are_monotone_in_size(machine, program, level, more):
    larger = {**machine, f"{level}_size_bytes": machine[f"{level}_size_bytes"] + more}
    small, large = (predict(measured(program), one) for one in (machine, larger))
    for name, hits in small.hits.items():
        assert float(large.hits[name]) >= float(hits)
    assert float(large.bounds["dram bandwidth"]) >= float(small.bounds["dram bandwidth"]) * (1 - 1e-12)


@settings(max_examples=15)
@given(machines(), st.sampled_from(PROGRAMS), st.integers(2, 6))
def test_equal_programs_share_as_equal_threads_do(machine, program, threads):
    machine = {**machine, "cores": 32, "all_threads_busy": 0}
    alone = predict(measured(program), machine, threads=threads, mode="reference")
    for parts in ([(measured(program), 1)] * threads, [(measured(program), threads)], [(measured(program), 1)] * 2):
        count = len(parts) if parts[0][1] == 1 else threads
        expected = alone if count == threads else predict(measured(program), machine, threads=2, mode="reference")
        mixture = predict_mixture(parts, machine, mode="reference")
        for one in mixture.predictions:
            assert float(one.cpi) == pytest.approx(float(expected.cpi), rel=1e-9)


@settings(max_examples=15)
@given(machines(), st.integers(1, 4), st.integers(1, 4))
def test_shares_add_up_and_follow_use(machine, csr, others):
    machine = {**machine, "cores": 32}
    mixture = predict_mixture([(measured("csr"), csr), (measured("list"), others)], machine)
    counts = (csr, others)
    cache, memory = machine["l3_size_bytes"], machine["dram_bandwidth_Bps"]
    assert sum(n * float(s) for n, s in zip(counts, mixture.l3_shares, strict=True)) == pytest.approx(cache, abs=1e-6)
    assert sum(n * float(s) for n, s in zip(counts, mixture.dram_shares, strict=True)) == pytest.approx(memory)


def test_mixtures_of_arrays():
    sizes = np.array([8, 16, 35]) * 2.0**20
    parts = [(measured("csr"), 1), (measured("list"), 2)]
    whole = predict_mixture(parts, {**V3, "l3_size_bytes": sizes}, mode="reference")
    for index, size in enumerate(sizes):
        one = predict_mixture(parts, {**V3, "l3_size_bytes": size}, mode="reference")
        for part, other in zip(one.predictions, whole.predictions, strict=True):
            assert float(part.cpi) == pytest.approx(other.cpi[index], rel=1e-9)
    rates = [one.accesses["l3"] / one.cpi for one in whole.predictions]
    np.testing.assert_allclose(whole.l3_shares[0] / whole.l3_shares[1], rates[0] / rates[1], rtol=1e-3)


def test_memory_bound_time_does_not_depend_on_the_clock():
    """With latencies in seconds, a program that only waits for them takes as long at any clock."""
    clocks = np.array([1.0e9, 2.6e9, 5e9])
    machine = {**V3, "f_core_hz": clocks, "latency_clock_hz": 2.6e9, "rob": 1e6, "issue_queue": 60, "front_pipe": 0}
    machine |= {"l1_latency": 4 * clocks / 2.6e9, "l2_latency": 12 * clocks / 2.6e9}
    found = predict(measured("list"), machine, mode=replace(CORRECTED, branch_factor=0.0), branch_miss_rate=0.0)
    assert set(found.binding) == {"memory parallelism"}
    np.testing.assert_allclose(found.stack["base"] / clocks, found.stack["base"][0] / clocks[0], rtol=1e-12)
    same = {**machine, "l3_latency_s": 36 / 2.6e9, "dram_latency_s": 217 / 2.6e9}
    del same["latency_clock_hz"]
    options = {"mode": replace(CORRECTED, branch_factor=0.0), "branch_miss_rate": 0.0}
    np.testing.assert_allclose(predict(measured("list"), same, **options).cpi, found.cpi, rtol=1e-12)


def test_the_clock_alone():
    """In reference mode latencies stay in cycles, so twice the clock is half the time; corrected, it is not."""
    both = {**V3, "f_core_hz": np.array([2.6e9, 5.2e9]), "latency_clock_hz": 2.6e9, "bw_l3_Bps": 1e12}
    tool = predict(measured("list"), both, mode="reference")
    assert tool.seconds[1] == pytest.approx(tool.seconds[0] / 2, rel=1e-12)
    right = predict(measured("list"), both)
    assert right.seconds[1] > 0.6 * right.seconds[0]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", ["reference", "corrected"])
def test_options_that_are_off_change_nothing(program, mode):
    plain = cpi(program, V3, mode=mode)
    stated = {f"{level}_prefetch_coverage": 0.0 for level in ("l2", "l3", "dram")}
    stated |= {f"{level}_prefetch_accuracy": 0.3 for level in ("l2", "l3", "dram")}
    assert cpi(program, {**V3, **stated, "dram_dirty_fraction": 0.2}, mode=mode) == plain
    behaviour = REFERENCE if mode == "reference" else CORRECTED
    everything_full = {**V3, "l1_ways": 2**20, "l2_ways": 2**20, "l3_ways": 2**20}
    exact = replace(behaviour, hits="exact")
    associative = replace(exact, associativity=True)
    assert cpi(program, everything_full, mode=associative) == pytest.approx(cpi(program, V3, mode=exact), rel=1e-12)
    idle = {**V3, "dram_bandwidth_Bps": 1e18}
    queued = cpi(program, idle, mode=replace(behaviour, queueing=True))
    assert queued == pytest.approx(cpi(program, idle, mode=behaviour), rel=1e-9)


@pytest.mark.parametrize("program", PROGRAMS)
def test_options(program):
    plain = predict(measured(program), V3)
    covered = {"l3_prefetch_coverage": 0.8, "l3_prefetch_lead": 100, "l3_prefetch_accuracy": 0.5}
    ahead = predict(measured(program), {**V3, **covered})
    assert ahead.cpi < plain.cpi
    busier = ahead.bytes_per_second["l3"] * ahead.cpi / (plain.bytes_per_second["l3"] * plain.cpi)
    assert busier == pytest.approx(1.8, rel=1e-12)
    assert predict(measured(program), {**V3, **covered}, mode="reference").cpi == cpi(program, V3, mode="reference")

    few_ways = predict(measured(program), {**V3, "l1_ways": 1}, mode=replace(CORRECTED, associativity=True))
    assert few_ways.hits["l1"] < plain.hits["l1"]

    written = predict(measured(program), V3, mode=replace(CORRECTED, write_policy="write_allocate"))
    assert written.dram_reads == pytest.approx(plain.dram_reads + plain.dram_writes)
    assert written.dram_writes == pytest.approx(plain.dram_writes)

    counted = predict(measured(program), V3, mode=replace(CORRECTED, all_latencies=True))
    assert counted.bounds["integer parallelism"] < plain.bounds["integer parallelism"]
    assert counted.bounds["parallelism"] < plain.bounds["parallelism"]

    busy = {**V3, "smt_mode": 2, "all_threads_busy": 1}
    halves = predict(measured(program), busy, mode=replace(CORRECTED, shared_first_levels=True))
    assert halves.hits["l1"] == pytest.approx(
        float(predict(measured(program), {**V3, "l1_size_bytes": 2**14}).hits["l1"])
    )


def test_exclusive_levels():
    small = {**V3, "l3_size_bytes": 2**22}
    inclusive = predict(measured("list"), small)
    exclusive = predict(measured("list"), {**small, "l2_inclusion": "exclusive", "l3_inclusion": "exclusive"})
    both = predict(measured("list"), {**small, "l2_inclusion": np.array(["inclusive", "exclusive"])})
    assert exclusive.hits["l1"] == inclusive.hits["l1"]
    assert exclusive.hits["l2"] > inclusive.hits["l2"]
    assert exclusive.hits["l3"] > inclusive.hits["l3"]
    np.testing.assert_allclose(both.hits["l2"], [inclusive.hits["l2"], exclusive.hits["l2"]])


def test_queueing():
    """The more the memory is used, the longer each access takes; never more than all of it is used."""
    mode = replace(CORRECTED, queueing=True)
    bandwidths = np.array([1e8, 1e9, 4e9, 1e10, 1e11])
    machine = {**V3, "dram_bandwidth_Bps": bandwidths}
    loaded = predict(measured("list"), machine, threads=14, mode=mode)
    plain = predict(measured("list"), machine, threads=14)
    assert np.all(loaded.cpi >= plain.cpi)
    assert np.all(np.diff(loaded.machine["dram_latency"]) < 0)
    assert np.all(loaded.total_dram_bytes_per_second < bandwidths)
    utilisation = loaded.total_dram_bytes_per_second / bandwidths
    waiting = 64 / bandwidths * utilisation / (2 * (1 - utilisation)) * V3["f_core_hz"]
    np.testing.assert_allclose(loaded.machine["dram_latency"], 217 + waiting, rtol=1e-6)
    both = predict_mixture([(measured("list"), 7), (measured("list"), 7)], machine, mode=mode)
    np.testing.assert_allclose(both.predictions[0].cpi, loaded.cpi, rtol=1e-9)


def test_levels_shared_by_some_cores():
    machine = {**V3, "cores": 12, "l3_shared_by": 4, "l2_shared_by": 2}
    alone = predict(measured("list"), machine, threads=3)
    assert float(alone.machine["l3_size_bytes"]) == V3["l3_size_bytes"]
    packed = predict(measured("list"), machine, threads=12)
    assert float(packed.machine["l3_size_bytes"]) == V3["l3_size_bytes"] / 4
    assert float(packed.machine["l2_size_bytes"]) == V3["l2_size_bytes"] / 2
    many = {**machine, "smt_mode": 2, "all_threads_busy": 1}
    full = predict(measured("list"), many, threads=24)
    assert float(full.machine["l3_size_bytes"]) == V3["l3_size_bytes"] / 8
    assert float(full.machine["l2_size_bytes"]) == V3["l2_size_bytes"] / 2
    with pytest.raises(InputError, match="l3_shared_by"):
        predict_mixture([(measured("csr"), 1), (measured("list"), 1)], machine)


def test_in_order_cores_use_in_order_parallelism():
    program = thread_of(with_in_order("list"))
    machine = {**V3, "in_order": np.array([0.0, 1.0])}
    both = predict(program, machine)
    for index, order in enumerate((0.0, 1.0)):
        one = predict(program, {**V3, "in_order": order})
        assert float(one.cpi) == pytest.approx(both.cpi[index], rel=1e-12)
    assert both.bounds["memory parallelism"][1] < both.bounds["memory parallelism"][0]
    plain = predict(measured("list"), machine)
    assert both.cpi[0] == pytest.approx(plain.cpi[0], rel=1e-12)
    assert both.cpi[1] > plain.cpi[1]
    tool = predict(program, machine, mode="reference")  # the in-order figures have taken the place of the others
    assert tool.bounds["memory parallelism"] == pytest.approx(both.bounds["memory parallelism"][1], rel=0.03)


def test_parallelism_follows_the_issue_queue():
    program = thread_of(with_windows("csr", {24: 1.5, 96: 0.75, "inf": 0.1}))
    queues = np.array([16, 24, 54, 96, 160])
    found = predict(program, {**V3, "issue_queue": queues})
    assert np.all(np.diff(found.rates.ilp) > 0)
    assert np.all(np.diff(found.stack["base"]) < 0)
    assert found.warnings  # 16 and 160 are beyond what was profiled
    assert not predict(program, {**V3, "issue_queue": 54}).warnings
    fixed = predict(program, {**V3, "issue_queue": queues}, window=54)
    assert np.unique(fixed.rates.ilp).size == 1


def test_a_profile_of_one_window_has_nothing_to_say_about_queues():
    with pytest.raises(InputError, match="issue_queue"):
        predict(measured("csr"), {**V3, "issue_queue": np.array([24, 54])})
    assert not predict(measured("csr"), {**V3, "issue_queue": 54}).warnings
    assert "other windows" in predict(measured("csr"), {**V3, "issue_queue": 97}).warnings[0]


def test_static_sharing_divides_the_vector_units_only_when_corrected():
    busy = {**V3, "smt_mode": 2, "all_threads_busy": 1}
    for mode, factor in (("reference", 1.0), ("corrected", 2.0)):
        alone, shared = (predict(measured("csr"), one, mode=mode) for one in (V3, busy))
        assert alone.bounds["vector units"] == pytest.approx(factor * shared.bounds["vector units"])
        assert alone.bounds["integer units"] == pytest.approx(2 * shared.bounds["integer units"])
        assert alone.bounds["l1 bandwidth"] == shared.bounds["l1 bandwidth"]


def test_small_shares_of_level_3():
    machine = {**V3, "l3_size_bytes": 2**20}
    tool = predict(measured("list"), machine, threads=14, mode="reference")
    right = predict(measured("list"), machine, threads=14)
    assert tool.local_hits["l3"] < 0
    assert right.local_hits["l3"] == 0


def test_mispredictions():
    measured_rate = predict(measured("csr"), V3, branch_miss_rate=0.02)
    assert measured_rate.stack["branches"] == pytest.approx(
        predict(measured("csr"), V3).stack["branches"] * 0.02 / 0.0111
    )
    half, more = (predict(measured("csr"), V3, branch_miss_rate=rate) for rate in (0.5, 0.9))
    assert half.cpi == more.cpi
    assert predict(measured("csr"), V3, branch_miss_rate=0.9, mode="reference").cpi > 1.7 * half.cpi
    nothing = predict(thread_of(without_branches("csr")), V3)
    assert nothing.stack["branches"] == 0
    assert "mispredictions" in nothing.warnings[0]
    three = predict(measured("csr"), V3, model="independent")
    six = predict(measured("csr"), V3, model="independent", branch_miss_rate=0.06)
    assert six.stack["branches"] == pytest.approx(2 * three.stack["branches"])


def test_missing_levels_of_independent_events():
    machine = {**V3, "l3_size_bytes": 0}
    found = predict(measured("list"), machine, model="independent")
    arriving = found.accesses
    assert found.stack["l2 misses"] == 0
    assert found.stack["l3 misses"] == pytest.approx(
        (217 - 12 - 192 * found.stack["execution"]) * arriving["l3"], rel=1e-12
    )
    without = predict(measured("list"), {**machine, "l2_size_bytes": 0}, model="independent")
    assert without.stack["l1 misses"] == pytest.approx(4 * without.accesses["l2"], rel=1e-12)
    in_order = predict(measured("list"), {**machine, "in_order": 1}, model="independent")
    assert in_order.stack["l3 misses"] == pytest.approx((217 - 12) * arriving["l3"], rel=1e-12)


def test_a_buffer_that_is_full_before_it_fills():
    entries = buffer_entries_in_use(8.0, 1.5, 1.0, 0.5, 1000.0)  # 4 accesses in flight, 1.5 instructions in parallel
    assert entries == 8 * (1 - 0.5 * 4 / 1.5)
    assert buffer_fill_cycles(entries, 1.0, -np.inf) == entries
    assert buffer_fill_cycles(entries, 1.0, 0.0) == 0
    literal = (1000.0 - entries) * 0.5 / max(1, min(0.5 * 1000.0, 0.5 * 8.0))
    assert access_penalty(0.5, 1000.0, entries, 1.0, 8.0) == pytest.approx(literal, rel=1e-14)


latencies = st.floats(0, 500)
chances = st.floats(0, 1)


@given(st.lists(st.tuples(latencies, chances), min_size=1, max_size=8), st.floats(0, 300), st.randoms())
def test_mean_excess(events, hidden, random):
    """The mean of the longest event's excess, whatever the order the events are listed in."""
    done = excess = 0.0
    for latency, chance in sorted(events, reverse=True):
        if latency > hidden:
            excess += (1 - done) * chance * (latency - hidden)
            done += (1 - done) * chance
    found = mean_excess(hidden, *(t for t, _ in events), *(e for _, e in events))
    assert found == pytest.approx(excess, rel=1e-9, abs=1e-9)
    random.shuffle(events)
    again = mean_excess(hidden, *(t for t, _ in events), *(e for _, e in events))
    assert again == pytest.approx(float(found), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("program", PROGRAMS)
def test_roofline(program):
    found = predict(measured(program), V3, threads=14)
    roof = found.roofline
    assert found.flops <= roof.attainable * (1 + 1e-12)
    assert roof.peak == found.peak_flops
    memory = roof.intensities["dram"] * found.machine["dram_bandwidth_Bps"]
    assert roof.roofs["dram"] == pytest.approx(memory)
    assert roof.ridges["dram"] * found.machine["dram_bandwidth_Bps"] == pytest.approx(roof.peak)
    assert roof.roofs["dram"] == pytest.approx(found.bounds["dram bandwidth"] * 2.6e9 * found.rates.float_operations)


@pytest.mark.slow
def test_a_million_machines():
    rng = np.random.default_rng(5)
    number = 1_000_000
    machine = {**V3, "rob": rng.uniform(32, 400, number), "l3_size_bytes": rng.uniform(2**21, 2**26, number)}
    machine |= {"dram_latency": rng.uniform(100, 500, number), "in_order": rng.integers(0, 2, number)}
    found = predict(measured("list"), machine, threads=7)
    assert found.cpi.shape == (number,)
    assert np.isfinite(found.cpi).all()


def test_axes_broadcast():
    rob, size = np.array([64, 192])[:, None], np.array([8, 16, 32]) * 2.0**20
    found = predict(measured("list"), {**V3, "rob": rob, "l3_size_bytes": size})
    assert found.cpi.shape == (2, 3)
    assert found.hits["l3"].shape == (3,)  # what does not depend on an axis does not have it
    assert found.binding.shape == (2, 3)


def test_independent_events_need_no_parallelism_by_type():
    program = thread_of(without_types("csr"))
    assert predict(program, V3, model="independent").cpi == predict(measured("csr"), V3, model="independent").cpi
    with pytest.raises(InputError, match="no ILP of type"):
        predict(program, V3)


def test_instruction_misses():
    program = thread_of(with_instruction_reuse("csr"))
    found = predict(program, V3, model="independent")  # 512 lines of 64 B: 16 instructions each
    missed = 0.01 + 0.04 / 256  # first touches, and the distance 512 of a bin from 257 to 512
    assert found.stack["instruction misses"] == pytest.approx(12 * missed, rel=1e-6)
    larger = predict(program, {**V3, "l1i_size_bytes": 2**16}, model="independent")
    assert larger.stack["instruction misses"] == pytest.approx(12 * 0.01, rel=1e-6)
    assert predict(measured("csr"), V3, model="independent").stack["instruction misses"] == 0
