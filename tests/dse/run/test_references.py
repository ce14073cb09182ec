"""References in a run: kept with it, part of what it rests on, and not needed by runs that have none."""

import json

import pytest
from toy import MACHINES, STUDY, forged, write_references

from dse import Run, Study
from dse.errors import InputError, RunFolderError


@pytest.fixture
def ran(toy):
    return Study.load(write_references(toy)).run("out")


def change(folder, change):
    """Change the manifest of a run."""
    forged(folder / "out", change)


def test_they_are_kept_as_plain_values(toy, ran):
    loaded = Run.load("out")
    assert loaded.references == ran.references == json.loads((toy / "out/manifest.json").read_text())["references"]
    assert [one["name"] for one in loaded.references] == ["Alpha", "Beta", "Gamma"]
    alpha, beta, _ = loaded.references
    study = Study.load("toy.toml")
    for one in loaded.references:
        computed = study.reference(one["name"]).values
        assert one["values"] == {
            n: computed[n] for n in ("time", "power", "network_time", "nodes", "frequency") if n in computed
        }
    assert beta["lacking"] == dict.fromkeys(["time", "power", "frequency", "power <= 20 kW"], "'frequency' is empty")
    assert alpha["constraints"] == [{"text": "power <= 20 kW", "met": True}]
    (group,) = loaded.manifest.reference_groups
    assert (group.name, group.systems, group.evaluated) == ("machines", 3, 2)
    assert group.components == {"network": "torus"}
    assert "beside     3 references" in repr(loaded)


def test_assumptions_of_theirs_alone(toy):
    """What only a reference rests on is told with it, not among those of the frontier."""
    text = STUDY.replace("work = 1e11", 'work = 1e11\nbase_power = "90 W"')
    text += '[references.lone]\naxes = { nodes = { values = [8] }, frequency = { values = ["1 GHz"] } }\n'
    text += 'use = { network = "wire" }\n'
    model = (toy / "model.py").read_text()
    model += '\nwire_time = assumption(0.3, unit="s", source="felt", doc="Time of a wire")\n\n\n'
    model += '@quantity(unit="s", source="invented", slot="network", provider="wire", name="network_time")\n'
    model += 'def wired(nodes, wire_time):\n    """A wire."""\n    return nodes * wire_time\n'
    (toy / "model.py").write_text(model)
    manifest = Study.load(write_references(toy, text)).run().manifest.as_dict()
    assert manifest["assumptions"] == []
    assert manifest["reference_groups"][0]["assumptions"] == [
        {"name": "wire_time", "value": 0.3, "unit": "s", "source": "felt", "doc": "Time of a wire"}
    ]
    assert manifest["references"][0]["values"]["network_time"] == pytest.approx(2.4)


def test_a_run_without_them_is_read(toy):
    """As those are that were written before there were references."""
    Study.load("toy.toml").run("out")
    change(toy, lambda manifest: [manifest.pop(key) for key in ("references", "reference_groups")])
    loaded = Run.load("out", allow_code=True)
    assert loaded.references == []
    assert loaded.explain(0).on_frontier is True
    with pytest.raises(InputError, match="there is no reference 'x'; allowed: none, the study has no references"):
        loaded.explain_reference("x")


def test_a_catalogue_that_changed(toy, ran):
    """The values that were kept are still shown; nothing is evaluated anew, and the run does not go on."""
    write_references(toy, machines=MACHINES.replace("20,1.5", "20,1.6"))
    loaded = Run.load("out")
    assert loaded.references == ran.references
    with pytest.raises(RunFolderError, match=r"^out: changed since the run: table machines\.csv; "):
        loaded.explain_reference("Alpha")
    with pytest.raises(RunFolderError, match=r"that differs in: table machines\.csv"):
        Study.load("toy.toml").run("out")


DAMAGED = {
    "no list": (lambda m: m.update(references={}), r"'references' is \{\}; the file is damaged"),
    "no record": (lambda m: m.update(references=["Alpha"]), r"'references\[0\]' is \"Alpha\"; the file is damaged"),
    "no values": (lambda m: m["references"][1].pop("values"), r"'references\[1\]\.values' is missing"),
    "groups": (lambda m: m.update(reference_groups=5), r"'reference_groups' is 5; the file is damaged"),
}


@pytest.mark.parametrize("fault", DAMAGED)
def test_damaged(toy, ran, fault):
    damage, told = DAMAGED[fault]
    change(toy, damage)
    with pytest.raises(RunFolderError, match=told):
        Run.load("out")


def test_explain(ran):
    """As a design is, without neighbours; what is not known is None."""
    alpha, beta, gamma = (ran.explain_reference(name).as_dict() for name in ("alpha", "BETA", "Gamma"))
    row = ran.explain(0).as_dict()
    assert set(alpha) == set(row) | {"reference", "measured", "lacking"}
    assert (alpha["reference"], alpha["design"], alpha["neighbours"], alpha["on_frontier"]) == ("Alpha", None, [], None)
    (constraint,) = alpha["constraints"]
    assert (constraint["met"], constraint["slack"]) == (True, 20e3 - 2675.0)
    assert alpha["dominated_by"] == []
    assert [one["row"] for one in gamma["dominated_by"]] == [7]
    assert beta["constraints"] == [{"text": "power <= 20 kW", "met": None}]
    assert [o["value"] for o in beta["objectives"]] == [None, None]
    assert beta["breakdowns"] == []
    assert {"quantity": "power", "unit": "W", "value": 6e4, "column": "meter", "source": "a paper, 2020"} in gamma[
        "measured"
    ]
    sources = {row["name"]: row["source"] for row in alpha["numbers"]}
    assert sources["frequency"] == "machines.csv: a log (confidence: high)"
    (tree,) = (node for node in alpha["tree"] if node["quantity"] == "time")
    assert {need["quantity"] for need in tree["needs"]} == {"compute_time", "network_time"}


def test_their_faults_are_told_before_the_search(toy):
    """A model that fails on a reference does so at once, and nothing is left behind."""
    text = (toy / "model.py").read_text()
    (toy / "model.py").write_text(
        text.replace(
            "    return work / (nodes * frequency)",
            "    assert np.all(nodes != 20)\n    return work / (nodes * frequency)",
        )
    )
    write_references(toy)
    with pytest.raises(TypeError, match="compute_time fails: AssertionError"):
        Study.load("toy.toml").run("out")
    assert not (toy / "out").exists()
