"""The study exascale: which devices are on its frontier; its designs are no better than machines that exist."""

import csv
import math
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from dse import Study
from dse.authoring.table import read_table
from dse.models.machines.catalogue.catalogue import catalogue
from dse.models.machines.laws.laws import fitted
from dse.study.file.headings import bundled_studies

BUNDLED = bundled_studies()["exascale"]
STORE, SAVED, RESTART = 10e12, 1e15, 600.0  # B/s, B, s
DEVICE_MTBF = 1.8243e8  # s: a training job on 16,384 devices, 419 unexpected interruptions in 54 days
DEVICES = Path(str(files("dse.spaces"))) / "machines" / "devices.csv"

# the device of a machine, and the fabric whose links have the rate of its own
LIKE = {
    "El Capitan": ("MI300A", "Slingshot-11 64 ports"),
    "Frontier": ("MI250X", "Slingshot-11 64 ports"),
    "JUPITER Booster": ("GH200", "HDR 40 ports"),
}
NEAR = 0.01  # JUPITER's nodes are four times a prime, which is no dragonfly


def document(*, name="exascale", networks=None):
    """A study without references, with accelerated nodes alone, and some of its networks."""
    found = tomllib.loads(bundled_studies()[name].read_text(encoding="utf-8"))
    found["space"]["exclude"] = ["node != 'accelerated'"]
    if networks is not None:
        found["space"]["exclude"].append(f"not network in {networks}")
    del found["references"]
    return found


@pytest.fixture(scope="module")
def frontiers():
    """The frontiers of the accelerated alternatives; that they are the whole is tested where the whole is searched."""
    names = ("exascale", "exascale-collectives", "exascale-law")
    return {name: Study(document(name=name), folder=BUNDLED.parent).run(trust=False).frontier for name in names}


@pytest.fixture(scope="module")
def frontier(frontiers):
    return frontiers["exascale"]


def on_boards(frontier):
    """Devices on the board of each design."""
    table = read_table(DEVICES.with_name("boards.csv"))
    counts = dict(zip(table["name"], table["devices_per_node"], strict=True))
    return frontier["board"].map(counts).astype(float)


def device_of(frontier, column):
    """The device of the design with the least of a column."""
    return frontier.loc[frontier[column].idxmin(), "device"]


def test_variants_leave_out_what_they_say():
    whole, failure_free, law = (document(name=name) for name in ("exascale", "exascale-collectives", "exascale-law"))
    for key in ("constraints", "space"):
        assert whole[key] == failure_free[key] == law[key]
    failures = {"checkpoint_bytes": "1 PB", "store_write_bandwidth": "10 TB/s"}
    assert whole["set"] == failure_free["set"] | failures
    assert failure_free["set"] == law["set"]
    exchanges = ("linpack", "conjugate_gradient", "fourier_transform", "breadth_first_search")
    collectives = {f"{name}_exchange": "collectives" for name in exchanges}
    assert whole["use"] == law["use"] | collectives | {"failure_rate": "node-class"}
    assert failure_free["use"] == law["use"] | collectives
    assert set(whole["models"]) - set(failure_free["models"]) == {"resilience"}
    assert set(failure_free["models"]) - set(law["models"]) == {"collectives.machine"}
    assert [one["minimize"] for one in law["objectives"]] == ["mix_time", "machine_power", "machine_cost"]


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-accelerated")
def test_which_devices_are_on_the_frontier(frontiers):
    """Recorded: a change of laws, parts or limits is to be seen, and told in docs/engineering/exascale.md."""
    counts = {name: Counter(one["device"]) for name, one in frontiers.items()}
    assert counts["exascale-law"] == {"MI300A": 50, "GH200": 11, "H200 SXM": 2}
    assert counts["exascale-collectives"] == {"MI300A": 47, "GH200": 5, "H200 SXM": 1}
    assert counts["exascale"] == {"MI300A": 44, "GH200": 4}
    assert {device_of(one, "machine_power") for one in frontiers.values()} == {"MI300A"}
    assert device_of(frontiers["exascale-law"], "mix_time") == "MI300A"
    assert device_of(frontiers["exascale"], "wall_time") == "MI300A"


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-accelerated")
def test_which_topologies_are_on_the_frontier(frontiers):
    """Recorded, too."""
    counts = {
        name: Counter(alternative.removeprefix("accelerated ") for alternative in one["alternative"])
        for name, one in frontiers.items()
    }
    assert counts["exascale-law"] == {"dragonfly": 24, "hyperx": 29, "fat-tree-3-level": 2, "fat-tree-2-level": 8}
    assert counts["exascale-collectives"] == {
        "dragonfly": 21,
        "fat-tree-3-level": 12,
        "hyperx": 7,
        "fat-tree-2-level": 13,
    }
    assert counts["exascale"] == {"dragonfly": 21, "fat-tree-3-level": 8, "hyperx": 7, "fat-tree-2-level": 12}


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-accelerated")
def test_availability_is_that_of_the_best_interval(frontier):
    """Worked out here by a root finder: waste of the complete form, at the interval where its slope is nought."""
    for devices, some in frontier.groupby(frontier["nodes"] * on_boards(frontier)):
        mean = DEVICE_MTBF / devices
        cost = SAVED / STORE
        restart = RESTART + SAVED / STORE

        def time_per_work(tau, mean=mean, cost=cost, restart=restart):
            return mean * math.exp(restart / mean) * math.expm1((tau + cost) / mean) / tau

        best = minimize_scalar(time_per_work, bounds=(cost, mean), method="bounded", options={"xatol": 1e-6})
        np.testing.assert_allclose(some["availability"], 1 / best.fun, rtol=1e-9)
        np.testing.assert_allclose(some["wall_time"], some["mix_time"] * best.fun, rtol=1e-9)
        assert 0.65 < 1 / best.fun < 0.78


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-accelerated")
def test_failures_take_the_machines_with_most_devices_away(frontiers):
    """Those with the fewest for an exaflop keep their order, and the fast end has fewer than without failures."""
    devices = {name: one["nodes"] * on_boards(one) for name, one in frontiers.items()}
    assert devices["exascale-collectives"].max() == 49_152
    counts = {name: Counter(one) for name, one in devices.items()}
    assert counts["exascale"][49_152] <= counts["exascale-collectives"][49_152]
    assert counts["exascale"][24_576] / len(devices["exascale"]) > 0.8
    fewest = {name: one[devices[name] == 24_576].sort_values("mix_time") for name, one in frontiers.items()}
    keys = ["alternative", "fabric", "nics_per_node", "board", "shape"]
    before, after = (fewest[name][keys].to_numpy() for name in ("exascale-collectives", "exascale"))
    np.testing.assert_array_equal(before, after)


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-accelerated")
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
    axes["device"] = {"part": "machines/devices.csv", "where": {"device_model": device}}
    axes["devices_per_node"] = {"values": [int(machine.devices)]}
    del axes["board"], made["labels"]["board"]
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


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-accelerated")
def test_over_shortest_paths_alone_only_trees_are_left():
    some = document(name="exascale-collectives")
    some["set"]["collective_detours"] = 0
    found = Study(some, folder=BUNDLED.parent).run(trust=False).frontier
    assert {name.split()[1] for name in found["alternative"]} == {"fat-tree-2-level", "fat-tree-3-level"}
