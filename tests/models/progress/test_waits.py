"""Measured waits for progress: by hand, and by a search that looks at every instant."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.errors import InputError
from dse.models.progress import read_calls, record_of_rows, waits
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
        ((1, 0.5, 3, "get", "0"), "begins before"),
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
