"""The pictures of the page: as many as there are shapes, in both schemes, and in the panel of a selected design."""

import re

import pytest

from dse.api import Study
from dse.report.run_page.page import write_report

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one browser, so one worker

MODEL = """
from dse.authoring.declare.declaration import parameter, quantity
from dse.models.network import draw_full_mesh, draw_torus

SYNTHETIC = "SYNTHETIC: made up, describes no machine"
mesh_switches = parameter(unit="1", doc="Switches", minimum=1)
nodes_per_switch = parameter(unit="1", doc="Nodes of a switch", minimum=1)
dimension_1 = dimension_2 = parameter(unit="1", doc="Switches along a dimension", minimum=1)
dimension_3 = dimension_4 = dimension_5 = dimension_6 = parameter(unit="1", doc="Not used: 1", minimum=1)

@quantity(unit="1", name="switches", source=SYNTHETIC, slot="topology", provider="full-mesh")
def of_mesh(mesh_switches):
    return 1.0 * mesh_switches

@quantity(unit="1", name="switches", source=SYNTHETIC, slot="topology", provider="torus")
def of_torus(dimension_1, dimension_2, dimension_3, dimension_4, dimension_5, dimension_6):
    return dimension_1 * dimension_2 * dimension_3 * dimension_4 * dimension_5 * dimension_6

@quantity(unit="W", source=SYNTHETIC)
def power(switches, nodes_per_switch):
    return 100 * switches + 10 * switches * nodes_per_switch

@quantity(unit="s", source=SYNTHETIC)
def time(switches, nodes_per_switch):
    return 1 / (switches * nodes_per_switch)
"""
ONES = {f"dimension_{number}": 1 for number in range(3, 7)}


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Six shapes of two kinds; three hundred torus switches are drawn schematically."""
    folder = tmp_path_factory.mktemp("networks")
    (folder / "networks.py").write_text(MODEL, encoding="utf-8")
    alternatives = {
        "mesh": {"use": {"topology": "full-mesh"}, "axes": {"mesh_switches": {"values": [1, 2, 5]}}},
        "torus": {
            "use": {"topology": "torus"},
            "axes": {"dimension_1": {"values": [3, 4, 100]}},
            "set": {"dimension_2": 3, **ONES},
        },
    }
    document = {
        "name": "networks",
        "models": ["networks.py"],
        "objectives": [{"minimize": "power"}, {"minimize": "time"}],
        "space": {"axes": {"nodes_per_switch": {"values": [4]}}, "alternatives": alternatives},
    }
    return Study(document, folder=folder)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_as_many_pictures_as_shapes(show, networks, artefacts, scheme):
    page = show(networks, color_scheme=scheme)
    assert len(page.run.frontier) == 6
    page.open_more("pictures")
    drawn = page.tab.locator(".pictures .picture .drawing > svg")
    assert drawn.count() == 6
    assert page.tab.locator("#picture-0 h3").inner_text() == "Design 0: Full mesh"
    told = re.sub(r"[\s\u00a0\u202f]+", " ", page.tab.locator("#picture-5").inner_text())
    assert "Design 5: Torus torus, dimension_1 100" in told
    assert "600 links between switches, optical" in told
    assert "schematic: the ends of each line drawn" in told
    for number in range(6):
        box = drawn.nth(number).bounding_box()
        assert box["width"] > 200
        assert box["height"] > 50
    colours = page.tab.eval_on_selector_all(
        "#picture-5 .tone-ink", "shapes => [...new Set(shapes.map((shape) => getComputedStyle(shape).color))]"
    )
    assert colours == [{"light": "rgb(31, 35, 40)", "dark": "rgb(230, 237, 243)"}[scheme]]
    page.tab.locator(".pictures").screenshot(path=artefacts / f"pictures-{scheme}.png")


def test_the_panel_shows_the_selected_design(show, networks):
    """A picture's heading selects its design; any way to select one shows its picture."""
    page = show(networks)
    page.open_more("pictures")
    page.tab.locator("#picture-3 button").click()
    assert page.detail.split(" ", 1)[1].startswith("design 3 ")
    assert page.tab.locator("#detail .drawing > svg title").text_content() == "Torus, design 3"
    page.open_tab("pictures")
    page.click_design(1)
    assert page.tab.locator("#detail .drawing > svg title").text_content() == "Full mesh, design 1"
    box, panel = page.tab.locator("#detail .drawing > svg").bounding_box(), page.tab.locator("#detail").bounding_box()
    assert panel["x"] <= box["x"] < box["x"] + box["width"] <= panel["x"] + panel["width"]


def test_the_panel_shows_every_picture_of_a_design(show, networks, tmp_path):
    """Pictures of different kinds: its network, and another of no slot."""
    other = """
from dse.authoring.picture import Drawing, picture

@picture(title="Dial")
def dial(power):
    return Drawing(300, 40, (), {}, f"{power:g} W")
"""
    (tmp_path / "networks.py").write_text(MODEL + other, encoding="utf-8")
    page = show(Study({**networks.document, "name": "dials"}, folder=tmp_path))
    assert page.tab.locator(".pictures .picture .drawing > svg").count() == 12
    page.click_design(1)
    titles = page.tab.locator("#detail .drawing > svg title").all_text_contents()
    assert titles == ["Full mesh, design 1", "Dial, design 1"]


def test_pictures_on_a_telephone(browser, pages, networks):
    context = browser.new_context(viewport={"width": 390, "height": 800})
    tab = context.new_page()
    tab.goto(pages(networks)[0].as_uri())
    tab.wait_for_selector("html[data-plot]", state="attached", timeout=60_000)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_designs_are_coloured_by_alternative(show, networks, tmp_path):
    """One hue and one name in the legend for each; what is filtered out fades, whatever trace it is in."""
    run = networks.run(tmp_path / "run")
    page = show((write_report(run), run))
    page.tab.wait_for_selector("html[data-plot=ready]")
    page.tab.select_option("#colour", label="alternative")
    page.tab.wait_for_timeout(500)
    names = page.tab.locator("#legend .kind-toggle").all_inner_texts()
    assert [name.split(" (")[0] for name in names] == list(dict.fromkeys(run.frontier["alternative"]))
    points = page.tab.locator(".scatterlayer .trace .points path")
    assert points.count() == len(run.frontier)
    kept = page.tab.evaluate(
        """() => {
            const dim = model.dims.find((one) => one.name === "alternative"), at = model.positions(dim);
            model.brush(dim.place, [at[0], at[0]]);
            return Array.from({ length: model.front }, (_, row) => model.pass[row]).filter(Boolean).length;
        }"""
    )
    page.tab.wait_for_timeout(300)
    faded = page.tab.locator(".scatterlayer .trace .points path").evaluate_all(
        "all => all.filter((one) => one.style.opacity !== '').length"
    )
    assert 0 < kept < len(run.frontier)
    assert faded == len(run.frontier) - kept
