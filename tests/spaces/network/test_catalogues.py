"""The catalogues of network parts: read by the units of a model, complete, and honest about where figures are from."""

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse.authoring.table import read_table
from dse.space.axes import part_axis

FOLDER = Path(str(files("dse.spaces"))) / "network"
UNITS = {
    "switches.csv": {"switch_ports": "1", "port_bandwidth": "B/s", "switch_power": "W", "switch_latency": "s"},
    "routers.csv": {"switch_ports": "1", "port_bandwidth": "B/s", "switch_power": "W"},
    "nics.csv": {"nic_bandwidth": "B/s", "nic_power": "W"},
    "cables.csv": {"cable_bandwidth": "B/s", "cable_end_power": "W", "energy_per_bit": "J/B", "cable_reach": "m"},
    "serdes.csv": {"lane_bandwidth": "B/s", "lane_power": "W", "lane_energy_per_bit": "J/B", "lane_reach": "m"},
}
ROWS = {"switches.csv": 9, "routers.csv": 2, "nics.csv": 5, "cables.csv": 9, "serdes.csv": 7}


@pytest.mark.parametrize("name", UNITS)
def test_each_is_a_part_axis_with_a_source_and_a_confidence_per_row(name):
    table = read_table(FOLDER / name)
    assert {column: table.units[column] for column in UNITS[name]} == UNITS[name]
    for column, unit in table.units.items():
        assert unit == "text" or (table[column] > 0).all()
    axis = part_axis("part", table)
    assert len(axis) == ROWS[name] == len(axis.confidences)
    assert all(source.strip() for source in axis.sources)
    assert "not stated" not in axis.confidences
    assert {c.split(" ")[0].split("-")[0] for c in axis.confidences} <= {"high", "medium", "low"}


def test_figures():
    """A few rows, by hand: 100 Gbit/s is 12.5 GB/s, 70 pJ/bit is 560 pJ/B."""
    switches = read_table(FOLDER / "switches.csv").where(name="QM9700 (Quantum-2)")
    assert (switches["switch_ports"], switches["switch_power"], switches["port_bandwidth"]) == (64, 747, 50e9)
    assert switches["switch_latency"] == 240e-9
    cable = read_table(FOLDER / "cables.csv").where(name="co-packaged optics")
    assert (cable["energy_per_bit"], cable["optical"]) == (pytest.approx(48e-12), "yes")


@pytest.mark.parametrize(
    ("name", "power", "bandwidth", "energy"),
    [
        ("cables.csv", "cable_end_power", "cable_bandwidth", "energy_per_bit"),
        ("serdes.csv", "lane_power", "lane_bandwidth", "lane_energy_per_bit"),
    ],
)
def test_energies_agree_with_powers(name, power, bandwidth, energy):
    """Both ends of a link together cost, per bit of one direction, what one end takes at full rate."""
    table = read_table(FOLDER / name)
    np.testing.assert_allclose(table[power] / table[bandwidth], table[energy], rtol=5e-4)
