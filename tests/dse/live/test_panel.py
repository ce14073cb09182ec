"""The panel of a study says what can be changed, and each entry by the option that changes it."""

import json

import pytest

from dse import Run, Study
from dse.errors import RunFolderError
from dse.live.panel import changed_by, is_price, panel_of, panel_of_run
from dse.run.disk.seal import manifest_digest
from dse.study.edit.variant_schema import VariantSpec


@pytest.fixture(scope="module")
def panel():
    return panel_of(Study.load("ska-correlator"))


def test_it_is_plain_values(panel):
    assert json.loads(json.dumps(panel, allow_nan=False)) == panel


def test_limits_are_taken_apart(panel):
    assert panel["limits"] == [
        {"text": "run_time <= 0.52 s", "quantity": "run_time", "label": "run time", "relation": "<=", "value": "0.52 s"}
    ]


def test_parts_and_values_can_be_left_out_by_their_labels(panel):
    study = Study.load("ska-correlator")
    axes = {axis["name"]: axis for axis in panel["axes"]}
    assert axes["core_type"]["part"]
    assert not axes["frequency"]["part"]
    for name, axis in axes.items():
        if name == "core_type":  # each alternative has one, and nothing would be left of it
            continue
        label = axis["values"][-1]["label"]
        assert study.with_(without={name: [label]}).space.size < study.space.size, (name, label)


def test_alternatives_can_be_left_out(panel):
    (alternatives,) = panel["choices"]
    study = Study.load("ska-correlator")
    for member in alternatives["members"]:
        assert study.with_(without={alternatives["name"]: member["label"]}).space.size == 640


def test_the_changes_of_a_run_become_a_variant_again():
    study = Study.load("ska-correlator")
    document = {
        "set": {"frequency": "2.3 GHz"},
        "where": ["node_power <= 300 W", "memory_time <= 1 s"],
        "without": {"cores": ["96", "64"], "limit": ["run_time <= 0.52 s"]},
        "maximize": ["energy"],
        "also": ["node_power"],
    }
    assert changed_by(study.with_(**document).derived_from.changes) == document


def test_prices_are_told_from_other_values():
    assert is_price("electricity_price", "USD/J")
    assert is_price("nic_cost_weight", "1")
    assert is_price("node_cost", "EUR")
    assert not is_price("run_time", "s")
    assert not is_price("weighted_mean", "1")


def test_a_run_of_somebody_else_does_not_run_the_code_of_the_study_it_points_at(tmp_path):
    run = Study.load("ska-correlator").with_(where="node_power <= 300 W", name="x").run(tmp_path / "run")
    assert panel_of_run(run)["variant"] == {"where": ["node_power <= 300 W"]}
    ran = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    text = Study.load("ska-correlator").text.replace('["ska.correlator"]', '["ska.correlator", "evil.py"]')
    (tmp_path / "evil.toml").write_text(text)
    file = tmp_path / "run" / "manifest.json"
    document = json.loads(file.read_text())
    document.pop("seal", None)
    document["study_file"] = str(tmp_path / "evil.toml")
    document["digest"] = manifest_digest(document)
    file.write_text(json.dumps(document))
    with pytest.raises(RunFolderError, match="--allow-code"):
        panel_of_run(Run.load(tmp_path / "run"))
    assert not ran.exists()


def test_the_price_of_a_part_is_a_field_by_the_name_that_set_takes(tmp_path):
    (tmp_path / "cluster.py").write_text(
        "from dse import parameter, quantity\n"
        'nodes = parameter(unit="1", doc="Nodes", minimum=1)\n'
        'node_price = parameter(unit="USD", doc="Price of a node", above=0)\n'
        'node_power = parameter(unit="W", doc="Power of a node", above=0)\n\n\n'
        '@quantity(unit="USD", source="invented")\n'
        "def price(nodes, node_price):\n    return nodes * node_price\n\n\n"
        '@quantity(unit="W", source="invented")\n'
        "def power(nodes, node_power):\n    return nodes * node_power\n"
    )
    (tmp_path / "nodes.csv").write_text(
        "name,node_power [W],node_price [USD],source\nsmall,450,6000,invented\n"
        "large,900,14500,invented\nfast memory,1000,21000,invented\n"
    )
    (tmp_path / "cluster.toml").write_text(
        'name = "cluster"\nmodels = ["cluster.py"]\nobjectives = [{ minimize = "price" }, { minimize = "power" }]\n'
        '[space.axes]\nnodes = { values = [8, 16] }\nnode = { part = "nodes.csv" }\n'
    )
    study = Study.load(tmp_path / "cluster.toml")
    fields = {own["name"]: own for own in panel_of(study)["part_prices"]}
    assert {name: own["value"] for name, own in fields.items()} == {
        "node_price[small]": "6 kUSD",
        "node_price[large]": "14.5 kUSD",
        "node_price[fast memory]": "21 kUSD",
    }, "and no power, which is no price"
    assert fields["node_price[fast memory]"]["label"] == "node price of fast memory"
    variant = study.with_(set={"node_price[small]": "60 kUSD"})
    assert {own["name"]: own["value"] for own in panel_of(variant)["part_prices"]}["node_price[small]"] == "60 kUSD"
    assert changed_by(variant.derived_from.changes) == {"set": {"node_price[small]": "60 kUSD"}}
    VariantSpec.model_validate({"set": {"node_price[fast memory]": "60 kUSD"}})


def test_the_flagship_has_prices_of_its_devices_once_not_of_each_board():
    names = [own["name"] for own in panel_of(Study.load("exascale"))["part_prices"]]
    assert "device_wafer_cost[MI300X]" in names
    assert len(names) == len(set(names))
