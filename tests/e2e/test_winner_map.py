"""Maps of winners against a brute force over the toy study with two networks, written out again."""

import numpy as np
import pytest
from toy import MODEL, UNION, edited

from dse import Study

TOLD = ("sweep", "toy.toml", "--vary", "nodes=2..514", "--vary", "work=1e11, 1e12, 1e13", "--quantity", "time")


def times(nodes, work):
    """Time on the torus and on the tree, at the faster clock."""
    compute = work / (nodes * 2e9)
    return np.array([compute + 0.1 * np.sqrt(nodes), compute + 0.2 * np.log2(nodes)])


def test_each_cell_has_the_winner_of_all_its_designs(toy, dse):
    (toy / "toy.toml").write_text(UNION)
    found = dse.good(*TOLD, "--steps", "5", "--csv", "map.csv", "--json").json
    assert [(cell["x"], cell["y"]) for cell in found["cells"]] == [
        (nodes, work) for work in (1e11, 1e12, 1e13) for nodes in (2, 130, 258, 386, 514)
    ]
    for cell in found["cells"]:
        both = times(cell["x"], cell["y"])
        assert cell["winner"] == ("ring", "tree")[both.argmin()]
        assert cell["design"]["time"] == pytest.approx(both.min(), rel=1e-12)
    assert {cell["winner"] for cell in found["cells"]} == {"ring", "tree"} == set(found["winners"])
    assert (found["error"], found["searches"], found["by"]) == (None, 15, ["alternative"])
    head, *rows = (toy / "map.csv").read_text().splitlines()
    assert (head, len(rows)) == ("nodes,work,winner,within_error,time [s]", 15)
    text = dse.good(*TOLD, "--steps", "5").out
    count = sum(cell["winner"] == "tree" for cell in found["cells"])
    assert f"A tree: {count} of 15\n" in text
    assert "no model states an error of the time, so no ties are told\n" in text


def test_ties_are_those_within_the_error_of_the_model(toy, dse):
    (toy / "toy.toml").write_text(UNION)
    stated = 'sum_of=("compute_time", "network_time"), error=RelativeError(0.1, of="made up"))'
    (toy / "model.py").write_text(
        edited(
            MODEL,
            ('sum_of=("compute_time", "network_time"))', stated),
            ("import assumption, parameter", "import RelativeError, assumption, parameter"),
        )
    )
    study = Study.load("toy.toml")
    found = study.winner_map(("nodes", "2..514"), ("work", "1e11, 1e12, 1e13"), steps=5, quantity="time")
    assert found.error == 0.1
    ties = 0
    for cell in found.cells:
        best, other = sorted(times(cell.x, cell.y))
        assert bool(cell.close) == (other <= 1.1 * best)
        assert cell.winner not in cell.close
        ties += bool(cell.close)
    assert 0 < ties < len(found.cells)
    page = found.report("map.html", "Which network?").read_text()
    assert page.count('class="tie"') == ties + 1  # and once where it is told what it means
    assert page.count("<script") == 0
    figure = found.figure()
    assert sum(str(symbol).endswith("-open") for trace in figure.data for symbol in trace.marker.symbol) == ties
    lines = [line for line in dse.good(*TOLD, "--steps", "5").out.splitlines() if "┤" in line]
    assert sum(letter in "ab" for line in lines for letter in line.split("┤")[1]) == ties


def test_where_nothing_is_feasible(toy, dse):
    (toy / "toy.toml").write_text(edited(UNION, ("20 MW", "20 kW")))
    found = Study.load("toy.toml").winner_map(("nodes", "2, 64, 500"), ("base_power", "1, 1000 W"), quantity="time")
    feasible = [cell.x * cell.y < 20e3 - 1e-26 * 1e27 * cell.x for cell in found.cells]
    assert [cell.design is not None for cell in found.cells] == feasible
    assert 0 < sum(feasible) < len(feasible)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (3.0, "would take about 14 min, one takes about 3 s; allowed: 10 min: --steps 14 or fewer, or a smaller space"),
        (
            5.0,
            "would take more than 24 min, one takes more than 5 s; allowed: 10 min: fewer values, or a smaller space",
        ),
    ],
)
def test_a_map_that_takes_too_long_is_refused_by_its_first_searches(toy, dse, monkeypatch, seconds, told):
    import dse.analysis.choose.best_design as searches
    from dse.analysis.sweep import winner_search

    now, search = [0.0], searches.run_study

    def slow(study, run_type, listener, **_):
        now[0] += seconds
        listener.decided(1)
        listener.frontier_grew(1)
        return search(study, run_type)

    monkeypatch.setattr(searches, "run_study", slow)
    monkeypatch.setattr(winner_search.time, "perf_counter", lambda: now[0])
    (toy / "toy.toml").write_text(UNION)
    vary = ("--vary", "work=1e10..1e12", "--vary", "nodes=2..500", "--quantity", "time")
    assert dse("sweep", "toy.toml", *vary) == (2, "", f"error: --vary: a map of 289 searches {told}\n")


WRONG = {
    ("nodes=2, 3", "nodes=4, 5"): "--vary: 'nodes' is varied twice; allowed: two parameters",
    ("nodes=2, 3", "work=1, 2", "base_power=1, 2 W"): "--vary: 3 parameters are varied; allowed: one, or two for a map",
}


@pytest.mark.parametrize("vary", WRONG)
def test_what_is_wrong_is_told(toy, dse, vary):
    (toy / "toy.toml").write_text(UNION)
    options = [word for text in vary for word in ("--vary", text)]
    assert dse("sweep", "toy.toml", *options) == (2, "", f"error: {WRONG[vary]}\n")
