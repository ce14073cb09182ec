"""A study over all shapes of a network: checked, run, shown, explained; never resumed with other shapes."""

import itertools
import json
import re

import pytest

from dse.api import Study
from dse.authoring.library.library import find_enumeration

pytestmark = pytest.mark.slow

MODEL = '''"""A torus of the test: its columns are those of network.torus and network.hyperx."""

from dse import parameter, quantity

dimension_1 = parameter(unit="1", doc="Switches along dimension 1", minimum=1, integer=True)
dimension_2 = parameter(unit="1", doc="Switches along dimension 2", minimum=1, integer=True)
dimension_3 = parameter(unit="1", doc="Switches along dimension 3", minimum=1, integer=True)
dimension_4 = parameter(unit="1", doc="Switches along dimension 4", minimum=1, integer=True)
dimension_5 = parameter(unit="1", doc="Switches along dimension 5", minimum=1, integer=True)
dimension_6 = parameter(unit="1", doc="Switches along dimension 6", minimum=1, integer=True)
nodes_per_switch = parameter(unit="1", doc="Nodes of a switch", minimum=1, integer=True)
switch_power = parameter(unit="W", doc="Power of a switch", minimum=0)


@quantity(unit="1", source="this file")
def switches(dimension_1, dimension_2, dimension_3, dimension_4, dimension_5, dimension_6):
    """Switches."""
    return dimension_1 * dimension_2 * dimension_3 * dimension_4 * dimension_5 * dimension_6


@quantity(unit="1", source="this file")
def way(dimension_1, dimension_2, dimension_3, dimension_4, dimension_5, dimension_6, nodes_per_switch):
    """A made-up length of the way, worse where many nodes share a switch."""
    return nodes_per_switch * (dimension_1 + dimension_2 + dimension_3 + dimension_4 + dimension_5 + dimension_6)


@quantity(unit="W", source="this file")
def power(switches, switch_power):
    """Power of the switches."""
    return switches * switch_power
'''
GIVEN = "nodes = [120, 130], radix = 16, dimensions = [2, 3]"
STUDY = f"""name = "shapes"
question = "Which torus?"
models = ["model.py"]

[[objectives]]
minimize = "way"

[[objectives]]
minimize = "power"

[space.axes]
switch_power = {{ values = ["100 W", "50 W"] }}

[space.alternatives.torus.axes]
shape = {{ enumerate = "network.torus", given = {{ {GIVEN} }} }}

[space.alternatives.hyperx.axes]
shape = {{ enumerate = "network.hyperx", given = {{ {GIVEN} }} }}
"""
TORI = {"nodes": [120, 130], "radix": 16, "dimensions": [2, 3]}


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "shapes.toml").write_text(STUDY)
    return tmp_path


@pytest.fixture
def tori():
    return find_enumeration("network.torus").rows(TORI)


def plain(text):
    return re.sub(r"[\s\u202f]+", " ", text)


def told(found):
    refused = "; ".join(f"{count} × {reason}" for reason, count in found.refused.items())
    return f"{found.kept} kept of {found.considered} considered; refused: {refused}"


def test_check(study, dse, tori):
    text = plain(dse.good("check", "shapes.toml").out)
    assert f"torus: shape: {told(tori)}" in text
    assert f"shape {tori.kept} {'; '.join(tori.labels[:3])}; …; {tori.labels[-1]}" in text
    found = dse.good("check", "shapes.toml", "--json").json
    (torus, hyperx) = found["space"]["alternatives"]
    (_, shape) = torus["axes"]
    assert shape["enumerated"] == json.loads(json.dumps(tori.account()))
    assert shape["values"] == tori.kept
    assert shape["source"] == "network.torus (nodes = [120, 130], radix = 16, dimensions = [2, 3])"
    assert found["designs"] == 2 * (tori.kept + hyperx["axes"][1]["values"])
    assert "enumerated" not in torus["axes"][0]


def test_run_finds_the_frontier_of_brute_force(study, dse, tori):
    told_by_run = dse.good("run", "shapes.toml", "--json").json
    points = []
    for name in ("torus", "hyperx"):
        found = find_enumeration(f"network.{name}").rows(TORI)
        for label, row in zip(found.labels, zip(*found.columns.values(), strict=True), strict=True):
            *sizes, p = row
            switches = sizes[0] * sizes[1] * sizes[2]
            points.append((p * sum(sizes), switches * 50.0, name, label))
    best = {
        point
        for point in points
        if not any(o[0] <= point[0] and o[1] <= point[1] and o[:2] != point[:2] for o in points)
    }
    found = {(row["way"], row["power"], row["alternative"], row["shape"]) for row in told_by_run["frontier"]}
    assert found == best
    parallel = dse.good("run", "shapes.toml", "--jobs", "2", "--out", "again", "--json").json
    assert parallel["frontier"] == told_by_run["frontier"]


def test_run_show_and_report_tell_what_was_refused(study, dse, tori):
    words = f"torus: shape: {told(tori)}"
    assert words in plain(dse.good("run", "shapes.toml", "--report").out)
    assert words in plain(dse.good("show", "runs/shapes").out)
    manifest = dse.good("show", "runs/shapes", "--json").json
    (_, shape) = manifest["space"]["alternatives"][0]["axes"]
    assert shape["enumerated"] == json.loads(json.dumps(tori.account()))
    page = plain((study / "runs" / "shapes" / "report.html").read_text(encoding="utf-8"))
    assert told(tori) in page
    assert "network.torus (nodes = [120, 130], radix = 16, dimensions = [2, 3])" in page


def test_one_shape_is_evaluated_and_explained(study, dse):
    found = dse.good("evaluate", "shapes.toml", "--alternative", "torus", "--set", "shape=5x5x5, p=1", "--json",
                     "--set", "switch_power=80 W").json  # fmt: skip
    assert (found["values"]["switches"], found["values"]["power"]) == (125, 10_000)
    wrong = dse("evaluate", "shapes.toml", "--alternative", "torus", "--set", "shape=5x5x6, p=1", "--set",
                "switch_power=80 W")  # fmt: skip
    assert (wrong.code, wrong.err.startswith("error: --set shape: 'shape' has no '5x5x6, p=1'; allowed: ")) == (2, True)
    assert wrong.err.endswith("did you mean '5x5x5, p=1'?\n")
    dse.good("run", "shapes.toml")
    text = plain(dse.good("explain", "--full", "runs/shapes", "--design", "0").out)
    assert "shape = " in text
    assert "Anghel 2017, Section 5.4" in text
    assert dse.good("verify", "runs/shapes").code == 0


def test_the_hashes_hold_the_rows_and_the_file(study):
    hashes = Study.load("shapes.toml").hashes()
    assert set(hashes) == {
        "study",
        "model model.py",
        "enumeration network.torus",
        "enumeration network.hyperx",
        "rows of space.alternatives.torus.axes.shape",
        "rows of space.alternatives.hyperx.axes.shape",
    }
    assert len(set(hashes.values())) == 5  # both enumerations stand in one file


@pytest.mark.parametrize("finished", [True, False])
def test_other_shapes_never_go_on_with_a_run(study, dse, tmp_path, finished):
    """What an enumeration gives may change though its own file does not: it may read another."""
    (study / "own.py").write_text(
        "from pathlib import Path\nfrom dse import Enumerated, enumeration\n"
        'import numpy as np\n@enumeration(source="me")\ndef own() -> Enumerated:\n    """Mine."""\n'
        '    n = int((Path(__file__).parent / "most.txt").read_text())\n'
        '    columns = {f"dimension_{i}": np.full(n, 1.0) for i in range(2, 7)}\n'
        '    columns |= {"dimension_1": np.arange(1, n + 1), "nodes_per_switch": np.full(n, 1.0)}\n'
        '    return Enumerated(columns, [f"{i + 1}" for i in range(n)], n)\n'
    )
    alternatives = STUDY.index("[space.alternatives")
    (study / "shapes.toml").write_text(
        STUDY[:alternatives].replace('["model.py"]', '["model.py", "own.py"]') + 'shape = { enumerate = "own" }\n'
    )
    (study / "most.txt").write_text("5")
    dse.good("run", "shapes.toml")
    if not finished:
        (study / "runs" / "shapes" / "manifest.json").unlink()
    (study / "most.txt").write_text("6")
    result = dse("run", "shapes.toml")
    state = "finished" if finished else "unfinished"
    assert result.code == 2
    assert f"the folder holds the {state} run of a study that differs in: rows of space.axes.shape;" in result.err
    if finished:
        assert "changed since the run: rows of space.axes.shape" in dse("explain", "runs/shapes").err
    (study / "most.txt").write_text("5")
    dse.good("run", "shapes.toml")


def test_a_column_that_no_model_declares(study, dse):
    (study / "model.py").write_text(MODEL.replace("dimension_6 = parameter", "dimension_7 = parameter"))
    result = dse("check", "shapes.toml")
    assert result.code == 2
    assert result.err == (
        "error: a model is at fault: network.shapes.torus gives 'dimension_6', which no model of the study declares as "
        "a parameter with a unit\n"
    )


def test_nothing_left(study, dse):
    (study / "shapes.toml").write_text(STUDY.replace("radix = 16", "radix = 3"))
    result = dse("check", "shapes.toml")
    assert result.code == 2
    assert re.fullmatch(
        r"error: shapes.toml: space.alternatives.torus.axes.shape.given: no shape is left of \d+ considered: "
        r"\d+ × more than 3 ports on a switch\n",
        result.err,
    )


def test_a_common_axis_is_told_once(study, dse):
    common = STUDY.index("[space.alternatives")
    (study / "shapes.toml").write_text(
        STUDY[:common]
        + f'shape = {{ enumerate = "network.torus", given = {{ {GIVEN} }} }}\n'
        + "[space.alternatives.a]\n[space.alternatives.b]\n"
    )
    lines = dse.good("check", "shapes.toml").out.splitlines()
    assert [line.startswith("shape: ") for line in lines if "considered" in line] == [True]


def test_all_shapes_of_the_study_have_numbers_of_their_own(study):
    space = Study.load("shapes.toml").space
    named = [space.parameters(number) for number in range(space.size)]
    assert len({tuple(one.items()) for one in named}) == space.size
    for first, second in itertools.pairwise(named):
        assert first != second
