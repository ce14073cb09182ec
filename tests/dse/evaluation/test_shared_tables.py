"""Tables that parts of a space have in common: made once, equal ones held once, and the same designs either way."""

import time

import numpy as np
import pytest

from dse.authoring.declare.declaration import ModelFunction
from dse.evaluation.shared_tables import SharedTables
from dse.search.bundles.order import laid_out


def slow(calls, seconds=0.02):
    """Return a function that notes its calls, and takes longer than it takes to look its table up."""

    def function(a, b):
        calls.append((a, b))
        time.sleep(seconds)
        return a + b

    return ModelFunction(name="sum", function=function, needs=("a", "b"), gives={"sum": "1"}, source="ours", doc="a+b")


def test_equal_inputs_are_one_call_and_other_ones_are_not():
    calls, tables = [], SharedTables()
    function = slow(calls)
    a, b = np.arange(3.0)[:, None], np.arange(4.0)
    first = tables.called(function, {"a": a, "b": b})
    again = tables.called(function, {"a": a.copy(), "b": b.copy()})
    assert first["sum"] is again["sum"]
    assert (len(calls), tables.made, tables.taken) == (1, 1, 1)
    # The same bytes in another shape, and one bit of difference, are other tables.
    tables.called(function, {"a": a.T, "b": b[:, None]})
    tables.called(function, {"a": np.nextafter(a, 1.0), "b": b})
    assert len(calls) == 3


def test_a_shared_table_cannot_be_written_to():
    table = SharedTables().called(slow([]), {"a": np.ones(2), "b": np.ones(2)})["sum"]
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 5.0


def test_tables_beyond_the_limit_are_forgotten_the_oldest_first():
    calls, tables = [], SharedTables(most_bytes=4 * 8 * 10)
    function = slow(calls)
    for start in range(6):
        tables.called(function, {"a": np.full(10, float(start)), "b": np.zeros(10)})
    tables.called(function, {"a": np.full(10, 5.0), "b": np.zeros(10)})
    assert len(calls) == 6
    tables.called(function, {"a": np.zeros(10), "b": np.zeros(10)})
    assert len(calls) == 7


def test_names_that_share_a_table_go_on_sharing_it():
    table, other = np.arange(6.0), np.arange(6.0)
    tables, changed = {"a": table, "b": other, "c": table}, []
    laid_out(tables, lambda given: changed.append(given) or given[::-1].copy())
    assert tables["a"] is tables["c"]
    assert tables["a"] is not tables["b"]
    assert len(changed) == 2
    for name in "abc":
        np.testing.assert_array_equal(tables[name], np.arange(6.0)[::-1])
