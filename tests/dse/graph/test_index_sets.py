"""Index sets: one function, a quantity per member, joined by maximum or sum; against formulas written out by hand."""

from __future__ import annotations

import json
import types
from typing import Any

import numpy as np
import pytest

from dse import Study, assumption, parameter, quantity
from dse.authoring.declare.declaration import ModelFunction
from dse.errors import InputError, ModelError
from dse.graph.index_sets import IndexSet, expand
from dse.graph.indexed_names import base_name
from tests.engine_problems import function

SOURCE = "made up for a test"


def _module() -> Any:
    module = types.ModuleType("crew")
    module.nodes = parameter(unit="1", doc="Nodes", minimum=1)
    module.frequency = parameter(unit="Hz", doc="Clock", above=0)
    module.work = parameter(unit="1", doc="Cycles of a process")
    module.processes = parameter(unit="1", doc="Processes of a class")
    module.static_power = assumption(50.0, unit="W", source=SOURCE, doc="Power at rest")
    module.dynamic_energy = assumption(1e-9, unit="J", source=SOURCE, doc="Energy of a cycle")

    @quantity(unit="s", source=SOURCE, valid={"work": (0, 1e12)})
    def class_time(work, frequency):
        """Time of a process of the class."""
        return work / frequency

    @quantity(unit="s", source=SOURCE, over="process_class", by="max")
    def run_time(class_time):
        """Time of the slowest class."""
        return class_time

    @quantity(unit="J", source=SOURCE)
    def class_energy(processes, work, dynamic_energy, static_power, run_time):
        """Energy of all processes of the class."""
        return processes * (work * dynamic_energy + static_power * run_time)

    @quantity(unit="J", source=SOURCE, over="process_class", by="sum")
    def energy(class_energy):
        """Energy of all classes."""
        return class_energy

    @quantity(unit="W", source=SOURCE)
    def power(energy, run_time):
        """Mean power."""
        return energy / run_time

    for item in (class_time, run_time, class_energy, energy, power):
        setattr(module, item.name, item)
    return module


def _document(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": "crew",
        "models": [],
        "objectives": [{"minimize": "run_time"}, {"minimize": "energy"}],
        "also": ["power", "class_time@leaf"],
        "space": {"axes": {"frequency": {"values": ["1 GHz", "2 GHz", "3 GHz"]}}},
        "index": {
            "process_class": {
                "root": {"set": {"processes": 1, "work": 4e9}},
                "leaf": {"set": {"processes": 15, "work": 3e9}},
            }
        },
    }
    return {key: value for key, value in {**document, **changes}.items() if value is not None}


def _study(**changes: Any) -> Study:
    document = _document(**changes)
    document.pop("models")
    return Study(document, models=[_module()])


def test_maximum_and_sum_over_the_classes():
    run = _study().run()
    clock = np.array([1e9, 2e9, 3e9])
    slowest = 4e9 / clock
    energy = 1 * (4e9 * 1e-9 + 50 * slowest) + 15 * (3e9 * 1e-9 + 50 * slowest)
    best = run.frontier.iloc[0]  # energy falls with time here, so one design is best
    assert len(run.frontier) == 1
    assert best["run_time"] == slowest[2]
    assert best["energy"] == pytest.approx(energy[2], rel=1e-12)
    assert best["power"] == pytest.approx(energy[2] / slowest[2], rel=1e-12)
    assert best["class_time@leaf"] == 3e9 / 3e9


def test_the_slowest_class_is_shown_as_the_one_that_binds():
    told = _study().run().explain(0).as_dict()
    (bound,) = [item for item in told["bounds"] if item["quantity"] == "run_time"]
    assert [(part["quantity"], part["binds"]) for part in bound["parts"]] == [
        ("class_time@root", True),
        ("class_time@leaf", False),
    ]
    (split,) = [item for item in told["breakdowns"] if item["quantity"] == "energy"]
    assert {part["quantity"] for part in split["parts"]} == {"class_energy@root", "class_energy@leaf"}


def test_without_the_set_a_study_has_one_class():
    run = _study(index=None, also=None, set={"work": 4e9, "processes": 16}).run()
    assert run.frontier["energy"].iloc[0] == pytest.approx(16 * (4e9 * 1e-9 + 50 * 4 / 3), rel=1e-12)


def test_one_member_equals_a_study_without_the_set():
    one = _study(also=None, index={"process_class": {"all": {"set": {"work": 4e9, "processes": 16}}}}).run()
    none = _study(also=None, index=None, set={"work": 4e9, "processes": 16}).run()
    for name in ("run_time", "energy"):
        assert one.frontier[name].tolist() == none.frontier[name].tolist()


def test_a_member_takes_the_common_value_where_it_has_none():
    members = {"root": {"set": {"work": 4e9, "processes": 1}}, "leaf": {"set": {"processes": 15}}}
    run = _study(
        index={"process_class": members}, set={"work": 3e9}, also=["class_time@root", "class_energy@leaf"]
    ).run()
    assert run.frontier["run_time"].iloc[0] == 4e9 / 3e9
    assert run.frontier["class_energy@leaf"].iloc[0] == pytest.approx(15 * (3 + 50 * 4 / 3), rel=1e-12)


def test_an_assumption_may_differ_from_class_to_class():
    members = {
        "hot": {"set": {"static_power": "90 W", "processes": 2}},
        "cold": {"set": {"processes": 2}},
    }
    run = _study(index={"process_class": members}, set={"work": 3e9}, also=None).run()
    assert run.frontier["energy"].iloc[0] == pytest.approx(2 * (3 + 90 * 1.0) + 2 * (3 + 50 * 1.0), rel=1e-12)


def test_constraints_derived_quantities_and_limits_name_members():
    study = _study(
        quantities={"waiting": "run_time - class_time", "share": "class_energy / energy"},
        constraints=["waiting@leaf <= 0.4 s"],
        also=["waiting@leaf", "waiting@root", "share@leaf"],
    )
    frontier = study.run().frontier
    assert frontier["waiting@leaf"].iloc[0] == pytest.approx(1 / 3)
    assert frontier["waiting@root"].iloc[0] == 0.0
    assert 0 < frontier["share@leaf"].iloc[0] < 1


def test_exhaustive_equals_bundles():
    document = {
        "space": {"axes": {"frequency": {"linspace": ["1 GHz", "3 GHz", 41]}, "work": {"values": [3.5e9, 5e9]}}}
    }
    members = {"root": {"set": {"processes": 1, "static_power": "3 W"}}, "leaf": {"set": {"processes": 15}}}
    changed = {**document, "index": {"process_class": members}, "also": None}
    runs = [_study(**changed).run(method=method) for method in ("exhaustive", "bundles")]
    assert runs[0].frontier.to_csv() == runs[1].frontier.to_csv()


def test_two_sets_give_a_quantity_for_every_pair():
    functions = [
        function("cost", "price size", lambda price, size: price * size),
        function("total", "cost", lambda cost: cost, over="shop", by="sum"),
        function("largest", "total", lambda total: total, over="day", by="max"),
    ]
    sets = [
        IndexSet("shop", {"a": frozenset({"price"}), "b": frozenset({"price"})}),
        IndexSet("day", {"x": frozenset({"size"}), "y": frozenset({"size"})}),
    ]
    found = {name: f for _, f in expand(functions, sets, {}) for name in f.gives}
    values = {"price@a": 2.0, "price@b": 3.0, "size@x": 5.0, "size@y": 7.0}
    for name in ("cost@a@x", "cost@b@x", "cost@a@y", "cost@b@y", "total@x", "total@y", "largest"):
        values[name] = found[name].function(*(values[need] for need in found[name].needs))
    assert values["total@x"] == 25.0
    assert values["total@y"] == 35.0
    assert values["largest"] == 35.0
    assert found["largest"].max_of == ("total@x", "total@y")


def test_a_component_that_is_not_in_use_makes_nothing_differ():
    one = function("rate", "clock", lambda clock: clock, slot="engine", provider="plain", default=True)
    other = function("rate", "own", lambda own: own, slot="engine", provider="fancy")
    sets = [IndexSet("kind", {"a": frozenset({"own"}), "b": frozenset({"own"})})]
    plain = [name for _, f in expand([one, other], sets, {}) for name in f.gives if f.provider == "plain"]
    fancy = [name for _, f in expand([one, other], sets, {"engine": "fancy"}) for name in f.gives]
    assert plain == ["rate"]
    assert set(fancy) == {"rate@a", "rate@b"}


def test_validity_follows_the_member():
    members = {
        "root": {"set": {"processes": 1, "work": 4e12}},
        "leaf": {"set": {"processes": 15, "work": 3e9}},
    }
    run = _study(index={"process_class": members}, also=None).run()
    assert "work@root" in run.frontier["extrapolated"].iloc[0]
    assert "work@leaf" not in run.frontier["extrapolated"].iloc[0]


def test_a_run_on_disk_keeps_members(tmp_path):
    run = _study().run(tmp_path / "run")
    manifest = json.loads((run.folder / "manifest.json").read_text())
    assert "class_time@leaf" in json.dumps(manifest)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"also": ["class_time"]}, ["'class_time' is another one for each member", "class_time@leaf, class_time@root"]),
        ({"also": ["class_time@lead"]}, ["class_time@lead", "did you mean 'class_time@leaf'"]),
        ({"constraints": ["class_time <= 1 s"]}, ["'class_time' is another one for each member of an index set"]),
        (
            {"index": {"process_class": {"root": {"set": {"worc": 1}}}}},
            ["index.process_class.root.set.worc", "did you mean 'work'"],
        ),
        ({"index": {"process_class": {}}}, ["index.process_class"]),
        ({"index": {"process_class": {"root": {}}}}, ["index.process_class.root", "'root' has nothing of its own"]),
        (
            {"index": {"process_class": {"root": {"set": {"work": 1}}}}},
            ["missing quantity 'processes'", "class_energy@root"],
        ),
        (
            {"index": {"process_class": {"root": {"set": {"nodes": 3, "work": 1, "processes": 2}}}}, "also": None},
            ["nothing depends on 'nodes'", "index.process_class.root.set.nodes"],
        ),
        (
            {
                "index": {
                    "process_class": {"root": {"set": {"work": 1, "processes": 1}}},
                    "workload": {"root": {"set": {"processes": 2}}},
                }
            },
            ["index.workload.root", "'root' is a member of 'process_class' too"],
        ),
    ],
)
def test_mistakes(changes, words):
    with pytest.raises(InputError) as caught:
        _ = _study(**changes).compiled
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(("by", "arguments"), [("mean", "one"), ("", "one"), ("sum", "one, two")])
def test_a_join_is_a_sum_a_maximum_or_a_minimum_of_one_quantity(by, arguments):
    names: dict[str, Any] = {}
    exec(f"def total({arguments}):\n    return one", names)
    with pytest.raises(ModelError, match="over"):
        quantity(unit="1", source=SOURCE, over="kind", by=by)(names["total"])


def test_names():
    assert base_name("class_time@leaf@cg") == "class_time"
    assert isinstance(_module().class_time, ModelFunction)


# --- what stands in [quantities] and constraints ------------------------------------------------------------------


def test_E12_a_quantity_reads_what_every_member_has_of_its_own():
    study = _study(
        quantities={"share": "work / 1e9"}, also=["share@root", "share@leaf"], constraints=["share@leaf < 4"]
    )
    row = study.run().frontier.iloc[0]
    assert (row["share@root"], row["share@leaf"]) == (4.0, 3.0)
    assert study.run(method="bundles").frontier.equals(study.run(method="exhaustive").frontier)


def test_E12_a_constraint_reads_a_model_that_differs_by_a_quantity_of_the_study_only():
    members = {"root": {"set": {"processes": 1}}, "leaf": {"set": {"processes": 15}}}
    changes = {"quantities": {"work": "4e9 / processes"}, "index": {"process_class": members}}
    both = _study(**changes, also=["class_time@leaf", "work@root"])
    assert both.run().frontier["work@root"].iloc[0] == 4e9
    limited = _study(**changes, also=["class_time@leaf"], constraints=["class_time@leaf <= 0.1 s"]).run()
    assert limited.frontier["class_time@leaf"].iloc[0] == 4e9 / 15 / 3e9
    assert not len(_study(**changes, also=None, constraints=["class_time@leaf <= 0.01 s"]).run().frontier)


def test_E12_a_quantity_reads_one_member_of_such_a_model():
    members = {"root": {"set": {"processes": 1}}, "leaf": {"set": {"processes": 15}}}
    quantities = {"work": "4e9 / processes", "late": "class_time@root - class_time@leaf", "twice": "late * 2"}
    run = _study(quantities=quantities, index={"process_class": members}, also=["late", "twice"]).run()
    assert run.frontier["twice"].iloc[0] == pytest.approx(2 * (4e9 - 4e9 / 15) / 3e9)


def test_E12_an_input_of_each_member_is_no_single_quantity():
    with pytest.raises(InputError, match=r"'work' is another one for each member of an index set"):
        _ = _study(constraints=["work < 4e9"], also=None).compiled


def test_E13_a_value_or_table_of_two_index_sets_is_refused_and_both_places_are_named():
    index = {
        "process_class": {"root": {"set": {"work": 4e9, "processes": 1}}},
        "workload": {"graph": {"set": {"work": 3e9}}},
    }
    with pytest.raises(InputError) as caught:
        _ = _study(index=index, also=None).compiled
    assert str(caught.value) == (
        "index.workload.graph.set.work: 'work' is given by members of two index sets, here and at "
        "index.process_class.root.set.work; allowed: one of the sets 'process_class' and 'workload'"
    )
    index["process_class"]["root"] = {"set": {"processes": 1}, "tables": {"profile": {"file": "one.csv"}}}
    index["workload"]["graph"] = {"tables": {"profile": {"file": "other.csv"}}}
    with pytest.raises(InputError, match=r"index\.workload\.graph\.tables\.profile: .*root\.tables\.profile"):
        _ = _study(index=index, also=None).compiled
