"""A run killed at any moment goes on with the same command and ends with the same bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the package

from benchmarks.kills import kill_and_resume

pytestmark = [pytest.mark.kills, pytest.mark.slow]


def test_kills_at_random_moments_leave_the_same_bytes(tmp_path):
    """Three kills here; fifty in `python -m benchmarks.kills`."""
    told = kill_and_resume(tmp_path, kills=3, nodes=2500, seed=1)
    assert told["kills"] == 3
    assert told["runs"] >= 1
