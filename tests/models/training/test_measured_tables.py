"""Measured tables of a user: what a row lacks is refused by name, and it may override figures of its device."""

import re
from pathlib import Path

import pytest

from dse.authoring.table import read_table
from dse.cli.main import main
from dse.errors import InputError
from dse.models.training.claims.measured import computed, runs
from dse.models.training.claims.published import comparison

OWN = Path(__file__).parents[3] / "spaces/training/measured.csv"
HEAD = "id,table,model,device,devices,quantity,unit,value,role,source"
ENERGY = "mine,own,bert,H100 SXM,8,energy of the nodes,MJ,2.19,test,a log"
STEP = (
    "id,table,model,device,precision,devices,t,p,cp,d,e,b,v,B,sequence,recompute,sp,zero,stack,unit,value,role,quantity\n"
    "mine,own,megatron-22b,A100 80 GB,bf16,8,8,1,1,1,1,4,1,4,2048,none,0,0,unfused,s,0.0077,test,"
    "forward time of a layer\n"
)


def table(tmp_path, text):
    file = tmp_path / "mine.csv"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("more", "cells", "message"),
    [
        ("", "", "mine.busy: is missing; allowed: a number"),
        (",busy,duration [min]", ",1,", "mine.duration: is empty; allowed: a number"),
        (",busy,duration [min],meter_factor", ",half,5.33,1", "mine.busy: 'half'; allowed: a number"),
        (",busy,duration [min]", ",1,5.33", "mine.meter_factor: is missing; allowed: a number"),
        (",bussy", ",1", "no column 'bussy'; allowed: "),
    ],
)
def test_P3_an_energy_row_without_its_columns_is_refused_by_name(tmp_path, more, cells, message):
    """It ended in a KeyError."""
    with pytest.raises(InputError, match=re.escape(message)):
        comparison(table(tmp_path, f"{HEAD}{more}\n{ENERGY}{cells}\n"))


def test_P3_a_row_overrides_figures_of_its_device(tmp_path):
    rest, logged = ",busy,duration [min],meter_factor", ",1,5.33,1"
    plain = computed(runs(table(tmp_path, f"{HEAD}{rest}\n{ENERGY}{logged}\n")))
    more = computed(runs(table(tmp_path, f"{HEAD}{rest},device_power [W]\n{ENERGY}{logged},1400\n")))
    kilowatt = computed(runs(table(tmp_path, f"{HEAD}{rest},device_power [kW]\n{ENERGY}{logged},1.4\n")))
    assert more == kilowatt
    assert 1.5 < more[0] / plain[0] < 2.0
    (time,) = computed(runs(table(tmp_path, STEP)))
    head, row = STEP.splitlines()
    (faster,) = computed(runs(table(tmp_path, f"{head},peak_bf16 [Tflop/s]\n{row},624\n")))
    assert faster < time
    (same,) = computed(runs(table(tmp_path, f"{head},peak_bf16 [Tflop/s]\n{row},\n")))
    assert same == time


def test_P3_a_step_without_its_columns_is_refused_by_name(tmp_path):
    text = STEP.replace(",precision", "").replace(",bf16", "")
    with pytest.raises(InputError, match=re.escape("mine.precision: ''; allowed: bf16, fp8, fp4")):
        comparison(table(tmp_path, text))
    with pytest.raises(InputError, match=re.escape("mine.t: 'eight'; allowed: a number")):
        comparison(table(tmp_path, STEP.replace("A100 80 GB,bf16,8,8", "A100 80 GB,bf16,8,eight")))


def test_P3_the_columns_stand_in_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["validate", "--help"])
    said = "".join(capsys.readouterr().out.split())
    columns = read_table(OWN.with_name("devices.csv"), name="devices.csv", empty=True).columns
    texts = ("name", "device_kind", "year", "source", "confidence", "note")
    assert all(name in said for name in columns if name not in texts)
