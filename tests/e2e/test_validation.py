"""How well the law of a part held for real machines stands where a design is shown in detail, and nowhere else."""

import json
import re

import pandas as pd
import pytest
from toy import STUDY, clock_of, edited, lines, plain, write_clocks

from dse.analysis.choose.pick import pick_design
from dse.analysis.compare.compare import compare
from dse.api import Run, Study
from dse.errors import InputError
from dse.report.record.collect import page_view
from dse.report.record.encode import encode_view

pytestmark = pytest.mark.slow

SLOW = "2 machines, each left out of the fit: rate -9.0 to +10.5 %"
FAST = "1 machine, in the fit: rate +0.4 %"
TOLD = {"slow": SLOW, "fast": FAST, "odd": ""}
PARTS = f"""name,frequency [GHz],source,confidence,validation
slow,1,data sheet,high,"{SLOW}"
fast,2,a talk,medium (rate); low (area),"{FAST}"
odd,1.5,a rumour,,
"""
CLOCK = clock_of("held.csv")
HEADING = "how well laws held for real machines"
EVIL = "<img src=x onerror=alert(1)> & </script><script>alert(2)</script>"


@pytest.fixture
def held(toy):
    """The toy study with a catalogue that says how well the law of a part held."""
    return write_clocks(toy, "held.csv", PARTS)


def row_of(part):
    return Run.load("runs/toy").frontier["clock"].tolist().index(part)


def validations(rows):
    return [(row["clock"], row["validation"]) for row in rows]


def expected(part):
    return {"clock": TOLD[part]} if TOLD[part] else {}


def test_explain(held, dse):
    dse.good("run", "toy.toml")
    for part in ("slow", "fast", "odd"):
        row = str(row_of(part))
        told = lines(dse.good("explain", "--full", "runs/toy", "--design", row).out)
        assert (f"{HEADING}:" in told) == bool(TOLD[part])
        assert told.count(f"clock {part}: {TOLD[part]}") == bool(TOLD[part])
        found = dse.good("explain", "runs/toy", "--design", row, "--json").json
        assert found["validation"] == expected(part)
        assert "clock_validation" not in found["parameters"]
        assert Run.load("runs/toy").explain(int(row)).validation == expected(part)


def test_show_and_run(held, dse):
    """Each part of the best designs once; JSON has it with each design, and how many have none is said."""
    run = dse.good("run", "toy.toml", "--json").json
    assert {part for part, _ in validations(run["frontier"])} == {"slow", "fast", "odd"}
    assert all(told == expected(part) for part, told in validations(run["frontier"]))
    assert not any("clock_validation" in row for row in run["frontier"])
    assert "clock_validation" not in run["units"]
    shown = dse.good("show", "runs/toy", "--json").json
    assert validations(shown["frontier"]) == validations(run["frontier"])
    assert shown["space"]["alternatives"][0]["axes"][1]["validations"] == [SLOW, FAST, ""]
    without = sum(part == "odd" for part, _ in validations(run["frontier"]))
    for command in (("run", "toy.toml"), ("show", "runs/toy"), ("show", "runs/toy", "--all")):
        told = lines(dse.good(*command).out)
        assert told.count(f"{HEADING}:") == 1
        assert told.count(f"clock slow: {SLOW}") == told.count(f"clock fast: {FAST}") == 1
        assert f"{without} of {len(run['frontier'])} designs of the frontier have no such part" in told


def test_show_says_that_every_design_has_such_a_part(held, dse):
    (held / "held.csv").write_text(PARTS.replace("odd,1.5,a rumour,,\n", ""))
    told = lines(dse.good("run", "toy.toml").out)
    assert f"{HEADING} (every design of the frontier has such a part):" in told
    assert not any("no such part" in line for line in told)


def test_show_names_the_parts_of_the_best_designs_and_counts_the_others(held, dse):
    """A part of neither a best design nor the knee is counted; `--all` names it."""
    rows = "".join(f"p{i},{1 + i / 20},me,held {i}\n" for i in range(20))
    (held / "held.csv").write_text("name,frequency [GHz],source,validation\n" + rows)
    frontier = dse.good("run", "toy.toml", "--json").json["frontier"]
    parts = {row["clock"] for row in frontier}
    few = [line for line in lines(dse.good("show", "runs/toy").out) if re.match(r"clock p\d+: held", line)]
    every = [line for line in lines(dse.good("show", "runs/toy", "--all").out) if re.match(r"clock p\d+: held", line)]
    assert 1 <= len(few) <= 3 < len(parts)
    assert sorted(every) == sorted(f"clock {part}: held {part[1:]}" for part in parts)
    assert f"… {len(parts) - len(few)} more parts on the frontier: dse show runs/toy --all" in lines(
        dse.good("show", "runs/toy").out
    )


def test_pick(held, dse):
    dse.good("run", "toy.toml")
    told = lines(dse.good("pick", "runs/toy", "--min", "time").out)
    assert told.count(f"clock fast: {FAST}") == 1
    assert told.count(f"{HEADING}:") == 1
    assert "clock_validation" not in "".join(told)
    assert "clock = fast · medium (rate); low (area)" in told
    found = dse.good("pick", "runs/toy", "--min", "time", "--json").json
    assert [one["validation"] for one in found["designs"]] == [{"clock": FAST}] * len(found["designs"])
    assert pick_design(Run.load("runs/toy"), "time").designs[0]["validation"] == {"clock": FAST}
    for way in (["--knee"], ["--min", "energy"], ["--max", "time", "--where", "nodes <= 2"]):  # two search again
        for one in dse.good("pick", "runs/toy", *way, "--json").json["designs"]:
            assert one["validation"] == expected(one["clock"])


def test_compare(held, dse):
    dse.good("run", "toy.toml")
    items = [f"runs/toy:{row_of('slow')}", f"runs/toy:{row_of('odd')}", "mine.toml"]
    told = lines(dse.good("compare", *items, "--report", "page.html").out)
    at = told.index(f"{HEADING}:")
    assert told[at + 1 : at + 3] == [f"toy:{row_of('slow')}: clock slow: {SLOW}", f"mine: clock fast: {FAST}"]
    assert "clock_validation" not in "".join(told)
    found = dse.good("compare", *items, "--json").json["candidates"]
    assert [one["validation"] for one in found] == [{"clock": SLOW}, {}, {"clock": FAST}]
    assert [one.validation for one in compare(items).candidates] == [one["validation"] for one in found]
    page = plain((held / "page.html").read_text(encoding="utf-8"))
    assert f"mine: clock fast: {FAST}" in page


def test_compare_what_a_run_has_kept(held, dse):
    """Where the models are no longer the same, it comes from the run itself."""
    dse.good("run", "toy.toml")
    row = row_of("slow")
    (held / "model.py").write_text((held / "model.py").read_text() + "\n")
    found = dse.good("compare", f"runs/toy:{row}", "--json").json["candidates"]
    assert found[0]["validation"] == {"clock": SLOW}
    assert "clock_validation" not in found[0]["parameters"]


def test_compare_two_runs_tells_no_long_texts_of_designs_that_came_and_went(held, dse):
    dse.good("run", "toy.toml", "--out", "a")
    (held / "held.csv").write_text(PARTS.replace("odd,1.5", "other,1.5"))
    dse.good("run", "toy.toml", "--out", "b")
    changes = dse.good("compare", "a", "b", "--json").json["changes"]
    assert changes["entered"]
    assert "clock_validation" not in json.dumps([changes[kind] for kind in ("entered", "left", "moved")])


def test_evaluate(held, dse):
    for part in ("fast", "odd"):
        arguments = ("evaluate", "toy.toml", "--set", "nodes=4", "--set", f"clock={part}")
        assert (f"clock {part}: {TOLD[part]}" in lines(dse.good(*arguments).out)) == bool(TOLD[part])
        assert dse.good(*arguments, "--json").json["parts"]["clock"].get("validation", "") == TOLD[part]


def test_frontier_parquet_has_a_column(held, dse):
    dse.good("run", "toy.toml")
    kept = pd.read_parquet("runs/toy/frontier.parquet")
    assert list(kept.columns[:5]) == ["design", "nodes", "clock", "clock_confidence", "clock_validation"]
    assert all(told == TOLD[part] for part, told in zip(kept["clock"], kept["clock_validation"], strict=True))
    run = Run.load("runs/toy")
    assert [run.validation(row) for row in range(len(kept))] == [expected(part) for part in kept["clock"]]
    assert "clock_validation" not in run.axis_names


def page_of(held, dse):
    dse.good("run", "toy.toml", "--report")
    return plain((held / "runs" / "toy" / "report.html").read_text(encoding="utf-8"))


def test_the_page(held, dse):
    """Its record has the text of every design, also where the models are gone; its short list names each part once."""
    page = page_of(held, dse)
    short = page[page.index('id="short"') : page.index('id="short-legend"')]
    assert short.count(f"clock slow: {SLOW}") == short.count(f"clock fast: {FAST}") == 1
    run = Run.load("runs/toy")
    for kept in (run, Run(run.frontier, run.manifest, folder=held / "gone")):
        view = page_view(kept)
        (told,) = view.validations
        clock = next(axis for axis in view.axes if axis.name == "clock")
        assert (told.axis, told.name) == ("clock", "clock_validation")
        for row in range(len(view.numbers)):
            if clock.codes[row] == len(clock.texts):  # designs behind the frontier when the models are gone
                assert told.codes[row] == len(told.parts)
                continue
            part = clock.texts[clock.codes[row]]
            found = (told.parts[told.codes[row]], told.texts[told.codes[row]]) if TOLD[part] else None
            assert (found == (part, TOLD[part])) if found else (told.codes[row] == len(told.parts))
        assert [one["name"] for one in encode_view(view)["validations"]] == ["clock_validation"]


def test_the_answer_of_the_page_says_it_once_where_all_designs_have_one_part(held, dse):
    (held / "toy.toml").write_text(
        edited(STUDY, (CLOCK[0], 'clock = { part = "held.csv", where = { name = "slow" } }'))
    )
    page = page_of(held, dse)
    words = page[: page.index('<script type="application/json"')]
    assert words.count(SLOW) == 1
    assert re.search(rf'class="held-by">[^<]*clock slow: {re.escape(SLOW)}', words)
    (told,) = page_view(Run.load("runs/toy")).validations  # an axis that does not vary has no other place there
    assert told.parts == ("slow",)
    assert set(told.codes.tolist()) == {0}


def test_the_answer_of_the_page_where_all_designs_have_such_parts(held, dse):
    (held / "held.csv").write_text(PARTS.replace("odd,1.5,a rumour,,\n", ""))
    answer = re.search(r'class="held-by">([^<]*)<', page_of(held, dse))[1]
    assert "Each has a part whose catalogue says how well its law held for real machines" in answer
    words = page_of(held, dse)
    words = words[words.index('class="words"') : words.index('class="held-by"')]
    assert any(text in words for text in (SLOW, FAST))  # of the design to begin with


def test_the_answer_of_the_page_is_silent_where_some_designs_have_none(held, dse):
    page = page_of(held, dse)
    assert 'class="held-by"' not in page
    assert "real machines" not in re.search(r'class="answer">([^<]*)<', page)[1]


def test_hostile_text_is_only_text(held, dse):
    (held / "held.csv").write_text(PARTS.replace(SLOW, EVIL).replace(FAST, "[bold red]" + EVIL))
    (held / "toy.toml").write_text(edited(STUDY, CLOCK))
    page = page_of(held, dse)
    assert "alert(1)" in page
    assert "<img" not in page
    assert EVIL not in page
    assert f"clock fast: [bold red]{EVIL}" in lines(dse.good("show", "runs/toy").out)
    dse.good("compare", f"runs/toy:{row_of('slow')}", "--report", "page.html")
    assert "<img" not in (held / "page.html").read_text(encoding="utf-8")


REFERENCES = '\n[references.machines]\naxes = { machine = { part = "machines.csv" } }\n'
MACHINES = f'name,nodes,frequency [GHz],source,validation\nAlpha,20,1.5,a log,"{SLOW}"\nBeta,40,1,a talk,\n'


def test_references(held, dse):
    (held / "machines.csv").write_text(MACHINES)
    (held / "toy.toml").write_text(edited(STUDY, CLOCK) + REFERENCES)
    page = page_of(held, dse)
    assert [one.get("validation") for one in Run.load("runs/toy").references] == [{"machine": SLOW}, None]
    told = dse.good("explain", "--full", "runs/toy", "--reference", "Alpha")
    assert f"machine Alpha: {SLOW}" in lines(told.out)
    assert dse.good("explain", "runs/toy", "--reference", "Alpha", "--json").json["validation"] == {"machine": SLOW}
    assert dse.good("explain", "runs/toy", "--reference", "Beta", "--json").json["validation"] == {}
    found = dse.good("compare", "runs/toy:0", "Alpha", "--json").json["candidates"]
    assert found[1]["validation"] == {"machine": SLOW}
    (held / "model.py").write_text((held / "model.py").read_text() + "\n")
    found = dse.good("compare", "runs/toy:0", "Alpha", "--json").json["candidates"]
    assert found[1]["validation"] == {"machine": SLOW}
    assert "machine_validation" not in page


def test_a_text_that_is_too_long_is_refused(held, dse):
    (held / "held.csv").write_text(PARTS.replace(FAST, "x" * 200))
    dse.good("check", "toy.toml")
    (held / "held.csv").write_text(PARTS.replace(FAST, "x" * 201))
    refused = dse("check", "toy.toml")
    assert refused.code == 2
    assert "held.csv: line 3, column 'validation': has 201 characters; allowed: at most 200" in refused.err


@pytest.mark.parametrize("control", ["\t", "\x1b", "\x9f"])
def test_a_control_character_is_refused(held, dse, control):
    (held / "held.csv").write_text(PARTS.replace(FAST, f"a{control}b"), encoding="utf-8")
    refused = dse("check", "toy.toml")
    assert refused.code == 2
    assert f"the control character U+{ord(control):04X}" in refused.err
    assert "line 3" in refused.err


@pytest.mark.parametrize("name", ["clock_validation", "validation"])
@pytest.mark.parametrize("place", ["axis", "also"])
def test_the_names_are_taken(held, name, place):
    changes = {
        "axis": [("[space.axes]", f'[space.axes]\n{name} = {{ values = ["1 GHz"], unit = "Hz" }}')],
        "also": [
            ('"network_time"]', f'"network_time", "{name}"]'),
            ('"power * time"', f'"power * time"\n{name} = "power * time"'),
        ],
    }[place]
    (held / "toy.toml").write_text(edited(STUDY, CLOCK, *changes))
    with pytest.raises(InputError, match=f"'{name}' is what the validation of the part axis 'clock' is called"):
        _ = Study.load("toy.toml").compiled


def test_catalogues_without_the_column_look_as_before(toy, dse):
    (toy / "toy.toml").write_text(edited(STUDY, (CLOCK[0], 'clock = { part = "parts.csv" }')))
    printed = [
        dse.good("check", "toy.toml", "--json").out,
        dse.good("run", "toy.toml", "--report").out,
        dse.good("run", "toy.toml", "--json").out,
        dse.good("explain", "--full", "runs/toy").out,
        dse.good("pick", "runs/toy", "--min", "time", "--json").out,
        dse.good("compare", "runs/toy:0", "runs/toy:1").out,
        dse.good("evaluate", "toy.toml", "--set", "nodes=4", "--set", "clock=fast", "--json").out,
        (toy / "runs" / "toy" / "manifest.json").read_text(),
    ]
    assert not any("validation" in text or "real machines" in text for text in printed)
    assert "clock_validation" not in pd.read_parquet("runs/toy/frontier.parquet").columns
    assert "real machines" not in (toy / "runs" / "toy" / "report.html").read_text(encoding="utf-8").split("<script")[0]


def test_a_confidence_of_several_words_stands_as_it_is(held, dse):
    """In the terminal, wherever a cell may be folded, and on the page."""
    words = "medium (rate); low (area)"
    for printed in (dse.good("check", "toy.toml").out, dse.good("run", "toy.toml").out):
        assert words in plain(printed)
    assert f"fast · {words}" in plain(dse.good("show", "runs/toy", "--all").out)
    told = plain(dse.good("explain", "--full", "runs/toy", "--design", str(row_of("fast"))).out)
    assert f"clock_confidence = {words}" in told
    page = page_of(held, dse)
    assert f'clock</span> fast <small class="sure">· {words}</small>' in page
    axis = next(axis for axis in encode_view(page_view(Run.load("runs/toy")))["axes"] if axis["of"] == "clock")
    assert words in axis["texts"]
