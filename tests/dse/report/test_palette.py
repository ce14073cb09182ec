"""Colours of marks stand out from both grounds, and from each other also for people who see no red or no green."""

import re
from itertools import combinations

import numpy as np
import pytest

from dse.report.charts.palette import DARK, PAPER, palette_style
from dse.report.html.static_files import static_text

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG
# 15 (2009): the matrices of severity 1.0, for linear RGB.
SIGHTS = {
    "normal": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
# IEC 61966-2-1: linear sRGB to CIE XYZ, white of D65.
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
NOTICED = 2.3  # smallest difference of CIE 1976 that is seen, side by side: Mahy, van Eycken and Oosterlinck 1994


def linear(colour):
    shares = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2.1, contrast ratio."""
    low, high = sorted(float(XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour, sight):
    """CIE 15: L*, a*, b*."""
    share = XYZ @ np.clip(np.asarray(sight) @ linear(colour), 0, 1) / XYZ.sum(axis=1)
    root = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def test_the_measures_are_the_published_ones():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # as every checker of contrast says
    assert lab("#ffffff", SIGHTS["normal"]) == pytest.approx([100, 0, 0], abs=0.01)
    red, green = (lab(colour, SIGHTS["deuteranopia"]) for colour in ("#a06000", "#7a7400"))
    before = np.linalg.norm(lab("#a06000", SIGHTS["normal"]) - lab("#7a7400", SIGHTS["normal"]))
    assert np.linalg.norm(red - green) < before / 2  # a brown and an olive that deuteranopia makes alike


@pytest.mark.parametrize("palette", [PAPER, DARK], ids=["paper", "dark"])
def test_marks_stand_out_from_their_ground(palette):
    assert len(set(palette.kinds)) == 10
    for colour in (*palette.kinds, *palette.scale):
        assert contrast(colour, palette.ground) >= 3, colour


@pytest.mark.parametrize("palette", [PAPER, DARK], ids=["paper", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_no_two_kinds_are_alike(palette, sight):
    places = [lab(colour, SIGHTS[sight]) for colour in palette.kinds]
    assert min(np.linalg.norm(one - other) for one, other in combinations(places, 2)) > 8 * NOTICED
    assert min(np.linalg.norm(one - other) for one, other in combinations(places[:6], 2)) > 10 * NOTICED


@pytest.mark.parametrize("palette", [PAPER, DARK], ids=["paper", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_the_scale_rises_evenly_in_lightness(palette, sight):
    lightness = np.array([lab(colour, SIGHTS[sight])[0] for colour in palette.scale])
    steps = np.diff(lightness)
    assert (steps > NOTICED).all()
    assert steps.max() < 2 * steps.min()


def test_grounds_and_other_marks_of_the_page():
    """The grounds are those of the page; the frontier, what is chosen and the other designs stand out from them too."""
    style = static_text("styles/page.css")
    light, dark = (dict(re.findall(r"(--[\w-]+): (#\w{6})", part)) for part in style.split("* {")[0].split("@media", 1))
    for palette, found in ((PAPER, light), (DARK, dark)):
        assert found["--paper"] == palette.ground
        for name in ("--front", "--pick", "--dominated"):
            assert contrast(found[name], palette.ground) >= 3, name
    assert palette_style().count("--kind-9") == 2
