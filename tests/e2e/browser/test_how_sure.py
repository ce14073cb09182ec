"""How sure the page says designs are: points by what is certain, the table's column, the section with the decisions."""

import pytest

from dse import Study
from dse.report.run_page.page import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker


def test_points_table_and_section_say_what_is_certain(show, artefacts, tmp_path):
    study = Study.load("hybrid-xeon-sp").edited(uncertain={"run_time": {"error": "3 %"}}, name="sure")
    run = study.run(tmp_path / "sure")
    trust = run.trust(draws=100)
    certain, drawn = set(trust.certain), trust.probability
    assert certain
    faint = {design for design in run.frontier["design"] if drawn.get(str(design), 0.0) < 0.5} - certain
    page = show((write_report(run), run))
    marks = page.tab.evaluate(
        "() => document.getElementById('plot').data.filter((t) => Array.isArray(t.meta)).flatMap((t) =>"
        " t.meta.map((at, nth) => [at, t.marker.symbol[nth], t.marker.opacity[nth]]))"
    )
    assert len(marks) <= len(run.frontier)
    assert sum(symbol.endswith("-open") for _, symbol, _ in marks) <= len(faint)
    assert any(not symbol.endswith("-open-dot") for _, symbol, _ in marks)
    page.open_more("sure")
    told = page.tab.inner_text("main")
    assert "How sure" in told
    assert f"{len(certain)}" in told
    assert "robust: " in told.lower()
    assert "certain" in page.tab.inner_text("#legend")
    page.open_more("designs")
    assert "certain" in page.tab.inner_text("#table")
    page.tab.screenshot(path=artefacts / "how-sure.png", full_page=True)
