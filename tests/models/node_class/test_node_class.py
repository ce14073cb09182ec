"""Node classes: powers, areas and rates against formulas written out for one design; nothing comes for nothing."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.authoring.table import read_table
from dse.models.node_class.claims.blind import blind_socket
from dse.models.node_class.sockets.fitted_law import shipped_law
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
    fixed = dict(fixed)
    document = {**document, "set": {**document["set"], **fixed}}
    if "matrix_rows" in fixed:
        document["use"] = {**document["use"], "core_unit": "outer-products"}
    if document["use"]["node_class"] == "many-core":
        memory = {"part": "processor/dram-types.csv", "where": {"name": values["memory"]}}
        document["space"] = {"axes": {"memory": memory, "dram_units": {"values": [values["dram_units"]]}}}
    return Study(document).evaluate(values)


def test_a_socket_takes_what_the_law_says_part_by_part():
    """64 big cores of two vector units of 512 bits at 2 GHz, 7 nm: every part written out."""
    found = evaluated(memory="DDR5-4800", dram_units=8)
    rate = 0.857 * 64 * 2.0 * 32  # Gflop/s
    caches = 64 * 3 * 1.0643e-7 * 2**20
    parts = {
        "socket_cores_power": 64 * 2.0 * 0.41395,
        "socket_issue_power": rate / 16 * 79.429e-3,
        "socket_arithmetic_power": rate * (11.866 + 2 * 6.6434) * 1e-3,
        "socket_static_power": 64 * 0.99597 + caches,
        "socket_interface_power": 8 * 38.4 * 0.13665,
        "socket_remaining_power": 7.3035,
    }
    for name, power in parts.items():
        assert found[name] == pytest.approx(power, rel=1e-12), name
    assert found["socket_power"] == pytest.approx(sum(parts.values()), rel=1e-12)
    area = sum(
        float(cache_energies(level, size=size, technology=7e-9, temperature=360.0).area)
        for level, size in (("L2", 2.0**20), ("L3", 2.0**21))
    )
    assert found["socket_area"] == pytest.approx(64 * (1.5e-6 + 2.0e-6 + area) / 0.34, rel=1e-12)
    assert found["node_peak_flop_rate"] == 2 * 64 * 2e9 * 32
    assert found["node_memory_bandwidth"] == 2 * 8 * 38.4e9
    assert found["node_memory_capacity"] == 2 * 8 * 16e9


LX2 = {
    "cores_per_socket": 304,
    "core_frequency": "1.55 GHz",
    "core_built_frequency": "2.75 GHz",
    "energy_class_ratio": 6 / 7,
    "core_leanness": 1,
    "matrix_rows": 8,
    "vector_pipes": 1,
    "private_cache": "0.75 MiB",
    "shared_cache": "0 B",
}


def test_a_design_like_lx2_is_what_the_law_of_sockets_gives():
    """The component and the fitted law share the line of voltages alone; rate and memory apart, powers are the same."""
    found = evaluated(fixed=LX2, memory="HBM3 6.4 Gb/s", dram_units=5)
    assert found["node_peak_flop_rate"] == pytest.approx(2 * 60.3e12, rel=1e-3)
    law = shipped_law().parts(blind_socket())
    for mine, part in (("cores", "cores"), ("static", "static")):
        assert found[f"socket_{mine}_power"] == pytest.approx(float(law[part][0]), rel=1e-3)
    sustained = 0.857 * 304 * 1.55 * 128 / 48465
    for mine in ("issue", "arithmetic"):
        assert found[f"socket_{mine}_power"] == pytest.approx(sustained * float(law[mine][0]), rel=1e-3)
    assert found["socket_interface_power"] == pytest.approx(5 * 819.2 * 8 * 4.502e-3, rel=1e-3)


def test_memory_in_the_package_is_rated_with_the_socket():
    found = evaluated(memory="HBM3 6.4 Gb/s", dram_units=4)
    assert found["memory_in_package"] == 1.0
    assert found["node_memory_power"] == 0.0
    modules = evaluated(memory="DDR5-6400", dram_units=8)
    assert modules["memory_in_package"] == 0.0
    assert modules["node_memory_power"] > 0.0


def test_an_outer_product_issues_and_reads_operands_once_for_many_operations():
    outer = evaluated(fixed={"matrix_rows": 8}, memory="DDR5-4800", dram_units=8)
    vectors = evaluated(memory="DDR5-4800", dram_units=8)
    assert (vectors["instruction_operations"], outer["instruction_operations"]) == (16, 128)
    assert (vectors["operation_operands"], outer["operation_operands"]) == (2.0, 0.125)
    assert outer["node_peak_flop_rate"] == 8 * vectors["node_peak_flop_rate"]
    assert outer["socket_issue_power"] == pytest.approx(vectors["socket_issue_power"], rel=1e-12)
    assert outer["socket_arithmetic_power"] < 5 * vectors["socket_arithmetic_power"]
    width = (outer["socket_area"] - vectors["socket_area"]) * 0.34 / 64
    assert width == pytest.approx(2.0e-6 * (9 / 2 - 1), rel=1e-9)


def test_clocks_below_all_data_are_marked():
    slow = Study({**MANY_CORE, "set": {**MANY_CORE["set"], "core_frequency": "1 GHz"}})
    assert slow.run().frontier["extrapolated"].str.contains("core_frequency").all()
    usual = Study({**MANY_CORE, "set": {**MANY_CORE["set"], "core_frequency": "1.5 GHz"}})
    assert not usual.run().frontier["extrapolated"].str.contains("core_frequency").any()


def test_the_memory_is_rated_at_a_stream_that_fills_it():
    found = evaluated(memory="DDR5-4800", dram_units=8)
    per_byte = 2.117e-9 / 1024 + (4.1 + 0.65) * 8e-12
    background = 16 * (0.035 + 0.01)  # W per unit: rows open, refresh
    assert found["socket_memory_power"] == pytest.approx(8 * (38.4e9 * per_byte + background), rel=1e-9)


@pytest.mark.parametrize(("technology", "ratio", "label"), [("7 nm", 1.0, 7), ("5 nm", 1.0, 5), ("7 nm", 6 / 7, 6)])
def test_energy_goes_with_the_class_of_the_process(technology, ratio, label):
    fixed = {"technology": technology, "energy_class_ratio": ratio}
    found = evaluated(fixed=fixed, memory="DDR5-4800", dram_units=8)
    assert found["process_energy_factor"] == pytest.approx((label / 7) ** 0.91492, rel=1e-12)
    assert found["socket_cores_power"] == pytest.approx(64 * 2.0 * 0.41395 * (label / 7) ** 0.91492, rel=1e-12)


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
    ratio = fast["socket_cores_power"] / slow["socket_cores_power"]
    assert ratio == pytest.approx(1.5 * (0.85 / 0.725) ** 2)


def test_a_core_built_for_a_lower_clock_needs_more_voltage_at_the_same_one():
    fixed = {"core_frequency": "2 GHz", "core_built_frequency": "2 GHz"}
    assert evaluated(fixed=fixed, memory="DDR5-4800", dram_units=8)["core_voltage"] == pytest.approx(0.60 + 0.125 * 2.5)


def test_no_shared_cache_takes_no_power():
    none, some = (evaluated(fixed={"shared_cache": s}, memory="DDR5-4800", dram_units=8) for s in ("0 B", "1 MiB"))
    less = some["socket_static_power"] - none["socket_static_power"]
    assert less == pytest.approx(64 * 1.0643e-7 * 2**20, rel=1e-9)


def test_sizes_outside_the_tables_are_marked():
    study = Study({**MANY_CORE, "set": {**MANY_CORE["set"], "private_cache": "8 MiB"}})
    assert study.run(trust=False).frontier["extrapolated"].str.contains("caches_outside_tables").all()


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
    others = {"H200 SXM": "Eagle", "B200 SXM": "rate of 37", "MI300X": "81.72", "MI325X": "MI325X"}
    others |= {"MI355X": "MI355X", "MI350X": "MI350X", "GB200": "rate of 40", "Rubin": "144 devices"}
    for name, rate in zip(devices["name"], devices["device_flop_rate"], strict=True):
        if name in others:  # no machine has them; their rows say where the figure is from
            row = devices.where(name=name)
            assert others[name] in f"{row['source'][0]} {row['note'][0]}"
            assert any(word in str(row["source"][0]) for word in ("recalled", "press"))
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
    runs = [Study(document).run(method=method, trust=False) for method in ("exhaustive", "bundles")]
    assert runs[0].frontier.to_csv() == runs[1].frontier.to_csv()
    assert {"many-core", "accelerated"} >= set(runs[0].frontier["alternative"])


def test_the_power_of_the_memory_has_exact_derivatives():
    study = Study(MANY_CORE)
    rows = {row["input"]: row["effects"] for row in study.sensitivities(0, ["socket_memory_power"])}
    (effect,) = rows["dram_units"].values()
    assert (effect["elasticity"], effect["kind"]) == (pytest.approx(1.0, rel=1e-12), "exact")
    assert rows["dram_read_energy"]["socket_memory_power"]["kind"] == "exact"
