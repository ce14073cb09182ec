"""Frontiers for other programs: every column says its unit."""

import csv
import io

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from toy import STUDY, clock_of, edited

from dse import Run, Study, minimize, parameter, quantity, values
from dse.authoring.declare.declaration import Column
from dse.authoring.table import read_table
from dse.errors import InputError, RunFolderError
from dse.run.result.exported import as_csv, as_raw_csv

frequency = parameter(unit="Hz", doc="Clock", above=0)
kind = parameter(unit="text", doc="Kind")


@quantity(unit="s", source="made up for a test")
def time(frequency, kind):
    """Time."""
    return np.where(kind == "a, b", 1, 2) / (3 * frequency)


@pytest.fixture(scope="module")
def run():
    axes = {"frequency": values("1 GHz", "2 GHz"), "kind": values("a, b", "c")}
    return Study(name="export", functions=[time], axes=axes, objectives=[minimize("time"), minimize("frequency")]).run()


def test_csv_has_a_unit_in_each_heading(run, tmp_path):
    path = run.to_csv(tmp_path / "frontier.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["design", "frequency [Hz]", "kind", "time [s]", "extrapolated"]
    assert [row[2] for row in rows[1:]] == run.frontier["kind"].tolist() == ["a, b"] * 2
    assert [float(row[3]) for row in rows[1:]] == run.frontier["time"].tolist(), "to the last digit"


def test_csv_is_read_as_a_catalogue(run, tmp_path):
    path = run.to_csv(tmp_path / "frontier.csv")
    table = read_table(path, columns={"time": Column("s"), "frequency": Column("Hz")})
    assert table["time"].tolist() == run.frontier["time"].tolist()


def test_parquet_has_the_unit_of_each_field(run, tmp_path):
    path = run.to_parquet(tmp_path / "frontier.parquet")
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in pq.read_schema(path)}
    assert units == {"design": "1", "frequency": "Hz", "kind": "", "time": "s", "extrapolated": ""}
    again = pd.read_parquet(path)
    assert again.equals(pd.DataFrame(run.frontier))
    assert again.attrs["units"] == run.frontier.attrs["units"] == run.frontier.units
    assert run.frontier.units["frequency"] == "Hz"


def test_a_run_that_was_read_writes_the_same(run, tmp_path):
    kept = run.study.run(tmp_path / "run")
    again = type(kept).load(tmp_path / "run")
    assert again.to_csv(tmp_path / "b.csv").read_bytes() == run.to_csv(tmp_path / "a.csv").read_bytes()
    first = pq.read_table(run.to_parquet(tmp_path / "a.parquet"))
    assert pq.read_table(again.to_parquet(tmp_path / "b.parquet")).equals(first, check_metadata=True)


def test_a_place_that_cannot_be_written(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises((InputError, RunFolderError), match="cannot be written"):
        run.to_csv(tmp_path / "file" / "a.csv")


FORMULA = '=HYPERLINK("http://x","y")'


def test_S6_texts_that_a_spreadsheet_takes_for_formulas_are_quoted(toy, dse):
    """A part of a catalogue may be called anything; what is written for programs is left as it is by --raw."""
    names = [FORMULA, "+1", "-1", "@x", "'=1", "plain"]
    rows = "".join(f'"{name.replace(chr(34), chr(34) * 2)}",{n + 1},me\n' for n, name in enumerate(names))
    (toy / "parts.csv").write_text("name,frequency [GHz],source\n" + rows)
    (toy / "toy.toml").write_text(edited(STUDY, clock_of("parts.csv"), ("20 kW", "2000 kW")))
    dse.good("run", "toy.toml", "--out", "run")

    def cells(*arguments):
        return {row["clock"] for row in csv.DictReader(io.StringIO(dse.good(*arguments).out))}

    quoted = {name if name[0] in "'p" else f"'{name}" for name in names}
    for command in (["show", "run", "--csv", "-"], ["export", "run", "--format", "csv"]):
        assert cells(*command) == quoted
        assert cells(*command, "--raw") == set(names)
    run = Run.load("run")
    assert set(pd.read_csv(run.to_csv("a.csv"))["clock"]) == quoted
    assert set(pd.read_csv(run.to_csv("b.csv", raw=True))["clock"]) == set(names)
    assert "goes with --csv only" in dse("show", "run", "--raw").err
    assert "goes with CSV only" in dse("export", "run", "--format", "json", "--raw").err


def test_S6_headings_are_quoted_and_numbers_are_not():
    frame = pd.DataFrame({"=a": [-1.0, 2.0], "b": ["-x", "y"], "c": [True, False]})
    assert as_csv(frame, {"=a": "W"}) == "'=a [W],b,c\n-1.0,'-x,True\n2.0,y,False\n"
    assert as_raw_csv(frame, {"=a": "W"}) == "=a [W],b,c\n-1.0,-x,True\n2.0,y,False\n"


def test_the_frontier_of_a_run_on_disk_says_its_units(run, tmp_path):
    """By the fields alone, for programs that know nothing of pandas; figures and their order are those of the run."""
    folder = run.study.run(tmp_path / "run").folder
    table = pq.read_table(folder / "frontier.parquet")
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in table.schema}
    assert units == {"design": "1", "frequency": "Hz", "kind": "", "time": "s", "extrapolated": ""}
    run.frontier.to_parquet(tmp_path / "plain.parquet", index=False)
    plain = pq.read_table(tmp_path / "plain.parquet")
    assert table.equals(plain)
    assert table.schema.metadata == plain.schema.metadata, "pandas finds what it always found"


def test_a_table_of_which_no_unit_is_known_is_written_as_pandas_writes_it(tmp_path):
    from dse.run.disk.folder import RunFolder

    frame = pd.DataFrame({"design": [1, 2], "time": [0.5, np.nan], "text": ["a", ""]})
    frame.to_parquet(tmp_path / "plain.parquet", index=False)
    written = RunFolder(tmp_path).write_table("table.parquet", frame)
    assert written.read_bytes() == (tmp_path / "plain.parquet").read_bytes()
