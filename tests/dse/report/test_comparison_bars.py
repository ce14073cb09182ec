"""Bars of a comparison: where they begin and end, what is told of the first system, and what is not known."""

import re

import pytest

from dse.analysis.compare.compared_systems import ComparedSystem
from dse.report.comparison.bars import Figure, bars, mini_bar, ratio_text, stacks


def spans(html):
    """Left end and width of every bar, percent."""
    return [(float(left), float(width)) for left, width in re.findall(r"left:([\d.]+)%;width:([\d.]+)%", html)]


def figures(*values):
    return [Figure(f"system {at}", value, f"{value}") for at, value in enumerate(values)]


def test_bars_begin_at_zero():
    assert spans(bars("time", "min", figures(2.0, 8.0, 4.0))) == [(0, 25), (0, 100), (0, 50)]


def test_negative_values_stand_left_of_zero():
    assert spans(bars("gain", "max", figures(-1.0, 3.0))) == [(0, 25), (25, 75)]
    assert spans(bars("loss", "max", figures(-1.0, -4.0))) == [(75, 25), (0, 100)]


@pytest.mark.parametrize("value", [None, 0.0, float("inf"), float("nan")])
def test_what_has_no_length_has_no_bar(value):
    assert spans(bars("time", "min", figures(2.0, value))) == [(0, 100)]
    assert spans(mini_bar(value, [2.0, value])) == []


def test_ratios_are_told_in_the_first_system():
    told = bars("time", "min", figures(2.0, 8.0, 1.0, 2.0))
    assert re.findall(r">(the first|[^<]*×[^<]*)<", told) == ["the first", "4× worse", "0.5× better", "1×"]
    assert "4× better" in bars("rate", "max", figures(2.0, 8.0))
    assert "better" not in bars("nodes", "", figures(2.0, 8.0))
    assert ratio_text(1.0000001, 1.0) == "≈1×"
    for value, base in ((1.0, 0.0), (1.0, None), ("a", "b"), (True, 1.0), (float("inf"), 1.0)):
        assert ratio_text(value, base) == ""


def test_texts_are_no_html():
    evil = "<script>alert(1)</script>"
    told = bars(evil, "min", [Figure(evil, 1.0, evil, evil)])
    assert "<script" not in told
    assert told.count("&lt;script&gt;") == 4


def part(name, value, whole):
    return {"quantity": name, "value": value, "share": value / whole}


def candidate(name, *parts):
    whole = sum(value for _, value in parts)
    item = {"quantity": "total", "value": whole, "unit": "s", "parts": [part(one, v, whole) for one, v in parts]}
    return ComparedSystem(name, "computed", {}, {"total": whole}, {"total": "s"}, breakdowns=[item])


def test_stacks_share_a_scale_and_colours():
    """A part that one system lacks has a dash in the table and no piece of its bar; the widths add up to the sums."""
    systems = [candidate("a", ("x", 3.0), ("y", 1.0)), candidate("b", ("y", 2.0), ("z", 6.0))]
    told = "".join(stacks(systems, "total", {"x": "the x"}))
    pieces = re.findall(r'class="(part-\d)" style="--tint:var\(--part-\d\);width:([\d.]+)%"', told)
    assert pieces == [("part-0", "37.500"), ("part-1", "12.500"), ("part-1", "25.000"), ("part-2", "75.000")]
    assert "the x" in told
    assert told.count("–") == 2
    assert "".join(stacks(systems, "other", {})) == ""


def test_the_ninth_part_is_hatched():
    told = "".join(stacks([candidate("a", *((f"p{at}", 1.0) for at in range(10)))], "total", {}))
    assert told.count('"part-0 again"') == 1
    assert told.count('"part-1 again"') == 1
