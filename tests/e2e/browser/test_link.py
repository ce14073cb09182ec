"""The view in the fragment of the address: a link opens it again, and a bad one is told and does nothing else."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

VIEW = """() => ({
  kept: [...model.state.brushes].map(([place, span]) => [model.stored[place].name, ...span]),
  design: model.state.selected, marked: model.state.marked, rows: Array.from(table.rows()), order: table.order(),
  axes: [...document.querySelectorAll(".handle")].map((one) => one.dataset.name),
  logs: [...document.querySelectorAll("#parallel-heads input")].map((one) => one.checked),
  columns: [...document.querySelectorAll("#table thead .name")].map((one) => one.textContent),
  x: byId("x").value, y: byId("y").value, colour: byId("colour").value,
  shown: ["log-x", "log-y", "show-dominated", "show-infeasible"].map((id) => byId(id).checked),
  whole: byId("whole-space").textContent, tab: document.querySelector("#plot-tabs [aria-selected=true]").textContent,
  region: model.state.corners, wishes: [...document.querySelectorAll("#wishes select")].map((one) => one.value),
})"""


def hash_after(page):
    page.tab.wait_for_timeout(400)
    return page.tab.evaluate("() => location.hash")


def open_link(page, link):
    """The same file with a fragment, loaded anew; the plot need not be there yet."""
    page.tab.goto("about:blank")
    page.tab.goto(link)
    page.tab.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)


def test_link_opens_the_same_view(show):
    page = show("hybrid-xeon-sp")
    tab = page.tab
    usual, address = tab.evaluate(VIEW), tab.url
    assert hash_after(page) == ""

    tab.select_option("#x", index=2)
    tab.set_checked("#log-y", not tab.is_checked("#log-y"))
    tab.set_checked("#show-dominated", not tab.is_checked("#show-dominated"))
    tab.locator(".handle").nth(0).focus()
    tab.keyboard.press("ArrowRight")
    page.brush("nodes", 0.3, 1.0)
    tab.click("#whole-space")
    tab.evaluate("() => plot.keep({ x: [-1, 1e9], y: [1e-3, 1e6] })")
    tab.locator("#parallel-heads input").nth(1).click()
    tab.locator("#table th button", has_text="energy").first.click()
    tab.locator("#table-chooser summary").click()
    tab.locator("#table-chooser input").nth(1).uncheck()
    tab.keyboard.press("Escape")
    tab.select_option('#wishes select[data-objective="energy"]', "improve")
    tab.click("#tab-lines")
    tab.locator("#table tr[data-row]").nth(2).click()
    wanted = tab.evaluate(VIEW)
    assert wanted != usual

    # The address is brought up to date, and the button copies it.
    fragment = hash_after(page)
    assert all(
        f"{key}=" in fragment for key in ("x", "axes", "keep", "sort", "columns", "region", "wishes", "whole", "tab")
    )
    assert "design=" in fragment
    tab.click("#copy-link")
    tab.locator("#link-told", has_text="link").wait_for()
    link = tab.evaluate("() => pageState.address()")
    assert link == tab.url

    open_link(page, link)
    assert tab.evaluate(VIEW) == wanted
    assert tab.inner_text("#link-told") == ""

    # "Back" goes to the design before, and the plain address is the usual view.
    design = wanted["design"]
    tab.locator("#table tr[data-row]").nth(0).click()
    hash_after(page)
    assert tab.evaluate("() => model.state.selected") != design
    tab.go_back()
    hash_after(page)
    assert tab.evaluate(VIEW) == wanted
    open_link(page, address)
    assert tab.evaluate(VIEW) == usual


def test_bad_links_are_told_and_do_nothing(show):
    page = show("hybrid-xeon-sp")
    tab = page.tab
    usual, address = tab.evaluate(VIEW), tab.url
    for fragment, told in [
        ("x=%zz&y=1", "it cannot be read"),
        (
            "x=<img src=x onerror=alert(1)>&design=<script>alert(1)</script>",
            "x: not on this page; design: a design that",
        ),
        ("design=99999999999999999999", "design: a design that is not on this page"),
        ("keep=nodes~0~1e999!nodes~a~b", "keep: a part of an axis from 0 to 1 is wanted"),
        ("keep=__proto__~0~1&axes=constructor", "an axis that is not on this page"),
        ("scales=nodes~cubic", "scales: a scale that this page does not know"),
        ("wishes=1!energy~worsen~abc&sort=nothing&columns=none", "wishes: a design that is not on this page"),
        ("region=1~2!nan~3", "region: a region of the plot is wanted"),
        ("rows=every&<b>=1", "this page knows no “<b>”"),
        ("keep=" + "a" * 40000, "it cannot be read"),
    ]:
        if fragment.startswith("x=<"):
            open_link(page, f"{address}#{fragment}")
        else:
            tab.evaluate("hash => { location.hash = hash; }", fragment)
        tab.locator("#link-told", has_text=told).wait_for()
        assert tab.evaluate(VIEW) == usual
        assert tab.locator("img").count() == 0
    tab.evaluate("() => { location.hash = 'detail'; }")  # a place on the page is none of ours
    assert "“<b>”" in tab.inner_text("#link-told") or "cannot be read" in tab.inner_text("#link-told")
    assert tab.evaluate(VIEW) == usual


def test_everything_by_keyboard(show):
    """Arrows go along the table from anywhere but controls, Escape clears, and the focus can be seen."""
    page = show("hybrid-xeon-sp")
    tab = page.tab
    rows = tab.evaluate("() => Array.from(table.rows())")
    chosen = "() => model.state.selected"
    tab.evaluate("row => model.select(row)", rows[0])
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate(chosen) == rows[1]
    tab.locator("#plot-box").focus()
    tab.keyboard.press("End")
    assert tab.evaluate(chosen) == rows[-1]
    tab.keyboard.press("ArrowUp")
    assert tab.evaluate(chosen) == rows[-2]
    tab.locator("#table").focus()
    tab.keyboard.press("Home")
    assert tab.evaluate(chosen) == rows[0]
    tab.keyboard.press("PageDown")
    tab.keyboard.press("End")
    tab.keyboard.press("ArrowUp")
    tab.locator("#table th button").nth(1).focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("() => table.order()") is not None
    tab.keyboard.press("ArrowRight")  # belongs to the control
    assert tab.evaluate(chosen) == rows[-2]
    tab.locator(".handle").first.focus()
    tab.keyboard.press("ArrowUp")
    assert "chosen" in page.count
    tab.locator("#plot-box").focus()
    tab.wait_for_selector("#detail:not(.sheet)", state="attached")  # at the plot the card has its place again
    tab.keyboard.press("Escape")
    assert "chosen" not in page.count
    tab.keyboard.press("Escape")
    assert tab.evaluate(chosen) == -1

    # Tab reaches every control that is to be seen, once, and each shows that it has the focus.
    tab.locator(".keys summary").click()
    assert "in the order of the table" in tab.inner_text(".keys")
    wanted = tab.evaluate(
        "() => [...document.querySelectorAll('button, input, select, summary, [tabindex=\"0\"]')].filter((one) =>"
        " one.closest('#page-bar, #help, .parallel-area, .table-area') && one.checkVisibility() && !one.disabled)"
        ".map((one) => one.dataset.wanted = one.outerHTML.slice(0, 90))"
    )
    seen = set()
    for _ in range(200):
        tab.keyboard.press("Tab")
        found = tab.evaluate(
            """() => {
              const one = document.activeElement, style = getComputedStyle(one);
              return [one.dataset.wanted, one === document.body || style.outlineStyle !== "none"];
            }"""
        )
        assert found[1], found[0]
        seen.add(found[0])
        if found[0] is None and len(seen) > len(set(wanted)):
            break
    assert set(wanted) <= seen
