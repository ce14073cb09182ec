"""What a thousand workers would take is arithmetic that adds up."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the package

from benchmarks import workers
from benchmarks.__main__ import SECTIONS


def test_it_can_be_asked_for():
    assert SECTIONS["workers"] is workers.run


@pytest.mark.parametrize("count", [1, 100, 1_000])
def test_more_work_is_shared_better_and_never_better_than_all_of_it(count):
    told = workers.on_paper(0.004, count)
    assert "on paper, not measured" in told[0]
    shares = [float(re.search(r"([\d.]+)% of", line)[1]) for line in told[1:]]
    assert shares == sorted(shares)
    assert all(0 < share <= 100 for share in shares)


def test_a_scheduler_that_is_slow_holds_all_up():
    (*_, quick), (*_, slow) = workers.on_paper(1e-9), workers.on_paper(1.0)
    assert float(re.search(r"work: ([\d.e+]+) s", slow)[1]) > 10 * float(re.search(r"work: ([\d.e+]+) s", quick)[1])
