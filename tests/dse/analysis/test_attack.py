"""A good frontier passes; one that was tampered with does not."""

import numpy as np
import pandas as pd
import pytest
from toy import forged

from dse import Run, Study
from dse.analysis.verify import attack
from dse.analysis.verify.attack import verify_frontier, verify_run
from dse.errors import RunFolderError
from dse.run.disk.folder import digest
from dse.study.file.headings import bundled_studies

# e2e/browser/test_exascale.py, models/test_exascale.py, models/facility/test_exascale_ownership.py
SEARCHED_ELSEWHERE = {"exascale", "exascale-collectives", "exascale-fine", "exascale-law", "exascale-ownership"}
# 1.2e10 designs of the same models, half a minute: models/test_exascale.py resolves it
SEARCHED_ELSEWHERE |= {"exascale-unbuilt"}
# models/training
SEARCHED_ELSEWHERE |= {"exascale-training", "training-cosmic", "training-exascale"}
# models/serving
SEARCHED_ELSEWHERE |= {"serving-together-or-apart"}
# Minutes each; models/codesign searches small spaces of the same models.
SEARCHED_ELSEWHERE |= {"codesign-cg", "codesign-graph500", "codesign-stencil"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(bundled_studies()) - SEARCHED_ELSEWHERE))
def test_the_runs_of_the_studies_pass(name):
    run = Study.load(name).run(trust=False)
    told = verify_run(run)
    assert told.passed is True
    assert told.whole_space is True
    assert told.random == run.study.space.size
    assert told.frontier == len(run.frontier)
    assert told.beaten_by == told.values_differ == told.infeasible == []
    assert verify_run(run, designs=10, seed=3).passed is True


@pytest.fixture
def run(tmp_path):
    Study.load("ska-correlator").run(tmp_path / "run")
    return Run.load(tmp_path / "run")


def changed(run, change):
    """The run with another frontier on disk, its digest with it."""
    file = run.folder / "frontier.parquet"
    frame = pd.read_parquet(file)
    change(frame).to_parquet(file, index=False)
    forged(run.folder, lambda manifest: manifest["files"].update({"frontier.parquet": digest(file)}))
    return Run.load(run.folder)


def row_of(run, number):
    """The row of the frontier as it would be with another design."""
    from dse.run.result.tables import frontier_table

    names = [o["quantity"] for o in run.objectives]
    (record,) = run.study.compiled.quantities([number])
    points = np.array([[np.asarray(record["values"][name]).reshape(-1)[0] for name in names]])
    return frontier_table(run.study.compiled, run.study.spec.also, np.array([number]), points)


@pytest.mark.parametrize("row", range(5))
def test_a_missing_row(run, row):
    missing = int(run.frontier["design"].iloc[row])
    told = verify_run(changed(run, lambda frame: frame.drop(index=row)))
    assert told.passed is False
    assert [d["design"] for d in told.beaten_by] == [missing]
    assert told.beaten_by[0]["parameters"] == run.study.space.parameters(missing)


def test_a_missing_row_is_found_among_the_neighbours(run):
    """Its neighbours tie with it, and all neighbours are thrown."""
    told = verify_run(changed(run, lambda frame: frame.drop(index=2)), designs=1)
    assert told.passed is False


def test_no_rows(run):
    told = verify_run(changed(run, lambda frame: frame.iloc[:0]))
    assert told.passed is False
    assert told.beaten_by_count == 5


@pytest.mark.parametrize(
    ("column", "factor"),
    [("node_power", 0.99), ("total_power", 1 + 1e-9), ("run_time", 2), ("frequency", 0.5), ("cores", 2)],
)
def test_a_changed_value(run, column, factor):
    def change(frame):
        frame.loc[1, column] *= factor
        return frame

    told = verify_run(changed(run, change))
    assert told.passed is False
    assert told.values_differ == [int(run.frontier["design"].iloc[1])]


@pytest.mark.parametrize("column", ["alternative", "core_type", "extrapolated"])
def test_a_changed_text(run, column):
    def change(frame):
        frame.loc[1, column] = "another"
        return frame

    told = verify_run(changed(run, change))
    assert (told.passed, told.values_differ) == (False, [int(run.frontier["design"].iloc[1])])


@pytest.mark.parametrize("column", ["node_power", "core_type"])
@pytest.mark.parametrize("row", [0, 1, 2, 4])
def test_a_changed_cell_is_found_in_whichever_piece_it_stands(run, column, row, monkeypatch):
    monkeypatch.setattr(attack, "_PIECE", 2)
    frame = run.frontier.copy()
    frame.loc[row, column] = "another" if column == "core_type" else frame.loc[row, column] * 2
    differs = attack._differs(run.study.compiled, frame, run.study.spec.also)
    assert np.flatnonzero(differs).tolist() == [row]


def test_a_mark_where_no_design_has_one_is_found():
    run = Study.load("graph500-262144-thesis").run(trust=False)
    (mark,) = run.study.compiled.marks
    assert mark not in run.frontier.columns
    told = verify_frontier(run.study.compiled, run.frontier.assign(**{mark: 0.0}))
    assert told.values_differ == []
    told = verify_frontier(run.study.compiled, run.frontier.assign(**{mark: [0.0, 0.0, 1.0, 0.0, 0.0]}))
    assert told.values_differ == [int(run.frontier["design"].iloc[2])]


def test_a_dominated_row(run):
    """A feasible design that another beats: 128 cores where 96 do."""
    worse = next(
        n["design"]
        for n in run.explain(0).neighbours
        if n["feasible"] and all(change > 0 for change in n["change"].values())
    )
    extra = row_of(run, worse)
    told = verify_run(changed(run, lambda frame: pd.concat([frame, extra])))
    assert told.passed is False
    assert told.values_differ == told.infeasible == []
    assert worse in [d["design"] for d in told.beaten_by]


def test_an_infeasible_row(run):
    told = verify_run(changed(run, lambda frame: pd.concat([frame, row_of(run, 0)])))
    assert told.passed is False
    assert told.infeasible == [0]


def test_a_row_that_stands_twice(run):
    told = verify_run(changed(run, lambda frame: pd.concat([frame, frame.iloc[[0]]])))
    assert told.passed is False
    assert told.values_differ == [int(run.frontier["design"].iloc[0])]


def test_a_design_that_does_not_exist(run):
    def change(frame):
        frame.loc[1, "design"] = 960
        return frame

    with pytest.raises(
        RunFolderError, match=r"frontier.parquet: there is no design 960 in the space; allowed: 0 to 959$"
    ):
        verify_run(changed(run, change))


def test_progress_is_told(run):
    told = []
    verify_run(run, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] >= 960
