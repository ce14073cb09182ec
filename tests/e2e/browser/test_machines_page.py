"""The page of real machines in a browser: its figures are drawn, names are text, nothing is refused by its policy."""

import dataclasses

import pytest

from dse.models.machines.claims.page import write_page
from dse.models.machines.claims.published import comparison

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

FIGURES = 4


@pytest.fixture(scope="module")
def found():
    return comparison()


@pytest.fixture
def opened(browser):
    contexts = []

    def open_(file, colours):
        context = browser.new_context(viewport={"width": 1000, "height": 800}, color_scheme=colours)
        contexts.append(context)
        page, faults = context.new_page(), []
        page.on("console", lambda one: faults.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda one: None if one.url.startswith(("file:", "data:", "blob:")) else faults.append(one.url),
        )
        page.goto(file.as_uri())
        page.wait_for_function(f"document.querySelectorAll('.plotly-graph-div .main-svg').length >= {FIGURES}")
        return page, faults

    yield open_
    for context in contexts:
        context.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_figures_and_tables_are_there(opened, found, tmp_path, colours):
    page, faults = opened(write_page(found, tmp_path / "page.html"), colours)
    assert page.locator(".plotly-graph-div").count() == FIGURES
    assert page.locator("main table").count() == len(found.listings)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    plot = page.locator(".plotly-graph-div").nth(2)
    marks = sum("efficiency" in one["left_out"] for one in found.details["machines"])
    assert plot.locator(".scatterlayer .point").count() == marks == 22
    named = {text.text_content() for text in plot.locator(".scatterlayer .textpoint").all()} - {""}
    assert named == {"Tianhe-2A", "Perlmutter", "Selene"}
    assert faults == []


def test_a_device_has_one_colour_in_all_figures(opened, found, tmp_path):
    page, _ = opened(write_page(found, tmp_path / "page.html"), "light")
    colours = page.evaluate(
        """() => [...document.querySelectorAll('.plotly-graph-div')].map(
            div => Object.fromEntries(div.data.map(trace => [trace.name, trace.marker.color])))"""
    )
    assert len(colours) == FIGURES
    for figure in colours:
        assert figure == {name: colours[0][name] for name in figure}
    assert len(set(colours[0].values())) >= 10


def test_hostile_names_are_shown_as_they_are(opened, found, tmp_path):
    name = "<b>A</b><img src=x onerror=alert(1)></script><script>alert(2)</script>"
    machines = [dict(one) for one in found.details["machines"]]
    (selene,) = [one for one in machines if one["name"] == "Selene"]  # beyond its band, so that it is named
    selene["name"] = selene["device"] = name
    hostile = dataclasses.replace(found, details=found.details | {"machines": machines, "file": name})
    page, faults = opened(write_page(hostile, tmp_path / "page.html"), "light")
    plot = page.locator(".plotly-graph-div").first
    assert name in {text.text_content() for text in plot.locator(".textpoint").all()}
    assert name in {text.text_content() for text in plot.locator(".legendtext").all()}
    assert name in page.locator("header").inner_text()
    assert page.locator("img").count() == 0
    assert faults == []
