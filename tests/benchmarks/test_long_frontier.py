"""What a design of the frontier costs a whole command: numbers in arrays, no objects."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import long_frontier  # noqa: E402

sys.path.remove(str(ROOT))

FEW, MANY = 100_000, 400_000


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Return what each command takes for few and for many designs, all of them on the frontier."""
    found = []
    for designs in (FEW, MANY):
        folder = tmp_path_factory.mktemp("long")
        long_frontier.make(folder, designs)
        found.append({one[0]: long_frontier.measure(folder, *one) for one in COMMANDS})
    return found


# The bytes and the processor seconds that a design may cost; ten times as many seconds as on a quiet machine, since
# a busy one takes twice: an object for each design would take a hundred times as many.
LIMITS = {"run": (300, 2e-5), "show": (250, 1e-5)}
COMMANDS = [one for one in long_frontier.commands(long_frontier.TEXTS) if one[0] in LIMITS and "--json" not in one]


@pytest.mark.slow
@pytest.mark.xdist_group("long-frontier")
@pytest.mark.parametrize("command", LIMITS)
def test_a_design_of_the_frontier_costs_few_bytes_and_microseconds(measured, command):
    few, many = (one[command] for one in measured)
    size, time = LIMITS[command]
    assert (many["mib"] - few["mib"]) * 2**20 / (MANY - FEW) < size
    assert (many["cpu"] - few["cpu"]) / (MANY - FEW) < time
