"""Candidates by frontiers at sampled values: against all designs computed by hand, which shares no code with them."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.analysis.uncertainty.at_values import search_at_values, shared_alone
from dse.analysis.uncertainty.climb import climbed
from dse.analysis.uncertainty.sampled import sampled_candidates
from dse.analysis.uncertainty.tally import tally
from dse.evaluation.unknowns import uncertain_problem

MODEL = '''
from dse import parameter, quantity

rate = parameter(unit="flop/s", doc="Of a node.")
watts = parameter(unit="W", doc="Of a node.")
nodes = parameter(unit="1", doc="How many.")
links = parameter(unit="1", doc="Of a node.")
latency = parameter(unit="s", doc="Of a message.")
base = parameter(unit="W", doc="Of a link.")


@quantity(unit="s", source="made up for a test")
def time(rate, nodes, links, latency):
    """Work over rate, and messages."""
    return 4e13 / (rate * nodes) + 2e5 * latency * nodes**0.5 / links


@quantity(unit="W", source="made up for a test")
def power(watts, nodes, links, base):
    """Of nodes and links."""
    return nodes * (watts + base * links)
'''
STUDY = """
name = "shared"
question = "How many nodes?"
models = ["shared.py"]
constraints = ["power <= 12 kW"]

[[objectives]]
minimize = "time"

[[objectives]]
minimize = "power"

[set]
latency = "1 us"
base = "20 W"
watts = "300 W"

[space.axes]
rate = { values = ["400 Gflop/s", "500 Gflop/s"] }
nodes = { values = [8, 16, 24, 32, 40, 48] }
links = { values = [1, 2, 4, 8] }

[uncertain]
latency = { from = "0.3 us", to = "3 us" }
base = { from = "5 W", to = "60 W" }
watts = { within = "20 %" }
"""
GRID = list(product((4e11, 5e11), (8, 16, 24, 32, 40, 48), (1, 2, 4, 8)))


@pytest.fixture
def shared(toy):
    Path("shared.py").write_text(MODEL)
    Path("shared.toml").write_text(STUDY)
    study = Study.load("shared.toml")
    return study, uncertain_problem(study.compiled, study.unknowns.every)


def by_hand(latency, base, watts):
    """Time, power and whether the limit is met, of every design in its order."""
    rate, nodes, links = (np.array(column, dtype=float) for column in zip(*GRID, strict=True))
    time = 4e13 / (rate * nodes) + 2e5 * latency * nodes**0.5 / links
    power = nodes * (watts + base * links)
    return time, power, power <= 12e3


def frontier_by_hand(*values):
    time, power, met = by_hand(*values)
    return [
        here
        for here in range(len(GRID))
        if met[here]
        and not any(
            met[other]
            and time[other] <= time[here]
            and power[other] <= power[here]
            and (time[other], power[other]) != (time[here], power[here])
            for other in range(len(GRID))
        )
    ]


def drawn_for(unknown, values):
    """The values of each unknown by its place: watts is a deviation of 300 W."""
    columns = dict(zip(("latency", "base", "watts"), np.array(values).T, strict=True))
    columns["watts"] = columns["watts"] / 300.0 - 1.0
    return {place: columns[entry.quantity] for place, entry in enumerate(unknown.unknowns)}


def test_one_search_gives_the_frontier_at_every_value(shared):
    _, unknown = shared
    values = [(1e-6, 20.0, 300.0), (0.3e-6, 60.0, 250.0), (3e-6, 5.0, 350.0), (2.2e-6, 33.0, 241.0)]
    assert shared_alone(unknown) == {0}
    frontiers = search_at_values(unknown, [0], drawn_for(unknown, values))
    for place, own in enumerate(values):
        assert sorted(frontiers.numbers[frontiers.places == place].tolist()) == frontier_by_hand(*own)


def test_who_is_best_how_often_is_as_by_brute_force(shared):
    _, unknown = shared
    frontier = np.array(frontier_by_hand(1e-6, 20.0, 300.0))
    sampled = sampled_candidates(unknown, frontier)
    assert (sampled.asked, sampled.missed) == (24, 0)
    draws = 4000
    counted = tally(unknown, sampled.numbers, draws, 0)
    rng = np.random.default_rng(5)
    best = np.zeros((2, len(GRID)))
    for latency, base, watts in rng.uniform((0.3e-6, 5.0, 240.0), (3e-6, 60.0, 360.0), (draws, 3)):
        time, power, met = by_hand(latency, base, watts)
        # Of designs that are equal in one objective the one on the frontier is the best in the other.
        for place, (values, other) in enumerate(((time, power), (power, time))):
            best[place, np.lexsort((other, np.where(met, values, np.inf)))[0]] += 1.0 / draws
    for place in (0, 1):
        own = np.zeros(len(GRID))
        own[sampled.numbers] = counted.best[place]
        assert np.abs(own - best[place]).max() < 4.0 * np.sqrt(0.5 / draws)


def test_climbing_finds_what_one_axis_at_a_time_leads_to(shared):
    _, unknown = shared
    found = climbed(unknown, np.array([0]), [0], 3).numbers
    every = tally(unknown, np.arange(len(GRID)), 50, 3).best
    assert set(np.flatnonzero(every[0] > 0)) | set(np.flatnonzero(every[1] > 0)) <= set(found.tolist())
    assert climbed(unknown, np.array([0]), [], 3).numbers.tolist() == []
