"""Which conditions hold one quantity to a constant."""

import pytest

from dse.analysis.choose.constant_limits import limit_of
from dse.graph.expression import parse

UNITS = {"power": "W", "time": "s", "nodes": "1", "cores": "1"}
LIMITS = {
    "power <= 20 MW": ("power", "<=", 20e6),
    "20 MW >= power": ("power", "<=", 20e6),
    "power < 2 * 10 MW": ("power", "<", 20e6),
    "1 s < time": ("time", ">", 1.0),
    "nodes * cores <= 256": None,
    "nodes <= cores": None,
    "nodes == 4": None,
    "nodes <= 4 or time <= 1 s": None,
}


@pytest.mark.parametrize("text", LIMITS)
def test_a_limit_is_one_quantity_against_a_constant(text):
    found = limit_of(parse(text, UNITS))
    assert (None if found is None else (found.quantity, found.relation, found.value)) == LIMITS[text]
