"""Real machines as quantities of a study: contract, ranges, and the same figures as `dse validate machines`."""

import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.authoring.declare.declaration import declarations
from dse.authoring.library.library import load_model
from dse.authoring.table import read_table
from dse.errors import InputError
from dse.models.applications import inputs
from dse.models.machines.catalogue.catalogue import catalogue
from dse.models.machines.catalogue.device_laws import FACTORS
from dse.models.machines.laws.comparison import answers
from dse.models.machines.rows import real_machines
from dse.units import check_si_unit

MODEL, APPLICATIONS = load_model("machines"), load_model("applications")
REAL = [f for f in MODEL.functions if f.provider == "real-machine"]
LIMITS = {
    "machine_nodes": (100, 200_000),
    "nodes": (100, 200_000),
    "machine_node_flop_rate": (1e11, 5e14),
    "device_peak_factor": (0.8, 1.2),
    "device_efficiency_factor": (0.6, 1.4),
    "device_gradient_factor": (0.7, 1.9),
    "device_measured_machines": (0, 2),
    "machine_devices": (0, 8),
    "accelerated": (0, 1),
    "machine_memory_capacity": (1e10, 2e12),
    "machine_memory_bandwidth": (1e11, 2e13),
    "vector_bits": (64, 2048),
    "machine_year": (1990, 2040),
    "machine_clock_kept": (0, 1),
    "construction_year": (1990, 2040),
    "processor_power_trend": (-0.1, 0.1),
    "machine_device_silicon_area": (1e-4, 2e-3),
    "wafer_diameter": (0.2, 0.3),
    "machine_device_dies": (1, 20),
    "machine_device_defect_density": (500, 2000),
}
STUDY = {
    "name": "machines",
    "models": ["applications", "machines"],
    "use": {"node_class": "real-machine"},
    "objectives": [{"maximize": "linpack_flop_rate"}, {"minimize": "machine_power"}],
    "also": ["conjugate_gradient_flop_rate", "node_processors_power", "machine_power_share"],
    "space": {"axes": {"machine": {"enumerate": "real_machines", "given": {}}}},
}
MEASURED = {
    "linpack_flop_rate": "machine_linpack_flop_rate",
    "machine_power": "machine_linpack_power",
    "conjugate_gradient_flop_rate": "machine_gradient_flop_rate",
}


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda f: f"{f.name}")
def test_contract(function, check_contract):
    check_contract(function, limits=LIMITS, tables={})


@pytest.mark.parametrize("function", MODEL.functions, ids=lambda f: f"{f.name}")
def test_ranges(function, check_ranges):
    check_ranges(function, limits=LIMITS, tables={})


def test_declarations():
    given = {name for model in (MODEL, APPLICATIONS) for f in model.functions for name in f.gives}
    declared = {**MODEL.parameters, **MODEL.assumptions}
    for function in MODEL.functions:
        assert function.doc.endswith(".")
        assert function.source
        assert set(function.needs) <= given | set(declared)
        for unit in function.gives.values():
            check_si_unit(unit)
        assert set(function.sum_of) <= given
    assert not {name for f in MODEL.functions for name in f.gives} & set(declared)


def test_the_real_machine_gives_what_applications_read():
    given = {name for function in REAL for name in function.gives}
    wanted = set(declarations(inputs))
    assert len(wanted) == 7
    assert wanted | {"node_processors_power", "node_injection_bandwidth", "accelerated", "interconnect_power"} <= given


def test_a_study_gives_the_figures_of_the_comparison():
    study = Study(STUDY)
    expected = {(a.machine.name, a.figure.quantity): a.fitted for a in answers(catalogue())}
    labels = [row for axis in study.space.products[0].axes for row in axis.labels]
    assert len(labels) == 23
    for label in labels:
        found = study.evaluate({"machine": label})
        for quantity in ("linpack_flop_rate", "machine_power", "conjugate_gradient_flop_rate"):
            computed = expected[label, quantity]
            if computed is not None and not (label == "Aurora" and quantity.startswith("conjugate")):
                assert found[quantity] == pytest.approx(computed, rel=1e-12)


def test_the_frontier_is_that_of_all_pairs():
    study = Study(STUDY)
    points = {
        label: (found["linpack_flop_rate"], found["machine_power"])
        for axis in study.space.products[0].axes
        for label in axis.labels
        for found in [study.evaluate({"machine": label})]
    }
    best = {
        name
        for name, (rate, power) in points.items()
        if not any(r >= rate and p <= power and (r, p) != (rate, power) for r, p in points.values())
    }
    for method in ("exhaustive", "bundles"):
        assert set(study.run(method=method, trust=False).frontier["machine"]) == best


def test_machines_stand_beside_a_space_as_references():
    """Frontier is searched; all others stand beside it with their measured figures."""
    document = STUDY | {
        "space": {"axes": {"machine": {"enumerate": "real_machines", "given": {"names": ["Frontier"]}}}},
        "references": {
            "machines": {
                "axes": {"machine": {"enumerate": "real_machines", "given": {"measured": True}}},
                "measured": MEASURED,
                "use": {"node_class": "real-machine"},
            }
        },
    }
    study = Study(document)
    (group,) = study.reference_groups
    assert len(group.labels) == 26
    assert "JUPITER Booster (partial)" not in group.labels
    measured = group.measured["linpack_flop_rate"].values
    assert measured[list(group.labels).index("Frontier")] == 1.353e18
    assert np.isnan(group.measured["machine_power"].values[list(group.labels).index("Magnus")])
    assert np.isnan(group.measured["conjugate_gradient_flop_rate"].values[list(group.labels).index("Aurora")])
    found = {one.name: one for one in study.references}
    assert found["Frontier"].values["linpack_flop_rate"] == pytest.approx(1.384e18, rel=1e-3)
    assert found["Eagle (PSNC)"].lacking["linpack_flop_rate"] == "'machine_memory_capacity' is empty"


def test_rows():
    found = real_machines.rows({})
    assert (found.kept, found.considered) == (23, 27)
    assert found.account()["refused"] == {"something the model needs was not published": 4}
    assert set(found.columns) <= set(MODEL.parameters) | set(MODEL.assumptions)
    assert len(found.sources) == len(found.confidences) == 23
    some = real_machines.rows({"names": ["Mira", "Sequoia"]})
    assert some.labels == ("Sequoia", "Mira")
    np.testing.assert_allclose(some.columns["machine_nodes"], [98304, 49152])
    everything = real_machines.rows({"measured": True}, empty=True)
    assert (everything.kept, everything.considered) == (26, 27)
    assert np.isnan(everything.columns["machine_linpack_power"]).sum() == 3


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"names": ["Fronteer"]}, r"names: there is no machine 'Fronteer'; allowed: .*; did you mean 'Frontier'\?"),
        ({"names": []}, "names: .* is not possible; allowed: a list of names of machines"),
        ({"names": "Frontier"}, "names: 'Frontier' is not possible"),
        ({"name": ["Frontier"]}, "unknown option 'name'"),
        ({"names": ["Magnus", "Eagle (PSNC)"], "measured": 1}, "measured: 1 is not possible; allowed: true, false"),
        ({"names": ["Eagle (PSNC)"]}, "no shape is left of 1 considered"),
    ],
)
def test_options_that_are_wrong(given, told):
    with pytest.raises(InputError, match=told):
        real_machines.rows(given)


def test_other_nodes_get_the_constants_of_their_class():
    constants = {name: item.value for name, item in MODEL.assumptions.items()}
    by_provider = {(f.provider, name): f for f in MODEL.functions for name in f.gives}
    one = {name: np.array([value]) for name, value in constants.items()}

    def given(quantity, **changed):
        function = by_provider["many-core", quantity]
        values = one | {name: np.array([value]) for name, value in changed.items()}
        return float(function(*(values[name] for name in function.needs))[0])

    assert given("linpack_peak_share") == constants["kept_clock_peak_share"] == 0.857
    assert given("machine_power_share") == pytest.approx(1.2286 * math.exp(-0.0215 * 6), rel=1e-12)
    assert given("machine_power_share", construction_year=2020) == pytest.approx(1.2286)
    later = [given("machine_power_share", construction_year=year) for year in (2026, 2030)]
    assert later[0] == later[1]
    assert given("machine_power_share", processor_power_trend=-0.1) == 1.0
    assert given("machine_power_share", processor_power_factor=1.5) == pytest.approx(1.5 * later[0])


def of_device(quantity, peak, efficiency, gradient, machines):
    """What nodes of accelerators get, by the names of what a quantity needs."""
    constants = {name: np.array([item.value]) for name, item in MODEL.assumptions.items()}
    factors = (peak, efficiency, gradient, machines)
    names = ("device_peak_factor", "device_efficiency_factor", "device_gradient_factor", "device_measured_machines")
    constants |= {name: np.array([value]) for name, value in zip(names, factors, strict=True)}
    by_name = {name: f for f in MODEL.functions if f.provider == "accelerated" for name in f.gives}
    constants["linpack_peak_share"] = by_name["linpack_peak_share"](
        *(constants[name] for name in by_name["linpack_peak_share"].needs)
    )
    return float(by_name[quantity](*(constants[name] for name in by_name[quantity].needs))[0])


def test_accelerated_nodes_get_the_factors_of_their_device():
    mi300a = (0.9945, 1.1710, 0.7738, 2.0)
    assert of_device("linpack_peak_share", *mi300a) == pytest.approx(0.7102, abs=5e-5)
    assert of_device("machine_power_share", *mi300a) == pytest.approx(0.8659, abs=1e-4)
    assert of_device("conjugate_gradient_bandwidth_share", *mi300a) == pytest.approx(0.5848 * 0.7738)


def test_a_device_without_a_machine_gets_the_means_of_its_class():
    """Power too: not rate over efficiency, which would be 1.02."""
    assert of_device("linpack_peak_share", 1, 1, 1, 0) == 0.7141
    assert of_device("machine_power_share", 1, 1, 1, 0) == 1.0043
    assert of_device("machine_power_share", 1, 1, 1, 1) == pytest.approx(0.7141 / 0.7004)
    assert of_device("conjugate_gradient_bandwidth_share", 1, 1, 1, 0) == 0.5848


def test_the_default_of_a_factor_says_that_a_catalogue_may_lack_the_column():
    """A catalogue of one's own may hold a V100, which machines have, and no factors."""
    for name in FACTORS:
        assert "or the catalogue no such column" in MODEL.assumptions[name].source, name


def test_a_real_machine_and_a_design_of_the_same_device_have_the_same_shares():
    real = {name: f for f in MODEL.functions if f.provider == "real-machine" for name in f.gives}
    constants = {name: np.array([item.value]) for name, item in MODEL.assumptions.items()}
    for factors in ((0.9945, 1.1710, 0.7738, 2.0), (1.0, 1.0, 1.0, 0.0)):
        names = ("device_peak_factor", "device_efficiency_factor", "device_gradient_factor", "device_measured_machines")
        given = constants | {
            "accelerated": np.ones(1),
            "machine_clock_kept": np.zeros(1),
            "machine_year": np.full(1, 2024.0),
        }
        given |= {name: np.array([value]) for name, value in zip(names, factors, strict=True)}
        for quantity in ("linpack_peak_share", "conjugate_gradient_bandwidth_share", "machine_power_share"):
            given[quantity] = real[quantity](*(given[name] for name in real[quantity].needs))
            assert float(given[quantity][0]) == pytest.approx(of_device(quantity, *factors), rel=1e-12)


def test_powers_of_the_network_are_those_of_its_catalogue():
    """Of the cards, the middle row; of switches, the middle InfiniBand box; of optical cables, those of their rates."""
    folder = Path(str(files("dse.spaces"))) / "network"
    cards, switches, cables = (read_table(folder / f"{name}.csv") for name in ("nics", "switches", "cables"))
    constants = {name: item.value for name, item in MODEL.assumptions.items()}
    per_card = np.median(cards["nic_power"] / cards["nic_bandwidth"])
    assert constants["adapter_power_per_bandwidth"] == pytest.approx(per_card, rel=1e-3)
    boxes = np.char.startswith(switches["generation"].astype(str), "InfiniBand")
    per_port = (switches["switch_power"] / switches["switch_ports"] / switches["port_bandwidth"])[boxes]
    assert len(per_port) == 3
    assert constants["switch_port_power_per_bandwidth"] == pytest.approx(np.median(per_port), rel=2e-3)
    optical = (cables["optical"] == "yes") & np.isin(cables["cable_bandwidth"], [25e9, 50e9])
    per_end = np.median(cables["energy_per_bit"][optical])
    assert constants["optical_end_power_per_bandwidth"] == pytest.approx(per_end, rel=1e-3)


def test_machines_that_are_left_out_are_the_same_from_the_file_and_computed(tmp_path):
    """What stands in left-out.csv, and what the enumeration computes of a table of the user."""
    rows = real_machines.rows({"names": ["Frontier", "Selene"], "measured": True}, empty=True)
    table = Path(str(files("dse.spaces"))) / "machines" / "systems.csv"
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    own = tmp_path / "own.csv"
    own.write_text("\n".join(line for line in lines if line.split(",")[0] in ("name", "Frontier", "Selene")) + "\n")
    mine = real_machines.rows({"table": str(own), "measured": True}, empty=True)
    for law in ("rate", "power", "efficiency"):
        for name in (f"machine_left_out_{law}", f"machine_left_out_{law}_errors"):
            np.testing.assert_allclose(mine.columns[name], rows.columns[name], atol=6e-5)
    np.testing.assert_array_equal(mine.columns["machine_matrix_units"], [0.0, 0.0])
    blind = real_machines.rows({"names": ["LineShine"], "measured": True}, empty=True)
    np.testing.assert_array_equal(blind.columns["machine_matrix_units"], [1.0])
