"""The page of a comparison: bars as long as their numbers, stacks on one scale, what differs, on any screen."""

import re

import pytest
from toy import plain

from dse.analysis.compare.compare import compare
from dse.api import Study
from dse.report.comparison.page import write_comparison

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

TABLES = """() => [...document.querySelectorAll(".figures .bars")].map((table) => ({
  title: table.querySelector("caption b").textContent,
  rows: [...table.querySelectorAll("tr")].map((row) => {
    const bar = row.querySelector(".track-bar i");
    return [row.querySelector("th").textContent, bar ? bar.getBoundingClientRect().width : 0,
      row.children[2].textContent, row.children[3].textContent];
  }),
}))"""
STACKS = """() => [...document.querySelectorAll(".stacked")].map((table) =>
  [...table.querySelectorAll(".stack")].map((bar) =>
    [...bar.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0)))"""
CUT = """() => [...document.querySelectorAll(".stack b")].filter((one) => one.checkVisibility() &&
  one.getBoundingClientRect().width > one.parentElement.getBoundingClientRect().width + 0.5).length"""


@pytest.fixture(scope="module")
def variants(tmp_path_factory):
    """A comparison of a study and a variant in which the energy is limited, and its page."""
    folder = tmp_path_factory.mktemp("variants")
    study = Study.load("hybrid-xeon-sp")
    study.run(folder / "base")
    study.with_(where=["energy <= 8 kJ"]).run(folder / "frugal")
    found = compare([str(folder / "base"), str(folder / "frugal")])
    return write_comparison(found, folder / "page.html"), found


@pytest.fixture(scope="module")
def opened(browser, variants):
    """The page in the browser, in one window for each scheme; nothing may go wrong in it."""
    windows, errors = {}, []

    def open_page(scheme):
        if scheme not in windows:
            windows[scheme] = browser.new_context(
                viewport={"width": 1440, "height": 900}, color_scheme=scheme
            ).new_page()
            tab = windows[scheme]
            tab.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
            tab.on("pageerror", lambda error: errors.append(str(error)))
            tab.goto(variants[0].resolve().as_uri())
        return windows[scheme]

    yield open_page
    for tab in windows.values():
        tab.context.close()
    assert errors == []


def test_bars_are_as_long_as_their_numbers(opened, variants):
    tab, found = opened("light"), variants[1]
    tables = {one["title"]: one["rows"] for one in tab.evaluate(TABLES)}
    names = [candidate.name for candidate in found.candidates]
    assert list(tables)[:2] == ["run time", "energy"]
    for title, quantity in (("run time", "run_time"), ("energy", "energy"), ("memory time", "memory_time")):
        rows = tables[title]
        values = [candidate.values[quantity] for candidate in found.candidates]
        assert [row[0] for row in rows] == names
        longest = max(row[1] for row in rows)
        for (_, width, told, ratio), value in zip(rows, values, strict=True):
            assert width == pytest.approx(longest * value / max(values), abs=1.5)
            assert re.match(r"[\d.]+ ", plain(told))
            if value == values[0]:
                assert ratio in ("the first", "1×")
            else:
                assert float(ratio.split("×")[0]) == pytest.approx(value / values[0], rel=0.006)
                better = {True: " better", False: " worse"}[value < values[0]] if title != "memory time" else ""
                assert ratio.endswith(f"×{better}")
    wholes = {name: [] for name in found.sums(every=True)}
    for name, list_ in wholes.items():
        list_ += [b["value"] for c in found.candidates for b in c.breakdowns if b["quantity"] == name]
    for widths, values in zip(tab.evaluate(STACKS), wholes.values(), strict=True):
        longest = max(widths)
        for width, value in zip(widths, values, strict=True):
            assert width == pytest.approx(longest * value / max(values), abs=1.5)
    assert tab.evaluate(CUT) == 0


def test_only_what_differs_until_the_rest_is_asked_for(opened, variants):
    tab, found = opened("light"), variants[1]
    same = {
        name
        for name in found.candidates[0].parameters
        if len({candidate.parameters[name] for candidate in found.candidates}) == 1
    }
    shown = tab.locator(".differing").first.locator("tbody tr:visible th")
    assert same
    assert same.isdisjoint(shown.all_inner_texts())
    assert "≠" in tab.locator(".differing tbody tr:not(.same) > th").first.evaluate(
        "row => getComputedStyle(row, '::before').content"
    )
    tab.locator("#all-parameters").focus()
    tab.keyboard.press("Space")
    assert same < set(shown.all_inner_texts())
    tab.locator("details summary").click()
    few = tab.locator("details tbody tr:visible").count()
    tab.locator("label[for=all-quantities]").click()
    assert few < tab.locator("details tbody tr:visible").count() == len(found.quantities())


def test_what_entered_and_left(opened, variants):
    tab, changes = opened("light"), variants[1].changes
    assert changes["left_count"] > 0
    for kind in ("entered", "left"):
        assert tab.locator(f"td .{kind}").count() == len(changes[kind])
    heads = tab.locator("table", has=tab.locator("td .left")).locator("thead th").all_inner_texts()
    assert {"nodes", "cores", "run time", "energy"} <= set(heads)
    assert 'derived from hybrid-xeon-sp: --where "energy <= 8 kJ"' in tab.inner_text("main")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_any_screen_and_on_paper(opened, contrast, artefacts, scheme):
    tab = opened(scheme)
    assert tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 29)"
    )
    texts = ".bars td, .bars th, .bars caption *, .stack b, .parts td, .differing td, .differing label, .left, .note"
    assert min(contrast(tab, texts)) >= 4.5
    tab.screenshot(path=artefacts / f"comparison-{scheme}.png", full_page=True)
    for width in (390, 1920):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width, timeout=5_000)
        assert tab.evaluate(CUT) == 0
    tab.emulate_media(media="print", color_scheme="light")
    assert tab.locator(".figures .track-bar i").first.is_visible()
    assert tab.locator(".differing label").first.is_hidden()
