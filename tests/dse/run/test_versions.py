"""What an unfinished run is tied to: the engine as it was."""

import shutil
from pathlib import Path

import pytest

import dse
from dse.run.disk import versions

ENGINE = Path(dse.__file__).parent
ABOVE = {"run", "analysis", "report", "live", "cli", "models", "spaces", "studies"}
FILES = sorted(
    str(file.relative_to(ENGINE))
    for file in ENGINE.rglob("*")
    if file.is_file() and file.suffix != ".pyc" and file.relative_to(ENGINE).parts[0] not in ABOVE
)
TOP = {"__init__.py", "__main__.py", "api.py", "measured.py", "py.typed", "testing.py"}


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the engine that the identity is taken of."""
    ignored = shutil.ignore_patterns(*ABOVE, "*.pyc")
    shutil.copytree(ENGINE, tmp_path / "dse", ignore=ignored, symlinks=True)
    (tmp_path / "dse/run").mkdir()
    monkeypatch.setattr(versions, "__file__", str(tmp_path / "dse/run/disk/versions.py"))
    return tmp_path / "dse"


def engine():
    versions.engine_identity.cache_clear()
    try:
        return versions.engine_identity()["engine"]
    finally:
        versions.engine_identity.cache_clear()


def test_every_file_below_the_run_counts(copy):
    """Each of the floors 0 to 6: a change of any of their files is another engine."""
    below = [file for file in FILES if file not in TOP]
    assert len(below) > 50
    before = engine()
    seen = {before}
    for name in below:
        text = (copy / name).read_bytes()
        (copy / name).write_bytes(text + b"\n")
        seen.add(engine())
        (copy / name).write_bytes(text)
    assert len(seen) == len(below) + 1
    assert engine() == before


def test_a_file_that_moves_is_another_engine(copy):
    before = engine()
    (copy / "search/frontier/archive.py").rename(copy / "search/frontier/store.py")
    assert engine() != before


def test_what_stands_above_does_not_count(copy):
    before = engine()
    for name in ("api.py", "__init__.py"):
        (copy / name).write_text("changed = 1\n")
    assert engine() == before
