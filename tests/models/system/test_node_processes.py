"""Several processes per node: what stays inside, what leaves, powers per process, sizes of classes."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.authoring.declare.declaration import Assumption
from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.graph.graph import Graph, Input
from dse.graph.resolve import resolve

from .machines import floats

SEVERAL = (("node_processes", "several"),)
NETWORK = {  # unit of what a network would give
    **{"nodes": "1", "network_latency": "s", "link_latency": "s", "path_switches": "1", "switch_latency": "s"},
    **{"effective_bandwidth": "B/s", "transfer_energy": "J/B", "network_power": "W"},
}
WANTED = ("communication_time", "system_time", "system_energy", "system_power", "network_dynamic_energy")


@lru_cache
def resolved(names: tuple[str, ...], use: tuple[tuple[str, str], ...]) -> tuple[Graph, dict[str, float]]:
    """The model of whole machines with a network in numbers."""
    model = load_model("system")
    declared = {**model.parameters, **model.assumptions}
    units = {name: NETWORK.get(name) or declared[name].unit for name in names}
    supplied = {name: Input(name, unit, "set", "the test") for name, unit in units.items()}
    graph = resolve(WANTED, models=[model], supplied=supplied, use=dict(use))
    return graph, {name: item.value for name, item in declared.items() if isinstance(item, Assumption)}


def solve(use=SEVERAL, **values: float) -> dict[str, float]:
    if "processes_per_node" in values:
        values.setdefault("bandwidth_processes", values["processes_per_node"])
    graph, assumed = resolved(tuple(values), tuple(use))
    answers = graph.evaluate({name: np.atleast_1d({**assumed, **values}[name]) for name in graph.inputs})
    return {name: float(answers[name][0]) for name in WANTED}


MACHINE = {
    **{"nodes": 32.0, "network_latency": 3e-6, "link_latency": 1e-7, "path_switches": 2.0, "switch_latency": 1e-7},
    **{"effective_bandwidth": 4.84375e9, "transfer_energy": 1e-9, "network_power": 900.0, "compute_time": 0.2},
    **{"messages": 1000.0, "message_size": 4096.0, "node_static_power": 40.0, "node_dynamic_power": 60.0},
}
INSIDE = {"intra_node_latency": 4e-7, "node_memory_bandwidth": 1e11, "inside_fraction": 1 / 63}

machines = st.fixed_dictionaries(
    {
        **{"network_latency": floats(0.0, 1e-4), "effective_bandwidth": floats(1e6, 1e12)},
        **{"message_size": floats(0.0, 1e7), "intra_node_latency": floats(0.0, 1e-4)},
        **{"node_memory_bandwidth": floats(1e8, 1e13), "intra_node_copies": floats(0.5, 4.0)},
    }
)


def rank_by_rank(nodes: int, each: int, destinations, told: dict[str, float]) -> tuple[float, float]:
    """Seconds of the messages of the mean rank, sent one by one, and the share of them that stays on its node."""
    seconds, inside, count = 0.0, 0, 0
    processes = nodes * each
    for rank in range(processes):
        for other in destinations(rank, processes):
            count += 1
            if other // each == rank // each:
                inside += 1
                # All processes of the node copy at once, each byte so many times.
                rate = told["node_memory_bandwidth"] / told["intra_node_copies"] / each
                seconds += told["intra_node_latency"] + told["message_size"] / rate
            else:
                seconds += told["network_latency"] + told["message_size"] / told["effective_bandwidth"]
    return seconds / processes, inside / count


def to_all(rank: int, processes: int) -> list[int]:
    return [other for other in range(processes) if other != rank]


def to_neighbour(rank: int, processes: int) -> list[int]:
    return [(rank + 3) % processes]


@given(machines, st.integers(2, 6), st.integers(1, 8), st.sampled_from([to_all, to_neighbour]))
def test_messages_rank_by_rank(told, nodes, each, destinations):
    """The shares of the mean rank give the time of a machine whose ranks send one by one."""
    wanted, share = rank_by_rank(nodes, each, destinations, told)
    count = len(destinations(0, nodes * each))
    values = {**MACHINE, **told, "nodes": float(nodes), "messages": float(count), "inside_fraction": share}
    found = solve(**values, processes_per_node=float(each))
    assert found["communication_time"] == pytest.approx(wanted, rel=1e-9, abs=1e-18)


@pytest.mark.parametrize(
    ("each", "bandwidth", "share"),
    [(1, 9.6875e9, 0.0), (2, 4.84375e9, 1 / 63), (4, 2.421875e9, 3 / 127), (8, 1.2109375e9, 7 / 255)],
)
def test_messages_on_a_torus_by_hand(each, bandwidth, share):
    """Torus 4 x 4 with 2 nodes per switch, uniform: bandwidth of a process and share inside, given."""
    told = {**MACHINE, **INSIDE, "effective_bandwidth": bandwidth, "inside_fraction": share}
    found = solve(**told, processes_per_node=float(each))
    inside = 4e-7 + 4096 * each / 5e10
    wanted = 1000 * (share * inside + (1 - share) * (3e-6 + 4096 / bandwidth))
    assert found["communication_time"] == pytest.approx(wanted, rel=1e-12)


@given(machines)
def test_one_process_is_the_equation_of_one(told):
    """n_p = 1 sends nothing inside: the same bits as the component of one process."""
    values = {**MACHINE, **told, "inside_fraction": 0.0, "processes_per_node": 1.0}
    of_one = {name: value for name, value in values.items() if name in MACHINE}
    assert solve(**values) == solve((), **of_one)


@given(machines, floats(0.0, 1.0), st.integers(1, 64))
def test_limits(told, share, each):
    """Everything inside needs no network; copies take no time on an infinite memory."""
    values = {**MACHINE, **told, "processes_per_node": float(each)}
    inside = solve(**values, inside_fraction=1.0)
    other = {**values, "network_latency": 1.0, "effective_bandwidth": 1.0}
    assert inside["communication_time"] == solve(**other, inside_fraction=1.0)["communication_time"]
    assert inside["network_dynamic_energy"] == 0.0
    fast = solve(**{**values, "node_memory_bandwidth": 1e300, "intra_node_latency": 0.0}, inside_fraction=share)
    alone = solve(**values, inside_fraction=0.0)
    assert fast["communication_time"] == pytest.approx((1 - share) * alone["communication_time"], rel=1e-9, abs=1e-18)


@given(floats(0.0, 1.0), st.integers(1, 16))
def test_nodes_draw_what_nodes_draw(share, each):
    """Eq. 6.6 counts nodes, whatever their processes; bytes that leave are those of all processes."""
    told = {**MACHINE, **INSIDE, "inside_fraction": share, "processes_per_node": float(each)}
    found = solve(**told)
    sent = 32 * each * 1000 * 4096 * (1 - share) * 1e-9
    nodes = 32 * (40.0 * found["system_time"] + 60.0 * 0.2)
    assert found["network_dynamic_energy"] == pytest.approx(sent, rel=1e-12)
    assert found["system_energy"] == pytest.approx(nodes + 900.0 * found["system_time"] + sent, rel=1e-12)


def test_pipelined_and_large_messages_are_those_that_leave():
    """LogGP outside, copies inside one after the other; only messages that leave shake hands."""
    use = (*SEVERAL, ("message_pipelining", "pipelined"))
    told = {**MACHINE, **INSIDE, "inside_fraction": 0.25, "processes_per_node": 4.0, "eager_limit": 1024.0}
    found = solve(use, **told, message_overhead=5e-6, message_gap=1e-6)
    outside = 3e-6 + 4096 / 4.84375e9 + 749 * 5e-6 + 750 * 2 * (1e-7 + 2 * 1e-7)
    inside = 250 * (4e-7 + 4096 * 4 / 5e10)
    assert found["communication_time"] == pytest.approx(outside + inside, rel=1e-12)


def test_several_processes_are_not_taken_for_one():
    with pytest.raises(InputError) as caught:
        solve((), **MACHINE, processes_per_node=4.0)
    assert "a node has 4 processes" in str(caught.value)
    assert 'use.node_processes = "several"' in str(caught.value)


def test_the_bandwidth_of_a_node_is_not_taken_for_that_of_a_process():
    with pytest.raises(InputError) as caught:
        solve(**MACHINE, **INSIDE, processes_per_node=4.0, bandwidth_processes=1.0)
    assert "4 processes share a node, and its effective_bandwidth is for one of 1" in str(caught.value)
    assert "minimal-of-processes" in str(caught.value)


def test_a_network_routed_for_nodes_is_refused(tmp_path):
    use = {"topology": "full-mesh", "node_processes": "several"}
    with pytest.raises(InputError, match="minimal-of-processes"):
        study(tmp_path, use=use).evaluate({"mesh_switches": 8})


def study(folder, changed=None, **more) -> Study:
    document = {
        "name": "several",
        "models": ["network", "system"],
        "objectives": [{"minimize": "system_time"}, {"minimize": "system_energy"}],
        "use": {"topology": "full-mesh", "node_processes": "several", "routing": "minimal-of-processes"},
        "set": {
            **{"node_link_bandwidth": "5 GB/s", "switch_link_bandwidth": "5 GB/s", "nodes_per_switch": 4},
            **{"compute_time": "0.2 s", "message_size": "4 KiB", "messages": 1000},
            **{"node_static_power": "40 W", "node_dynamic_power": "60 W", "processes_per_node": 4},
            **{"intra_node_latency": "400 ns", "node_memory_bandwidth": "100 GB/s"},
            **(changed or {}),
        },
        "space": {"axes": {"mesh_switches": {"values": [8]}}},
        **more,
    }
    document["set"] = {name: value for name, value in document["set"].items() if value is not None}
    return Study(document, folder=folder)


def classes(**sizes):
    return {"index": {"process_class": {name: {"set": told} for name, told in sizes.items()}}}


def test_classes_fill_all_processes_of_all_nodes(tmp_path):
    also = {"also": ["class_processes@few", "class_nodes@few", "class_processes@rest", "nodes_static_power"]}
    asked = classes(few={"processes": 28, "messages": 10.0}, rest={"process_share": 100 / 128, "messages": 20.0})
    found = study(tmp_path, {"messages": None}, **asked, **also).evaluate({})
    assert (found["class_processes@few"], found["class_nodes@few"], found["class_processes@rest"]) == (28, 7, 100)
    assert found["nodes_static_power"] == pytest.approx(32 * 40.0, rel=1e-12)


def test_classes_that_fill_the_nodes_only_are_refused(tmp_path):
    asked = classes(a={"processes": 12, "messages": 10.0}, b={"processes": 20, "messages": 20.0})
    with pytest.raises(InputError) as caught:
        study(tmp_path, {"messages": None}, **asked).run(tmp_path / "run")
    told = str(caught.value)
    assert "the classes have 32 processes together, and the machine has 32 nodes" in told
    assert "4 processes per node: 'processes' that add up to 128" in told


def test_a_profile_is_of_all_processes(tmp_path):
    from ..workload.small_profiles import document

    more = {"models": ["network", "system", "system.profiled_messages"], "tables": {"profile": {"file": "p.json"}}}
    without = {"messages": None, "message_size": None}
    for processes in (128, 32):
        told = document(run={"processes": processes}, classes__0__comm={"p2p": {"messages": 300, "bytes": 3000}})
        (tmp_path / "p.json").write_text(json.dumps(told), encoding="utf-8")
        if processes == 128:
            assert study(tmp_path, without, **more, also=["messages"]).evaluate({})["messages"] == 300
        else:
            run = study(tmp_path, without, **more).run(tmp_path / "run")
            assert len(run.frontier) == 0
            assert run.manifest.certificate.infeasible == {"profile_processes_off <= 0": 1}
            (reason,) = run.manifest.constraints_text
            assert reason.endswith("(required by system.profiled_messages.profile)")


def test_laws_of_one_process_per_node_refuse_several(tmp_path):
    """They read nodes as processes, which would be too few messages here."""
    changed = {"messages": None, "message_size": None, "graph_scale": 20, "edge_factor": 16}
    models = ["network", "system", "applications.breadth_first_search"]
    use = {"topology": "full-mesh", "node_processes": "several"}
    with pytest.raises(InputError) as caught:
        study(tmp_path, changed, models=models, use=use).run(tmp_path / "run")
    assert "laws of one process per node, and a node has 4" in str(caught.value)


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(InputError, match="intra_node_latency"):
        study(tmp_path, {"intra_node_latency": None}).problem()
    with pytest.raises(InputError, match="node_memory_bandwidth"):
        study(tmp_path, {"node_memory_bandwidth": None}).problem()
