"""Measured runs: what a second implementation gives for each, and bad tables."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from dse.errors import InputError
from dse.models.training.claims.published import claims, comparison

PROTOTYPE = list(csv.DictReader((Path(__file__).parent / "prototype.csv").read_text().splitlines()))
FACTORS = {"L3": 1e12, "E-": 1e6}
HEADINGS = (
    "id,table,model,device,precision,devices,t,p,cp,d,e,b,v,B,sequence,recompute,sp,zero,stack,quantity,unit,value,role"
)
OWN = "mine,mine,llama3.1-8b,H100 SXM,bf16,8,1,1,1,8,1,1,1,64,8192,none,0,1,overlapped,step_time,s,10,test"


@cache
def by_id():
    return {claim.claim.partition(":")[0]: claim for claim in claims()}


@pytest.mark.parametrize("row", PROTOTYPE, ids=lambda row: row["id"])
def test_as_the_second_implementation(row):
    claim = by_id()[row["id"]]
    factor = next((value for start, value in FACTORS.items() if row["id"].startswith(start)), 1.0)
    assert claim.computed / factor == pytest.approx(float(row["computed"]), rel=1e-5)
    assert claim.status == row["status"]


def test_the_table_as_a_whole():
    told = comparison()
    assert len(told.claims) == 112
    assert {claim.status for claim in told.claims} == {"pass", "fitted", "not checkable"}
    accounts = {one["table"]: one for one in told.details["tables"]}
    assert accounts["korthikanti-figure-1"]["worst_error"] < 1e-6
    assert accounts["vtrain-single"]["mean_error"] == pytest.approx(0.10, abs=0.01)
    for table in ("korthikanti-5", "lumi", "sc21-1", "vtrain-single", "mlperf-power"):
        assert accounts[table]["mean_error"] < accounts[table]["constant_mean_error"]


def test_rows_of_mlperf_say_that_they_are_derived():
    rows = [claim for claim in claims() if "MLPerf" in claim.source or "MLCommons" in claim.source]
    assert rows
    assert all("not an MLPerf metric" in claim.note for claim in rows)


def test_a_table_of_ones_own(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text(f"{HEADINGS}\n{OWN}\n")
    (claim,) = comparison(file).claims
    assert claim.computed > 0.0
    assert claim.status == "fail"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("llama3.1-8b", "lama3.1-8b"), "llama3.1-8b"),
        (("H100 SXM", "H100"), "H100 SXM"),
        (("bf16", "fp16"), "bf16"),
        (("none", "nothing"), "selective"),
        (("overlapped", "overlaped"), "overlapped"),
        (("step_time", "step"), "line 2"),
        ((",10,", ",ten,"), "mine.csv"),
    ],
)
def test_bad_tables(tmp_path, wrong, words):
    file = tmp_path / "mine.csv"
    file.write_text(f"{HEADINGS}\n{OWN.replace(*wrong)}\n")
    with pytest.raises(InputError) as raised:
        comparison(file)
    assert words in str(raised.value)


def test_a_column_that_is_missing(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("id,model\nmine,llama3.1-8b\n")
    with pytest.raises(InputError, match="table"):
        comparison(file)
