"""S6: a round over blocks ends when somebody is in a hurry, and what it left is gone on with."""

import numpy as np
from toy import STUDY, edited

from dse import Study
from dse.search.account.stopping import Stop
from dse.search.driver import SearchOptions, search
from dse.search.schedule import share

LARGE = edited(
    STUDY,
    ("powers_of_two = [1, 64]", "range = [1, 1000]"),
    ('values = ["1 GHz", "2 GHz"]', 'linspace = ["0.5 GHz", "3 GHz", 1500]'),
    ("20 kW", "200 kW"),
)


class Clock:
    """A clock that moves on by a second whenever it is looked at."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_S6_a_round_over_slow_blocks_ends_soon(toy):
    """A million designs were walked before anybody looked at the clock."""
    (toy / "toy.toml").write_text(LARGE)
    problem = Study.load("toy.toml").compiled
    found = search(problem, SearchOptions(method="exhaustive", budget=1.0), stop=Stop(clock=Clock()))
    account = found.certificate
    assert account.stopped == "budget"
    assert 0 < account.evaluated <= 2 * share._BETWEEN
    whole = search(problem, SearchOptions(method="exhaustive"))
    assert account.evaluated + account.gap["open"]["designs"] == whole.certificate.evaluated == 1_500_000


def test_S6_what_a_hurried_round_left_is_gone_on_with(toy):
    (toy / "toy.toml").write_text(LARGE)
    study = Study.load("toy.toml")
    study.run("half", method="exhaustive", stop=Stop(clock=Clock()), budget=1.0)
    study.run("half", method="exhaustive", stop=Stop(clock=Clock()), budget=3.0)
    study.run("half", method="exhaustive")
    study.run("whole", method="exhaustive")
    assert (toy / "half/frontier.parquet").read_bytes() == (toy / "whole/frontier.parquet").read_bytes()


def test_S6_the_check_of_a_short_search_is_short(toy):
    (toy / "toy.toml").write_text(LARGE)
    study = Study.load("toy.toml")
    short = study.run(method="exhaustive", stop=Stop(clock=Clock()), budget=1.0).manifest.certificate.checked
    whole = study.run(method="exhaustive").manifest.certificate.checked
    assert 9_000 < short["designs"] <= 10_000
    assert 90_000 < whole["designs"] <= 100_000
    assert np.isclose(short["feasible"] / short["designs"], whole["feasible"] / whole["designs"], atol=0.05)
