"""The published figures of networks."""

import math

import pytest

from dse.authoring.library.claims import counts
from dse.models.network.claims.accuracy import SIMULATED
from dse.models.network.claims.published import claims
from dse.models.network.claims.tables import rows_of
from dse.models.network.patterns.patterns import PATTERNS
from dse.models.network.topologies import COMPONENTS

CLAIMS = claims()


def test_counts():
    found = counts(CLAIMS)
    assert found["fitted"] == 0  # nothing here was fitted
    assert found["pass"] >= 150
    assert found["deviation"] >= 40
    assert found["not checkable"] == 0  # machines of the same ranges are simulated here


@pytest.mark.parametrize(
    ("file", "place"),
    [("simulated-accuracies.csv", "table"), ("configurations.csv", "table"), ("large-machines.csv", "section")],
)
def test_every_published_row_says_where_it_stands(file, place):
    rows = rows_of(file)
    assert rows
    assert all(row["source"] and row[place] and None not in row for row in rows)


def test_tolerances_are_tight():
    for claim in CLAIMS:
        if claim.whose == "simulated here":
            assert claim.relative_tolerance <= 0.1
            continue
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


STATED = {
    (component.topology.name, pattern): accuracy
    for component in COMPONENTS
    for pattern, accuracy in component.accuracy.items()
}


def test_accuracies():
    assert len(STATED) == 12
    for (_, pattern), (error, (low, high)) in STATED.items():
        assert pattern in PATTERNS
        assert 4 <= low <= high <= 3375
        assert 0 < error.mean < 0.2
        assert "simulation" in error.of
    assert math.isclose(STATED["torus", "uniform"].error.mean, 0.166)
    assert math.isclose(STATED["hyperx", "nearest-neighbour"].error.mean, 0.17)
    assert STATED["fat-tree-3-level", "shift"].nodes == (48, 1280)


def test_accuracies_that_topologies_state_are_the_published_ones():
    published = {(row.topology, row.pattern): row for row in SIMULATED if not row.which}
    assert STATED.keys() == published.keys()
    for key, (error, nodes) in STATED.items():
        row = published[key]
        assert error.mean == pytest.approx(1 - row.mean / 100, abs=1e-9)
        assert nodes == row.nodes
        assert f"({row.shapes}); {row.source}, {row.table}" in error.of
