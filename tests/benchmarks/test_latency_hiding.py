"""The benchmark of nodes that hide latency runs on few combinations. Nothing here looks at a clock."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import latency_hiding  # noqa: E402
from benchmarks.__main__ import SECTIONS  # noqa: E402

sys.path.remove(str(ROOT))


def test_section(monkeypatch):
    monkeypatch.setitem(latency_hiding.COMBINATIONS, "small", 100)
    section = latency_hiding.run("small", lambda text: None)

    assert SECTIONS["slower"] is latency_hiding.run
    assert section.asserted == ["64 tasks on each of 4 cores: within 6 % of a simulation instruction by instruction"]
    labels = [row["label"] for row in section.rows]
    assert labels[1:] == ["mix of instructions", "threads of a processor", "mix of instructions, gain"]
    assert all(row["rate"] > 0 for row in section.rows)
