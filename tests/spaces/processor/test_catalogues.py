"""Processors, memories and roofline devices: complete, in the units of the models, and honest about their figures."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse.authoring.table import read_table
from dse.models.power import dram_device, mesap_power
from dse.space.axes import part_axis

FOLDER = Path(str(files("dse.spaces"))) / "processor"
ROWS = {
    "nodes": 10,
    "processors": 10,
    "processors-reference": 10,
    "processors-thesis": 3,
    "dram-devices": 5,
    "dram-devices-generated": 99,
    "dram-types": 10,
    "roofline-devices": 12,
}


def table(name):
    return read_table(FOLDER / f"{name}.csv")


def row(name, part):
    found = table(name).where(name=part)
    return {column: values[0] for column, values in found.columns.items()}


@pytest.mark.parametrize("name", ROWS)
def test_each_is_a_part_axis_with_a_source_and_a_confidence_per_row(name):
    found = table(name)
    axis = part_axis("part", found)
    assert len(axis) == ROWS[name]
    assert all(source.strip() for source in axis.sources)
    assert {one.split(" ")[0].split("-")[0] for one in axis.confidences} <= {"high", "medium", "low"}
    assert (FOLDER / f"{name}.csv").read_text(encoding="utf-8").startswith("# ")
    for column, unit in found.units.items():
        assert unit == "text" or np.isfinite(found[column]).all()


def test_every_file_is_known():
    assert {path.stem for path in FOLDER.glob("*.csv")} == set(ROWS)


class TestProcessors:
    def test_published_machine(self):
        v3 = row("processors", "Xeon E5-2697 v3")
        wanted = {"cores": 14, "issue_width": 8, "dispatch_width": 4, "rob": 192, "issue_queue": 60, "mshr": 10}
        wanted |= {"fu_int": 4, "fu_fp": 2, "fu_mem": 2, "fu_control": 2, "fu_vector": 2, "vector_bits": 256}
        wanted |= {"f_core_hz": 2.6e9, "l1_size_bytes": 32768, "l2_size_bytes": 262144, "l3_size_bytes": 36700160}
        wanted |= {"l1_latency": 4, "l2_latency": 12, "l3_latency": 36, "dram_latency": 217, "in_order": 0}
        wanted |= {"bw_l1_Bps": 160 * 2**30, "bw_l3_Bps": 40 * 2**30, "dram_bandwidth_Bps": 64102400000}
        wanted |= {"node_nm": 22, "vdd": 1.0, "temperature_K": 350, "front_pipe": 7, "t_int_div": 18, "t_fp_mul": 5}
        assert {name: v3[name] for name in wanted} == wanted

    def test_oddities_of_the_source_are_repaired(self):
        assert row("processors", "Xeon E5-4650")["dram_capacity"] == 48 * 2**30
        assert row("processors", "Xeon E3-1265L v2")["l1_size_bytes"] == 32768
        for name in ("Xeon E5-2690", "Xeon E5-2697 v2", "Xeon E5-4650", "Xeon E3-1265L v2"):
            one = row("processors", name)
            assert (one["fu_vector"], one["vector_bits"]) == (2, 256)
            assert "vector units" in one["note"]
        for name in ("Cortex-A15 (Tegra K1)", "T4240"):
            one = row("processors", name)
            assert one["vdd"] == 0.9
            assert "voltage" in one["note"]
        assert row("processors", "T4240")["l2_line_bytes"] == 64

    def test_the_reference_keeps_them_and_states_the_defaults_of_the_tool(self):
        found = table("processors-reference")
        by_name = {name: place for place, name in enumerate(found["name"])}
        e5 = by_name["Xeon E5-2690"]
        assert (found["fu_vector"][e5], found["vector_bits"][e5]) == (1, 256)
        assert (found["dram_dimms"][e5], found["dram_ranks"][e5]) == (4, 2)
        assert found["l1_size_bytes"][by_name["Xeon E3-1265L v2"]] == 65536
        assert found["vdd"][by_name["TegraK1"]] == 0
        assert found["dram_capacity"][by_name["Xeon E5-4650"]] > 5e13
        assert all(found["note"][by_name[name]] for name in ("Xeon E5-4650", "TegraK1", "T4240", "Xeon E3-1265L v2"))

    def test_latencies_are_cumulative(self):
        for name in ("processors", "processors-reference", "processors-thesis"):
            found = table(name)
            l2 = np.where(found["l2_size_bytes"] > 0, found["l2_latency"], found["l1_latency"])
            for low, high in (
                (found["l1_latency"], l2),
                (l2, found["l3_latency"]),
                (found["l3_latency"], found["dram_latency"]),
            ):
                assert (low <= high).all()

    def test_increments_of_the_thesis_are_added_up(self):
        power7 = row("processors-thesis", "POWER7+ (Table 4.3)")
        assert (power7["l3_latency"], power7["dram_latency"]) == (8 + 17, 8 + 17 + 375)
        v2 = row("processors-thesis", "Xeon E5-2697 v2 (Table 4.3)")
        assert (v2["l3_latency"], v2["dram_latency"]) == (12 + 18, 12 + 18 + 187)
        assert v2["dram_bandwidth_Bps"] == pytest.approx(6.4102e10, rel=1e-5)
        assert row("processors-thesis", "Xeon E5-2697 v3 (Table 4.2)")["l3_size_bytes"] == 32 * 2**20

    def test_memories_exist(self):
        devices = set(table("dram-devices")["name"])
        for name in ("processors", "processors-reference"):
            assert set(table(name)["dram_type"]) <= devices

    def test_the_models_know_every_column(self):
        machine = pytest.importorskip("dse.models.processor.predict.machine")
        known = {*machine.PARAMETERS, *machine.UNUSED}
        for name in ("processors", "processors-reference", "processors-thesis"):
            assert set(table(name).columns) <= known


class TestMemories:
    def test_all_104_devices(self):
        assert len(table("dram-devices")) + len(table("dram-devices-generated")) == 104

    def test_generated_devices_are_synthetic_and_have_no_pins(self):
        generated, real = table("dram-devices-generated"), table("dram-devices")
        assert generated.synthetic
        assert not real.synthetic
        assert not generated["dram_read_pin_power"].any()
        assert (real["dram_read_pin_power"] > 0).all()
        assert all("refresh" in note for note in generated["note"])
        interval = generated["dram_refresh_interval"] / generated["dram_clock"]
        assert (interval > 0.97e-6).all()
        assert (interval < 1.96e-6).all()

    def test_ranks_hold_what_their_devices_hold(self):
        real = table("dram-devices")
        burst = real["dram_devices_per_rank"] * real["dram_width"] * real["dram_burst_length"] / 8
        np.testing.assert_array_equal(burst, 64)

    def test_oddities(self):
        gem5 = row("dram-devices", "DDR4-2400 x8 4 GB rank (gem5)")
        assert gem5["dram_idd0"] < gem5["dram_idd3n"]
        assert "negative" in gem5["note"]
        assert gem5["confidence"] == "low"
        assert row("dram-devices", "DDR3-1600 x8 4 GB rank (gem5)")["dram_kind"] == "DDR3"
        samsung = row("dram-devices", "DDR3-1333 x8 2 GB rank")
        assert (samsung["dram_active_cycles"], samsung["dram_precharge_cycles"]) == (24, 9)

    def test_every_device_has_a_power(self):
        for name in ("dram-devices", "dram-devices-generated"):
            for device in table(name)["name"]:
                found = mesap_power(dram_device(device), bytes_read=1e8, bytes_written=1e7, duration=1.0, ranks=8.0)
                assert 0.1 < float(found.total) < 60

    def test_types(self):
        kinds = set(table("dram-types")["dram_kind"])
        assert {"DDR3", "DDR4", "DDR5", "HBM2E", "HBM3"} <= kinds
        hbm3 = row("dram-types", "HBM3 6.4 Gb/s")
        assert hbm3["dram_unit_bandwidth"] == pytest.approx(819.2e9)
        assert hbm3["dram_read_energy"] == pytest.approx(8 * 2.1e-12)
        assert hbm3["confidence"] == "low"


class TestRooflineDevices:
    def test_all_are_recalled_and_say_so(self):
        found = table("roofline-devices")
        assert all("recalled" in source for source in found["source"])

    def test_figures(self):
        a64fx = row("roofline-devices", "A64FX (2.2 GHz)")
        assert a64fx["peak_float_rate"] == pytest.approx(48 * 32 * 2.2e9)
        assert a64fx["dram_bandwidth_Bps"] == 1024e9
        assert row("roofline-devices", "H100 SXM")["dram_bandwidth_Bps"] == 3350e9
        assert row("roofline-devices", "MI300A")["peak_matrix_rate"] == 122.6e12

    def test_matrix_rates_are_no_lower(self):
        found = table("roofline-devices")
        assert (found["peak_matrix_rate"] >= found["peak_float_rate"]).all()
