"""Comparisons: what changed between runs, distances against brute force, ratios, words and keys."""

import re

import numpy as np
import pytest
from toy import STUDY, edited

from dse import Run, Study
from dse.analysis.compare.compare import compare
from dse.search.frontier.pareto import to_minimise

KEYS = {"candidates", "runs", "objectives", "also", "ratios", "distances", "changes"}
WEAK = """name = "weak"
[set]
nodes = 5
frequency = "1 GHz"
"""


@pytest.fixture
def two(toy, dse):
    """The runs a and b of a study and of the same with a changed line and a changed model."""
    dse.good("run", "toy.toml", "--out", "a")
    text = edited(STUDY, ("power <= 20 kW", "power <= 5 kW"), ("powers_of_two = [1, 64]", "values = [1, 2, 3, 32]"))
    (toy / "toy.toml").write_text(text)
    model = (toy / "model.py").read_text()
    (toy / "model.py").write_text(edited(model, ("0.1 * np.sqrt(nodes)", "0.1 * np.sqrt(nodes - 1)")))
    dse.good("run", "toy.toml", "--out", "b")
    return toy


def parameters(run):
    return {(row["nodes"], row["frequency"]): row for row in Run.load(run).frontier.to_dict("records")}


def test_two_runs(two):
    found = compare(["a", "b"])
    changes, old, new = found.changes, parameters("a"), parameters("b")
    assert {(d["nodes"], d["frequency"]) for d in changes["entered"]} == set(new) - set(old)
    assert {(d["nodes"], d["frequency"]) for d in changes["left"]} == set(old) - set(new)
    moved = {(d["parameters"]["nodes"], d["parameters"]["frequency"]): d for d in changes["moved"]}
    both = set(old) & set(new)
    expected = {key for key in both if any(old[key][name] != new[key][name] for name in ("time", "power"))}
    assert set(moved) == expected
    assert expected, "the test has something that moved"
    for key, design in moved.items():
        assert design["before"] == {name: old[key][name] for name in ("time", "power")}
        assert design["after"] == {name: new[key][name] for name in ("time", "power")}
    assert changes["entered_count"] == len(set(new) - set(old)) > 0
    assert changes["left_count"] == len(set(old) - set(new)) > 0
    assert changes["moved_count"] == len(moved)
    assert changes["stayed_count"] == len(both) - len(moved)
    assert changes["changed_inputs"] == ["study", "model model.py"]
    assert changes["study_diff"] == [
        '-constraints = ["power <= 20 kW"]',
        '+constraints = ["power <= 5 kW"]',
        "-nodes = { powers_of_two = [1, 64] }",
        "+nodes = { values = [1, 2, 3, 32] }",
    ]
    assert [run["folder"] for run in found.runs] == ["a", "b"]
    for candidate in found.candidates[:2]:  # of the run whose model is no longer the same
        assert candidate.breakdowns == []
        assert candidate.note.startswith("changed since the run: model model.py")
    assert found.candidates[0].parameters == {"nodes": "64", "frequency": "2 GHz"}
    for run in found.runs:
        frontier = Run.load(run["folder"]).frontier
        assert run["best"] == {name: frontier[name].min() for name in ("time", "power")}
        assert run["frontier"] == len(frontier)


def test_a_table_that_changed(toy, dse):
    (toy / "toy.toml").write_text(
        edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }'))
    )
    dse.good("run", "toy.toml", "--out", "a")
    (toy / "parts.csv").write_text((toy / "parts.csv").read_text().replace("fast,2", "quick,2"))
    dse.good("run", "toy.toml", "--out", "b")
    changes = compare(["a", "b"]).changes
    assert changes["changed_inputs"] == ["table parts.csv"]
    assert changes["study_diff"] == []
    assert {d["clock"] for d in changes["left"]} == {"fast"}
    assert {d["clock"] for d in changes["entered"]} == {"quick"}


def test_the_same_run_twice(toy, dse):
    dse.good("run", "toy.toml", "--out", "a")
    dse.good("run", "toy.toml", "--out", "b")
    found = compare(["a", "b"])
    counts = {key: value for key, value in found.changes.items() if key.endswith("_count")}
    size = len(Run.load("a").frontier)
    assert counts == {"entered_count": 0, "left_count": 0, "moved_count": 0, "stayed_count": size}
    assert found.changes["changed_inputs"] == found.changes["study_diff"] == []
    assert all(d["on_frontier"] and d["factor"] == 1 for row in found.distances for d in row)


def test_another_order_of_rows_is_no_change(toy, dse):
    """Designs are told apart by what they are, not by their numbers."""
    dse.good("run", "toy.toml", "--out", "a")
    (toy / "toy.toml").write_text(edited(STUDY, ('["1 GHz", "2 GHz"]', '["2 GHz", "1 GHz"]')))
    dse.good("run", "toy.toml", "--out", "b")
    changes = compare(["a", "b"]).changes
    assert (changes["entered_count"], changes["left_count"], changes["moved_count"]) == (0, 0, 0)


def test_other_axes(toy, dse):
    """An axis that is new names every design anew; nothing is taken for another."""
    dse.good("run", "toy.toml", "--out", "a")
    axis = 'frequency = { values = ["1 GHz", "2 GHz"] }'
    text = edited(STUDY, (axis, ""), ("work = 1e11", 'work = 1e11\nfrequency = "1 GHz"'))
    (toy / "toy.toml").write_text(text)
    dse.good("run", "toy.toml", "--out", "b")
    changes = compare(["a", "b"]).changes
    assert changes["entered_count"] == len(Run.load("b").frontier)
    assert changes["left_count"] == len(Run.load("a").frontier)


def test_other_objectives(toy, dse):
    """Only the objectives of both can move."""
    dse.good("run", "toy.toml", "--out", "a")
    (toy / "toy.toml").write_text(edited(STUDY, ('minimize = "power"', 'minimize = "energy"')))
    dse.good("run", "toy.toml", "--out", "b")
    found = compare(["a", "b"])
    assert [o["quantity"] for o in found.objectives] == ["time", "power", "energy"]
    assert found.changes["moved_count"] == 0
    assert dse.good("compare", "a", "b").out


SENSES = {
    "min min": [],
    "min max": [('minimize = "power"', 'maximize = "network_time"'), ('also = ["network_time"]', 'also = ["power"]')],
    "max max": [
        ('minimize = "time"', 'maximize = "rate"'),
        ('minimize = "power"', 'maximize = "thrift"'),
        ('energy = "power * time"', 'rate = "1 / time"\nthrift = "1 / power"'),
    ],
}


@pytest.mark.parametrize("kind", SENSES)
def test_distances_against_brute_force(toy, dse, kind):
    """Every design of the space as a candidate of its own."""
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "5 kW"), *SENSES[kind]))
    dse.good("run", "toy.toml", "--out", "a")
    run = Run.load("a")
    names, senses = [o["quantity"] for o in run.objectives], [o["sense"] for o in run.objectives]
    points = run.frontier[names].to_numpy(dtype=float)
    items = []
    for number in range(run.study.space.size):
        told = run.study.space.parameters(number)
        body = "\n".join(f'{k} = "{v}"' if " " in str(v) else f"{k} = {v}" for k, v in told.items())
        (toy / f"{number}.toml").write_text(f'name = "{number}"\n[set]\n{body}\n')
        items.append(f"{number}.toml")
    found = compare(["a", *items])
    assert len(found.candidates) == run.study.space.size
    for number, (candidate, (distance,)) in enumerate(zip(found.candidates, found.distances, strict=True)):
        here = np.array([candidate.values[name] for name in names])
        factors = [
            min(a / b if s == "min" else b / a for a, b, s in zip(here, point, senses, strict=True)) for point in points
        ]
        assert distance["factor"] == pytest.approx(max(factors), rel=1e-12)
        one, many = to_minimise(here[None], senses)[0], to_minimise(points, senses)
        beating = [r for r, p in enumerate(many) if all(p <= one) and any(p < one)]
        assert distance["on_frontier"] == any((p == one).all() for p in many)
        if beating:
            nearest = min(beating, key=lambda r: (max(abs((many[r] - one) / one)), r))
            assert distance["dominated_by"] == {
                "row": nearest,
                "name": f"A{1 + sum(tuple(p) < tuple(many[nearest]) for p in many)}",
                "design": run.frontier["design"][nearest],
                "objectives": dict(zip(names, points[nearest], strict=True)),
            }
            assert distance["factor"] >= 1
        else:
            assert distance["dominated_by"] is None
        if number in set(run.frontier["design"]):
            on_it = {"factor": 1.0, "on_frontier": True, "between": False, "dominated_by": None}
            assert distance == {"run": "a", **on_it}
        base = found.candidates[0].values
        assert found.ratios[number] == {name: candidate.values[name] / base[name] for name in names}
    infeasible = [c for c in found.candidates if c.feasible is False]
    assert {c.name for c in infeasible} == {
        str(n) for n in range(run.study.space.size) if found.candidates[n].values["power"] > 5e3
    }
    assert infeasible


def test_rows(toy, dse):
    dse.good("run", "toy.toml", "--out", "a")
    run = Run.load("a")
    found = compare(["a:0", "a:2"])
    assert [c.name for c in found.candidates] == ["a:0", "a:2"]
    assert found.changes is None
    for candidate, row in zip(found.candidates, (0, 2), strict=True):
        told = run.explain(row).as_dict()
        assert (candidate.kind, candidate.feasible) == ("frontier row", True)
        assert candidate.parameters == {k: str(v) for k, v in told["parameters"].items()}
        assert candidate.breakdowns == told["breakdowns"]
        assert candidate.values["time"] == run.frontier["time"][row]
    time = run.frontier["time"]
    assert found.ratios[1]["time"] == time[2] / time[0]


def test_a_run_alone_shows_its_best_designs(toy, dse):
    dse.good("run", "toy.toml", "--out", "a")
    frontier = Run.load("a").frontier
    found = compare(["a"])
    assert [c.name for c in found.candidates] == ["best time", "best power"]
    assert found.candidates[0].values["time"] == frontier["time"].min()
    assert found.candidates[1].values["power"] == frontier["power"].min()


def test_a_run_without_a_frontier(toy, dse):
    """Nothing is feasible: there is nothing to be far from, and that is no fault."""
    dse.good("run", "toy.toml", "--out", "a")
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "1 W")))
    assert dse("run", "toy.toml", "--out", "none").code == 1
    found = compare(["a", "none"])
    assert [[d is None for d in row] for row in found.distances] == [[False, True]] * len(found.candidates)
    assert found.changes["left_count"] == len(Run.load("a").frontier)
    assert found.runs[1]["best"] == {"time": None, "power": None}
    assert "0 entered" in dse.good("compare", "a", "none").out
    assert compare(["none"]).candidates == []
    assert dse.good("compare", "none", "--json").json["candidates"] == []


def test_json(two, dse):
    (two / "weak.toml").write_text(WEAK)
    told = dse.good("compare", "b:0", "weak.toml", "--json").json
    assert set(told) == KEYS | {"report"}
    keys = {"name", "kind", "parameters", "values", "units", "measured", "breakdowns", "feasible", "synthetic", "note"}
    keys |= {"beside", "validation"}
    assert all(set(c) == keys for c in told["candidates"])
    assert told["changes"] is told["report"] is None
    assert told["objectives"] == [
        {"quantity": "time", "sense": "min", "unit": "s"},
        {"quantity": "power", "sense": "min", "unit": "W"},
    ]
    assert set(told["distances"][1][0]) == {"run", "factor", "on_frontier", "between", "dominated_by"}
    keys = {"name", "folder", "exact", "headline", "designs", "frontier", "best", "synthetic", "derived_from"}
    assert all(set(run) == keys for run in told["runs"])
    told = dse.good("compare", "a", "b", "--json").json
    assert set(told["changes"]) == {
        *(f"{kind}{end}" for kind in ("entered", "left", "moved") for end in ("", "_count")),
        *("stayed_count", "changed_inputs", "study_diff", "units"),
    }


def test_words(two, dse):
    out = dse.good("compare", "a", "b", "--full").out
    assert "from the first run to the second: " in out
    assert "changed: study, model model.py\n" in out
    assert '  -constraints = ["power <= 20 kW"]\n  +constraints = ["power <= 5 kW"]\n' in out
    changes = compare(["a", "b"]).changes
    counts = [f"{changes[f'{kind}_count']} {kind}" for kind in ("entered", "left", "moved", "stayed")]
    assert ", ".join(counts) in out
    assert "  entered: nodes = 3, frequency = 1 GHz, time = " in out
    assert "  moved: nodes = 1, frequency = 1 GHz\n    from time = 100.1 s, power = 110 W to time = 100 s" in out


def test_a_candidate_in_words(toy, dse):
    dse.good("run", "toy.toml", "--out", "a")
    (toy / "hot.toml").write_text(
        'name = "hot"\n[set]\nnodes = 300\nfrequency = "2 GHz"\n[measured]\ntime = "3 s"\nsource = "our log, 2024-03"\n'
    )
    (toy / "weak.toml").write_text(WEAK.replace("nodes = 5", 'nodes = 4\nbase_power = "150 W"'))
    out = dse.good("compare", "a:0", "hot.toml", "weak.toml", "--full").out
    assert "hot: measured figures from our log, 2024-03\n" in out
    assert "3 s (0.03" in out
    assert "measured" in out
    assert "NOT met" in out
    assert "it breaks a constraint" in out
    (line,) = [line for line in out.splitlines() if line.startswith("weak ")]
    assert "× away" in line
    assert re.search(r" A[0-9]+: ", line)


PLACES = {  # beside a frontier with (1, 4) and (4, 1), minimised
    (3.0, 3.0): (0.75, True, "between its designs (0.75×)", "nothing"),
    (0.5, 0.5): (0.125, False, "beyond it (0.125×)", "nothing"),
    (0.5, 9.0): (0.5, False, "beyond it (0.5×)", "nothing"),
    (2.0, 8.0): (2.0, False, "2× away", "A1: x 1, y 4"),
    (1.0, 8.0): (1.0, False, "as good in some objectives, worse in others", "A1: x 1, y 4"),
    (1.00001, 8.0): (1.00001, False, "≈1× away", "A1: x 1, y 4"),
    (4.0, 1.0): (1.0, False, "on it", "nothing"),
}


@pytest.mark.parametrize("place", PLACES)
def test_C1_a_system_that_nothing_beats_is_not_away_from_the_frontier(tmp_path, place):
    (tmp_path / "points.csv").write_text("name,x,y\none,1,4\ntwo,4,1\nthree,5,5\n")
    (tmp_path / "points.py").write_text(
        "from dse import parameter, quantity\n"
        'x = parameter(unit="1", doc="x")\ny = parameter(unit="1", doc="y")\n\n\n'
        '@quantity(unit="1", source="made up")\ndef z(x, y):\n    return x + y\n'
    )
    (tmp_path / "points.toml").write_text(
        'name = "points"\nmodels = ["points.py"]\nalso = ["z"]\n[[objectives]]\nminimize = "x"\n'
        '[[objectives]]\nminimize = "y"\n[space.axes]\npoint = { part = "points.csv" }\n'
    )
    Study.load(str(tmp_path / "points.toml")).run(tmp_path / "a")
    figures = f"x = {place[0]}\ny = {place[1]}"
    (tmp_path / "c.toml").write_text(f'name = "c"\n[measured]\n{figures}\nsource = "made up"\n')
    found = compare([str(tmp_path / "a"), str(tmp_path / "c.toml")])
    ((distance,),), ((_, _, told, beaten),) = found.distances, found.distance_rows()
    assert (distance["factor"], distance["between"], told, beaten) == PLACES[place]


def test_R5_a_ratio_that_only_looks_like_one_says_so(toy, dse):
    dse.good("run", "toy.toml", "--out", "a")
    time = float(Run.load("a").frontier["time"][0])
    (toy / "c.toml").write_text(f'name = "c"\n[measured]\ntime = "{time * 1.0001!r} s"\nsource = "made up"\n')
    found = compare(["a:0", "c.toml"])
    (first, one, _), (second, other, _) = found.figures("time", "s")
    assert (one, other) == ("1×", "≈1×")
    assert first != second


def test_a_screen_has_the_answer_and_says_where_the_rest_is(two, dse):
    """Without --full no more than a screen; with it all that was left out."""
    whole = dse.good("compare", "a", "b", "--full").out.splitlines()
    screen = dse.good("compare", "a", "b").out.splitlines()
    assert len(screen) <= 24 < len(whole)
    others = [line for line in screen if line not in whole and not line.startswith("  … ")]
    assert others == ["… and more that does not fit on a screen: --full"]
    for begin in ("run ", "from the first run to the second: ", "changed: ", "time (min)", "power (min)"):
        assert any(line.startswith(begin) for line in screen), begin
    short = dse.good("compare", "a:0").out
    assert short == dse.good("compare", "a:0", "--full").out, "what fits is shown whole"
