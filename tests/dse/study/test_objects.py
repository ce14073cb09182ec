"""Studies from Python objects, and the files they are written to."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from dse import (
    Run,
    Study,
    alternative,
    assumption,
    enumerated,
    linspace,
    maximize,
    minimize,
    parameter,
    part,
    powers_of_two,
    quantity,
    range_of,
    values,
)
from dse.errors import InputError, RunFolderError

nodes = parameter(unit="1", doc="Nodes", minimum=1, integer=True)
frequency = parameter(unit="Hz", doc="Clock", above=0)
work = assumption(1e13, unit="1", source="made up for a test", doc="Cycles of the job")
SERIAL = 0.2


@quantity(unit="s", source="made up for a test")
def run_time(work, nodes, frequency):
    """Time of the job."""
    return work / (nodes * frequency) + SERIAL * np.log2(nodes)


@quantity(unit="W", source="made up for a test")
def power(nodes, frequency):
    """Power of the machine."""
    return nodes * (80 + 4e-26 * frequency * frequency * frequency)


GIVEN = {
    "name": "mine",
    "functions": [run_time, power],
    "axes": {"nodes": range(1, 65), "frequency": linspace("1 GHz", "3 GHz", 5)},
    "objectives": [minimize("run_time"), minimize("power")],
    "constraints": ["power <= 10 kW"],
}
FILE = """
name = "mine"
models = ["mine.py"]
constraints = ["power <= 10 kW"]
objectives = [{ minimize = "run_time" }, { minimize = "power" }]

[space.axes]
nodes = { range = [1, 64] }
frequency = { linspace = ["1 GHz", "3 GHz", 5] }
"""


def study(**changes):
    return Study(**{**GIVEN, **changes})


def test_a_study_of_objects_is_that_of_a_file(tmp_path):
    mine = study()
    (tmp_path / "mine.py").write_text(mine.function_texts["mine.py"])
    (tmp_path / "mine.toml").write_text(FILE)
    of_file = Study.load(tmp_path / "mine.toml")
    assert mine.spec == of_file.spec
    assert mine.hashes()["model mine.py"] == of_file.hashes()["model mine.py"]
    first, second = mine.run(tmp_path / "a"), of_file.run(tmp_path / "b")
    assert (tmp_path / "a" / "frontier.parquet").read_bytes() == (tmp_path / "b" / "frontier.parquet").read_bytes()
    assert first.manifest.functions == {"mine.py": mine.function_texts["mine.py"]}
    assert "functions" not in second.manifest.as_dict()
    assert first.explain(0).as_dict() == second.explain(0).as_dict()


def test_written_and_read_again(tmp_path):
    mine = study()
    text = mine.to_toml(tmp_path)
    assert (tmp_path / "mine.toml").read_text() == text
    assert "nodes = { range = [1, 64] }  # Nodes" in text
    again = Study.load(tmp_path / "mine.toml")
    assert again.spec == mine.spec == Study.from_text(text).spec
    assert again.run().frontier.equals(mine.run().frontier)
    assert again.to_toml() == text, "a file keeps its text"
    mine.to_toml(tmp_path)  # the same again is no other file
    changed = study(constraints=[])
    with pytest.raises(InputError, match="holds something else; allowed: another path, or overwrite=True"):
        changed.to_toml(tmp_path / "mine.toml")
    changed.to_toml(tmp_path / "mine.toml", overwrite=True)
    assert Study.load(tmp_path / "mine.toml").spec.constraints == []


def test_files_beside_a_study_go_with_it(tmp_path):
    (tmp_path / "chips.csv").write_text("name,frequency [GHz],source\nslow,1,made up\nfast,3,made up\n")
    mine = study(axes={"nodes": [1, 2], "chip": part("chips.csv")}, folder=tmp_path)
    mine.to_toml(tmp_path / "there" / "other.toml")
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["chips.csv", "mine.py", "other.toml"]
    assert Study.load(tmp_path / "there" / "other.toml").run().frontier.equals(mine.run().frontier)


def test_a_variant_of_objects_can_be_written(tmp_path):
    variant = study().with_(set={"frequency": "2 GHz"}, where="run_time <= 1000 s")
    text = variant.to_toml(tmp_path)
    assert "# Variant frequency=2-GHz,run_time-le-1000-s, derived from mine: --set" in text
    assert Study.load(tmp_path / "mine.toml").run().frontier.equals(variant.run().frontier)


def test_axes_in_all_ways():
    given = {
        "a": values(1, 2, unit="GHz"),
        "b": range_of("1 s", "3 s", "1 s", without=["2 s"]),
        "c": powers_of_two(1, 8),
        "d": part("chips.csv", where={"x": 1}, label="name", only=["p", "q"]),
        "e": enumerated("network.torus", nodes=64, without=["x"]),
        "f": range(0, 10, 3),
        "g": np.array([1.5, 2.0]),
        "h": (1, 2),
        "i": range(5, 0, -2),
        "j": {"values": np.arange(2)},
        "k": 4,
    }
    made = Study(name="x", models=["network"], axes=given, objectives=[maximize("y")], tables={"t": Path("a/b.csv")})
    assert made.document["space"]["axes"] == {
        "a": {"values": [1, 2], "unit": "GHz"},
        "b": {"range": ["1 s", "3 s"], "step": "1 s", "without": ["2 s"]},
        "c": {"powers_of_two": [1, 8]},
        "d": {"part": "chips.csv", "where": {"x": 1}, "label": "name", "only": ["p", "q"]},
        "e": {"enumerate": "network.torus", "given": {"nodes": 64}, "without": ["x"]},
        "f": {"range": [0, 9], "step": 3},
        "g": {"values": [1.5, 2.0]},
        "h": {"values": [1, 2]},
        "i": {"values": [5, 3, 1]},
        "j": {"values": [0, 1]},
        "k": {"values": [4]},
    }
    assert made.document["tables"] == {"t": {"file": "a/b.csv"}}
    assert json.loads(made.text) == made.document


def test_alternatives_and_choices():
    both = {
        "small": alternative(axes={"nodes": [1, 2]}, description="few"),
        "large": alternative(axes={"nodes": [512]}, set={"work": 2e13}),
    }
    common = {"frequency": linspace("1 GHz", "3 GHz", 5)}
    explicit = study(axes=common, alternatives=both, constraints=[])
    chosen = study(axes=common, choices={"size": both}, constraints=[])
    assert explicit.space.size == chosen.space.size == 15
    assert explicit.run().frontier.equals(chosen.run().frontier)
    assert set(explicit.run().frontier["alternative"]) == {"small", "large"}
    assert Study.from_text(chosen.to_toml()).spec == chosen.spec


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": None}, "name: is missing; allowed: Study(name='mine', …)"),
        ({"objectives": None}, "objectives: is missing; allowed: objectives=[minimize('run_time')]"),
        ({"axes": {"nodes": range(3, 3)}}, "axes.nodes: range(3, 3) is empty"),
        ({"axes": {"nodes": values()}}, "axes.nodes.values: the axis has no values"),
        ({"axes": {"nodes": linspace(1, 2, "x")}}, "axes.nodes.linspace[2]: 'x' is no whole number"),
        ({"axes": {"nodes": object}}, "axes.nodes: a type stands there"),
        ({"axes": {"nodes": [1], "frequency": values("1 W")}}, "axes.frequency.values[0]: "),
        ({"axes": {1: [1]}}, "axes: the key 1 is no text"),
        ({"alternatives": {"a": alternative(axes={"nodes": [1]})}}, "alternatives.a.axes.nodes: the axis is among"),
        ({"constraint": ["power <= 1 W"]}, "unknown keyword 'constraint'; allowed: name, question, "),
        ({"space": {"axes": {}}}, "unknown keyword 'space'; allowed: name, question, "),
        ({"name": None, "nmae": "mine"}, "unknown keyword 'nmae'; allowed: name, question, "),
        ({"constraints": ["power <= 1 s"]}, "constraints[0]: "),
        ({"objectives": [minimize("run time")]}, "objectives[0].minimize: 'run time' is no valid name"),
        ({"functions": [run_time, len]}, "functions[1]: 'len' is not marked as a quantity; allowed: @quantity"),
        ({"models": ["gone.py"]}, "models[0]: no such model file 'gone.py'"),
        ({"models": [3]}, "models[0]: 3 is no model"),
        ({"document": {"name": "x"}}, "name: stands beside a document"),
    ],
)
def test_messages_name_the_keyword(changes, told):
    with pytest.raises(InputError) as caught:
        _ = study(**changes).compiled
    assert str(caught.value).startswith(told)
    assert "space." not in str(caught.value)


def test_a_keyword_that_is_misspelt_is_said():
    with pytest.raises(InputError, match="did you mean 'constraints'"):
        study(constraint=["power <= 1 W"])


def test_functions_stand_beside_models_and_documents(tmp_path):
    (tmp_path / "mine.py").write_text(study(functions=[power]).function_texts["mine.py"])
    split = study(models=["mine.py"], functions=[run_time], folder=tmp_path)
    assert split.spec.models == ["mine.py", "mine-functions.py"]
    assert split.run().frontier.equals(study().run().frontier)
    document = {key: value for key, value in study().document.items() if key != "models"}
    assert Study(document, functions=[run_time, power]).spec == study().spec
    import dse.models.network as network

    assert 'models = ["network", "mine.py"]' in study(models=[network]).to_toml()
    with pytest.raises(InputError, match="'pytest' was given as an object, which a file cannot name"):
        study(models=[pytest]).to_toml()


def test_a_run_folder_runs_no_functions_it_only_has_the_text_of(tmp_path):
    mine = study(folder=tmp_path)
    mine.run(tmp_path / "run")
    with pytest.raises(RunFolderError, match=r"not stored as a file: there is no mine\.py in .*study\.to_toml"):
        Run.load(tmp_path / "run").explain(0)
    loaded = Run.load(tmp_path / "run", mine)
    assert loaded.explain(0).as_dict() == mine.run().explain(0).as_dict()
    assert Run.load(tmp_path / "run").changes == []
    mine.to_toml(tmp_path)
    assert Run.load(tmp_path / "run").study.run().frontier.equals(loaded.frontier)
    text = (tmp_path / "mine.py").read_text()
    (tmp_path / "mine.py").write_text(text.replace("80 +", "81 +"))
    with pytest.raises(RunFolderError, match=r"changed since the run: model mine\.py"):
        Run.load(tmp_path / "run").explain(0)


SCRIPT = """
import numpy as np
from dse import Study, alternative, minimize, parameter, quantity

side = parameter(unit="1", doc="Side")
FACTOR = 2.0

def doubled(x):
    return FACTOR * x

@quantity(unit="1", source="made up for a test")
def area(side):
    return doubled(side) * np.abs(side - 40)

near, far = alternative(axes={"side": range(1, 101)}), alternative(axes={"side": range(101, 201)})
mine = Study(name="mine", functions=[area], alternatives={"near": near, "far": far}, objectives=[minimize("area")])
run = mine.run(jobs=2)
print(run.manifest.timings.jobs, run.frontier["side"].tolist())
mine.to_toml("here")
"""


@pytest.mark.slow
def test_workers_have_the_functions_of_a_script(tmp_path):
    """They are in ``__main__``, which workers do not import."""
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=200, env={**os.environ}
    )
    assert done.stderr == ""
    assert done.stdout == "2 [40.0]\n"
    written = Study.load(tmp_path / "here" / "mine.toml")
    assert written.run().frontier["side"].tolist() == [40.0]
    assert tomllib.loads((tmp_path / "here" / "mine.toml").read_text())["models"] == ["mine.py"]


def test_one_system_by_keywords():
    mine = study()
    assert mine.evaluate(nodes=3, frequency="2 GHz") == mine.evaluate({"nodes": 3, "frequency": "2 GHz"})
    assert mine.evaluate({"nodes": 3}, frequency="2 GHz", work=0)["run_time"] == SERIAL * np.log2(3)
