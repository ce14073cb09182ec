"""Labels: the study's before the model's before the name; people read them, files and conditions keep the names."""

import json

import pytest
from toy import MODEL, STUDY, edited

from dse import Run, Study
from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.errors import InputError, ModelError
from dse.report.charts.figure import front_view
from dse.report.record.collect import page_view
from dse.report.record.encode import encode_view
from dse.study.build.labels import default_label, label_of

LABELLED = MODEL.replace(
    '@quantity(unit="W", source="invented")\ndef power',
    '@quantity(unit="W", source="invented", label="power drawn")\ndef power',
).replace('parameter(unit="Hz", doc', 'parameter(unit="Hz", label="clock", doc')
STUDY_LABELS = '\n[labels]\ntime = "time of the job"\nfrequency = "clock of the nodes"\n'


def test_the_name_with_blanks_where_nobody_says_more():
    assert default_label("mix_time") == "mix time"
    assert default_label("run_time@halo@small") == "run time (halo, small)"
    labels = {"run_time": "time", "run_time@halo": "time of the halo"}
    assert [label_of(labels, name) for name in ("run_time", "run_time@halo", "run_time@rest", "nodes")] == [
        "time",
        "time of the halo",
        "time (rest)",
        "nodes",
    ]


def test_declarations_have_labels():
    assert parameter(unit="s", doc="d", label="words").label == "words"
    assert assumption(1.0, unit="s", source="book", doc="d", label="words").label == "words"
    assert quantity(unit="s", source="book", label="words")(lambda x: x).labels == {"<lambda>": "words"}
    given = quantities(gives={"a": "s", "b": "s"}, source="book", labels={"b": "words"})(lambda x: (x, x))
    assert given.labels == {"b": "words"}
    with pytest.raises(ModelError, match="'labels' names 'c', which is not among what it gives"):
        quantities(gives={"a": "s"}, source="book", labels={"c": "words"})(lambda x: (x,))


@pytest.fixture
def labelled(toy):
    (toy / "model.py").write_text(LABELLED)
    (toy / "toy.toml").write_text(STUDY + STUDY_LABELS)
    return toy


def test_people_read_labels_and_files_keep_names(labelled, dse):
    shown = dse.good("run", "toy.toml", "--out", "run").out
    for told in ("lowest time of the job: ", "lowest power drawn: ", "clock of the nodes 2 GHz"):
        assert told in shown
    run = Run.load("run")
    assert run.manifest.labels["frequency"] == "clock of the nodes"  # the study's, not the model's
    assert front_view(run).axes == ("time of the job [s]", "power drawn [kW]")
    page = encode_view(page_view(run))
    assert [o["label"] for o in page["objectives"]] == ["time of the job", "power drawn"]
    assert {axis["name"]: axis["label"] for axis in page["axes"]} == {
        "nodes": "nodes",
        "frequency": "clock of the nodes",
    }
    assert {"time", "power", "frequency"} <= set(run.frontier.columns)
    assert set(json.loads(dse.good("show", "run", "--json").out)["frontier"][0]) == set(run.frontier.columns)


@pytest.mark.parametrize("name", ["tme", "frequenzy"])
def test_a_label_of_nothing_is_refused_with_the_nearest(labelled, name):
    nearest = {"tme": "time", "frequenzy": "frequency"}[name]
    text = STUDY + f'\n[labels]\n{name} = "x"\n'
    with pytest.raises(InputError, match=f"labels\\.{name}: the study has no quantity or axis '{name}'") as caught:
        _ = Study.from_text(text, folder=labelled).compiled
    assert f"did you mean '{nearest}'?" in str(caught.value)


@pytest.mark.parametrize("label", ['""', "3", '"two\\nlines"', f'"{"x" * 81}"'])
def test_a_label_is_a_short_text_on_one_line(labelled, label):
    with pytest.raises(InputError, match=r"labels\.time"):
        Study.from_text(STUDY + f"\n[labels]\ntime = {label}\n", folder=labelled)


ALTERNATIVES = """
[space.alternatives.small.axes]
nodes = { values = [1, 2] }

[space.alternatives.large.axes]
nodes = { values = [32, 64] }
rest = { values = ["100 W", "200 W"] }
"""


def test_a_variant_without_the_axis_of_a_label_is_still_one(toy):
    text = edited(STUDY, ("nodes = { powers_of_two = [1, 64] }\n", ""), ("[search]", f"{ALTERNATIVES}\n[search]"))
    text = (
        text.replace("rest =", "base_power =") + '\n[labels]\nbase_power = "power at rest"\ntime = "time of the job"\n'
    )
    study = Study.from_text(text.replace("[labels]", '[labels]\nnodes = "machines"'), folder=toy)
    assert study.labels == {"base_power": "power at rest", "time": "time of the job", "nodes": "machines"}
    assert study.with_(without={"alternative": "large"}).space.size == 4
