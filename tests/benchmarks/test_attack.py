"""A short part of `python -m benchmarks attack`; with DSE_ATTACK=600 in the environment, ten minutes of it."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the package

from benchmarks.attack.attack import Attack, main, ready
from benchmarks.attack.changed_documents import DOCUMENTS, changed_study
from benchmarks.attack.forged_folders import SMALL
from benchmarks.attack.made_up_studies import made_up_study
from benchmarks.attack.searches import differences


@pytest.fixture(scope="module")
def folder():
    with ready() as place:
        yield place


@pytest.mark.parametrize("number", range(8))
def test_made_up_studies_are_searched_as_by_brute_force(folder, number):
    attack = Attack()
    attack.search(number, folder, largest=300)
    assert attack.wrong == []
    assert attack.tried["searches", "gone on with"] == 1


def test_a_wrong_frontier_would_be_noticed(folder, monkeypatch):
    """The brute force is asked, and not the engine twice."""
    made = made_up_study(random.Random(0), 300)
    monkeypatch.setattr(type(made), "frontier", lambda self, unknown=4.0: [*self.designs()][:1])
    assert any(fault for _, fault in differences(made, random.Random(0), folder / "searched"))


@pytest.mark.parametrize("number", range(6))
def test_changed_studies_end_well(folder, number):
    attack = Attack()
    attack.study(number, folder)
    assert attack.wrong == []


@pytest.mark.parametrize("number", range(10))
def test_changed_documents_end_every_command_well(folder, number):
    attack = Attack()
    attack.document(number, folder, commands=3)
    assert attack.wrong == []
    assert sum(attack.tried.values()) == 3


def test_cases_are_made_again_from_their_number():
    texts = [changed_study(SMALL, random.Random(5)) for _ in range(2)]
    assert texts[0] == texts[1] != SMALL
    assert made_up_study(random.Random(5)).text == made_up_study(random.Random(5)).text
    assert len(DOCUMENTS) == 8


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("DSE_ATTACK"), reason="DSE_ATTACK names no seconds")
def test_the_attack_finds_nothing():
    assert main(["--seconds", os.environ["DSE_ATTACK"], "--seed", os.environ.get("DSE_ATTACK_SEED", "1")]) == 0
