"""How sure the first answer is, against a brute force over all designs that shares no code with it."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from toy import STUDY

from dse import Run, Study
from dse.analysis.uncertainty.draws import Drawn
from dse.analysis.uncertainty.first_answer import designs_of_laws
from dse.analysis.uncertainty.flips import flip_of
from dse.evaluation.unknowns import Unknown, uncertain_problem
from dse.report.words.decisions import decision_table_of
from dse.report.words.how_sure import decision_lines, how_sure_sentence, is_toss
from dse.run.result.how_sure import read_how_sure

MODEL = '''
from dse import parameter, quantity

rate = parameter(unit="flop/s", doc="Of a node.")
watts = parameter(unit="W", doc="Of a node.")
nodes = parameter(unit="1", doc="How many.")
links = parameter(unit="1", doc="Of a node.")
latency = parameter(unit="s", doc="Of a message.")


@quantity(unit="s", source="made up for a test")
def time(rate, nodes, links, latency):
    """Work over rate, and messages."""
    return 4e13 / (rate * nodes) + 2e5 * latency * nodes**0.5 / links


@quantity(unit="W", source="made up for a test")
def power(watts, nodes, links):
    """Of nodes and links."""
    return nodes * (watts + 20.0 * links)
'''
PARTS = """name,rate [Gflop/s],watts [W],source
A,500,300,made up
B,520,330,made up
C,430,240,made up
"""
THREE = """
name = "three"
question = "Which part?"
models = ["three.py"]
constraints = ["power <= 18 kW"]

[[objectives]]
minimize = "time"

[[objectives]]
minimize = "power"

[set]
latency = "1 us"

[space.axes]
device = { part = "parts.csv" }
nodes = { values = [8, 16, 24, 32, 40, 48] }
links = { values = [1, 2, 4] }

[uncertain]
latency = { from = "0.5 us", to = "2 us" }
rate = { within = "12 %", each = "device" }
power = { error = "4 %", shared = 0.5 }
"""


@pytest.fixture
def three(toy):
    Path("three.py").write_text(MODEL)
    Path("parts.csv").write_text(PARTS)
    Path("three.toml").write_text(THREE)
    return Path("three.toml")


def brute_force(draws, seed):
    """Every design at random values of all unknowns: who is best in time and power, and the knee; by device."""
    rng = np.random.default_rng(seed)
    device, nodes, links = (
        grid.reshape(-1) for grid in np.meshgrid(np.arange(3), [8, 16, 24, 32, 40, 48], [1, 2, 4], indexing="ij")
    )
    rates, watts = np.array([500e9, 520e9, 430e9]), np.array([300.0, 330.0, 240.0])
    won = {name: np.zeros(3) for name in ("time", "power", "knee")}
    wide = {name: np.zeros(6) for name in won}
    for _ in range(draws):
        latency = rng.uniform(0.5e-6, 2e-6)
        rate = (rates * rng.uniform(0.88, 1.12, 3))[device]
        error = 0.5 * rng.uniform(-0.04, 0.04) + 0.5 * rng.uniform(-0.04, 0.04, len(nodes))
        time = 4e13 / (rate * nodes) + 2e5 * latency * np.sqrt(nodes) / links
        power = nodes * (watts[device] + 20.0 * links) * (1.0 + error)
        feasible = np.flatnonzero(power <= 18e3)
        t, p = time[feasible], power[feasible]
        on = np.array([not ((t <= t[i]) & (p <= p[i]) & ((t < t[i]) | (p < p[i]))).any() for i in range(len(t))])
        here, t, p = feasible[on], t[on], p[on]
        knee = np.argmin((t - t.min()) / (t.max() - t.min()) + (p - p.min()) / (p.max() - p.min()))
        for name, best in (("time", here[np.argmin(t)]), ("power", here[np.argmin(p)]), ("knee", here[knee])):
            won[name][device[best]] += 1.0 / draws
            wide[name][[8, 16, 24, 32, 40, 48].index(nodes[best])] += 1.0 / draws
    return won, wide


def test_probabilities_equal_a_brute_force_over_three_unknowns(three):
    run = Study.load(three).run()
    sure = run.how_sure
    assert sure.way == "bounds and rows"
    assert len(sure.decided) == 3
    draws = 3_000
    won, wide = brute_force(draws, 1)
    allowed = norm.isf(1e-6) * np.sqrt(0.25 / draws + 0.25 / sure.draws)
    for decided, name in zip(sure.decided, won, strict=True):
        shares = {one.name: one.values for one in decided.what}
        for place, label in enumerate("ABC"):
            assert shares["device"].get(label, 0.0) == pytest.approx(won[name][place], abs=allowed)
        for place, nodes in enumerate(["8", "16", "24", "32", "40", "48"]):
            assert shares["nodes"].get(nodes, 0.0) == pytest.approx(wide[name][place], abs=allowed)
        assert sum(one.share for one in decided.designs) <= 1.0 + 1e-9


def test_it_is_stored_shown_and_the_same_in_every_place(three, dse):
    dse.good("run", "three.toml")
    stored = json.loads(Path("runs/three/trust.json").read_text())
    assert stored["how_sure"]["decided"]
    run = Run.load("runs/three")
    sentence = how_sure_sentence(run)
    assert dse.good("show", "runs/three", "--json").json["how_sure"]["sentence"] == sentence
    assert dse.good("pick", "runs/three", "--json").json["how_sure"]["sentence"] == sentence
    assert sentence in dse.good("pick", "runs/three").out
    assert run.how_sure == Study.load(three).run().how_sure
    odds = [line.odds for line in decision_lines(run, run.how_sure)]
    assert odds
    screen = dse.good("show", "runs/three").out
    assert "what would flip it" in screen
    html = run._repr_html_()
    assert all(line in html for line in odds)
    page = run.report("page.html").read_text()
    assert all(line in page for line in odds)


def test_no_trust_leaves_it_out_and_the_frontier_is_the_same(three, dse):
    dse.good("run", "three.toml", "--out", "with")
    dse.good("run", "three.toml", "--out", "without", "--no-trust")
    assert not Path("without/trust.json").exists()
    assert Path("with/frontier.parquet").read_bytes() == Path("without/frontier.parquet").read_bytes()
    one, other = (json.loads(Path(f"{name}/manifest.json").read_text())["certificate"] for name in ("with", "without"))
    assert one == other
    assert "how_sure" in dse.good("show", "without", "--json").json
    assert dse.good("show", "without", "--json").json["how_sure"] is None
    dse.good("run", "three.toml", "--out", "without")  # finished already: how sure it is comes after it
    assert Run.load("without").how_sure == Run.load("with").how_sure


def test_what_is_not_in_time_has_no_probability_but_its_command(three, dse, monkeypatch):
    monkeypatch.setattr("dse.analysis.uncertainty.first_answer.time_for", lambda searched: 0.0)
    out = dse.good("run", "three.toml").out
    assert "no probability" in out
    assert "dse trust runs/three" in out
    sure = read_how_sure(Run.load("runs/three"))
    assert sure.late
    assert not sure.decided
    dse.good("trust", "runs/three")
    assert Run.load("runs/three").how_sure.decided


def test_trust_begins_with_what_the_run_has_proved_and_finds_the_same(three, dse, monkeypatch):
    text = THREE.replace('power = { error = "4 %", shared = 0.5 }\n', "").replace(
        'rate = { within = "12 %", each = "device" }', 'power = { within = "12 %", each = "device" }'
    )
    three.write_text(text.replace('latency = { from = "0.5 us", to = "2 us" }\n', ""))
    first = Study.load(three).run("kept")
    assert first.how_sure.complete
    assert first.how_sure.numbers
    second = Study.load(three).run("bare", trust=False)
    anew = second.trust()

    def fails(*args, **rest):
        raise AssertionError("searched again")

    monkeypatch.setattr("dse.analysis.uncertainty.uncertainty.search_possible", fails)
    kept = first.trust()
    assert (kept.possible, kept.certain, kept.probability) == (anew.possible, anew.certain, anew.probability)


@pytest.mark.parametrize(
    ("shares", "draws", "toss"),
    [
        ([0.68, 0.32], 1000, False),
        ([0.52, 0.48], 4000, True),  # less than 5 points apart
        ([0.59, 0.41], 4000, True),  # below 60 : 40
        ([0.61, 0.39], 4000, False),
        ([0.61, 0.39], 50, True),  # within two standard errors
        ([0.44, 0.28, 0.28], 4000, False),
        ([0.44, 0.31, 0.25], 4000, True),
        ([0.07, 0.03, 0.03], 4000, True),  # near each other, whatever their ratio
        ([1.0], 1000, False),
    ],
)
def test_a_toss(shares, draws, toss):
    assert is_toss(shares, draws) == toss


class Problem:
    unknowns = (Unknown("rate", -0.1, 0.1, scope="each", axis="device"), Unknown("latency", 1.0, 3.0, relative=False))


def test_a_flip_is_the_cut_that_tells_best_when_another_choice_wins():
    rng = np.random.default_rng(3)
    rate, latency = rng.uniform(-0.1, 0.1, 4000), rng.uniform(1.0, 3.0, 4000)
    winners = np.where(latency > 2.4, "B", "A")
    flip = flip_of(Problem, [Drawn(0, "A", rate), Drawn(1, "", latency)], winners)
    assert (flip.unknown, flip.part, flip.above, flip.winner) == ("latency", "", True, "B")
    assert flip.value == pytest.approx(2.4, abs=0.01)
    assert (flip.share, flip.elsewhere) == (1.0, 0.0)
    assert flip.side == pytest.approx(0.3, abs=0.03)
    below = flip_of(Problem, [Drawn(0, "A", rate)], np.where(rate < -0.05, "B", "A"))
    assert (below.unknown, below.part, below.above) == ("rate", "A", False)
    assert below.value == pytest.approx(-0.05, abs=0.002)


def test_chance_alone_flips_nothing():
    rng = np.random.default_rng(4)
    winners = np.where(rng.random(4000) < 0.3, "B", "A")
    assert flip_of(Problem, [Drawn(1, "", rng.uniform(1.0, 3.0, 4000))], winners) is None
    assert flip_of(Problem, [Drawn(1, "", rng.uniform(1.0, 3.0, 4000))], np.full(4000, "A")) is None


def test_nothing_uncertain_is_not_called_sure(toy, dse):
    Path("toy.toml").write_text(STUDY)
    assert "not the same as being sure" in dse.good("run", "toy.toml").out


def test_what_limits_with_errors_leave_open_is_not_told_as_computed(three, dse):
    """The cheapest is another one in many draws, for its limit has an error; no row joins values of several designs."""
    limited = THREE.replace("power <= 18 kW", "time <= 5.5 s").replace('minimize = "time"', 'minimize = "nodes"')
    three.write_text(limited.replace("power = { error", "time = { error"))
    assert dse("run", "three.toml").code == 0
    run = Run.load("runs/three")
    sure = read_how_sure(run)
    assert sure.missing == ["power"]
    (cheapest,) = (decided for decided in sure.decided if decided.quantity == "power")
    open_ones = {choice.name for choice in cheapest.what if max(choice.values.values()) < 0.95}
    lines = {line.of: line for line in decision_lines(run, sure) if line.about == "lowest power"}
    assert open_ones & set(lines)
    for name in open_ones & set(lines):
        assert "no error known for power itself" in lines[name].odds
    if "as computed" in lines:
        assert len(open_ones) < len(cheapest.what)
    (row,) = (row for row in decision_table_of(run).rows if row.about == "lowest power")
    assert row.flip.startswith("no error known")
    for name, cell in row.cells.items():
        assert bool(cell.odds) == (name in open_ones)


def test_where_errors_of_laws_reach_billions_of_designs_no_time_is_spent_on_bounds():
    study = Study.load("exascale")
    products = study.space.products
    reached = sum(product.size for product in products if not product.name.startswith("accelerated"))
    assert designs_of_laws(uncertain_problem(study.compiled, study.unknowns.every)) == reached > 10**10
    plain = Study.load("hybrid-xeon-sp")
    assert designs_of_laws(uncertain_problem(plain.compiled, plain.unknowns.every)) == 0
