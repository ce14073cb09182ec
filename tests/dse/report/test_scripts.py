"""The scripts of the page as they stand in the tree: readable, and built on what plotly promises."""

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from dse.report.html.static_files import script_names

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "dse" / "report" / "static"
SCRIPTS = [STATIC / name for name in script_names()]
PRIVATE = re.compile(r"_full|\._[a-z]|__data__")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_private_field_of_plotly(script):
    """Such a field goes with any release: `layout`, `data`, events and the boxes of elements are public."""
    lines = script.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if PRIVATE.search(line)] == []


def test_the_manifest_names_every_file_once():
    """What is not named stands on no page and is linted by nobody."""
    manifest = json.loads((STATIC / "manifest.json").read_text(encoding="utf-8"))
    assert sorted(manifest["scripts"]) == sorted(str(path.relative_to(STATIC)) for path in STATIC.rglob("*.js"))
    named = {name for page in manifest["styles"].values() for name in page} | {*manifest["templates"].values()}
    there = {str(path.relative_to(STATIC)) for ending in ("css", "html") for path in STATIC.rglob(f"*.{ending}")}
    assert named == there


def test_private_fields_are_recognised():
    assert all(PRIVATE.search(text) for text in ("place._fullLayout", "axis._offset + 1", "group.__data__[0]"))


@pytest.mark.parametrize(
    "file", [*SCRIPTS, *STATIC.rglob("*.css"), *STATIC.rglob("*.html")], ids=lambda path: path.name
)
def test_no_line_is_longer_than_those_of_python(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [(number, line) for number, line in enumerate(lines, 1) if len(line) > 120] == []


def test_plotly_is_bounded_to_the_major_version_that_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (wanted,) = [text for text in project["dependencies"] if text.startswith("plotly")]
    major = int(version("plotly").split(".")[0])
    assert wanted == f"plotly>={major},<{major + 1}"
