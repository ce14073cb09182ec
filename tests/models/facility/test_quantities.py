"""Energy, greenhouse gases and cost of ownership, against calculations by hand and in the directions they must go."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse import Study
from dse.authoring.library.library import load_model
from dse.errors import InputError, MissingQuantityError

PLAIN = [
    function
    for name in ("facility", "facility.embodied", "facility.in_euros")
    for function in load_model(name).functions
]
TARGETS = ["cost_of_ownership", "carbon", "water_use"]
SHOWN = [
    *("site_power", "mean_machine_power", "yearly_energy", "use_energy", "electricity_carbon", "embodied_carbon"),
    *("embodied_carbon_share", "purchase_cost", "nodes_purchase", "switches_purchase", "cables_purchase"),
    *("nics_purchase", "electricity_cost", "staff_cost", "electricity_cost_share", "cost_at_work"),
]
MACHINE = {
    "machine_power": "10 MW", "nodes": 1000, "switches": 50, "ports_in_use": 2000, "network_planes": 2,
    "nics_per_node": 2, "electrical_links": 600, "optical_links": 400, "node_embodied_carbon": "1500 kg",
}  # fmt: skip
USE = {
    "use_time": "5 year", "utilisation": 0.8, "idle_power_share": 0.5, "load_power_share": 0.9,
    "power_usage_effectiveness": 1.2, "carbon_intensity": "300 g/kWh", "water_usage_effectiveness": "1.5 l/kWh",
    "storage_embodied_carbon": "50 t",
}  # fmt: skip
PRICES = {
    "node_price": "100 kEUR", "switch_port_price": "500 EUR", "nic_price": "1000 EUR",
    "electrical_cable_price": "100 EUR", "optical_cable_price": "600 EUR",
    "storage_price": "5 MEUR", "electricity_price": "150 EUR/MWh",
    "staff_positions": 10, "position_price": "80 kEUR/year",
}  # fmt: skip


def study(models=("facility", "facility.in_euros"), targets=TARGETS, also=(), **given):
    values = {**MACHINE, **USE, **PRICES, **given}
    nodes = values.pop("nodes")
    document = {
        "name": "facility-test",
        "space": {"axes": {"nodes": {"values": [nodes]}}},
        "models": [*models],
        "objectives": [{"minimize": name} for name in targets],
        "also": [*also],
        "set": {name: value for name, value in values.items() if value is not None},
    }
    return Study.from_text(json.dumps(document), folder=".")


def quantities(**given):
    """All quantities of one machine."""
    (record,) = study(also=SHOWN, **given).problem().quantities([0])
    return {name: float(np.ravel(value)[0]) for name, value in record["values"].items() if name in (*SHOWN, *TARGETS)}


def test_a_machine_by_hand():
    found = quantities()
    hours = 5 * 365.25 * 24
    mean = 10e6 * 0.9 * (0.8 + 0.2 * 0.5)  # 8.1 MW
    assert found["site_power"] == pytest.approx(12e6, rel=1e-15)
    assert found["mean_machine_power"] == pytest.approx(8.1e6, rel=1e-15) == mean
    energy = 8100 * 1.2 * hours  # kWh
    assert found["use_energy"] / 3.6e6 == pytest.approx(energy, rel=1e-14)
    assert found["yearly_energy"] / 3.6e6 == pytest.approx(energy / 5, rel=1e-14)
    assert found["water_use"] == pytest.approx(8100 * hours * 1.5e-3, rel=1e-14)

    embodied = 1000 * 1500 + 50 * 2 * 280 + 50e3
    assert found["embodied_carbon"] == pytest.approx(embodied, rel=1e-14)
    assert found["electricity_carbon"] == pytest.approx(0.3 * energy, rel=1e-14)
    assert found["carbon"] == pytest.approx(embodied + 0.3 * energy, rel=1e-14)
    assert found["embodied_carbon_share"] == pytest.approx(embodied / (embodied + 0.3 * energy), rel=1e-14)

    parts = {"nodes": 100e6, "switches": 2e6, "cables": (600 * 100 + 400 * 600) * 2, "nics": 2e6}
    for part, price in parts.items():
        assert found[f"{part}_purchase"] == pytest.approx(price, rel=1e-14)
    assert found["purchase_cost"] == pytest.approx(sum(parts.values()) + 5e6, rel=1e-14)
    assert found["electricity_cost"] == pytest.approx(0.15 * energy, rel=1e-14)
    assert found["staff_cost"] == pytest.approx(5 * 10 * 80e3, rel=1e-14)
    whole = sum(parts.values()) + 5e6 + 0.15 * energy + 4e6
    assert found["cost_of_ownership"] == pytest.approx(whole, rel=1e-14)
    assert found["electricity_cost_share"] == pytest.approx(0.15 * energy / whole, rel=1e-14)
    assert found["cost_at_work"] * 0.8 * hours * 3600 == pytest.approx(whole, rel=1e-14)


def test_what_is_not_said_is_an_upper_bound():
    """At rest it draws what it draws at work, all work draws what HPL does, and there is no cooling."""
    left_out = {"idle_power_share": None, "load_power_share": None, "power_usage_effectiveness": None}
    found = quantities(**left_out)
    assert found["use_energy"] == pytest.approx(10e6 * 5 * 365.25 * 86400, rel=1e-14)
    assert found == quantities(**left_out, utilisation=0.8) | {"cost_at_work": found["cost_at_work"]}
    assert found["mean_machine_power"] >= quantities()["mean_machine_power"]


@pytest.mark.parametrize(
    ("name", "more", "grows"),
    [
        ("power_usage_effectiveness", 1.3, {"cost_of_ownership", "carbon"}),
        ("use_time", "6 year", {"cost_of_ownership", "carbon", "water_use"}),
        ("utilisation", 0.9, {"cost_of_ownership", "carbon", "water_use"}),
        ("machine_power", "11 MW", {"cost_of_ownership", "carbon", "water_use"}),
        ("electricity_price", "160 EUR/MWh", {"cost_of_ownership"}),
        ("node_price", "101 kEUR", {"cost_of_ownership"}),
        ("switch_port_price", "501 EUR", {"cost_of_ownership"}),
        ("nic_price", "1001 EUR", {"cost_of_ownership"}),
        ("optical_cable_price", "601 EUR", {"cost_of_ownership"}),
        ("electrical_cable_price", "101 EUR", {"cost_of_ownership"}),
        ("storage_price", "6 MEUR", {"cost_of_ownership"}),
        ("staff_positions", 11, {"cost_of_ownership"}),
        ("position_price", "81 kEUR/year", {"cost_of_ownership"}),
        ("carbon_intensity", "301 g/kWh", {"carbon"}),
        ("node_embodied_carbon", "1501 kg", {"carbon"}),
        ("switch_embodied_carbon", "281 kg", {"carbon"}),
        ("water_usage_effectiveness", "1.6 l/kWh", {"water_use"}),
        ("nodes", 1001, {"cost_of_ownership", "carbon"}),
        ("network_planes", 3, {"cost_of_ownership", "carbon"}),
    ],
)
def test_more_of_one_thing_is_more_of_what_it_is_part_of_and_of_nothing_else(name, more, grows):
    before, after = quantities(), quantities(**{name: more})
    assert {target for target in TARGETS if after[target] > before[target]} == grows
    assert all(after[target] == before[target] for target in TARGETS if target not in grows)


shares = st.floats(0.0, 1.0)


@given(shares, shares, st.floats(0.01, 1.0), st.floats(1.0, 3.0), st.floats(1e3, 1e9))
def test_the_mean_power_lies_between_rest_and_work(utilisation, idle, load, effectiveness, power):
    functions = {function.name: function for function in PLAIN}
    mean = functions["mean_machine_power"](power, load, utilisation, idle)
    assert power * load * idle * (1 - 1e-12) <= mean <= power * load * (1 + 1e-12)
    year = functions["yearly_energy"](mean, effectiveness)
    assert year == pytest.approx(functions["use_energy"](mean, effectiveness, 365.25 * 86400), rel=1e-12)
    assert year <= functions["site_power"](power, effectiveness) * 365.25 * 86400 * (1 + 1e-12)


@pytest.mark.parametrize("function", PLAIN, ids=lambda function: function.label + ":" + str(function.provider))
def test_contract_of_functions(function, check_contract, check_ranges):
    limits = {"utilisation": (0.01, 1.0)}
    check_contract(function, limits=limits, tables={})
    check_ranges(function, limits=limits, tables={})


def test_nodes_are_made_by_class():
    functions = {function.name: function for function in PLAIN}
    np.testing.assert_array_equal(functions["accelerated_node_embodied_carbon"](np.array([4, 8]), 318.0), [1272, 2544])
    assert functions["many_core_node_embodied_carbon"](2, 550.0) == 1100.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"node_price": "100 kUSD"}, r"set\.node_price: unit 'kUSD' does not fit 'EUR': currencies are not converted"),
        ({"electricity_price": "0.1 USD/kWh"}, "currencies are not converted, give it in EUR"),
        ({"node_price": 100_000}, "has no unit"),
        ({"node_price": "-1 EUR"}, "node_price"),
        ({"utilisation": 1.2}, "utilisation"),
        ({"power_usage_effectiveness": 0.9}, "power_usage_effectiveness"),
        ({"use_time": "0 year"}, "use_time"),
        ({"carbon_intensity": "300 g"}, "carbon_intensity"),
    ],
)
def test_bad_input_is_refused_by_name(given, message):
    with pytest.raises(InputError, match=message):
        study(**given).problem()


def test_prices_have_no_default():
    for name in PRICES:
        if name != "storage_price":
            with pytest.raises(MissingQuantityError, match=name):
                study(**{name: None}).problem()
    assert not {*PRICES, "storage_price"} & {*load_model("facility").assumptions}
    assert {*load_model("facility.in_euros").assumptions} & {*PRICES} == {"storage_price"}
    assert load_model("facility.in_euros").assumptions["storage_price"].value == 0.0


def test_two_currencies_in_one_study_are_refused():
    with pytest.raises(InputError, match="two providers of"):
        study(models=("facility", "facility.in_euros", "facility.in_dollars")).problem()


def test_dollars_are_the_same_sums():
    dollars = {name: value.replace("EUR", "USD") if isinstance(value, str) else value for name, value in PRICES.items()}
    problem = study(models=("facility", "facility.in_dollars"), **dollars).problem()
    (record,) = problem.quantities([0])
    assert float(np.ravel(record["values"]["cost_of_ownership"])[0]) == quantities()["cost_of_ownership"]
    with pytest.raises(InputError, match="give it in USD"):
        study(models=("facility", "facility.in_dollars")).problem()
