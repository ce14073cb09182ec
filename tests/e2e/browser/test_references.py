"""Systems beside the space in a browser: labelled points on any axes, their panel and their table."""

import numpy as np
import pytest
from toy import MACHINES, REFERENCES, STUDY, edited, plain, write_references, write_toy

from dse.api import Study
from dse.report.run_page.page import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

BESIDE = "document.getElementById('plot').data.find((t) => t.meta === 'references')"
DIAMONDS = f"() => ({BESIDE} || {{ marker: {{ symbol: [] }} }}).marker.symbol"
NAMES = "() => (document.getElementById('plot').layout.annotations || []).map((a) => a.text)"
RANGES = "() => ['xaxis', 'yaxis'].map((k) => document.getElementById('plot').layout[k].range)"


@pytest.fixture
def page(show, tmp_path):
    """The page of the toy study with machines beside its space."""

    def opened(study=STUDY + REFERENCES, machines=MACHINES, **options):
        write_toy(tmp_path)
        run = Study.load(write_references(tmp_path, study, machines)).run(tmp_path / "run")
        found = show((write_report(run), run), **options)
        found.everything()
        return found

    return opened


def point(page, place):
    page.tab.locator("#plot").scroll_into_view_if_needed()
    x, y = page.tab.evaluate("place => plot.locateBeside(place)", place)
    page.tab.mouse.move(x, y)
    page.tab.wait_for_timeout(100)
    return x, y


def test_labelled_points(page, artefacts):
    found = page()
    assert found.tab.evaluate(DIAMONDS) == ["diamond", "diamond", "diamond-open"]
    assert sorted(found.tab.evaluate(NAMES)) == ["Alpha", "Gamma"]
    legend = plain(found.tab.inner_text("#legend"))
    assert "machines (2)" in legend
    assert "machines, a constraint broken (1)" in legend
    assert plain(found.tab.inner_text("#beside-note")) == "Not on these axes: Beta (no power)."
    drawn = found.tab.evaluate(f"() => {BESIDE}")
    alpha = found.run.references[0]["values"]
    assert [drawn["x"][0], drawn["y"][0]] == pytest.approx([alpha["time"], alpha["power"] / 1e3])
    found.tab.screenshot(path=artefacts / "references.png", full_page=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_can_be_told_apart_without_hues(page, artefacts, scheme):
    """By their shape, and as the ink is from the paper."""
    found = page(color_scheme=scheme)
    colour = found.tab.evaluate(f"() => {BESIDE}.marker.color")
    assert colour == {"light": "#1f2328", "dark": "#e6edf3"}[scheme]
    symbols = found.tab.evaluate(
        "() => document.getElementById('plot').data.flatMap((t) => (t.meta ? [] : t.marker ? t.marker.symbol : []))"
    )
    assert "diamond" not in symbols
    found.tab.locator(".plot-area").screenshot(path=artefacts / f"references-{scheme}.png")


def test_switched_off(page):
    found = page()
    before = found.tab.evaluate(RANGES)
    found.tab.uncheck("#show-references")
    found.tab.wait_for_timeout(300)
    assert found.tab.evaluate(DIAMONDS) == []
    assert found.tab.evaluate(NAMES) == []
    assert found.tab.locator("#beside-note").is_hidden()
    assert found.tab.evaluate(RANGES) != before  # the plot is that of the designs alone
    found.tab.check("#show-references")
    found.tab.wait_for_timeout(300)
    assert sorted(found.tab.evaluate(NAMES)) == ["Alpha", "Gamma"]
    assert found.tab.evaluate(RANGES) == before


def test_over_any_axes(page):
    """Axes of the space that are quantities of theirs too."""
    found = page()
    found.tab.select_option("#x", label="nodes")
    found.tab.select_option("#y", label="time")
    found.tab.wait_for_timeout(400)
    trace = found.tab.evaluate(f"() => {BESIDE}")
    assert trace["x"] == [20, 40, 300]
    assert trace["y"][1] == 12  # measured, as none is computed
    told = plain(found.tab.inner_text("#beside-note"))
    assert told == "At a measured value, as none is computed: Beta (time)."


def test_outside_the_plotted_range(page):
    """A distant one does not press the designs into a corner, and is named; zooming tells anew."""
    machines = MACHINES + "Delta,9000000,2,,,me,,no\n"
    found = page(machines=machines)
    assert "Outside the plotted range: Delta." in plain(found.tab.inner_text("#beside-note"))
    assert "Delta" not in found.tab.evaluate(NAMES)
    found.tab.evaluate("() => Plotly.relayout('plot', { 'yaxis.range': [-2, 9] })")
    found.tab.wait_for_timeout(600)
    assert "Delta" not in plain(found.tab.inner_text("#beside-note")).split("Not on")[0]
    assert "Delta" in found.tab.evaluate(NAMES)
    found.tab.evaluate("() => Plotly.relayout('plot', { 'yaxis.range': [-2, -1] })")
    found.tab.wait_for_timeout(600)
    assert "Outside the plotted range: Alpha, Gamma, Delta." in plain(found.tab.inner_text("#beside-note"))


def test_tip_and_panel(page):
    found = page()
    x, y = point(found, 0)
    tip = plain(found.tab.inner_text("#tip"))
    for told in (
        "Alpha, beside the space",
        "time 3.781 s",
        "power 2.675 kW",
        "power measured 3.100 kW (computed −13.7 %)",
    ):
        assert told in tip
    assert "synthetic, no real system" in tip
    found.tab.mouse.click(x, y)
    detail = found.detail
    for told in (
        "Alpha beside the space synthetic, no real system",
        "Measured time 6 s (computed −37.0 %)",
        "nodes 20",
        "Where it goes time 3.781 s",
        "compute time 3.333 s 88.2 %",
        "power <= 20 kW met",
        "network time 447.2 ms",
        "--reference Alpha",
    ):
        assert told in detail, told
    assert found.tab.locator('#table tr[aria-selected="true"]').count() == 0
    assert not found.tab.locator("#ring").is_hidden()
    point(found, 2)
    assert "breaks power <= 20 kW" in plain(found.tab.inner_text("#tip"))
    assert "extrapolated in nodes" in plain(found.tab.inner_text("#tip"))
    found.click_design(7)
    assert found.detail.split(" ", 1)[1].startswith("design 7 ")
    assert found.tab.locator('#table tr[aria-selected="true"]').count() == 1


def test_a_design_under_the_pointer_comes_first_where_it_is_nearer(page):
    """A reference at the very place of a design does not hide the designs round it."""
    found = page(machines=MACHINES + "Twin,4,2,,,me,,no\n")
    found.click_design(7)
    assert found.detail.split(" ", 1)[1].startswith("design 7 ")


def test_table(page):
    found = page()
    found.open_more("machines")
    rows = [plain(row) for row in found.tab.locator(".references tbody tr").all_inner_texts()]
    assert len(rows) == 3
    assert rows[0].startswith("Alpha 3.781 measured 6 computed −37.0 % 2.675 measured 3.100 computed −13.7 % 447.2")
    assert "no computed figure for time, power ('frequency' is empty)" in rows[1]
    assert "breaks power <= 20 kW" in rows[2]
    found.tab.locator(".references button").nth(2).click()
    assert found.detail.startswith("Gamma beside the space extrapolated in nodes")
    found.tab.locator(".references button").nth(1).click()
    assert "No computed figure for time, power ('frequency' is empty)." in found.detail
    assert found.tab.locator("#ring").is_hidden()


def test_brushing_and_exports_leave_them_alone(page):
    found = page()
    found.brush("nodes", 0, 0.4)
    found.tab.wait_for_timeout(300)
    opacity = found.tab.evaluate(
        "() => [...document.querySelectorAll('#plot .scatterlayer .trace')].at(-1)"
        ".querySelector('.points path').style.opacity"
    )
    assert opacity in ("", "1")
    assert "Alpha" not in found.export()
    assert sorted(found.tab.evaluate(NAMES)) == ["Alpha", "Gamma"]


def test_labels_do_not_meet(page):
    """Many in one place: each label has room of its own, and what has none is not written."""
    rng = np.random.default_rng(4)
    rows = "".join(
        f"machine {i},{n},{f:.3f},,,me,,yes\n"
        for i, (n, f) in enumerate(zip(rng.integers(8, 40, 60), rng.uniform(1, 2, 60), strict=True))
    )
    found = page(machines=MACHINES + rows)
    boxes = found.tab.evaluate(
        "() => [...document.querySelectorAll('#plot .annotation text')].map((t) => t.getBoundingClientRect())"
        ".map((r) => [r.left, r.top, r.right, r.bottom])"
    )
    assert 10 < len(boxes) <= 63
    for i, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:i]:
            over = min(right, other[2]) - max(left, other[0]), min(bottom, other[3]) - max(top, other[1])
            assert min(over) <= 1.5, (boxes[i], other)


def test_none(show):
    """Nothing of it is on the page of a study without references."""
    found = show("ska-correlator")
    assert found.tab.locator("#show-references").is_hidden()
    assert found.tab.locator("#beside-note").is_hidden()
    assert found.tab.evaluate(DIAMONDS) == []
    assert found.tab.locator(".references").count() == 0


def test_nothing_feasible(page):
    found = page(edited(STUDY + REFERENCES, ("20 kW", "1 W")))
    assert found.tab.evaluate(DIAMONDS) == ["diamond-open", "diamond", "diamond-open"]
    assert found.tab.locator(".references tbody tr").count() == 3


def test_one_objective(page):
    """Over the design number there is no place for what is no design."""
    found = page(edited(STUDY + REFERENCES, ('[[objectives]]\nminimize = "power"\n', "")))
    assert plain(found.tab.inner_text("#beside-note")) == (
        "Not on these axes: Alpha (no design number), Beta (no design number), Gamma (no design number)."
    )


def test_coloured_by_a_part(page):
    """The traces of parts and the points of references are kept apart."""
    clock = ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "parts.csv" }')
    found = page(edited(STUDY + REFERENCES, clock))
    found.tab.select_option("#colour", label="clock")
    found.tab.wait_for_timeout(400)
    assert found.tab.evaluate(DIAMONDS) == ["diamond", "diamond", "diamond-open"]
    found.brush("nodes", 0, 0.4)
    assert sorted(found.tab.evaluate(NAMES)) == ["Alpha", "Gamma"]


def test_hostile_names(page):
    """No text of a catalogue runs (the fixture asserts that nothing was loaded, asked or failed)."""
    evil = '"<img src=https://evil.example/x.png onerror=alert(1)>",20,1.5,,,"<script>alert(2)</script>",,yes\n'
    found = page(machines="name,nodes,frequency [GHz],log_time [min],meter [kW],source,confidence,synthetic\n" + evil)
    assert found.tab.evaluate(NAMES) == ["&lt;img src=https://evil.example/x.png onerror=alert(1)&gt;"]
    told = found.tab.locator("#plot .annotation text").text_content()
    assert told == "<img src=https://evil.example/x.png onerror=alert(1)>"
    x, y = point(found, 0)
    found.tab.mouse.click(x, y)
    assert found.detail.startswith("<img src=https://evil.example/x.png onerror=alert(1)>")
    assert "--reference '<img src=https://evil.example/x.png onerror=alert(1)>'" in found.detail
