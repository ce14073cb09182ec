"""The tables of laws that come with the project are what the fit gives."""

import csv
import math

import pytest

from dse.authoring.table import read_table
from dse.models.machines.catalogue.catalogue import catalogue
from dse.models.machines.catalogue.device_laws import FACTORS, device_factors
from dse.models.machines.classes import CLASSES
from dse.models.machines.laws.core_laws import core_machines
from dse.models.machines.laws.fitted_tables import devices_file, written
from dse.models.machines.laws.laws import fitted

from . import oracle
from .tables import TABLE

FOLDER = TABLE.parent


def csv_rows(text):
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


@pytest.mark.parametrize(
    "name", ["laws.csv", "device-laws.csv", "left-out.csv", "devices.csv", "../node_class/socket-law.csv"]
)
def test_the_shipped_tables_are_those_of_the_fit(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == written(FOLDER)[name], (
        "run python -m dse.models.machines.laws.fitted_tables"
    )


def test_factors_are_offsets_of_laws_written_anew():
    laws = oracle.laws(oracle.shares())
    found = csv_rows((FOLDER / "device-laws.csv").read_text(encoding="utf-8"))
    cores = oracle.core_laws(oracle.core_shares())["rate"]
    assert {row["device"] for row in found} == {*oracle.DEVICES.values(), *oracle.core_devices().values(), "H200"}
    for row in found:
        if row["device"] == "H200":
            continue  # by the scatter of the others: test_laws
        if row["device"] in oracle.core_devices().values():
            law = cores[row["class"]]
            assert float(row["device_peak_factor"]) == pytest.approx(math.exp(law.offset[row["device"]]), abs=6e-5)
            assert int(row["rate_machines"]) == law.machines[row["device"]]
            assert (row["device_efficiency_factor"], row["device_measured_machines"]) == ("1.0000", "0")
            continue
        for column, law in (
            ("device_peak_factor", "rate"),
            ("device_efficiency_factor", "efficiency"),
            ("device_gradient_factor", "hpcg"),
        ):
            offset = laws[law].offset.get(row["device"], 0.0)
            assert float(row[column]) == pytest.approx(math.exp(offset), abs=6e-5)
        assert int(row["device_measured_machines"]) == laws["efficiency"].machines.get(row["device"], 0)
        assert int(row["rate_machines"]) == laws["rate"].machines[row["device"]]
        assert row["class"] in CLASSES


def test_devices_of_the_catalogue_have_the_factors_of_their_machines():
    table = read_table(FOLDER / "devices.csv")
    expected = device_factors([str(model) for model in table["device_model"]])
    for column in FACTORS:
        assert list(table[column]) == list(expected[column])
    new = {str(name) for name, n in zip(table["name"], table["device_measured_machines"], strict=True) if n == 0}
    assert new == {"B200 SXM", "MI300X", "MI325X", "MI355X", "MI350X", "GB200", "Rubin"}


def test_a_device_nobody_has_measured_has_the_means_of_its_class():
    found = device_factors(["MI300A", "Matrix-9000"])
    assert {name: values[1] for name, values in found.items()} == dict(zip(FACTORS, (1.0, 1.0, 1.0, 0.0), strict=True))
    assert found["device_peak_factor"][0] == pytest.approx(0.9945)


def test_what_was_fitted_comes_back_after_any_edit():
    """Factors that were edited by hand are made anew; the rest stays as it stands."""
    text = (FOLDER / "devices.csv").read_text(encoding="utf-8")
    edited = text.replace(",1.1710,", ",1.9999,")
    assert edited != text
    assert devices_file(edited, fitted()) == text


def test_a_new_device_with_empty_columns_gets_the_means_of_its_class():
    text = (FOLDER / "devices.csv").read_text(encoding="utf-8")
    (h200,) = [row for row in csv_rows(text) if row["name"] == "MI300X"]
    fitted_columns = (*FACTORS, "validation")
    heading = text[text.index("name,device_model") :].splitlines()[0].split(",")
    new = {name: "" if name in fitted_columns else value for name, value in h200.items()} | {"name": "X", "note": ""}
    new |= {name: value.replace(",", "") for name, value in new.items()} | {"device_model": "X"}
    found = devices_file(text + ",".join(new[name] for name in heading) + "\n", fitted())
    *others, last = csv_rows(found)
    assert others == csv_rows(text)
    assert {name: last[name] for name in FACTORS} == {name: h200[name] for name in FACTORS}
    assert last["validation"] == h200["validation"]
    assert last["device_flop_rate [Tflop/s]"] == h200["device_flop_rate [Tflop/s]"]


def test_validation_tells_of_machines_left_out():
    told = {row["device_model"]: row["validation"] for row in csv_rows((FOLDER / "devices.csv").read_text())}
    errors = oracle.left_out(oracle.shares())
    ratios = sorted(1 / (1 + errors["efficiency"][name]) for name in ("El Capitan", "Tuolumne"))
    assert f"{ratios[0]:.2f} to {ratios[1]:.2f} of the Gflop/s per W" in told["MI300A"]
    assert told["MI300A"].startswith("El Capitan, Tuolumne: measured at ")
    assert told["H100"].startswith("Eagle (Azure), MareNostrum 5 ACC")
    law = oracle.laws(oracle.shares())["efficiency"]
    error = math.sqrt(law.between + law.variance["accelerator"])
    assert told["MI300X"].startswith("no machine measured: ")
    assert f"{100 * error:.0f} % in Gflop/s per W" in told["MI300X"]


def test_every_machine_of_the_table_that_can_be_computed_has_a_row():
    rows = {row["device"] for row in csv_rows((FOLDER / "device-laws.csv").read_text(encoding="utf-8"))}
    machines = [*(one for one in catalogue() if not one.blind), *core_machines()]
    assert rows == {machine.device for machine in machines if machine.nodes and machine.memory_capacity}
