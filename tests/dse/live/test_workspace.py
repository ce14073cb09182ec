"""Runs and studies by name: nothing outside the folder is read or written."""

import os

import pytest

from dse.errors import InputError
from dse.live.workspace import NOTE, Workspace

STUDY = 'name = "a"\nmodels = ["hybrid"]\nobjectives = [{ minimize = "time" }]\nquestion = "why?"\n'


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "work"
    for name in ("one", "two@nodes=4"):
        (root / "runs" / name).mkdir(parents=True)
        (root / "runs" / name / "manifest.json").write_text("{}")
    (root / "runs" / "no-run").mkdir()
    (root / "a.toml").write_text(STUDY)
    (root / "notes.toml").write_text("x = 1\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "manifest.json").write_text("{}")
    (outside / "b.toml").write_text(STUDY)
    (root / "runs" / "link").symlink_to(outside)
    (root / "link.toml").symlink_to(outside / "b.toml")
    return Workspace(root)


def test_the_runs_of_the_folder_are_listed(workspace):
    os.utime(workspace.runs / "one" / "manifest.json", (10**9, 10**9))
    assert workspace.run_names() == ["two@nodes=4", "one"]
    assert str(workspace.run("one")) == "runs/one"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../outside", "/etc", "link", "no-run", "one/..", "one/../../outside", "a\0b", "-x", "o" * 300],
)
def test_nothing_else_is_a_run(workspace, name):
    with pytest.raises(InputError, match="there is no run"):
        workspace.run(name)


def test_a_run_that_was_named_may_stand_elsewhere(workspace, tmp_path):
    outside = str(tmp_path / "outside")
    named = Workspace(workspace.root, runs=(outside,))
    assert str(named.run(outside)) == outside
    with pytest.raises(InputError):
        workspace.run(outside)


def test_notes_are_kept_and_removed(workspace):
    file = workspace.runs / "one" / NOTE
    workspace.note("one", " cheaper <b> \n")
    assert file.read_text() == "cheaper <b>\n"
    with pytest.raises(InputError, match="at most"):
        workspace.note("one", "x" * 2001)
    workspace.note("one", "")
    assert not file.exists()


def test_a_run_gets_another_name(workspace):
    assert workspace.rename("one", "three") == "three"
    assert workspace.run_names().count("three") == 1
    for bad in ("../three", "", ".hidden", "a/b", "a\0"):
        with pytest.raises(InputError, match="no name"):
            workspace.rename("three", bad)
    with pytest.raises(InputError, match="already"):
        workspace.rename("three", "two@nodes=4")


def test_studies_are_those_of_the_folder_and_of_dse(workspace):
    listed = workspace.studies()
    assert [entry["study"] for entry in listed if entry["own"]] == ["a.toml"]
    assert {"study": "a.toml", "question": "why?", "own": True} in listed
    assert any(entry["study"] == "ska-correlator" for entry in listed)
    assert workspace.study("a.toml") == "a.toml"
    assert workspace.study("ska-correlator") == "ska-correlator"


@pytest.mark.parametrize(
    "name", ["", "link.toml", "../outside/b.toml", "/etc/passwd", "runs", "a", "a.toml/", "ska-correlatr"]
)
def test_nothing_else_is_a_study(workspace, name):
    with pytest.raises(InputError, match="there is no study"):
        workspace.study(name)


def test_a_study_is_saved_where_nobody_has_changed_it(workspace):
    assert workspace.study_text("a.toml")["text"] == STUDY
    assert workspace.save_text("a.toml", STUDY + "# x\n", STUDY) == "a.toml"
    with pytest.raises(InputError, match="somebody else"):
        workspace.save_text("a.toml", "name = 1\n", STUDY)
    with pytest.raises(InputError, match="not valid TOML"):
        workspace.save_text("a.toml", "name = ", STUDY + "# x\n")
    assert (workspace.root / "a.toml").read_text() == STUDY + "# x\n"
    assert workspace.save_text("new.toml", STUDY, None) == "new.toml"
    for bad in ("../x.toml", "x.py", "link.toml", ".x.toml", "a/b.toml"):
        with pytest.raises(InputError):
            workspace.save_text(bad, STUDY, None)
