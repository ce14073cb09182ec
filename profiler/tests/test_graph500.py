"""The script that sets a recorded Graph 500 beside the published profile, on a small graph."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "scripts" / "graph500_profiles.py"
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("profiler")]


def test_every_metric_stands_beside_the_published_one(toolchain, cache) -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(cache), "DSE_CLANG": toolchain.clang}
    told = subprocess.run(
        [sys.executable, SCRIPT, "--scale", "6"],
        check=True,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    ).stdout
    rows = {row[1]: row[2:] for row in ([cell.strip() for cell in line.split("|")] for line in told.splitlines()[2:])}

    assert float(rows["instructions"][1]) == pytest.approx(3_749_155_979, rel=1e-3)
    assert float(rows["references that miss 524,288 B"][1]) == pytest.approx(475_163_062 * (1 - 0.92967), rel=1e-3)
    assert 1e5 < float(rows["instructions"][0]) < 1e8
    # 64 searches and validations of 1,024 edges: five loads of each edge at the least, ten at the most
    loads = float(rows["instructions"][0]) * float(rows["load, of all instructions"][0])
    assert 5 * 64 * 1024 < loads < 10 * 64 * 1024 + 400_000
    assert all(row[3] for row in rows.values()), "each difference has its reason"
