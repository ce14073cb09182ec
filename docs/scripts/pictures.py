"""The pictures of reports in the documents: studies are run, and their pages photographed in a browser.

    .venv/bin/python docs/scripts/pictures.py             # all, to docs/images
    .venv/bin/python docs/scripts/pictures.py exascale    # of one study

A page that has changed is photographed again by hand: bytes of a picture hang on fonts and on the browser.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from dse import Study

IMAGES = Path(__file__).parents[1] / "images"
PICTURES = {
    "ska-correlator": ("report", "#infeasible=true&whole=space"),  # with the designs that miss the deadline
    "exascale": ("exascale", ""),
    "training-llama-405b": ("training", ""),
    "topology-break-even": ("topologies", ""),
}
SIZE = {"width": 1440, "height": 900}  # one screen of a laptop


def take(browser: Browser, page: Path, view: str, target: Path) -> None:
    """Photograph the first screen of a page, once its plot is drawn."""
    tab = browser.new_page(viewport=SIZE)
    tab.goto(page.resolve().as_uri() + view)
    tab.wait_for_selector("html[data-plot]", state="attached")
    tab.wait_for_timeout(500)
    tab.screenshot(path=target)
    tab.close()


def main(wanted: list[str]) -> None:
    """Run the studies, and take their pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for study, (name, view) in PICTURES.items():
            if not wanted or study in wanted:
                page = Study.load(study).run(Path(folder) / study).report()
                take(browser, page, view, IMAGES / f"{name}.png")
                print(IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
