"""The picture of a report that README and site show: the page of the study ska-correlator, as a browser draws it.

    .venv/bin/python docs/scripts/report_picture.py     # needs Chromium

It writes docs/images/report.png: the first screen, with the whole space and the designs that miss the deadline.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from dse.api import Study
from dse.report.run_page.page import write_report

CHROMIUM = "/usr/bin/chromium"
PICTURE = Path(__file__).parents[1] / "images" / "report.png"
VIEW = "infeasible=true&whole=space"


def draw(picture: Path) -> None:
    """Run the study, write its page, and take a picture of its first screen."""
    with tempfile.TemporaryDirectory() as folder:
        page = write_report(Study.load("ska-correlator").run(Path(folder) / "run"))
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            tab = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
            tab.goto(f"{page.resolve().as_uri()}#{VIEW}")
            tab.wait_for_selector("html[data-plot=ready]", state="attached")
            tab.wait_for_timeout(500)  # the image under the plot
            tab.screenshot(path=picture)
            browser.close()


if __name__ == "__main__":
    draw(PICTURE)
