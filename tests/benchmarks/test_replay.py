"""The benchmark of replays runs on few events. Nothing here looks at a clock."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import replay  # noqa: E402
from benchmarks.__main__ import SECTIONS  # noqa: E402

sys.path.remove(str(ROOT))


def test_section(monkeypatch):
    monkeypatch.setitem(replay.STEPS, "small", 2)
    monkeypatch.setitem(replay.LOOPED, "small", 2)
    monkeypatch.setitem(replay.LARGE, "small", 2)
    section = replay.run("small", lambda text: None)

    assert SECTIONS["replay"] is replay.run
    assert section.asserted == [
        "the finish of 64 ranks equals the loop of events, and itself through OTF2 and Paraver, to 1e-9"
    ]
    assert len({row["label"] for row in section.rows}) == len(section.rows) == 10
    assert all(row["rate"] > 0 for row in section.rows)
