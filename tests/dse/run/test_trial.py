"""A random design of every alternative is evaluated before a run."""

import json

import pytest

from dse.run.describe.trial import random_designs

MODEL = '''
"""A model with a fault in one of its components."""
from dse import parameter, quantity

size = parameter(unit="1", doc="Size")


@quantity(unit="s", name="time", source="made up", slot="way", provider="good", default=True)
def good_time(size):
    """Time."""
    return 1.0 * size


@quantity(unit="s", name="time", source="made up", slot="way", provider="bad")
def bad_time(size):
    """Time."""
    scale = undefined_name
    return scale * size


@quantity(unit="s", name="time", source="made up", slot="way", provider="odd")
def odd_time(size):
    """Time."""
    return size / (size * 0.0)
'''
STUDY = """
name = "toy"
models = ["faulty.py"]
[[objectives]]
minimize = "time"
[space.axes]
size = { values = [1, 2, 3] }
[space.alternatives.first.use]
way = "good"
[space.alternatives.second.use]
way = "WAY"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty.py").write_text(MODEL)
    return tmp_path


@pytest.mark.parametrize(
    ("way", "message"),
    [
        (
            "bad",
            "a model is at fault: faulty.bad_time fails: NameError: name 'undefined_name' is not defined "
            "(faulty.py, line 17)",
        ),
        ("odd", "the objective 'time' of design "),
    ],
)
def test_a_formula_that_fails_in_any_alternative_shows_in_check(folder, dse, way, message):
    (folder / "toy.toml").write_text(STUDY.replace("WAY", way))
    result = dse("check", "toy.toml")
    assert (result.code, message in result.err) == (2, True)


def test_a_study_without_faults_says_what_was_tried(folder, dse):
    (folder / "toy.toml").write_text(STUDY.replace("WAY", "good"))
    assert "tried on a random design of each alternative: every formula gives a number" in dse("check", "toy.toml").out
    first, second = json.loads(dse("check", "toy.toml", "--json").out)["tried"]
    assert 0 <= first < 3 <= second < 6


def test_the_designs_are_one_of_each_alternative_and_the_same_each_time(folder):
    from dse.api import Study

    (folder / "toy.toml").write_text(STUDY.replace("WAY", "good"))
    problem = Study.load("toy.toml").compiled
    assert random_designs(problem) == random_designs(problem)
    assert [problem.space.rows_of(number)[0] for number in random_designs(problem)] == [0, 1]
