"""The designs in pictures: which designs are drawn, and the section of the page."""

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from dse.api import Study
from dse.report.record.collect import page_view
from dse.report.record.pictures import MOST_PICTURES
from dse.report.run_page.page import write_report

EVIL = "</figure><script>alert(1)</script>"

MODEL = f'''
from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.authoring.picture import Dot, Drawing, Kind, Text, picture

stations = parameter(unit="1", doc="Stations", minimum=1)
speed = parameter(unit="1", doc="Speed", above=0)
mode = parameter(unit="text", doc="Mode")
colour = assumption(2, unit="1", source="made up", doc="Colour")

@quantity(unit="W", source="made up", name="power", slot="topology", provider="ring")
def ring_power(stations, speed):
    return stations * speed**2

@quantity(unit="W", source="made up", name="power", slot="topology", provider="star")
def star_power(stations, speed):
    return stations * speed**2 + 1e-3

@quantity(unit="s", source="made up")
def time(stations, speed):
    return 1 / (stations * speed)

def stand(many, told):
    if many == 5:
        raise ValueError("{EVIL}")
    shapes = [Dot(9.0 * i, 20, 2, "spot") for i in range(int(many))]
    kinds = {{"spot": Kind("green", "{EVIL}")}}
    return Drawing(300, 40, (*shapes, Text(9, 35, "{EVIL}", "spot")), kinds, told, "{EVIL}")

@picture(title="Ring {EVIL}", slot="topology", provider="ring")
def ring(stations, colour=0):
    return stand(stations, f"{EVIL} {{stations:g}} {{colour}}")

@picture(title="Star", slot="topology", provider="star")
def star(stations, nothing):
    return stand(stations, "star")
'''


@pytest.fixture
def make(tmp_path):
    """A function that runs a study of rings (and stars, which have no picture: one of its quantities is missing)."""
    (tmp_path / "pictured.py").write_text(MODEL, encoding="utf-8")

    def run(stations, speeds=(1,), **changes):
        document = {
            "name": "pictured",
            "models": ["pictured.py"],
            "objectives": [{"minimize": "power"}, {"minimize": "time"}],
            "use": {"topology": "ring"},
            "space": {"axes": {"stations": {"values": list(stations)}, "speed": {"values": list(speeds)}}},
        }
        return Study({**document, **changes}, folder=tmp_path).run()

    return run


def figures(run, tmp_path):
    source = write_report(run, tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.search(r'<div class="pictures">.*?</figure></div>', source, re.S)
    return source, [] if found is None else ElementTree.fromstring(found[0]).findall("figure")


def test_one_picture_per_shape(make):
    """Designs that are drawn alike share a picture: the best stands first."""
    run = make([1, 2, 3], [1, 2])
    view = page_view(run)
    assert view.looks == len(view.pictures) == 3
    numbers = view.numbers[: len(run.frontier)]
    drawn = [len(picture.drawing.shapes) - 1 for picture in view.pictures]
    of = run.frontier.set_index("design")["stations"]
    for stations, picture in zip(drawn, view.pictures, strict=True):
        assert {of[numbers[row]] for row in picture.rows} == {stations}
    rows = Counter(row for picture in view.pictures for row in picture.rows)
    assert rows == Counter(range(len(run.frontier)))


def test_many_shapes(make, tmp_path):
    """A dozen of them: the knee and the best in each objective are among them, and the page says how many there are."""
    run = make(range(1, 30))
    view = page_view(run)
    assert (len(view.pictures), view.looks) == (MOST_PICTURES, 29)
    first = [picture.rows[0] for picture in view.pictures]
    assert {pick.row for pick in view.picks} <= set(first)
    source, found = figures(run, tmp_path)
    assert len(found) == MOST_PICTURES
    assert "12 of the 29 different pictures on the frontier, at most 12 of a kind: of each alternative" in source


def test_every_alternative_with_a_picture(make):
    """The best design of each is chosen before the rest of the best alternative."""
    axes = {"stations": {"values": list(range(1, 21))}}
    alternatives = {
        name: {"use": {"topology": kind}, "axes": {"speed": {"values": [speed]}}}
        for name, kind, speed in [("slow", "ring", 1), ("none", "star", 1.5), ("fast", "ring", 2)]
    }
    view = page_view(make([1], space={"axes": axes, "alternatives": alternatives}))
    products = view.products[[picture.rows[0] for picture in view.pictures]]
    assert len(view.pictures) == MOST_PICTURES
    assert set(products) == {0, 2}
    assert (np.diff(products) >= 0).all()


def test_several_pictures_of_a_design(make, tmp_path):
    """Each kind has its dozen, so that many different pictures of one kind leave room for another."""
    dial = """
@picture(title="Dial")
def dial(power):
    return Drawing(300, 40, (), {}, f"{power:g}")
"""
    (tmp_path / "pictured.py").write_text(MODEL + dial, encoding="utf-8")
    run = make([3], range(1, 30))
    view = page_view(run)
    assert (len(view.pictures), view.looks) == (1 + MOST_PICTURES, 30)
    assert len(view.pictures[0].rows) == len(run.frontier) == 29
    assert {picture.title for picture in view.pictures[1:]} == {"Dial"}
    numbers = [view.numbers[picture.rows[0]] for picture in view.pictures[1:]]
    assert numbers == sorted(numbers)
    source, found = figures(run, tmp_path)
    assert len(found) == 13
    assert "13 of the 30 different pictures on the frontier, at most 12 of a kind" in source
    # Where both have too many, the designs that are drawn have both.
    many = page_view(make(range(1, 30))).pictures
    first = [picture.rows[0] for picture in many]
    assert len(many) == 2 * MOST_PICTURES
    assert first[:MOST_PICTURES] == first[MOST_PICTURES:]


def test_optional_arguments(make):
    """What the graph has is given, else the default stands."""
    assert page_view(make([2])).pictures[0].drawing.caption.endswith(" 2 0")
    doubled = {"quantities": {"doubled": "2 * colour"}, "also": ["doubled"]}
    assert page_view(make([2], **doubled)).pictures[0].drawing.caption.endswith(" 2 2.0")


def test_no_section_without_pictures(make, runs, tmp_path):
    nothing = make([1, 2], constraints=["power <= 0.1 W"])
    for run in (make([1, 2], use={"topology": "star"}), nothing, runs("ska-correlator")):
        source, found = figures(run, tmp_path)
        assert found == []
        assert "The designs in pictures" not in source
        assert page_view(run).pictures == ()


def test_labels(make, tmp_path):
    _, found = figures(make([1, 2], [1, 2]), tmp_path)
    texts = [" ".join("".join(figure.itertext()).split()) for figure in found]
    assert [figure.get("id") for figure in found] == ["picture-0", "picture-1"]
    for told in texts:
        assert re.match(r"Design \d: Ring .*stations \d, speed \d", told)
    assert all(figure.find("h3/button").get("data-row").isdigit() for figure in found)


def test_texts_of_a_picture_are_only_text(make, tmp_path):
    """Title, caption, legend, labels, and the message of a picture that fails."""
    source, found = figures(make([1, 5]), tmp_path)
    assert "<script>alert" not in source
    by_title = {figure.find("div") is None: "".join(figure.itertext()) for figure in found}
    assert f"Not drawn: the picture pictured.ring fails: ValueError: {EVIL}." in by_title[True]
    assert by_title[False].count(EVIL) >= 5
    names = {element.tag for figure in found for element in figure.iter()}
    assert names <= {
        "figure",
        "h3",
        "button",
        "p",
        "div",
        "svg",
        "title",
        "desc",
        "path",
        "text",
        "ul",
        "li",
        "figcaption",
    }
    for element in (element for figure in found for element in figure.iter()):
        assert not {"style", "href", "src"} & set(element.attrib)
        assert not any(name.startswith("on") for name in element.attrib)
