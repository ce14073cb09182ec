"""Parts with the rows of another catalogue that they name: what they bring, and what is asked of a row by its name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dse import Study
from dse.errors import InputError

MODEL = '''
from dse import parameter, quantity

count = parameter(unit="1", doc="Devices of a board", above=0)
rate = parameter(unit="flop/s", doc="Of a device", above=0)
draw = parameter(unit="W", doc="Of a device", above=0)
boards = parameter(unit="1", doc="Boards of the machine", above=0)


@quantity(unit="s", source="invented")
def time(count, rate, boards):
    """Of 1e15 operations."""
    return 1e15 / (count * rate * boards)


@quantity(unit="W", source="invented")
def power(count, draw, boards):
    """Of all devices."""
    return count * draw * boards
'''
BOARDS = """name,device,count,confidence,source
one A,A,1,A,a list
two A,A,2,B,a list
one B,B,1,A,a list
one C,C,1,A,a list
"""
DEVICES = """name,rate [Gflop/s],draw [W],count,confidence,source
A,100,10,77,high,a sheet
B,150,20,77,low,a sheet
C,50,30,77,low,a sheet
D,900,30,77,low,a sheet
"""
STUDY = """
name = "joined"
models = ["model.py"]
objectives = [{ minimize = "time" }, { minimize = "power" }]
[space.axes]
boards = { values = [1, 2, 4] }
board = { part = "boards.csv", join = { device = "devices.csv" } }
"""


@pytest.fixture
def here(tmp_path, dse):
    for name, text in (("model.py", MODEL), ("boards.csv", BOARDS), ("devices.csv", DEVICES), ("joined.toml", STUDY)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_part_brings_the_row_that_it_names(here):
    """Columns of both are the part's own; sources and confidences are kept of both."""
    study = Study.load("joined.toml")
    (record,) = study.compiled.quantities(np.arange(study.space.size))
    columns = {name: np.asarray(record["values"][name]).reshape(3, 4)[0] for name in ("rate", "draw", "count")}
    np.testing.assert_allclose(columns["rate"], [1e11, 1e11, 1.5e11, 0.5e11])
    np.testing.assert_allclose(columns["draw"], [10, 10, 20, 30])
    np.testing.assert_allclose(columns["count"], [1, 2, 1, 1])
    (_, axis) = study.space.products[0].axes
    assert [axis.confidence(row) for row in range(4)] == ["A; A: high", "B; A: high", "A; B: low", "A; C: low"]


def test_a_row_is_left_out_with_all_parts_that_name_it(here, dse):
    document = dse.good("run", "joined.toml", "--without", "device=A", "--json").json
    assert document["designs"] == 6
    assert {row["board"] for row in document["frontier"]} == {"one B"}
    assert document["name"] == "joined@without-device=A"


def test_why_is_asked_of_a_row(here, dse):
    """Of all boards of a device: B is on the frontier, C is beaten three times in time and in power at once."""
    dse.good("run", "joined.toml")
    assert dse.good("why", "runs/joined", "device = A", "--json").json["designs"] == 6
    away = dse.good("why", "runs/joined", "device = C", "--json").json
    assert (away["designs"], away["on_frontier"]) == (3, 0)
    # one C (20 ks, 30 W): two A (5 ks, 20 W) is min(4, 1.5) better, one A (10 ks, 10 W) min(2, 3), one B min(3, 1.5).
    assert away["factor"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("join = { device", "join = { devise", "no column 'devise' of texts; .*; did you mean 'device'"),
        ("join = { device", "join = { count", "no column 'count' of texts"),
        ('"devices.csv"', '"nobody.csv"', "nobody.csv"),
    ],
)
def test_joins_that_are_wrong(here, old, new, message):
    Path("joined.toml").write_text(STUDY.replace(old, new))
    with pytest.raises(InputError, match=message):
        _ = Study.load("joined.toml").compiled


def test_a_row_that_is_not_there_is_named_with_its_line(here):
    Path("boards.csv").write_text(BOARDS.replace("one C,C", "one C,Ac"))
    with pytest.raises(InputError, match=r"boards\.csv.*line 5, column 'device'.*'Ac' is no row of .*devices\.csv"):
        _ = Study.load("joined.toml").compiled


@pytest.mark.parametrize(
    "command", [("run", "joined.toml", "--without", "device=AA"), ("why", "runs/joined", "device = AA")]
)
def test_a_wrong_row_is_told_with_the_nearest(here, dse, command):
    dse.good("run", "joined.toml")
    result = dse(*command)
    assert result.code == 2
    assert "'device' has no 'AA'; allowed: A, B, C; did you mean 'A'?" in result.err
