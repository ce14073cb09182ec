"""The short list at the top of the page: its rows select designs and references, its bars are the breakdowns."""

import re

import pytest
from toy import MACHINES, REFERENCES, STUDY, plain, write_references, write_toy

from dse.api import Study
from dse.report.run_page.page import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

BODIES = "#short tbody"


@pytest.fixture
def page(show, tmp_path):
    """The page of the toy study with machines beside its space."""

    def opened(study=STUDY + REFERENCES, **options):
        write_toy(tmp_path)
        run = Study.load(write_references(tmp_path, study, MACHINES)).run(tmp_path / "run")
        found = show((write_report(run), run), **options)
        found.open_more("words")
        return found

    return opened


def rows(found):
    return [plain(text) for text in found.tab.locator(BODIES).all_inner_texts()]


def test_rows(page):
    """One for each design with a role, then the best references; figures are those of the frontier."""
    found = page()
    fast, frugal, knee, alpha = rows(found)
    frame = found.run.frontier
    best = frame.loc[frame["time"].idxmin()]
    assert fast.startswith(f"lowest time A1, design {int(best['design'])} {best['time']:.3f} {best['power'] / 1e3:.2f}")
    assert frugal.startswith(f"lowest power A{len(frame)}, design {int(frame.loc[frame['power'].idxmin(), 'design'])} ")
    assert knee.startswith("knee A")
    assert alpha.startswith("lowest time, lowest power of machines Alpha 3.781 2.675 ")
    assert "beside the space" in alpha


def test_what_all_have_is_said_once(show):
    """Under the list, and under the table of the frontier, where all designs have it; in no row."""
    found = show("ska-correlator")
    assert plain(found.tab.inner_text("#short .common")) == "all: cores 96"
    assert not any(re.search(r"\bcores 96", text) for text in rows(found))
    frame = found.run.frontier
    common = plain(found.tab.inner_text("#table-common"))
    headings = found.tab.locator("#table thead .name").all_inner_texts()
    for name in found.run.axis_names:
        label = found.run.label(name)
        assert (label in headings) == (frame[name].nunique() > 1) == (f"{label} " not in f"{common} ")


@pytest.mark.parametrize("target", ["button", ".chosen"])
def test_a_click_selects(page, target):
    """The name of the role, or anywhere else in the row: the panel shows the design, and the row is marked."""
    found = page()
    for at in range(3):
        found.tab.locator(BODIES).nth(at).locator(target).click()
        number = re.search(r"design (\d+)", rows(found)[at])[1]
        assert found.detail.split(" ", 1)[1].startswith(f"design {number} ")
        marked = found.tab.locator(f"{BODIES}.here")
        assert re.search(rf"design {number}\b", plain(marked.first.inner_text()))
    reference = found.tab.locator(BODIES).nth(3)
    reference.locator(target).click()
    assert found.detail.startswith("Alpha beside the space")
    assert reference.locator("button").get_attribute("aria-pressed") == "true"
    found.click_design(int(found.run.frontier["design"].iloc[1]))
    assert reference.locator("button").get_attribute("aria-pressed") == "false"


def test_by_keyboard(page):
    found = page()
    found.tab.locator(BODIES).nth(1).locator("button").focus()
    found.tab.keyboard.press("Enter")
    number = re.search(r"design (\d+)", rows(found)[1])[1]
    assert found.detail.split(" ", 1)[1].startswith(f"design {number} ")


def test_bars_are_the_breakdowns(page):
    """Of objectives that are sums: shares as `explain` tells them, lengths on one scale for all rows."""
    found = page()
    bars = found.tab.locator("#short .sum")
    assert bars.count() == len(rows(found))  # time is a sum, power is none
    row = found.run.frontier["time"].idxmin()
    (breakdown,) = found.run.explain(int(row)).breakdowns
    told = bars.first.get_attribute("aria-label")
    for part in breakdown["parts"]:
        assert f"{found.run.label(part['quantity'])} {100 * part['share']:.1f} %" in told
    values = [
        float(text.split()[0]) for text in found.tab.locator('#short td[data-objective="time"] b').all_inner_texts()
    ]
    widths = [bars.nth(at).evaluate("bar => parseFloat(bar.style.width)") for at in range(bars.count())]
    assert widths == pytest.approx([100 * value / max(values) for value in values], rel=2e-3)
    assert plain(found.tab.inner_text("#short-legend")) == "time: compute time network time"


def test_what_a_percent_more_would_change(page):
    """In the panel of a design of the list, as `explain` tells it; not of others."""
    found = page()
    found.tab.locator(BODIES).first.click()
    told = found.run.explain(int(found.run.frontier["time"].idxmin())).sensitivities
    largest = max(abs(row["effects"]["time"]["elasticity"] or 0) for row in told if "time" in row["effects"])
    lines = [plain(text) for text in found.tab.locator(".effects tr").all_inner_texts()]
    assert lines[0] == "time"
    size = float(re.search(r"([\d.e-]+) %$", lines[1])[1])
    assert size == pytest.approx(largest, rel=5e-3)
    listed = {int(n) for text in rows(found)[:3] for n in re.findall(r"design (\d+)", text)}
    other = next(int(n) for n in found.run.frontier["design"] if int(n) not in listed)
    found.click_design(other)
    assert found.tab.locator(".effects").count() == 0


def test_without_scripts(browser, page):
    """The list is in the file itself."""
    found = page()
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(found.tab.url)
    assert plain(tab.locator(BODIES).first.inner_text()) == rows(found)[0]
    context.close()


@pytest.mark.parametrize("width", [1440, 1280, 700])
def test_nothing_is_cut_off(show, width):
    """Selects show what is chosen, headings of the parallel axes have room, the page does not scroll sideways."""
    found = show("ska-correlator")
    found.tab.set_viewport_size({"width": width, "height": 900})
    found.tab.wait_for_timeout(300)
    assert found.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    cut = found.tab.evaluate(
        "() => { const pen = document.createElement('canvas').getContext('2d');"
        " return [...document.querySelectorAll('.bar select')].filter((s) => s.offsetParent)"
        ".filter((s) => { pen.font = getComputedStyle(s).font;"
        " return pen.measureText(s.selectedOptions[0].text).width > s.clientWidth; }).map((s) => s.id); }"
    )
    assert cut == []
    heads = found.tab.evaluate(
        "() => { const room = document.querySelector('.scroller').scrollWidth;"
        " const left = document.getElementById('parallel').getBoundingClientRect().left;"
        " return [...document.querySelectorAll('#parallel-heads .handle')].map((b) => b.getBoundingClientRect())"
        ".map((r) => [r.left - left, r.right - left, room]); }"
    )
    for (left, right, room), (after, _, _) in zip(heads, [*heads[1:], [1e9, 0, 0]], strict=True):
        assert left >= -1
        assert right <= room + 1
        assert right <= after + 1  # and none is over the next
