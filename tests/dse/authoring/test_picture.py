"""Pictures: which one applies to a system, what a drawing may hold, and its SVG."""

import xml.etree.ElementTree as ElementTree
from types import ModuleType

import numpy as np
import pytest

from dse.authoring.declare.declaration import quantity
from dse.authoring.library.library import load_model, model_of
from dse.authoring.picture import MOST_SHAPES, Box, Curve, Dot, Drawing, Kind, Line, Text, draw, picture
from dse.errors import InputError, ModelError
from dse.graph.graph import Input
from dse.graph.resolve import resolve
from dse.report.charts.svg import legend, svg

EVIL = "</svg><script>alert(1)</script>&\"'"
KINDS = {"spot": Kind("green", "spots"), "path": Kind("blue", "paths", 1.5), "frame": Kind("quiet", soft=True)}


def drawing(*shapes, kinds=KINDS, caption="a ring"):
    return Drawing(100, 80, shapes, kinds, caption, "Spots on a circle.")


@picture(title="Ring", slot="topology", provider=("ring", "ring-as-printed"))
def ring(stations, spare=0.0):
    """Stations on a circle."""
    return drawing(*(Dot(i, spare, 1, "spot") for i in range(int(stations))))


@picture(title="Box", slot="housing", provider="box")
def box(width):
    return drawing(Box(50, 40, width, 10, "frame"))


@picture(title="Name")
def plate(label):
    return drawing(Text(50, 40, label, "spot"))


def model():
    @quantity(unit="s", name="time", source="test", slot="topology", provider="ring")
    def of_ring(stations):
        return 1.0 * stations

    @quantity(unit="s", name="time", source="test", slot="topology", provider="star")
    def of_star(arms):
        return 1.0 * arms

    module = ModuleType("ring_model")
    vars(module).update(of_ring=of_ring, of_star=of_star, ring=ring, box=box, plate=plate)
    return model_of(module)


def axis(*names, unit="1"):
    return {name: Input(name, unit, "axis", "test") for name in names}


# ---- declarations and which applies ---------------------------------------------------------------------------------


def test_declaration():
    assert (ring.needs, ring.optional, ring.providers) == (("stations",), ("spare",), ("ring", "ring-as-printed"))
    assert ring.doc == "Stations on a circle."
    assert len(ring(3.0).shapes) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"title": ""}, "'title' is empty"),
        ({"title": "x", "slot": "a"}, "'slot' and 'provider' go together"),
        ({"title": "x", "provider": "a"}, "'slot' and 'provider' go together"),
    ],
)
def test_faulty_declarations(arguments, told):
    with pytest.raises(ModelError, match=told):
        picture(**arguments)(lambda a: None)


def test_arguments_are_names_of_quantities():
    with pytest.raises(ModelError, match="argument 'all' must be a plain positional argument"):
        picture(title="x")(lambda *all: None)


def test_a_picture_applies_where_its_component_is_in_use():
    """Of a component in use, with all it reads in the graph: inputs, or what functions compute."""
    of_ring = resolve(["time"], models=[model()], supplied=axis("stations"), use={"topology": "ring"})
    assert [p.name for p in of_ring.pictures] == ["ring"]
    of_star = resolve(["time"], models=[model()], supplied=axis("arms"), use={"topology": "star"})
    assert of_star.pictures == ()


def test_a_picture_without_a_component_applies_where_its_quantities_are():
    graph = resolve(["time", "label"], models=[model()], supplied=axis("arms", "label"), use={"topology": "star"})
    assert [p.name for p in graph.pictures] == ["plate"]


def test_a_table_is_no_quantity_to_draw():
    table = {"label": Input("label", "table", "table", "test")}
    graph = resolve(["time", "label"], models=[model()], supplied=axis("arms") | table, use={"topology": "star"})
    assert graph.pictures == ()


def test_the_module_of_a_user_file(tmp_path):
    """A file may hold nothing but pictures; messages name the file."""
    (tmp_path / "mine.py").write_text(
        "from dse.authoring.picture import picture\n@picture(title='x')\ndef sketch(a):\n    return 1\n",
        encoding="utf-8",
    )
    (found,) = load_model("mine.py", tmp_path).pictures
    assert found.label == "mine.sketch"
    with pytest.raises(ModelError, match=r"mine.sketch must return a dse.authoring.picture.Drawing, not int"):
        draw(found, {"a": 1.0})


# ---- drawing --------------------------------------------------------------------------------------------------------


def test_a_picture_gets_plain_values():
    seen = []

    @picture(title="x")
    def probe(number, whole, text, missing=None):
        seen.extend([number, whole, text, missing])
        return drawing()

    draw(probe, {"number": np.array([2.5]), "whole": np.int64(3), "text": np.array(["a"], dtype=object), "rest": 1})
    assert seen == [2.5, 3, "a", None]
    assert [type(value) for value in seen[:2]] == [float, int]


@pytest.mark.parametrize("error", [ValueError("no"), InputError("no"), ModelError("no")])
def test_a_picture_that_fails(error):
    @picture(title="x")
    def broken(a):
        raise error

    with pytest.raises(ModelError, match=r"the picture .*broken fails: .*no"):
        draw(broken, {"a": 1})


@pytest.mark.parametrize(
    ("shapes", "told"),
    [
        ([Dot(0, 0, 1, "spot")] * (MOST_SHAPES + 1), "draw more than 1500 schematically"),
        ([Dot(0, 0, 1, "other")], "of the kind 'other', which the drawing has not"),
        ([Line(0, 0, float("nan"), 0, "path")], "at no finite place"),
        ([Curve(((0, 0), (1, 1), (2, float("inf")), (3, 3)), "path")], "at no finite place"),
        ([Curve(((0, 0), (1, 1), (2, 2)), "path")], "a curve of 3 points"),
    ],
)
def test_drawings_that_cannot_be_painted(shapes, told):
    with pytest.raises(ModelError, match=told):
        drawing(*shapes)


def test_unknown_tones():
    with pytest.raises(ModelError, match="no tone 'mauve'"):
        drawing(kinds={"spot": Kind("mauve")})


# ---- SVG ------------------------------------------------------------------------------------------------------------


def parsed(markup):
    return ElementTree.fromstring(markup)


def test_svg_of_every_shape():
    found = parsed(
        svg(
            drawing(
                Box(50, 40, 30, 20, "frame"),
                Line(0, 0, 10, 10, "path"),
                Curve(((0, 0), (1, 1), (2, 2), (3.25, 3)), "path"),
                Dot(5, 6, 2, "spot"),
                Dot(7, 6, 2, "spot"),
                Text(1, 2, "one", "spot", "start", 9),
                Text(1, 2, "two", "spot"),
            ),
            "Ring",
        )
    )
    assert found.get("viewBox") == "0 0 100 80"
    assert found.get("role") == "img"
    assert found.find("title").text == "Ring"
    assert found.find("desc").text == "a ring Spots on a circle."
    box_, line, dots = found.findall("path")
    assert box_.get("class") == "box tone-quiet soft"
    assert line.get("class") == "line tone-blue"
    assert line.get("d") == "M0 0L10 10M0 0C1 1 2 2 3.2 3"
    assert line.get("stroke-width") == "1.5"
    assert (dots.get("d"), dots.get("stroke-width")) == ("M5 6h0M7 6h0", "4")
    assert [(t.text, t.get("text-anchor"), t.get("font-size")) for t in found.findall("text")] == [
        ("one", None, "9"),
        ("two", "middle", "11"),
    ]


def test_everything_is_escaped():
    """No text of a model gets out of its place; names of kinds do not reach the page at all."""
    kinds = {EVIL: Kind("blue", EVIL)}
    evil = drawing(Text(1, 2, EVIL, EVIL), Line(0, 0, 1, 1, EVIL), kinds=kinds, caption=EVIL)
    markup = svg(evil, EVIL)
    assert "<script" not in markup
    found = parsed(markup)
    assert found.find("text").text == found.find("title").text == EVIL
    assert found.find("desc").text == f"{EVIL} Spots on a circle."
    assert parsed(legend(evil)).find("li").find("svg").tail == EVIL
    assert [element.get("class") for element in found.iter("path")] == ["line tone-blue"]


def test_legend():
    """One entry for each kind that is drawn and has a label, in the order of the kinds."""
    found = parsed(legend(drawing(Line(0, 0, 9, 9, "path"), Box(9, 9, 5, 5, "frame"), Dot(1, 1, 30, "spot"))))
    assert [entry.find("svg").tail for entry in found.findall("li")] == ["spots", "paths"]
    assert legend(drawing(Box(9, 9, 5, 5, "frame"))) is None


def test_svg_stays_small():
    """Fifteen hundred lines and dots are two elements of some tens of kB."""
    half = MOST_SHAPES // 2
    lines = [Line(i % 97, 123.4, 99.9, i % 89, "path") for i in range(half)]
    markup = svg(drawing(*lines, *(Dot(i % 83 + 0.5, 9.5, 2, "spot") for i in range(half))), "many")
    assert len(parsed(markup).findall("path")) == 2
    assert len(markup) < 40_000
