"""A ledger or a run that bears no seal of this user is not the answer: said, kept aside, searched anew."""

import json
import shutil
import sqlite3
import sys
from pathlib import Path

import pandas as pd
import pytest
from toy import forged

from dse import Run, Study
from dse.errors import RunFolderError
from dse.run.disk.folder import digest
from dse.run.disk.seal import is_sealed

sys.path.insert(0, str(Path(__file__).parents[3]))  # benchmarks/ is not part of the package

from benchmarks.attack.forged_folders import SPIKE, forge_ledger, unfinished

TWO = SPIKE.replace(
    "x = { range = [0, 1999] }\n",
    "",
).replace(
    "[search]",
    "[space.alternatives.low.axes]\nx = { range = [0, 1999] }\n"
    "[space.alternatives.high.axes]\nx = { range = [2000, 2999] }\n[search]",
)
"""The same in two alternatives, each of which is a block."""


@pytest.fixture
def spike(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SPIKE)
    return tmp_path


@pytest.fixture
def elsewhere(monkeypatch, spike):
    """Do something as another user, who has another key."""

    def do(action):
        with monkeypatch.context() as other:
            other.setenv("XDG_DATA_HOME", str(spike / "elsewhere"))
            return action()

    return do


def best(run):
    return float(run.frontier["t"].min())


def test_S1_a_forged_ledger_is_not_gone_on_with(spike, dse):
    dse.all = True
    dse.good("run", "s.toml", "--out", "there")
    genuine = (spike / "there/frontier.parquet").read_bytes()
    forge_ledger(spike / "there/progress.sqlite")
    unfinished(spike / "there")
    result = dse.good("run", "s.toml", "--out", "there", "--json")
    assert "finished blocks there bear no seal of this user: kept aside as .old/there-1, searched anew" in result.err
    assert result.json["exact"] is True
    assert result.json["frontier"][0]["t"] == pytest.approx(-82.2292)
    assert (spike / "there/frontier.parquet").read_bytes() == genuine
    assert (spike / ".old/there-1/progress.sqlite").is_file()
    assert dse.good("verify", "there").code == 0


def test_S1_an_accepted_ledger_is_named_and_never_called_exact(spike, dse):
    dse.good("run", "s.toml", "--out", "there")
    forge_ledger(spike / "there/progress.sqlite")
    unfinished(spike / "there")
    result = dse.good("run", "s.toml", "--out", "there", "--accept-ledger", "--json").json
    assert result["exact"] is False
    assert result["headline"] == "exact, as the accepted ledger says"
    blocks = sqlite3.connect(spike / "there/progress.sqlite").execute("SELECT COUNT(*) FROM chunks").fetchone()[0]
    assert result["certificate"]["accepted"] == {"blocks": blocks, "designs": 2_000_000}
    run = Run.load("there")
    assert not is_sealed(run.manifest.digest, run.manifest.seal)
    assert not run.exact
    for command in (["show", "there"], ["pick", "there", "--min", "t"], ["compare", "there"]):
        assert "exact, as the accepted ledger says" in dse.good(*command).out
    again = dse.good("run", "s.toml", "--out", "there", "--json")  # without the flag it is a stranger's again
    assert (again.json["exact"], best(Run.load("there"))) == (True, pytest.approx(-82.2292))


def test_S1_what_rests_on_accepted_blocks_is_not_sealed_either(spike):
    """A block that is searched after others were taken over starts from what they say."""
    (spike / "s.toml").write_text(TWO)
    study = Study.load("s.toml")
    study.run("there")
    base = sqlite3.connect(spike / "there/progress.sqlite")
    base.execute("UPDATE chunks SET seal = ''")
    base.execute("DELETE FROM chunks WHERE product = 0")
    base.commit()
    base.close()
    unfinished(spike / "there")
    study.run("there", accept_ledger=True)
    seals = sqlite3.connect(spike / "there/progress.sqlite").execute("SELECT seal FROM chunks").fetchall()
    assert {seal for (seal,) in seals} == {""}


def test_S1_blocks_of_this_user_are_gone_on_with_beside_those_of_others(spike, capsys):
    (spike / "s.toml").write_text(TWO)
    study = Study.load("s.toml")
    study.run("there")
    base = sqlite3.connect(spike / "there/progress.sqlite")
    (every,) = base.execute("SELECT COUNT(*) FROM chunks").fetchone()
    assert every > 1
    base.execute("UPDATE chunks SET seal = 'x' WHERE product = 0")
    base.commit()
    base.close()
    unfinished(spike / "there")
    run = study.run("there")
    assert f"note: there: 1 of {every} finished blocks bear no seal of this user: searched again\n" in (
        capsys.readouterr().err
    )
    assert run.exact
    assert best(run) == pytest.approx(-82.2292)


def test_S1_a_seal_of_another_study_is_none(spike):
    """The seal of a block is bound to its study, its options and the engine: no block of another run is taken over."""
    Study.load("s.toml").run("one")
    (spike / "s.toml").write_text(SPIKE.replace("86 *", "96 *"))
    Study.load("s.toml").run("two")
    base = sqlite3.connect(spike / "two/progress.sqlite")
    base.execute("ATTACH 'one/progress.sqlite' AS one")
    base.execute("DELETE FROM chunks")
    base.execute("INSERT INTO chunks SELECT * FROM one.chunks")
    base.commit()
    base.close()
    unfinished(spike / "two")
    run = Study.load("s.toml").run("two")
    assert best(run) == pytest.approx(-92.2292)
    assert (spike / ".old/two-1").is_dir()


def test_S1_open_boxes_of_somebody_else_are_not_gone_on_with(spike, elsewhere, capsys):
    study = Study.load("s.toml")
    elsewhere(lambda: study.run("there", method="bundles", budget=1e-9))
    run = study.run("there", method="bundles")
    assert "finished blocks there bear no seal of this user" in capsys.readouterr().err
    assert run.exact
    own = study.run("own", method="bundles", budget=1e-9)
    assert own.stopped
    assert study.run("own", method="bundles").exact
    assert capsys.readouterr().err == ""


def test_S1_evidence_is_that_of_the_run(spike, dse):
    dse.good("run", "s.toml", "--out", "there", "--method", "bundles")
    assert dse.good("verify", "there", "--proofs").code == 0
    base = sqlite3.connect(spike / "there/progress.sqlite")
    base.execute("DELETE FROM evidence")
    base.commit()
    base.close()
    result = dse("verify", "there", "--proofs")
    assert (result.code, result.out) == (2, "")
    assert "there/progress.sqlite: the evidence kept there cannot be read: it was changed after" in result.err


def stranger(spike, elsewhere):
    """A finished run of somebody else whose frontier lacks the best design, whole by every hash."""
    elsewhere(lambda: Study.load("s.toml").run("there"))
    file = spike / "there/frontier.parquet"
    frame = pd.read_parquet(file)
    frame.loc[0, ["design", "x", "y", "t"]] = [0, 0.0, 0.0, 3.0]
    frame = frame.astype({"design": "int64"})
    frame.to_parquet(file, index=False)
    forged(
        spike / "there",
        lambda manifest: manifest["files"].update({"frontier.parquet": digest(file)}),
    )
    return {path.name: path.read_bytes() for path in (spike / "there").iterdir() if path.is_file()}


def test_S2_a_finished_run_of_a_stranger_is_not_the_answer(spike, elsewhere, dse):
    before = stranger(spike, elsewhere)
    result = dse.good("run", "s.toml", "--out", "there", "--json")
    assert "note: there: the run there bears no seal of this user (made with dse " in result.err
    assert f", from {spike}): kept aside as .old/there-1, searched anew; --accept-ledger believes it\n" in result.err
    assert (result.json["exact"], result.json["folder"]) == (True, "there")
    assert result.json["frontier"][0]["t"] == pytest.approx(-82.2292)
    kept = spike / ".old/there-1"
    assert {path.name: path.read_bytes() for path in kept.iterdir() if path.is_file()} == before
    assert dse.good("run", "s.toml", "--out", "there").err == ""


def test_S2_what_a_stranger_says_is_shown_as_the_folder_says(spike, elsewhere, dse):
    stranger(spike, elsewhere)
    told = "exact, as the folder says"
    for arguments in (
        ["run", "s.toml", "--out", "there", "--accept-ledger"],
        ["show", "there"],
        ["pick", "there", "--min", "t"],
        ["compare", "there"],
    ):
        shown = dse.good(*arguments).out
        assert told in shown
        assert shown.count("exact") == shown.count(told)
    documents = [dse.good(*arguments, "--json").json for arguments in (
        ["run", "s.toml", "--out", "there", "--accept-ledger"], ["show", "there"]
    )]  # fmt: skip
    assert all(document["exact"] is False and document["headline"] == told for document in documents)
    assert "no seal of this user (made with dse " in dse.good("show", "there").out
    page = dse.good("report", "there", "--out", "page.html") and (spike / "page.html").read_text()
    assert told in page
    assert "it is exact" not in page


def test_S2_without_a_place_for_a_key_a_run_is_this_users_while_it_runs(spike, monkeypatch, dse):
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    assert dse.good("run", "s.toml", "--out", "there", "--json").json["exact"] is True
    assert dse.good("show", "there", "--json").json["exact"] is False


@pytest.mark.parametrize("name", ["trust.json", "progress.sqlite-wal", "designs"])
def test_S2_a_stranger_who_leaves_more_in_the_folder_changes_nothing(spike, dse, name):
    """A run of this user stays his, and what is written goes into its folder only."""
    dse.good("run", "s.toml", "--out", "there")
    (spike / "outside").mkdir()
    target = spike / "there" / name
    if name == "designs":
        shutil.rmtree(target)
        target.symlink_to(spike / "outside")
        (spike / "there/manifest.json").unlink()
        result = dse("run", "s.toml", "--out", "there")
        assert (result.code, "is a link out of the folder" in result.err) == (2, True)
    else:
        target.write_text(json.dumps({"certain": [1]}))
        dse("run", "s.toml", "--out", "there")
    assert not any((spike / "outside").iterdir())


def test_S1_a_ledger_with_triggers_is_refused(spike, dse):
    dse.good("run", "s.toml", "--out", "there")
    unfinished(spike / "there")
    base = sqlite3.connect(spike / "there/progress.sqlite")
    base.execute("CREATE TRIGGER slow AFTER INSERT ON chunks BEGIN SELECT 1; END")
    base.commit()
    base.close()
    result = dse("run", "s.toml", "--out", "there")
    assert result.code == 2
    assert "cannot be used: it holds a trigger 'slow'; allowed: --fresh" in result.err
    with pytest.raises(RunFolderError, match="it holds a trigger"):
        Study.load("s.toml").run("there")
