"""`dse export`: the frontier for other programs, in four formats that agree."""

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

RUN = "runs/ska-correlator"


@pytest.fixture
def made(dse):
    dse.good("run", "ska-correlator", "--jobs", "1")
    return dse


def test_every_format_holds_the_same_figures(made):
    dse = made
    whole = dse.good("show", RUN, "--json").json["frontier"]
    power = [row["total_power"] for row in whole]
    assert dse.good("export", RUN, "--out", "a.parquet").out == f"wrote a.parquet: {len(whole)} designs\n"
    table = pd.read_parquet("a.parquet")
    assert table["total_power"].tolist() == power
    units = {field.name: (field.metadata or {}).get(b"unit") for field in pq.read_schema("a.parquet")}
    assert (units["total_power"], units["frequency"], units["core_type"]) == (b"W", b"Hz", None)
    rows = list(csv.DictReader(io.StringIO(dse.good("export", RUN).out)))
    assert [float(row["total_power [W]"]) for row in rows] == power
    assert table["name"].tolist() == [row["name"] for row in rows]
    assert {row["name"] for row in rows} == {f"A{number + 1}" for number in range(len(whole))}
    document = dse.good("export", RUN, "--format", "json").json
    assert [row["total_power"] for row in document["rows"]] == power
    assert [row["row"] for row in document["rows"]] == list(range(len(whole)))
    assert document["units"]["total_power"] == "W"
    assert "core_type" not in document["units"]


def test_the_file_of_show_is_that_of_export(made):
    dse = made
    chosen = ("--sort", "node_power", "--rows", "2", "--columns", "cores,node_power")
    assert dse.good("show", RUN, "--csv", "-", *chosen).out == dse.good("export", RUN, *chosen).out
    dse.good("show", RUN, "--csv", "a.csv")
    dse.good("export", RUN, "--out", "b.csv")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


def test_markdown_is_for_people(made):
    out = made.good("export", RUN, "-f", "markdown", "--rows", "2", "--columns", "core_type,frequency,total_power").out
    heading, rule, *rows = out.splitlines()
    assert heading == "| name | core_type | frequency [GHz] | total_power [MW] |"
    assert rule == "| --- | --- | ---: | ---: |"
    whole = made.good("show", RUN, "--json").json
    lead = whole["objectives"][0]
    assert lead["sense"] == "min"
    first = min(whole["frontier"], key=lambda row: row[lead["quantity"]])
    cells = [cell.strip() for cell in rows[0].strip("|").split("|")]
    assert cells[:2] == ["A1", first["core_type"]], "in the order of the names"
    assert float(cells[2]) == first["frequency"] / 1e9
    assert float(cells[3]) == pytest.approx(first["total_power"] / 1e6, rel=1e-3)
    assert len(rows) == 2


def test_what_markdown_and_json_would_take_for_their_own():
    from dse.run.result.exported import as_json, as_markdown

    frame = pd.DataFrame({"a|b": ["x|y", "<b>\n`z`"], "n": [1.0, float("nan")]})
    assert as_markdown(frame, {"n": "s"}).splitlines()[2:] == ["| x\\|y | 1 |", "| &lt;b> `z` | – |"]
    assert json.loads(as_json(frame, {"n": "s"})) == {
        "units": {"n": "s"},
        "rows": [{"a|b": "x|y", "n": 1.0}, {"a|b": "<b>\n`z`", "n": None}],
    }


def test_how_it_says_what_it_wrote(made):
    told = made.good("export", RUN, "--out", "a.md", "--rows", "3", "--json").json
    assert told == {"file": "a.md", "format": "markdown", "designs": 3}
    assert len(Path("a.md").read_text().splitlines()) == 5


REFUSED = {
    ("--format", "xml"): "--format: unknown format 'xml'; allowed: csv, parquet, json, markdown",
    ("--format", "markdwn"): "did you mean 'markdown'?",
    ("--out", "a.xls"): "--out: 'a.xls' has no ending of a format; allowed: .csv, .parquet, .json, .md, --format",
    ("--format", "parquet"): "--out: 'parquet' is no text for the screen",
    ("--out", "no/such/a.csv"): "no/such/a.csv: there is no folder 'no/such'",
    ("--out", "there.csv"): "there.csv: the file exists already; it is not overwritten",
    ("--columns", "cors"): "did you mean 'cores'?",
    ("--json",): "--json: says what was written, and nothing is",
}


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_what_cannot_be_written_is_said(made, options):
    Path("there.csv").write_text("mine")
    refused = made("export", RUN, *options)
    assert refused.code == 2
    assert REFUSED[options] in refused.err
    assert Path("there.csv").read_text() == "mine"
