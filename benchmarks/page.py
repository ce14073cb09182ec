"""The page of a large study: bytes, seconds to write it, and seconds until it can be used, in headless Chromium.

``python -m benchmarks.page [--designs small|full]``
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

from benchmarks.report import Column, Section, Target, seconds, show

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REPEATS = {"full": 5, "small": 2}

# SYNTHETIC: a made-up cluster, so that time, energy and price pull apart; it describes no machine.
MODEL = '''
import numpy as np

from dse.authoring.declare.declaration import parameter, quantity

SYNTHETIC = "SYNTHETIC: made up, describes no machine"
nodes = parameter(unit="1", doc="Nodes", above=0)
cores = parameter(unit="1", doc="Cores per node", above=0)
frequency = parameter(unit="Hz", doc="Clock frequency", above=0)
memory_channels = parameter(unit="1", doc="Memory channels per node", above=0)
bandwidth = parameter(unit="B/s", doc="Bandwidth of a link", above=0)
latency = parameter(unit="s", doc="Latency of a link", above=0)
link_power = parameter(unit="W", doc="Power of a link", above=0)

@quantity(unit="s", source=SYNTHETIC)
def compute_time(nodes, cores, frequency):
    """Time of the arithmetic."""
    return 4e14 / (nodes * cores**0.93 * frequency)

@quantity(unit="s", source=SYNTHETIC)
def memory_time(nodes, memory_channels, cores):
    """Time of the memory traffic."""
    return 6e12 / (nodes * memory_channels * 12e9) * (1 + cores / 300)

@quantity(unit="s", source=SYNTHETIC)
def network_time(nodes, bandwidth, latency):
    """Time of the messages."""
    return 2e5 * latency * np.log2(1 + nodes) + 9e11 / (bandwidth * nodes ** (2 / 3))

@quantity(unit="s", source=SYNTHETIC, max_of=("compute_time", "memory_time"))
def node_time(compute_time, memory_time):
    """Time within the nodes: arithmetic and memory traffic overlap."""
    return np.maximum(compute_time, memory_time)

@quantity(unit="s", source=SYNTHETIC, sum_of=("node_time", "network_time"))
def run_time(node_time, network_time):
    """Time of the run."""
    return node_time + network_time

@quantity(unit="W", source=SYNTHETIC)
def core_power(nodes, cores, frequency):
    """Power of the cores."""
    return nodes * cores * (0.4 + 1.1 * (frequency / 1e9) ** 2.2)

@quantity(unit="W", source=SYNTHETIC)
def memory_power(nodes, memory_channels):
    """Power of the memory."""
    return nodes * memory_channels * 4.5

@quantity(unit="W", source=SYNTHETIC)
def network_power(nodes, link_power):
    """Power of the network."""
    return nodes * link_power

@quantity(unit="W", source=SYNTHETIC, sum_of=("core_power", "memory_power", "network_power"))
def power(core_power, memory_power, network_power):
    """Power of the cluster."""
    return core_power + memory_power + network_power

@quantity(unit="J", source=SYNTHETIC)
def energy(power, run_time):
    """Energy of the run."""
    return power * run_time

@quantity(unit="1", source=SYNTHETIC)
def price(nodes, cores, memory_channels, link_power, frequency):
    """Price in units of a plain node."""
    return nodes * (1 + cores / 40 + memory_channels / 10 + link_power / 60 + (frequency / 3e9) ** 3)
'''
LINKS = "\n".join(
    [
        "name,bandwidth [GB/s],latency [us],link_power [W],source,synthetic",
        *(f"link {k},{3 + 4 * k},{2.6 - 0.22 * k:.2f},{4 + 2.1 * k:.1f},SYNTHETIC: made up,yes" for k in range(10)),
    ]
)


def make_study(folder: Path, designs: int, objectives: int = 3) -> Any:
    """Return a SYNTHETIC study of about `designs` designs whose files stand in `folder`."""
    from dse.api import Study

    (folder / "cluster.py").write_text(MODEL, encoding="utf-8")
    (folder / "links.csv").write_text(LINKS + "\n", encoding="utf-8")
    nodes = max(designs // 5000, 2)
    wanted = [{"minimize": name} for name in ("run_time", "energy", "price", "power", "network_time", "memory_time")]
    return Study(
        {
            "name": f"synthetic-{designs}",
            "question": f"SYNTHETIC: which of {designs:,} made-up clusters is fast, frugal and cheap?",
            "source": "SYNTHETIC: made up to measure this page, describes no machine",
            "models": ["cluster.py"],
            "constraints": ["power <= 6 kW"],
            "also": ["power", "node_time"],
            "objectives": wanted[:objectives],
            "space": {
                "axes": {
                    "nodes": {"range": [2, 2 * nodes], "step": 2},
                    "cores": {"values": [4, 8, 12, 16, 24, 32, 40, 48, 56, 64]},
                    "frequency": {"range": ["1.2 GHz", "3.0 GHz"], "step": "0.2 GHz"},
                    "memory_channels": {"values": [2, 4, 6, 8, 12]},
                    "link": {"part": "links.csv", "label": "name"},
                }
            },
        },
        folder=folder,
    )


def open_page(browser: Any, page: Path) -> dict[str, float]:
    """Open a page and return seconds until it was ready, painted, had answered a click, and had its plot."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    # The click is made in the page itself, once it has been painted: no round trip is measured.
    tab.add_init_script(
        """new MutationObserver((_, self) => {
             if (!document.documentElement.dataset.ready) return;
             self.disconnect();
             requestAnimationFrame(() => setTimeout(() => {
               const rows = document.querySelectorAll("#table tr[data-row]");
               rows[rows.length - 1].click();
               requestAnimationFrame(() => setTimeout(() => { window.answered = performance.now(); }));
             }));
           }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });"""
    )
    tab.goto(page.resolve().as_uri(), wait_until="commit")
    tab.wait_for_selector("html[data-plot=ready]", state="attached", timeout=60_000)
    found = tab.evaluate(
        """() => ({
             plot: performance.now(), ready: Number(document.documentElement.dataset.ready), answered: window.answered,
             painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
           })"""
    )
    context.close()
    return {name: value / 1000 for name, value in found.items()}


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Make the studies, write their pages, open them."""
    from dse.report.run_page.page import write_report

    rows: list[dict[str, Any]] = []
    targets, notes = [], []
    browser, closing = open_browser(notes)
    try:
        for size in (100_000, 1_000_000) if designs == "full" else (10_000, 100_000):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                tell(f"{size} designs")
                study = make_study(folder, size)
                start = time.perf_counter()
                result = study.run(folder / "run")
                middle = time.perf_counter()
                page = write_report(result)
                end = time.perf_counter()
                row = {"designs": size, "run": middle - start, "report": end - middle, "bytes": page.stat().st_size}
                opened = [open_page(browser, page) for _ in range(REPEATS[designs])] if browser else []
                for key in ("ready", "painted", "answered", "plot"):
                    row[key] = median(one[key] for one in opened) if opened else None
                rows.append(row)
                if size == 100_000:
                    targets.append(Target("bytes of the page of 10^5 designs", row["bytes"] / 1e6, 8.0, "MB", False))
                    if opened:
                        targets.append(Target("page usable (a click is answered)", row["answered"], 1.0, "s", False))
                        targets.append(Target("plot drawn", row["plot"], 5.0, "s", False))
                if size == 1_000_000:
                    targets.append(Target("10^6 designs with report", row["run"] + row["report"], 5.0, "s", False))
                    targets.append(Target("their report alone", row["report"], 1.5, "s", False))
    finally:
        closing()
    columns = [
        Column("designs", "designs", lambda n: f"{n:,}"),
        Column("run", "search and save", seconds),
        Column("report", "write the page", seconds),
        Column("bytes", "page", lambda n: f"{n / 1e6:.2f} MB"),
        Column("painted", "painted", seconds),
        Column("ready", "ready", seconds),
        Column("answered", "click answered", seconds),
        Column("plot", "plot", seconds),
    ]
    return Section("page", "The page of a SYNTHETIC study, three objectives", columns, rows, targets, [], notes)


def open_browser(notes: list[str]) -> tuple[Any, Callable[[], None]]:
    """Start Chromium where it and playwright are there; else a note says what is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        notes.append("playwright is not installed: the page is not opened")
        return None, lambda: None
    if not shutil.which(CHROMIUM):
        notes.append(f"there is no {CHROMIUM}: the page is not opened")
        return None, lambda: None
    driver = sync_playwright().start()
    browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)

    def close() -> None:
        browser.close()
        driver.stop()

    return browser, close


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--designs", choices=["full", "small"], default="full")
    show(run(parser.parse_args().designs, lambda text: None), Console())
