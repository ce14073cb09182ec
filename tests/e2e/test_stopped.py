"""Runs that a budget or a signal ends before their time: what they tell, and how they go on."""

import json
import os
import signal
import subprocess
import sys

import pytest

from dse import Run, Study
from dse.search.account.stopping import BUDGET, Stop
from dse.search.bundles import bundles
from dse.search.evolve import evolve
from dse.search.schedule import share
from dse.search.schedule.share import Share
from dse.search.start.visited import Visited

IN_ROUNDS = ("--method", "bundles", "--budget", "1 h")


@pytest.fixture
def small(monkeypatch):
    """Rounds of one box, of two designs."""
    monkeypatch.setitem(bundles.BundleProduct.__init__.__kwdefaults__, "inner", 2)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 4)
    monkeypatch.setattr(share, "_TAKEN", 1)


@pytest.fixture
def looks(monkeypatch):
    """Lets every search stop after so many looks at a clock that nobody winds."""

    def after(count):
        left = [count]

        def reason(_):
            left[0] -= 1
            return BUDGET if left[0] < 0 else None

        monkeypatch.setattr(Stop, "reason", property(reason))

    return after


def signals(monkeypatch, at, *numbers):
    """Send this process signals in the round of some number."""
    done, plain = [0], Share.round

    def with_signals(self):
        done[0] += 1
        plain(self)
        if done[0] == at:
            for number in numbers:
                os.kill(os.getpid(), number)

    monkeypatch.setattr(Share, "round", with_signals)


def test_a_budget_until_done_gives_the_bytes_of_a_plain_run(toy, dse, small, looks):
    dse.good("run", "toy.toml", "--out", "plain", "--method", "bundles")
    looks(10**6)
    told = json.loads(dse.good("run", "toy.toml", "--out", "whole", *IN_ROUNDS, "--json").out)
    assert (told["exact"], told["headline"]) == (True, "exact")
    assert (told["certificate"]["stopped"], told["certificate"]["gap"]) == (None, None)
    assert (toy / "whole/frontier.parquet").read_bytes() == (toy / "plain/frontier.parquet").read_bytes()


def test_a_stopped_run_says_so_everywhere_and_goes_on(toy, dse, small, looks):
    plain = Study.load("toy.toml").run("plain", method="bundles")
    looks(2)
    shown = dse.good("run", "toy.toml", *IN_ROUNDS, "--report").out
    line = next(line for line in shown.splitlines() if line.startswith("stopped: within "))
    headline = line.partition(";")[0]
    assert "stopped by its budget, so that how far it came depends on the machine; the same command goes on" in shown
    assert "open: " in shown
    assert "exact:" not in shown
    run = Run.load("runs/toy")
    told = run.manifest.certificate
    assert (run.exact, run.stopped, run.headline, told.stopped) == (False, True, headline, "budget")
    assert set(told.gap) == {"cover", "open", "objectives", "proved"}
    assert set(told.gap["objectives"]) == {"time", "power"}
    assert headline in dse.good("show", "runs/toy").out
    document = json.loads(dse.good("show", "runs/toy", "--json").out)
    assert document["certificate"]["gap"] == told.as_dict()["gap"]
    page = (toy / "runs/toy/report.html").read_text(encoding="utf-8")
    assert "The best designs found so far" in page
    assert page.count(headline) >= 3
    assert "it is exact" not in page
    assert headline in dse.good("pick", "runs/toy").out
    assert f"NOT exact: {headline}" in " ".join(dse.good("compare", "runs/toy").out.split())
    assert "passed" in dse.good("verify", "runs/toy").out
    other = dse("run", "toy.toml", "--method", "exhaustive")
    assert (other.code, "method = bundles" in other.err) == (2, True)
    looks(2)
    again = Study.load("toy.toml").run("runs/toy", method="bundles", budget=3600.0)
    assert again.manifest.certificate.gap["open"]["designs"] < told.gap["open"]["designs"]
    looks(10**6)
    dse.good("run", "toy.toml", "--method", "bundles")
    assert Run.load("runs/toy").exact
    assert (toy / "runs/toy/frontier.parquet").read_bytes() == (toy / "plain/frontier.parquet").read_bytes()
    assert plain.exact


def test_nothing_found_yet_is_not_nothing_feasible(toy, dse, small, looks, monkeypatch):
    looks(0)
    told = dse("run", "toy.toml", *IN_ROUNDS, "--where", "time <= 3 s", "--report")
    assert told.code == 0
    assert "nothing feasible is found yet: the same command goes on" in told.out
    assert "stopped: no bound yet" in told.out
    (page,) = (toy / "runs").glob("*/report.html")
    assert "Nothing feasible is found yet" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_signal_ends_the_round_and_writes_the_run(number, code, toy, dse, small, monkeypatch):
    with monkeypatch.context() as patched:
        signals(patched, 2, number)
        told = dse("run", "toy.toml", *IN_ROUNDS)
    assert told.code == code
    assert "stopping at the end of this round; once more ends at once" in told.err
    certificate = Run.load("runs/toy").manifest.certificate
    assert (certificate.stopped, certificate.exact) == ("interrupt", False)
    assert "interrupted; the same command goes on" in told.out
    assert dse("run", "toy.toml", "--method", "bundles").code == 0
    assert Run.load("runs/toy").exact
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_signal_ends_it_at_once(toy, dse, small, monkeypatch):
    signals(monkeypatch, 2, signal.SIGINT, signal.SIGINT)
    told = dse("run", "toy.toml", *IN_ROUNDS)
    assert told.code == 130
    assert told.err.endswith("stopped; the same command goes on where it was\n")
    assert not (toy / "runs/toy/manifest.json").exists()


def test_without_a_budget_a_signal_ends_the_chunk(toy, dse, small, monkeypatch):
    monkeypatch.setitem(bundles.BundleProduct.__init__.__kwdefaults__, "chunk", 4)
    monkeypatch.setattr(bundles, "_FEWEST_BOXES", 8)
    plain, pieces = bundles.BundleProduct.run, []

    def run(self, piece, *given):
        pieces.append(piece)
        if len(pieces) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return plain(self, piece, *given)

    with monkeypatch.context() as patched:
        patched.setattr(bundles.BundleProduct, "run", run)
        told = dse("run", "toy.toml", "--method", "bundles")
    assert (told.code, len(pieces)) == (130, 1)
    assert "stopped: no bound yet" in told.out
    assert 'no bound yet: with --budget "60 s" the search goes on so that there is one' in told.out
    certificate = Run.load("runs/toy").manifest.certificate
    assert (certificate.gap["cover"], certificate.gap["proved"]) == (None, [])
    assert certificate.gap["open"]["designs"] > 0
    assert dse("run", "toy.toml", "--method", "bundles").code == 0
    assert Run.load("runs/toy").exact


KILLED = """
import os, signal, sys
from dse.cli.main import main
from dse.search.bundles import bundles
from dse.search.schedule import rounds, share
bundles.BundleProduct.__init__.__kwdefaults__["inner"] = 2
bundles._FEWEST_BOXES, share._TAKEN, rounds._BETWEEN = 4, 1, 0.0
done, plain = [0], share.Share.round
def round(self):
    done[0] += 1
    if done[0] == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    plain(self)
share.Share.round = round
main(sys.argv[1:])
"""


def test_what_was_killed_goes_on_from_what_was_stored_last(toy, dse, small, monkeypatch):
    command = ("run", "toy.toml", *IN_ROUNDS)
    killed = subprocess.run([sys.executable, "-c", KILLED, *command], check=False, capture_output=True, timeout=120)
    assert killed.returncode == -signal.SIGKILL
    assert "the run is not finished" in dse("show", "runs/toy").err
    kept, plain = [], Share.restore
    monkeypatch.setattr(Share, "restore", lambda self, state: (kept.append(state.rounds), plain(self, state)))
    result = Study.load("toy.toml").run("runs/toy", method="bundles")
    assert kept == [3]
    Study.load("toy.toml").run("plain", method="bundles")
    assert result.exact
    assert (toy / "runs/toy/frontier.parquet").read_bytes() == (toy / "plain/frontier.parquet").read_bytes()


def test_a_budget_is_no_part_of_what_a_run_is(toy, dse, small, looks):
    text = (toy / "toy.toml").read_text().replace('method = "auto"', 'method = "bundles"\nbudget = "2 min"')
    (toy / "toy.toml").write_text(text)
    looks(1)
    assert Study.load("toy.toml").run("out").stopped
    (toy / "toy.toml").write_text(text.replace('budget = "2 min"', 'budget = "3 min"'))
    looks(1)
    assert Study.load("toy.toml").run("out").stopped
    (toy / "toy.toml").write_text(text.replace('budget = "2 min"', ""))
    looks(10**6)
    assert Study.load("toy.toml").run("out").exact
    (toy / "toy.toml").write_text(text)
    assert Study.load("toy.toml").run("out").exact  # nothing is searched again
    assert Study.load("toy.toml").run("whole", budget="none").exact


def test_a_wrong_budget_is_refused(toy, dse):
    told = dse("run", "toy.toml", "--budget", "60")
    assert (told.code, "budget: " in told.err, "60 s" in told.err) == (2, True, True)
    (toy / "toy.toml").write_text((toy / "toy.toml").read_text().replace('method = "auto"', 'budget = "-1 s"'))
    told = dse("run", "toy.toml")
    assert (told.code, "toy.toml: search.budget: " in told.err) == (2, True)


def test_evolve_ends_by_its_budget_and_is_done_then(toy, dse, looks):
    looks(0)
    document = json.loads(dse.good("run", "toy.toml", "--method", "evolve", "--budget", "9 s", "--json").out)
    certificate = document["certificate"]
    assert (document["headline"], certificate["stopped"], certificate["gap"]) == ("no bound is known", "budget", None)
    assert certificate["evolution"]["ended"] == "budget"
    assert "what was found depends on the machine" in dse.good("show", "runs/toy").out
    assert not Run.load("runs/toy").stopped


def test_evolve_that_a_signal_stops_is_written_and_starts_anew(toy, dse, monkeypatch):
    plain, looked = Visited.look, []

    def look(self, numbers):
        looked.append(len(numbers))
        if len(looked) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return plain(self, numbers)

    monkeypatch.setattr(evolve, "_LEAST_POPULATION", 2)
    with monkeypatch.context() as patched:
        patched.setattr(Visited, "look", look)
        told = dse("run", "toy.toml", "--method", "evolve")
    assert told.code == 130
    assert "interrupted" in told.out
    run = Run.load("runs/toy")
    assert (run.manifest.certificate.stopped, run.stopped, run.headline) == ("interrupt", True, "no bound is known")
    told = dse.good("run", "toy.toml", "--method", "evolve")
    assert "it starts anew" in told.err
    assert Run.load("runs/toy").manifest.certificate.stopped is None
