"""Collective operations in whole machines: composition with the messages, sizes by operation, classes, and profiles."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse import Study
from dse.errors import InputError
from dse.evaluation.direct import evaluate_models
from dse.models.collectives.algorithms.registry import ALGORITHMS, COLLECTIVES
from dse.models.system.collectives import OPERATIONS
from dse.models.workload.profile.collective_calls import COLLECTIVE_OPERATIONS, collective_calls
from dse.models.workload.profile.profile import Collective

from ..workload.small_profiles import document
from .machines import NETWORK, PROCESS, TARGETS

MODELS = ["network", "system", "system.collectives"]
HOP = 0.9e-6 + 2 * 2.5e-9 + 0.7e-6
"""Seconds of an empty message below a switch: two links and the switch between them."""
FAR = HOP + 12e-9 + 0.7e-6
BYTE = 70e-12 * 8
"""Joules of a byte on a link."""


def one(*targets: str, use: dict[str, str] | None = None, **changed: float) -> dict[str, Any]:
    """Quantities of a full mesh of 8 switches with 4 nodes, over shortest paths."""
    given_values = {**NETWORK, **PROCESS, "collective_detours": 0.0, **changed}
    found = evaluate_models(MODELS, targets, given_values, {"topology": "full-mesh", **(use or {})})
    return {name: value[0] for name, value in found.items()}


BUTTERFLY = {"collective_algorithm_allreduce": "butterfly"}


def butterfly(size: float) -> float:
    """Seconds of a butterfly of 32 nodes: distances 1 and 2 below a switch, 4, 8 and 16 four nodes to a link."""
    return 2 * (HOP + size / 5e9) + 3 * (FAR + size * 4 / 5e9)


def test_the_operations_are_those_of_the_family():
    assert tuple(COLLECTIVES) == OPERATIONS == COLLECTIVE_OPERATIONS


def test_without_calls_every_number_is_what_it_was():
    """To the bit: a sum with zero."""
    given_values = {**NETWORK, **PROCESS}
    without = evaluate_models(MODELS[:2], TARGETS, given_values, {"topology": "full-mesh"})
    with_none = evaluate_models(MODELS, TARGETS, given_values, {"topology": "full-mesh"})
    assert {name: value.tolist() for name, value in without.items()} == {
        name: value.tolist() for name, value in with_none.items()
    }


def test_time_energy_and_messages_by_hand():
    """100 reductions of 1,000 B beside 1,000 messages, and 7 barriers that carry nothing."""
    wanted = ("communication_time", "latency_time", "transfer_time", "collective_time", "collective_energy")
    calls = {"allreduce_calls": 100.0, "allreduce_bytes": 1e5, "barrier_calls": 7.0}
    use = {**BUTTERFLY, "collective_algorithm_barrier": "butterfly"}
    more = ("collective_messages", "class_transfer_energy", "messages", "system_time")
    found = one(*wanted, *more, use=use, **calls)
    time = 100 * butterfly(1000.0) + 7 * butterfly(0.0)
    assert found["collective_time"] == pytest.approx(time, rel=1e-12)
    assert found["communication_time"] == found["latency_time"] + found["transfer_time"] + found["collective_time"]
    assert found["system_time"] == pytest.approx(0.2 + found["communication_time"], rel=1e-15)
    energy = 100 * 1000 * (2 * 2 + 3 * 3) * BYTE  # of one of 32 processes
    assert found["collective_energy"] == pytest.approx(energy, rel=1e-12)
    alone = one("class_transfer_energy")["class_transfer_energy"]
    assert found["class_transfer_energy"] == pytest.approx(alone + 32 * energy, rel=1e-12)
    assert found["collective_messages"] == pytest.approx((100 + 7) * 5, rel=1e-12)
    assert found["messages"] == 1000.0


def test_links_that_are_always_on_leave_the_energy_of_switches():
    calls = {"allreduce_calls": 100.0, "allreduce_bytes": 1e5, "switch_energy": 1e-10}
    found = one("collective_energy", use={**BUTTERFLY, "link_power": "always-on"}, **calls)
    assert found["collective_energy"] == pytest.approx(100 * 1000 * (2 * 1 + 3 * 2) * 1e-10, rel=1e-12)


R, P = 4096.0, 32.0
SIZES = {
    **dict.fromkeys(("bcast", "allreduce", "scan", "exscan", "scatter", "reduce_scatter", "reduce"), R),
    **dict.fromkeys(("allgather", "alltoall", "gather"), R / P),
}


@pytest.mark.parametrize(("operation", "size"), SIZES.items())
def test_size_of_a_message_by_operation(operation, size):
    """Of r bytes received in a call: r, or a block of r/P where r holds those of all."""
    found = one(f"{operation}_size", f"{operation}_time", **{f"{operation}_calls": 5.0, f"{operation}_bytes": 5 * R})
    assert found[f"{operation}_size"] == size
    assert found[f"{operation}_time"] > 0.0


def test_calls_without_bytes_are_of_a_number():
    found = one("scan_size", "scan_size_assumed", "allgather_size", "barrier_size", scan_calls=3.0, allgather_calls=1.0)
    assert found == {"scan_size": 8.0, "scan_size_assumed": 1.0, "allgather_size": 8.0, "barrier_size": 0.0}
    assert one("scan_size", scan_calls=3.0, unknown_collective_bytes=64.0)["scan_size"] == 64.0
    assert one("scan_size_assumed", scan_calls=3.0, scan_bytes=30.0)["scan_size_assumed"] == 0.0


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ({"bcast_bytes": 64.0}, ["'bcast_bytes' is 64 B", "'bcast_calls' is 0"]),
        ({"gather_bytes": 64.0}, ["'gather_bytes' is 64 B", "'gather_calls' is 0"]),
        ({"reduce_calls": 2.0}, ["'reduce_bytes' is 0 in every class", "'reduce_calls'", "the root of reduce"]),
    ],
)
def test_counts_that_do_not_fit_are_refused_by_name(calls, words):
    with pytest.raises(InputError) as caught:
        one("collective_time", **calls)
    for word in words:
        assert word in str(caught.value)


def test_what_is_among_the_messages_is_not_counted_twice():
    calls = {"allreduce_calls": 100.0, "allreduce_bytes": 1e5, "collectives_inside_messages": 1.0}
    names = ("collective_time", "collective_energy", "collective_messages", "communication_time", "collectives_inside")
    found = one(*names, **calls)
    assert [found[name] for name in names] == [0.0, 0.0, 0.0, one("communication_time")["communication_time"], 1.0]


@settings(max_examples=20)
@given(st.sampled_from(OPERATIONS), st.floats(1.0, 1e4), st.floats(1.0, 1e6))
def test_calls_add_up(operation, count, received):
    """Twice the calls, and their bytes, take twice the time; the mean size decides, not the number of calls."""
    held = 0.0 if operation == "barrier" else count * received
    names = ("collective_time", "collective_energy", "collective_messages")
    once, twice = (
        one(*names, **{f"{operation}_calls": n * count, **({f"{operation}_bytes": n * held} if held else {})})
        for n in (1.0, 2.0)
    )
    for name in names:
        assert twice[name] == pytest.approx(2 * once[name], rel=1e-9)


def test_several_processes_per_node():
    """64 processes on 32 nodes: a round of copies, two below a switch, three of eight processes to a link."""
    use = {**BUTTERFLY, "node_processes": "several", "routing": "minimal-of-processes"}
    options = {"processes_per_node": 2.0, "node_memory_bandwidth": 1e11, "intra_node_latency": 4e-7}
    names = ("allreduce_time", "communication_time", "inside_time", "latency_time", "transfer_time", "collective_time")
    found = one(*names, use=use, allreduce_calls=10.0, allreduce_bytes=1e6, **options)
    size = 1e5
    copy = 4e-7 + size * 2 / (1e11 / 2)
    time = copy + 2 * (HOP + size * 2 / 5e9) + 3 * (FAR + size * 8 / 5e9)
    assert found["allreduce_time"] == pytest.approx(time, rel=1e-12)
    parts = sum(found[name] for name in ("latency_time", "transfer_time", "inside_time", "collective_time"))
    assert found["communication_time"] == pytest.approx(parts, rel=1e-15)


def study(classes: dict[str, dict[str, Any]], also: tuple[str, ...], **use: str) -> Study:
    """The full mesh with classes of processes."""
    return Study(
        {
            "name": "classes",
            "models": MODELS,
            "objectives": [{"minimize": "system_time"}, {"minimize": "system_energy"}],
            "also": list(also),
            "use": {"topology": "full-mesh", **use},
            "set": {
                **{"compute_time": "0.2 s", "message_size": "4096 B", "nodes_per_switch": 4},
                **{"node_static_power": "40 W", "node_dynamic_power": "60 W", "collective_detours": 0},
                **{"node_link_bandwidth": "5 GB/s", "switch_link_bandwidth": "5 GB/s"},
            },
            "index": {"process_class": {name: {"set": values} for name, values in classes.items()}},
            "space": {"axes": {"mesh_switches": {"values": [8]}}},
        }
    )


def test_a_machine_of_two_classes_by_hand():
    """A root receives what 31 others send it; the others reduce among all more often. Each class has its own sum."""
    classes = {
        "root": {
            **{"processes": 1, "messages": 10, "reduce_calls": 5, "reduce_bytes": "5000 B"},
            **{"allreduce_calls": 2, "allreduce_bytes": "2000 B"},
        },
        "leaf": {"processes": 31, "messages": 40, "reduce_calls": 5, "allreduce_calls": 20, "allreduce_bytes": "800 B"},
    }
    use = {"collective_algorithm_reduce": "flat", **BUTTERFLY}
    also = (
        "reduce_size@root",
        "reduce_size@leaf",
        "reduce_time@leaf",
        "collective_time@root",
        "collective_time@leaf",
        "network_dynamic_energy",
    )
    paths = ("network_latency", "effective_bandwidth", "transfer_energy")
    found = study(classes, (*also, *paths, "reduce_time@root"), **use).evaluate({})
    # One node sends to 31 others in turn, 3 of them below its switch; every link gives a single message 5 GB/s.
    mean = 0.9e-6 + 2 * 2.5e-9 + 28 / 31 * 12e-9 + (1 + 28 / 31) * 0.7e-6
    flat = mean + 30 * 0.45e-6 + 31 * 1000 / 5e9
    assert found["reduce_size@root"] == found["reduce_size@leaf"] == 1000.0
    assert found["reduce_time@root"] == found["reduce_time@leaf"] == pytest.approx(flat, rel=1e-12)
    time = {"root": 5 * flat + 2 * butterfly(1000.0), "leaf": 5 * flat + 20 * butterfly(40.0)}
    for name, wanted in time.items():
        assert found[f"collective_time@{name}"] == pytest.approx(wanted, rel=1e-12)
    message = found["network_latency"] + 4096 / found["effective_bandwidth"]
    slowest = max(0.2 + 10 * message + time["root"], 0.2 + 40 * message + time["leaf"])
    assert found["system_time"] == pytest.approx(slowest, rel=1e-12)
    # D of all 32 processes; a class has its part of it, with the calls that it counts.
    reduce = 31 * 1000 * (2 + 28 / 31) * BYTE
    exchange = {"root": 32 * 1000 * 13 * BYTE, "leaf": 32 * 40 * 13 * BYTE}
    own = 1 / 32 * (5 * reduce + 2 * exchange["root"]) + 31 / 32 * (5 * reduce + 20 * exchange["leaf"])
    messages = (1 * 10 + 31 * 40) * 4096 * found["transfer_energy"]
    assert found["network_dynamic_energy"] == pytest.approx(messages + own, rel=1e-12)


def test_a_root_is_looked_for_in_every_class():
    classes = {
        name: {"processes": n, "messages": 1, "gather_calls": 5, "gather_bytes": "0 B"}
        for name, n in (("root", 1), ("leaf", 31))
    }
    with pytest.raises(InputError, match="'gather_bytes' is 0 in every class"):
        study(classes, ("collective_time@leaf",)).evaluate({})


def test_names_of_tools_are_those_of_operations():
    told = {
        "MPI_Allgather": Collective(2, 64),
        "MPI_Allgatherv": Collective(1, 20),
        "reduce_scatter_block": Collective(3, None),
        "MPI_Neighbor_alltoall": Collective(7, 70),
        "scan": Collective(0, 0),
    }
    found = collective_calls(told)
    assert found.counted == {"allgather": Collective(3, 84), "reduce_scatter": Collective(3, None)}
    assert found.left_out == {"MPI_Neighbor_alltoall": 7}


def profiled(folder: Any, collectives: dict[str, Any], processes: int = 32, **changed: Any) -> Study:
    """A study of a SYNTHETIC profile with these calls."""
    comm = {"p2p": {"messages": 100, "bytes": 100_000}, "collectives": collectives}
    made_up = document(run={"processes": processes}, synthetic=True, name="made-up", classes__0__comm=comm)
    (folder / "p.json").write_text(json.dumps(made_up), encoding="utf-8")
    return Study(profiled_study(**changed), folder=folder)


def profiled_study(**changed: Any) -> dict[str, Any]:
    """The same as a document."""
    return {
        "name": "profiled",
        "models": [*MODELS, "system.profiled_messages", "system.profiled_collectives"],
        "objectives": [{"minimize": "system_time"}, {"minimize": "system_power"}],
        "also": ["collective_time", "allreduce_taken", "allreduce_choice", "bcast_size", "allreduce_calls"],
        "set": {
            **{"compute_time": "1 ms", "node_static_power": "40 W", "node_dynamic_power": "60 W"},
            **{"node_link_bandwidth": "5 GB/s", "switch_link_bandwidth": "5 GB/s", **changed.pop("set", {})},
        },
        "tables": {"profile": {"file": "p.json"}},
        "space": {
            "alternatives": {
                "mesh": {
                    "use": {"topology": "full-mesh"},
                    "axes": {"mesh_switches": {"values": [8]}, "nodes_per_switch": {"values": [4]}},
                },
                "torus": {
                    "use": {"topology": "torus"},
                    "axes": {
                        "shape": {
                            "enumerate": "network.torus",
                            "given": {"nodes": 32, "radix": 64, "dimensions": [2, 3]},
                        }
                    },
                },
            }
        },
        **changed,
    }


CALLS = {
    "MPI_Allreduce": {"count": 100, "bytes": 800},
    "bcast": {"count": 10, "bytes": 40_960},
    "MPI_Neighbor_alltoall": {"count": 7, "bytes": 70},
    "scan": {"count": 2},
}


def test_bytes_without_calls_are_refused_in_a_profile(tmp_path):
    plan = mesh_of(tmp_path, {"bcast": {"bytes": 64}})
    with pytest.raises(InputError, match=r"'made-up' has 64 bytes of bcast and no calls; allowed: count"):
        plan.evaluate({})


def test_a_profile_is_of_machines_of_its_size(tmp_path):
    values = mesh_of(tmp_path, {"scan": {"count": 2}}, processes=16).evaluate({})
    assert values["profile_processes_off"] == 16


def mesh_of(folder: Any, collectives: dict[str, Any], processes: int = 32, **given_values: Any) -> Study:
    """The full mesh alone."""
    space = {"axes": {"mesh_switches": {"values": [8]}}}
    values = {"nodes_per_switch": 4, **given_values}
    return profiled(folder, collectives, processes, set=values, space=space, use={"topology": "full-mesh"})


def test_a_profile_by_hand(tmp_path):
    with pytest.warns(UserWarning, match=r"'made-up': left out.*MPI_Neighbor_alltoall \(7 calls\)"):
        found = mesh_of(tmp_path, CALLS).evaluate({})
    assert found["allreduce_calls"] == 100
    assert found["bcast_size"] == 4096
    assert found["allreduce_taken"] == ALGORITHMS[int(found["allreduce_choice"])] == "butterfly"
    assert found["collective_time"] > 100 * butterfly(8.0)


def test_roots_without_bytes_are_of_a_number(tmp_path):
    found = mesh_of(tmp_path, {"gather": {"count": 3}, "reduce": {"count": 1}}).evaluate({})
    assert found["collective_time"] > 0
    with pytest.raises(InputError, match="'reduce_bytes' is 0 in every class"):
        mesh_of(tmp_path, {"reduce": {"count": 1, "bytes": 0}}).evaluate({})


def test_a_search_over_networks_by_every_method(tmp_path):
    from dse.search.driver import SearchOptions, search

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem = profiled(tmp_path, CALLS).problem()
        found = [search(problem, SearchOptions(method=method)) for method in ("exhaustive", "bundles", "groups")]
    assert found[0].numbers.size > 0
    for other in found[1:]:
        assert np.array_equal(found[0].numbers, other.numbers)
        assert np.array_equal(found[0].values, other.values)


@pytest.mark.slow
def test_a_profile_from_its_file_to_the_report(tmp_path, monkeypatch, capsys):
    """What is counted, the frontier with the algorithms, marks in words, and the picture: as a user runs it."""
    from dse.cli.main import main

    def said(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        told = capsys.readouterr()
        assert ended.value.code == 0, told.err
        return " ".join(told.out.split())

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    profiled(tmp_path, CALLS)
    shown = said("profile", "show", "p.json")
    assert "MPI_Allreduce 100 800 B counted as allreduce" in shown
    assert "MPI_Neighbor_alltoall 7 70 B left out: no algorithms here" in shown
    given_values = {"compute_time": "1 ms", "node_static_power": "40 W", "node_dynamic_power": "60 W"}
    given_values |= {"node_link_bandwidth": "5 GB/s", "switch_link_bandwidth": "5 GB/s"}
    lines = [
        'name = "profiled"',
        f"models = {json.dumps(profiled_study()['models'])}",
        'also = ["collective_time", "allreduce_taken"]',
        'objectives = [{ minimize = "system_time" }, { minimize = "system_power" }]',
        'tables = { profile = { file = "p.json" } }',
        'use = { topology = "full-mesh" }',
        "[set]",
        "nodes_per_switch = 4",
        *(f'{name} = "{value}"' for name, value in given_values.items()),
        "[space.axes]",
        "mesh_switches = { values = [8] }",
    ]
    (tmp_path / "s.toml").write_text("\n".join(lines), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ran = said("run", "s.toml", "--report")
    assert "butterfly" in ran
    assert "leave out calls of operations that have no algorithms here (left_out_collectives)" in ran
    assert "have an assumed size of scan, unknown_collective_bytes (scan_size_assumed)" in ran
    page = (tmp_path / "runs" / "profiled" / "report.html").read_text(encoding="utf-8")
    assert "allreduce of 8 B takes" in page
    assert "Collective operations of 32 processes" in page
