"""Faults that are put into copies of the engine: each still fits its file, and what comes of it is told rightly."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import __main__ as command  # noqa: E402
from benchmarks import mutations  # noqa: E402
from benchmarks.faults import FAULTS, Fault  # noqa: E402

sys.path.remove(str(ROOT))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_text_of_every_fault_stands_in_its_file_exactly_once(fault):
    text = (ROOT / fault.file).read_text()
    wrong = fault.applied(text)
    assert ast.dump(ast.parse(wrong)) != ast.dump(ast.parse(text))
    assert fault.file.startswith("dse/")
    assert all((ROOT / file).is_file() for file in fault.tests)


def test_faults_have_names_of_their_own_and_are_of_every_part():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 24
    assert {Path(fault.file).parts[1] for fault in FAULTS} >= {"search", "evaluation", "arithmetic", "graph"}


@pytest.mark.parametrize("text", ["", "a a", "b"])
def test_a_fault_that_no_longer_fits_is_refused(text):
    fault = Fault("one", "Something.", "dse/x.py", "a", "b", ())
    with pytest.raises(
        ValueError, match=rf"fault 'one': its text stands {text.count('a')} times in dse/x.py, not once"
    ):
        fault.applied(text)


RIGHT = {"space": "some", "method": "groups", "kind": "large", "frontier": "abc", "exact": True}
OUTCOMES = {
    "same": (RIGHT, {**RIGHT, "check": [], "proofs": ["a box"]}),
    "contradicted": (RIGHT, {**RIGHT, "frontier": "other", "check": ["a design"]}),
    "account": (RIGHT, {**RIGHT, "frontier": "other", "exact": False, "check": []}),
    "unnoticed": (RIGHT, {**RIGHT, "frontier": "other", "check": []}),
    "ended": (RIGHT, {"failed": "IndexError: index 3"}),
}


@pytest.mark.parametrize("word", OUTCOMES)
def test_what_comes_of_a_search_is_told(word):
    assert mutations.outcome(*OUTCOMES[word]) == word


def test_refusals_are_results_too():
    refused = {"space": "some", "method": "groups", "kind": "random", "refused": "'x' is NaN"}
    assert mutations.outcome(refused, {**refused, "refused": "'y' is NaN"}) == "same"
    assert mutations.outcome(RIGHT, refused) == "ended"
    assert mutations.outcome(refused, {**RIGHT, "check": []}) == "unnoticed"
    assert mutations.outcome(refused, {**RIGHT, "check_failed": "NonFiniteError: x"}) == "ended"


def test_counts_are_those_of_all_searches_and_of_large_spaces():
    expected = [{**sound, "kind": kind} for kind in ("random", "large") for sound, _ in OUTCOMES.values()]
    found = [faulty for _ in range(2) for _, faulty in OUTCOMES.values()]
    told = mutations.compared(expected, found)
    assert [told[word] for word in ("changed", "contradicted", "account", "ended", "unnoticed")] == [8, 2, 2, 2, 2]
    assert (told["large_changed"], told["large_contradicted"], told["proofs"]) == (4, 1, 2)
    assert told["unnoticed_in"] == ["some, groups"] * 2
    assert mutations.compared(expected, "no end in 400 s")["ended"] == 10


def test_an_unknown_fault_is_refused_before_anything_is_measured(capsys):
    with pytest.raises(SystemExit):
        command.main(["mutations", "--fault", "nosuch"])
    assert "there is no fault 'nosuch'; there are bundle-lower-is-first" in capsys.readouterr().err
    with pytest.raises(ValueError, match="no fault 'nosuch'"):
        mutations.chosen(["nosuch"])


def test_mutations_run_only_when_they_are_named():
    assert "mutations" in command.SECTIONS
    assert set(command.ON_DEMAND) <= command.SECTIONS.keys()


@pytest.mark.slow
def test_a_copy_with_a_fault_is_noticed_and_the_tree_stays_as_it_is():
    name = "bundle-numbers-unsorted"
    file = ROOT / mutations.chosen([name])[0].file
    before = file.read_text()
    section = mutations.run("small", lambda text: None, names=[name], tests=False)
    row, total = section.rows
    assert (row["fault"], row["tests"]) == (name, None)
    assert row["contradicted"] == row["changed"] > 0
    assert total["fault"] == "faults, of 1"
    assert file.read_text() == before
