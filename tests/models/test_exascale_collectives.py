"""The study exascale-collectives: exascale with collective operations, and what they change."""

import tomllib
from collections import Counter

import pytest

from dse import Study
from dse.study.reading import bundled_studies

EXCHANGES = (
    "linpack_exchange",
    "conjugate_gradient_exchange",
    "fourier_transform_exchange",
    "breadth_first_search_exchange",
)


def document(name):
    return tomllib.loads(bundled_studies()[name].read_text(encoding="utf-8"))


def test_it_is_exascale_but_for_the_exchanges():
    law, collectives = document("exascale"), document("exascale-collectives")
    for key in law.keys() - {"name", "question", "models", "use"}:
        assert collectives[key] == law[key]
    assert collectives["use"] == law["use"] | dict.fromkeys(EXCHANGES, "collectives")
    assert set(collectives["models"]) == {*law["models"], "collectives.machine"}


@pytest.fixture(scope="module")
def frontiers():
    """The frontiers of the accelerated alternatives, with detours and over shortest paths alone."""
    found = {}
    for detours in (1, 0):
        some = document("exascale-collectives")
        some["space"]["exclude"] = ["node != 'accelerated'"]
        del some["references"]
        some["set"]["collective_detours"] = detours
        found[detours] = Study(some, folder=bundled_studies()["exascale-collectives"].parent).run().frontier
    return found


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-collectives")
def test_which_topologies_are_on_the_frontier(frontiers):
    """Recorded: a change is to be seen, and told in docs/guide/exascale.md."""
    assert Counter(frontiers[1]["alternative"]) == {
        "accelerated dragonfly": 27,
        "accelerated fat-tree-3-level": 26,
        "accelerated hyperx": 19,
        "accelerated fat-tree-2-level": 11,
    }


@pytest.mark.slow
@pytest.mark.xdist_group("exascale-collectives")
def test_over_shortest_paths_alone_only_trees_are_left(frontiers):
    assert {name.split()[1] for name in frontiers[0]["alternative"]} == {"fat-tree-2-level", "fat-tree-3-level"}
