"""Digest and seal of a manifest: that it is whole, and that this user made it."""

import json
import os
import stat
from pathlib import Path

import pytest
from toy import forged

from dse import Run, Study
from dse.errors import RunFolderError
from dse.run.disk import seal


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Where this user's key will be."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home/dse"


def test_S1_the_key_is_made_once_and_this_user_alone_can_read_it(home):
    assert not home.exists()
    assert seal.is_sealed("d", "s") is False
    assert not home.exists(), "reading makes no key"
    made = seal.seal_of("d")
    assert len(made) == 64
    assert stat.S_IMODE((home / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [file.name for file in home.iterdir()] == ["key"]
    assert seal.seal_of("d") == made != seal.seal_of("e")
    assert seal.is_sealed("d", made)
    assert not seal.is_sealed("e", made)
    assert not seal.is_sealed("d", None)
    assert not seal.is_sealed("d", "é")
    (home / "key").unlink()
    assert seal.seal_of("d") != made


@pytest.mark.parametrize("fault", ["short", "open to others", "a link", "a pipe", "a folder"])
def test_S1_a_key_that_others_may_know_or_set_is_none(home, tmp_path, fault):
    made = seal.seal_of("d")
    key = home / "key"
    if fault == "open to others":
        key.chmod(0o640)
    else:
        data = key.read_bytes()
        key.unlink()
        (tmp_path / "other").write_bytes(data)
        (tmp_path / "other").chmod(0o600)
        if fault == "short":
            key.touch(0o600)
        elif fault == "a link":
            key.symlink_to(tmp_path / "other")
        elif fault == "a pipe":
            os.mkfifo(key, 0o600)
        else:
            key.mkdir(0o600)
    assert seal.seal_of("d") is None
    assert not seal.is_sealed("d", made)


@pytest.mark.parametrize("place", ["/dev/null/x", "not/absolute", None])
def test_S1_no_key_can_be_kept_no_seal(toy, dse, monkeypatch, place):
    """A machine without a home runs studies all the same; what runs their models again says the flag."""
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/dev/null")
    if place is not None:
        monkeypatch.setenv("XDG_DATA_HOME", place)
    dse.good("check", "toy.toml")
    dse.good("run", "toy.toml", "--report")
    assert "seal" not in json.loads((toy / "runs/toy/manifest.json").read_text())
    dse.good("show", "runs/toy")
    refused = dse("explain", "runs/toy")
    assert refused.code == 2
    assert "--allow-code" in refused.err
    dse.good("explain", "runs/toy", "--allow-code")


def test_R3_the_digest_is_the_last_key_but_the_seal(toy):
    run = Study.load("toy.toml").run("out")
    text = (toy / "out/manifest.json").read_text()
    document = json.loads(text)
    assert list(document)[-2:] == ["digest", "seal"]
    assert document["digest"] == seal.manifest_digest(document) == run.manifest.digest
    assert seal.is_sealed(document["digest"], document["seal"])
    canonical = {key: value for key, value in document.items() if key not in ("digest", "seal")}
    assert seal.manifest_digest(dict(reversed(canonical.items()))) == document["digest"]
    assert Run.load("out").manifest == run.manifest


def test_R3_any_change_of_the_manifest_is_found(toy):
    Study.load("toy.toml").run("out")
    file = toy / "out/manifest.json"
    document = json.loads(file.read_text())
    for key, value in (("name", "other"), ("question", ""), ("new", 1), ("seed", 1)):
        file.write_text(json.dumps({**document, key: value}))
        with pytest.raises(RunFolderError, match="was changed after the run wrote it; allowed: dse run --fresh"):
            Run.load("out")
    for key in ("synthetic", "constraints", "references", "files"):
        file.write_text(json.dumps({name: value for name, value in document.items() if name != key}))
        with pytest.raises(RunFolderError):
            Run.load("out")
    file.write_text(json.dumps({name: value for name, value in document.items() if name != "digest"}))
    with pytest.raises(RunFolderError, match="'digest' is missing"):
        Run.load("out")
    file.write_text(json.dumps({**document, "new": float("nan")}))
    with pytest.raises(RunFolderError, match="was changed after the run wrote it"):
        Run.load("out")
    file.write_text("[" * 100_000)
    with pytest.raises(RunFolderError, match="cannot be read"):
        Run.load("out")
    file.write_text(json.dumps(document, indent=3, sort_keys=True))
    assert Run.load("out").exact


def test_R3_tables_without_a_digest_are_not_read(toy):
    Study.load("toy.toml").run("out")
    forged(Path("out"), lambda manifest: manifest["files"].clear())
    with pytest.raises(RunFolderError, match=r"frontier\.parquet: was changed"):
        Run.load("out")
