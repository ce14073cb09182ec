"""What only says how a run is shown is no content: nothing is searched again for it, and the run has the new words."""

import hashlib
import json

import pytest
from toy import STUDY, edited

from dse import Run, Study
from dse.errors import RunFolderError
from dse.run.disk.changes import changes_since
from dse.run.disk.folder import RunFolder
from dse.run.disk.seal import is_sealed
from dse.run.execute import execute

QUESTION = ("How many nodes?", "How many nodes, for whom?")
WORDS = "\n# a remark\n[labels]\ntime = 'time of the job'\n"


def test_other_words_search_nothing_again(toy, dse, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("searched again")

    Study.load("toy.toml").run("runs/toy")
    monkeypatch.setattr(execute, "search", refuse)
    folder = toy / "runs/toy"
    before = (folder / "frontier.parquet").stat().st_mtime_ns
    (toy / "toy.toml").write_text(edited(STUDY, QUESTION) + WORDS)
    printed = dse.good("run", "toy.toml").out
    assert "for whom?" in printed
    assert "lowest time of the job" in printed
    run = Run.load(folder)
    assert (run.manifest.question, run.label("time")) == (QUESTION[1], "time of the job")
    assert run.manifest.study_text == (toy / "toy.toml").read_text()
    assert is_sealed(run.manifest.digest, run.manifest.seal)
    assert (folder / "frontier.parquet").stat().st_mtime_ns == before
    assert "time of the job" in dse.good("show", "runs/toy").out
    assert changes_since(run.manifest) == []
    (toy / "toy.toml").write_text(edited(STUDY, ("20 kW", "10 kW")))
    assert changes_since(run.manifest) == ["changed since the run: toy.toml"]
    with pytest.raises(RunFolderError, match="differs in: study"):
        Study.load("toy.toml").run("runs/toy")


def test_a_run_of_somebody_else_is_not_sealed_by_it(toy):
    Study.load("toy.toml").run("run")
    folder = RunFolder("run")
    folder.write_manifest(folder.manifest(), sealed=False)
    assert folder.manifest().seal is None
    Study.from_text(edited(STUDY, QUESTION), folder=toy).run("run", accept_ledger=True)
    manifest = folder.manifest()
    assert (manifest.question, manifest.seal) == (QUESTION[1], None)


def test_a_run_of_an_older_version_has_the_hash_of_the_text(toy):
    """It is read, and used again for the same text."""
    study = Study.load("toy.toml")
    run = study.run("run")
    folder = RunFolder("run")
    older = {**run.manifest.hashes, "study": hashlib.sha256(STUDY.encode()).hexdigest()}
    assert older != run.manifest.hashes
    folder.write_manifest(run.manifest.model_copy(update={"hashes": older}), sealed=True)
    assert Run.load("run").study.space.size == study.space.size
    assert changes_since(folder.manifest()) == []
    Study.load("toy.toml").run("run")
    assert folder.manifest().hashes == older
    with pytest.raises(RunFolderError, match="differs in: study"):
        Study.from_text(edited(STUDY, ("20 kW", "10 kW")), folder=toy).run("run")


def test_a_folder_that_cannot_be_written_stays_as_it_is(toy, monkeypatch):
    Study.load("toy.toml").run("run")
    before = json.loads((toy / "run/manifest.json").read_text())

    def refuse(*args):
        raise RunFolderError("cannot be written")

    monkeypatch.setattr(RunFolder, "write", refuse)
    assert len(Study.from_text(edited(STUDY, QUESTION), folder=toy).run("run").frontier)
    assert json.loads((toy / "run/manifest.json").read_text()) == before


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (*QUESTION, True),
        ('name = "toy"', 'name   =  "toy" # a remark', True),
        ('also = ["network_time"]', 'also = ["network_time"]\nlabels = { time = "x" }', True),
        ('also = ["network_time"]', "also = []", False),
        ("work = 1e11", "work = 2e11", False),
        ('nodes = { powers_of_two = [1, 64] }\nfrequency = { values = ["1 GHz", "2 GHz"] }',
         'frequency = { values = ["1 GHz", "2 GHz"] }\nnodes = { powers_of_two = [1, 64] }', False),
    ],
)  # fmt: skip
def test_what_is_content(toy, old, new, same):
    one, other = Study.load("toy.toml"), Study.from_text(edited(STUDY, (old, new)), folder=toy)
    assert (one.hashes() == other.hashes()) is same
    assert (one.with_(set={"work": 3}).derived_from == other.with_(set={"work": 3}).derived_from) is same
