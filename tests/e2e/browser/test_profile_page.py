"""The page of a profile in a browser: its figures are drawn, and nothing is refused by its own policy."""

import pytest

from dse.models.workload.cli.page import write_profile_page
from dse.models.workload.profile.reading import read_profile

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_figures_are_drawn(browser, tmp_path, colours):
    file = write_profile_page(read_profile("synthetic-dense"), tmp_path / "page.html")
    context = browser.new_context(viewport={"width": 1000, "height": 800}, color_scheme=colours)
    page, faults = context.new_page(), []
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else faults.append(request.url),
    )
    page.goto(file.as_uri())
    page.wait_for_function("document.querySelectorAll('.plotly-graph-div .main-svg').length >= 4")
    assert page.locator(".plotly-graph-div").count() == 5
    assert "SYNTHETIC DATA" in page.locator("header").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("summary").first.click()
    assert page.locator("details[open] td").first.is_visible()
    assert faults == []
    context.close()
