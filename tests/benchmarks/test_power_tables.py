"""The benchmark of the power tables runs, and its table rows come back. Nothing here looks at a clock."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # benchmarks/ is not part of the package

from benchmarks import power_tables  # noqa: E402
from benchmarks.__main__ import SECTIONS  # noqa: E402

sys.path.remove(str(ROOT))


def test_section(monkeypatch):
    monkeypatch.setitem(power_tables.DESIGNS, "small", 100)
    section = power_tables.run("small", lambda text: None)

    assert SECTIONS["power"] is power_tables.run
    assert section.asserted == ["105 rows of cores, caches and routers come back from a look-up, to 1e-12"]
    assert all(0 <= row["median"] <= row["p95"] <= row["most"] for row in section.rows)
    assert {"table", "value", "rows", "median", "95th percentile", "largest"} == {c.heading for c in section.columns}


@pytest.mark.parametrize(("share", "text"), [(0.0, "0 %"), (0.0059, "0.59 %"), (0.0417, "4.2 %"), (0.2088, "21 %")])
def test_percent(share, text):
    assert power_tables.percent(share) == text
