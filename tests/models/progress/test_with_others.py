"""Progress with several processes per node, and in hybrid machines: nothing counts twice, and off changes no bit."""

import numpy as np
import pytest

from dse.evaluation.direct import evaluate_models
from dse.models.progress import expected_wait
from tests.models.progress.test_alternatives import MESH, WORK

SEVERAL = {"processes_per_node": 4.0, "intra_node_latency": 1e-7}
SEVERAL |= {"node_memory_bandwidth": 1e11}
OWN = {
    "core": ("progress_cores", "progress_service_time"),
    "doubled": ("progress_service_time",),
    "interrupt": ("interrupt_time",),
}
EVERY = {name for names in OWN.values() for name in names}
TARGETS = ("class_time", "system_time", "communication_time", "computing_time", "compute_time")
WAYS = ("none", "core", "doubled", "interrupt")


def several(progress, *targets, models=("network", "system", "progress"), **changed):
    use = {"topology": "full-mesh", "node_processes": "several", "routing": "minimal-of-processes"}
    use |= {"progress": progress} if progress else {}
    given = {**MESH, **WORK, **SEVERAL, **changed}
    given = {name: value for name, value in given.items() if name not in EVERY or name in OWN.get(progress, ())}
    found = evaluate_models(list(models), targets or TARGETS, given, use)
    return {name: np.asarray(value) for name, value in found.items()}


def test_off_leaves_every_bit():
    alone = several("", models=("network", "system"))
    found = several("off")
    assert all(np.array_equal(found[name], alone[name]) for name in TARGETS)


@pytest.mark.parametrize("progress", WAYS)
def test_waiting_adds_to_the_calls_once(progress):
    """With a network that is the same, time is longer by the wait and by the cores that do not compute."""
    off = several("off", "class_time", "communication_time", "call_time", "compute_time")
    found = several(progress, *TARGETS, "call_time", "progress_wait_time", "progress_compute_factor")
    assert found["progress_wait_time"] > 0
    assert found["call_time"] == pytest.approx(off["call_time"], rel=1e-12)
    assert found["communication_time"] == pytest.approx(off["communication_time"] + found["progress_wait_time"])
    more = (found["progress_compute_factor"] - 1.0) * off["compute_time"]
    assert found["class_time"] == pytest.approx(off["class_time"] + found["progress_wait_time"] + more)


def test_a_core_serves_all_processes_of_its_node():
    """Messages inside of a node are served, too: the queue is that of four processes' messages."""
    found = several("core", "progress_busy_time")
    assert found["progress_busy_time"] == pytest.approx(4.0 * WORK["messages"] * WORK["progress_service_time"])


def test_polling_waits_for_what_its_calls_leave():
    found = several("none", "call_time", "computing_time", "progress_wait_time")
    count = WORK["messages"]
    by_hand = count * expected_wait(found["computing_time"] / count, found["call_time"] / count)
    assert found["progress_wait_time"] == pytest.approx(by_hand)
