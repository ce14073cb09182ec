"""The published figures of networks."""

import math

import pytest

from dse.authoring.claims import counts
from dse.models.network.accuracy import ACCURACY, SIMULATED, VALID_NODES
from dse.models.network.bandwidth import TOPOLOGIES
from dse.models.network.claims.published import claims
from dse.models.network.patterns import PATTERNS

CLAIMS = claims()


def test_counts():
    found = counts(CLAIMS)
    assert found["fitted"] == 0  # nothing here was fitted
    assert found["pass"] >= 150
    assert found["documented deviation"] >= 40
    assert found["not checkable"] == len(SIMULATED)


def test_tolerances_are_tight():
    for claim in CLAIMS:
        assert claim.relative_tolerance <= 2e-6
        assert claim.absolute_tolerance <= 5e-5


@pytest.mark.parametrize(
    ("source", "least"),
    [  # the errors of the thesis that change a number, by where they stand
        ("Eq. 5.8", 1),
        ("Eq. 5.41", 1),
        ("Eq. 5.50", 2),  # wrapping round, and a shift by all nodes
        ("Eq. 5.54", 2),  # wrapping round, and w0
        ("Eq. 5.60", 2),
        ("Table 5.6", 1),
        ("Table 5.7", 2),  # row 1, and w0
        ("Section 5.5.2", 1),
        ("Section 5.5.3", 1),
        ("Eq. 5.56", 1),
        ("Table 5.5", 1),
        ("Section 5.6.2", 1),
        ("Sections 5.6.3 and 5.6.4", 1),
        ("Table 5.8", 2),  # d2 = 2 and d2 = 1
        ("Appendix table 1", 3),  # tori of one, two and three dimensions
        ("Appendix table 5", 5),  # every row
        ("Section 5.4.4", 1),
        ("Section 5.4.5", 1),
        ("Section 5.4.6, items 2 to 4", 1),
        ("Section 5.4.3", 1),
        ("Section 5.2, Figs. 5.3 and 5.4", 1),
        ("Sections 5.4 and 5.7.1", 1),
        ("Table 5.10", 1),
        ("Section 7.2", 1),
    ],
)
def test_every_error_of_the_thesis_has_a_claim(source, least):
    found = [claim for claim in CLAIMS if claim.kind == "deviation" and claim.source == f"Anghel 2017, {source}"]
    assert len(found) >= least
    assert all(isinstance(claim.computed, (float, int, bool, tuple)) for claim in found)


def test_accuracies():
    assert set(ACCURACY) == set(VALID_NODES)
    assert len(ACCURACY) == 12
    for (topology, pattern), error in ACCURACY.items():
        assert topology in TOPOLOGIES
        assert pattern in PATTERNS
        low, high = VALID_NODES[topology, pattern]
        assert 4 <= low <= high <= 3375
        assert 0 < error.mean < 0.2
        assert "simulation" in error.of
    assert math.isclose(ACCURACY["torus", "uniform"].mean, 0.166)
    assert math.isclose(ACCURACY["hyperx", "nearest-neighbour"].mean, 0.17)
    assert VALID_NODES["fat-tree-3-level", "shift"] == (48, 1280)
