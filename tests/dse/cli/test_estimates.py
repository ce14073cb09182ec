"""`dse check` and `dse run` say how long a search takes, before it begins."""

from __future__ import annotations

import json
import re

from toy import MODEL, edited

from dse.cli.commands.run import _note_duration
from dse.search.account.estimate import Estimate


def test_check_says_what_a_run_takes(toy, dse):
    told = dse.good("check", "toy.toml").out
    assert re.search(r"^a run takes about 0\.\d+ s, [\d\u202f]+ MiB$", told, re.MULTILINE)
    document = json.loads(dse.good("check", "toy.toml", "--json").out)
    estimate = document["estimate"]
    assert set(estimate) == {"seconds", "memory_bytes", "at_most", "hopeless", "measured_designs", "processes"}
    assert 0 < estimate["seconds"] < 60
    assert 1e7 < estimate["memory_bytes"] < 1e10
    assert estimate["measured_designs"] == document["designs"]
    assert estimate["hopeless"] is False


def test_run_says_on_one_line_that_it_takes_long(toy, dse, monkeypatch):
    assert "note: the search takes" not in dse.good("run", "toy.toml", "--out", "quick").err
    monkeypatch.setattr("dse.search.schedule.pieces._ESTIMATED_FROM", 1)
    monkeypatch.setattr("dse.search.account.estimate.LONG", 0.0)
    told = dse.good("run", "toy.toml", "--out", "long").err
    assert re.search(
        r"^note: the search takes about 0\.\d+ s, [\d\u202f]+ MiB; shorter by a further constraint, fewer values of "
        r"an axis or a larger step$",
        told,
        re.MULTILINE,
    )
    assert told.count("note: the search takes") == 1
    monkeypatch.setattr("dse.search.account.estimate.HOPELESS", 0.0)
    told = dse.good("run", "toy.toml", "--out", "hopeless", "--json")
    assert "; hopeless: make the space smaller by a further constraint, " in told.err
    assert json.loads(told.out)["exact"] is True


def test_check_passes_where_a_sample_meets_a_fault_and_says_which(toy, dse):
    """What was no error of `dse check` is none now: the run tells it."""
    mixing = edited(MODEL, ("return 0.1 * np.sqrt(nodes)", "return 0.0 * nodes + np.sum(nodes)"))
    (toy / "model.py").write_text(mixing)
    told = dse.good("check", "toy.toml").out
    assert "\nhow long a run takes is not known: model.torus_time" in told or "not known: model.network_time" in told
    assert json.loads(dse.good("check", "toy.toml", "--json").out)["estimate"] is None


def test_what_is_too_short_for_a_cluster_is_told(capsys):
    _note_duration(Estimate(12.0, None, False, 1, 1), cluster="tcp://there:1")
    assert capsys.readouterr().err == "note: one process takes about 12 s; a cluster pays from 10 min\n"
    _note_duration(Estimate(12.0, None, False, 1, 1))
    assert capsys.readouterr().err == ""
    _note_duration(Estimate(7_200.0, None, False, 1, 1), cluster="tcp://there:1")
    assert capsys.readouterr().err.startswith("note: the search takes about 2 hours; ")
