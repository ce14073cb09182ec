"""Alternatives by the thousand: what each costs is said once for all of them, or not at all."""

from __future__ import annotations

import time

import numpy as np
import pytest
from example_counts import examples
from toy import STUDY

from dse import Run

SHARES = 97  # values that the alternatives take in turn, so that some of them are equal


def many(count: int) -> str:
    """The toy study with alternatives that set their power at rest."""
    alternatives = [
        f"[space.alternatives.a{index}]\nset = {{ base_power = '{100 + index * 31 % SHARES} W' }}"
        for index in range(count)
    ]
    return "\n".join([STUDY, *alternatives]) + "\n"


def test_check_lists_the_first_alternatives_only(toy, dse):
    (toy / "toy.toml").write_text(many(300))
    short = dse.good("check", "toy.toml").out
    assert len(short.splitlines()) < 50
    assert "300 alternatives, designs of each: " in short
    told = dse.good("check", "toy.toml", "--full").out
    assert told.count(": 14 designs") == 20
    assert "… 280 more alternatives: --json" in told


@pytest.mark.slow
def test_thousands_of_alternatives_are_planned_together(toy, dse):
    """Planned, searched, checked and written in a few milliseconds of processor time each: ten are a fault."""
    count = examples(10_000)
    (toy / "toy.toml").write_text(many(SHARES))
    dse.good("run", "toy.toml", "--out", "few")
    (toy / "toy.toml").write_text(many(count))
    begun = time.process_time()
    dse.good("run", "toy.toml", "--out", "many")
    seconds = time.process_time() - begun
    few, found = Run.load("few").frontier, Run.load("many").frontier
    assert Run.load("many").manifest.certificate.designs == 14 * count
    columns = ["time", "power"]
    np.testing.assert_array_equal(
        np.unique(few[columns].to_numpy(), axis=0), np.unique(found[columns].to_numpy(), axis=0)
    )
    assert seconds < 1e-2 * count
