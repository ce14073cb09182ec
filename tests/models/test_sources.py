"""The works that models cite."""

import csv
import re
from pathlib import Path

import pytest

import dse.models
from dse.models.sources import ANGHEL_2017, WORKS

MODELS = Path(str(dse.models.__file__)).parent
FIGURES = sorted(MODELS.rglob("claims/*.csv"))


def test_a_work_is_named_by_its_short_text():
    assert f"{ANGHEL_2017}, Table 7.3" == "Anghel 2017, Table 7.3"
    assert WORKS["Anghel 2017"] is ANGHEL_2017
    for short, work in WORKS.items():
        assert short == work.short
        assert work.authors or work.title
        assert work.year is None or str(work.year) in short


@pytest.mark.parametrize("file", FIGURES, ids=lambda file: file.relative_to(MODELS).as_posix())
def test_a_place_of_a_published_figure_is_in_a_work(file):
    """What has a section, a table or a page is a work; what we derived or ran ourselves has none."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["source"] for row in rows if row.get("place") or row.get("page")} <= set(WORKS)


def test_works_are_named_once():
    """A constant stands for each in the code of the families; texts of documentation may name them."""
    shorts = re.compile("|".join(f'= f?"[^"]*{re.escape(short)}' for short in WORKS))
    for file in MODELS.rglob("*.py"):
        if file.relative_to(MODELS).parts[0] != "sources.py":
            assert not shorts.findall(file.read_text(encoding="utf-8")), file
