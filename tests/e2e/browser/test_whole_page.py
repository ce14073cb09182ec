"""The pages as a whole: what axe-core finds, room on any screen, and every control within reach of the keyboard."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from toy import write_toy

from dse.analysis.compare.compare import compare
from dse.api import Study
from dse.report.comparison.page import write_comparison

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

STUDY = "collectives-tradeoff"  # several alternatives, three objectives, pictures; small
SCREENS = [(width, scheme) for width in (390, 1440, 1920) for scheme in ("light", "dark")]
GRAVE = """place => axe.run(place, { resultTypes: ["violations"] }).then(({ violations }) => violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.html.slice(0, 120)}`)))"""
UNFOLD = "() => document.querySelectorAll('details').forEach((part) => { part.open = true; })"
FITS = "() => document.documentElement.scrollWidth <= innerWidth"
BOX = "selector => document.querySelector(selector).getBoundingClientRect().toJSON()"
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter((one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }) && !one.disabled)
  .map((one, at) => (one.dataset.stop = `${at} ${one.outerHTML.slice(0, 90)}`))"""
FOCUSED = """() => {
  const one = document.activeElement, { outlineStyle, outlineWidth } = getComputedStyle(one);
  return [one.dataset.stop ?? null, one === document.body || (outlineStyle !== "none" && outlineWidth !== "0px")];
}"""


@pytest.fixture(scope="module")
def small_pages(pages, tmp_path_factory):
    """The pages of a comparison of two designs and of a sweep."""
    folder = tmp_path_factory.mktemp("small")
    place = pages(STUDY)[1].folder
    compared = write_comparison(compare([f"{place}:0", f"{place}:2"]), folder / "comparison.html")
    toy = Study.load(write_toy(folder))
    swept = toy.sweep("base_power", "0.2..40000 W", steps=9, quantity="time", by="nodes", also=["power"])
    return compared, swept.report(folder / "sweep.html")


def on(tab, width, scheme):
    tab.set_viewport_size({"width": width, "height": 844 if width < 1000 else 900})
    tab.emulate_media(color_scheme=scheme)
    tab.wait_for_timeout(150)
    tab.evaluate(SETTLED)


def test_axe_finds_nothing_grave_in_a_report(show):
    page = show(STUDY)
    tab = page.tab
    tab.evaluate(AXE_SCRIPT)
    assert tab.evaluate("() => axe.version.startsWith('4.')")
    tab.evaluate(UNFOLD)
    for key, width, scheme in [("lines", 1440, "light"), ("breakdown", 390, "dark")]:
        on(tab, width, scheme)
        tab.click(f"#tab-{key}")
        tab.evaluate(SETTLED)
        assert tab.evaluate(GRAVE, ".plot-area") == [], (width, scheme, key)
    tab.click("#tab-scatter")
    tab.evaluate("() => document.querySelectorAll('#detail [role=tabpanel]').forEach((one) => { one.hidden = false; })")
    for width, scheme in [(1440, "light"), (390, "dark")]:
        on(tab, width, scheme)
        tab.evaluate(
            "() => document.querySelectorAll('#more > [role=tabpanel]').forEach((one) => { one.hidden = false; })"
        )
        assert tab.evaluate(GRAVE, "#more") == [], (width, scheme)

    # It does find what is wrong.
    tab.evaluate("() => document.getElementById('count').insertAdjacentHTML('afterend', '<button></button>')")
    assert any(told.startswith("button-name") for told in tab.evaluate(GRAVE, "body"))


def test_axe_finds_nothing_grave_in_comparisons_and_sweeps(browser, small_pages):
    for file in small_pages:
        context = browser.new_context()
        tab, faults = context.new_page(), []
        tab.on("console", lambda message, faults=faults: faults.append(message.text))
        tab.on("pageerror", lambda error, faults=faults: faults.append(str(error)))
        tab.goto(file.resolve().as_uri())
        tab.evaluate(AXE_SCRIPT)
        tab.evaluate(UNFOLD)
        for width, scheme in [(1440, "light"), (390, "dark")]:
            on(tab, width, scheme)
            assert tab.evaluate(GRAVE, "body") == [], (file.name, width, scheme)
            assert tab.evaluate(FITS), (file.name, width)
        assert faults == []
        context.close()


def test_a_report_on_any_screen(show):
    page = show(STUDY)
    tab = page.tab
    plots = {}
    for width, scheme in SCREENS:
        on(tab, width, scheme)
        assert tab.evaluate(FITS), (width, scheme)
        plot, work = tab.evaluate(BOX, "#plot"), tab.evaluate(BOX, ".panel > .bar")
        plots[width] = plot["width"]
        assert plot["bottom"] <= work["top"]
        answer = tab.evaluate(BOX, "#decision")
        assert answer["top"] >= 0
        assert answer["bottom"] <= plot["top"]
        screens = 2 if width == 390 else 1
        assert plot["bottom"] <= screens * tab.viewport_size["height"], "question, decisions and plot, at once"
        tab.evaluate("() => document.getElementById('detail').scrollIntoView({ block: 'nearest' })")
        panel = tab.evaluate(BOX, "#detail")
        assert panel["top"] >= -1
        assert panel["bottom"] <= tab.viewport_size["height"] + 1
        assert panel["left"] >= 0
        assert panel["right"] <= width
        tab.evaluate("() => scrollTo(0, 0)")
    assert plots[390] < plots[1440] < plots[1920]
    page.assert_labels_stand_apart()

    # Nothing lies over anything, wherever the page is scrolled to.
    tab.set_viewport_size({"width": 1440, "height": 900})
    areas = "[...document.querySelectorAll('.work > :not([hidden]), #more-designs > *')]"
    for place in (".plot-area", ".parallel-area", ".table-area"):
        tab.evaluate("selector => document.querySelector(selector).scrollIntoView({ block: 'center' })", place)
        boxes = tab.evaluate(f"() => {areas}.map((one) => one.getBoundingClientRect().toJSON())")
        for at, a in enumerate(boxes):
            for b in boxes[at + 1 :]:
                beside = a["right"] <= b["left"] + 1 or b["right"] <= a["left"] + 1
                assert beside or a["bottom"] <= b["top"] + 1 or b["bottom"] <= a["top"] + 1, place


def test_tab_reaches_every_control_and_shows_where_it_is(show):
    tab = show(STUDY).tab
    tab.evaluate("() => document.querySelectorAll('.keys, .chooser').forEach((one) => { one.open = true; })")
    wanted, seen = tab.evaluate(REACHABLE), set()
    assert len(wanted) > 60
    for _ in range(2 * len(wanted)):
        tab.keyboard.press("Tab")
        stop, visible = tab.evaluate(FOCUSED)
        assert visible, stop
        if stop is None and seen:
            break
        seen.add(stop)
    assert set(wanted) - seen == set()
