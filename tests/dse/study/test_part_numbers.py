"""One row of a part with another number than its catalogue: `set` of an axis, and `--set COLUMN[PART]`."""

import pytest

from dse.api import Study
from dse.errors import InputError

MODEL = """from dse import parameter, quantity

nodes = parameter(unit="1", doc="Nodes", minimum=1)
speed = parameter(unit="1/s", doc="Steps a second", above=0)
node_price = parameter(unit="USD", doc="Price of a node", above=0)


@quantity(unit="s", source="invented")
def time(nodes, speed):
    return 1e6 / (nodes * speed)


@quantity(unit="USD", source="invented")
def price(nodes, node_price):
    return nodes * node_price
"""
NODES = """name,kind,speed [1/s],node_price [USD],source
small,a,10,6000,invented
large,b,30,21000,invented
"""
STUDY = """name = "cluster"
question = "Which cluster for 1 MUSD?"
models = ["model.py"]
objectives = [{ minimize = "time" }, { minimize = "price" }]
constraints = ["price <= 1 MUSD"]

[space.axes]
nodes = { values = [2, 4, 8] }
node = { part = "nodes.csv", label = "name" }
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "cluster.toml").write_text(STUDY)
    return Study.load(tmp_path / "cluster.toml")


def frontier(study):
    return study.run().frontier[["nodes", "node", "time", "price"]].values.tolist()


@pytest.mark.parametrize("price", ["60 kUSD", "2100 USD"])
def test_it_is_what_another_catalogue_gives(study, tmp_path, price):
    dollars = {"60 kUSD": "60000", "2100 USD": "2100"}[price]
    variant = study.with_(set={"node_price[small]": price})
    (tmp_path / "nodes.csv").write_text(NODES.replace("small,a,10,6000", f"small,a,10,{dollars}"))
    assert frontier(variant.run().study) == frontier(Study.load(tmp_path / "cluster.toml"))
    assert frontier(variant) != frontier(study)


def test_a_variant_is_a_study_with_a_key_of_its_axis(study, tmp_path):
    variant = study.with_(set={"node_price[small]": "60 kUSD", "speed[large]": "20 1/s"})
    text = variant.to_toml(tmp_path / "dear.toml")
    again = Study.load(tmp_path / "dear.toml")
    assert frontier(again) == frontier(variant)
    assert again.spec.space.axes["node"].set == {"node_price": {"small": "60 kUSD"}, "speed": {"large": "20 1/s"}}
    assert "60 kUSD" in text
    parts = variant.parts({"node": "small", "nodes": 2})
    assert parts["node"]["source"] == "invented; node_price set by the study"
    assert variant.parts({"node": "large", "nodes": 2})["node"]["source"] == "invented; speed set by the study"


def test_the_name_of_the_variant(study):
    assert study.with_(set={"node_price[small]": "60 kUSD"}).name == "cluster@node_price-small=60-kUSD"


def test_a_second_change_keeps_the_first(study):
    twice = study.with_(set={"node_price[small]": "7 kUSD"}).with_(set={"node_price[large]": "9 kUSD"})
    assert twice.spec.space.axes["node"].set == {"node_price": {"small": "7 kUSD", "large": "9 kUSD"}}
    assert twice.with_(without={"node": "large"}).space.size == 3


BAD = [
    ({"node_price[smal]": "6 kUSD"}, "--set node_price[smal]: there is no part 'smal'; allowed: small, large; did you"),
    ({"node_prise[small]": "6 kUSD"}, "--set node_prise[small]: no part has a number 'node_prise'"),
    ({"kind[small]": "c"}, "no part has a number 'kind'"),
    ({"node_price[small]": "6"}, "--set node_price[small]: 6 has no unit"),
    ({"node_price[small]": "-6 kUSD"}, "--set node_price[small]: "),
    ({"node_price[small]": "6 kW"}, "--set node_price[small]: "),
    ({"node_price": "6 kUSD"}, "'node_price' is a column of parts, so each has its own; allowed: node_price[small]"),
]


@pytest.mark.parametrize(("values", "said"), BAD, ids=[next(iter(values)) for values, _ in BAD])
def test_what_is_no_number_of_a_part(study, values, said):
    with pytest.raises(InputError) as error:
        study.with_(set=values)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('set = { node_prise = { small = "6 kUSD" } }', "space.axes.node.set.node_prise: no part has a number"),
        ('set = { node_price = { smal = "6 kUSD" } }', "space.axes.node.set.node_price: there is no part 'smal'"),
        ('set = { node_price = { small = "6 W" } }', "space.axes.node.set.node_price.small: "),
        ("set = { node_price = {} }", "space.axes.node.set.node_price: "),
    ],
)
def test_faults_in_a_study_file(study, text, said):
    wrong = STUDY.replace('label = "name"', text)
    with pytest.raises(InputError) as error:
        _ = Study.from_text(wrong, folder=study.folder).compiled
    assert said in str(error.value)


def test_it_goes_with_parts_only(study):
    wrong = STUDY.replace("values = [2, 4, 8]", "values = [2, 4, 8], set = { speed = { a = 1 } }")
    with pytest.raises(InputError, match="'set' goes with 'part' only"):
        _ = Study.from_text(wrong, folder=study.folder).compiled


def test_boards_of_one_device_by_the_name_of_the_device():
    """The flagship names boards, which are joined to devices: a price of the device is that of all its boards."""
    study = Study.load("exascale").with_(set={"device_wafer_cost[MI300X]": "9.5"})
    boards = [axis for product in study.space.products for axis in product.axes if axis.name == "board"]
    assert boards
    for axis in boards:
        prices = axis.columns["device_wafer_cost"]
        of_device = [part == "MI300X" for part in axis.parts]
        assert set(prices[of_device]) == {9.5}
        assert 9.5 not in prices[[not own for own in of_device]]
