"""`dse run --method evolve` as people meet it: the words "no bound is known" wherever its designs are shown."""

import json

from toy import edited

from dse.run.disk.folder import begun_without_bound
from dse.run.disk.ledger import BlockLedger


def test_a_run_without_a_bound_says_so_everywhere(toy, dse):
    told = dse.good("run", "toy.toml", "--method", "evolve", "--evaluations", "8", "--report").out
    assert "NOT exact: no bound is known; " in told
    assert "the search: no bound is known: these are the best designs found" in told
    assert "evolve: " in told
    page = (toy / "runs/toy/report.html").read_text(encoding="utf-8")
    assert page.count("no bound is known") >= 3
    document = json.loads(dse.good("show", "runs/toy", "--json").out)
    certificate = document["certificate"]
    assert (certificate["method"], certificate["exact"]) == ("evolve", False)
    assert certificate["evaluated"] == certificate["evolution"]["evaluations"] <= 8
    assert {"generations", "restarts", "hypervolume", "seed"} <= set(certificate["evolution"])
    assert any("no bound is known" in json.dumps(line) for line in document["answer"]["weakened_by"])
    assert "passed" in dse.good("verify", "runs/toy").out
    assert "no bound is known" in dse.good("pick", "runs/toy").out
    assert "no bound is known" in dse.good("compare", "runs/toy").out
    frontier = (toy / "runs/toy/frontier.parquet").read_bytes()
    again = dse.good("run", "toy.toml", "--method", "evolve", "--evaluations", "8", "--out", "again")
    assert "anew" not in again.err
    assert (toy / "again/frontier.parquet").read_bytes() == frontier
    other = dse("run", "toy.toml", "--method", "evolve", "--evaluations", "9")
    assert other.code == 2
    assert "evaluations = 8" in other.err


def test_a_stopped_run_starts_anew_and_says_so(toy, dse, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("dse.search.schedule.generations.evolve", stopped)
        told = dse("run", "toy.toml", "--method", "evolve")
    assert told.code == 130
    assert told.err.endswith("stopped; the same command starts anew\n")
    assert begun_without_bound("runs/toy")
    told = dse.good("run", "toy.toml", "--method", "evolve")
    assert "runs/toy: an unfinished search by generations keeps nothing: it starts anew" in told.err
    assert not begun_without_bound("runs/toy")


def test_an_unfinished_exact_run_is_none_that_starts_anew(tmp_path):
    ledger = BlockLedger(tmp_path / "progress.sqlite")
    ledger.identify({"hashes": {}, "options": {"method": "auto"}, "engine": {}})
    ledger.close()
    assert not begun_without_bound(tmp_path)


def test_a_study_names_it_and_check_says_how_long_it_takes(toy, dse):
    text = edited((toy / "toy.toml").read_text(), ('method = "auto"', 'method = "evolve"\nevaluations = 5'))
    (toy / "toy.toml").write_text(text)
    estimate = json.loads(dse.good("check", "toy.toml", "--json").out)["estimate"]
    assert 0 < estimate["seconds"] < 5
    document = json.loads(dse.good("run", "toy.toml", "--json").out)
    assert document["evaluated"] <= 5
    assert document["certificate"]["evolution"]["ended"] in ("evaluations", "restarts")
    assert json.loads(dse.good("run", "toy.toml", "--method", "exhaustive", "--out", "x", "--json").out)["exact"]
