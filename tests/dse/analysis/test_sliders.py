"""What is stored for the page: repeated by another program it gives the bits of the functions, or is refused."""

import json

import numpy as np
import pytest

from dse.analysis.uncertainty.sliders import sliders_of
from dse.api import Study
from dse.errors import RunFolderError
from dse.evaluation.affected import affected_designs
from dse.evaluation.unknowns import uncertain_problem
from dse.run.result.slider_file import read_sliders, write_sliders
from tests.slider_replay import replay

MODEL = '''
import numpy as np
from dse import assumption, lookup, parameter, quantity

nodes = parameter(unit="1", doc="Nodes", above=0)
watts = parameter(unit="W", doc="Power of a node", above=0)
peak = assumption(3.0, unit="1", source="invented", doc="Work a node does")
share = assumption(0.5, unit="1", source="invented", doc="Share of the peak")
link = assumption(2.0, unit="1", source="invented", doc="Speed of a link")
label = assumption(1.0, unit="1", source="invented", doc="Looked at by Python")

@quantity(unit="s", source="invented")
def time(nodes, watts, peak, share, link):
    """Time."""
    fast = np.interp(watts * share, [1.0, 4.0, 9.0], [1.0, 2.5, 3.0])
    hops = lookup(np.array([1.0, 2.0, 2.5, 4.0]), np.minimum(np.floor(nodes * share), 3.0))
    return 60.0 / (nodes * fast * peak) + np.where(nodes > 3.0 * share, hops, 0.5) / link

@quantity(unit="W", source="invented")
def power(nodes, watts, share):
    """Power."""
    return nodes * watts * (0.5 + share ** 2) + np.rint(nodes * share)

@quantity(unit="1", source="invented")
def mean(time, power):
    """Geometric mean."""
    return np.exp(0.5 * (np.log(time) + np.log(power)))

@quantity(unit="1", source="invented")
def drop(time, share):
    """A difference of an inexact value."""
    return np.exp(share) * time - 0.5 * time

@quantity(unit="s", source="invented")
def queue(time, label):
    """Time in a queue."""
    return time * (2.0 if label[0] > 0.5 else 1.0)
'''
UNCERTAIN = {
    "share": {"from": 0.3, "to": 0.7},
    "peak": {"within": "20 %"},
    "link": {"from": 1.0, "to": 4.0},
}


def study_of(folder, uncertain=UNCERTAIN, objectives=("time", "power"), **changes):
    (folder / "moved.py").write_text(MODEL, encoding="utf-8")
    return Study(
        {
            "name": "moved",
            "models": ["moved.py"],
            "objectives": [{"minimize": name} for name in objectives],
            "constraints": ["power <= 40 W"],
            "space": {
                "axes": {
                    "nodes": {"values": [1, 2, 3, 4, 5, 6, 7, 8]},
                    "watts": {"values": ["2 W", "3 W", "5 W", "7 W", "11 W"]},
                }
            },
            "uncertain": uncertain,
            **changes,
        },
        folder=folder,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moved")
    return study_of(folder).run(folder / "run")


@pytest.fixture(scope="module")
def sliders(run):
    return sliders_of(run, run.study.unknowns.every, 64, 0)


def test_repeated_steps_give_the_bits_of_the_functions_at_any_values(run, sliders):
    assert (sliders.refused, sliders.without) == ("", {})
    stored = json.loads(json.dumps(sliders.as_dict()))
    unknown = uncertain_problem(run.study.compiled, run.study.unknowns.every)
    numbers = np.array(sliders.candidates)
    low, high = (np.array([getattr(one, end) for one in sliders.unknowns]) for end in ("low", "high"))
    rng = np.random.default_rng(0)
    for share in [np.zeros(3), np.ones(3), *rng.random((30, 3))]:
        position = low + (high - low) * share
        found, met = replay(stored, position)
        for designs in affected_designs(unknown, numbers):
            drawn = {at: np.array([[value]]) for at, value in enumerate(position)}
            points, _, can, _ = designs.bounds(drawn)
            assert found[designs.positions].tobytes() == points[:, 0].tobytes()
            assert (met[designs.positions] == can[:, 0]).all()


def test_moved_values_give_the_frontier_of_a_whole_run(run, sliders):
    stored, seen = sliders.as_dict(), set()
    assert len(sliders.candidates) < run.study.space.size
    for share, peak, link in np.random.default_rng(1).uniform([0.3, -0.2, 1.0], [0.7, 0.2, 4.0], (8, 3)):
        values, met = replay(stored, [share, peak, link])
        beaten = (values[None, met] <= values[met][:, None]).all(-1) & (values[None, met] < values[met][:, None]).any(
            -1
        )
        mine = np.array(sliders.candidates)[met][~beaten.any(1)]
        settings = {"share": float(share), "peak": float(np.float64(3.0) * (1.0 + peak)), "link": float(link)}
        whole = run.study.with_(set=settings).run(trust=False)
        assert sorted(mine) == sorted(whole.frontier["design"])
        seen.add(tuple(mine))
    assert len(seen) > 1


def test_an_unknown_that_python_looks_at_has_no_slider_and_the_function_is_named(tmp_path):
    uncertain = {"share": {"from": 0.3, "to": 0.7}, "label": {"from": 0.6, "to": 2.0}}
    run = study_of(tmp_path, uncertain, ("queue", "power")).run(tmp_path / "run")
    found = sliders_of(run, run.study.unknowns.every, 4, 0)
    assert "queue" in found.without["label"]
    assert [one.name for one in found.unknowns] in (["share"], [])


def test_errors_of_single_designs_have_no_slider(tmp_path):
    run = study_of(tmp_path, {**UNCERTAIN, "time": {"error": "3 %"}}).run(tmp_path / "run")
    found = sliders_of(run, run.study.unknowns.every, 4, 0)
    assert found.without == {"time": "each design has its own"}
    assert [one.name for one in found.unknowns] == list(UNCERTAIN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"multiply"', '"eval"'),
        ('"rows":', '"row":'),
        ('"rows":', '"rows":1'),
        ('"inputs":[[', '"inputs":[[7,'),
        ('"constants":"', '"constants":"AAAA'),
        ('"objectives":[', '"objectives":[99999,'),
        ('"labels":[', '"labels":["x",'),
        ("{", "["),
    ],
)
def test_a_stored_file_that_says_something_else_is_refused(run, sliders, old, new):
    file = write_sliders(run, sliders)
    assert read_sliders(run) == sliders
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(RunFolderError, match="is damaged"):
        read_sliders(run)
    file.unlink()
