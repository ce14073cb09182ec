"""The record of the page: which designs it shows, and what it says of them."""

import numpy as np
import pytest

from dse.api import Run
from dse.errors import RunFolderError
from dse.report.record import collect
from dse.report.record.collect import page_view

MISSING = "–"


def labels(axis):
    """The value of an axis for every row, as a person reads it."""
    known = list(axis.texts) if axis.texts is not None else (axis.values / axis.scale).tolist()
    return [*(known[code] if code < len(known) else MISSING for code in axis.codes)]


def test_rows(runs):
    """The frontier first, then the other designs of the space, each once."""
    run = runs("ska-correlator")
    view = page_view(run)
    assert view.numbers[:5].tolist() == run.frontier["design"].tolist()
    assert sorted(view.numbers.tolist()) == list(range(960))
    assert np.bincount(view.kinds).tolist() == [5, 31, 924]
    assert (view.violated[view.kinds == 2] == 0).all()
    assert (view.violated[view.kinds != 2] == -1).all()
    assert view.notes == ("All 960 designs of the space are on this page.",)
    assert view.complete
    assert view.alternatives == ("haswell-8-channels", "arm-8-channels", "arm-4-channels")
    assert view.command == f"dse explain {run.folder} --number"


def test_objectives(runs):
    """SI values of every row; ranks and the ends of the frontier; one display unit."""
    run = runs("ska-correlator")
    power, total = page_view(run).objectives
    assert (power.quantity, power.unit, power.shown, power.scale) == ("node_power", "W", "W", 1.0)
    assert (total.shown, total.scale) == ("MW", 1e6)
    assert total.values[:5].tolist() == run.frontier["total_power"].tolist()
    assert total.ranks.tolist() == [1, 2, 2, 2, 2]
    assert power.ranks.tolist() == [5, 1, 1, 1, 1]
    assert (total.best, total.worst) == (run.frontier["total_power"].min(), run.frontier["total_power"].max())


def test_ranks_of_a_maximised_objective(make_run):
    view = page_view(make_run(objectives=[{"minimize": "power"}, {"maximize": "score"}], constraints=[]))
    score = view.objectives[1]
    front = score.values[: len(score.ranks)]
    assert score.best == front.max()
    assert score.ranks[front.argmax()] == 1
    assert score.ranks[front.argmin()] == len(front)


@pytest.mark.parametrize("study", [True, False])
def test_axes_decode_to_the_parameters(runs, study):
    """With the study, of every design; without it, of the frontier."""
    run = runs("ska-correlator")
    if not study:
        run = without_study(run)
    view = page_view(run)
    names = [axis.name for axis in view.axes]
    assert names == ["alternative", "core_type", "cores", "frequency", "l3_bandwidth", "dram_bandwidth"]
    told = dict(zip(names, map(labels, view.axes), strict=True))
    space = runs("ska-correlator").study.space
    for row in range(len(view.numbers)) if study else range(5):
        real = space.parameters(int(view.numbers[row]))
        assert told["alternative"][row] == real["alternative"]
        assert told["core_type"][row] == real["core_type"]
        assert f"{told['frequency'][row]:.12g} GHz" == real["frequency"]
        assert f"{told['cores'][row]:.12g}" == real["cores"]


def without_study(run):
    other = Run(run.frontier, run.manifest, sample=run.sample, folder=run.folder)

    class Gone(Run):
        @property
        def study(self):
            raise RunFolderError("changed since the run: model x")

    other.__class__ = Gone
    return other


def test_without_the_study_there_are_no_details(runs):
    view = page_view(without_study(runs("ska-correlator")))
    assert view.details is None
    assert view.missing.startswith("No breakdown: changed since the run: model x")


def test_axes_of_other_alternatives_are_missing(make_run):
    """An axis with one value is shown when some alternatives lack it; part labels are texts."""
    part = {"part": {"part": "parts & <b>.csv"}}
    alternatives = {
        "one": {"axes": {"width": {"values": [1, 2]}}},
        "two": {"axes": {"overhead": {"values": ["5 W", "6 W"]}}, "set": {"width": 3}},
    }
    view = page_view(make_run(constraints=[], space={"axes": part, "alternatives": alternatives}))
    told = {axis.name: dict(zip(view.numbers.tolist(), labels(axis), strict=True)) for axis in view.axes}
    assert [told["overhead"][number] for number in range(8)] == [MISSING] * 4 + [5.0, 6.0] * 2
    assert [told["width"][number] for number in range(8)] == [1.0, 2.0, 1.0, 2.0] + [MISSING] * 4
    assert [told["alternative"][number] for number in range(8)] == ["one"] * 4 + ["two"] * 4
    assert told["part"][0].startswith("<script>")


def test_an_axis_with_one_value_is_left_out(make_run):
    view = page_view(
        make_run(constraints=[], space={"axes": {"width": {"values": [1, 2]}, "part_power": {"values": ["3 W"]}}})
    )
    assert [axis.name for axis in view.axes] == ["width"]


def test_picks(runs):
    """The knee and the best of each objective; each says in one line what it is."""
    run = runs("hybrid-xeon-sp")
    knee, fast, frugal = page_view(run).picks
    assert (knee.name, fast.name, frugal.name) == ("knee", "lowest run time", "lowest energy")
    assert fast.row == run.frontier["run_time"].argmin()
    assert frugal.row == run.frontier["energy"].argmin()
    scaled = run.frontier[["run_time", "energy"]]
    scaled = (scaled - scaled.min()) / (scaled.max() - scaled.min())
    assert knee.row == scaled.sum(axis=1).argmin()
    assert frugal.told == "the design with the lowest energy; of equal ones, the best in the rest"
    assert [pick.name for pick in page_view(runs("hybrid-xeon-sp")).picks] == [
        "knee",
        "lowest run time",
        "lowest energy",
    ]


def test_long_frontiers_are_thinned(make_run, monkeypatch):
    """Evenly; the designs that are proposed stay, with details; the others come without."""
    monkeypatch.setattr(collect, "FRONT", 40)
    monkeypatch.setattr(collect, "DETAILED", 10)
    axes = {"width": {"range": [1, 100]}, "part": {"part": "parts & <b>.csv"}}
    view = page_view(make_run(constraints=[], space={"axes": axes}))
    front = int((view.kinds == 0).sum())
    assert 30 <= front <= 40
    assert view.frontier == 100
    assert len(set(view.numbers.tolist())) == len(view.numbers) == front + 100  # no design of the frontier in the cloud
    assert view.details.rows == 10
    assert all(pick.row < 10 for pick in view.picks)
    assert view.notes[0].startswith(f"{front} of the 100 designs of the frontier are on this page.")
    assert view.missing.startswith("The page holds breakdowns of 10 of 100 designs of the frontier;")
    first = view.objectives[0].values[:front]
    assert {first.min(), first.max()} == {5.001e6, 500.001e6}


def test_room_for_the_cloud(make_run, monkeypatch):
    monkeypatch.setattr(collect, "ROWS", 60)
    axes = {"width": {"range": [1, 50]}, "part": {"part": "parts & <b>.csv"}}
    view = page_view(make_run(constraints=[], space={"axes": axes}))
    assert len(view.numbers) == 60
    assert not view.complete
    assert view.notes == ("Behind the frontier: a random sample of 10 of 100 designs.",)


def test_a_sample_without_the_violated_constraint(make_run):
    """Runs of an older version did not record it."""
    run = make_run()
    view = page_view(Run(run.frontier, run.manifest, study=run.study, sample=run.sample.drop(columns="violated")))
    assert (view.violated == -1).all()
    assert (view.kinds == 2).any()


def test_empty_frontier(make_run):
    view = page_view(make_run(constraints=["power <= 1 W"]))
    assert (view.kinds == 2).all()
    assert view.picks == ()
    assert view.details.rows == 8


def test_large_design_numbers(make_run):
    """Spaces beyond 2**53 designs: the numbers stay exact."""
    axes = {"width": {"range": [1, 10**6]}, "part": {"part": "parts & <b>.csv"}}
    run = make_run(constraints=["width <= 3"], space={"axes": axes})
    view = page_view(run)
    assert view.numbers.dtype == np.int64
    assert len(view.numbers) <= collect.ROWS
