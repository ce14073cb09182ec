"""Node classes: powers, areas and rates against formulas written out for one design; nothing comes for nothing."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.authoring.table import read_table
from dse.errors import InputError
from dse.models.node_class.claims.published import rated_power, sockets
from dse.models.power.caches import cache_energies

SPACES = Path(str(files("dse.spaces")))

MANY_CORE = {
    "name": "many-core",
    "models": ["node_class"],
    "objectives": [{"minimize": "node_thermal_design_power"}, {"maximize": "node_peak_flop_rate"}],
    "also": ["node_memory_bandwidth", "node_memory_capacity", "node_cost_weight", "socket_area", "socket_power"],
    "use": {"node_class": "many-core"},
    "set": {
        "sockets": 2,
        "cores_per_socket": 64,
        "core_frequency": "2 GHz",
        "vector_bits": 512,
        "vector_pipes": 2,
        "private_cache": "1 MiB",
        "shared_cache": "2 MiB",
        "technology": "7 nm",
        "memory_cost_weight": "1e-12 1/B",
    },
    "space": {
        "axes": {
            "memory": {"part": "processor/dram-types.csv", "where": {"name": "DDR5-4800"}},
            "dram_units": {"values": [8, 12]},
        }
    },
}

ACCELERATED = {
    "name": "accelerated",
    "models": ["node_class"],
    "objectives": [{"minimize": "node_thermal_design_power"}, {"maximize": "node_peak_flop_rate"}],
    "also": ["node_memory_bandwidth", "node_memory_capacity", "node_cost_weight"],
    "use": {"node_class": "accelerated"},
    "set": {"devices_per_node": 4, "memory_cost_weight": "0 1/B"},
    "space": {"axes": {"device": {"part": "machines/devices.csv"}}},
}


def evaluated(document=MANY_CORE, fixed=(), **values):
    document = {**document, "set": {**document["set"], **dict(fixed)}}
    return Study(document).evaluate(values)


def test_a_socket_at_the_reference_takes_what_the_rule_says():
    found = evaluated(memory="DDR5-4800", dram_units=8)
    cores = 64 * 2.0 / 0.7  # W: 1 W per GHz, 30 % of the socket beside it
    leakage = 0.0
    area = 0.0
    for level, size in (("L2", 2.0**20), ("L3", 2.0**21)):
        cache = cache_energies(level, size=size, technology=7e-9, temperature=360.0)
        leakage += float(cache.subthreshold_leakage + cache.gate_leakage)
        area += float(cache.area)
    assert found["socket_power"] == pytest.approx(cores + 64 * leakage + 76.0, rel=1e-12)
    assert found["socket_area"] == pytest.approx(64 * (1.5e-6 + 2.0e-6 + area) / 0.8, rel=1e-12)
    assert found["node_peak_flop_rate"] == 2 * 64 * 2e9 * 32
    assert found["node_memory_bandwidth"] == 2 * 8 * 38.4e9
    assert found["node_memory_capacity"] == 2 * 8 * 16e9


def test_the_memory_is_rated_at_a_stream_that_fills_it():
    found = evaluated(memory="DDR5-4800", dram_units=8)
    per_byte = 2.117e-9 / 1024 + (4.1 + 0.65) * 8e-12
    background = 16 * (0.035 + 0.01)  # W per unit: rows open, refresh
    assert found["socket_memory_power"] == pytest.approx(8 * (38.4e9 * per_byte + background), rel=1e-9)


@pytest.mark.parametrize(("technology", "factor"), [("7 nm", 1.0), ("5 nm", 0.7), ("3 nm", 0.49), ("6 nm", 0.7**0.5)])
def test_a_step_of_technology_saves_three_tenths(technology, factor):
    if technology == "6 nm":
        with pytest.raises(InputError):
            evaluated(fixed={"technology": technology}, memory="DDR5-4800", dram_units=8)
        return
    found = evaluated(fixed={"technology": technology}, memory="DDR5-4800", dram_units=8)
    assert found["core_dynamic_power"] == pytest.approx(2.0 * factor, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("core_frequency", ["1 GHz", "1.5 GHz", "2 GHz", "2.5 GHz", "3 GHz", "3.5 GHz"]),
        ("vector_bits", [128, 256, 512, 1024, 2048]),
        ("vector_pipes", [1, 2]),
        ("private_cache", ["512 KiB", "1 MiB", "2 MiB"]),
        ("shared_cache", ["1 MiB", "2 MiB", "4 MiB"]),
        ("cores_per_socket", [32, 64, 128]),
        ("sockets", [1, 2, 4]),
    ],
)
def test_nothing_comes_for_nothing(name, values):
    found = [evaluated(fixed={name: value}, memory="DDR5-4800", dram_units=8) for value in values]
    powers = [one["node_thermal_design_power"] for one in found]
    assert powers == sorted(set(powers))
    if name != "core_frequency":
        costs = [one["node_cost_weight"] for one in found]
        assert costs == sorted(set(costs))


def test_power_rises_faster_than_the_clock():
    slow, fast = (evaluated(fixed={"core_frequency": f}, memory="DDR5-4800", dram_units=8) for f in ("2 GHz", "3 GHz"))
    assert fast["core_dynamic_power"] / slow["core_dynamic_power"] == pytest.approx(1.5 * (0.85 / 0.725) ** 2)


def test_no_shared_cache_takes_no_power():
    none, some = (evaluated(fixed={"shared_cache": s}, memory="DDR5-4800", dram_units=8) for s in ("0 B", "1 MiB"))
    assert none["core_caches_leakage"] < some["core_caches_leakage"]
    private = cache_energies("L2", size=2.0**20, technology=7e-9, temperature=360.0)
    assert none["core_caches_leakage"] == float(private.subthreshold_leakage + private.gate_leakage)


def test_sizes_outside_the_tables_are_marked():
    study = Study({**MANY_CORE, "set": {**MANY_CORE["set"], "private_cache": "8 MiB"}})
    assert study.run().frontier["extrapolated"].str.contains("caches_outside_tables").all()


@pytest.mark.parametrize(
    ("device", "rate", "power"),
    [("MI250X", 4 * 53.51e12, 4 * 560 + 280 + 50), ("MI300A", 4 * 62.69e12, 4 * 760), ("GH200", 4 * 52.1e12, 4 * 680)],
)
def test_an_accelerated_node_is_its_devices_and_its_host(device, rate, power):
    found = evaluated(ACCELERATED, device=device)
    assert found["node_peak_flop_rate"] == pytest.approx(rate, rel=1e-12)
    assert found["node_thermal_design_power"] == pytest.approx(power, rel=1e-12)


def test_larger_dies_cost_more_than_their_area():
    table = read_table(SPACES / "machines" / "devices.csv")
    cost = {name: evaluated(ACCELERATED, device=name)["node_silicon_cost_weight"] for name in table["name"]}
    assert all(value > 0 and np.isfinite(value) for value in cost.values())
    one = Study({**ACCELERATED, "set": {**ACCELERATED["set"], "defect_clustering": 1e6}})
    assert one.evaluate({"device": "H100 SXM"})["node_silicon_cost_weight"] > cost["H100 SXM"]


def test_rates_of_devices_are_those_of_the_machines_they_are_taken_from():
    systems = SPACES / "machines" / "systems.csv"
    if not systems.is_file():
        pytest.skip("no catalogue of machines")
    machines, devices = read_table(systems), read_table(SPACES / "machines" / "devices.csv")
    taken = {
        "V100": ("Summit", "nodes_hpl"),
        "A100 40 GB": ("Perlmutter", "nodes_hpl"),
        "MI250X": ("Frontier", "nodes_hpl"),
        "GPU Max 1550": ("Aurora", "nodes_installed"),
        "H100 SXM": ("Eagle (Azure)", "nodes_hpl"),
        "GH200": ("JUPITER Booster", "nodes_hpl"),
        "MI300A": ("El Capitan", "nodes_hpl"),
    }
    peak = next(name for name in machines.units if name.startswith("rpeak"))
    count = next(name for name in machines.units if name.startswith("acc_per_node"))
    others = {"H200 SXM": "Eagle", "B200 SXM": "37.5 vector", "MI300X": "81.72", "MI325X": "MI325X", "MI355X": "MI355X"}
    for name, rate in zip(devices["name"], devices["device_flop_rate"], strict=True):
        if name in others:  # no machine has them; their rows say where the figure is from
            row = devices.where(name=name)
            assert others[name] in f"{row['source'][0]} {row['note'][0]}"
            assert "recalled" in str(row["source"][0])
            continue
        machine, nodes = taken[name]
        row = machines.where(name=machine)
        scale = 1.0 if machines.units[peak] != "1" else 1e15
        listed = float(row[peak][0]) * scale / float(row[nodes][0]) / float(row[count][0])
        assert rate == pytest.approx(listed, rel=2e-3)


def test_a_fabric_has_the_figures_of_its_parts():
    folder = SPACES / "network"
    fabrics = read_table(folder / "fabrics.csv")
    switches, nics = read_table(folder / "switches.csv"), read_table(folder / "nics.csv")
    cables = read_table(folder / "cables.csv")
    parts = {
        "HDR 40 ports": ("QM8700 (Quantum)", "ConnectX-6 single port", "QSFP56 200G AOC or SR4"),
        "NDR 64 ports": ("QM9700 (Quantum-2)", "ConnectX-7 single port", "OSFP 400G DR4/SR4 single port"),
    }
    for name, (switch, nic, cable) in parts.items():
        row = fabrics.where(name=name)
        box = switches.where(name=switch)
        assert row["port_power"][0] == pytest.approx(box["switch_power"][0] / box["switch_ports"][0], rel=1e-3)
        assert row["switch_latency"][0] == pytest.approx(box["switch_latency"][0])
        assert row["port_bandwidth"][0] == box["port_bandwidth"][0]
        assert row["nic_power"][0] == nics.where(name=nic)["nic_power"][0]
        assert row["optical_end_power"][0] == cables.where(name=cable)["cable_end_power"][0]


def test_both_classes_in_one_search_equal_brute_force():
    document = {
        "name": "both",
        "models": ["node_class"],
        "objectives": [
            {"minimize": "node_thermal_design_power"},
            {"maximize": "node_peak_flop_rate"},
            {"minimize": "node_cost_weight"},
        ],
        "constraints": ["node_thermal_design_power <= 3 kW"],
        "set": {"memory_cost_weight": "1e-12 1/B"},
        "space": {
            "alternatives": {
                "many-core": {
                    "use": {"node_class": "many-core"},
                    "axes": {
                        "wafer": {"part": "power/wafers.csv", "where": {"technology": ["7 nm", "5 nm"]}},
                        "sockets": {"values": [1, 2]},
                        "cores_per_socket": {"values": [32, 64, 128]},
                        "core_frequency": {"range": ["1 GHz", "3 GHz"], "step": "0.5 GHz"},
                        "vector_bits": {"values": [256, 512, 2048]},
                        "vector_pipes": {"values": [1, 2]},
                        "private_cache": {"values": ["512 KiB", "2 MiB"]},
                        "shared_cache": {"values": ["0 B", "2 MiB"]},
                        "memory": {"part": "processor/dram-types.csv", "where": {"dram_kind": ["DDR5", "HBM3"]}},
                        "dram_units": {"values": [4, 8]},
                    },
                },
                "accelerated": {
                    "use": {"node_class": "accelerated"},
                    "axes": {
                        "device": {"part": "machines/devices.csv"},
                        "devices_per_node": {"values": [2, 4]},
                    },
                },
            }
        },
    }
    runs = [Study(document).run(method=method) for method in ("exhaustive", "bundles")]
    assert runs[0].frontier.to_csv() == runs[1].frontier.to_csv()
    assert {"many-core", "accelerated"} >= set(runs[0].frontier["alternative"])


def test_the_power_of_the_memory_has_exact_derivatives():
    study = Study(MANY_CORE)
    rows = {row["input"]: row["effects"] for row in study.sensitivities(0, ["socket_memory_power"])}
    (effect,) = rows["dram_units"].values()
    assert (effect["elasticity"], effect["kind"]) == (pytest.approx(1.0, rel=1e-12), "exact")
    assert rows["dram_read_energy"]["socket_memory_power"]["kind"] == "exact"


def test_the_law_lies_about_the_sockets_it_was_read_off():
    table = sockets()
    ratio = rated_power(table) / table["rated_power"]
    assert np.median(ratio) == pytest.approx(1.0, abs=0.01)
    assert (np.abs(ratio - 1) < 0.5).all()
