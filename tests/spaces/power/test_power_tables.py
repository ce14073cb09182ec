"""The power tables: units, sources, confidences, and no row that is unsafe without saying so."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse.authoring.table import read_table
from dse.space.axes import part_axis

FOLDER = Path(str(files("dse.spaces"))) / "power"
ROWS = {
    "cores": 70,
    "core-events": 49,
    "core-parts": 535,
    "caches": 28,
    "routers": 40,
    "memory-controllers": 20,
    "transistors": 15,
    "scaling": 47,
    "scaling-polynomials": 18,
    "example-chips": 6,
    "wafers": 9,
}
CONFIDENCES = {"high", "medium", "low-medium", "low"}


@pytest.mark.parametrize("name", ROWS)
def test_each_row_has_a_source_and_a_confidence(name):
    table = read_table(FOLDER / f"{name}.csv")
    assert len(table) == ROWS[name]
    assert all(source.strip() for source in table["source"])
    assert set(table["confidence"]) <= CONFIDENCES
    assert (FOLDER / f"{name}.csv").read_text(encoding="utf-8").startswith("# ")


def test_every_file_is_known():
    assert {path.stem for path in FOLDER.glob("*.csv")} == set(ROWS)


@pytest.mark.parametrize("name", ["cores", "caches", "routers", "memory-controllers", "transistors", "wafers"])
def test_is_a_part_axis(name):
    axis = part_axis("part", read_table(FOLDER / f"{name}.csv"))
    assert len(axis) == ROWS[name]
    assert "not stated" not in axis.confidences


def test_units():
    cores = read_table(FOLDER / "cores.csv")
    wanted = {"technology": "m", "area": "m^2", "load_energy": "J", "gate_leakage": "W", "voltage": "V", "l1_data": "B"}
    assert {name: cores.units[name] for name in wanted} == wanted
    row = cores.where(name="out-of-order 4-wide, 22 nm HP")
    assert row["area"][0] == pytest.approx(4.88922e-6, rel=1e-12)
    assert row["load_energy"][0] == pytest.approx(232.5093e-12, rel=1e-12)


def test_numbers_make_sense():
    for name in ("cores", "caches", "routers", "memory-controllers"):
        table = read_table(FOLDER / f"{name}.csv")
        for column in ("area", "subthreshold_leakage", "gate_leakage", "peak_dynamic_power"):
            assert (table[column] > 0).all(), (name, column)


def test_parts_add_up_to_their_cores():
    parts, cores = read_table(FOLDER / "core-parts.csv"), read_table(FOLDER / "cores.csv")
    for name in dict.fromkeys(parts["core"]):
        mine = parts["core"] == name
        core = cores.where(name=name)
        for column in ("area", "subthreshold_leakage", "gate_leakage"):
            assert parts[column][mine].sum() == pytest.approx(core[column][0], rel=2e-5)


class TestUnsafeRows:
    def test_low_power_controllers_above_their_rate_are_left_out(self):
        table = read_table(FOLDER / "memory-controllers.csv")
        low = table["design"] == "low-power"
        assert low.sum() == 5
        assert (table["peak_bandwidth"][low] == 12.8e9).all()

    def test_there_are_no_90_nm_low_power_cores(self):
        cores = read_table(FOLDER / "cores.csv")
        assert not ((cores["device"] != "HP") & (cores["technology"] > 80e-9)).any()

    def test_invalid_leakage_is_marked(self):
        for name in ("cores", "caches"):
            table = read_table(FOLDER / f"{name}.csv")
            lop = (table["device"] == "LOP") & np.isclose(table["technology"], 22e-9, atol=0)
            assert set(table["leakage_valid"][lop]) == {"no"}
            assert set(table["leakage_valid"][~lop]) == {"yes"}
            assert all("leakage invalid" in note for note in table["note"][lop])

    def test_x86_pipelines_are_marked(self):
        cores = read_table(FOLDER / "cores.csv")
        assert all("pipeline energy too low" in note for note in cores["note"][cores["isa"] == "x86"])

    def test_delays_that_do_not_line_up_are_marked(self):
        scaling = read_table(FOLDER / "scaling.csv")
        planar = (scaling["quantity"] == "delay") & (scaling["technology_to"] > 15e-9)
        assert planar.sum() == 5
        assert all("not used" in note for note in scaling["note"][planar])

    def test_leakage_factors_are_of_low_confidence(self):
        scaling = read_table(FOLDER / "scaling.csv")
        assert set(scaling["confidence"][scaling["quantity"] == "leakage"]) == {"low"}
