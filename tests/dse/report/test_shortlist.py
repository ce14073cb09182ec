"""The short list: the designs with a role, what tells them apart, what they share, and the best references."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest

from dse.analysis.explain.sensitivity import size_of
from dse.api import Run
from dse.errors import RunFolderError
from dse.report.record.collect import page_view
from dse.report.run_page.page import write_report
from dse.report.words.shortlist import Part, common_parts, parts_of, roles_of, shared_parts, short_list, varies

HEAD = "name,width,part_power [W],meter [MW],source,synthetic,confidence\n"
MACHINES = HEAD + (
    'Near,2.5,6,14,a log,no,high\nWide,3,9,30,a log,no,low\nLost,3,,,a talk,no,low\nHeavy,4,10,150,"x, y",no,low\n'
    "Tiny,0.5,1,1,a tale,no,low\n"
)
GROUP = {"axes": {"machine": {"part": "machines.csv"}}, "measured": {"power": "meter"}}


@pytest.fixture
def beside(make_run):
    def run(**changes):
        study = make_run(also=["score"]).study
        (Path(study.folder) / "machines.csv").write_text(MACHINES, encoding="utf-8")
        return make_run(**{"also": ["score"], "constraints": ["width >= 1", "width <= 3"], **changes})

    return run


def test_roles(runs):
    """The best of each objective are the rows with the least value, the knee that of the least scaled sum."""
    run = runs("hybrid-xeon-sp")
    knee, *best = roles_of(run)
    assert knee.name == "knee"
    for role, objective in zip(best, run.objectives, strict=True):
        values = run.frontier[objective["quantity"]]
        assert role.name == f"lowest {objective['quantity'].replace('_', ' ')}"
        assert values.iloc[role.row] == values.min()
    names = [o["quantity"] for o in run.objectives]
    scaled = run.frontier[names]
    scaled = ((scaled - scaled.min()) / (scaled.max() - scaled.min())).sum(axis=1)
    assert knee.row == int(scaled.to_numpy().argmin())


def test_lines(runs):
    """A design with several roles stands once; figures are those of the frontier."""
    run = runs("ska-correlator")
    found = short_list(run)
    assert [one.title for one in found.lines] == ["lowest node power", "lowest total power, knee"]
    assert [one.design for one in found.lines] == [842, 239]
    assert [one.equal for one in found.lines] == [3, 0]
    for one in found.lines:
        assert one.values["node_power"] == run.frontier["node_power"].iloc[one.row]
    assert [column.title for column in found.objectives] == ["node power [W]", "total power [MW]"]


def test_common_and_differing_parts(runs):
    """Together they are the choices of each design, and none is in both."""
    run = runs("ska-correlator")
    found = short_list(run)
    assert found.common == {"cores": Part("96")}
    assert "cores" not in found.differing
    for one in found.lines:
        assert set(one.parts) <= set(found.common) | set(found.differing)
        assert [one.parts] == parts_of(run, [one.row])


def test_one_design_shares_nothing(make_run):
    """With one objective there is one line, which tells everything."""
    found = short_list(make_run(objectives=[{"minimize": "power"}], constraints=[], also=["time"]))
    assert [one.title for one in found.lines] == ["lowest power"]
    assert found.common == {}
    assert set(found.differing) == {"width", "part"}


def test_nothing_in_common():
    assert common_parts([{"a": Part("1"), "b": Part("x", "low")}, {"a": Part("1"), "b": Part("x", "high")}]) == {
        "a": Part("1")
    }
    assert common_parts([{"a": Part("1")}, {}]) == {}
    assert common_parts([]) == {}


@pytest.mark.parametrize("name", ["ska-correlator", "ska-station", "hybrid-xeon-sp"])
def test_what_a_frontier_shares_is_what_is_common_to_its_rows(runs, name):
    run = runs(name)
    assert shared_parts(run) == common_parts(parts_of(run, range(len(run.frontier))))


@pytest.mark.parametrize(
    ("cells", "different"),
    [
        ([], False),
        ([1.0], False),
        ([1.0, 1.0 + 1e-15], True),
        ([math.nan, math.nan], False),
        ([math.nan, 1.0], True),
        ([1.0, math.nan], True),
        (["a", "a"], False),
        (["", "a"], True),
    ],
)
def test_rows_without_a_value_are_alike(cells, different):
    assert varies(pd.Series(cells)) is different


def test_one_row_shares_nothing_and_different_values_that_look_alike_are_not_shared(make_run):
    run = make_run(constraints=[])
    run.frontier = run.frontier.iloc[:2].assign(width=[2.0, 2.00001])
    (first, second) = parts_of(run, [0, 1])
    assert first["width"].text == second["width"].text
    assert "width" not in shared_parts(run)
    run.frontier = run.frontier.iloc[:1]
    assert shared_parts(run) == {}


def test_references(beside):
    """The best in each objective, of those that break no constraint; with their parameters and confidence."""
    run = beside(references={"machines": GROUP})
    found = [one for one in short_list(run).lines if one.reference >= 0]
    assert {one.name: one.title for one in found} == {
        "Near": "lowest power of machines",
        "Wide": "lowest time of machines",
    }
    values = {one["name"]: one["values"] for one in run.references}
    assert all(one.values["power"] == values[one.name]["power"] for one in found)
    assert found[0].broken == ()
    assert found[0].parts["machine"] == Part("Near", "high")
    assert all(one.row == -1 and one.design == -1 for one in found)


def test_references_that_all_break_a_constraint(beside):
    """Then the best of them stands there, with what it breaks."""
    run = beside(references={"machines": GROUP}, constraints=["width <= 3", "power <= 1 MW * 1000", "score <= -4"])
    allowed = [one["name"] for one in run.references if one["feasible"] is not False]
    found = [one for one in short_list(run).lines if one.reference >= 0]
    assert all((one.broken == ()) == (one.name in allowed) for one in found)


def test_empty(make_run):
    found = short_list(make_run(constraints=["power <= 1 W"]))
    assert found.lines == ()
    assert found.common == {}


def test_effects_are_those_of_the_sensitivities(runs):
    """Of designs of the list, the five largest on each objective, the largest first."""

    run = runs("ska-correlator")
    short = page_view(run).short
    for one, effects in zip(short.list.lines, short.effects, strict=True):
        known = run.study.sensitivities(one.design)
        for objective, listed in zip(run.objectives, effects, strict=True):
            name = objective["quantity"]
            sizes = sorted((size_of(row["effects"][name]) for row in known if name in row["effects"]), reverse=True)
            assert 0 < len(listed) <= 5
            felt = [max(abs(effect.elasticity), abs(effect.below or 0.0)) for effect in listed]
            assert felt == sizes[: len(listed)]


def test_rows_of_the_page(runs):
    run = runs("hybrid-xeon-sp")
    view = page_view(run)
    assert [int(view.numbers[row]) for row in view.short.rows] == [one.design for one in view.short.list.lines]


def test_a_run_whose_study_is_gone(runs, tmp_path, monkeypatch):
    """The list needs the frontier alone; what a percent would change is not known then."""

    def gone(self):
        raise RunFolderError("changed since the run")

    run = runs("ska-correlator")
    known = short_list(run)
    monkeypatch.setattr(Run, "study", property(gone))
    kept = Run(run.frontier, run.manifest, folder=tmp_path / "gone")
    assert short_list(kept) == known
    assert page_view(kept).short.effects == ((), ())


def test_hostile_texts_are_only_text(make_run, tmp_path):
    """Names of parts and quantities of the study stand escaped in the table."""
    page = write_report(make_run(), tmp_path / "page.html").read_text(encoding="utf-8")
    table = page[page.index('id="short"') : page.index('id="short-legend"')]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in table
    assert not re.search("<script|<img", table)
