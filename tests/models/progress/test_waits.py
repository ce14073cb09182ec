"""Measured waits for progress: by hand, and by a search that looks at every instant."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.cli.main import main
from dse.errors import InputError
from dse.models.progress import read_calls, record_of_rows, waits
from dse.models.progress.call_record import KINDS
from dse.models.progress.record_files import read_record
from dse.models.replay import read_trace, replay, write_trace
from tests.example_counts import examples

COLUMNS = ["rank", "enter", "exit", "kind", "targets"]
TARGET = [(1, 0, 1, "other", ""), (1, 5, 6, "other", ""), (1, 9, 10, "other", "")]


def record(*rows):
    return record_of_rows(pd.DataFrame(rows, columns=COLUMNS))


@pytest.mark.parametrize(
    ("enter", "leave", "wait"), [(0.5, 0.8, 0.0), (2.0, 5.5, 3.0), (6.0, 7.0, 1.0), (9.5, 11.0, 0.0), (11.0, 12.5, 1.5)]
)
def test_a_get_waits_for_the_first_call_that_ends_later(enter, leave, wait):
    assert waits(record((0, enter, leave, "get", "1"), *TARGET))[0] == pytest.approx(wait, abs=1e-12)


def test_a_fence_of_several_targets_waits_beside_their_first_calls():
    found = waits(record((0, 2, 8, "allfence", ""), *TARGET, (2, 3, 4, "other", ""), (2, 7, 9, "other", "")))
    assert found.tolist() == [4.0, 0, 0, 0, 0, 0]


def test_a_put_waits_for_nothing():
    assert waits(record((0, 2, 4, "put", "1"), *TARGET))[0] == 0.0


@st.composite
def records(draw):
    """Calls at whole times, so that every instant between can be looked at."""
    rows = []
    count = draw(st.integers(2, 4))
    for rank in range(count):
        ends = sorted(draw(st.sets(st.integers(0, 24), min_size=2, max_size=10)))
        others = [one for one in range(count) if one != rank]
        for enter, leave in zip(ends[::2], ends[1::2], strict=False):
            targets = draw(st.sets(st.sampled_from(others), min_size=1))
            kind = draw(st.sampled_from(["get", "put", "fence", "other"]))
            rows.append((rank, enter, leave, kind, "" if kind == "other" else " ".join(map(str, targets))))
    return rows


@settings(max_examples=examples(200), deadline=None)
@given(records())
def test_every_instant_is_waiting_or_not(rows):
    """Half instants of a call count where no target is in, or before, its first call that ends after the begin."""
    expected = []
    for _, enter, leave, kind, targets in rows:
        instants = np.arange(enter, leave) + 0.5
        waiting = np.ones(len(instants), dtype=bool)
        if kind in ("put", "other"):
            waiting[:] = False
        for target in map(int, targets.split()):
            calls = [(row[1], row[2]) for row in rows if row[0] == target and row[2] > enter]
            if not calls:
                continue
            begin, end = min(calls)
            # One target is waited for up to its call; of several, what lies outside of all their calls is waiting.
            waiting &= instants < begin if len(targets.split()) == 1 else ~((instants > begin) & (instants < end))
        expected.append(waiting.sum())
    assert waits(record(*rows)).tolist() == expected


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((0, 3, 2, "get", "1"), "ends before it begins"),
        ((0, 2, 3, "gets", "1"), "'get'"),
        ((0, 2, 3, "get", "7"), "has no calls"),
        ((0, 2, 3, "get", "0"), "its own target"),
        ((0, 2, 3, "get", ""), "has no target"),
        ((0, 2, 3, "other", "1"), "waits for nobody"),
        ((0.5, 2, 3, "get", "1"), "whole numbers"),
        ((0, "x", 3, "get", "1"), "'x' in row 1"),
        ((1, 0.5, 3, "get", "0"), "row 2 of rank 1 begins at 2 s, and its call in row 1 ends at 3 s"),
    ],
)
def test_what_is_no_record_is_refused(row, words):
    with pytest.raises(InputError, match=words):
        record(row, *(TARGET if row[0] != 1 else [(1, 2, 4, "other", ""), (0, 0, 1, "other", "")]))


def test_a_file_is_named_when_it_is_wrong(tmp_path):
    file = tmp_path / "calls.csv"
    file.write_text("rank,enter,exit,kind\n0,1,2,get\n")
    with pytest.raises(InputError, match=r"calls\.csv.*targets"):
        read_calls(file)


GOLDEN = """# name: by hand
rank,kind,seconds,peer,op,enter,exit,region
0,get,,1,,0.5,0.8,solve
0,compute,1.2,,,,,
0,get,,1,,2,5.5,solve
0,get,,1,,6,7,solve
0,get,,1,,9.5,11,
1,collective,,,barrier,0,1,
1,collective,,,barrier,5,6,
1,collective,,,barrier,9,10,
0,collective,,,barrier,12,13,
0,collective,,,barrier,13,14,
0,collective,,,barrier,14,15,
"""
FENCE = """rank,kind,seconds,peer,op,enter,exit
0,allfence,,,,2,8
1,put,,2,,0,1
1,put,,2,,5,6
1,put,,2,,9,10
2,put,,1,,3,4
2,put,,1,,7,9
"""


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_trace_with_one_sided_calls_gives_the_same_waits(tmp_path, ending):
    """The numbers of the tests above, through the file of a trace; a compute is no call."""
    for text, expected in ((GOLDEN, [0.0, 3.0, 1.0, 0.0]), (FENCE, [4.0])):
        (tmp_path / "run.csv").write_text(text)
        file = write_trace(read_trace(tmp_path / "run.csv"), tmp_path / f"again{ending}")
        found = read_record(file)
        one_sided = [place for place, kind in enumerate(found.kind) if KINDS[kind] in ("get", "allfence")]
        assert waits(found)[one_sided].tolist() == pytest.approx(expected, abs=1e-12)
        assert sum(waits(found)) == pytest.approx(sum(expected))
    assert ending != ".csv" or "solve" in read_record(tmp_path / "run.csv").region or text is FENCE


def test_the_command_takes_both_formats(tmp_path, capsys):
    (tmp_path / "trace.csv").write_text(GOLDEN)
    (tmp_path / "calls.csv").write_text(
        "rank,enter,exit,kind,targets\n0,2,5.5,get,1\n1,0,1,other,\n1,5,6,other,\n1,9,10,other,\n"
    )
    for name, wait in (("trace.csv", 4.0), ("calls.csv", 3.0)):
        with pytest.raises(SystemExit):
            main(["trace", "waits", str(tmp_path / name), "--json"])
        assert json.loads(capsys.readouterr().out)["wait"] == pytest.approx(wait)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0,get,,1,,6,7", "0,get,,1,,,"), "rank 0 event 3: enter and exit are missing in a trace with one-sided"),
        (("0,get,,1,,6,7", "0,get,,,,6,7"), "rank 0 event 3: get: peer is missing, or -1; allowed: its target, 0 to 1"),
        (("0,get,,1,,6,7", "0,get,,0,,6,7"), "rank 0 event 3: get: peer is 0; allowed: another rank"),
        (("0,get,,1,,6,7", "0,gett,,1,,6,7"), "did you mean 'get'"),
    ],
)
def test_one_sided_calls_of_a_trace_that_are_none(tmp_path, change, message):
    (tmp_path / "run.csv").write_text(GOLDEN.replace(*change))
    with pytest.raises(InputError) as caught:
        read_record(tmp_path / "run.csv")
    assert message in str(caught.value)
    assert "run.csv" in str(caught.value)


def test_no_replay_knows_one_sided_calls(tmp_path):
    (tmp_path / "run.csv").write_text(GOLDEN)
    trace = read_trace(tmp_path / "run.csv")
    with pytest.raises(InputError, match=r"rank 0 event 0: get of 1: no replay \(modelled\) knows"):
        replay(trace, {"latency": 1e-6, "overhead": 0.0, "bandwidth": 1e9})
    with pytest.raises(InputError, match="text has no words for one-sided calls"):
        write_trace(trace, tmp_path / "run.ti")
    (tmp_path / "plain.csv").write_text("rank,kind,seconds,peer,bytes\n0,send,,1,8\n1,recv,,0,8\n")
    with pytest.raises(InputError, match=r"plain.csv: rank 0 event 0: send 8 B to 1: no measured times"):
        read_record(tmp_path / "plain.csv")
