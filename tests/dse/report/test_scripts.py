"""The scripts of the page as they stand in the tree: readable, and built on what plotly promises."""

import json
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
REPORT = ROOT / "dse" / "report"
SCRIPTS = sorted(REPORT.glob("*.js"))
PRIVATE = re.compile(r"_full|\._[a-z]|__data__")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_private_field_of_plotly(script):
    """Such a field goes with any release: `layout`, `data`, events and the boxes of elements are public."""
    lines = script.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if PRIVATE.search(line)] == []


def test_private_fields_are_recognised():
    assert all(PRIVATE.search(text) for text in ("place._fullLayout", "axis._offset + 1", "group.__data__[0]"))


@pytest.mark.parametrize("file", [*SCRIPTS, *REPORT.glob("*.css"), *REPORT.glob("*.html")], ids=lambda path: path.name)
def test_no_line_is_longer_than_those_of_python(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [(number, line) for number, line in enumerate(lines, 1) if len(line) > 120] == []


def test_plotly_is_bounded_to_the_major_version_that_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (wanted,) = [text for text in project["dependencies"] if text.startswith("plotly")]
    major = int(version("plotly").split(".")[0])
    assert wanted == f"plotly>={major},<{major + 1}"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_R5_numbers_of_the_page_are_told_apart():
    """As in the terminal: more digits where different numbers look alike, nothing that is hardly there as nothing."""
    asked = """
        const write = text.writer([7, 7.00007, 7.00014, 2e5]), even = text.writer([7, 7.00007], false);
        console.log(JSON.stringify([
          [7, 7.00007, 7.00014].map(write), [7, 7.00007].map(even),
          [0, -5e-6, 5e-6, 0.02, 1].map(text.percent), [0, -5e-6, 5e-6, -0.02, 0.02].map(text.change),
          [1, 1.0001, 0.5].map(text.times),
        ]));"""
    script = (REPORT / "text.js").read_text(encoding="utf-8").split("// An element:")[0] + asked
    done = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        ["7", "7.00007", "7.00014"],
        ["7", "7"],
        ["0 %", "> −0.1 %", "< 0.1 %", "2.0 %", "100 %"],
        ["0 %", "> −0.1 %", "< +0.1 %", "−2.0 %", "+2.0 %"],
        ["1 ×", "≈1 ×", "0.500 ×"],
    ]
