"""Checkpoints and failures as quantities of a study."""

import json

import numpy as np
import pytest

from dse.api import Study
from dse.authoring.library.library import load_model
from dse.errors import InputError
from dse.models.resilience import checkpoint, two_level_checkpoint, two_level_efficiency
from dse.search.driver import SearchOptions, search

MODEL = load_model("resilience")
FUNCTIONS = {function.name: function for function in MODEL.functions}
SET = {"useful_time": "1 day", "busy_power": "10 MW", "restart_time": "0 s"}
SHOWN = [
    "system_mean_time_between_failures",
    "checkpoint_cost",
    "restart_cost",
    "checkpoint_interval",
    "checkpoint_efficiency",
    "availability",
    "useful_time",
    "rework_time",
    "checkpoint_time",
    "restart_total_time",
    "maintenance_time",
    "resilience_energy",
]


def study(objective="wall_time", **keys):
    document = {
        "name": "resilience-test",
        "models": ["resilience"],
        "objectives": [{"minimize": objective}],
        "also": SHOWN,
        **keys,
    }
    return Study.from_text(json.dumps(document), folder=".")


def values(objective="wall_time", nodes=10_000, use=None, **given):
    """All quantities of one system."""
    problem = study(
        objective, use=use or {}, set={**SET, **given}, space={"axes": {"nodes": {"values": [nodes]}}}
    ).problem()
    (record,) = problem.quantities([0])
    return {name: float(np.ravel(value)[0]) for name, value in record["values"].items()}


STORE = {"checkpoint_bytes": "640 TB", "store_write_bandwidth": "1 TB/s"}


def test_declarations():
    given = {name for function in MODEL.functions for name in function.gives}
    declared = {**MODEL.parameters, **MODEL.assumptions}
    for function in MODEL.functions:
        assert function.doc.endswith("."), function.label
        for name in function.needs:
            assert name in given or name in declared, f"{function.label} needs {name}"
        assert {*function.sum_of} <= given | {*declared}
    assert len(FUNCTIONS) == len(MODEL.functions)


def test_a_system_of_ten_thousand_nodes():
    """Every quantity by the functions, and what a wall-clock time is the sum of."""
    found = values(**STORE, waiting_power_share=0.5, store_power="1 MW")
    mean = 5 * 365.25 * 86400 / 10_000
    expected = checkpoint(640.0, mean, 640.0)
    assert found["system_mean_time_between_failures"] == pytest.approx(mean)
    assert (found["checkpoint_cost"], found["restart_cost"]) == (640.0, 640.0)
    assert found["checkpoint_interval"] == pytest.approx(4077.943, abs=6e-4)
    assert found["availability"] == pytest.approx(0.712079, abs=6e-7)
    day = 86400.0
    assert found["wall_time"] == pytest.approx(day / 0.712079, rel=1e-6)
    parts = ("useful_time", "rework_time", "checkpoint_time", "restart_total_time", "maintenance_time")
    assert sum(found[part] for part in parts) == pytest.approx(found["wall_time"], rel=1e-12)
    shares = expected.shares
    power = 10e6 * float(shares.busy) + 6e6 * float(shares.checkpoints) + 5e6 * float(shares.restarts)
    assert found["resilience_energy"] == pytest.approx(day * power, rel=1e-9)


def test_maintenance_lengthens_the_time_and_takes_no_energy():
    plain, served = values(**STORE), values(**STORE, maintenance_share=0.2)
    assert served["availability"] == pytest.approx(0.8 * plain["availability"])
    assert served["wall_time"] == pytest.approx(plain["wall_time"] / 0.8)
    assert served["resilience_energy"] == plain["resilience_energy"]
    parts = ("useful_time", "rework_time", "checkpoint_time", "restart_total_time", "maintenance_time")
    assert sum(served[part] for part in parts) == pytest.approx(served["wall_time"], rel=1e-12)


def test_rates_of_failures():
    devices = values(**STORE, use={"failure_rate": "devices"}, devices_per_node=8, nodes=2048)
    assert devices["system_mean_time_between_failures"] == pytest.approx(11134.644, abs=1e-3)
    assert devices["system_mean_time_between_failures"] * 2048 / 86400 == pytest.approx(
        263.9, abs=0.05
    )  # days of a node
    more = values(**STORE, switches=100, switch_mtbf="10 years", drives=1000, drive_mtbf="20 years")
    year = 31557600.0
    expected = 1 / (10_000 / (5 * year) + 100 / (10 * year) + 1000 / (20 * year))
    assert more["system_mean_time_between_failures"] == pytest.approx(expected, rel=1e-4)
    many = values(**STORE, use={"failure_rate": "node-class", "node_class": "many-core"})
    assert many["system_mean_time_between_failures"] == pytest.approx(15778.8)
    kinds = {"failure_rate": "node-class", "node_class": "accelerated"}
    accelerated = values(**STORE, use=kinds, devices_per_node=8, nodes=2048)
    assert accelerated["system_mean_time_between_failures"] == devices["system_mean_time_between_failures"]
    kinds = {"failure_rate": "node-class", "node_class": "real-machine"}
    for machine, expected in ((8, devices), (0, None)):
        real = values(**STORE, use=kinds, machine_devices=machine, nodes=2048)
        other = expected or values(**STORE, nodes=2048)
        assert real["system_mean_time_between_failures"] == other["system_mean_time_between_failures"]


def test_stores_and_data():
    local = values(
        checkpoint_bytes="640 TB", node_store_write_bandwidth="0.5 GB/s", use={"checkpoint_store": "node-local"}
    )
    assert local["checkpoint_cost"] == pytest.approx(128.0)
    assert local["store_write_bandwidth"] == local["store_read_bandwidth"] == 5e12
    memory = values(
        use={"checkpoint_data": "share-of-memory"},
        checkpoint_memory_share=0.25,
        node_memory_capacity="256 GB",
        store_write_bandwidth="1 TB/s",
        store_read_bandwidth="2 TB/s",
    )
    assert (memory["checkpoint_cost"], memory["restart_cost"]) == (640.0, 320.0)
    assert memory["checkpoint_bytes"] == 640e12


def test_two_levels():
    given = {**STORE, "node_store_write_bandwidth": "4 GB/s", "restart_time": "1 min"}
    found = values(**given, use={"checkpoint_store": "two-level"})
    mean, outage = 15778.8, 261 * 86400 / 39
    expected = two_level_checkpoint(16.0, mean, 76.0, 640.0, outage, 700.0)
    closed = two_level_efficiency(*expected.closed, (16.0, mean, 76.0), (640.0, outage, 700.0))
    assert found["availability"] == pytest.approx(float(closed), rel=1e-12)
    assert found["checkpoint_interval"] == pytest.approx(float(expected.closed.local), rel=1e-12)
    assert found["availability"] == pytest.approx(float(expected.efficiency), abs=0.002)
    parts = ("useful_time", "rework_time", "checkpoint_time", "restart_total_time")
    assert sum(found[part] for part in parts) == pytest.approx(found["wall_time"], rel=1e-9)


@pytest.mark.parametrize(("mode", "cost"), [("serial", 200.1702), ("overlapped", 136.1702)])
def test_compression(mode, cost):
    given = {
        "compression_ratio": 4.7,
        "node_compress_bandwidth": "1 GB/s",
        "node_decompress_bandwidth": "1 GB/s",
    }
    found = values(**STORE, **given, use={"checkpoint_compression": mode})
    assert found["checkpoint_cost"] == pytest.approx(cost, abs=6e-5)
    assert found["restart_cost"] == pytest.approx(cost, abs=6e-5)


def test_a_job_without_checkpoints():
    found = values("wall_time_without_checkpoints", nodes=100, useful_time="10 h", restart_time="10 min", **STORE)
    mean = 1577880.0
    expected = mean * np.exp(600 / mean) * np.expm1(36000 / mean)
    assert found["wall_time_without_checkpoints"] == pytest.approx(expected, rel=1e-12)


def test_the_frontier_of_a_space_is_that_of_looking_at_every_design():
    """Larger machines fail more often: time and energy part, and groups find what looking at all finds."""
    document = {
        "quantities": {"useful_time": "100 day * 1000 / nodes", "busy_power": "nodes * 1 kW"},
        "set": {
            "checkpoint_bytes": "640 TB",
            "node_compress_bandwidth": "1 GB/s",
            "node_decompress_bandwidth": "1 GB/s",
        },
        "use": {"checkpoint_compression": "serial"},
        "space": {
            "axes": {
                "nodes": {"powers_of_two": [256, 65536]},
                "compressor": {"part": "resilience/compression.csv"},
                "store": {"part": "data_machine/storage_phases.csv"},
            }
        },
        "objectives": [
            {"minimize": "wall_time"},
            {"minimize": "resilience_energy"},
            {"minimize": "store_write_bandwidth"},
        ],
    }
    problem = study(**document).problem()
    every = search(problem, SearchOptions(method="exhaustive"))
    assert len(every.numbers) > 5
    for method in ("bundles", "groups"):
        found = search(problem, SearchOptions(method=method))
        np.testing.assert_array_equal(np.unique(found.values, axis=0), np.unique(every.values, axis=0))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"set": {**SET, **STORE, "node_mtbf": "0 s"}}, "'node_mtbf' is 0 s; allowed: > 0 s"),
        (
            {"set": {**SET, **STORE, "compression_ratio": 0.5}, "use": {"checkpoint_compression": "serial"}},
            "compression_ratio",
        ),
        ({"set": {**SET, **STORE}, "use": {"failure_rate": "device"}}, "no component 'device'.*did you mean 'devices'"),
        ({"set": {**SET, **STORE}, "use": {"checkpoint_store": "burst"}}, "no component 'burst'.*node-local"),
        ({"set": {**SET, "store_write_bandwidth": "1 TB/s"}}, "missing quantity 'checkpoint_bytes'"),
        ({"set": {**SET, **STORE, "maintenance_share": 1}}, "maintenance_share"),
        ({"set": {**SET, **STORE}, "use": {"failure_rate": "devices"}}, "missing quantity 'devices_per_node'"),
        ({"set": {**SET, "checkpoint_bytes": "1 TB", "store_write_bandwith": "1 TB/s"}}, "store_write_bandwidth"),
        ({"set": {**SET, **STORE, "restart_time": "-5 s"}}, "restart_time"),
    ],
)
def test_bad_input_is_refused_by_name(keys, words):
    with pytest.raises(InputError, match=words):
        study(**keys, space={"axes": {"nodes": {"values": [10]}}}).problem()


def test_on_two_levels_failures_of_both_classes_stop_a_job():
    given = {"node_store_write_bandwidth": "1 GB/s", "store_mtbf": "160.6 h", **STORE, "checkpoint_bytes": "64 TB"}
    given |= {"useful_time": "10 days"}
    use = {"checkpoint_store": "two-level"}
    both = 1 / (1000 / (5 * 365.25 * 86400) + 1 / (160.6 * 3600))
    found = values("job_failures", nodes=1000, use=use, **given)
    assert found["job_failures"] == pytest.approx(864_000 / found["checkpoint_efficiency"] / both, rel=1e-12)
    alone = values("wall_time_without_checkpoints", nodes=1000, use=use, **given)
    assert alone["wall_time_without_checkpoints"] == pytest.approx(both * np.expm1(864_000 / both), rel=1e-12)


def test_no_data_on_two_levels_is_all_but_free():
    given = {"node_store_write_bandwidth": "1 GB/s", **STORE, "checkpoint_bytes": "0 B"}
    found = values("availability", nodes=1000, use={"checkpoint_store": "two-level"}, **given)
    assert 0.999 < found["availability"] < 1.0
