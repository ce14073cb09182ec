"""Systems beside the space on the page and in the figure: which, where, with what said of them, and only as text."""

import json
import math

import numpy as np
import pytest

from dse.api import Run
from dse.report.charts.figure import front_figure, front_view
from dse.report.html.tags import safe_json
from dse.report.record import references as module
from dse.report.record.collect import page_view
from dse.report.record.encode import encode_view
from dse.report.run_page.page import write_report

EVIL = "<script>alert(1)</script>"
HEAD = "name,width,part_power [W],meter [MW],source,synthetic\n"
MACHINES = HEAD + 'Near,2.5,6,14,a log,yes\nLost,3,,,a talk,no\nHeavy,4,10,150,"x, y",no\nFar,4000,40,,a tale,no\n'
GROUP = {"axes": {"machine": {"part": "machines.csv"}}, "measured": {"power": "meter"}}
PLAIN = {
    "constraints": ["width <= 3", "power <= 30 MW"],
    "also": ["score"],
    "question": "Which?",
    "source": "me",
}


@pytest.fixture(scope="module")
def beside(make_run):
    """Search the tiny space with machines beside it: the text of their catalogue, and changes of the study."""

    def run(machines=MACHINES, out=None, **changes):
        from pathlib import Path

        study = make_run(None, **PLAIN).study
        (Path(study.folder) / "machines.csv").write_text(machines, encoding="utf-8")
        return make_run(out, **{**PLAIN, "references": {"machines": GROUP}, **changes})

    return run


def section(run):
    return "".join(module.references_section(run))


# ---- the record of the page -----------------------------------------------------------------------------------------


def test_record(beside):
    run = beside()
    document = json.loads(safe_json(encode_view(page_view(run))))
    near, lost, heavy, far = document["references"]
    assert [one["name"] for one in document["references"]] == ["Near", "Lost", "Heavy", "Far"]
    assert near["values"] == {"power": 2.5 * 6e6 + 1000, "time": 1e-3 / 2.5, "score": 2.5 - 6, "width": 2.5}
    assert near["measured"] == {"power": 14e6}
    assert [one["feasible"] for one in document["references"]] == [True, None, False, False]
    assert heavy["constraints"] == [{"text": "width <= 3", "met": False}, {"text": "power <= 30 MW", "met": False}]
    assert lost["notes"] == ["no computed figure for power, score ('part_power' is empty)"]
    assert (near["synthetic"], far["synthetic"], far["extrapolated"]) == (True, False, "width")
    assert document["reference_units"] == {"power": "W", "time": "s", "score": "1", "width": "1"}
    assert document["references"][0]["command"] == ""  # a run in memory has no command
    assert len(document["objectives"][0]["front"]) > 0


def test_rows_are_designs_only(beside, make_run):
    """Nothing of the page but its own list changes."""
    with_them, without = (encode_view(page_view(run)) for run in (beside(), make_run(**PLAIN)))
    for document in (with_them, without):
        for key in ("references", "reference_units"):
            document.pop(key)
        lines = document["short"]["references"]
        assert document["short"]["rows"][3:] == [-1] * (len(lines) - 3)
        document["short"] = {key: told[:3] for key, told in document["short"].items()}
    assert with_them == without


def test_breakdowns(runs, tmp_path):
    """As `explain_reference` tells them, while there is room."""
    from dse.api import Study

    text = Study.load("hybrid-xeon-sp").text
    text += "[references.own.axes]\nnodes = { values = [3] }\ncores = { values = [7] }\n"
    text += 'frequency = { values = ["1.5 GHz"] }\n'
    run = Study.from_text(text, folder=tmp_path).run()
    (one,) = page_view(run).references
    told = run.explain_reference("own").as_dict()
    sums = {stack["quantity"]: stack for stack in one.stacks if stack["kind"] == "sum"}
    assert set(sums) == {item["quantity"] for item in told["breakdowns"]} != set()
    for item in told["breakdowns"]:
        assert sums[item["quantity"]]["parts"] == {part["quantity"]: part["value"] for part in item["parts"]}
        assert math.isclose(sum(sums[item["quantity"]]["parts"].values()), item["value"], rel_tol=1e-9)


def test_no_room_for_breakdowns(beside, monkeypatch):
    monkeypatch.setattr(module, "STACK_BYTES", 1)
    assert all(one.stacks == () for one in page_view(beside()).references)


def test_a_page_of_five_hundred_stays_small(beside, tmp_path):
    rows = "".join(
        f"machine number {i},{i % 7 + 1},{i % 11 + 1},{i + 1},a source of some length {i},no\n" for i in range(500)
    )
    run = beside(HEAD + rows)
    assert len(run.references) == 500
    assert write_report(run, tmp_path / "page.html").stat().st_size < 3e6


def test_without_the_study(beside, tmp_path):
    """What the run has kept is shown."""
    run = beside(out=tmp_path / "run")
    hashes = {**run.manifest.hashes, "table machines.csv": "0"}
    manifest = run.manifest.model_copy(update={"hashes": hashes})
    gone = Run(run.frontier, manifest, folder=run.folder, sample=run.sample)
    kept = page_view(gone).references
    assert [one.record for one in kept] == [one.record for one in page_view(run).references]
    assert section(gone) == section(run)


# ---- the table ------------------------------------------------------------------------------------------------------


def test_table(beside):
    text = section(beside())
    for told in (
        "<h2>Beside the space</h2>",
        "machines: systems that are no designs of the space. 3 of 4 have every objective",
        '<th scope="col" class="n">power [MW]</th>',
        '<button type="button" class="link" data-reference="0">Near</button>',
        '<td class="n"><b>15.00</b><div class="quiet" title="meter: a log">measured 14</div>'
        '<div class="quiet">computed +7.1\u00a0%</div></td>',
        '<span class="bad">breaks</span><ul><li><code>width &lt;= 3</code></li>'
        "<li><code>power &lt;= 30 MW</code></li></ul>",
        "<td>not known</td>",
        '<div class="warn">no computed figure for power, score (&#x27;part_power&#x27; is empty)</div>',
        '<div class="warn">extrapolated in width</div>',
        '<div class="warn">synthetic, no real system (machines.csv)</div>',
    ):
        assert told in text, told
    assert text.count("<tr>") == 5


def test_no_references(make_run, tmp_path):
    run = make_run(**PLAIN)
    assert section(run) == ""
    assert page_view(run).references == ()
    text = write_report(run, tmp_path / "page.html").read_text()
    assert "Beside the space" not in text


def test_hostile_texts_are_only_text(make_run, beside, tmp_path):
    """A name, a source, a constraint that look like markup."""
    machines = HEAD + f'{EVIL},2,6,14,"<img src=x onerror=alert(2)>",yes\n'
    run = beside(
        machines,
        constraints=[f"width <= {len(EVIL) - 20} or width == 4"],
        references={"machines": {**GROUP, "description": EVIL}},
    )
    page = write_report(run, tmp_path / "page.html").read_text()
    assert run.references[0]["name"] == EVIL
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</button>" in page
    assert "&lt;img src=x onerror=alert(2)&gt;" in page
    figure = front_figure(front_view(run))
    (trace,) = (one for one in figure.data if str(one.name).startswith("references"))
    assert trace.text[0] == "&lt;script&gt;alert(1)&lt;/script&gt;"
    assert "<script" not in trace.hovertext[0]


# ---- the figure -----------------------------------------------------------------------------------------------------


def test_figure(beside):
    """Those near the designs are drawn, with what they break; the others are named."""
    run = beside()
    view = front_view(run)
    assert view.references["name"].tolist() == ["Near", "Heavy"]
    assert view.references["met"].tolist() == [True, False]
    near = view.references.iloc[0]
    assert (near["x"], near["y"]) == pytest.approx((15.001, 0.4))
    assert near["text"].split("\n") == ["Near, beside the space", "power 15.00 MW", "time 0.4000 ms"]
    assert "breaks width <= 3" in view.references["text"].iloc[1]
    assert view.note.endswith("Outside the plotted range: Far. Not on these axes: Lost (no power).")
    names = [trace.name for trace in front_figure(view).data]
    assert names[-2:] == ["references (1)", "references, a constraint broken (1)"]
    assert [trace.marker.symbol for trace in front_figure(view).data][-2:] == ["diamond", "diamond-open"]


def test_figure_over_an_axis_and_what_else_is_shown(beside):
    view = front_view(beside(), "width", "score")
    assert dict(zip(view.references["name"], view.references["x"], strict=True))["Near"] == 2.5


def test_a_measured_value_stands_in(beside):
    machines = HEAD + "Only,2,,14,a log,no\n"
    view = front_view(beside(machines))
    assert view.references[["name", "x"]].to_numpy().tolist() == [["Only", 14.0]]


@pytest.mark.parametrize(
    ("value", "scale", "drawn", "near"),
    [
        (5.0, "linear", [2, 4], True),
        (6.0, "linear", [2, 4], True),
        (6.1, "linear", [2, 4], False),
        (-0.1, "linear", [2, 4], False),
        (1e4, "log", [1, 100], True),
        (1.1e4, "log", [1, 100], False),
        (0.0, "log", [1, 100], False),
        (7.9, "linear", [4], True),
        (8.1, "linear", [4], False),
        (1e99, "linear", [], True),
        (3.0, "linear", [2, math.nan, 4], True),
    ],
)
def test_near(value, scale, drawn, near):
    """At most as far from the designs as these are from each other."""
    from dse.report.charts.figure import _near

    assert _near(value, scale, np.array(drawn, dtype=float)) is near
