"""How sure the figures of a part are stands wherever the part does; parts that do not say look as before."""

import re

import pytest
from toy import STUDY, clock_of, edited, lines, plain, write_clocks

from dse.api import Run, Study
from dse.errors import InputError
from dse.report.record.collect import page_view
from dse.report.record.encode import encode_view

pytestmark = pytest.mark.slow

PARTS = """name,frequency [GHz],year,source,confidence
slow,1,2010,data sheet,high
fast,2,2020,a talk,low
odd,1.5,2015,a rumour,
"""
CLOCK = clock_of("sure.csv")


@pytest.fixture
def sure(toy):
    """The toy study with a catalogue that says how sure it is."""
    return write_clocks(toy, "sure.csv", PARTS)


def test_check(sure, dse):
    words = "clock 3 slow (confidence: high), fast (confidence: low), odd (confidence: not stated)"
    assert words in lines(dse.good("check", "toy.toml").out)
    nodes, clock = dse.good("check", "toy.toml", "--json").json["space"]["alternatives"][0]["axes"]
    assert (clock["shown"], clock["confidences"]) == (["slow", "fast", "odd"], ["high", "low", "not stated"])
    assert "confidences" not in nodes


def test_a_long_catalogue_has_a_confidence_for_each_part_that_is_named(sure, dse):
    rows = "".join(f"p{i},{i + 1},2010,me,{'low' if i else 'high'}\n" for i in range(20))
    (sure / "sure.csv").write_text("name,frequency [GHz],year,source,confidence\n" + rows)
    told = "p0 (confidence: high), p1 (confidence: low), p2 (confidence: low), …, p19 (confidence: low)"
    assert told in plain(dse.good("check", "toy.toml").out)


def test_run_and_show(sure, dse):
    run = dse.good("run", "toy.toml", "--json").json
    told = {(row["clock"], row["clock_confidence"]) for row in run["frontier"]}
    assert told == {("slow", "high"), ("odd", "not stated"), ("fast", "low")}
    assert run["units"]["clock_confidence"] == "text"
    for printed in (dse.good("run", "toy.toml").out, dse.good("show", "runs/toy").out):
        table = [line.split() for line in lines(printed) if re.match(r"A\d+ \d+ ", line)]
        assert len(table) == len(run["frontier"])
        assert all(row[3] == "·" for row in table)
        assert all(" ".join(row[4:]).startswith({"slow": "high", "fast": "low", "odd": "not"}[row[2]]) for row in table)
        assert "confidence" not in printed  # no column of its own
    shown = dse.good("show", "runs/toy", "--json").json
    assert [row["clock_confidence"] for row in shown["frontier"]] == [
        row["clock_confidence"] for row in run["frontier"]
    ]
    assert shown["space"]["alternatives"][0]["axes"][1]["confidences"] == ["high", "low", "not stated"]
    assert {"data sheet (confidence: high)", "a talk (confidence: low)"} <= {one["source"] for one in shown["sources"]}


def test_it_is_shown_where_all_parts_are_alike(sure, dse):
    """A column of one value is left out of the table, but not the confidence of a part that is in it."""
    (sure / "sure.csv").write_text(PARTS.replace("high", "low").replace("rumour,", "rumour,low"))
    table = [line for line in lines(dse.good("run", "toy.toml").out) if re.match(r"A\d+ \d+ ", line)]
    assert table
    assert all(re.match(r"A\d+ \d+ (slow|fast|odd) · low ", line) for line in table)


def test_evaluate(sure, dse):
    arguments = ("evaluate", "toy.toml", "--set", "nodes=4", "--set", "clock=fast")
    assert "clock = fast (confidence: low); a talk" in lines(dse.good(*arguments).out)
    part = {"part": "fast", "source": "a talk", "confidence": "low"}
    assert dse.good(*arguments, "--json").json["parts"] == {"clock": part}


def test_explain(sure, dse):
    dse.good("run", "toy.toml")
    row = Run.load("runs/toy").frontier["clock"].tolist().index("fast")
    text = plain(dse.good("explain", "--full", "runs/toy", "--design", str(row)).out)
    assert "clock = fast, clock_confidence = low" in text
    assert "sure.csv: a talk (confidence: low)" in text
    for step in ("slow (confidence: high)", "odd (confidence: not stated)"):
        assert (f"clock {step}" in text) == (f"clock {step.split()[0]} " in text)
    told = dse.good("explain", "runs/toy", "--design", str(row), "--json").json
    assert told["parameters"]["clock_confidence"] == "low"
    steps = {n["value"]: n.get("confidence") for n in told["neighbours"] if n["axis"] == "clock"}
    assert steps
    assert steps.items() <= {"slow": "high", "odd": "not stated"}.items()
    assert not any("confidence" in n for n in told["neighbours"] if n["axis"] == "nodes")
    tree = plain(dse.good("explain", "--full", "runs/toy", "--design", str(row), "--tree").out)
    assert "sure.csv: a talk (confidence: low)" in tree


def test_pick_and_verify(sure, dse):
    dse.good("run", "toy.toml")
    text = dse.good("pick", "runs/toy", "--min", "time").out
    assert "  clock = fast · low\n" in text
    assert dse.good("pick", "runs/toy", "--knee", "--json").json["designs"][0]["clock_confidence"]
    dse.good("verify", "runs/toy")


def test_compare(sure, dse):
    dse.good("run", "toy.toml")
    clocks = Run.load("runs/toy").frontier["clock"].tolist()
    items = [f"runs/toy:{clocks.index('slow')}", f"runs/toy:{clocks.index('fast')}", "mine.toml"]
    table = lines(dse.good("compare", *items, "--report", "page.html").out)
    assert "clock slow fast fast" in table
    assert "clock_confidence high low low" in table
    told = dse.good("compare", *items, "--json").json
    assert [c["parameters"]["clock_confidence"] for c in told["candidates"]] == ["high", "low", "low"]
    page = (sure / "page.html").read_text(encoding="utf-8")
    assert re.search(r"clock confidence</th>\s*<td[^>]*>high</td>\s*<td[^>]*>low</td>\s*<td[^>]*>low</td>", page)


def test_compare_what_a_run_has_kept(sure, dse):
    """Where the models are no longer the same, the confidence comes from the run itself."""
    dse.good("run", "toy.toml")
    (sure / "model.py").write_text((sure / "model.py").read_text() + "\n")
    table = lines(dse.good("compare", "runs/toy:0").out)
    assert [line for line in table if line.startswith("clock_confidence ")] != []


def test_compare_two_runs(sure, dse):
    """A part whose confidence has changed is the same part; designs that come and go tell theirs."""
    dse.good("run", "toy.toml", "--out", "a")
    (sure / "sure.csv").write_text(PARTS.replace("talk,low", "talk,medium").replace("odd,1.5", "other,1.5"))
    dse.good("run", "toy.toml", "--out", "b")
    changes = dse.good("compare", "a", "b", "--json").json["changes"]
    assert {one["clock"] for one in changes["entered"]} == {"other"}
    assert {one["clock_confidence"] for one in changes["entered"] + changes["left"]} == {"not stated"}
    text = dse.good("compare", "a", "b").out
    assert "clock = other, clock_confidence = not stated" in text


def test_report(sure, dse):
    dse.good("run", "toy.toml", "--report")
    page = plain((sure / "runs" / "toy" / "report.html").read_text(encoding="utf-8"))
    assert "slow (confidence: high), fast (confidence: low), odd (confidence: not stated)" in page  # the space
    told = re.findall(r'clock</span> (\w+) <small class="sure">· ([\w ]+)</small>', page)  # the short list
    assert ("fast", "low") in told
    assert set(told) <= {("slow", "high"), ("fast", "low"), ("odd", "not stated")}
    assert "clock_confidence</" not in page
    assert "a talk (confidence: low)" in page  # the sources
    run = Run.load("runs/toy")
    for kept in (run, Run(run.frontier, run.manifest, folder=sure / "gone")):
        view = page_view(kept)
        part, of = [axis for axis in view.axes if axis.name.startswith("clock")]
        assert (part.name, part.of, of.name, of.of) == ("clock", "", "clock_confidence", "clock")
        said = {"slow": "high", "fast": "low", "odd": "not stated"}
        for row in range(len(run.frontier)):
            assert of.texts[of.codes[row]] == said[part.texts[part.codes[row]]]
        assert [axis["of"] for axis in encode_view(view)["axes"]][-1] == "clock"
    assert "clock confidence low" in run.figure().data[-1].hovertext[0] + run.figure().data[-1].hovertext[-1]


def test_the_page_of_a_run_whose_models_are_gone(sure, dse):
    dse.good("run", "toy.toml")
    (sure / "model.py").unlink()
    view = page_view(Run.load("runs/toy"))
    assert [axis.name for axis in view.axes if axis.of] == ["clock_confidence"]


ALTERNATIVES = """[space.alternatives.part.axes]
clock = { part = "sure.csv" }
[space.alternatives.own.axes]
frequency = { values = ["1.2 GHz", "2.2 GHz"] }
[search]"""


def test_a_part_of_one_alternative(sure, dse):
    (sure / "toy.toml").write_text(edited(STUDY, (CLOCK[0], ""), ("[search]", ALTERNATIVES)))
    rows = dse.good("run", "toy.toml", "--json").json["frontier"]
    assert {(row["alternative"], bool(row["clock_confidence"])) for row in rows} == {("part", True), ("own", False)}
    dse.good("report", "runs/toy")
    pair = [[row["alternative"] for row in rows].index(name) for name in ("part", "own")]
    table = lines(dse.good("compare", *(f"runs/toy:{row}" for row in pair)).out)
    assert f"clock_confidence {rows[pair[0]]['clock_confidence']} –" in table


@pytest.mark.parametrize(
    "changes",
    [
        [("[space.axes]", '[space.axes]\nclock_confidence = { values = ["1 GHz"], unit = "Hz" }')],
        [
            ('"network_time"]', '"network_time", "clock_confidence"]'),
            ('"power * time"', '"power * time"\nclock_confidence = "power * time"'),
        ],
    ],
)
def test_the_name_is_taken(sure, changes):
    (sure / "toy.toml").write_text(edited(STUDY, CLOCK, *changes))
    with pytest.raises(
        InputError, match="'clock_confidence' is what the confidence of the part axis 'clock' is called"
    ):
        _ = Study.load("toy.toml").compiled


def test_parts_that_do_not_say_look_as_before(toy, dse):
    (toy / "toy.toml").write_text(edited(STUDY, (CLOCK[0], 'clock = { part = "parts.csv" }')))
    printed = [
        dse.good("check", "toy.toml").out,
        dse.good("run", "toy.toml", "--report").out,
        dse.good("run", "toy.toml", "--json").out,
        dse.good("explain", "--full", "runs/toy").out,
        dse.good("explain", "runs/toy", "--json").out,
        dse.good("compare", "runs/toy:0", "runs/toy:1").out,
        dse.good("evaluate", "toy.toml", "--set", "nodes=4", "--set", "clock=fast").out,
        (toy / "runs" / "toy" / "manifest.json").read_text(),
    ]
    assert not any("confidence" in text for text in printed)


def test_two_catalogues_may_describe_their_parts_alike(sure, dse):
    """Names and years of several catalogues are no quantities, as long as no model declares them."""
    (sure / "jobs.csv").write_text(
        "name,work,year,source,confidence\nsmall,1e10,2001,me,low\nlarge,1e11,2002,me,high\n"
    )
    text = edited(
        STUDY, CLOCK, ("[set]\nwork = 1e11\n", ""), ("[space.axes]", '[space.axes]\njob = { part = "jobs.csv" }')
    )
    (sure / "toy.toml").write_text(text)
    row = dse.good("run", "toy.toml", "--json").json["frontier"][0]
    assert (row["job"], row["job_confidence"]) == ("small", "low")
    (sure / "toy.toml").write_text(text.replace("power <= 20 kW", "year >= 2002"))
    assert "unknown quantity 'year'" in dse("check", "toy.toml").err
    (sure / "jobs.csv").write_text("name,work,frequency [GHz],source\nsmall,1e10,1,me\n")
    (sure / "toy.toml").write_text(text)
    assert "two providers of 'frequency': the axis 'clock' and the axis 'job'" in dse("check", "toy.toml").err
