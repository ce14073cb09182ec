"""Measured rows by group: the errors that a second implementation found, and bad tables."""

from __future__ import annotations

import numpy as np
import pytest

from dse.errors import InputError
from dse.models.serving.claims.measured import FIGURES, computed, measured_figures, rows
from dse.models.serving.claims.published import accounts, claims, comparison
from tests.models.serving import oracle
from tests.models.serving.cases import LENGTH

TABLE = """
deepseek-r1, B200 SXM, sglang fp8 | 19 | 4.4 / 12.8 | 6.1 / 15.4 | 42.1 / 53.1
deepseek-r1, H200 SXM, sglang fp8 | 10 | 2.4 / 4.1 | 2.0 / 4.9 | 4.3 / 10.7
deepseek-r1, MI300X, sglang fp8 | 5 | 0.7 / 3.0 | 1.9 / 4.8 | 1.3 / 3.2
deepseek-r1, MI355X, atom fp8 | 18 | 2.0 / 3.8 | 2.1 / 3.9 | 6.3 / 14.0
deepseek-r1, MI355X, sglang fp4 | 10 | 14.1 / 21.5 | - | 7.6 / 10.8
deepseek-r1, MI355X, sglang fp8 | 15 | 5.3 / 14.0 | 4.4 / 15.7 | 10.3 / 19.5
deepseek-r1, MI355X, sglang-disagg fp8 | 7 | 7.4 / 24.0 | 1.2 / 10.5 | 23.3 / 35.4
deepseek-r1, MI355X, sglang-disagg fp8, drafts | 7 | 8.4 / 33.8 | 15.7 / 44.5 | 25.4 / 331.2
gpt-oss-120b, B200 SXM, trt fp4 | 39 | 6.2 / 19.0 | 6.3 / 13.2 | 22.4 / 60.3
gpt-oss-120b, B200 SXM, vllm fp4 | 38 | 2.1 / 4.6 | 1.9 / 4.4 | 13.2 / 28.1
gpt-oss-120b, GB200, dynamo-trt fp4 | 21 | 10.3 / 17.6 | 6.6 / 25.1 | 33.8 / 69.8
gpt-oss-120b, H100 SXM, vllm fp4 | 43 | 2.2 / 4.6 | 1.8 / 4.8 | 6.2 / 16.1
gpt-oss-120b, MI355X, atom fp4 | 26 | 2.1 / 6.7 | 3.4 / 6.0 | 8.3 / 21.1
all without drafts | 251 | 2.9 / 13.1 | 3.1 / 10.1 | 10.3 / 45.5
"""


@pytest.fixture(scope="module")
def groups():
    return {account.group: account for account in accounts(rows())}


@pytest.mark.parametrize("line", TABLE.strip().splitlines(), ids=lambda line: line.split(" | ")[0])
def test_errors_of_a_group_in_the_digits_printed(line, groups):
    name, count, *figures = line.split(" | ")
    account = groups[name]
    assert account.rows == int(count)
    for printed, figure in zip(figures, FIGURES, strict=True):
        spread = account.model[figure]
        shown = "-" if spread is None else f"{spread[0]:.1f} / {spread[1]:.1f}"
        assert shown == printed, figure


def test_each_row_as_the_second_implementation():
    """Together and apart, drafts among them: what a closed loop settles at, row by row."""
    of = rows()
    own, table = computed(of), of.table
    for row in range(0, len(of), 3):
        cell = {key: values[row] for key, values in table.columns.items()}
        stack = cell["stack"].removeprefix("dynamo-").removesuffix("-disagg")
        drafts = (2.0, 1.85) if of.drafts[row] else (1.0, 1.0)
        engine = (cell["model"], cell["device"], stack, cell["precision"])
        s_i, s_o = LENGTH * cell["isl"], LENGTH * cell["osl"]
        if of.apart[row]:
            pre = oracle.engine(*engine, cell["prefill_tp"], cell["prefill_ep"], cell["prefill_dp"], *drafts)
            dec = oracle.engine(*engine, cell["decode_tp"], cell["decode_ep"], cell["decode_dp"], *drafts)
            many = (cell["prefill_workers"], dec, cell["decode_workers"])
            loop = oracle.closed_loop(pre, *many, cell["concurrency"], s_i, s_o)
            expected = (loop["time_per_token"], loop["rate"] / cell["devices"])
        else:
            whole = oracle.engine(*engine, cell["tp"], cell["ep"], cell["dp_attention"], *drafts)
            answers = oracle.together(whole, cell["concurrency"] * whole.G / cell["devices"], s_i, s_o)
            expected = (answers["time_per_token"], answers["rate_per_device"])
            assert own[FIGURES[2]][row] == pytest.approx(answers["first_token"], rel=1e-9)
        assert (own[FIGURES[0]][row], own[FIGURES[1]][row]) == pytest.approx(expected, rel=1e-7), cell["id"]


def test_both_naive_laws_are_worse_on_every_row_set(groups):
    whole = groups["all without drafts"]
    for figure in FIGURES[:2]:
        median = whole.model[figure][0]
        assert whole.roofline[figure][0] > 5.0 * median
        assert whole.nearest[figure][0] > 5.0 * median


def test_claims_are_bars_and_none_is_missed():
    made = claims()
    assert {claim.status for claim in made} == {"pass", "fitted", "miss", "not checkable"}
    assert sum(claim.status == "pass" for claim in made) == 2
    assert all(claim.note for claim in made if claim.kind != "check")
    medians = [claim for claim in made if "median of the error of time per token" in claim.claim]
    assert len(medians) == 13
    assert all(claim.computed <= 15.0 for claim in medians)


def write(folder, change):
    """One of the rows as a table of one's own, with a cell changed."""
    table = rows().table
    cells = {name: values[0] for name, values in table.columns.items()} | change
    text = {name: "" if value != value else str(value) for name, value in cells.items()}
    file = folder / "mine.csv"
    file.write_text(",".join(text) + "\n" + ",".join(f'"{value}"' for value in text.values()) + "\n", encoding="utf-8")
    return file


def test_a_table_of_ones_own(tmp_path):
    compared = comparison(write(tmp_path, {}))
    assert {claim.status for claim in compared.claims} <= {"pass", "fail"}
    assert compared.details["groups"][0]["rows"] == 1
    slow = comparison(write(tmp_path, {"tpot_mean": 1.0}))
    assert [claim.status for claim in slow.claims if "time per token" in claim.claim] == ["fail", "fail"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "deepseek-r2"}, "deepseek-r1"),
        ({"device": "B200"}, "B200 SXM"),
        ({"stack": "slang"}, "sglang"),
        ({"isl": 0}, "'isl' is 0"),
    ],
)
def test_wrong_tables(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        comparison(write(tmp_path, change))


def test_cold_rows_have_no_rate():
    of = rows()
    measured = measured_figures(of)
    assert np.isnan(measured[FIGURES[1]][of.cold]).all()
    assert np.isfinite(measured[FIGURES[1]][~of.cold]).all()
