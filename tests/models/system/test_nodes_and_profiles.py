"""Nodes from the models of processors, messages from profiles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dse.spaces
from dse import Study
from dse.errors import InputError

PROFILE = Path(str(dse.spaces.__file__)).parent / "profiles" / "graph500-seq-csr.json"
NODE = {
    **{"threads": 4, "cores": 4, "technology": "22 nm", "temperature": "360 K"},
    **{"frequency": "2.6 GHz", "nominal_frequency": "2.6 GHz", "issue_width": 8, "dispatch_width": 4},
    **{"integer_units": 4, "float_units": 2, "memory_units": 2, "control_units": 2, "vector_units": 0},
    **{"vector_width": 0, "front_end_stages": 7, "reorder_buffer": 128, "issue_queue": 54, "miss_registers": 10},
    **{"l1_size": "32 KiB", "l1_latency_cycles": 4, "l1_bandwidth": "160 GiB/s", "l2_size": "256 KiB"},
    **{"l3_size": "32 MiB", "l3_bandwidth": "40 GiB/s", "dram_latency": "83.46 ns", "dram_units": 4},
}
LINKS = {"node_link_bandwidth": "5 GB/s", "switch_link_bandwidth": "5 GB/s", "nodes_per_switch": 4}


def study(tmp_path, models, fixed, also, profile=None):
    document = json.loads(PROFILE.read_text(encoding="utf-8"))
    for key, value in (profile or {}).items():
        target = document["run"] if key == "processes" else document["classes"][0]
        target[key] = value
    (tmp_path / "profile.json").write_text(json.dumps(document), encoding="utf-8")
    return Study(
        {
            "name": "adapted",
            "models": models,
            "objectives": [{"minimize": "system_time"}, {"minimize": "system_energy"}],
            "also": also,
            "use": {"topology": "full-mesh"},
            "set": {**LINKS, **fixed},
            "tables": {"profile": {"file": "profile.json"}},
            "space": {
                "axes": {
                    "mesh_switches": {"values": [4, 8]},
                    **(
                        {"memory": {"part": "processor/dram-types.csv", "where": {"name": "DDR4-3200"}}}
                        if "node" in models
                        else {}
                    ),
                }
            },
        },
        folder=tmp_path,
    )


def test_time_and_power_of_modelled_nodes(tmp_path):
    """Tcomp is the run time, Pstat the static power, and Pdyn Tcomp the dynamic energy of the node."""
    models = ["processor", "node", "network", "system", "system.modelled_nodes"]
    also = ["run_time", "static_power", "dynamic_energy", "node_dynamic_energy", "nodes_static_power", "nodes"]
    asked = study(tmp_path, models, {**NODE, "messages": 1000, "message_size": "4 KiB"}, also)
    memory = asked.space.products[0].axes[1].label(0)
    for switches in (4, 8):
        found = asked.evaluate({"mesh_switches": switches, "memory": memory})
        assert found["nodes"] == 4 * switches
        assert found["compute_time"] == found["run_time"] > 0
        assert found["nodes_static_power"] == pytest.approx(found["nodes"] * found["static_power"], rel=1e-12)
        assert found["node_dynamic_energy"] == pytest.approx(found["nodes"] * found["dynamic_energy"], rel=1e-12)


def test_processes_of_a_node_share_its_caches_and_memory(tmp_path):
    """Two processes of two threads compute as four threads do; messages inside go through half the memory bandwidth."""
    models = ["processor", "node", "network", "system", "system.modelled_nodes"]
    sent = {"messages": 1000, "message_size": "4 KiB"}
    alone = study(tmp_path, models, {**NODE, **sent}, ["dram_bandwidth", "nodes_static_power", "node_dynamic_energy"])
    use = {"topology": "full-mesh", "node_processes": "several", "routing": "minimal-of-processes"}
    document = alone.document | {"use": use}
    fixed = {name: value for name, value in document["set"].items() if name != "threads"}
    fixed |= {"processes_per_node": 2, "threads_per_process": 2, "intra_node_latency": "0 s"}
    also = [*document["also"], "inside_time", "inside_fraction"]
    shared = Study({**document, "set": fixed, "also": also}, folder=tmp_path)
    memory = alone.space.products[0].axes[1].label(0)
    one, two = (asked.evaluate({"mesh_switches": 4, "memory": memory}) for asked in (alone, shared))
    assert two["threads"] == 4
    for name in ("compute_time", "nodes_static_power", "node_dynamic_energy"):
        assert two[name] == one[name], name
    inside = 1000 * two["inside_fraction"] * 4096 * 2 / (one["dram_bandwidth"] / 2)
    assert two["inside_time"] == pytest.approx(inside, rel=1e-12)
    assert two["inside_fraction"] > 0.0


def test_threads_that_a_study_forgets_are_asked_for(tmp_path):
    models = ["processor", "node", "network", "system", "system.modelled_nodes"]
    fixed = {name: value for name, value in NODE.items() if name != "threads"}
    with pytest.raises(InputError) as caught:
        study(tmp_path, models, {**fixed, "messages": 1, "message_size": "4 KiB"}, []).problem()
    assert "missing quantity 'threads'" in str(caught.value)
    assert "under [set]" in str(caught.value)


COUNTS = {"messages": 700, "bytes": 2_000_000}
PROCESS = {"compute_time": "0.2 s", "node_static_power": "40 W", "node_dynamic_power": "60 W"}
MODELS = ["network", "system", "system.profiled_messages"]


def test_messages_of_a_profile(tmp_path):
    """Received ones, and sent ones where the profile has them."""
    profile = {"processes": 16, "comm": {"p2p": COUNTS}}
    found = study(tmp_path, MODELS, PROCESS, ["bytes_sent"], profile)
    told = {"mesh_switches": 4}
    values = found.evaluate(told)
    assert (values["messages"], values["bytes_sent"]) == (700, pytest.approx(2e6, rel=1e-12))
    profile["comm"] = {"p2p": {**COUNTS, "sent_messages": 650, "sent_bytes": 1_300_000}}
    values = study(tmp_path, MODELS, PROCESS, ["message_size"], profile).evaluate(told)
    assert (values["messages"], values["message_size"]) == (650, 2000)


def test_machines_of_other_sizes_are_excluded_where_there_are_some(tmp_path):
    """Of 16 and 32 nodes those of the profile are left, and the reason is told."""
    run = study(tmp_path, MODELS, PROCESS, [], {"processes": 16, "comm": {"p2p": COUNTS}}).run()
    assert set(run.frontier["mesh_switches"]) == {4}
    (limit,) = [text for text, count in run.manifest.certificate.infeasible.items() if count]
    assert limit == "profile_processes_off <= 0"


def test_machines_of_another_size_alone_leave_nothing(tmp_path):
    """A profile of 12 processes fits none of 16 and 32 nodes: no error of the study, and no design."""
    run = study(tmp_path, MODELS, PROCESS, [], {"processes": 12, "comm": {"p2p": COUNTS}}).run()
    assert len(run.frontier) == 0
    assert run.study.evaluate({"mesh_switches": 8})["profile_processes_off"] == 20


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        ({"processes": 16}, ["counts no messages", "comm.p2p"]),
        ({"processes": None, "comm": {"p2p": COUNTS}}, ["does not say how many processes", "run.processes"]),
    ],
)
def test_profiles_that_do_not_fit_are_refused(tmp_path, profile, words):
    with pytest.raises(InputError) as caught:
        study(tmp_path, MODELS, PROCESS, [], profile).run()
    for word in words:
        assert word in str(caught.value)
