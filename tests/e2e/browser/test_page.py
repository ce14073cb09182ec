"""The page in a browser: it opens, is linked, exports what it shows, and lets no text of a study run."""

import csv
import io
import re

import numpy as np
import pytest
from toy import STUDY, clock_of, edited, plain, write_toy

from dse.api import Run, Study
from dse.report.run_page.page import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

CORRELATOR, XEON = "ska-correlator", "hybrid-xeon-sp"


def table_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_opens(show, artefacts):
    """No error, no request (the fixture asserts both), the plot is drawn; a screenshot is kept."""
    page = show(CORRELATOR)
    assert page.tab.get_attribute("html", "data-plot") == "ready"
    places = page.run.frontier[["node_power", "total_power"]].drop_duplicates()
    assert page.tab.locator("#plot .scatterlayer .points path").count() == len(places) == 2
    assert page.tab.locator("#plot image").count() == 1
    assert page.tab.inner_text(".answer") == "Of 960 designs 5 are on the frontier; it is exact."
    page.tab.screenshot(path=artefacts / "ska-correlator.png")
    assert (artefacts / "ska-correlator.png").stat().st_size > 20_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_schemes(show, artefacts, scheme):
    page = show(XEON, color_scheme=scheme)
    page.tab.screenshot(path=artefacts / f"hybrid-xeon-sp-{scheme}.png", full_page=True)
    paper = page.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]


# ---- one design -----------------------------------------------------------------------------------------------------


def test_click_on_the_frontier_fills_the_panel(show):
    page = show(CORRELATOR)
    page.click_design(842)
    told = page.detail
    for words in (
        "design 842",
        "on the frontier",
        "node power 256.8 W best",
        "total power 4.208 MW 2 of 5",
        "alternative arm-4-channels core type ARM cores 96 frequency 3.2 GHz",
        "Bounds run time the largest bound",
        "binds",
        "below",
        "Where it goes node power 256.8 W",
        "core static power",
        "run_time <= 0.52 s",
        "limit 520 ms",
        "--number 842",
    ):
        assert words in told
    assert page.tab.locator('#table tr[aria-selected="true"]').get_attribute("data-row") is not None
    assert not page.tab.locator("#ring").is_hidden()


def test_panel_agrees_with_explain(show):
    """Bounds, breakdown and slack are those of `Run.explain`."""
    page = show(CORRELATOR)
    row = page.run.frontier["design"].tolist().index(239)
    told = page.run.explain(row).as_dict()
    page.click_design(239)
    (bound,) = told["bounds"]
    far = 1 - bound["parts"][1]["value"] / bound["value"]
    assert f"{100 * far:.1f} % below" in page.detail
    (breakdown,) = told["breakdowns"]
    for part in breakdown["parts"]:
        assert f"{page.run.label(part['quantity'])} {part['value']:.1f} W {100 * part['share']:.1f} %" in page.detail
    (constraint,) = told["constraints"]
    assert f"{100 * constraint['relative_slack']:.1f} % to spare" in page.detail


def test_neighbours_agree_with_explain(show):
    """One step along each axis: what it changes, and whether it is feasible."""
    page = show(CORRELATOR)
    told = page.run.explain(page.run.frontier["design"].tolist().index(239)).neighbours
    page.click_design(239)
    lines = [plain(line) for line in page.tab.locator(".steps tbody tr").all_inner_texts()]
    assert len(lines) == len(told)
    for line, step in zip(lines, told, strict=True):
        assert line.startswith(f"{page.run.label(step['axis'])} {step['value']}")
        assert ("infeasible" in line) == (not step["feasible"])
        change = step["change"]["total_power"]
        assert line.endswith("=" if change == 0 else f"{'+' if change > 0 else '−'}{abs(100 * change):.1f} %")


def test_confidence_stands_beside_the_part(show, tmp_path):
    """In the panel, the steps, the table, the tip and the short list beside the part; in the export as a column."""
    (tmp_path / "sure.csv").write_text(
        "name,frequency [GHz],source,confidence\nslow,1,data sheet,high\nfast,2,a talk,low\n"
    )
    write_toy(tmp_path)
    (tmp_path / "toy.toml").write_text(edited(STUDY, clock_of("sure.csv"), ('name = "toy"', 'name = "sure"')))
    page = show(Study.load(tmp_path / "toy.toml"))
    number = int(page.run.frontier.loc[page.run.frontier["clock"] == "fast", "design"].iloc[0])
    page.click_design(number)
    assert "clock fast · low" in page.detail
    x, y = page.tab.evaluate("() => plot.locate(model.state.selected)")
    page.tab.mouse.move(x + 1, y + 1)
    assert "clock fast · low" in page.tab.inner_text("#tip")
    told = page.run.explain(page.run.frontier["design"].tolist().index(number)).neighbours
    steps = [plain(line) for line in page.tab.locator(".steps tbody tr").all_inner_texts()]
    assert len(steps) == len(told)
    assert any(step.startswith("clock slow · high ") for step in steps)
    assert "clock_confidence" not in page.tab.inner_text("#table thead")
    assert {"slow · high", "fast · low"} <= set(page.tab.locator("#table td").all_inner_texts())
    assert "clock_confidence" not in page.tab.inner_text("#parallel-heads")
    rows = table_of(page.export())
    assert {(row["clock"], row["clock_confidence"]) for row in rows} == {("slow", "high"), ("fast", "low")}
    page.brush("clock", 0, 0.4)
    assert {row["clock_confidence"] for row in table_of(page.export())} == {"high"}
    page.open_more("words")
    assert "clock fast · low" in re.sub(r"[\s\u00a0]", " ", page.tab.inner_text("#short"))
    page.tab.select_option("#colour", label="clock confidence")
    page.open_more("about")
    page.tab.click("nav.contents a[href='#space']")
    assert "slow (confidence: high), fast (confidence: low)" in page.tab.inner_text("#space")


def test_a_confidence_of_several_words_is_never_cut(show, tmp_path):
    """In the panel, in a cell of the table, and beside a narrow axis, where it is folded between its words."""
    sure, part = "medium (rate); low (area)", "a device with a rather long name of its own"
    (tmp_path / "sure.csv").write_text(
        f"name,frequency [GHz],kind,source,confidence\nslow,1,x,data sheet,high\n{part},2,y,a talk,{sure}\n"
    )
    write_toy(tmp_path)
    many = "\n".join(f'extra_{i} = "power * {i + 2}"' for i in range(5))
    (tmp_path / "toy.toml").write_text(
        edited(
            STUDY,
            ('frequency = { values = ["1 GHz", "2 GHz"] }', 'clock = { part = "sure.csv", label = "name" }'),
            ('name = "toy"', 'name = "several-words"'),
            ('"power * time"', f'"power * time"\n{many}'),
            (
                '[[objectives]]\nminimize = "power"',
                "".join(f'[[objectives]]\nminimize = "extra_{i}"\n' for i in range(5)),
            ),
        )
    )
    page = show(Study.load(tmp_path / "toy.toml"))
    page.tab.evaluate("row => model.select(row)", page.run.frontier["clock"].tolist().index(part))
    assert f"clock {part} · {sure}" in page.detail
    cell = page.tab.locator("#table td", has_text=part).first
    assert cell.inner_text() == f"{part} · {sure}"
    assert cell.evaluate("cell => cell.scrollWidth <= cell.clientWidth")
    # The whole frontier has this part, so its axis is there only where it is asked for.
    page.tab.set_viewport_size({"width": 900, "height": 900})
    page.tab.evaluate("() => { parallelAxes.choose(model.named('clock'), true); parallel.resize(); }")
    ticks = page.tab.locator(".tick").evaluate_all(
        "all => all.map((tick) => [tick.innerText, tick.innerText.replaceAll(/\\s+/g, ' ')])"
    )
    assert f"{part} · {sure}" not in [lines for lines, _ in ticks]
    assert f"{part} · {sure}" in [whole for _, whole in ticks]


def test_how_well_laws_held_stands_with_the_selected_design(show, tmp_path):
    """In the panel of a design whose part says so, in no column of the table, and in the export; as text alone."""
    held = {"slow": "2 machines: -9.0 to +10.5 %", "fast": "<img src=x onerror=alert(1)>", "odd": ""}
    rows = "".join(f"{name},{clock},me,{held[name]}\n" for name, clock in (("slow", 1), ("fast", 2), ("odd", 1.5)))
    (tmp_path / "held.csv").write_text("name,frequency [GHz],source,validation\n" + rows)
    machines = "name,nodes,frequency [GHz],source,validation\nAlpha,20,1.5,a log,1 machine: +3 %\n"
    (tmp_path / "machines.csv").write_text(machines)
    write_toy(tmp_path)
    beside = '\n[references.machines]\naxes = { machine = { part = "machines.csv" } }\n'
    (tmp_path / "toy.toml").write_text(edited(STUDY, clock_of("held.csv"), ('name = "toy"', 'name = "held"')) + beside)
    page = show(Study.load(tmp_path / "toy.toml"))
    frontier = page.run.frontier
    for name, told in held.items():
        page.tab.evaluate("row => model.select(row)", frontier["clock"].tolist().index(name))
        assert (f"How well laws held for real machines clock {name}: {told}" in page.detail) == bool(told)
        assert ("real machines" in page.detail) == bool(told)
    page.tab.evaluate("() => model.beside(0)")
    assert "How well laws held for real machines machine Alpha: 1 machine: +3 %" in page.detail
    page.open_more("words")
    assert "clock slow: 2 machines: -9.0 to +10.5 %" in re.sub(r"[\s\u00a0]", " ", page.tab.inner_text("#short"))
    assert "clock_validation" not in page.tab.inner_text("#table thead")
    assert page.tab.locator("img").count() == 0
    page.open_more("designs")
    exported = table_of(page.export())
    assert {(row["clock"], row["clock_validation"]) for row in exported} == set(held.items())


def test_click_on_a_table_row_fills_the_panel(show):
    page = show(CORRELATOR)
    page.tab.locator("#table tr[data-row]", has_text="847").click()
    assert "design 847 " in page.detail
    page.tab.locator("#table").focus()
    page.tab.keyboard.press("ArrowUp")
    assert "design 846 " in page.detail


def test_dominated_and_infeasible_designs(show):
    """Any point of the cloud can be clicked: what beats it, or what it violates."""
    page = show(CORRELATOR)
    page.everything()
    sample = page.run.sample
    feasible = sample[sample["feasible"] & ~sample["design"].isin(page.run.frontier["design"])]
    page.click_design(int(feasible["design"].iloc[-1]))
    assert "dominated" in page.detail
    place = int(re.search(r"Beaten by A(\d+): ", page.detail)[1])
    number = int(page.run.frontier["design"].iloc[page.run.ranks.tolist().index(place - 1)])
    page.tab.locator("#detail .link").first.click()
    assert f"design {number} " in page.detail
    broken = sample[~sample["feasible"]].sort_values("node_power").iloc[0]
    page.click_design(int(broken["design"]))
    assert "infeasible It violates run_time <= 0.52 s first." in page.detail
    assert "beyond" in page.detail


def test_pointing_at_a_design_names_the_violated_constraint(show):
    page = show(CORRELATOR)
    page.everything()
    broken = page.run.sample[~page.run.sample["feasible"]].sort_values("node_power").iloc[0]
    page.click_design(int(broken["design"]))
    assert "violates run_time <= 0.52 s" in page.tab.inner_text("#tip")
    page.tab.mouse.move(5, 5)
    assert page.tab.locator("#tip").is_hidden()


def test_a_link_of_the_contents_opens_its_part(show):
    """The part is open and has the focus; the fragment of the address, which holds the view, is left alone."""
    page = show(XEON)
    page.open_more("about")
    page.tab.wait_for_function("() => location.hash === '#show=about'")
    before = page.tab.evaluate("location.hash")
    assert page.tab.locator("details.part[open]").count() == 0
    page.tab.click("nav.contents a[href='#space']")
    assert page.tab.evaluate("[...document.querySelectorAll('details.part[open]')].map((part) => part.id)") == ["space"]
    assert page.tab.evaluate("document.activeElement.parentElement.id") == "space"
    assert page.tab.evaluate("location.hash") == before
    assert page.tab.locator("#space table").first.is_visible()


def test_help_to_pick(show):
    """Knee and best designs as `page_view` proposes them."""
    page = show(XEON)
    buttons = page.tab.locator("#pick-buttons button")
    assert buttons.all_inner_texts() == ["knee", "lowest run time", "lowest energy"]
    buttons.nth(1).click()
    assert "design 215 " in page.detail
    assert "the design with the lowest run time" in page.tab.inner_text("#pick-told")


# ---- linked views ---------------------------------------------------------------------------------------------------


def test_brushing_filters_the_table_and_dims_the_plot(show):
    """Several axes at once; a click on an axis lets it go."""
    page = show(XEON)
    frontier = page.run.frontier
    page.brush("nodes", 0.5, 1.0)  # 1, 2, 4 … 256 are nine ranks: 16 and more
    kept = frontier[frontier["nodes"] >= 16]
    assert 0 < len(kept) < len(frontier)
    assert sorted(page.rows()) == sorted(kept["design"])
    opacities = page.tab.eval_on_selector_all(
        "#plot .scatterlayer .points path", "points => points.map((p) => [p.__data__.i, p.style.opacity])"
    )
    dimmed = {frontier["design"].iloc[at] for at, opacity in opacities if opacity == "0.12"}
    assert dimmed == set(frontier["design"]) - set(kept["design"])
    page.brush("energy", 0.0, 0.3)
    both = page.rows()
    assert 0 < len(both) < len(kept)
    assert set(both) < set(kept["design"])
    page.tab.mouse.click(*page.tab.evaluate("parallel.locate('nodes', 0.02)"))
    assert set(both) <= set(page.rows())
    page.tab.click("#clear")
    assert sorted(page.rows()) == sorted(frontier["design"])


def test_a_design_without_a_place_on_an_axis_shifts_no_other(show):
    """A logarithmic axis has no place for 0, and plotly no point for the design: the others keep their own dimming."""
    page = show(XEON)
    page.tab.evaluate(
        "() => { const [time] = model.objectives, value = time.value;"
        " time.value = (row) => (row === 3 ? 0 : value(row)); }"
    )
    page.tab.set_checked("#log-x", True)
    page.tab.evaluate("() => plot.draw()")
    page.brush("nodes", 0.5, 1.0)
    page.tab.wait_for_timeout(300)
    opacities = page.tab.eval_on_selector_all(
        "#plot .scatterlayer .points path", "points => points.map((p) => [p.__data__.i, p.style.opacity])"
    )
    frontier = page.run.frontier
    assert sorted(at for at, _ in opacities) == [at for at in range(len(frontier)) if at != 3]
    few = {at for at in range(len(frontier)) if at != 3 and frontier["nodes"].iloc[at] < 16}
    assert {at for at, opacity in opacities if opacity == "0.12"} == few


def test_brushing_by_keyboard(show):
    page = show(XEON)
    head = page.tab.locator(".handle").first
    head.focus()
    for _ in range(4):
        page.tab.keyboard.press("ArrowUp")
    frontier = page.run.frontier
    assert sorted(page.rows()) == sorted(frontier.loc[frontier["nodes"] >= 16, "design"])
    assert "kept from 16 to 256" in head.get_attribute("aria-label")
    page.tab.keyboard.press("Escape")
    assert len(page.rows()) == len(frontier)


def test_box_in_the_plot_filters_the_table(show):
    page = show(XEON)
    frontier = page.run.frontier
    wanted = frontier[frontier["energy"] < 6000]
    page.tab.locator("#plot").scroll_into_view_if_needed()
    places = np.array([page.tab.evaluate("n => plot.locate(n)", frontier.index.get_loc(i)) for i in wanted.index])
    (left, top), (right, bottom) = places.min(0) - 4, places.max(0) + 4
    page.tab.mouse.move(left, top)
    page.tab.mouse.down()
    page.tab.mouse.move((left + right) / 2, (top + bottom) / 2, steps=3)
    page.tab.mouse.move(right, bottom, steps=3)
    page.tab.mouse.up()
    page.tab.wait_for_selector("#clear:not([hidden])")
    assert sorted(page.rows()) == sorted(wanted["design"])


def test_toggles(show):
    page = show(CORRELATOR)
    page.tab.click("#rows-all")
    assert page.count == "36 designs"
    page.tab.check("#show-infeasible")
    assert page.count == "960 designs"
    page.tab.uncheck("#show-infeasible")
    page.tab.uncheck("#show-dominated")
    assert page.count == "5 designs"
    page.tab.check("#log-x")
    page.tab.wait_for_timeout(300)
    assert page.tab.evaluate("document.getElementById('plot').layout.xaxis.type") == "log"
    page.tab.select_option("#x", label="cores")
    page.tab.wait_for_timeout(300)
    assert "cores" in page.tab.text_content("#plot .xtitle")


def test_sorting(show):
    page = show(XEON)
    button = page.tab.locator("#table th button", has_text="energy").first
    button.click()
    assert page.rows() == page.run.frontier.sort_values("energy")["design"].tolist()
    button.click()
    assert page.rows() == page.run.frontier.sort_values("energy", ascending=False)["design"].tolist()


# ---- export ---------------------------------------------------------------------------------------------------------


def test_export_is_what_is_brushed(show):
    """SI values, all digits, units in the headings."""
    page = show(XEON)
    page.brush("nodes", 0.5, 1.0)
    rows = table_of(page.export())
    frontier = page.run.frontier
    kept = frontier[frontier["nodes"] >= 16].set_index("design")
    assert [int(row["design"]) for row in rows] == page.rows()
    assert sorted(page.rows()) == sorted(kept.index)
    for row in rows:
        of = kept.loc[int(row["design"])]
        assert float(row["run_time [s]"]) == of["run_time"]
        assert float(row["energy [J]"]) == of["energy"]
        assert float(row["frequency [Hz]"]) == of["frequency"]
        assert float(row["memory_time [s]"]) == of["memory_time"]
        assert row["status"] == "frontier"
        assert row["extrapolated"] == of["extrapolated"]


def test_export_of_all_designs(show):
    page = show(CORRELATOR)
    page.everything()
    page.tab.click("#rows-all")
    rows = table_of(page.export())
    sample = page.run.sample.set_index("design")
    assert len(rows) == 960
    for row in rows:
        of = sample.loc[int(row["design"])]
        assert float(row["total_power [W]"]) == of["total_power"]
        assert row["violates"] == ("" if of["feasible"] else "run_time <= 0.52 s")


@pytest.fixture
def formulas(hostile, tmp_path):
    """A study whose part labels would be formulas in a spreadsheet."""
    study = hostile(constraints=[])
    labels = ['=HYPERLINK("http://evil.example")', "+1+cmd|' /C calc'!A0", "-2", "@SUM(A1)", 'plain "quoted", text']
    lines = ["name,part_power [W],source,synthetic"]
    lines += ['"' + label.replace('"', '""') + f'",{5 - k},SYNTHETIC,yes' for k, label in enumerate(labels)]
    (study.folder / "formulas.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    axes = {"width": {"values": [1, 2]}, "part": {"part": "formulas.csv", "label": "name"}}
    document = {**study.document, "space": {"axes": axes}, "name": "formulas"}
    run = type(study)(document, folder=study.folder).run(tmp_path / "run")
    return (write_report(run), run), labels


def test_export_is_no_formula(show, formulas):
    made, labels = formulas
    page = show(made)
    page.tab.click("#rows-all")
    found = {row["part"] for row in table_of(page.export())}
    assert found == {("'" + label if label[0] in "=+-@" else label) for label in labels}


# ---- hostile and unusual studies ------------------------------------------------------------------------------------


def test_hostile_texts_do_nothing(show, hostile, tmp_path):
    """Scripts and tags in names, labels, docs and the question are read as text, wherever they are shown."""
    run = hostile().run(tmp_path / "run")
    page = show((write_report(run), run))
    assert "<script>alert(1)</script> or </script><!--" in page.tab.inner_text(".question")
    page.click_design(int(run.frontier["design"].iloc[0]))
    assert "part <script>alert(1)</script>" in page.detail
    page.tab.select_option("#colour", label="width")
    page.tab.select_option("#colour", label="part")
    page.tab.click("#rows-all")
    page.tab.wait_for_timeout(300)
    for button in page.tab.locator("#pick-buttons button").all():
        button.click()
    assert page.tab.locator("img, iframe, object, embed").count() == 0
    assert page.tab.locator("script").count() == 3  # data, page, plotly


def test_injected_script_is_refused(browser, hostile, tmp_path):
    """The policy of the page stops a script that somebody writes into it."""
    run = hostile().run(tmp_path / "run")
    file = write_report(run)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("</header>", "<script>document.title = 'owned'</script></header>"), encoding="utf-8")
    tab = browser.new_page()
    tab.goto(file.as_uri())
    assert tab.title() == "tiny: frontier"
    tab.close()


@pytest.mark.parametrize("objectives", [1, 2, 6])
def test_any_number_of_objectives(show, synthetic_study, objectives, tmp_path):
    run = synthetic_study(10_000, objectives).run(tmp_path / "run")
    page = show((write_report(run), run))
    assert page.tab.get_attribute("html", "data-plot") == "ready"
    assert "SYNTHETIC" in page.tab.inner_text("header")
    page.tab.locator("#table tr[data-row]").nth(1).click()
    assert " design " in page.detail
    assert page.tab.locator("#detail .goal-row").count() == objectives


def test_alternatives_with_different_axes(show, hostile, tmp_path):
    part = {"part": {"part": "parts & <b>.csv"}}
    alternatives = {
        "one": {"axes": {"width": {"values": [1, 2]}}},
        "two": {"axes": {"overhead": {"values": ["5 W", "6 W"]}}, "set": {"width": 3}},
    }
    run = hostile(constraints=[], space={"axes": part, "alternatives": alternatives}).run(tmp_path / "run")
    page = show((write_report(run), run))
    page.tab.click("#rows-all")
    assert page.count == "8 designs"
    assert "NaN" not in page.tab.inner_text("#table")
    assert "–" in page.tab.inner_text("#table")
    page.brush("overhead", 0.0, 1.0)
    assert page.count == "4 designs, chosen"


def test_nothing_feasible(show, hostile, tmp_path):
    """No frontier, but the designs and what they violate."""
    run = hostile(constraints=["power <= 1 W", "time <= 0.5 ms"]).run(tmp_path / "run")
    page = show((write_report(run), run))
    assert "Nothing is feasible" in page.tab.inner_text("main")
    assert page.count == "8 designs"
    page.tab.locator("#table tr[data-row]").first.click()
    assert "It violates power <= 1 W first." in page.detail


def test_run_whose_study_is_gone(show, hostile, tmp_path):
    """The page of a run whose model changed shows the frontier, and says why there is no breakdown."""
    study = hostile(constraints=[])
    study.run(tmp_path / "run")
    with (study.folder / "tiny.py").open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    run = Run.load(tmp_path / "run")
    page = show((write_report(run), run))
    assert "No breakdown: " in page.detail
    assert "changed since the run" in page.detail
    assert "part <script>alert(1)</script>" in page.detail


def test_narrow_window(browser, pages):
    """Nothing is wider than a telephone, apart from what scrolls in its own box."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    tab = context.new_page()
    tab.goto(pages(CORRELATOR)[0].as_uri())
    tab.wait_for_selector("html[data-plot]", state="attached", timeout=60_000)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_large_study(show, synthetic_study, tmp_path, artefacts):
    """10^5 designs, of which the page holds most: small enough, brushed as one; its times are only sane."""
    run = synthetic_study(100_000).run(tmp_path / "run")
    file = write_report(run)
    assert file.stat().st_size < 8e6
    page = show((file, run))
    assert float(page.tab.get_attribute("html", "data-ready")) < 20_000
    page.everything()
    page.tab.click("#rows-all")
    assert page.count == "80 000 designs".replace(" ", "\u202f", 1)
    page.brush("cores", 0.5, 1.0)
    assert page.count.endswith("designs, chosen")
    # Packed numbers and choices are read back whole.
    front = page.run.frontier
    told = page.tab.evaluate(
        "() => Array.from({ length: model.front }, (_, row) =>"
        " [model.numeric(row), model.dims.find((d) => d.name === 'cores').value(row)])"
    )
    assert sorted(map(tuple, told)) == sorted(zip(front["design"], front["cores"], strict=True))
    # 5 of 10 ranks of cores: 32, 40, 48, 56, 64 (the lower end of the brush lies between 24 and 32).
    kept = page.tab.evaluate(
        "() => { const cores = model.dims.find((d) => d.name === 'cores');"
        " return Array.from({ length: model.count }, (_, row) => cores.value(row)).filter((v) => v >= 32).length; }"
    )
    assert 39_000 < kept < 41_000
    assert int(page.count.partition(" ")[0].replace("\u202f", "")) == kept
    page.tab.wait_for_timeout(500)
    page.tab.screenshot(path=artefacts / "synthetic-100000.png", full_page=True)
