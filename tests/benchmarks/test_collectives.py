"""The benchmark of collective operations runs on few points. Nothing here looks at a clock."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import collectives  # noqa: E402
from benchmarks.__main__ import SECTIONS  # noqa: E402

sys.path.remove(str(ROOT))


def test_section(monkeypatch):
    monkeypatch.setitem(collectives.POINTS, "small", 100)
    monkeypatch.setitem(collectives.ALONE, "small", 1)
    section = collectives.run("small", lambda text: None)

    assert SECTIONS["collectives"] is collectives.run
    assert section.asserted == ["6 algorithms equal the message-level simulation of 64 processes, to 1e-9"]
    labels = [row["label"] for row in section.rows]
    assert len(labels) == len(set(labels))
    assert {"butterfly", "fibonacci", "kary_gather_scatter", "best of bcast"} <= set(labels)
    assert all(row["rate"] > 0 for row in section.rows)
