"""The panel of a design: within the window, tabs by keyboard, steps to its neighbours, texts that can be read."""

import re

import pytest
from toy import plain

from dse.api import Study
from dse.report.record import collect
from dse.report.run_page.page import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

TABS = ["objectives", "parameters", "breakdown", "bounds", "neighbours", "sources"]
BOX = """() => {
  const place = document.getElementById("detail");
  place.scrollIntoView({ block: "nearest" });
  const box = place.getBoundingClientRect(), body = place.querySelector(".panel-body");
  return { left: box.left, top: box.top, right: box.right, bottom: box.bottom, width: innerWidth, height: innerHeight,
    page: document.documentElement.scrollWidth, inside: body.clientWidth >= 0 && body.getBoundingClientRect().bottom };
}"""
CHOSEN = "() => document.querySelector('#detail [role=tab][aria-selected=true]').dataset.tab"
CUT = """() => [...document.querySelectorAll("#detail .stack b")].filter((one) => one.checkVisibility() &&
  (one.getBoundingClientRect().left < one.parentElement.getBoundingClientRect().left - 0.5 ||
   one.getBoundingClientRect().right > one.parentElement.getBoundingClientRect().right + 0.5))
  .map((one) => one.textContent)"""


@pytest.fixture(scope="module")
def part_of(tmp_path_factory):
    """The study ska-correlator with a page that holds only a part of its space: its steps are those that are stored."""
    run = Study.load("ska-correlator").run(tmp_path_factory.mktemp("part") / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collect, "ROWS", 30)
        return write_report(run), run


def test_within_the_window_with_tabs_that_keys_choose(show):
    page = show("ska-correlator")
    tabs_by_keyboard(page)
    within_the_window(page)


def within_the_window(page):
    for width, height in ((1920, 1080), (1440, 900), (1440, 480), (390, 800)):
        page.tab.set_viewport_size({"width": width, "height": height})
        for key in TABS:
            page.open_tab(key)
            box = page.tab.evaluate(BOX)
            assert box["left"] >= 0, (width, key)
            assert box["top"] >= -1, (width, key)
            assert box["right"] <= width, (width, key)
            assert box["bottom"] <= height + 1, (width, key)
            assert box["inside"] <= box["bottom"] + 0.5, (width, key)
            assert box["page"] <= width, (width, key)
        assert page.tab.evaluate(CUT) == []
        if width >= 1440:  # beside the plot, and it stays in sight as the page is scrolled
            page.tab.evaluate("() => scrollTo(0, document.querySelector('.plot-area').offsetTop + 60)")
            assert page.tab.evaluate("() => document.getElementById('detail').getBoundingClientRect().top") == 16
            plot = page.tab.evaluate("() => document.querySelector('.plot-area').getBoundingClientRect().right")
            assert page.tab.evaluate("() => document.getElementById('detail').getBoundingClientRect().left") > plot
    page.tab.emulate_media(media="print")
    assert page.tab.locator("#detail [role=tabpanel]:visible").count() == len(TABS)


def tabs_by_keyboard(page):
    tabs = page.tab.locator("#detail [role=tab]")
    assert tabs.all_inner_texts() == TABS
    assert page.tab.evaluate(CHOSEN) == "objectives"
    tabs.first.focus()
    for key, expected in (
        ("ArrowRight", "parameters"),
        ("ArrowLeft", "objectives"),
        ("ArrowLeft", "sources"),
        ("ArrowRight", "objectives"),
        ("End", "sources"),
        ("Home", "objectives"),
        ("ArrowRight", "parameters"),
        ("ArrowRight", "breakdown"),
    ):
        page.tab.keyboard.press(key)
        assert page.tab.evaluate(CHOSEN) == expected
        assert page.tab.evaluate("() => document.activeElement.dataset.tab") == expected
    assert page.tab.locator("#detail [role=tab][tabindex='0']").count() == 1
    shown = page.tab.locator("#detail [role=tabpanel]:visible")
    assert shown.count() == 1
    assert shown.get_attribute("aria-labelledby") == tabs.nth(2).get_attribute("id")
    assert tabs.nth(2).get_attribute("aria-controls") == shown.get_attribute("id")
    page.tab.keyboard.press("Tab")
    assert page.tab.evaluate("() => document.activeElement.id") == shown.get_attribute("id")
    page.click_design(842)
    assert page.tab.inner_text("#detail h3").endswith(" design 842")
    assert page.tab.evaluate(CHOSEN) == "breakdown"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_written_can_be_read(show, contrast, artefacts, scheme):
    page = show("ska-correlator", color_scheme=scheme)
    for key, of in (
        ("breakdown", "#detail .stack b, #detail .plain td"),
        ("neighbours", "#detail td, #detail .link, #detail .mark, #detail .note, #detail .bad"),
        ("objectives", "#detail [role=tab], #detail .mark, #detail .rank, #detail small"),
        ("bounds", "#detail .quiet, #detail .rank, #detail .sentences li, #detail .ticks span"),
    ):
        page.open_tab(key)
        found = contrast(page.tab, of)
        assert found
        assert min(found) >= 4.5, key
    page.tab.locator("#detail").screenshot(path=artefacts / f"panel-{scheme}.png")


def test_steps_that_are_stored_agree_with_explain(show, part_of):
    """Each step's change in every objective, the limit it breaks, and links to the designs the page has."""
    page = show(part_of)
    front = page.run.frontier["design"].tolist()
    assert page.tab.evaluate("() => [model.data.complete, model.count]") == [False, 30]
    page.open_tab("neighbours")
    linked = 0
    for place, number in enumerate(front):
        page.tab.evaluate("row => model.select(row)", place)
        told = page.run.explain(front.index(number)).neighbours
        lines = page.tab.locator("#detail .steps tbody tr")
        assert lines.count() == len(told)
        for text, step in zip(lines.all_inner_texts(), told, strict=True):
            line = plain(text)
            assert line.startswith(f"{page.run.label(step['axis'])} {step['value']}")
            assert ("infeasible: breaks run_time <= 0.52 s" in line) == (not step["feasible"])
            assert (" frontier" in line) == (step["design"] in front)
            changes = [step["change"][o["quantity"]] for o in page.run.objectives]
            size = [
                "=" if one == 0 else f"{'+' if one > 0 else '−'}{abs(100 * one):.1f} %"
                for one in changes
                if one is not None
            ]
            assert re.findall(r"(?:[+−][\d.]+ %|=)", line.replace("<=", ""))[-len(size) :] == size
            linked += step["design"] in front
    assert linked
    page.tab.evaluate("() => model.select(0)")
    while not page.tab.locator("#detail .steps .mark.good").count():
        page.tab.keyboard.press("ArrowDown")
        page.tab.evaluate("() => model.select(model.state.selected + 1)")
    link = page.tab.locator("#detail .steps tr", has=page.tab.locator(".mark.good")).locator(".link").first
    wanted = link.get_attribute("title")
    link.focus()
    page.tab.keyboard.press("Enter")
    assert page.tab.inner_text("#detail h3").startswith(f"{wanted} ")
    assert page.tab.evaluate(CHOSEN) == "neighbours"
    assert page.tab.evaluate("() => document.getElementById('detail').contains(document.activeElement)")


def test_without_the_models_the_page_says_why(show, hostile, tmp_path):
    study = hostile(constraints=[])
    run = study.run(tmp_path / "run")
    (study.folder / "tiny.py").unlink()
    run = type(run).load(tmp_path / "run")
    page = show((write_report(run), run))
    assert page.tab.evaluate("() => [model.data.complete, model.data.neighbours]") == [True, None]
    for key, told in (("neighbours", "The page holds no steps. No breakdown: "), ("breakdown", "No breakdown: ")):
        page.open_tab(key)
        assert page.tab.locator("#detail [role=tabpanel]:visible").inner_text().startswith(told)
