"""What results show of themselves in a notebook: figures of theirs, and texts of a study as text."""

import re
from html.parser import HTMLParser

import pytest
from toy import write_toy

from dse.api import Study
from dse.run.result.notebook_html import html_lines, html_table
from dse.run.result.uncertainty_account import UncertaintyAccount

EVIL = "<script>alert(1)</script>"


class Whole(HTMLParser):
    """Elements that are opened and closed in order, and the text in them."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.names, self.text = [], set(), ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.names.add(tag)
        assert attrs == []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += f"{data} "


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    return Study.load(write_toy(folder)).run(folder / "run")


def shown(result):
    page = Whole(result._repr_html_())
    assert page.names <= {"p", "b", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    return re.sub(r"\s+", " ", page.text)


def test_an_explanation_shows_objectives_and_where_they_go(run):
    explained = run.explain(0)
    text = shown(explained)
    assert f"design {explained.design}" in text
    for objective in explained.objectives:
        assert objective["quantity"] in text
    for whole in explained.breakdowns:
        for part in whole["parts"]:
            assert f"{part['quantity']}" in text
    for limit in explained.constraints:
        assert limit["text"] in text


def test_a_choice_shows_its_rule_and_its_design_with_units(run):
    picked = run.pick(minimize="time")
    text = shown(picked)
    assert picked.rule in text
    assert picked.reason in text
    assert f"design {picked.designs[0]['design']}" in text
    assert re.search(r"time [\d.]+ (s|ms|min|h)\b", text)
    assert "units" not in picked.as_dict()


def test_a_comparison_shows_systems_beside_each_other(run):
    text = shown(run.compare(run))
    assert "compared: " in text
    assert f"{len(run.frontier)} designs, exact" in text


def test_a_sweep_shows_the_best_at_each_value(run):
    swept = run.study.sweep("base_power", "0.2..40000 W", steps=3, quantity="time", by="nodes")
    text = shown(swept)
    assert "least time along base power" in text
    assert f"{swept.searches} searches" in text
    for step in swept.steps:
        assert (step.winner or "–") in text


def test_how_sure_shows_shares():
    account = {
        "unknowns": [], "certain": [1], "possible": [1, 2], "undecided": {}, "cells": 1, "stopped": "decided",
        "refused": "", "seen": {}, "probability": {}, "error": 0.0, "draws": 100, "seed": 0, "candidates": 2,
        "complete": True, "ends": {}, "classes": 1, "robust": {},
        "decisions": [
            {
                "rule": EVIL, "quantity": "time", "sense": "min", "draws": 100, "unanswered": 0,
                "values": {"device": {"GH200": 0.52, "MI300A": 0.48}}, "designs": [], "relative": True,
                "holding": [], "meets": 0.0, "robust": None, "cautious": None,
            }
        ],
    }  # fmt: skip
    text = shown(UncertaintyAccount.model_validate(account))
    assert "1 designs are certain, 2 possible" in text
    assert f"{EVIL} device GH200 52 %, MI300A 48 %" in text


def test_texts_are_text():
    assert "<script" not in html_lines([EVIL]) + html_table([EVIL, EVIL], [[EVIL, EVIL]])
    assert html_lines([]) == html_table(["x"], []) == ""
