"""The classes people use, above those of the floors below."""

import pickle

import pytest

import dse
import dse.run.result.run
import dse.study.study
from dse import Run, Study
from dse.errors import InputError

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
    assert issubclass(Run, dse.run.result.run.Run)


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
    from dse.run.execute.execute import run_study

    run = run_study(below, dse.run.result.run.Run)
    assert type(run) is dse.run.result.run.Run
    assert len(run.frontier) == 3
    assert not hasattr(run, "explain")


def test_picking(study):
    run = study.run()
    assert run.pick().rule.startswith("knee")
    assert run.pick().designs == run.pick(knee=True).designs
    assert run.pick(minimize="square").designs[0]["side"] == 1
    assert run.pick(maximize="side", where="square <= 4").designs[0]["side"] == 2
    assert run.pick(weights={"side": 9, "square": 1}).designs[0]["side"] == 3
    assert run.pick(order=["side", "square"], within=0.5).designs[0]["side"] == 2
    assert run.pick(maximize="square").searched_again, "it is minimised in the study"
    assert not run.pick(where=["square <= 0"]).found


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"minimize": "squre"}, "minimize: unknown quantity 'squre'; allowed: side, square; did you mean 'square'"),
        ({"maximize": "squre"}, "maximize: unknown quantity"),
        ({"where": "squre <= 1"}, "where: unknown quantity 'squre'"),
        ({"weights": {"squre": 1}}, "weights: 'squre' is no objective"),
        ({"order": "squre"}, "order: 'squre' is no objective"),
        ({"order": "side", "within": 2}, "within: the tolerance is 2"),
        ({"within": 0.1}, "within: goes with 'order' only"),
        ({"knee": True, "minimize": "side"}, "there are 2 rules: minimize and knee"),
    ],
)
def test_wrong_rules_name_the_argument(study, given, told):
    with pytest.raises(InputError) as caught:
        study.run().pick(**given)
    assert str(caught.value).startswith(told)


def test_comparing_runs_in_memory_and_on_disk(study, tmp_path):
    run, other = study.run(), study.with_(without={"side": 3}).run(tmp_path / "other")
    for one in (other, tmp_path / "other", str(tmp_path / "other")):
        comparison = run.compare(one)
        assert [summary["frontier"] for summary in comparison.runs] == [3, 2]
        assert [design["side"] for design in comparison.changes["left"]] == [3.0]
        assert comparison.changes["entered"] == []
    assert [summary["name"] for summary in run.compare(run, other).runs] == ["squares", "squares", other.name]


def test_the_report_of_a_run(study, tmp_path):
    assert study.run().report(tmp_path / "page.html").read_text().startswith("<!")
    assert study.run(tmp_path / "run").report() == tmp_path / "run" / "report.html"
    with pytest.raises(InputError, match="needs a path"):
        study.run().report()


def test_a_run_in_a_notebook_is_its_answer(study):
    """In words, with the short list; texts of a study are no HTML."""
    shown = study.edited(question="Is <b>three</b> & more enough?").run()._repr_html_()
    assert shown.startswith("<pre>&lt;Run of &#x27;squares&#x27;&gt;  exact")
    assert "<p><b>Is &lt;b&gt;three&lt;/b&gt; &amp; more enough?</b></p>" in shown
    assert "<b>lowest square</b>: 1, side 1 (A1)" in shown
    assert "<th>square</th><th>side</th><th>chosen</th>" in shown
    assert len(shown) < 4_000
    nothing = study.edited(constraints=["square <= 0"]).run()._repr_html_()
    assert "Nothing is feasible" in nothing
