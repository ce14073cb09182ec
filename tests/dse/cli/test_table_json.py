"""A table as JSON: the same bytes as of its rows as plain values, whatever the length of the pieces."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dse.analysis.choose.pick import records_of, validations_together
from dse.cli.text import table_json
from dse.cli.text.output import print_json

floats = st.floats() | st.sampled_from([0.0, -0.0, 1e22, 5e-324, math.nan, math.inf])
rows = st.lists(st.tuples(st.integers(-(2**62), 2**62), floats, st.text(max_size=5), st.booleans()), max_size=7)


def table_of(rows):
    columns = list(zip(*rows, strict=True)) or [[], [], [], []]
    kinds = (np.int64, float, object, bool)
    names = ("design", "100 % of x", 'a "name"', "feasible")
    return pd.DataFrame({n: np.array(c, dtype=k) for n, c, k in zip(names, columns, kinds, strict=True)})


def printed(document, capsys):
    print_json(document)
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(table_json, "_PIECE", 3)


@given(rows)
def test_a_table_is_written_as_its_rows_would_be(rows):
    frame = table_of(rows)
    expected = json.dumps({"rows": records_of(frame, {})}, indent=1, allow_nan=False)
    assert f'{{\n "rows": {"".join(table_json.rows_as_json(frame))}\n}}' == expected


@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_a_document_with_a_table_among_its_values(count, capsys):
    frame = table_of([(row, row / 3, "π\n", True) for row in range(count)])
    document = {"name": "x\ny", "rows": frame, "more": {"of": [1, math.nan]}, "last": None}
    assert printed(document, capsys) == printed(document | {"rows": records_of(frame, {})}, capsys)


def test_cells_of_several_kinds_in_a_column(capsys):
    frame = pd.DataFrame({"x": np.array([1, True, 1.0, None, "1", -0.0, math.nan], dtype=object)})
    assert printed({"rows": frame}, capsys) == printed({"rows": records_of(frame, {})}, capsys)


@given(st.lists(st.tuples(st.sampled_from(["", "A", 'B "b"\n']), st.sampled_from(["", "C"])), max_size=7))
def test_validations_stand_together_as_in_plain_values(texts):
    frame = pd.DataFrame({"design": range(len(texts))})
    frame["a_validation"], frame["b_validation"] = [one for one, _ in texts], [other for _, other in texts]
    columns = {"a": "a_validation", "b": "b_validation"}
    rows = [
        {"design": row, "validation": {axis: text for axis, text in zip("ab", pair, strict=True) if text}}
        for row, pair in enumerate(texts)
    ]
    assert records_of(frame, columns) == rows
    expected = json.dumps({"rows": rows}, indent=1, allow_nan=False)
    together = validations_together(frame, columns)
    assert f'{{\n "rows": {"".join(table_json.rows_as_json(together))}\n}}' == expected
