"""The classes people use, above those of the floors below."""

import pickle

import pytest

import dse
import dse.run.run
import dse.study.study
from dse import Run, Study

DOCUMENT = {
    "name": "squares",
    "models": ["squares.py"],
    "objectives": [{"minimize": "square"}, {"maximize": "side"}],
    "space": {"axes": {"side": {"values": [1, 2, 3]}}},
}
MODEL = (
    "from dse import parameter, quantity\n\n"
    "side = parameter(unit='1', doc='Side')\n\n\n"
    "@quantity(unit='1', source='made up for a test')\n"
    "def square(side):\n    '''Area.'''\n    return side * side\n"
)


@pytest.fixture
def study(tmp_path):
    (tmp_path / "squares.py").write_text(MODEL)
    return Study(DOCUMENT, folder=tmp_path)


def test_the_public_names_are_these():
    assert dse.Study is dse.api.Study
    assert dse.Run is dse.api.Run
    assert issubclass(Study, dse.study.study.Study)
    assert issubclass(Run, dse.run.run.Run)


def test_a_run_that_was_read_gives_a_study_that_runs(study, tmp_path):
    """dse.Run.load(…).study.run(): each gives the class it was asked of."""
    study.run(tmp_path / "out")
    loaded = Run.load(tmp_path / "out")
    assert type(loaded) is Run
    assert type(loaded.study) is Study
    again = loaded.study.run()
    assert type(again) is Run
    assert again.frontier.equals(loaded.frontier)


def test_a_study_survives_the_way_to_a_worker(study):
    """With its class, so that what a worker makes can be asked the same."""
    copied = pickle.loads(pickle.dumps(study))
    assert type(copied) is Study
    assert copied.problem().space.size == 3


def test_an_edited_study_is_of_the_same_class(study):
    edited = study.edited(name="others", constraints=["square <= 4"])
    assert type(edited) is Study
    assert edited.run().frontier["side"].tolist() == [1.0, 2.0]


def test_the_floors_below_work_alone(study, tmp_path):
    """Without what stands above: a study that does not run, a run that does not explain."""
    below = dse.study.study.Study(DOCUMENT, folder=tmp_path)
    assert not hasattr(below, "run")
    from dse.run.execute import run_study

    run = run_study(below, dse.run.run.Run)
    assert type(run) is dse.run.run.Run
    assert len(run.frontier) == 3
    assert not hasattr(run, "explain")
