"""The answer in words: what is said of designs is what the frontier holds, and what weakens it is counted by hand."""

import json
import re

import pytest
from toy import MODEL, STUDY, edited

from dse import Run, Study
from dse.report.answer import answer_of, in_words
from dse.run.margins import LOOKED_AT

ERRING = MODEL.replace(
    'source="invented")\ndef power(', 'source="invented", error=RelativeError(0.5, of="nothing"))\ndef power('
).replace("import assumption,", "import RelativeError, assumption,")


@pytest.fixture
def run(toy):
    Study.load("toy.toml").run("run")
    return Run.load("run")


def texts(answer):
    return {sentence.about: sentence.text for sentence in answer.sentences}


def test_the_best_of_each_objective(run):
    answer, frame = answer_of(run), run.frontier
    found = texts(answer)
    for name in ("time", "power"):
        (sentence,) = (one for one in answer.best if one.about == f"lowest {name}")
        assert frame[name].iloc[sentence.row] == frame[name].min()
    nodes = int(frame["nodes"].iloc[answer.best[0].row])
    assert f"{nodes} nodes, frequency 2 GHz" in found["lowest time"]
    assert answer.design.about.startswith("the knee")
    assert f"{int(frame['nodes'].iloc[answer.design.row])} nodes" in answer.design.text


def test_the_tightest_limit_by_hand(run):
    """Power at most 20 kW; what is spared is the rest over 20 kW."""
    spare = (20e3 - run.frontier["power"]) / 20e3
    (limit,) = run.manifest.margins.limits
    assert limit.row == int(spare.argmin())
    assert limit.spare == pytest.approx(spare.min(), rel=1e-12)
    assert limit.constant
    assert f"{100 * spare.min():.2g} % to spare" in texts(answer_of(run))["tightest limit"]


def test_designs_at_the_edge_of_an_axis(run):
    """A tenth of them or more; 1 node is the least that there can be, so nobody is told to widen that."""
    edges = {(edge.axis, edge.end): edge for edge in run.manifest.margins.edges}
    frame = run.frontier
    assert edges["frequency", "most"].designs == (frame["frequency"] == 2e9).sum()
    assert ("nodes", "least") not in edges
    told = [one.text for one in answer_of(run).weakened_by if one.about == "edge of the space"]
    assert any(text.endswith("the most offered: what lies beyond was not looked at") for text in told)


def test_limits_met_by_less_than_the_error_of_the_model(toy):
    (toy / "model.py").write_text(ERRING)
    run = Study.load("toy.toml").run()
    (limit,) = run.manifest.margins.limits
    near = int((run.frontier["power"] > 10e3).sum())
    assert (limit.error, limit.within_error) == (0.5, near)
    assert near > 0
    assert texts(answer_of(run))["within the error"] == (
        f"{near} of {len(run.frontier)} designs meet power <= 20 kW by less than the model's error of 50 %"
    )


def test_what_is_extrapolated_is_counted(run):
    outside = int((run.frontier["extrapolated"] != "").sum())
    assert texts(answer_of(run))["extrapolated"].startswith(f"{outside} of {len(run.frontier)} designs are outside")


def test_of_a_long_frontier_some_are_looked_at(toy):
    text = edited(STUDY, ("{ powers_of_two = [1, 64] }", "{ range = [1, 30000], step = 1 }"))
    text = text.replace('constraints = ["power <= 20 kW"]', 'constraints = ["power <= 20 MW"]')
    text = text.replace('frequency = { values = ["1 GHz", "2 GHz"] }', 'frequency = { values = ["1 GHz"] }')
    run = Study.from_text(text.replace('network = "torus"', 'network = "tree"'), folder=toy).run()
    margins = run.manifest.margins
    assert margins.looked_at == min(len(run.frontier), LOOKED_AT)
    (limit,) = margins.limits
    assert limit.spare == pytest.approx((20e6 - run.frontier["power"].iloc[limit.row]) / 20e6, rel=1e-12)


def test_it_stands_last_in_the_terminal_first_on_the_page_and_in_json(run, dse):
    printed = dse.good("show", "run").out
    assert printed.index("answer: How many nodes?") > printed.index("exact: the frontier of the whole space")
    assert printed.rstrip().splitlines()[-1].startswith("  extrapolated: ")
    (document,) = [json.loads(dse.good("show", "run", "--json").out)]
    assert document["answer"] == answer_of(run).as_dict()
    dse.good("report", "run")
    page = (run.folder / "report.html").read_text()
    assert page.index('class="words"') < page.index('class="answer"') < page.index('id="plot"')
    assert re.search(r"The knee, where the frontier bends most \(row \d+\)\.", page)


def test_nothing_feasible_has_no_answer(toy, dse):
    (toy / "toy.toml").write_text(edited(STUDY, ("power <= 20 kW", "power <= 1 W")))
    result = dse("run", "toy.toml", "--json")
    assert (result.code, result.json["answer"]) == (1, None)


def test_a_run_without_margins_has_the_rest(run):
    """As those made before have."""
    older = Run(run.frontier, run.manifest.model_copy(update={"margins": None}))
    assert answer_of(older).best == answer_of(run).best
    assert "tightest limit" not in texts(answer_of(older))


def test_names_are_read_as_words():
    assert in_words("mix_time") == "mix time"
