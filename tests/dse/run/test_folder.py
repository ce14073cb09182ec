"""Run folders: nothing is overwritten, nothing is mixed, an unfinished run goes on, damage is told."""

import json
import os
import re
import sqlite3
import time

import pandas as pd
import pytest
from toy import STUDY, edited

from dse import Run, Study
from dse.run.disk.ledger import BlockLedger
from dse.search.plan import worker

LARGE = edited(
    STUDY,
    ("powers_of_two = [1, 64]", "range = [1, 500]"),
    ('values = ["1 GHz", "2 GHz"]', 'linspace = ["0.5 GHz", "3 GHz", 600]'),
    ("20 kW", "200 kW"),
    (
        "[search]",
        "".join(
            f'[space.alternatives.{name}]\nset = {{ base_power = "{watt} W" }}\n'
            for name, watt in zip("abcd", (90, 80, 70, 60), strict=True)
        )
        + "[search]",
    ),
)
FILES = {"trust.json", "manifest.json", "frontier.parquet", "progress.sqlite", "designs"}
KEEP = "another --name or --out, or --fresh (keeps the old run in .old)"


def snapshot(folder):
    """Every file below a folder with its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_second_run_is_instant_and_changes_nothing(toy, dse):
    dse.good("run", "toy.toml")
    before = snapshot(toy / "runs/toy")
    assert {name.split("/")[0] for name in before} == FILES
    start = time.process_time()
    again = dse.good("run", "toy.toml", "--json")
    assert time.process_time() - start < 0.5
    assert snapshot(toy / "runs/toy") == before
    assert again.json["frontier"] == dse.good("show", "runs/toy", "--json").json["frontier"]
    assert [p.name for p in (toy / "runs").iterdir()] == ["toy"]


def test_two_runs_have_the_same_frontier_bytes(toy, dse):
    dse.good("run", "toy.toml", "--out", "a")
    dse.good("run", "toy.toml", "--out", "deep/er/b")
    assert (toy / "a/frontier.parquet").read_bytes() == (toy / "deep/er/b/frontier.parquet").read_bytes()


def test_another_study_in_the_folder_is_refused(toy, dse):
    dse.good("run", "toy.toml")
    before = snapshot(toy / "runs/toy")
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "10 kW")))
    told = f"error: runs/toy: the folder holds the finished run of a study that differs in: study; allowed: {KEEP}\n"
    assert dse("run", "toy.toml") == (2, "", told)
    (toy / "toy.toml").write_text(STUDY)
    model = (toy / "model.py").read_text()
    (toy / "model.py").write_text(model + "# changed\n")
    told = told.replace("in: study;", "in: model model.py;")
    assert dse("run", "toy.toml") == (2, "", told)
    assert dse("verify", "runs/toy") == (
        2,
        "",
        "error: runs/toy: changed since the run: model model.py; its designs cannot be evaluated as they were; "
        "allowed: run the study again\n",
    )
    assert dse.good("show", "runs/toy").out  # what was found can still be read
    (toy / "model.py").write_text(model)
    told = (
        "error: runs/toy: the run there was made with method = auto, count_infeasible = False, not method = bundles, "
        f"count_infeasible = False; allowed: the same options, {KEEP}\n"
    )
    assert dse("run", "toy.toml", "--method", "bundles") == (2, "", told)
    assert snapshot(toy / "runs/toy") == before


def test_fresh_keeps_the_old_run(toy, dse):
    dse.good("run", "toy.toml")
    before = snapshot(toy / "runs/toy")
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "1 kW")))
    dse.good("run", "toy.toml", "--fresh")
    dse.good("run", "toy.toml", "--fresh")
    assert sorted(p.name for p in (toy / "runs").iterdir()) == [".old", "toy"]
    assert sorted(p.name for p in (toy / "runs/.old").iterdir()) == ["toy-1", "toy-2"]
    assert snapshot(toy / "runs/.old/toy-1") == before
    assert Run.load(toy / "runs/toy").manifest.constraints == ["power <= 1 kW"]
    assert Run.load(toy / "runs/.old/toy-1").manifest.constraints == ["power <= 20 kW"]


def test_places_that_are_no_run_folder(toy, dse):
    (toy / "other").mkdir()
    (toy / "other/notes.txt").write_text("mine")
    told = "error: other: the folder holds other files; allowed: a new folder, or one of a run\n"
    assert dse("run", "toy.toml", "--out", "other") == (2, "", told)
    assert dse("run", "toy.toml", "--out", "other", "--fresh") == (2, "", told)
    assert (toy / "other/notes.txt").read_text() == "mine"
    for more in ([], ["--fresh"]):
        result = dse("run", "toy.toml", "--out", "model.py", *more)
        assert result == (2, "", "error: model.py: is a file; allowed: a folder\n")
    result = dse("run", "toy.toml", "--out", "model.py/x")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: model.py/x: cannot be written: ")
    (toy / "empty").mkdir()
    dse.good("run", "toy.toml", "--out", "empty", "--fresh")
    assert sorted(p.name for p in toy.glob("empty*")) == ["empty"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(toy, dse):
    (toy / "shut").mkdir(mode=0o500)
    told = "error: shut/a: cannot be written: Permission denied\n"
    assert dse("run", "toy.toml", "--out", "shut/a") == (2, "", told)


def test_no_run(toy, dse):
    dse.good("run", "toy.toml")
    for command in (["show"], ["report"], ["verify"], ["explain"], ["pick", "--min", "time"]):
        told = "error: runs/toi: there is no run in this folder; allowed: runs/toy; did you mean 'runs/toy'?\n"
        assert dse(*command, "runs/toi") == (2, "", told)


class Killed(BaseException):
    """The process dies."""


def killed_after(monkeypatch, chunks):
    """Make a run die when so many chunks are stored."""
    store, count = BlockLedger.store, [0]

    def dying(self, chunk, result):
        if count[0] == chunks:
            raise Killed
        count[0] += 1
        store(self, chunk, result)

    monkeypatch.setattr(BlockLedger, "store", dying)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exhaustive", "bundles"])
def test_a_killed_run_goes_on(toy, dse, monkeypatch, method):
    """The same command does the missing chunks only, and gives the bytes of a run that was never killed."""
    (toy / "toy.toml").write_text(LARGE)
    study = Study.load("toy.toml")
    whole = study.run("whole", method=method)
    searched = []
    run = worker.Worker.run
    monkeypatch.setattr(
        worker.Worker, "run", lambda self, chunk, *rest: searched.append(chunk) or run(self, chunk, *rest)
    )
    study.run("again", method=method)
    chunks = list(searched)
    assert len(chunks) >= 3
    with monkeypatch.context() as patch:
        killed_after(patch, len(chunks) // 2)
        with pytest.raises(Killed):
            study.run("killed", method=method)
    told = "error: killed: the run is not finished; the same 'dse run' command goes on with it\n"
    assert dse("show", "killed") == (2, "", told)
    (toy / "toy.toml").write_text(edited(LARGE, ("200 kW", "300 kW")))
    told = f"error: killed: the folder holds the unfinished run of a study that differs in: study; allowed: {KEEP}\n"
    assert dse("run", "toy.toml", "--out", "killed", "--method", method) == (2, "", told)
    (toy / "toy.toml").write_text(LARGE)
    other = {"exhaustive": "bundles", "bundles": "exhaustive"}[method]
    result = dse("run", "toy.toml", "--out", "killed", "--method", other)
    assert result.code == 2
    assert result.err.startswith(f"error: killed: the unfinished run there was started with method = {method}, ")
    searched.clear()
    dse.good("run", "toy.toml", "--out", "killed", "--method", method)
    assert searched == chunks[len(chunks) // 2 :]
    assert (toy / "killed/frontier.parquet").read_bytes() == (toy / "whole/frontier.parquet").read_bytes()
    manifests = [json.loads((toy / name / "manifest.json").read_text()) for name in ("killed", "whole")]
    assert manifests[0]["certificate"] == manifests[1]["certificate"]
    assert whole.frontier.equals(Run.load("killed").frontier)


def test_two_processes_at_one_folder(toy, dse, monkeypatch):
    with monkeypatch.context() as patch:
        killed_after(patch, 0)
        with pytest.raises(Killed):
            Study.load("toy.toml").run("busy")
    ledger = BlockLedger(toy / "busy/progress.sqlite")
    ledger.identity()
    told = "error: busy/progress.sqlite: another process is at work on this run\n"
    assert dse("run", "toy.toml", "--out", "busy") == (2, "", told)
    ledger.close()
    dse.good("run", "toy.toml", "--out", "busy")


def test_a_damaged_ledger(toy, dse, monkeypatch):
    with monkeypatch.context() as patch:
        killed_after(patch, 1)
        patch.setattr("dse.run.result.tables.frontier_table", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            Study.load("toy.toml").run("broken")
    base = sqlite3.connect(toy / "broken/progress.sqlite")
    base.execute("UPDATE chunks SET points = x'00'")
    base.commit()
    base.close()
    result = dse("run", "toy.toml", "--out", "broken")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: broken/progress.sqlite: the ledger of finished blocks cannot be used: ")
    assert result.err.endswith("; allowed: --fresh\n")
    (toy / "broken/progress.sqlite").write_bytes(b"no database at all" * 100)
    result = dse("run", "toy.toml", "--out", "broken")
    assert result == (
        2,
        "",
        "error: broken/progress.sqlite: the ledger of finished blocks cannot be used: file is not a database; "
        "allowed: --fresh\n",
    )
    dse.good("run", "toy.toml", "--out", "broken", "--fresh")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read: .+"),
        ("[]", "has another format than this version of dse writes; allowed: format 1"),
        ('{"format": 2}', "has another format than this version of dse writes; allowed: format 1"),
        ('{"format": 1}', "'name' is missing; the file is damaged"),
    ],
)
def test_a_damaged_manifest(toy, dse, text, message):
    dse.good("run", "toy.toml")
    (toy / "runs/toy/manifest.json").write_text(text)
    for command in (["show"], ["report"], ["verify"], ["explain"], ["pick", "--min", "time"]):
        result = dse(*command, "runs/toy")
        assert (result.code, result.out) == (2, "")
        assert re.fullmatch(f"error: runs/toy/manifest.json: {message}\n", result.err)
    assert dse("run", "toy.toml").code == 2


def test_a_damaged_frontier(toy, dse):
    dse.good("run", "toy.toml")
    file = toy / "runs/toy/frontier.parquet"
    pd.read_parquet(file).drop(columns="power").to_parquet(file)
    told = "error: runs/toy/frontier.parquet: the column 'power' is missing; the file is damaged\n"
    for command in (["show"], ["report"], ["verify"], ["explain"], ["pick", "--min", "time"]):
        assert dse(*command, "runs/toy") == (2, "", told)
    file.write_bytes(b"PAR1")
    result = dse("show", "runs/toy")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: runs/toy/frontier.parquet: cannot be read: ")
    file.unlink()
    assert dse("show", "runs/toy").code == 2


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_how_they_were_found(toy, dse):
    """One process or two, every design or bundles: the same file. The models are a user's own file."""
    (toy / "toy.toml").write_text(LARGE)
    ways = {
        "auto": [],
        "two": ["--jobs", "2", "--method", "exhaustive"],
        "every": ["--method", "exhaustive"],
        "bundles": ["--method", "bundles", "--jobs", "2"],
    }
    told = {name: dse.good("run", "toy.toml", "--json", "--out", name, *more).json for name, more in ways.items()}
    chosen = told[{"bundles": "bundles", "exhaustive": "every"}[told["auto"]["certificate"]["method"]]]
    assert told["every"]["certificate"]["evaluated"] == told["every"]["designs"] == 1_200_000
    assert told["bundles"]["evaluated"] < 1_200_000
    assert told["two"]["timings"]["jobs"] == 2
    assert told["two"]["certificate"] == told["every"]["certificate"]
    assert chosen["certificate"]["evaluated"] == told["auto"]["certificate"]["evaluated"]
    assert len({(toy / name / "frontier.parquet").read_bytes() for name in ways}) == 1
    assert len(told["auto"]["frontier"]) > 50
