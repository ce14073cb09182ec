"""Sweeps: the best at each value of a parameter, and where it changes, against closed forms and a brute force."""

import re

import numpy as np
import pytest
from toy import STUDY, UNION, edited

from dse import Study


def energies(base_power):
    """Energy of every design of the toy study, in its order, written out again."""
    nodes, frequency = np.repeat(2.0 ** np.arange(7), 2), np.tile([1e9, 2e9], 7)
    time = 1e11 / (nodes * frequency) + 0.1 * np.sqrt(nodes)
    power = nodes * (base_power + 1e-26 * frequency**3)
    return nodes, np.where(power <= 20e3, power * time, np.inf)


def test_where_two_networks_break_even(toy, dse):
    """0.1 sqrt(n) against 0.2 log2(n): equal at n = 256, where the first alternative stands."""
    (toy / "toy.toml").write_text(UNION)
    told = ("sweep", "toy.toml", "--vary", "nodes=2..512", "--steps", "6", "--quantity", "time")
    found = dse.good(*told, "--json").json
    assert [step["value"] for step in found["steps"]] == [2, 104, 206, 308, 410, 512]
    assert [step["winner"] for step in found["steps"]] == ["ring"] * 3 + ["tree"] * 3
    assert found["break_even"] == [{"low": 256, "high": 257, "before": "ring", "after": "tree"}]
    assert found["by"] == ["alternative"]
    for step in found["steps"]:
        n = step["value"]
        assert step["design"]["time"] == pytest.approx(
            1e11 / (n * 2e9) + min(0.1 * n**0.5, 0.2 * np.log2(n)), rel=1e-12
        )
    slot = dse.good(*told, "--by", "network", "--csv", "slot.csv", "--json").json
    assert slot["break_even"] == [{"low": 256, "high": 257, "before": "torus", "after": "tree"}]
    assert [row.split(",")[2] for row in (toy / "slot.csv").read_text().splitlines()[:2]] == ["network", "torus"]
    assert not (toy / "runs").exists()


def test_the_least_of_a_quantity_along_an_assumption(toy, dse):
    """With a dearer node at rest fewer nodes are best; every step and every break-even by brute force."""
    told = ("--vary", "base_power=0.2..20000 W", "--steps", "9", "--quantity", "energy", "--by", "nodes")
    found = dse.good("sweep", "toy.toml", *told, "--json").json

    def best(watt):
        nodes, energy = energies(watt)
        return None if np.isinf(energy.min()) else f"{nodes[energy.argmin()]:.12g}"

    for step in found["steps"]:
        assert step["winner"] == best(step["value"])
        _, energy = energies(step["value"])
        if step["winner"]:
            assert step["design"]["energy"] == pytest.approx(energy.min(), rel=1e-12)
    assert found["steps"][-1] | {"value": 0} == {"value": 0, "winner": None, "design": None, "parts": {}}
    assert found["break_even"]
    ends = [change[end] for change in found["break_even"] for end in ("low", "high")]
    assert [edge["value"] for edge in found["edges"]] == ends
    assert [edge["winner"] for edge in found["edges"]] == [best(value) for value in ends]
    for change in found["break_even"]:
        assert change["high"] - change["low"] <= 1e-3 * change["high"]
        assert (best(change["low"]), best(change["high"])) == (change["before"], change["after"])
        assert change["before"] != change["after"]
    chain = [found["steps"][0]["winner"], *(change["after"] for change in found["break_even"])]
    assert chain[:-1] == [change["before"] for change in found["break_even"]]
    assert chain[-1] == found["steps"][-1]["winner"]


def test_a_part_that_changes_is_a_change_of_the_winner(toy, dse):
    """Two networks and a catalogue of clocks: a dear node at rest wants the fast clock, a cheap one the slow."""
    clocks = edited(UNION, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }'))
    (toy / "toy.toml").write_text(clocks)
    told = ("sweep", "toy.toml", "--vary", "base_power=0.1, 100 W", "--quantity", "energy")
    found = dse.good(*told, "--json").json
    assert found["by"] == ["alternative", "clock"]
    assert [step["winner"] for step in found["steps"]] == ["tree, slow", "tree, fast"]
    (change,) = found["break_even"]
    nodes, frequency = np.repeat(2.0 ** np.arange(7), 2), np.tile([1e9, 2e9], 7)
    network = np.minimum(0.1 * nodes**0.5, 0.2 * np.log2(nodes))
    for watt, clock in ((change["low"], 1e9), (change["high"], 2e9)):
        energy = nodes * (watt + 1e-26 * frequency**3) * (1e11 / (nodes * frequency) + network)
        assert frequency[energy.argmin()] == clock
    assert found["other_changes"] == []
    alike = dse.good(*told, "--by", "alternative", "--json").json
    assert (alike["break_even"], alike["other_changes"]) == ([], ["clock"])
    text = dse.good(*told, "--by", "alternative").out
    assert "the best keeps its alternative, but not its clock: --by clock tells where\n" in text


def test_sums_and_limits_stand_beside_the_steps(toy, dse):
    told = ("--vary", "work=1e10, 1e11", "--quantity", "time", "--also", "power", "--csv", "found.csv")
    found = dse.good("sweep", "toy.toml", "--report", *told, "--json").json
    assert found["report"] == "sweep-toy.html"
    assert (toy / "sweep-toy.html").is_file()
    for step in found["steps"]:
        design, parts = step["design"], step["parts"]["time"]
        assert set(parts) == {"compute_time", "network_time"}
        assert sum(parts.values()) == pytest.approx(design["time"], rel=1e-12)
    assert found["objectives"] == ["time", "power"]
    limit = {"quantity": "power", "relation": "<=", "value": 20e3, "text": "power <= 20 kW", "required_by": ""}
    assert found["limits"] == [limit]
    assert found["csv"] == "found.csv"
    head, *rows = (toy / "found.csv").read_text().splitlines()
    assert head.split(",")[:3] == ["work", "time [s]", "power [W]"]
    assert [float(row.split(",")[1]) for row in rows] == [step["design"]["time"] for step in found["steps"]]


def test_the_knee_and_what_if(toy, dse):
    found = dse.good(
        "sweep",
        "toy.toml",
        "--vary",
        "work=1e10, 1e11, 1e12",
        "--without",
        "nodes=64",
        "--set",
        "frequency=2 GHz",
        "--json",
    ).json
    assert (found["rule"], found["by"], found["break_even"]) == ("knee", [], [])
    assert found["study"] == "toy@frequency=2-GHz,without-nodes=64"
    study = Study.load("toy.toml").with_(without={"nodes": 64}, set={"frequency": "2 GHz"})
    for step in found["steps"]:
        run = study.with_(set={"work": step["value"]}).run()
        row = run.frontier[run.frontier["design"] == step["design"]["design"]]
        assert row["time"].tolist() == [step["design"]["time"]]
    assert found["searches"] == 3


def test_the_most_of_what_is_maximised(toy, dse):
    (toy / "toy.toml").write_text(
        edited(STUDY, ('minimize = "time"', 'maximize = "network_time"'), ('["network_time"]', '["time"]'))
    )
    found = Study.load("toy.toml").sweep("base_power", "10, 20, 30 W", quantity="network_time")
    assert found.rule == "most network_time"
    assert [step.design["nodes"] for step in found.steps] == [64] * 3
    assert [step.design["network_time"] for step in found.steps] == pytest.approx([0.8] * 3)


def test_nothing_feasible_anywhere(toy, dse):
    result = dse("sweep", "toy.toml", "--vary", "base_power=30, 40 kW", "--quantity", "time")
    assert result.code == 1
    assert "30 kW" in result.out


WRONG = [
    "bas_power=1..2 W",
    "base_power=1 W",
    "base_power=2..1 W",
    "base_power=1..2",
    "work=-1..1",
    "base_power",
    "base_power=1..2 W --steps 1",
    "base_power=1..2 W --by node",
    "base_power=1..2 W --quantity tim",
    "frequency=1..2 GHz --set frequency=1_GHz",
]


@pytest.mark.parametrize("options", WRONG)
def test_what_is_wrong_is_told(toy, dse, options):
    """With the name of the option; in which words, stands in the screen `errors-sweep`."""
    vary, *more = options.split(" --")
    rest = [word for option in more for word in (f"--{option.split()[0]}", option.split()[1])]
    refused = dse("sweep", "toy.toml", "--vary", vary, *rest)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"error: {(['--vary'] + [word for word in rest if word.startswith('--')])[-1]}")


def test_stopped_it_says_how_far_it_came(toy, dse, monkeypatch):
    import dse.analysis.choose.best_design as searches

    left, search = iter(range(3)), searches.run_study

    def stopped(*arguments, **options):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return search(*arguments, **options)

    monkeypatch.setattr(searches, "run_study", stopped)
    result = dse("sweep", "toy.toml", "--vary", "work=1e10..1e11", "--steps", "9", "--quantity", "time")
    assert (result.code, result.out) == (130, "")
    assert "3 of 9 steps done; nothing is kept\n" in result.err


def test_in_python_a_sweep_has_a_table_a_figure_and_a_page(toy, dse):
    found = Study.load("toy.toml").sweep(
        "base_power", "0.2, 1000, 40000 W", quantity="time", by="nodes", also=["power"]
    )
    table = found.table
    assert list(table) == ["base_power", "time", "power", "nodes"]
    assert table.attrs["units"] == {"base_power": "W", "time": "s", "power": "W", "nodes": "1"}
    assert table["nodes"].tolist()[:2] == [64, 16]
    figure = found.figure()
    assert len(figure.to_json()) < 100_000
    assert sum(len(trace.x) for trace in figure.data if trace.mode == "markers") == 2 * 2
    page = found.report("page.html").read_text()
    assert len(page) < 100_000
    searched = [step for step in [*found.steps, *found.edges] if step.design]
    lines = re.findall(r'class="line" d="([^"]*)"', page)
    assert [line.count("L") + 1 for line in lines] == [len(searched)] * 4  # two quantities, on wide and narrow screens


def test_other_objectives_and_a_name(toy, dse):
    told = ("--vary", "base_power=1, 100 W", "--min", "power", "--also", "energy", "--name", "cheap", "--json")
    found = dse.good("sweep", "toy.toml", *told).json
    assert (found["study"], found["objectives"], found["rule"]) == ("toy@cheap", ["power", "energy"], "knee")
    assert [step["design"]["nodes"] for step in found["steps"]] == [1, 1]


def test_designs_are_told_apart_by_a_choice(toy, dse):
    choices = """[space.choices.links.ring]
use = { network = "torus" }
[space.choices.links.trees]
use = { network = "tree" }
[space.choices.clocks.slow.axes]
frequency = { values = ["1 GHz"] }
[space.choices.clocks.fast.axes]
frequency = { values = ["2 GHz"] }
[search]"""
    (toy / "toy.toml").write_text(
        edited(
            STUDY,
            ('[use]\nnetwork = "torus"\n', ""),
            ("20 kW", "20 MW"),
            ('frequency = { values = ["1 GHz", "2 GHz"] }\n', ""),
            ("[search]", choices),
        )
    )
    told = ("--vary", "nodes=2, 512", "--quantity", "time", "--json")
    for by, before, after in (("links", "ring", "trees"), ("alternative", "ring fast", "trees fast")):
        found = dse.good("sweep", "toy.toml", *told, "--by", by).json
        assert found["break_even"] == [{"low": 256, "high": 257, "before": before, "after": after}]
    assert dse.good("sweep", "toy.toml", *told, "--by", "clocks").json["break_even"] == []


def test_the_pick_of_the_study_is_the_best(toy, dse):
    """The fastest within a limit that the frontier cannot answer, and by weights; --quantity is asked before it."""
    pick = '[answer]\npick = { minimize = "time", where = ["energy <= 30 kJ"] }\n'
    (toy / "toy.toml").write_text(edited(STUDY, ("[search]", f"{pick}[search]")))
    told = ("sweep", "toy.toml", "--vary", "base_power=1, 100, 10000 W", "--by", "nodes", "--json")
    found = dse.good(*told).json
    assert found["rule"] == "least time where energy <= 30 kJ"
    for step in found["steps"]:
        nodes, energy = energies(step["value"])
        frequency = np.tile([1e9, 2e9], 7)
        time = 1e11 / (nodes * frequency) + 0.1 * np.sqrt(nodes)
        met = energy <= 30e3
        assert (step["design"] is None) == (not met.any())
        if met.any():
            assert step["design"]["time"] == pytest.approx(time[met].min(), rel=1e-12)
    assert {step["design"] is None for step in found["steps"]} == {True, False}
    assert dse.good(*told, "--quantity", "power").json["rule"] == "least power"
