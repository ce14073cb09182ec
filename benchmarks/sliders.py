"""Sliders of the flagship's page: milliseconds of a move, from values to the painted frontier, in headless Chromium.

``python -m benchmarks.sliders``
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from rich.console import Console

from benchmarks.page import open_browser
from benchmarks.report import Column, Section, Target, show

UNCERTAIN = {"accelerator_peak_share": {"within": "10 %"}, "fourier_peak_share": {"from": 0.3, "to": 0.7}}
MOVES = 50
TIMED = """count => Array.from({ length: count }, (_, nth) => {
  const share = (nth * 0.618034) % 1, { unknowns } = sliders.model.stored;
  const to = unknowns.map((one) => one.from + (one.to - one.from) * share);
  const start = performance.now();
  sliders.model.move(to);
  const middle = performance.now();
  sliders.go(to);
  return [middle - start, performance.now() - middle];
})"""


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search the flagship, tell what is possible, and move its sliders."""
    from dse import Study
    from dse.report.run_page.page import write_report
    from dse.run.result.slider_file import read_sliders

    notes: list[str] = []
    rows, targets = [], []
    browser, closing = open_browser(notes)
    try:
        with tempfile.TemporaryDirectory() as name:
            tell("exascale")
            study = Study.load("exascale").edited(uncertain=UNCERTAIN, trust={"machines": False}, name="moved")
            result = study.run(Path(name) / "run")
            result.trust(draws=20, cells=16)
            stored = read_sliders(result)
            page = write_report(result)
            if browser is not None and stored is not None:
                tab = browser.new_page()
                tab.goto(page.resolve().as_uri())
                tab.wait_for_selector("#moved tr[data-design]")
                times = tab.evaluate(TIMED, MOVES)
                whole = median(one for _, one in times)
                rows.append(
                    {
                        "candidates": len(stored.candidates),
                        "bytes": (Path(name) / "run" / "sliders.json").stat().st_size,
                        "move": median(one for one, _ in times),
                        "whole": whole,
                    }
                )
                targets.append(Target("median of 50 moves, with what is painted", whole, 50.0, "ms", False))
    finally:
        closing()
    columns = [
        Column("candidates", "possible designs", lambda n: f"{n:,}"),
        Column("bytes", "stored", lambda n: f"{n / 1e6:.2f} MB"),
        Column("move", "frontier", lambda n: f"{n:.1f} ms"),
        Column("whole", "with what is painted", lambda n: f"{n:.1f} ms"),
    ]
    return Section("sliders", "Sliders of the flagship's page", columns, rows, targets, [], notes)


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m benchmarks.sliders", description=__doc__).parse_args()
    show(run("full", lambda text: None), Console())
