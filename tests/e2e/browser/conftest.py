"""A real browser: Debian's Chromium, driven by playwright. Pages are opened from disk, as a user opens them."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from toy import plain

from dse.api import Study
from dse.report.run_page.page import write_report

ROOT = Path(__file__).parents[3]
CHROMIUM = "/usr/bin/chromium"
CLOSING = 20  # seconds a browser has to close
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # all pages of a window share a process, which keeps the scripts it has compiled
]

# Contrast as WCAG 2.2 defines it, of the text of some elements on what is painted behind them.
CONTRAST = """selector => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((v) => v / (colour.startsWith("color(") ? 1 : 255))
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const painted = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$/.test(painted)) return painted;
    }
    return "rgb(255, 255, 255)";
  };
  return [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).map((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
}"""


def _from_file(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Driven:
    """The browser of this process, its driver and the window of all pages of runs: begun when wanted, and closed."""

    def __init__(self):
        self.driver = self.chromium = self.window = None

    def __getattr__(self, name):
        """What the browser has; it is begun at the first wish."""
        if self.chromium is None:
            from playwright.sync_api import sync_playwright

            self.driver = sync_playwright().start()
            self.chromium = self.driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        return getattr(self.chromium, name)

    def close(self):
        """Close all. No test is running: what does not close any more is ended, and hides nothing."""
        window, chromium, driver = self.window, self.chromium, self.driver
        self.driver = self.chromium = self.window = None
        steps = [own.close for own in (window and window.context, chromium) if own]
        closed = all(_within(CLOSING, step) for step in steps)
        if driver:
            with contextlib.nullcontext() if closed else contextlib.suppress(Exception):
                _within(CLOSING, driver.stop)


DRIVEN = Driven()


def _within(seconds, close):
    """Call a function, and return True; after so many seconds end the driver and the browser, and it with them."""

    def end():
        for process in _descendants(lambda name: name.startswith("node")):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        close()
    except Exception:
        if timer.is_alive():
            raise
    finally:
        in_time = timer.is_alive()
        timer.cancel()
    return in_time


def _descendants(wanted):
    """Return the children of this process with a name that is wanted, and all that they have begun."""
    ask = ["ps", "-e", "-o", "pid=,ppid=,comm="]
    listed = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=60).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    found = [int(number) for number, parent, name in rows if int(parent) == os.getpid() and wanted(name)]
    for process in found:  # grows meanwhile
        found += [int(number) for number, parent, _ in rows if int(parent) == process]
    return found


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Close the browser after its last test, not at the end of the session: nobody looks after it meanwhile.

    It once did not close any more after a quarter of an hour, and kept the whole run waiting for three minutes.
    """
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        DRIVEN.close()


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
    return DRIVEN


# Texts of the parallel axes that are cut, stand outside, or lie over one another.
OVERLAPS = """() => {
  const texts = ".handle .name, .handle .unit, .handle .goal, .axis .log, .tick";
  const boxes = [...document.querySelectorAll(texts)].map((one) =>
    [one.innerText, one.getBoundingClientRect(), one.clientWidth && one.scrollWidth > one.clientWidth + 1]);
  const over = [], room = document.getElementById("parallel").getBoundingClientRect();
  boxes.forEach(([told, a, cut], at) => {
    if (cut || a.left < room.left - 1 || a.right > room.right + 1) over.push([told, "has no room"]);
    for (const [other, b] of boxes.slice(at + 1))
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
        over.push([told, other]);
  });
  return over;
}"""


class Window:
    """A window in which pages are opened, each in a tab of its own.

    Scripts compiled for a page are used by the next one if it has the same address, so each is copied there: that takes
    a third of the time. The process lives as long as the window has a tab.
    """

    def __init__(self, browser, file):
        self.context, self.file = browser.new_context(accept_downloads=True), file
        self.context.new_page().goto("file:///dev/null")

    def open(self, file, **media):
        """A new tab, and the address of the page to open in it."""
        shutil.copyfile(file, self.file)
        tab = self.context.new_page()
        tab.set_viewport_size({"width": 1280, "height": 1000})
        tab.emulate_media(**media)
        return tab, self.file.resolve().as_uri()


class Opened:
    """A page of a run in the browser, and what went wrong in it."""

    def __init__(self, window, file, run, **media):
        self.run = run
        self.tab, address = window.open(file, **media)
        self.errors, self.requests, self.dialogs = [], [], []
        self.tab.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        # The page itself, and what it makes of its own bytes (the image of the plot, the exported file).
        ours = ("data:", "blob:", address)
        self.tab.on("request", lambda r: None if r.url.startswith(ours) else self.requests.append(r.url))
        self.tab.goto(address)
        self.tab.wait_for_selector("html[data-plot]", state="attached", timeout=60_000)
        self.tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    @property
    def detail(self):
        """What the panel tells, all its tabs one after the other."""
        return plain(
            self.tab.evaluate(
                """() => {
                  const place = document.getElementById("detail"),
                    hidden = [...place.querySelectorAll("[role=tabpanel][hidden]")];
                  for (const panel of hidden) panel.hidden = false;
                  const told = place.innerText;
                  for (const panel of hidden) panel.hidden = true;
                  return told;
                }"""
            )
        )

    def open_tab(self, key):
        """Open a tab of the panel."""
        self.tab.click(f"#detail [data-tab={key}]")

    def open_more(self, key):
        """Open a tab of what lies below the plot."""
        self.tab.click(f"#more-tab-{key}")

    @property
    def count(self):
        return self.tab.inner_text("#count")

    def rows(self):
        """Design numbers of the table, in its order (as many as are in sight)."""
        return [
            int(text.replace("\u202f", ""))
            for text in self.tab.locator("#table tr[data-row] td:first-child").all_inner_texts()
        ]

    def everything(self):
        """Show infeasible designs too, and the whole space in the plot."""
        for box in self.tab.locator("#show-infeasible:visible").all():
            box.check()
        button = self.tab.locator("#whole-space:visible", has_text="whole space")
        if button.count():
            button.click()
        self.tab.wait_for_timeout(300)

    def click_design(self, number):
        """Click on a design in the plot; designs at one place are shown one after the other."""
        self.tab.locator("#plot").scroll_into_view_if_needed()
        x, y = self.tab.evaluate(
            "n => { for (let i = 0; i < model.count; i++) if (model.number(i) === String(n)) return plot.locate(i); }",
            number,
        )
        self.tab.mouse.move(x, y)
        for _ in range(20):
            self.tab.mouse.click(x, y)
            if self.tab.evaluate("() => model.number(model.state.selected)") == str(number):
                return

    def brush(self, axis, low, high):
        """Drag along an axis of the parallel coordinates, between two parts of its height."""
        self.tab.evaluate("() => document.getElementById('parallel').scrollIntoView({ block: 'center' })")
        self.tab.locator(f'.handle[data-name="{axis}"]').scroll_into_view_if_needed()
        (x, bottom), (_, top) = (self.tab.evaluate("([n, p]) => parallel.locate(n, p)", [axis, p]) for p in (0, 1))
        self.tab.mouse.move(x, bottom - low * (bottom - top) + 3)
        self.tab.mouse.down()
        self.tab.mouse.move(x, bottom - (low + high) / 2 * (bottom - top))
        self.tab.mouse.move(x, bottom - high * (bottom - top) - 3)
        self.tab.mouse.up()

    def assert_labels_stand_apart(self, widths=(390, 1440, 1920)):
        """Assert that headings and ticks of the parallel axes are whole and apart, in windows of these widths."""
        for width in widths:
            self.tab.set_viewport_size({"width": width, "height": 900})
            self.tab.wait_for_timeout(100)
            assert self.tab.locator(".tick").count() > 10
            assert self.tab.evaluate(OVERLAPS) == []
            assert self.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")

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
def window(browser, tmp_path_factory):
    """The window of all pages of runs."""
    if DRIVEN.window is None:
        DRIVEN.window = Window(browser, tmp_path_factory.mktemp("window") / "report.html")
    return DRIVEN.window


@pytest.fixture
def show(window, pages):
    """Open the page of a study or the page in a file; close all at the end, and see that nothing went wrong."""
    opened = []

    def open_page(study, **media):
        file, run = study if isinstance(study, tuple) else pages(study)
        page = Opened(window, file, run, **media)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        page.tab.close()
        assert page.errors == []
        assert page.requests == []
        assert page.dialogs == []


@pytest.fixture(scope="session")
def contrast():
    """The contrast of the texts of some elements in sight to what is painted behind them."""
    return lambda tab, selector: tab.evaluate(CONTRAST, selector)


@pytest.fixture(scope="session")
def artefacts():
    """Where screenshots are kept to be looked at (git-ignored)."""
    folder = Path(os.environ.get("DSE_ARTEFACTS", ROOT / "runs" / "screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
