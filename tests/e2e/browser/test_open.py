"""`dse open` in a real browser: change and search again, reload, two tabs, runs, studies; keyboard, phone, dark."""

import json
import re
import subprocess
import sys

import pytest
from axe_playwright_python.sync_playwright import Axe

from dse import Study

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("open in a browser")]
PATIENCE = 60_000
STUDY = "ska-correlator"


class Tab:
    """A tab of a browser with the page of the server, and what went wrong in it."""

    def __init__(self, context, address):
        self.page, self.errors, self.elsewhere = context.new_page(), [], []
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        here = re.match(r"https?://[^/]+", address)[0]
        own = (here, "data:", "blob:")
        self.page.on("request", lambda r: None if r.url.startswith(own) else self.elsewhere.append(r.url))
        self.page.goto(address)
        self.page.wait_for_selector("html[data-live=ready]", state="attached")

    def wait_for_run(self, name):
        """Wait until the page of a run is shown, and its plot drawn."""
        shown = f'#frames iframe:not(.coming):not(.old)[title$=" {name}"]'
        frame = self.page.wait_for_selector(shown).content_frame()
        frame.wait_for_selector("html[data-plot]", state="attached")
        return frame


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def link(root):
    command = [sys.executable, "-c", "from dse.cli.main import main; main()", "open", STUDY, "--no-browser", "--json"]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        lines = ""
        while "}" not in lines:
            line = process.stdout.readline()
            assert line, "the server has ended"
            lines += line
        yield json.loads(lines)["url"]
    finally:
        process.kill()
        process.wait(60)


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    yield context
    context.close()


@pytest.fixture
def tab(context, link):
    opened = Tab(context, link)
    yield opened
    assert opened.errors == []
    assert opened.elsewhere == []


def test_a_limit_is_moved_by_keyboard_and_the_new_frontier_is_that_of_the_command(tab, root, tmp_path):
    page = tab.page
    tab.wait_for_run(STUDY)
    assert "token" not in page.url
    page.focus("#tab-answer")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "limit-0":
            break
    page.keyboard.press("Control+a")
    page.keyboard.type("0.6 s")
    page.keyboard.press("Enter")
    name = f"{STUDY}@run_time-le-0.6-s,without-limit=run_time-=-0.52-s"
    frame = tab.wait_for_run(name)
    assert page.evaluate("document.activeElement.id") == "limit-0"  # the focus stays where one types
    assert "exact" in page.inner_text("#outcome")
    before = json.loads(frame.evaluate("document.getElementById('data').textContent"))["before"]
    assert (before["name"], before["designs"]) == (STUDY, 5)
    assert f"before: {STUDY} (5)" in frame.inner_text("#legend")
    by_hand = Study.load(STUDY).with_(where="run_time <= 0.6 s", without={"limit": "run_time <= 0.52 s"})
    by_hand.run(tmp_path / "run")
    made = (root / "runs" / name / "frontier.parquet").read_bytes()
    assert made == (tmp_path / "run" / "frontier.parquet").read_bytes()
    page.go_back()
    tab.wait_for_run(STUDY)


def test_what_is_wrong_stands_at_its_field_and_the_old_answer_stays(tab):
    page = tab.page
    tab.wait_for_run(STUDY)
    page.fill("#limit-0", "0.6 W")
    page.press("#limit-0", "Enter")
    page.wait_for_selector("#outcome.bad")
    assert "0.6 W" in page.inner_text("#outcome")
    assert page.query_selector("#frames iframe.old") is None
    page.click("#back")
    page.wait_for_selector("#outcome:not(.bad):not([hidden])")
    assert page.input_value("#limit-0") == "0.52 s"


def test_a_part_is_left_out_and_saved_as_a_study(tab, root):
    page = tab.page
    tab.wait_for_run(STUDY)
    page.click("summary:has-text('alternative')")
    page.uncheck("label:has-text('haswell-8-channels') input")
    tab.wait_for_run(f"{STUDY}@without-alternative=haswell-8-channels")
    assert "--without alternative=haswell-8-channels" in page.inner_text("#changes code")
    page.fill("#limit-0", "0.7 s")
    page.fill("[name=variant-name]", "slower")
    page.click("#save")
    page.wait_for_selector("#panel-said:has-text('dse run slower.toml')")
    assert "run_time <= 0.7 s" in (root / "slower.toml").read_text()


def test_two_tabs_and_a_reload(tab, context, link):
    other = Tab(context, link)
    tab.wait_for_run(STUDY)
    other.wait_for_run(STUDY)
    for own, value in ((tab, "0.61 s"), (other, "0.62 s")):
        own.page.fill("#limit-0", value)
        own.page.press("#limit-0", "Enter")
    tab.page.wait_for_selector("#progress:not([hidden]), #outcome:not([hidden])")
    tab.page.reload()  # in mid-search, or just after it
    tab.page.wait_for_selector("html[data-live=ready]", state="attached")
    other.wait_for_run(f"{STUDY}@run_time-le-0.62-s,without-limit=run_time-=-0.52-s")
    tab.page.wait_for_selector("#frames iframe:not(.coming):not(.old)")
    tab.page.click("#tab-runs")
    for value in ("0.61", "0.62"):
        tab.page.wait_for_selector(f"#run-list a:has-text('run_time-le-{value}')")
    assert other.errors == []


def test_runs_are_compared_and_noted_and_a_study_is_checked_while_one_types(tab, root):
    page = tab.page
    tab.wait_for_run(STUDY)
    page.fill("#limit-0", "0.8 s")
    page.press("#limit-0", "Enter")
    page.wait_for_selector("#outcome:not([hidden])")
    page.click("#tab-runs")
    page.wait_for_selector("#run-list tbody tr >> nth=1")
    for row in (0, 1):
        page.check(f"#run-list tbody tr >> nth={row} >> input[type=checkbox]")
    page.click("#compare")
    page.wait_for_selector("#comparison iframe").content_frame().wait_for_selector("h2")
    row = page.query_selector(f"#run-list tr:has(a:text-is('{STUDY}'))")
    row.query_selector("input:not([type])").fill("as asked")
    page.keyboard.press("Tab")
    page.wait_for_selector("#runs-said:has-text('is kept')")
    assert (root / "runs" / STUDY / "note.txt").read_text() == "as asked\n"
    page.click("#tab-studies")
    page.click(f"#study-list button:text-is('{STUDY}')")
    page.wait_for_selector("#study-said:has-text('960 designs')")
    text = page.input_value("#text")
    page.fill("#text", text.replace("node_power", "node_powr", 1))
    page.wait_for_selector("#faults li")
    assert "did you mean 'node_power'" in page.inner_text("#faults")
    wrong = page.inner_text("#gutter .wrong")
    assert "node_powr" in text.replace("node_power", "node_powr", 1).split("\n")[int(wrong) - 1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_cut_and_rules_of_access_hold(browser, link, scheme):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    own = Tab(context, link)
    own.wait_for_run(STUDY)
    own.page.click("#fold")
    for view in ("answer", "runs", "studies"):
        own.page.click(f"#tab-{view}")
        own.page.wait_for_timeout(200)
        assert own.page.evaluate("document.documentElement.scrollWidth") <= 390, view
        found = Axe().run(own.page, options={"iframes": False}).response["violations"]
        assert [(fault["id"], [node["html"][:90] for node in fault["nodes"]]) for fault in found] == [], view
    assert own.errors == []
    context.close()
