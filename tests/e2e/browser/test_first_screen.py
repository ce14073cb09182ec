"""The first screen of a page: decisions choose designs, a tap brings up the card; tabs, and links into them."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

XEON, CORRELATOR = "hybrid-xeon-sp", "ska-correlator"
OPEN = "() => [...document.querySelectorAll('#more > [role=tabpanel]:not([hidden])')].map((one) => one.id)"
MARKS = """() => document.getElementById('plot').data.filter((trace) => Array.isArray(trace.meta))
  .flatMap((trace) => trace.marker.symbol)"""


def test_decisions_choose_designs(show):
    """A row of the table, by its button or anywhere else; the row of what is chosen is marked, whoever chose it."""
    page = show(XEON)
    rows = page.tab.locator("#decision tbody tr")
    best = int(page.run.frontier["run_time"].argmin())
    fastest = rows.nth(1)
    assert fastest.locator("th").inner_text() == "lowest run time"
    fastest.locator("button").focus()
    page.tab.keyboard.press("Enter")
    assert page.detail.startswith(f"A1 design {page.run.frontier['design'].iloc[best]} ")
    assert fastest.locator("button").get_attribute("aria-pressed") == "true"
    rows.nth(2).locator("th").click()
    assert page.detail.startswith(f"A{len(page.run.frontier)} design ")
    assert page.tab.locator("#decision tr.here").count() == 1
    page.click_design(int(page.run.frontier["design"].iloc[best]))
    assert "here" in fastest.get_attribute("class")


def test_a_tap_lays_the_card_over_the_lower_half_of_a_telephone(show):
    page = show(CORRELATOR)
    tab = page.tab
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.wait_for_timeout(200)
    tab.evaluate("() => document.getElementById('plot').scrollIntoView({ block: 'start' })")
    page.click_design(842)
    card = tab.locator("#detail").bounding_box()
    assert card["y"] > 844 * 0.4
    assert card["y"] + card["height"] == pytest.approx(844, abs=1)
    assert "842" in tab.inner_text("#detail h3")
    tab.click("#close-card")
    assert tab.locator("#close-card").is_hidden()
    assert tab.evaluate("() => getComputedStyle(document.getElementById('detail')).position") == "static"
    page.click_design(239)
    assert tab.locator("#close-card").is_visible()
    tab.keyboard.press("Escape")
    assert tab.locator("#close-card").is_hidden()
    assert tab.evaluate("() => model.number(model.state.selected)") == "239", "closed, and still chosen"


def test_a_design_that_is_chosen_below_has_its_card_in_the_corner(show):
    """The table is a screen below the plot; back there the card has its place again."""
    page = show(XEON)
    tab = page.tab
    tab.evaluate("() => document.querySelector('.table-area').scrollIntoView({ block: 'start' })")
    tab.locator("#table tr[data-row]").nth(2).click()
    card = tab.locator("#detail").bounding_box()
    assert 0 < card["y"] < card["y"] + card["height"] <= tab.viewport_size["height"]
    number = tab.evaluate("() => model.number(model.state.selected)")
    assert tab.inner_text("#detail h3").endswith(f" design {number}")
    tab.evaluate("() => scrollTo(0, 0)")
    tab.wait_for_function("() => document.getElementById('close-card').hidden")
    assert tab.locator("#detail").bounding_box()["x"] > tab.locator("#plot").bounding_box()["width"]


def test_tabs_by_keyboard_and_on_paper(show):
    page = show(XEON)
    tabs = page.tab.locator("#more > [role=tablist] [role=tab]")
    names = tabs.evaluate_all("all => all.map((one) => one.dataset.show)")
    assert names[:3] == ["designs", "words", "sure"]
    assert names[-1] == "about"
    assert page.tab.evaluate(OPEN) == ["more-designs"]
    tabs.first.focus()
    for key, at in (("ArrowRight", 1), ("ArrowLeft", 0), ("ArrowLeft", -1), ("Home", 0), ("End", -1)):
        page.tab.keyboard.press(key)
        assert page.tab.evaluate(OPEN) == [f"more-{names[at]}"]
        assert page.tab.evaluate("() => document.activeElement.dataset.show") == names[at]
    page.tab.emulate_media(media="print")
    assert page.tab.locator("#more > [role=tabpanel]:visible").count() == len(names)


def test_a_link_opens_at_what_it_shares(show):
    """At the tab; at a place that is named without a view; at the top, where what is shared stands there."""
    page = show(XEON)
    tab, address = page.tab, page.tab.url

    def opened(fragment):
        tab.goto("about:blank")
        tab.goto(f"{address}#{fragment}")
        tab.wait_for_selector("html[data-plot]", state="attached")
        return tab.evaluate(OPEN), tab.evaluate("() => scrollY")

    assert opened("show=words")[0] == ["more-words"]
    assert tab.evaluate("() => document.getElementById('more').getBoundingClientRect().top") < 500
    assert opened("design=none") == (["more-designs"], 0)
    assert opened("space")[0] == ["more-about"]
    assert tab.locator("#space").get_attribute("open") is not None
    assert opened("show=nowhere")[0] == ["more-designs"]
    assert "show: a part that is not on this page" in tab.inner_text("#link-told")
    tab.click("header a[href='#more-words']")
    assert tab.evaluate(OPEN) == ["more-words"]
    tab.wait_for_function("() => location.hash.includes('show=words')")


def test_parallel_axes_are_what_varies_on_the_frontier(show):
    page = show(CORRELATOR)
    frontier = page.run.frontier
    axes = set(page.tab.locator(".handle").evaluate_all("all => all.map((one) => one.dataset.name)"))
    assert "cores" not in axes
    assert frontier["cores"].nunique() == 1
    varying = {name for name in ("frequency", "l3_bandwidth", "dram_bandwidth") if frontier[name].nunique() > 1}
    assert varying | {"node_power", "total_power"} <= axes
