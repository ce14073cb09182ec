"""`dse show`: which rows and columns, in which order, on the screen, as JSON and as a file."""

import csv
import io
import re
from pathlib import Path

import pytest


@pytest.fixture
def made(dse):
    dse.good("run", "ska-correlator")
    return dse


RUN = "runs/ska-correlator"


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_rows_in_the_order_of_a_column_with_units_in_the_headings(made):
    dse = made
    whole = dse.good("show", RUN, "--json").json["frontier"]
    out = dse.good("show", RUN, "--sort", "total_power", "--rows", "3", "--columns", "cores,total_power").out
    lines = [line.split() for line in out.splitlines() if re.match(r" *A\d+ ", line)]
    wanted = sorted(range(len(whole)), key=lambda row: whole[row]["total_power"])[:3]
    named = read(dse.good("show", RUN, "--csv", "-").out)
    assert [line[0] for line in lines] == [named[row]["name"] for row in wanted]
    assert "[MW]" in out
    assert "node" not in out.split("─")[0], "only what is asked for"
    assert out.endswith(f"3 of {len(whole)} designs\n")
    told = dse.good("show", RUN, "--sort", "total_power", "--rows", "2", "--columns", "cores", "--json").json
    assert told["frontier"] == [{"design": whole[row]["design"], "cores": whole[row]["cores"]} for row in wanted[:2]]


def test_a_file_for_a_spreadsheet(made):
    dse, folder = made, Path.cwd()
    whole = dse.good("show", RUN, "--json").json["frontier"]
    assert dse.good("show", RUN, "--csv", "all.csv").out == f"wrote all.csv: {len(whole)} designs\n"
    rows = read((folder / "all.csv").read_text())
    assert [int(row["row"]) for row in rows] == list(range(len(whole)))
    assert [float(row["total_power [W]"]) for row in rows] == [row["total_power"] for row in whole]
    assert [float(row["frequency [Hz]"]) for row in rows] == [row["frequency"] for row in whole]
    assert {"cores", "core_type"} <= set(rows[0]), "counts and texts have no unit"
    few = read(
        dse.good("show", RUN, "--csv", "-", "--sort", "node_power", "--rows", "2", "--columns", "node_power").out
    )
    least = sorted(row["node_power"] for row in whole)[:2]
    assert [[*row] for row in few] == [["row", "name", "node_power [W]"]] * 2
    assert [float(row["node_power [W]"]) for row in few] == least


REFUSED = {
    ("--sort", "totl_power"): "--sort: ",
    ("--columns", "cores,watts"): "--columns: ",
    ("--columns", ","): "--columns: ",
    ("--rows", "2", "--all"): "--rows: ",
    ("--csv", "x.csv", "--json"): "--csv: ",
    ("--csv", "there.csv"): "there.csv: the file exists already; it is not overwritten; allowed: another name, or -",
    ("--csv", "no/such/folder.csv"): "no/such/folder.csv: ",
}


def test_what_is_refused_is_told(made):
    Path("there.csv").write_text("mine")
    for arguments, message in REFUSED.items():
        told = made("show", RUN, *arguments)
        assert told.code == 2
        assert told.err.startswith(f"error: {message}"), "in which words, stands in the screen `errors-show`"
    assert Path("there.csv").read_text() == "mine"
