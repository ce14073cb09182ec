"""The page whose unknowns are moved, against whole runs at the same values: design for design."""

import json

import numpy as np
import pytest

from dse.report.run_page.page import write_report
from dse.run.result.slider_file import read_sliders
from tests.dse.analysis.test_sliders import study_of
from tests.example_counts import ALL_EXAMPLES

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

FRONT = """positions => positions.map((position) => {
  const found = sliders.model.move(position);
  return [found.front.map((at) => sliders.model.stored.candidates[at]), found.near.length, found.loose];
})"""
POSITIONS = 200 if ALL_EXAMPLES else 40


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("moved")
    run = study_of(folder).run(folder / "run")
    run.trust(draws=20, cells=64)
    return write_report(run), run


def positions_of(run, count, seed=0):
    stored = read_sliders(run)
    low, high = (np.array([getattr(one, end) for one in stored.unknowns]) for end in ("low", "high"))
    shares = np.random.default_rng(seed).random((count, len(low)))
    shares[:2] = [[0.0] * len(low), [1.0] * len(low)]
    return low + (high - low) * shares


def test_the_page_gives_the_frontiers_of_whole_runs(show, moved):
    page, (_, run) = show(moved), moved
    positions = positions_of(run, POSITIONS)
    found = page.tab.evaluate(FRONT, positions.tolist())
    met = set()
    for (share, peak, link), (front, near, loose) in zip(positions, found, strict=True):
        settings = {"share": float(share), "peak": float(np.float64(3.0) * (1.0 + peak)), "link": float(link)}
        whole = run.study.with_(set=settings).run(trust=False).frontier["design"]
        assert sorted(front) == sorted(whole)
        assert (near, loose) == (0, False)
        met.add(tuple(sorted(front)))
    assert len(met) > 3


def test_a_limit_that_bites_on_a_part_of_an_interval_is_met_again_beyond_it(show, moved):
    """Power is limited, and rises with the share: fewer designs meet the limit the larger it is."""
    page, (_, run) = show(moved), moved
    counted = """shares => shares.map((share) => {
      sliders.model.move([share, 0, 2]);
      return sliders.model.feasible.reduce((sum, one) => sum + one, 0);
    })"""
    low, middle, high = page.tab.evaluate(counted, [0.3, 0.5, 0.7])
    possible = len(read_sliders(run).candidates)
    assert possible == low > middle > high > 0


def test_a_candidate_that_is_taken_out_is_missed(show, moved):
    """The comparison of the test above sees one design that is not there."""
    page, (_, run) = show(moved), moved
    at_start = sorted(run.frontier["design"])
    sliders = json.loads(page.tab.inner_text("#sliders") or page.tab.text_content("#sliders"))
    position = [one["nominal"] for one in sliders["unknowns"]]
    assert sorted(page.tab.evaluate(FRONT, [position])[0][0]) == at_start
    taken = """([position, gone]) => {
      const stored = JSON.parse(byId("sliders").textContent), at = stored.candidates.indexOf(gone);
      const other = moved.made(stored), found = other.move(position).front.filter((one) => one !== at);
      return found.map((one) => stored.candidates[one]);
    }"""
    assert sorted(page.tab.evaluate(taken, [position, int(at_start[0])])) != at_start


def test_sliders_move_the_counts_the_table_and_the_words(show, moved, artefacts):
    page, (_, run) = show(moved), moved
    tab = page.tab
    page.open_more("sure")
    rows = "#moved tr[data-design]"
    before = tab.locator(rows).count()
    assert before == len(run.frontier)
    told = tab.inner_text("#moved-count")
    assert "exact here" in told
    slider = tab.get_by_role("slider", name="share")
    slider.focus()
    tab.keyboard.press("Home")
    assert tab.inner_text("#moved-count") != told
    (front, *_) = tab.evaluate(FRONT, [[0.3, 0.0, 2.0]])[0]
    assert {int(one) for one in tab.eval_on_selector_all(rows, "all => all.map((r) => r.dataset.design)")} == {*front}
    tab.locator(f"{rows} button").first.click()
    assert "the frontier" in tab.inner_text("#moved-leaves")
    for width in (390, 1440):
        for scheme in ("light", "dark"):
            tab.set_viewport_size({"width": width, "height": 900})
            tab.emulate_media(color_scheme=scheme)
            assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
            tab.locator("#moved").screenshot(path=artefacts / f"sliders-{width}-{scheme}.png")
    tab.click("#sliders-reset")
    assert tab.inner_text("#moved-count") == told
    assert tab.locator(rows).count() == before


def test_inexact_steps_are_guarded_and_give_the_frontiers_of_whole_runs(show, tmp_path):
    """A geometric mean through exp and log, whose last bits differ from NumPy's: no near-tie, no difference."""
    run = study_of(tmp_path, objectives=("mean", "power", "time")).run(tmp_path / "run")
    run.trust(draws=20, cells=16)
    page = show((write_report(run), run))
    assert page.tab.evaluate("() => sliders.model.inexactly") == [True, False, False]
    positions = positions_of(run, POSITIONS // 2, seed=1)
    for (share, peak, link), (front, near, loose) in zip(
        positions, page.tab.evaluate(FRONT, positions.tolist()), strict=True
    ):
        settings = {"share": float(share), "peak": float(np.float64(3.0) * (1.0 + peak)), "link": float(link)}
        whole = run.study.with_(set=settings).run(trust=False).frontier["design"]
        assert not loose
        if near == 0:
            assert sorted(front) == sorted(whole)


def test_designs_that_last_bits_decide_are_near_ties(show, tmp_path):
    """Two designs whose inexact objectives differ by less than the guard, and are equal in all others."""
    text = {"axes": {"nodes": {"values": [2, 2.0000000000000004, 3]}, "watts": {"values": ["2 W"]}}}
    run = study_of(tmp_path, {"link": {"from": 1.0, "to": 4.0}}, ("mean",), space=text).run(tmp_path / "run")
    run.trust(draws=20, cells=16)
    page = show((write_report(run), run))
    assert len(read_sliders(run).candidates) >= 2
    assert "near-ties, marked" in page.tab.inner_text("#moved-count")


def test_a_difference_of_inexact_values_is_never_called_exact(show, tmp_path):
    run = study_of(tmp_path, objectives=("drop", "power")).run(tmp_path / "run")
    run.trust(draws=20, cells=16)
    page = show((write_report(run), run))
    told = page.tab.inner_text("#moved-count")
    assert "near-ties may fall differently" in told
    assert "exact" not in told
