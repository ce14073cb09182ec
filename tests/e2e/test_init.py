"""`dse init`: every template and every copy of a study runs as it is, in seconds."""

import tomllib
from pathlib import Path

import pytest

from dse.cli.commands.files.init import TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_runs_as_it_is(dse, template):
    dse.good("init", "my-own.toml", "--template", template)
    assert 'name = "my-own"' in Path("my-own.toml").read_text()
    ran = dse.good("run", "my-own.toml", "--json").json
    assert ran["exact"] or ran["certificate"]["tolerance"], "within what the template says, and no less"
    assert len(ran["frontier"]) > 1
    assert ran["certificate"]["feasible"] < ran["designs"] <= 50_000, "its constraints bind, and it takes seconds"
    assert ran["timings"]["search_seconds"] < 20
    text = Path("my-own.toml").read_text()
    assert text.count("#") >= 5, "it is commented"
    assert "@NAME@" not in "".join(path.read_text() for path in Path().glob("*.*") if path.is_file())


def test_what_a_template_needs_stands_beside_it_and_nothing_is_overwritten(dse):
    told = dse.good("init", "disks.toml", "--template", "own-model", "--json").json
    assert told == {
        "file": "disks.toml",
        "name": "disks",
        "beside": ["disks.py"],
        "schemas": [".dse/study.schema.json"],
        "from": None,
        "template": "own-model",
    }
    Path("disks.toml").unlink()
    again = dse("init", "disks.toml", "--template", "own-model")
    assert again == (2, "", "error: disks.py: the file exists already; it is not overwritten; allowed: another name\n")
    assert not Path("disks.toml").exists()
    profile = dse.good("init", "mine.toml", "--template", "workload", "--json").json["beside"]
    assert profile == ["mine-profile.toml"]
    assert tomllib.loads(Path("mine-profile.toml").read_text())["synthetic"] is True


def test_what_is_not_there_is_refused_with_the_nearest(dse):
    assert dse("init", "x.toml", "--template", "netwrok").err.startswith("error: --template: ")
    assert dse("init", "x.toml", "--from", "ska-corelator").err.startswith("error: --from: ")
    assert dse("init", "x.toml", "--from", "ska-correlator", "--template", "network").code == 2
    assert not list(Path().glob("x*"))
    shown = dse.good("init", "--help").out
    assert all(name in shown for name in TEMPLATES)


def test_a_copy_of_a_shipped_study_gives_its_frontier(dse):
    dse.good("init", "copy.toml", "--from", "ska-correlator")
    ran = dse.good("run", "copy.toml", "--json").json
    own = dse.good("run", "ska-correlator", "--json").json
    assert (ran["name"], ran["folder"]) == ("copy", "runs/copy")
    assert ran["frontier"] == own["frontier"]


def test_a_copy_takes_along_what_stands_beside_a_study(dse, toy):
    Path("elsewhere").mkdir()
    told = dse.good("init", "elsewhere/mine.toml", "--from", "toy.toml")
    assert told.out.startswith("wrote elsewhere/mine.toml, and beside it elsewhere/model.py\n")
    assert Path("elsewhere/model.py").read_bytes() == Path("model.py").read_bytes()
    ran = dse.good("run", "elsewhere/mine.toml", "--json").json
    assert ran["frontier"] == dse.good("run", "toy.toml", "--json").json["frontier"]
