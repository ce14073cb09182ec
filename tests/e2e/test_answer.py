"""The answer in words: what is said of designs is what the frontier holds, and what weakens it is counted by hand."""

import json
import re

import pytest
from toy import MODEL, STUDY, edited

from dse import Run, Study
from dse.errors import InputError
from dse.report.words.answer import answer_of
from dse.run.describe.margins import LOOKED_AT

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
    assert "edge of the space" not in texts(answer_of(run)), "both of two values are ends"
    three = Study.from_text(edited(STUDY, ('["1 GHz", "2 GHz"]', '["1 GHz", "1.5 GHz", "2 GHz"]')), folder=".").run()
    most = (three.frontier["frequency"] == 2e9).mean() > 0.5
    assert ("edge of the space" in texts(answer_of(three))) == most
    if most:
        assert texts(answer_of(three))["edge of the space"].endswith("was not looked at; add values above it")


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


def test_it_stands_last_in_the_terminal_below_the_plot_on_the_page_and_in_json(run, dse):
    printed = dse.good("show", "run").out
    assert printed.index("answer: How many nodes?") > printed.index("exact: the frontier of the whole space")
    assert printed.rstrip().splitlines()[-1].startswith("  extrapolated: ")
    again = dse.good("run", "toy.toml", "--out", "run").out
    assert again.index("\nreport: dse report run\n") < again.index("answer: How many nodes?")
    assert again.rstrip().splitlines()[-1] == printed.rstrip().splitlines()[-1]
    (document,) = [json.loads(dse.good("show", "run", "--json").out)]
    assert document["answer"] == answer_of(run).as_dict()
    dse.good("report", "run")
    page = (run.folder / "report.html").read_text()
    places = [page.index(text) for text in ('class="answer"', 'id="decision"', 'id="plot"', 'class="words"')]
    assert places == sorted(places)
    assert re.search(r"The knee, where the frontier bends most \(A\d+\)\.", page)


REAL = """name,nodes,frequency [GHz],meter [kW],source,confidence
Alpha,20,1.5,{},a log,high
"""
KNOWN = """name,frequency [GHz],validation,source
slow,1,,me
fast,2,"Alpha, Beta: measured at 0.9 of the law",you
"""
OF_PARTS = """
[references.machines]
description = "machines that exist"
axes = { machine = { part = "machines.csv" } }
measured = { power = "meter" }
"""


@pytest.mark.parametrize("meter", [1.0, 8.0])
def test_what_the_bias_of_a_part_would_cost(toy, meter):
    """Alpha draws more than is computed of it: designs with its part that would then break the limit are counted."""
    (toy / "machines.csv").write_text(REAL.format(meter))
    (toy / "known.csv").write_text(KNOWN)
    text = edited(STUDY, ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "known.csv" }'))
    run = Study.from_text(text + OF_PARTS, folder=toy).run()
    fast = run.frontier[run.frontier["clock"] == "fast"]
    ratio = meter * 1e3 / (20 * (100 + 1e-26 * 1.5e9**3))
    missing = int((fast["power"] * ratio > 20e3).sum())
    told = [one.text for one in answer_of(run).weakened_by if one.text.startswith("fast: ")]
    assert (missing > 0) is (meter == 8.0)
    assert told == (
        [
            f"fast: Alpha measured {100 * (ratio - 1):.3g} % above what is computed of it; with that, {missing} of its "
            f"{len(fast)} designs would miss power <= 20 kW"
        ]
        if missing
        else []
    )


# ---- the pick of the study ------------------------------------------------------------------------------------------


def answered(toy, pick):
    run = Study.from_text(STUDY + f"\n[answer]\npick = {pick}\n", folder=toy).run("picked", fresh=True)
    return run, answer_of(run)


@pytest.mark.parametrize(
    ("pick", "told", "best"),
    [
        ('{ minimize = "time", where = ["power <= 2 kW"] }', "least time where power <= 2 kW", ("time", 2e3)),
        ('{ minimize = "power", where = ["time <= 9 s"] }', "least power where time <= 9 s", ("power", 9.0)),
    ],
)
def test_the_study_names_the_design_to_begin_with(toy, dse, pick, told, best):
    run, answer = answered(toy, pick)
    quantity, limit = best
    frame = run.frontier
    within = frame[frame["power" if quantity == "time" else "time"] <= limit]
    assert 0 < len(within) < len(frame)
    assert answer.design.row == within[quantity].idxmin()
    assert answer.design.about == f"the study's pick, {told}"
    assert answer.best[0].about == "knee"
    (design,) = dse.good("pick", "picked", "--json").json["designs"]
    assert design["design"] == frame["design"].iloc[answer.design.row]
    assert "the study's pick" in dse.good("show", "picked").out
    knee = dse.good("pick", "picked", "--knee", "--json").json["designs"]
    assert knee[0]["design"] == frame["design"].iloc[answer.best[0].row]


def test_no_design_meets_the_pick(toy, dse):
    run, answer = answered(toy, '{ minimize = "time", where = ["power <= 1 W"] }')
    assert answer.design.about.startswith("the knee")
    assert answer.weakened_by[0] == ("the study's pick", "no design meets power <= 1 W", None, "")
    assert dse("pick", "picked").code == 1
    assert dse.good("pick", "picked", "--knee").out
    assert run.manifest.pick == {"minimize": "time", "where": ["power <= 1 W"]}


def test_a_pick_that_needs_a_search_says_so(toy, dse):
    """The least of what is no objective may lie off the frontier, as may what the frontier does not hold."""
    run, answer = answered(toy, '{ minimize = "network_time" }')
    fastest = run.frontier["network_time"]
    assert fastest.iloc[answer.design.row] == fastest.min()
    assert "others may beat it: dse pick picked searches" in answer.weakened_by[0].text
    assert dse.good("pick", "picked", "--json").json["searched_again"]
    _, answer = answered(toy, '{ minimize = "compute_time" }')
    assert answer.weakened_by[0].text.startswith("least compute time: the frontier does not hold compute_time; ")
    assert answer.design.about.startswith("the knee")


def test_a_pick_by_a_quantity_that_nothing_else_reads(toy, dse):
    run, answer = answered(toy, '{ minimize = "energy", where = ["energy >= 0 J"] }')
    assert answer.weakened_by[0].text.startswith(
        "least energy where energy >= 0 J: the frontier does not hold energy; "
    )
    (design,) = dse.good("pick", "picked", "--json").json["designs"]
    assert design["energy"] <= (run.frontier["power"] * run.frontier["time"]).min()


def test_without_a_rule_the_knee_is_picked(run, dse):
    assert dse.good("pick", "run", "--json").json == dse.good("pick", "run", "--knee", "--json").json
    limited = dse.good("pick", "run", "--where", "time <= 9 s", "--json").json
    assert limited == dse.good("pick", "run", "--knee", "--where", "time <= 9 s", "--json").json


@pytest.mark.parametrize(
    ("pick", "told"),
    [
        ("{}", "a pick has exactly one of minimize, maximize, knee, weights, order; found none"),
        ('{ knee = true, minimize = "time" }', "found minimize and knee"),
        ("{ knee = false }", "answer.pick.knee"),
        ('{ minimize = "tim" }', "answer.pick.minimize: unknown quantity 'tim'"),
        ('{ weights = { energy = 1 } }', "answer.pick.weights: 'energy' is no objective; allowed: time, power"),
        ("{ weights = { time = 0 } }", "one of the weights must be above 0"),
        ('{ order = ["time", "time"] }', "the order needs each of its objectives once"),
        ('{ knee = true, within = 0.1 }', "'within' goes with 'order' only"),
        ('{ knee = true, where = ["power <= 3 s"] }', "answer.pick.where[0]"),
        ('{ knee = true, where = ["power"] }', "answer.pick.where[0]: 'power' is no condition"),
    ],
)  # fmt: skip
def test_a_wrong_pick_is_refused_before_the_search(toy, pick, told):
    with pytest.raises(InputError, match=re.escape(told)):
        _ = Study.from_text(STUDY + f"\n[answer]\npick = {pick}\n", folder=toy).compiled


def test_a_pick_by_objectives_goes_with_them(toy):
    study = Study.from_text(STUDY + "\n[answer]\npick = { weights = { time = 1 } }\n", folder=toy)
    assert study.with_(minimize="energy").spec.answer.pick is None
    assert study.with_(set={"work": 1}).spec.answer.pick is not None


def test_nothing_feasible_has_no_answer(toy, dse):
    """All 14 designs draw more than 1 W, the least of them 110 W; what stands in the way is told, and how far."""
    (toy / "toy.toml").write_text(edited(STUDY, ("power <= 20 kW", "power <= 1 W")))
    result = dse("run", "toy.toml", "--json")
    assert (result.code, result.json["answer"]) == (1, None)
    out = dse("show", "runs/toy").out
    assert "of all designs looked at, 14 break power <= 1 W and no other constraint; the nearest misses it by" in out
    assert "10\u202f900 % (design 0)" in out
    assert "exact: no design of the whole space is feasible" in out
    assert "none beats it" not in out
    assert "checked: all 14 designs: none meets every constraint" in out
    dse.good("report", "runs/toy")
    page = (toy / "runs/toy/report.html").read_text()
    assert "Of all designs looked at, 14 break power &lt;= 1 W and no other constraint" in page


def test_the_constraint_that_most_break_alone(toy):
    """Of two that exclude each other: the one whose designs need least; here by hand over the whole space."""
    text = STUDY.replace('["power <= 20 kW"]', '["power <= 300 W", "time <= 4 s", "nodes >= 1"]')
    run = Study.from_text(text, folder=toy).run()
    assert len(run.frontier) == 0
    rows = [Study.from_text(STUDY, folder=toy).evaluate({"nodes": n, "frequency": f})
            for n in (1, 2, 4, 8, 16, 32, 64) for f in ("1 GHz", "2 GHz")]  # fmt: skip
    power = [row for row in rows if row["power"] > 300 and row["time"] <= 4]
    time = [row for row in rows if row["power"] <= 300 and row["time"] > 4]
    miss = run.manifest.nearest_miss
    assert len(power) > len(time)
    assert (miss.constraint, miss.designs, miss.alone) == ("power <= 300 W", len(power), True)
    assert miss.short == pytest.approx(min(row["power"] for row in power) / 300 - 1)
    both = Study.from_text(STUDY.replace('["power <= 20 kW"]', '["power <= 1 W", "time <= 1 ms"]'), folder=toy).run()
    assert (both.manifest.nearest_miss.alone, both.manifest.nearest_miss.designs) == (False, 14)


def test_a_run_without_margins_has_the_rest(run):
    """As those made before have."""
    older = Run(run.frontier, run.manifest.model_copy(update={"margins": None}))
    assert answer_of(older).best == answer_of(run).best
    assert "tightest limit" not in texts(answer_of(older))
