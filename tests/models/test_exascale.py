"""The study exascale: which devices are on its frontier; its designs are no better than machines that exist."""

import csv
import math
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.models.machines.catalogue import catalogue
from dse.models.machines.laws import fitted
from dse.study.reading import bundled_studies

BUNDLED = bundled_studies()["exascale"]
DEVICES = Path(str(files("dse.spaces"))) / "machines" / "devices.csv"

# the device of a machine, and the fabric whose links have the rate of its own
LIKE = {
    "El Capitan": ("MI300A", "Slingshot-11 64 ports"),
    "Frontier": ("MI250X", "Slingshot-11 64 ports"),
    "JUPITER Booster": ("GH200", "HDR 40 ports"),
}
NEAR = 0.01  # JUPITER's nodes are four times a prime, which is no dragonfly


def document(*, networks=None):
    """The study without references, with accelerated nodes alone, and some of its networks."""
    found = tomllib.loads(BUNDLED.read_text(encoding="utf-8"))
    found["space"]["exclude"] = ["node != 'accelerated'"]
    if networks is not None:
        found["space"]["exclude"].append(f"not network in {networks}")
    del found["references"]
    return found


@pytest.fixture(scope="module")
def frontier():
    """The frontier of the accelerated alternatives; that it is the whole one is tested where the whole is searched."""
    return Study(document(), folder=BUNDLED.parent).run().frontier


def device_of(frontier, column):
    """The device of the design with the least of a column."""
    return frontier.loc[frontier[column].idxmin(), "device"]


@pytest.mark.slow
def test_which_devices_are_on_the_frontier(frontier):
    """Recorded: a change of laws, parts or limits is to be seen, and told in docs/guide/exascale.md."""
    assert Counter(frontier["device"]) == {"MI300A": 47, "GH200": 15, "MI300X": 4, "H200 SXM": 2, "MI250X": 2}
    assert device_of(frontier, "machine_power") == "GH200"
    assert device_of(frontier, "mix_time") == "MI300A"


@pytest.mark.slow
def test_no_design_has_more_per_watt_than_its_device_by_law(frontier):
    """Network and host come on top of the device, so its own share of peak over its own power is the most."""
    rows = {row["name"]: row for row in device_rows()}
    laws = fitted()
    for name, some in frontier.groupby("device"):
        row = rows[name]
        device = row["device_model"]
        most = float(row["device_flop_rate [Tflop/s]"]) * 1e12 / float(row["device_power [W]"])
        if device in laws.efficiency.devices:
            most *= math.exp(laws.efficiency.value("accelerator", device))
        else:
            most *= math.exp(laws.rate.value("accelerator", device) - laws.power.classes["accelerator"].mean)
        assert (some["linpack_flop_rate"] / some["machine_power"] < most * (1 + 1e-3)).all(), name


def device_rows():
    text = DEVICES.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in text if not line.startswith("#")))


def beside_machine(name, folder, assumptions=None):
    """Ratios to what was measured of designs with nodes, devices and cards like a machine's: rate, power, efficiency.

    Rates and powers are per node, as no dragonfly has just the nodes of each machine.
    """
    (machine,) = (one for one in catalogue() if one.name == name)
    device, fabric = LIKE[name]
    made = document(networks=["dragonfly"])
    nodes, network = (made["space"]["choices"][choice] for choice in ("node", "network"))
    made["set"] |= assumptions or {}
    made["constraints"] = ["radix <= switch_ports"]
    axes = nodes["accelerated"]["axes"]
    axes["device"]["where"] = {"device_model": device}
    axes["devices_per_node"] = {"values": [int(machine.devices)]}
    made["space"]["axes"]["fabric"]["where"] = {"name": [fabric]}
    made["space"]["axes"]["nics_per_node"] = {"values": [int(machine.cards)]}
    counts = list(range(int(machine.nodes), math.ceil(machine.nodes * (1 + NEAR))))
    shape = network["dragonfly"]["axes"]["shape"]
    shape["given"] = {"nodes": {"values": counts}, "radix": 64, "nodes_per_switch": [4, 8, 16]}
    study = Study(made, folder=folder)
    numbers = np.arange(study.space.size)
    (record,) = study.compiled.quantities(numbers)
    found = {
        name: np.broadcast_to(record["values"][name], numbers.shape)
        for name in ("nodes", "linpack_flop_rate", "machine_power")
    }
    rate = found["linpack_flop_rate"] / found["nodes"] / (machine.linpack_flop_rate / machine.nodes)
    power = found["machine_power"] / found["nodes"] / (machine.power / machine.nodes)
    return machine, {"rate": rate, "power": power, "efficiency": rate / power}


@pytest.mark.parametrize("name", LIKE)
def test_designs_like_a_real_machine_are_no_better_than_it(name):
    """By more than two standard errors of the law for one more machine with the device."""
    machine, ratios = beside_machine(name, BUNDLED.parent)
    laws = fitted()
    assert len(ratios["rate"]) > 0
    assert (ratios["rate"] <= math.exp(2 * laws.standard_error("rate", machine))).all()
    assert (ratios["power"] >= math.exp(-2 * laws.standard_error("power", machine))).all()
    assert (ratios["efficiency"] <= math.exp(2 * laws.standard_error("efficiency", machine))).all()


def test_with_one_constant_for_all_devices_they_were_better(tmp_path):
    """What the laws by device are for: medians of one half of the machines, and 550 W of MI300A."""
    rows = [row | dict.fromkeys(("device_peak_factor", "device_efficiency_factor"), "1") for row in device_rows()]
    for row in rows:
        row["device_measured_machines"] = "0"
        if row["device_model"] == "MI300A":
            row["device_power [W]"] = "550"
    (tmp_path / "machines").mkdir()
    with (tmp_path / "machines" / "devices.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    constants = {"accelerator_peak_share": 0.7506, "accelerator_power_share": 0.966}
    machine, ratios = beside_machine("El Capitan", tmp_path, constants)
    assert ratios["efficiency"].max() > math.exp(4 * fitted().standard_error("efficiency", machine))
