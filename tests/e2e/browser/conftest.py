"""A real browser: Debian's Chromium, driven by playwright. Pages are opened from disk, as a user opens them."""

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from toy import plain

from dse.api import Study
from dse.report.page import write_report

ROOT = Path(__file__).parents[3]
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _from_file(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def browser():
    missing = None
    if not shutil.which(CHROMIUM):
        missing = f"there is no {CHROMIUM} (Debian: apt-get install chromium)"
    elif importlib.util.find_spec("playwright") is None:
        missing = "playwright is not installed"
    if missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"browser tests must run under CI=true, but {missing}")
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


class Opened:
    """A page of a run in the browser, and what went wrong in it."""

    def __init__(self, browser, file, run, **options):
        self.run = run
        self.context = browser.new_context(viewport={"width": 1280, "height": 1000}, accept_downloads=True, **options)
        self.tab = self.context.new_page()
        self.errors, self.requests, self.dialogs = [], [], []
        self.tab.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        # The page itself, and what it makes of its own bytes (the image of the plot, the exported file).
        ours = ("data:", "blob:", file.resolve().as_uri())
        self.tab.on("request", lambda r: None if r.url.startswith(ours) else self.requests.append(r.url))
        self.tab.goto(file.resolve().as_uri())
        self.tab.wait_for_selector("html[data-plot]", state="attached", timeout=60_000)
        self.tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @property
    def detail(self):
        return plain(self.tab.inner_text("#detail"))

    @property
    def count(self):
        return self.tab.inner_text("#count")

    def rows(self):
        """Design numbers of the table, in its order (as many as are in sight)."""
        return [
            int(text.replace("\u202f", ""))
            for text in self.tab.locator("#table tr[data-row] td:first-child").all_inner_texts()
        ]

    def click_design(self, number):
        """Click on a design in the plot."""
        self.tab.locator("#plot").scroll_into_view_if_needed()
        x, y = self.tab.evaluate(
            "n => { for (let i = 0; i < model.count; i++) if (model.number(i) === String(n)) return plot.locate(i); }",
            number,
        )
        self.tab.mouse.move(x, y)
        self.tab.mouse.click(x, y)

    def brush(self, axis, low, high):
        """Drag along an axis of the parallel coordinates, between two parts of its height."""
        heads = self.tab.locator("#parallel-heads button")
        names = [re.sub(r"\s", "", text) for text in heads.locator(".name").all_inner_texts()]
        heads.nth(names.index(axis)).scroll_into_view_if_needed()
        head = heads.nth(names.index(axis)).bounding_box()
        canvas = self.tab.locator("canvas.over").bounding_box()
        x, top, bottom = head["x"] + head["width"] / 2, canvas["y"] + 12, canvas["y"] + canvas["height"] - 24
        self.tab.mouse.move(x, bottom - low * (bottom - top) + 3)
        self.tab.mouse.down()
        self.tab.mouse.move(x, bottom - (low + high) / 2 * (bottom - top))
        self.tab.mouse.move(x, bottom - high * (bottom - top) - 3)
        self.tab.mouse.up()

    def export(self):
        """Export what is chosen; the text of the file, without the mark of its encoding."""
        with self.tab.expect_download() as download:
            self.tab.click("#export")
        return Path(download.value.path()).read_bytes().decode("utf-8-sig")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """The study of tests/dse/report whose every text is hostile: a function that makes it with changes."""
    module = _from_file("hostile_study", ROOT / "tests" / "dse" / "report" / "conftest.py")
    return lambda **changes: module.hostile_study(tmp_path_factory.mktemp("<b>hostile"), **changes)


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Run a study (its name, or a study) and write its page: once."""
    found = {}

    def make(study):
        name = study if isinstance(study, str) else study.name
        if name not in found:
            folder = tmp_path_factory.mktemp("pages") / name
            run = (Study.load(study) if isinstance(study, str) else study).run(folder)
            found[name] = (write_report(run), run)
        return found[name]

    return make


@pytest.fixture(scope="session")
def synthetic_study(tmp_path_factory):
    """A SYNTHETIC study of about so many designs, the one of benchmarks/page.py."""
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks.page import make_study
    finally:
        sys.path.remove(str(ROOT))
    return lambda designs, objectives=3: make_study(tmp_path_factory.mktemp("synthetic"), designs, objectives)


@pytest.fixture
def show(browser, pages):
    """Open the page of a study or the page in a file; close all at the end, and see that nothing went wrong."""
    opened = []

    def open_page(study, **options):
        file, run = study if isinstance(study, tuple) else pages(study)
        page = Opened(browser, file, run, **options)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        page.context.close()
        assert page.errors == []
        assert page.requests == []
        assert page.dialogs == []


@pytest.fixture(scope="session")
def artefacts():
    """Where screenshots are kept to be looked at (git-ignored)."""
    folder = Path(os.environ.get("DSE_ARTEFACTS", ROOT / "runs" / "screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
