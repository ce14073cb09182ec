"""The plots of the page in a browser: what the scatter plot shows at first, its marks and legend; lines; breakdowns."""

import numpy as np
import pytest
from toy import plain

from dse.report.charts.palette import DARK, PAPER
from dse.run.result.how_sure import read_how_sure

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

CORRELATOR, XEON = "ska-correlator", "hybrid-xeon-sp"
MARKS = (
    "() => document.getElementById('plot').data.filter((t) => Array.isArray(t.meta)).map((t) => ({"
    " name: t.name, x: [...t.x], y: [...t.y], colour: t.marker.color, symbols: [...t.marker.symbol] }))"
)
RANGES = "() => ['xaxis', 'yaxis'].map((k) => document.getElementById('plot').layout[k].range)"
TRACES = (
    "place => document.getElementById(place).data.map((t) => ({ name: t.name, x: [...t.x], y: [...t.y],"
    " mode: t.mode, rows: t.customdata }))"
)

# What holds the pieces of a view, made simple: those that are not as usual.
SHARED = """() => {
  const entries = new Map(), now = (place) => (place.type === "checkbox" ? place.checked : place.value);
  window.shared = {
    share: (key, read, write) => entries.set(key, { read, write }),
    control: (id) => {
      const place = document.getElementById(id), usual = shared.usual[id];
      entries.set(id, { read: () => (now(place) === usual ? null : now(place)) });
    },
    pack: (lists) => lists.map((list) => list.join("~")).join("!"),
    unpack: (packed) => packed.split("!").map((list) => list.split("~")),
    read: () => Object.fromEntries([...entries].map(([key, { read }]) => [key, read()]).filter(([, v]) => v !== null)),
    write: (key, told) => { try { entries.get(key).write(told); return ""; } catch (error) { return error.message; } },
    usual: { alike: "off", "lines-y": "objective:run_time", "lines-x": "axis:nodes", "lines-line": "axis:cores",
      "lines-panel": "", "lines-all": false, "lines-sense": "min", "breakdown-of": "energy",
      "breakdown-x": "axis:nodes", "breakdown-by": "objective:energy" },
  };
  plot.shareView(window.shared);
}"""


def choose(page, place, **wanted):
    page.tab.select_option(place, **wanted)
    page.tab.wait_for_timeout(150)


def test_the_scatter_plot(show, artefacts):
    page = show(CORRELATOR)
    frontier, sample = page.run.frontier, page.run.sample

    # Zoomed to the frontier with a margin; a button shows the whole space, and brings back.
    def seen(rows, margin=1.0):
        scales = page.tab.evaluate("() => model.objectives.map((o) => o.scale)")
        found = page.tab.evaluate(RANGES)
        return [
            low * margin <= rows[name].min() / scale and rows[name].max() / scale <= high / margin
            for (low, high), name, scale in zip(found, ("node_power", "total_power"), scales, strict=True)
        ]

    feasible = sample[sample["feasible"]]
    assert not page.tab.is_checked("#show-infeasible")
    assert page.tab.is_checked("#show-dominated")
    assert seen(frontier) == seen(frontier, 1.005) == [True, True]
    assert not all(seen(feasible))
    before = page.tab.evaluate(RANGES)
    page.tab.click("#whole-space")
    page.tab.wait_for_timeout(150)
    assert all(seen(feasible))
    assert page.tab.inner_text("#whole-space") == "frontier only"
    far = feasible["design"][feasible["total_power"].idxmax()]
    page.tab.evaluate("n => model.select([...Array(model.count).keys()].find((i) => model.numeric(i) === n))", int(far))
    assert page.tab.locator("#sight-note").is_hidden()
    page.tab.click("#whole-space")
    page.tab.wait_for_timeout(150)
    assert page.tab.evaluate(RANGES) == before
    assert page.tab.locator("#sight-note").is_visible()
    assert page.tab.locator("#ring").is_hidden()

    # A colour and a shape for each alternative, those of the palette, on both grounds.
    for scheme, palette in (("dark", DARK), ("light", PAPER)):
        page.tab.emulate_media(color_scheme=scheme)
        page.tab.wait_for_timeout(400)
        marks = page.tab.evaluate(MARKS)
        assert {mark["name"] for mark in marks} == set(frontier["alternative"])
        assert [mark["colour"] for mark in marks] == list(palette.kinds[:2])
        assert [mark["symbols"] for mark in marks] == [["circle"], ["square"]]
        page.tab.locator(".plot-area").screenshot(path=artefacts / f"plot-{scheme}.png")
    legend = plain(page.tab.inner_text("#legend"))
    for name, count in frontier["alternative"].value_counts().items():
        assert f"{name} ({count})" in legend

    # Equal designs share a mark with a count, and clicks go through them.
    same = frontier[frontier["alternative"] == "arm-4-channels"]["design"].tolist()
    assert len(same) == 4
    row = page.run.frontier["design"].tolist().index(same[0])
    page.tab.locator("#plot").scroll_into_view_if_needed()
    x, y = page.tab.evaluate("row => plot.locate(row)", row)
    page.tab.mouse.move(x + 1, y + 1)
    assert "4 designs here" in page.tab.inner_text("#tip")
    assert "designs here (1 mark)" in plain(page.tab.inner_text("#legend"))
    found = []
    for _ in range(5):
        page.tab.mouse.click(x, y)
        found.append(int(page.tab.evaluate("() => model.number(model.state.selected)")))
    assert found == [*same, same[0]]
    assert "One mark stands for several designs at one place" in page.tab.inner_text("#plot-told")
    assert [" 4"] in page.tab.evaluate("() => document.getElementById('plot').data.map((t) => t.text && [...t.text])")

    # The legend hides a kind, or leaves it alone, by keyboard too; the table follows.
    page.tab.locator(".kind-toggle", has_text="arm").focus()
    page.tab.keyboard.press("Enter")
    assert page.tab.locator(".kind-toggle", has_text="arm").get_attribute("aria-pressed") == "false"
    assert page.rows() == frontier.loc[frontier["alternative"] != "arm-4-channels", "design"].tolist()
    page.tab.wait_for_timeout(150)
    assert [mark["name"] for mark in page.tab.evaluate(MARKS)] == ["haswell-8-channels"]
    page.tab.locator(".kind", has_text="arm").locator(".kind-only").click()
    assert sorted(page.rows()) == sorted(same)
    page.tab.click("#clear")
    assert len(page.rows()) == 5
    assert page.tab.locator('.kind-toggle[aria-pressed="false"]').count() == 0

    # Any stored number on an axis; what is known of the frontier alone leaves the others out, and says so.
    groups = page.tab.locator("#x optgroup").evaluate_all("all => all.map((g) => g.label)")
    assert groups == ["objectives", "further quantities", "axes", "parts of quantities"]
    choose(page, "#x", label="run time")
    choose(page, "#y", label="frequency")
    told = page.tab.inner_text("#plot-told")
    assert "Of designs behind the frontier the page holds no run time, so they are not drawn." in told
    drawn = sorted({x for mark in page.tab.evaluate(MARKS) for x in mark["x"]})
    scale = page.tab.evaluate("() => stored.byKey('also:run_time').scale")
    assert drawn == pytest.approx(sorted(set(frontier["run_time"] / scale)))

    # Lines: a limit that speaks of y is a line over it.
    page.tab.locator("#tab-scatter").focus()
    page.tab.keyboard.press("ArrowRight")
    choose(page, "#lines-y", label="run time")
    assert page.tab.locator("#tab-lines").get_attribute("aria-selected") == "true"
    assert page.tab.locator("#panel-scatter").is_hidden()
    shapes = page.tab.evaluate("() => document.getElementById('lines-plot').layout.shapes.map((s) => s.y0)")
    assert shapes == pytest.approx([0.52 / scale])
    assert "run_time <= 0.52 s" in page.tab.text_content("#lines-plot .annotation")

    # A breakdown along an axis: its parts add up to the least of the quantity at each value.
    page.tab.click("#tab-breakdown")
    choose(page, "#breakdown-x", label="core type")
    bars = page.tab.evaluate(TRACES, "breakdown-plot")
    least = page.tab.evaluate("() => model.objectives[0].scale") * np.sum([bar["y"] for bar in bars], axis=0)
    assert len(bars) == 2
    assert sorted(least) == pytest.approx(sorted(feasible_by_type(page)["node_power"].min()), rel=1e-6)
    assert "the least node power at that value" in page.tab.inner_text("#breakdown-note")

    # The plot stands before its controls; a wide screen is used; nothing scrolls sideways.
    for width in (390, 1920):
        page.tab.set_viewport_size({"width": width, "height": 900})
        for tab in ("breakdown", "lines", "scatter"):
            page.tab.click(f"#tab-{tab}")
            page.tab.wait_for_timeout(150)
            assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= width
            area = page.tab.locator("#plot-box" if tab == "scatter" else f"#{tab}-plot").bounding_box()
            bar = page.tab.locator(f"#panel-{tab} .bar").bounding_box()
            picks = page.tab.locator("#picks").bounding_box()
            assert area["y"] < bar["y"] < picks["y"]
            if width != 390:
                assert area["width"] > 1250


def feasible_by_type(page):
    """The feasible designs of the space by type of core: the first alternative has Haswell cores, the others ARM."""
    sample = page.run.sample
    first = page.run.manifest.space.alternatives[0].designs
    kinds = np.where(sample["design"] < first, "haswell", "arm")
    return sample[sample["feasible"]].groupby(kinds[sample["feasible"]])


def test_designs_that_the_model_cannot_tell_apart(show):
    """The model states errors of 8 % of the time and 15 % of the energy; and lines against a brute-force minimum."""
    page = show(XEON)
    frontier = page.run.frontier

    # Filled, dotted or hollow by the share of draws in which each is on the frontier; a line counts the extrapolated.
    (marks,) = page.tab.evaluate(MARKS)
    shares = read_how_sure(page.run).frontier
    drawn = [shares.get(str(number), 0.0) for number in frontier["design"]]
    filled = ["" if share >= 0.95 else "-open-dot" if share >= 0.5 else "-open" for share in drawn]
    assert [symbol.removeprefix("circle") for symbol in marks["symbols"]] == filled
    assert len(set(filled)) > 1
    assert f"possible ({filled.count('-open')})" in plain(page.tab.inner_text("#legend"))
    assert (frontier["extrapolated"] != "").sum() == 9
    assert "9 of 13 designs of the frontier are extrapolated" in plain(page.tab.inner_text("#plot-told"))

    for within, room in (("error", [0.08, 0.15]), ("5", [0.05, 0.05])):
        choose(page, "#alike", value=within)
        groups = page.tab.evaluate("() => plot.marks.map((mark) => mark.rows)")
        values = frontier[["run_time", "energy"]].to_numpy()
        near = np.abs(values[:, None] - values[None]) <= np.array(room) * values[None] * (1 + 1e-12)
        alike = near.all(axis=2)  # [design, the one it is compared with]
        assert sorted(row for group in groups for row in group) == list(range(len(frontier)))
        assert 1 < len(groups) < len(frontier)
        for first, *others in groups:
            assert all(alike[other, first] for other in others)
        firsts = [group[0] for group in groups]
        for at, first in enumerate(firsts):
            assert not any(alike[first, other] and alike[other, first] for other in firsts[:at])
    assert "at most 5 % in every objective" in page.tab.inner_text("#plot-told")
    choose(page, "#alike", value="error")
    assert "run time 8.0 %; energy 15.0 %" in page.tab.inner_text("#plot-told")

    # More kinds than shapes: the nine of most designs keep theirs, the others are one group. (Made up: 11 kinds.)
    groups, rest, shapes = page.tab.evaluate(
        """() => {
          const codes = [...Array(model.front).keys()].map((row) => Math.max(0, row - 2));
          const texts = [...Array(11).keys()].map((code) => `kind ${code}`);
          const made = colours.grouping({ codes, texts, many: 11 });
          return [made.groups.map((group) => [group.name, group.count]), made.rest, made.groups.map(colours.shape)];
        }"""
    )
    assert groups == [["kind 0", 3], *([f"kind {code}", 1] for code in range(1, 9)), ["2 others", 2]]
    assert rest == ["kind 9", "kind 10"]
    assert len(set(shapes[:9])) == 9
    assert shapes[9] == "circle"

    # A group is drawn apart by a click.
    group = next(group for group in page.tab.evaluate("() => plot.marks.map((m) => m.rows)") if len(group) > 1)
    page.tab.locator("#plot").scroll_into_view_if_needed()
    x, y = page.tab.evaluate("row => plot.locate(row)", group[0])
    many = len(page.tab.evaluate("() => plot.marks"))
    page.tab.mouse.move(x + 1, y + 1)
    assert f"{len(group)} designs here, alike" in page.tab.inner_text("#tip")
    page.tab.mouse.click(x, y)
    page.tab.wait_for_timeout(150)
    assert len(page.tab.evaluate("() => plot.marks")) == many + len(group) - 1
    assert page.tab.evaluate("() => model.state.selected") == group[0]
    choose(page, "#alike", value="off")

    # Lines join the least of all designs at each number of nodes, for each number of cores. Design numbers count
    # frequencies (3) fastest, then cores (8), then nodes (1, 2, 4 …).
    sample = page.run.sample
    assert len(sample) == page.run.manifest.space.designs == 216
    number = sample["design"].to_numpy()
    least = sample["run_time"].groupby([number % 24 // 3, number // 24]).min().unstack()
    page.tab.click("#tab-lines")
    choose(page, "#lines-x", label="nodes")
    choose(page, "#lines-line", label="cores")
    lines = page.tab.evaluate(TRACES, "lines-plot")
    assert [line["mode"] for line in lines] == ["lines+markers"] * 8
    for cores, line in enumerate(lines):
        assert line["x"] == [2**step for step in range(9)]
        assert line["y"] == pytest.approx(least.loc[cores].tolist(), rel=1e-6)
    assert plain(page.tab.inner_text("#lines-note")) == (
        "Lines join the least run time over what else is free, of the 216 feasible designs on this page."
    )
    # A panel for each frequency, with all designs as points.
    choose(page, "#lines-panel", label="frequency")
    page.tab.check("#lines-all")
    page.tab.wait_for_timeout(150)
    panels = page.tab.evaluate(TRACES, "lines-plot")
    assert sum(len(trace["x"]) for trace in panels if trace["mode"] == "markers") == 216
    assert sum(trace["mode"] == "lines+markers" for trace in panels) == 24
    titles = page.tab.locator("#lines-plot .annotation text").all_text_contents()
    assert titles == ["1.2 GHz", "1.5 GHz", "1.8 GHz"]
    # What is chosen can be shared: each piece a text, written back, or refused with a word.
    page.tab.evaluate(SHARED)
    chosen = page.tab.evaluate("() => shared.read()")
    assert chosen == {"tab": "lines", "lines-panel": "axis:frequency", "lines-all": True}
    assert page.tab.evaluate("() => shared.write('tab', null)") == ""
    assert page.tab.evaluate("() => shared.write('whole', 'space')") == ""
    assert page.tab.evaluate("() => shared.write('whole', '<img>')") == "space is wanted"
    assert page.tab.evaluate("() => shared.write('tab', 'scripts')") == "a plot that is not on this page"
    assert page.tab.evaluate("() => shared.write('hidden', 'nobody')") == "a kind that is not in the legend"
    page.tab.wait_for_timeout(150)
    assert page.tab.inner_text("#whole-space") == "frontier only"
    assert page.tab.evaluate("() => shared.read()").keys() == {"whole", "lines-panel", "lines-all"}
