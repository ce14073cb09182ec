"""What measured systems say of an answer, in words: made-up accounts, with the figures of real machines."""

from __future__ import annotations

import pytest

from dse.report.words.falsification import (
    VERDICT_HEADINGS,
    change_in_words,
    class_sentences,
    exact_laws,
    falsification_lines,
    system_in_words,
    verdict_rows,
)
from dse.run.result.falsification_account import FalsificationAccount, JudgedClass, MeasuredSystem


def system(name, word, excess, **changed):
    given = {
        "name": name,
        "source": "a reference of the study",
        "of_class": "many cores",
        "present": True,
        "word": word,
        "excess": excess,
        "factor": 1.0,
        "standard_errors": None,
        "scale": 1.0,
        "limit": "",
        "objectives": {},
        "model_over_measured": {"machine_power": 1.393},
        "left_out": {},
        "law_error": 0.13,
        "doubted": False,
        "nearest": None,
        "next": None,
    }
    return MeasuredSystem.model_validate(given | changed)


def account(*systems, **changed):
    given = {
        "name": "many cores",
        "of": {"node": ["many-core"]},
        "designs": 0,
        "offered": True,
        "factor": 2.0,
        "exact": True,
        "best": 7,
        "law_error": 0.17,
        "taken_as_exact": False,
        "word": "",
        "by": [],
    }
    return FalsificationAccount(
        systems=list(systems), classes=[JudgedClass.model_validate(given | changed)], withdrawn=[], file="", digest=""
    )


LINESHINE = system("LineShine", "contradicts", 0.956, present=False, factor=2.0, standard_errors=3.8)


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        (
            system("El Capitan", "agrees", 0.649),
            "El Capitan as measured is beaten by designs of the frontier (0.65): no contradiction",
        ),
        (
            system("JUPITER Booster", "on the frontier", 1.015, standard_errors=0.5),
            "JUPITER Booster as measured is as good as the frontier's best (1.5 % beyond it, within the law's error)",
        ),
        (
            system("Fast", "weakens", 1.2, standard_errors=2.4),
            "Fast as measured is 20.0 % beyond the frontier's best (2.4 standard errors), which weakens what is said "
            "of many cores",
        ),
        (
            LINESHINE,
            "LineShine as measured is 1.05 times worse (3.8 standard errors), which refutes the law of many cores",
        ),
        (
            system("Carpenter", "says nothing", None, doubted=True),
            "Carpenter: its measured figures are doubted, so it is named and not believed",
        ),
        (
            system("Fugaku", "says nothing", None, scale=None, limit="linpack_flop_rate >= 1 Eflop/s"),
            "Fugaku says nothing of this study's limits, only of its laws (linpack_flop_rate >= 1 Eflop/s)",
        ),
    ],
)
def test_one_system(judged, words):
    assert system_in_words(judged) == words


def test_what_is_withdrawn():
    (sentence,) = class_sentences(account(LINESHINE, word="contradicts", by=["LineShine"]))
    assert sentence == (
        "withdrawn",
        "The laws say that designs of many cores are 2.0 times worse; LineShine as measured is 1.05 times worse "
        "(3.8 standard errors): the law of many cores is refuted, no statement on the class",
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"factor": 1.17}, "1.17 times worse"),
        ({"factor": 1.26, "exact": False}, "up to 1.26 times worse"),
        ({"factor": None, "best": None}, "off the frontier"),
    ],
)
def test_how_far_the_laws_have_a_class(changed, words):
    (sentence,) = class_sentences(account(LINESHINE, word="contradicts", by=["LineShine"], **changed))
    assert f"designs of many cores are {words};" in sentence.text


def test_what_is_probable_and_no_more():
    """Of a class that is absent by its factor, of one that is there by what is beyond the frontier; systems by name."""
    half = system("One", "weakens", 0.6, present=False, factor=2.0, standard_errors=1.1)
    more = system("Other", "weakens", 0.7, present=False, factor=2.0, standard_errors=1.9)
    (sentence,) = class_sentences(account(half, more, word="weakens", by=["One", "Other"]))
    assert sentence == (
        "probably",
        "Designs of many cores are probably 2.0 times worse, no more: Other as measured is 1.43 times worse "
        "(1.9 standard errors); so does One",
    )
    there = system("Fast", "weakens", 1.2, standard_errors=2.4)
    (sentence,) = class_sentences(account(there, word="weakens", by=["Fast"], factor=None, best=None, designs=3))
    assert sentence.text.startswith(
        "What the laws say of many cores holds probably, no more: Fast as measured is 20.0 %"
    )


def test_nothing_is_withdrawn_where_all_agree():
    quiet = account(system("El Capitan", "agrees", 0.649))
    assert class_sentences(quiet) == []
    assert class_sentences(None) == []
    assert exact_laws(None) == []
    assert exact_laws(account(taken_as_exact=True)) == ["many cores"]


def test_lines_and_rows():
    scaled = system(
        "LineShine",
        "agrees",
        0.946,
        scale=0.947,
        limit="machine_power <= 40 MW",
        next={"word": "on the frontier", "times_better": 1.057},
        nearest={"design": 3, "ratios": {"nodes": 0.5}, "missing": ["nodes"]},
        left_out={"power": {"ratio": 1.12, "standard_errors": 2.1}},
    )
    others = [system(f"M{place}", "agrees", 0.5) for place in range(4)]
    lines = falsification_lines(account(scaled, *others), {"nodes": "number of nodes"}.get)
    assert lines == [
        "designs of the frontier by class: many cores none (laws off by 17 %, one standard error)",
        "LineShine as measured is beaten by designs of the frontier (0.95): no contradiction",
        "M0 as measured is beaten by designs of the frontier (0.50): no contradiction",
        "M1 as measured is beaten by designs of the frontier (0.50): no contradiction",
        "2 more agree: M2, M3",
        "beyond two standard errors of laws without it: LineShine power +12.0 % (+2.1)",
        "the laws say that designs of many cores are 2.0 times worse",
        "brought within the limits: LineShine at 0.947 of its size (machine_power <= 40 MW)",
        "the space has no design of many cores, so none like M0, M1, M2, M3",
        "no design is like LineShine within a factor of 1.5: the nearest has 0.5 times its number of nodes",
        "what would change it: LineShine 1.06 times better would be on the frontier",
    ]
    rows = verdict_rows(account(others[0], scaled, LINESHINE))
    assert [row[0] for row in rows] == ["LineShine", "LineShine", "M0"]
    assert rows[1] == [
        "LineShine",
        "many cores",
        "agrees",
        "0.946",
        "–",
        "0.947",
        "machine_power +39.3 %",
        "power +12.0 % (+2.1)",
        change_in_words(scaled),
    ]
    assert all(len(row) == len(VERDICT_HEADINGS) for row in rows)
