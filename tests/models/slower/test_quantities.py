"""SLOWER in studies: the quantities, every wait with one owner, the product, and what is refused."""

from importlib.resources import files

import numpy as np
import pytest

from dse.api import Study
from dse.errors import InputError
from dse.models.slower import gain, node_rate, quantities, work_of_mix, work_of_thread
from dse.models.slower.checked_factors import cycles_at, energy_per_instruction, node_dynamic_power
from dse.search.driver import SearchOptions, search

SERVICE = 64.0 / (59.7 * 2**30) * 2.6e9

BARE = """
name = "bare"
question = "?"
source = "test"
models = ["slower"]
also = ["efficiency", "overhead_efficiency", "waiting_efficiency", "busy_fraction", "slower_gain", "near_task_knee",
  "slower_rate_bound", "slower_time", "delivered_performance", "slower_memory", "slower_memory_response_cycles",
  "slower_rate_error", "slower_core_rate"]
[[objectives]]
maximize = "slower_node_rate"
[[objectives]]
minimize = "energy_per_instruction"
[use]
{use}
[set]
frequency = "2.6 GHz"
uncontended_cycles = 1.02631
shared_memory_accesses = {accesses}
memory_service_cycles = 2.59584717617
slower_latency_cycles = 5200
task_memory = "64 KiB"
base_memory = "1 GiB"
instructions = 1e9
nodes = 100
availability = 0.9
load_imbalance = 0.25
node_static_power = "80 W"
node_dynamic_power = "200 W"
[space.axes]
memory_sharers = {{ values = [1, 14] }}
messages_per_instruction = {{ values = [1e-5, 1e-4] }}
tasks_per_process = {{ values = [1, 8] }}
switch_overhead_cycles = {{ values = [0, 500] }}
"""


def problem_of(tmp_path, text):
    file = tmp_path / "bare.toml"
    file.write_text(text, encoding="utf-8")
    return Study.load(file).problem()


def values_of(problem):
    (record,) = problem.quantities(np.arange(problem.space.size))
    return {name: np.broadcast_to(one, problem.space.size) for name, one in record["values"].items()}


@pytest.mark.parametrize("protocol", ["non-blocking", "blocking"])
@pytest.mark.parametrize("contention", ["slower", "processor"])
def test_a_study_has_what_the_functions_give(tmp_path, protocol, contention):
    use = f'task_protocol = "{protocol}"\nmemory_contention = "{contention}"'
    text = BARE.format(use=use, accesses=0.002)
    if protocol == "blocking":  # nothing would depend on them
        text = text[: text.index("tasks_per_process = {")]
    found = values_of(problem_of(tmp_path, text))
    p, cores = found["messages_per_instruction"], found["memory_sharers"]
    work = work_of_thread(1.02631, 0.002, 2.59584717617, p)
    tasks, overhead = found["running_tasks"], found["paid_overhead_cycles"]
    design = {"latency": 5200.0, "tasks": tasks, "overhead": overhead, "cores": cores, "contention": contention}
    expected = node_rate(work, **design, protocol=protocol)
    for name, wanted in {
        "slower_node_rate": expected.node_rate,
        "efficiency": expected.efficiency,
        "overhead_efficiency": expected.overhead_efficiency,
        "waiting_efficiency": expected.waiting_efficiency,
        "busy_fraction": expected.busy_fraction,
        "slower_memory_response_cycles": expected.memory_response,
        "near_task_knee": expected.near_knee,
        "slower_rate_error": expected.error,
        "slower_time": 1e9 / (expected.core_rate * 2.6e9),
        "slower_gain": gain(work, **design) if protocol == "non-blocking" else 1.0,
        "delivered_performance": expected.efficiency * 100 * cores / 1.25 * 2.6e9 / 1.02631 * 0.9,
        "energy_per_instruction": (80 + 200 * expected.busy_fraction) / (expected.node_rate * 2.6e9),
        "slower_memory": 2**30 + cores * tasks * 65536,
    }.items():
        np.testing.assert_allclose(found[name], wanted, rtol=1e-9, err_msg=name)
    if protocol == "non-blocking":
        np.testing.assert_allclose(found["slower_rate_bound"] / p, expected.core_rate_bound, rtol=1e-12)
    assert np.all(found["slower_core_rate"] <= found["slower_rate_bound"] / p * (1 + 1e-9))


def test_golden_threads_in_a_study(tmp_path):
    found = values_of(problem_of(tmp_path, BARE.format(use="", accesses=0.002)))
    asked = {"memory_sharers": 14, "messages_per_instruction": 1e-4, "tasks_per_process": 8}
    here = np.all([found[name] == one for name, one in asked.items()], axis=0) & (
        found["switch_overhead_cycles"] == 500
    )
    assert found["slower_core_rate"][here] == pytest.approx(0.92895126, abs=5e-9)


def test_too_many_accesses_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"the memory needs 1\.29792 for its lines"):
        values_of(problem_of(tmp_path, BARE.format(use="", accesses=0.5)))


def test_too_many_combinations_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(quantities, "MOST_COMBINATIONS", 500)
    text = BARE.format(use="", accesses=0.002).replace("{ values = [1, 8] }", "{ range = [1, 100] }")
    with pytest.raises(InputError) as error:
        search(problem_of(tmp_path, text), SearchOptions(method="exhaustive"))
    assert "800 different combinations" in str(error.value)
    axes = "tasks_per_process (100), memory_sharers (2), messages_per_instruction (2), switch_overhead_cycles (2)"
    assert f"they come from the axes {axes}" in str(error.value)
    assert "at most 500: fewer values of these axes, or the objective slower_rate_bound" in str(error.value)


def test_a_mix_follows_the_clock(tmp_path):
    """Memory and network take times: twice the clock, twice the cycles of both, and a lower efficiency."""
    text = """
name = "mix"
question = "?"
source = "test"
models = ["slower", "slower.instruction_mix"]
also = ["slower_node_rate", "slower_latency_cycles"]
[[objectives]]
maximize = "efficiency"
[use]
instruction_variation = "mix"
miss_costs = "{costs}"
switch_overhead = "time"
[set]
network_fraction = 0.08
memory_fraction = 0.24
memory_service_time = "100 ns"
message_latency_time = "4 us"
switch_overhead_time = "8 ns"
tasks_per_process = 8
[space.axes]
frequency = {{ values = ["2 GHz", "4 GHz"] }}
memory_sharers = {{ values = [1, 16] }}
"""
    for costs in ("answering-level", "every-level"):
        found = values_of(problem_of(tmp_path, text.format(costs=costs)))
        clock = found["frequency"]
        work = work_of_mix(0.08, 0.24, memory_service_cycles=cycles_at(1e-7, clock), cumulative=costs == "every-level")
        expected = node_rate(work, latency=4e-6 * clock, overhead=8e-9 * clock, tasks=8, cores=found["memory_sharers"])
        np.testing.assert_allclose(found["slower_node_rate"], expected.node_rate, rtol=1e-12)
        assert np.all(found["efficiency"][clock == 4e9] < found["efficiency"][clock == 2e9])


def test_power_of_a_clock():
    assert node_dynamic_power(200.0, 1.3e9, 2.6e9, 0.8, 1.0) == pytest.approx(64.0)
    assert node_dynamic_power(200.0, 1.3e9, 2.6e9, 1.0, 1.0) == pytest.approx(100.0)
    assert energy_per_instruction(80.0, 200.0, 0.5, 2.0, 1e9) == pytest.approx(90e-9)


SIMPLE = """
name = "simple"
question = "?"
source = "test"
models = ["slower", "slower.instruction_mix", "slower.simple_power", "node.supply"]
also = ["voltage", "node_static_power", "node_dynamic_power", "leakage_factor"]
[[objectives]]
minimize = "energy_per_instruction"
[[objectives]]
maximize = "node_instruction_rate"
[set]
network_fraction = 0.01
memory_fraction = 0.3
memory_service_time = "5 ns"
message_latency_time = "4 us"
switch_overhead_cycles = 50
tasks_per_process = 16
memory_sharers = 8
technology = "22 nm"
nominal_frequency = "2.6 GHz"
reference_frequency = "2.6 GHz"
reference_voltage = "0.8 V"
reference_dynamic_power = "200 W"
reference_static_power = "50 W"
[space.axes]
frequency = { values = ["1.3 GHz", "2.4 GHz", "2.6 GHz", "2.8 GHz"] }
"""


def test_a_clock_has_its_voltage(tmp_path):
    found = values_of(problem_of(tmp_path, SIMPLE))
    expected = 200.0 * found["frequency"] / 2.6e9 * (found["voltage"] / 0.8) ** 2
    np.testing.assert_allclose(found["node_dynamic_power"], expected, rtol=1e-12)
    np.testing.assert_allclose(found["node_static_power"], 50.0 * found["leakage_factor"], rtol=1e-12)
    assert found["node_dynamic_power"][2] == pytest.approx(200.0, rel=1e-9)
    assert np.all(np.diff(found["voltage"]) > 0.0)


@pytest.fixture(scope="module")
def space():
    return Study.load("slower-space").problem()


def test_a_machine_of_modelled_nodes(space):
    """Every wait once: c0 without the others, the line's time on the bus, the message's time at the clock."""
    rng = np.random.default_rng(3)
    (record, *_) = space.quantities(np.sort(rng.integers(0, 17_280, 40)))
    found = record["values"]
    wait = found["network_latency"] + 64.0 / found["effective_bandwidth"]
    np.testing.assert_allclose(found["slower_latency_cycles"], wait * found["frequency"], rtol=1e-12)
    service = 64.0 / found["dram_bandwidth"] * found["frequency"]
    np.testing.assert_allclose(found["memory_service_cycles"], service, rtol=1e-12)
    np.testing.assert_allclose(found["messages_per_instruction"], 1 / 500, rtol=1e-12)
    work = work_of_thread(
        found["uncontended_cycles"], found["dram_accesses"], service, found["messages_per_instruction"]
    )
    expected = node_rate(
        work,
        latency=found["slower_latency_cycles"],
        overhead=found["switch_overhead_cycles"],
        tasks=found["tasks_per_process"],
        cores=found["cores"],
    )
    np.testing.assert_allclose(found["slower_node_rate"], expected.node_rate, rtol=1e-12)


def _changed(tmp_path, *pairs):
    text = files("dse.studies").joinpath("slower-space.toml").read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return problem_of(tmp_path, text)


def test_a_thread_alone_has_the_memory_for_itself(tmp_path, space):
    """On one core, c0 of the queue and of the processor model with shared bandwidth are the same; on many it is not."""
    other = _changed(
        tmp_path,
        ("[set]\n", '[use]\nmemory_contention = "processor"\n[set]\n'),
        ("[4, 8, 12, 16, 24, 32]", "[1, 32]"),
    )
    mine = _changed(tmp_path, ("[4, 8, 12, 16, 24, 32]", "[1, 32]"))
    rows = np.arange(0, 1000, 7)
    (a, *_), (b, *_) = other.quantities(rows), mine.quantities(rows)
    one = np.broadcast_to(a["values"]["cores"], len(rows)) == 1.0
    shared, alone = (np.broadcast_to(x["values"]["uncontended_cycles"], len(rows)) for x in (a, b))
    np.testing.assert_allclose(shared[one], alone[one], rtol=1e-12)
    np.testing.assert_allclose(shared, np.broadcast_to(a["values"]["cycles_per_instruction"], len(rows)), rtol=1e-12)
    assert np.all(shared[~one] >= alone[~one])
    response = np.broadcast_to(a["values"]["slower_memory_response_cycles"], len(rows))
    np.testing.assert_allclose(response, a["values"]["memory_service_cycles"] + 0.0 * response, rtol=0.0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[set]\n", '[use]\ndram_queueing = "queueing"\n[set]\n', "use.memory_contention: lines wait"),
        ("[set]\n", '[use]\nmessage_pipelining = "pipelined"\n[set]\n', "use.message_pipelining: messages are hidden"),
        ("[set]\n", "[set]\noverlap_fraction = 0.5\n", "by overlap_fraction = 0.5 and by tasks"),
    ],
)
def test_waits_with_two_owners_are_refused(tmp_path, old, new, words):
    problem = _changed(tmp_path, (old, new))
    with pytest.raises(InputError) as error:
        problem.quantities(np.arange(3))
    assert words in str(error.value)
