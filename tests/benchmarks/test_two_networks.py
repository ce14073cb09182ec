"""A run on one network predicted from a run on another: by hand, and recorded here where Open MPI is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from dse.models.replay import Network, trace_of_rows

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks.__main__ import SECTIONS  # noqa: E402
from benchmarks.two_networks import section  # noqa: E402
from benchmarks.two_networks.measuring import NETWORKS, compiled, missing_tools, record  # noqa: E402

sys.path.remove(str(ROOT))

US = 1e-6
SLOW = Network(2 * US, 0.5 * US, 10e9, collectives="simple")
FAST = Network(1 * US, 0.5 * US, 20e9, collectives="simple")


def ping_pong():
    """A message of 1,000 B there and back: 2 (o + L + o_r + s/B), 6.2 us on the slow network, 4.1 us on the fast."""
    rows = [{"rank": 0, "kind": "send", "peer": 1, "bytes": 1000}, {"rank": 0, "kind": "recv", "peer": 1}]
    rows += [{"rank": 1, "kind": "recv", "peer": 0}, {"rank": 1, "kind": "send", "peer": 0, "bytes": 1000}]
    return trace_of_rows(rows)


def test_predictions_are_what_a_hand_calculation_gives():
    runs = {("p", "slow"): (ping_pong(), 8.0 * US), ("p", "fast"): (ping_pong(), 5.0 * US)}
    there, back = section.compare(runs, {"slow": SLOW, "fast": FAST})
    assert (there["from"], there["to"]) == ("slow", "fast")
    assert there["own"] == pytest.approx(6.2 * US)
    assert there["replayed"] == pytest.approx(4.1 * US)
    assert there["error"] == pytest.approx(4.1 / 5.0 - 1.0)
    assert there["scaled"] == pytest.approx(8.0 * US * 4.1 / 6.2)
    assert there["unchanged_error"] == pytest.approx(8.0 / 5.0 - 1.0)
    assert back["replayed"] == pytest.approx(6.2 * US)
    assert back["scaled_error"] == pytest.approx(5.0 * 6.2 / 4.1 / 8.0 - 1.0)


def test_section_is_known_and_says_what_is_not_installed(monkeypatch):
    assert SECTIONS["two-networks"] is section.run
    monkeypatch.setattr(section, "missing_tools", lambda: ["mpicc"])
    assert section.run("small", lambda text: None).notes == ["not installed: mpicc"]


@pytest.mark.slow
@pytest.mark.skipif(bool(missing_tools()), reason="Open MPI is not installed")
def test_a_recorded_run_has_the_messages_of_its_program(tmp_path):
    """Ten steps of heat on two ranks: two exchanges of a cell each, and after the tenth a sum."""
    programs = compiled(tmp_path)
    trace, taken = record(programs["heat"], ["64", "10"], NETWORKS[0], tmp_path / "run.csv")
    assert np.bincount(trace.rank[trace.sends]).tolist() == [20, 20]
    assert trace.bytes[trace.sends].tolist() == [8.0] * 40
    assert trace.collectives.bytes.tolist() == [8.0]
    assert taken == pytest.approx(trace.exit.max() - trace.enter.min())
    trace, _ = record(programs["fft"], ["16"], NETWORKS[0], tmp_path / "fft.csv")
    assert trace.collectives.bytes.tolist()[:8] == [16.0 * 8 * 8] * 8
