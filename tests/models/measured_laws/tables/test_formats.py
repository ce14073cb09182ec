"""Every format gives the same table, and what is wrong in a file is said with its line."""

import json

import pandas as pd
import pytest

from dse.errors import InputError
from dse.models.measured_laws.tables.reading import read_measurements
from dse.models.measured_laws.tables.writing import write_measurements

TIDY = """application,region,metric,p,size,repetition,value,unit,litmus
kripke,solve,time,4,10,1,2000,ms,
kripke,solve,time,4,10,2,2.5,s,
kripke,solve,time,8,10,1,1.5,s,
kripke,bcast,time,4,10,1,0.25,s,true
kripke,bcast,time,8,10,1,0.5,s,true
"""
EXTRA_P = """# made by hand
PARAMETER p
PARAMETER size
POINTS (4 10) (8 10)
METRIC time [s]
REGION solve
DATA 2 2.5
DATA 1.5   # once
REGION bcast
DATA 0.25
DATA 0.5
"""
MPIP = """@ mpiP
@ Command : ./bin/sweep -n 3
---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0        10          2      20.00
   1        10          4      40.00
   *        20          6      30.00
---------------------------------------------------------------------------
@--- Callsites: 23 --------------------------------------------------------
---------------------------------------------------------------------------
 ID Lev File/Address        Line Parent_Funct             MPI_Call
  1   0 sweep.c              10  main                     Barrier
---------------------------------------------------------------------------
@--- Aggregate Time (top twenty, descending, milliseconds) ----------------
---------------------------------------------------------------------------
Call                 Site       Time    App%    MPI%     COV
{rows}
@--- Aggregate Sent Message Size (top twenty, descending, bytes) ----------
Call                 Site      Count      Total       Avrg  Sent%
Send                    7         10       4096        410 100.00
"""


def _written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def tidy(tmp_path):
    return _written(tmp_path, "runs.csv", TIDY)


def _points(found):
    table = found.table
    return sorted(zip(table["region"], table["p"], table["size"], table["repetition"], table["value"], strict=True))


EXPECTED = [
    ("bcast", 4.0, 10.0, 1, 0.25),
    ("bcast", 8.0, 10.0, 1, 0.5),
    ("solve", 4.0, 10.0, 1, 2.0),
    ("solve", 4.0, 10.0, 2, 2.5),
    ("solve", 8.0, 10.0, 1, 1.5),
]


def test_a_tidy_table_is_in_si(tidy):
    found = read_measurements(tidy)
    assert _points(found) == EXPECTED
    assert found.parameters == ("p", "size")
    assert set(found.table["unit"]) == {"s"}
    assert set(found.table.loc[found.table["litmus"], "region"]) == {"bcast"}
    assert len(found.sha256) == 64


def test_parquet_and_extra_p_hold_the_same(tidy, tmp_path):
    pd.read_csv(tidy).to_parquet(tmp_path / "runs.parquet")
    text = _written(tmp_path, "runs.txt", EXTRA_P)
    for path in (tmp_path / "runs.parquet", text):
        assert _points(read_measurements(path)) == EXPECTED, path
    document = {
        "parameters": ["p", "size"],
        "measurements": {
            "solve": {"time": [{"point": [4, 10], "values": [2000, 2500]}, {"point": [8, 10], "values": [1500]}]},
            "bcast": {"time": [{"point": [4, 10], "values": [250]}, {"point": [8, 10], "values": [500]}]},
        },
    }
    path = _written(tmp_path, "runs.json", json.dumps(document))
    assert _points(read_measurements(path, units={"time": "ms"})) == EXPECTED
    lines = [
        json.dumps({"params": {"p": p, "size": size}, "callpath": region, "metric": "time [s]", "value": value})
        for region, p, size, _, value in EXPECTED
    ]
    assert _points(read_measurements(_written(tmp_path, "runs.jsonl", "\n".join(lines)))) == EXPECTED


def test_what_is_written_is_read_again(tidy, tmp_path):
    found = read_measurements(tidy)
    for name in ("out.csv", "out.txt", "out.json"):
        write_measurements(found, tmp_path / name)
        assert _points(read_measurements(tmp_path / name)) == EXPECTED, name
    with pytest.raises(InputError, match="not overwritten"):
        write_measurements(found, tmp_path / "out.csv")


def test_a_wide_table_has_a_metric_per_column(tmp_path):
    path = _written(tmp_path, "wide.csv", "p,time_s,energy [kWh]\n2,4.0,0.001\n4,2.0,\n")
    found = read_measurements(path)
    assert found.parameters == ("p",)
    table = found.table
    assert table[table["metric"] == "energy"]["value"].tolist() == [pytest.approx(3600.0)]
    assert found.unit("energy") == "J"
    assert any("energy was not measured at 1 of 2 points" in text for text in found.warnings)


def test_a_report_of_mpip(tmp_path):
    rows = "\n".join(f"Barrier   {site}   {500 - site}   1.0   2.0   0.1" for site in range(20))
    found = read_measurements(_written(tmp_path, "sweep.mpiP", MPIP.replace("{rows}", rows)))
    whole = found.table[(found.table["region"] == "") & found.table["rank"].isna()]
    values = dict(zip(whole["metric"], whole["value"], strict=True))
    assert values["communication_fraction"] == 6 / 20
    assert values["compute_time_mean"] == 7.0
    assert values["compute_time_max"] == 8.0
    assert set(found.table["p"]) == {2.0}
    assert found.applications == ("sweep",)
    ranks = found.table[found.table["rank"].notna() & (found.table["metric"] == "compute_time")]
    assert ranks["value"].tolist() == [8.0, 6.0]
    sites = found.table[found.table["metric"] == "aggregate_time"]
    assert sites["value"].iloc[0] == 0.5
    assert found.table[found.table["metric"] == "sent_bytes"]["value"].tolist() == [4096.0]
    assert any("3 of 23" in text for text in found.warnings), found.warnings


def test_a_folder_named_by_parameters(tmp_path):
    for p in (2, 4, 8):
        for repetition in (1, 2):
            folder = tmp_path / "runs" / f"app.p{p}.n100.r{repetition}"
            folder.mkdir(parents=True)
            (folder / "dump.csv").write_text(f"metric,value,unit\ntime,{100 / p + repetition},ms\n", encoding="utf-8")
    found = read_measurements(tmp_path / "runs")
    assert found.parameters == ("p", "n")
    assert found.applications == ("app",)
    series = found.series("time")
    assert series.sizes.tolist() == [2.0, 4.0, 8.0]
    assert series.repetitions[0].tolist() == pytest.approx([0.051, 0.052])
    (tmp_path / "runs" / "readme").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="the name says no parameters"):
        read_measurements(tmp_path / "runs")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "p,metric,value\n4,time,1\n", None),
        ("a.csv", "p,metric,value,unit\n4,time,nan,s\n", r"line 2, value: nan is not finite"),
        ("a.csv", "p,metric,value,unit\n4,time,inf,s\n", "not finite"),
        ("a.csv", "p,metric,value,unit\n4,time,0,s\n", "a time of 0"),
        ("a.csv", "p,metric,value,unit\n4,time,-1,s\n", r"line 2, time: -1 s is negative"),
        ("a.csv", "p,metric,value,unit\n4.5,time,1,s\n", "p = 4.5 is not whole"),
        ("a.csv", "p,metric,value,unit\n0,time,1,s\n", "a number above 0"),
        ("a.csv", "p,metric,value,unit\n4,time,1,s\n8,time,1,B\n", "line 3: time in B, and in s before"),
        ("a.csv", "p,metric,value,unit\n4,time,1,sekunden\n", "sekunden"),
        ("a.csv", "p,metric,value,unit,repetition\n4,time,1,s,1\n4,time,1,s,1\n", "repetition 1 of time stands twice"),
        ("a.csv", "p,metric,value,unit\n4,time,,s\n", "is empty"),
        ("a.csv", "p,metric,value,unit\n4,time,abc,s\n", "'abc' is no number"),
        ("a.csv", "p,metric,value,unit\n4,time,1\n", "has 3 cells, the heading 4"),
        ("a.csv", "p,time\n4,1\n", "no column of values"),
        ("a.csv", "p;time_s\n4;1\n", "line 1: semicolons between the columns; allowed: commas"),
        ("a.csv", "p\ttime_s\n4\t1\n", "tabs between the columns"),
        ("a.csv", "p,metric,value,unit\n", "has no rows"),
        ("a.csv", "p,metric,value,unit\n4,ti\x1bme,1,s\n", "control character"),
        ("a.txt", "PARAMETER p\nPOINTS 1 2\nREGION r\nDATA 1\n", "1 DATA lines of metric in 'r', but 2 points"),
        ("a.txt", "PARAMETER p\nPOINTS 1\nREGION r\nDATA 1\nDATA 1\n", "line 5: more DATA lines than points"),
        ("a.txt", "PARAMETER p\nPOINTS (1 2)\n", "a point with 2 coordinates"),
        ("a.txt", "PARAMETER p\nPOINT 1\n", "did you mean 'POINTS'"),
        ("a.json", '{"parameters": ["p"]}', "no key 'measurements'"),
        ("a.json", "[1,", "is no JSON"),
        ("a.json", "[" * 100_000, "is no JSON"),
        ("a.jsonl", '{"params": {"p": 1}, "valu": 3}', "did you mean 'value'"),
        ("a.mpip", "@ mpiP\n", "no block 'MPI Time"),
        ("a.xyz", "hello", "in no format that is known"),
        ("a.cubex", "hello", "Cube container"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    path = _written(tmp_path, name, text)
    if message is None:
        assert any("no unit" in one for one in read_measurements(path).warnings)
        return
    with pytest.raises(InputError, match=message) as caught:
        read_measurements(path)
    assert str(path) in str(caught.value)


def test_sizes_of_files_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("dse.models.measured_laws.tables.reading.LARGEST_FILE", 10)
    with pytest.raises(InputError, match="too large"):
        read_measurements(_written(tmp_path, "a.csv", TIDY))
    with pytest.raises(InputError, match="no such file"):
        read_measurements(tmp_path / "none.csv")


def test_the_unit_of_a_plain_heading_is_named_outside_of_the_file(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("p,time\n1,10\n2,6\n4,4\n", encoding="utf-8")
    with pytest.raises(InputError, match="its unit by name: --unit time=s"):
        read_measurements(path)
    found = read_measurements(path, units={"time": "ms"})
    assert (found.parameters, found.metrics, found.unit("time"), found.warnings) == (("p",), ("time",), "s", ())
    assert found.series("time").reduced().tolist() == [0.01, 0.006, 0.004]
    with pytest.raises(InputError, match="has no column of values"):
        read_measurements(path, units={"tme": "ms"})
