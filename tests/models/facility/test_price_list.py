"""Price lists: what is found, what is refused, and what a node of a class costs by them."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from dse.authoring.library.library import load_model
from dse.authoring.table import Column, read_table
from dse.cli.main import main
from dse.errors import InputError
from dse.models.facility.price_list import listed_price

FUNCTIONS = {function.name: function for function in load_model("facility.euro_prices").functions}
EXAMPLE = Path(str(files("dse.spaces"))) / "facility" / "example-prices.csv"
GRIDS = Path(str(files("dse.spaces"))) / "facility" / "grids.csv"
COLUMNS = {"item": Column("text"), "price": Column("EUR"), "per": Column("text")}
ROWS = [
    "MI300A,20,1", "GH200,30000,1", "host,9000,1", "node base,5000,1", "silicon of weight 1,100000,1", "memory,8,GB",
    "100 Gbit/s card,500,1", "100 Gbit/s switch port,200,1", "100 Gbit/s electrical cable,50,1",
    "100 Gbit/s optical cable,300,1", "electricity,100,MWh", "position,90000,year",
]  # fmt: skip
STUDY = {
    "name": "priced",
    "models": ["facility", "facility.euro_prices", "facility.in_euros"],
    "objectives": [{"minimize": "cost_of_ownership"}],
    "use": {"node_class": "accelerated"},
    "tables": {"price_list": {"file": "prices.csv"}},
    "set": {
        "machine_power": "1 MW", "use_time": "4 year", "utilisation": 0.5, "staff_positions": 2, "host_power": "0 W",
        "nics_per_node": 4, "ports_in_use": 800, "electrical_links": 300, "optical_links": 500, "nodes": 100,
        "port_bandwidth": "100 Gbit/s", "device_model": "GH200",
    },
    "space": {"axes": {"devices_per_node": {"values": [2, 4]}}},
}  # fmt: skip


def written(folder, rows=ROWS, heading="item,price [EUR],per"):
    (folder / "prices.csv").write_text("\n".join([heading, *rows]) + "\n", encoding="utf-8")
    (folder / "priced.json").write_text(json.dumps(STUDY), encoding="utf-8")
    return folder / "prices.csv"


@pytest.fixture
def prices(tmp_path):
    return read_table(written(tmp_path), columns=COLUMNS)


def told(folder, capsys, *arguments, change=None, axis=""):
    """Exit code and output of a command on the study, which is TOML here."""
    document = STUDY | (change or {})
    lines = [f"{key} = {json.dumps(document[key])}" for key in ("name", "models")]
    lines += ["[[objectives]]", 'minimize = "cost_of_ownership"', "[use]", 'node_class = "accelerated"']
    lines += ["[tables.price_list]", 'file = "prices.csv"', "[set]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in document["set"].items()]
    lines += ["[space.axes]", "devices_per_node = { values = [2, 4] }", axis]
    (folder / "priced.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main([arguments[0], str(folder / "priced.toml"), *arguments[1:]])
    captured = capsys.readouterr()
    return ended.value.code, " ".join((captured.out + captured.err).split())


def test_prices_are_for_their_unit(prices):
    assert listed_price(prices, "GH200", "1") == 30_000
    assert listed_price(prices, "memory", "B") == pytest.approx(8e-9, rel=1e-14)
    assert listed_price(prices, "electricity", "J") == pytest.approx(100 / 3.6e9, rel=1e-14)
    assert listed_price(prices, "position", "s") == pytest.approx(90_000 / (365.25 * 86400), rel=1e-14)


def test_an_item_that_is_missing_twice_or_for_another_unit(tmp_path, prices):
    with pytest.raises(InputError, match=r"no row with item = 'MI300B'.*MI300A"):
        listed_price(prices, "MI300B", "1")
    twice = read_table(written(tmp_path, [*ROWS, "GH200,31000,1"]), columns=COLUMNS)
    with pytest.raises(InputError, match=r"2 prices of 'GH200'"):
        listed_price(twice, "GH200", "1")
    with pytest.raises(InputError, match=r"the price of 'memory' is for each 'GB'.*a unit like 'J'"):
        listed_price(prices, "memory", "J")


def test_nodes_by_class(prices):
    devices = FUNCTIONS["device_price"](prices, np.array(["MI300A", "GH200", "MI300A"], dtype=object))
    np.testing.assert_array_equal(devices, [20, 30_000, 20])
    node = FUNCTIONS["accelerated_node_price"]
    found = node(np.array([4.0]), np.array([30_000.0]), np.array([0.0, 500.0]), np.array([9000.0]), np.array([5000.0]))
    np.testing.assert_array_equal(found, [125_000, 134_000])
    cores = FUNCTIONS["many_core_node_price"](2, 0.05, 100_000, 512e9, 8e-9, 5000)
    assert cores == pytest.approx(10_000 + 4096 + 5000)
    network = FUNCTIONS["network_prices"](prices, np.array([12.5e9, 12.5e9]))
    np.testing.assert_array_equal(np.array(network), [[500, 500], [200, 200], [50, 50], [300, 300]])


def test_cost_by_hand_at_the_command_line(tmp_path, capsys):
    written(tmp_path)
    code, text = told(tmp_path, capsys, "evaluate", "--set", "devices_per_node=4", "--json")
    assert code == 0
    purchase = 100 * (4 * 30_000 + 5000) + 400 * 500 + 800 * 200 + 300 * 50 + 500 * 300
    running = 1000 * 4 * 365.25 * 24 * 0.1 + 4 * 2 * 90_000
    assert json.loads(text)["values"]["cost_of_ownership"] == pytest.approx(purchase + running, rel=1e-12)


def test_a_list_in_dollars_is_refused_where_euros_are_needed(tmp_path, capsys):
    written(tmp_path, heading="item,price [USD],per")
    code, text = told(tmp_path, capsys, "check")
    assert code == 2
    assert "currencies are not converted, give it in EUR" in text
    assert "prices.csv" in text
    assert "price" in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row for row in ROWS if not row.startswith("GH200")], "no row with item = 'GH200'"),
        ([row for row in ROWS if not row.startswith("electricity")], "no row with item = 'electricity'"),
        ([row.replace("MWh", "GB") for row in ROWS], "the price of 'electricity' is for each 'GB'"),
        ([row.replace("100,MWh", "cheap,MWh") for row in ROWS], "cheap"),
    ],
)
def test_a_list_that_is_not_right_is_refused_by_item(tmp_path, capsys, rows, message):
    written(tmp_path, rows)
    code, text = told(tmp_path, capsys, "run", "--out", str(tmp_path / "run"))
    assert code == 2
    assert message in text
    assert "prices.csv" in text
    assert "Traceback" not in text


def test_check_asks_the_list_for_every_part_of_an_axis(tmp_path, capsys):
    """One of twenty devices is not listed: a random design would hardly meet it."""
    devices = [f"D{number}" for number in range(20)]
    rows = [f"{name},20000,1" for name in devices if name != "D13"]
    written(tmp_path, [*ROWS, *rows])
    parts = ["device_model,source", *(f"{name},made up" for name in devices)]
    (tmp_path / "parts.csv").write_text("\n".join(parts) + "\n", encoding="utf-8")
    given = {name: value for name, value in STUDY["set"].items() if name != "device_model"}
    axis = 'device = { part = "parts.csv", label = "device_model" }'
    messages = []
    for command in (["check"], ["run", "--out", str(tmp_path / "run")]):
        code, text = told(tmp_path, capsys, *command, change={"set": given}, axis=axis)
        assert code == 2, text
        assert "prices.csv" in text
        messages.append(text[text.index("no row with item = 'D13'") :])
    assert messages[0][:60] == messages[1][:60]


def test_two_currencies_are_told_apart(tmp_path, capsys):
    written(tmp_path)
    models = [*STUDY["models"], "facility.in_dollars"]
    code, text = told(tmp_path, capsys, "check", change={"models": models})
    assert code == 2
    assert (
        "facility.in_euros gives it in EUR, facility.in_dollars gives it in USD; allowed: one of these models" in text
    )


def test_the_example_is_made_up_in_every_row_and_has_what_the_study_asks_for():
    example = read_table(EXAMPLE, columns=COLUMNS)
    assert example.synthetic
    assert set(example["synthetic"]) == {"yes"}
    assert len(set(example["item"])) == len(example)
    devices = read_table(EXAMPLE.parents[1] / "machines" / "devices.csv")
    for model in devices["device_model"]:
        assert listed_price(example, model, "1") > 0


def test_every_grid_has_a_source_and_a_plausible_intensity():
    grids = read_table(GRIDS)
    assert all(grids["source"])
    assert set(grids["confidence"]) == {"medium"}
    intensity = grids["carbon_intensity"] * 3.6e9  # g/kWh
    assert ((intensity > 10) & (intensity < 1000)).all()
    assert len(set(grids["name"])) == len(grids)
    by_hand = dict(zip(grids["name"], intensity, strict=True))
    assert by_hand["France 2021"] == pytest.approx(67.781)
    assert by_hand["Germany 2024"] == pytest.approx(341)
