"""The pages of sweeps, in a real browser: charts that fit the screen, winners told by shape, nothing that overflows."""

import pytest
from toy import write_toy

from dse import Study

LIGHT = 1_000_000  # bytes


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The pages of a sweep, of attainable curves and of a map of winners, with what they show."""
    folder = tmp_path_factory.mktemp("sweep")
    study = Study.load(write_toy(folder))
    swept = study.sweep("base_power", "0.2..40000 W", steps=9, quantity="time", by="nodes", also=["power"])
    curves = study.attainable("power")
    winners = study.winner_map(
        ("base_power", "0.2..40000 W"), ("work", "1e10, 1e11"), steps=7, quantity="time", by="nodes"
    )
    found = {"sweep": swept, "attainable": curves, "map": winners}
    return {name: (one, one.report(folder / f"{name}.html")) for name, one in found.items()}


def opened(browser, file, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab = context.new_page()
    faults = []
    tab.on("console", lambda message: faults.append(message.text))
    tab.on("request", lambda request: None if request.url == file.resolve().as_uri() else faults.append(request.url))
    tab.goto(file.resolve().as_uri())
    return context, tab, faults


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_pages_fit_the_screen_and_show_every_step(browser, written, artefacts, width, scheme):
    for kind, (found, file) in written.items():
        assert file.stat().st_size < LIGHT
        context, tab, faults = opened(browser, file, width, scheme)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        charts = tab.locator("svg.chart:visible")
        for place in range(charts.count()):
            box = charts.nth(place).bounding_box()
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        letters = tab.evaluate(
            """() => [...document.querySelectorAll("svg.chart text")].filter(t => t.getClientRects().length).map(t => {
                const svg = t.ownerSVGElement.getBoundingClientRect(), own = t.getBoundingClientRect();
                return [own.height, own.left - svg.left, svg.right - own.right];
            })"""
        )
        assert letters
        assert all(9 <= height <= 30 and left >= -1 and right >= -1 for height, left, right in letters)
        tab.screenshot(path=artefacts / f"{kind}-{width}-{scheme}.png", full_page=True)
        if kind == "sweep":
            feasible = [step for step in found.steps if step.design]
            chart = charts.first
            assert chart.locator(".mark").count() == len(feasible) < len(found.steps)
            assert chart.locator(".nothing").count() == 1
            assert chart.locator(".place").count() == len(found.break_even)
            shapes = {chart.locator(".mark").nth(n).get_attribute("d") for n in range(len(feasible))}
            assert len(shapes) == len({step.winner for step in feasible}) > 1
            assert tab.locator(".changes li").count() == len(found.break_even)
            limit = tab.locator("svg.chart:visible text.limit")
            assert limit.evaluate_all("found => found.map(one => one.textContent)") == ["power <= 20 kW"]
            assert tab.locator("tbody tr").count() == len(found.steps)
            areas = tab.locator("svg.chart:visible .area")
            assert areas.count() == len(feasible[0].parts["time"])
        elif kind == "attainable":
            (time,) = found.curves
            assert charts.first.locator(".mark").count() == len(time.points)
            assert tab.locator("tbody tr").count() == len(time.points)
        else:
            built = [cell for cell in found.cells if cell.winner]
            marks = charts.first.locator(".mark")
            assert marks.count() == len(built) < len(found.cells)
            assert charts.first.locator(".nothing").count() == len(found.cells) - len(built)
            shapes = {marks.nth(n).get_attribute("d") for n in range(len(built))}
            assert len(shapes) == len(found.winners) > 1
            assert charts.nth(1).locator("path.line").count() == len(found.ys)
            tab.keyboard.press("Tab")
            tab.keyboard.press("Enter")
            assert tab.locator("tbody tr:visible").count() == len(found.cells)
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "scroll"
        assert faults == []
        context.close()
