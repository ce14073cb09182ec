"""Requirements: conditions that models bring with them hold wherever they can be computed, and are lifted by name."""

import json
import re

import pytest

from dse.analysis.choose.pick import pick_design
from dse.api import Run, Study
from dse.errors import InputError, ModelError
from dse.report.run_page.page import write_report
from dse.run.describe.trial import warnings_at

MODEL = '''
"""Boxes on shelves, made up."""
from dse.authoring.declare.declaration import parameter, quantity
from dse.authoring.declare.requirement import requirement

boxes = parameter(unit="1", doc="Boxes", minimum=1)
box_weight = parameter(unit="kg", doc="Weight of a box")
carried = parameter(unit="kg", doc="What a shelf carries")

strong_enough = requirement("weight <= carried", name="strength", source="made up", doc="the shelf carries its boxes")
heavy_boxes = requirement("box_weight > 1 kg", source="made up", doc="boxes that weigh nothing", warns=True)


@quantity(unit="kg", source="made up")
def weight(boxes, box_weight):
    """Weight of all boxes."""
    return boxes * box_weight


@quantity(unit="m", source="made up")
def height(boxes):
    """Height of the boxes."""
    return 10.0 / boxes
'''


def toy(folder, model=MODEL, **changes):
    (folder / "shelf.py").write_text(model)
    document = {
        "name": "toy",
        "models": ["shelf.py"],
        "objectives": [{"minimize": "height"}, {"minimize": "weight"}],
        "set": {"box_weight": "2 kg"},
        "space": {"axes": {"boxes": {"values": [1, 2, 3, 4, 5]}}},
    }
    return Study({**document, **changes}, folder=folder)


CARRIED = {"box_weight": "2 kg", "carried": "6 kg"}
ALTERNATIVES = {
    "axes": {"boxes": {"values": [1, 2, 3, 4, 5]}},
    "alternatives": {"floor": {"set": {"box_weight": "2 kg"}}, "shelf": {"set": CARRIED}},
}


def test_a_requirement_is_a_constraint_where_its_quantities_are_there(tmp_path):
    study = toy(tmp_path, set=CARRIED)
    run = study.run()
    assert run.frontier["boxes"].tolist() == [1, 2, 3]  # 3 boxes of 2 kg on 6 kg: by hand
    assert run.manifest.certificate.infeasible == {"weight <= carried": 2}
    assert run.manifest.constraints == ["weight <= carried"]
    assert run.manifest.constraints_text == ["weight <= carried (required by shelf.strength)"]
    assert [(item.name, item.state) for item in run.manifest.requirements] == [("shelf.strength", "held")]
    assert study.explain(4).constraints[0]["required_by"] == "shelf.strength"
    assert study.explain(4).feasible is False


def test_where_it_cannot_be_checked_it_is_told_with_what_is_missing(tmp_path):
    run = toy(tmp_path).run()
    assert len(run.frontier) == 5
    assert run.manifest.constraints == []
    assert [item.text for item in run.manifest.requirements] == [
        "shelf.strength: weight <= carried (the shelf carries its boxes): not checked, nothing gives 'carried'"
    ]


@pytest.mark.parametrize("method", ["exhaustive", "bundles", "groups"])
def test_it_holds_in_the_alternatives_that_have_what_it_reads_with_every_method(tmp_path, method):
    study = toy(
        tmp_path,
        set={},
        space=ALTERNATIVES,
        constraints=["boxes <= 4"],
        search={"method": method},
    )
    run = study.run()
    rows = list(zip(run.frontier["alternative"], run.frontier["boxes"], strict=True))
    assert rows == [("floor", 1), ("floor", 2), ("floor", 3), ("floor", 4), ("shelf", 1), ("shelf", 2), ("shelf", 3)]
    assert run.manifest.constraints == ["boxes <= 4", "weight <= carried"]
    assert run.manifest.requirements[0].text.endswith("held; not checked, nothing gives 'carried' in 'floor'")
    sample = {row["design"]: row["violated"] for row in run.sample.to_dict("records")}
    assert [sample[number] for number in (3, 4, 7, 8, 9)] == [-1, 0, -1, 1, 0]  # the first constraint that is broken
    assert study.explain(8).constraints[1]["met"] is False


def test_the_answers_of_a_run_know_it_too(tmp_path):
    study = toy(tmp_path, set={}, space=ALTERNATIVES, constraints=["boxes <= 4"])
    run = study.run(tmp_path / "run")
    heaviest = pick_design(run, "weight", sense="max", where=["height <= 100 m"])
    assert heaviest.designs[0]["boxes"] == 4  # on the floor; 3 on the shelf
    page = write_report(run, tmp_path / "page.html").read_text()
    assert "<code>weight &lt;= carried</code> (required by shelf.strength)" in page
    assert page.count("(required by shelf.strength)") >= 3  # certificate, space, and the data of the plot


def test_references_are_told_whether_they_meet_it_where_that_can_be_known(tmp_path):
    references = {
        "shelves": {"axes": {"boxes": {"values": [3, 4]}}, "set": {"carried": "6 kg"}},
        "floors": {"axes": {"boxes": {"values": [3, 4]}}},
    }
    space = {"axes": {"boxes": {"values": [1, 2, 3]}, "carried": {"values": ["6 kg", "8 kg"]}}}
    systems = toy(tmp_path, space=space, references=references).references
    told = {one.name: one.record(["weight"])["constraints"] for one in systems}
    assert [[item["met"] for item in told[name]] for name in told] == [[True], [False], [], []]
    assert [one.feasible for one in systems] == [True, False, True, True]


def test_what_only_a_lifted_requirement_reads_may_be_set(tmp_path):
    study = toy(tmp_path, set=CARRIED, lift=["shelf.strength"])
    assert study.run().frontier["boxes"].tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(InputError, match="nothing depends on 'carried'"):
        _ = toy(tmp_path, set=CARRIED, model=re.sub("strong_enough = .*", "", MODEL)).compiled


def test_a_study_lifts_it_by_name_and_every_screen_says_so(tmp_path, monkeypatch, dse):
    monkeypatch.chdir(tmp_path)
    run = toy(tmp_path, lift=["shelf.strength"]).run(tmp_path / "runs" / "toy")
    assert len(run.frontier) == 5
    told = "weight <= carried (shelf.strength)"
    assert f"lifted by the study: {told}" in dse("show", "runs/toy").out
    assert dse("report", "runs/toy").code == 0
    assert "the shelf carries its boxes): lifted" in (tmp_path / "runs" / "toy" / "report.html").read_text()
    assert Run.load(tmp_path / "runs" / "toy").manifest.lifted[0].name == "shelf.strength"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"lift": ["shelf.strenght"]},
            "lift[0]: no model of the study has a requirement 'shelf.strenght'; allowed: shelf.strength; did you mean "
            "'shelf.strength'?",
        ),
        ({"lift": ["network.ports"]}, "lift[0]: no model of the study has a requirement 'network.ports'; allowed: s"),
        (
            {"lift": ["shelf.strength"], "constraints": ["weight<=carried"]},
            "lift[0]: 'shelf.strength' is lifted, and its condition stands among the constraints; allowed: one of the",
        ),
    ],
)
def test_what_cannot_be_lifted_is_refused(tmp_path, changes, message):
    with pytest.raises(InputError) as error:
        _ = toy(tmp_path, set=CARRIED, **changes).compiled
    assert str(error.value).startswith(message)


def test_a_study_may_state_it_itself_and_it_counts_once(tmp_path):
    run = toy(tmp_path, set=CARRIED, constraints=["weight <= carried"]).run()
    assert run.manifest.certificate.infeasible == {"weight <= carried": 2}
    assert run.manifest.constraints_text == ["weight <= carried"]
    assert run.manifest.requirements[0].state == "a constraint of the study"


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("strong_enough = requirement", "requirement", InputError, "has a requirement in line 10 that no name stands "),
        ('doc="the shelf carries its boxes"', 'doc=""', InputError, "'source' and 'doc' say why"),
        ('"weight <= carried"', '"weight + carried"', ModelError, "shelf.strength: 'weight \\+ carried' is no cond"),
        ('"weight <= carried"', '"weight <= 3 W"', ModelError, "the requirement shelf.strength: .*'weight <= 3 W'"),
    ],
)
def test_a_requirement_that_is_none_is_a_fault_of_its_model(tmp_path, old, new, error, message):
    with pytest.raises(error, match=message):
        _ = toy(tmp_path, MODEL.replace(old, new), set=CARRIED).compiled


def test_a_condition_that_warns_leaves_the_frontier_alone_and_is_told(tmp_path, monkeypatch, dse):
    monkeypatch.chdir(tmp_path)
    light = toy(tmp_path, set={"box_weight": "0.5 kg"}).run()
    assert len(light.frontier) == 5
    assert light.manifest.warnings == ["boxes that weigh nothing (shelf.heavy_boxes)"]
    assert toy(tmp_path).run().manifest.warnings == []
    (tmp_path / "light.toml").write_text(
        'name = "light"\nmodels = ["shelf.py"]\n[[objectives]]\nminimize = "weight"\n'
        '[set]\nbox_weight = "0.5 kg"\n[space.axes]\nboxes = { values = [1, 2] }\n'
    )
    told = "warning: boxes that weigh nothing (shelf.heavy_boxes)\n"
    assert told in dse("check", "light.toml").out
    assert told in dse("run", "light.toml").out
    assert json.loads(dse("check", "light.toml", "--json").out)["warnings"] == [told[9:-1]]


LEAVING_OUT = MODEL.replace("import parameter,", "import assumption, parameter,").replace(
    "strong_enough =",
    'crate = assumption(0.0, unit="kg", source="made up", doc="Weight of a crate", neglects="weight of crates")\n'
    'nails = assumption(2.0, unit="kg", source="made up", doc="Weight of nails")\n\nstrong_enough =',
)
LEAVING_OUT = LEAVING_OUT.replace("weight(boxes, box_weight):", "weight(boxes, box_weight, crate, nails):")
LEAVING_OUT = LEAVING_OUT.replace("return boxes * box_weight", "return boxes * (box_weight + crate) + nails")


def test_what_a_default_leaves_out_is_told_until_the_study_gives_it(tmp_path, monkeypatch, dse):
    monkeypatch.chdir(tmp_path)
    told = "left out by default: weight of crates (crate = 0 kg)"
    run = toy(tmp_path, LEAVING_OUT).run()
    assert run.manifest.warnings == [told]
    page = write_report(run, tmp_path / "page.html").read_text()
    assert "<dt>left out by default</dt>" in page
    assert "weight of crates (crate = 0 kg)" in page
    assert toy(tmp_path, LEAVING_OUT, set={"box_weight": "2 kg", "crate": "0 kg"}).run().manifest.warnings == []
    some = {"axes": ALTERNATIVES["axes"], "alternatives": {"open": {}, "crated": {"set": {"crate": "1 kg"}}}}
    some = toy(tmp_path, LEAVING_OUT, space=some)
    assert warnings_at(some, [0, 5]) == [told[:-1] + " in 1 of 2 alternatives)"]
    (tmp_path / "some.toml").write_text(
        'name = "some"\nmodels = ["shelf.py"]\n[[objectives]]\nminimize = "weight"\n'
        '[set]\nbox_weight = "2 kg"\n[space.axes]\nboxes = { values = [1, 2] }\n'
    )
    assert f"warning: {told}\n" in dse("check", "some.toml").out
    out = dse("run", "some.toml").out
    assert "what weakens it:\n" in out
    assert out.count("  left out by default: weight of crates (crate = 0 kg)\n") == 1
    assert told in json.loads(dse("run", "some.toml", "--json").out)["warnings"]


def test_impossible_switches_are_not_met():
    study = Study(
        {
            "name": "net",
            "models": ["network"],
            "objectives": [{"minimize": "network_power"}],
            "use": {"topology": "hyperx"},
            "set": {"switch_ports": 36},
            "space": {"axes": {"shape": {"enumerate": "network.hyperx", "given": GIVEN}}},
        }
    )
    run = study.run()
    assert run.manifest.constraints == ["radix <= switch_ports"]
    assert {row["violated"] for row in run.sample.to_dict("records")} == {-1, 0}
    sizes = [study.explain(number) for number in range(study.space.size)]
    ports = [next(n["value"] for n in one.numbers if n["name"] == "radix") for one in sizes]
    assert [one.feasible for one in sizes] == [count <= 36 for count in ports]
    assert max(ports) > 36
    assert [item.split(" (")[0] for item in run.manifest.warnings] == [
        'links draw nothing at rest; link_power = "always-on" counts both ends of each',
        'network cards draw nothing; nic_power = "cards" counts them',
    ]


GIVEN = {"nodes": 1024, "radix": 64, "dimensions": 2}
