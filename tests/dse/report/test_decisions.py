"""The decision table of the page: what is chosen and how probably, what is left out, and what it says without draws."""

import pytest

from dse.report.run_page.decision_section import decision_section
from dse.report.words.decisions import Cell, decision_table_of
from dse.run.result.how_sure import Decided, Flip, HowSure, What


def decided(quantity, values, *, flip=None, unanswered=0.0, name="cores"):
    what = [What(name=name, values=values, flip=flip)]
    return Decided(quantity=quantity, sense="min", unanswered=unanswered, what=what, designs=[])


@pytest.fixture
def xeon(runs):
    return runs("hybrid-xeon-sp")


@pytest.fixture
def sure_of(monkeypatch, xeon):
    """The table of a run of which this is known."""

    def make(*choices, draws=1000, **more):
        record = HowSure(draws=draws, decided=[*choices], **more)
        monkeypatch.setattr("dse.report.words.decisions.read_how_sure", lambda run: record)
        return decision_table_of(xeon)

    return make


def row_of(table, about):
    return next(row for row in table.rows if row.about == about)


def test_rows_are_the_designs_that_stand_out(xeon):
    """The knee, and the best of each objective, as computed: its row, its name and its value."""
    table = decision_table_of(xeon)
    assert [row.about for row in table.rows] == ["knee", "lowest run time", "lowest energy"]
    fastest = row_of(table, "lowest run time")
    assert fastest.row == int(xeon.frontier["run_time"].argmin())
    assert fastest.name == "A1"
    assert fastest.value.split()[0] == f"{xeon.frontier['run_time'].min():.4g}"


def test_shares_runner_up_and_toss(sure_of):
    table = sure_of(
        decided("run_time", {"8": 0.9, "4": 0.1}),
        decided("energy", {"1": 0.52, "2": 0.48}),
        decided("", {"8": 0.7, "2": 0.2, "1": 0.1}),
    )
    assert list(table.columns) == ["cores"]
    assert row_of(table, "lowest run time").cells["cores"] == Cell("8", "90 %", "4 10 %")
    assert row_of(table, "lowest energy").cells["cores"] == Cell("1 or 2", "a toss, 52 : 48", "", True)
    assert row_of(table, "knee").cells["cores"] == Cell("8", "70 %", "2 20 %")
    assert "1\u202f000 draws" in table.note


def test_an_estimate_is_called_one_beside_the_table(sure_of):
    choice = decided("run_time", {"8": 0.9, "4": 0.1})
    assert not sure_of(choice).note.startswith("an estimate")
    assert sure_of(choice, way="estimated").note.startswith("an estimate")


def test_designs_without_the_choice_are_said(sure_of):
    """A quarter of the draws is won by designs that have such a part, the rest by others: no majority for it."""
    cell = row_of(sure_of(decided("run_time", {"MI300A": 0.26})), "lowest run time").cells["cores"]
    assert cell == Cell("none", "74 %", "MI300A 26 %")
    whole = sure_of(decided("run_time", {"MI300A": 0.26}, unanswered=0.74))
    assert row_of(whole, "lowest run time").cells["cores"] == Cell("MI300A", "26 %", "")
    assert row_of(whole, "lowest run time").unanswered == "74 %"


def test_what_would_flip_it(sure_of):
    flip = Flip(
        unknown="run_time",
        part="",
        above=True,
        value=0.1,
        relative=True,
        winner="4",
        share=0.6,
        elsewhere=0.1,
        side=0.2,
    )
    table = sure_of(decided("run_time", {"8": 0.8, "4": 0.2}, flip=flip))
    assert row_of(table, "lowest run time").flip == "4 if run time is above +10 %"


def test_without_draws_it_says_that_it_is_not_sure(runs):
    run = runs("ska-correlator")
    table = decision_table_of(run)
    assert table.note.startswith("as computed; no error is known for node power, total power")
    assert "not the same as being sure" in table.note
    assert all(not cell.odds for row in table.rows for cell in row.cells.values())
    assert row_of(table, "lowest total power").cells["alternative"].best == "haswell-8-channels"
    assert "cores" not in table.columns, "what all have alike tells nothing apart"


def test_its_html_is_escaped_and_names_choose_rows(make_run):
    run = make_run()
    (html,) = decision_section(run, {row: row for row in range(len(run.frontier))})
    assert "<script>alert" not in html
    assert "<img" not in html
    assert 'data-row="' in html
    assert list(decision_section(make_run(constraints=["power <= 1 W", "time <= 0.5 ms"]), {})) == []
