"""Cuts of a training beside mlsysim: what is asked of both, and what is said where it is not installed."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import training_peer  # noqa: E402
from dse import Study  # noqa: E402

sys.path.remove(str(ROOT))


def test_the_step_of_a_cut_is_the_shortest_that_fits():
    study = Study.load(training_peer.STUDY)
    only = study.with_(set={"recompute": "none", "precision": "bf16"})
    best = only.run(trust=False).frontier["step_time"].min()
    every = [training_peer.step_time(study, tensor, pipeline) for tensor in (4, 8) for pipeline in (4, 8, 16, 32)]
    assert min(every) >= best * (1 - 1e-12)
    assert np.isinf(training_peer.step_time(study, 4, 8))


def test_without_mlsysim_it_says_why(monkeypatch):
    def missing(*asked):
        raise training_peer.Unavailable("mlsysim 0.3.0 cannot be installed: no network")

    monkeypatch.setattr(training_peer, "ask", missing)
    section = training_peer.run("small", lambda text: None)
    assert any("no network" in note for note in section.notes)
    assert [row["theirs"] for row in section.rows] == [None] * 5
    assert section.rows[0]["ours"] == pytest.approx(training_peer.step_time(Study.load(training_peer.STUDY), 8, 16))
