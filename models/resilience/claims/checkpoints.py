"""Printed intervals, efficiencies, energies and failure rates, beside what the models give.

Published failure data are those of ``spaces/resilience/failure_data.csv``; what stands in papers that were not at hand
has its confidence there. Intervals and shares of time are our own, computed apart by Lambert's function and by event
simulation.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.authoring.table import Table, read_table
from dse.models.resilience.checkpoint_transfer import break_even_compress_bandwidth, transfer_time
from dse.models.resilience.checkpointing import checkpoint, two_level_checkpoint
from dse.models.resilience.energy import energy_per_useful_second, first_order_energy
from dse.models.resilience.failure_rates import mean_time_between_failures
from dse.models.resilience.inputs import YEAR
from dse.models.resilience.optimum import first_order_efficiency, optimal_efficiency
from dse.models.resilience.two_levels import two_level_efficiency, two_level_wall

__all__ = ["checkpoint_claims", "failure_data"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "resilience")
POWERS = (200.0, 150.0, 100.0)
HOUR, DAY, TB = 3600.0, 86400.0, 1e12
SCHEMES = {
    "none": (1.0, np.inf),
    "lossless low": (1.3, 10.0),
    "lossless best": (2.16, 10.0),
    "lossy, tolerance 0.5 %": (4.7, 10.0),
    "lossy best": (8.0, 10.0),
    "lossy best, slow compressor": (8.0, 1.0),
}
"""Compression ratio, and rate of compression in TB/s."""


def failure_data() -> Table:
    """Return ``spaces/resilience/failure_data.csv``, empty cells as NaN."""
    return read_table(Path(str(files("dse.spaces"))) / "resilience" / "failure_data.csv", empty=True)


def checkpoint_claims() -> list[Claim]:
    """Return every figure of checkpoints and failures, with what the models give."""
    return [*_printed(), *_schemes(), *_limits(), *_failures(), *_llama(), *FIGURES.not_checkable()]


def _floats(*values: object) -> tuple[float, ...]:
    return tuple(float(np.asarray(value)) for value in values)


def _numbers(title: str) -> tuple[float, ...]:
    return tuple(float(number) for number in re.findall(r"\d+(?:\.\d+)?", title))


def _printed() -> list[Claim]:
    claims = []
    for title in FIGURES:
        what = title.partition(" at delta")[0]
        if title.startswith("two levels ") and "/" in title:
            claims.append(_two_levels(title))
        elif " at delta " in title and not title.startswith("first-order"):
            cost, mean, *rest = _numbers(title.partition(" at delta")[2])
            restart = rest[0] if rest else 0.0
            best = checkpoint(cost, mean, restart)
            shares = best.shares
            if what.startswith("best interval"):
                computed: object = _floats(best.interval, best.young, best.daly)
            elif what.startswith("efficiency"):
                computed = _floats(best.efficiency, best.efficiency_young)
            elif what.startswith("busy"):
                computed = _floats(*shares, shares.wall)
            elif what.startswith("wall"):
                computed = float(shares.wall)
            else:
                first = first_order_energy(best.interval, cost, mean, restart, *POWERS)
                computed = _floats(energy_per_useful_second(shares, *POWERS), first)
            claims.append(FIGURES.claim(title, computed))
    return claims


def _two_levels(title: str) -> Claim:
    case, _, what = title.partition(": ")
    cost, mean, restart, *others = _numbers(case)
    local, whole = (cost, mean, restart), (others[0], others[1], others[2])
    levels = two_level_checkpoint(*local, *whole)
    if what.startswith("interval"):
        return FIGURES.claim(title, _floats(*levels.closed))
    if what.startswith("efficiency in"):
        return FIGURES.claim(title, _floats(levels.first_order, levels.efficiency))
    return FIGURES.claim(title, float(two_level_efficiency(*levels.closed, local, whole)))


def _schemes() -> list[Claim]:
    mean = mean_time_between_failures((10_000, 5.0 * YEAR))
    claims = []
    for name, (ratio, rate) in SCHEMES.items():
        cost = transfer_time(640.0 * TB, 1.0 * TB, ratio, rate * TB)
        best = checkpoint(cost, mean, cost)
        claims.append(
            FIGURES.claim(f"10,000 nodes, compression {name}: cost and interval", _floats(cost, best.interval))
        )
        claims.append(FIGURES.claim(f"10,000 nodes, compression {name}: efficiency", float(best.efficiency)))
    half = tuple(_half_lost(ratio, rate) for ratio, rate in ((1.0, np.inf), (4.7, 1e9)))
    title = "nodes of 64 GB each at which half the time is lost, uncompressed and with a ratio of 4.7"
    claims.append(FIGURES.claim(title, half))
    title = "break-even rate of compression over the bandwidth of the store at ratios 1.3, 2, 4.7, 8"
    return [*claims, FIGURES.claim(title, tuple(break_even_compress_bandwidth([1.3, 2.0, 4.7, 8.0]).tolist()))]


def _half_lost(ratio: float, rate: float) -> int:
    """Nodes where the efficiency is nearest to one half."""
    nodes = np.arange(1000.0, 100_000.0)
    cost = transfer_time(64e9 * nodes, 1.0 * TB, ratio, rate * nodes)
    efficiency = optimal_efficiency(cost, mean_time_between_failures((nodes, 5.0 * YEAR)), cost)
    return int(nodes[np.argmin(np.abs(efficiency - 0.5))])


def _limits() -> list[Claim]:
    wall = two_level_wall(100.0, 5, (5.0, np.inf, 0.0), (20.0, 3000.0, 30.0))
    other = two_level_wall(100.0, 1, (20.0, 1000.0, 30.0), (20.0, 3000.0, 30.0))
    local, whole = (1.0, 300.0, 1.0), (300.0, 3600.0, 300.0)
    levels = two_level_checkpoint(*local, *whole)
    inner = checkpoint(*local, interval=levels.closed.local).efficiency
    outer = checkpoint(*whole, interval=levels.closed.per_global * levels.closed.local / inner).efficiency
    low = [
        1.0 - first_order_efficiency(cost, 1000.0, restart) / optimal_efficiency(cost, 1000.0, restart)
        for cost, restart in ((1.0, 1.0), (10.0, 20.0))
    ]
    return [
        FIGURES.claim(
            "two levels without failures of class 1, and with every checkpoint global: wall", _floats(wall, other)
        ),
        FIGURES.claim(
            "two nested laws of one level where two levels are exact",
            _floats(inner * outer, two_level_efficiency(*levels.closed, local, whole)),
        ),
        FIGURES.claim(
            "first-order efficiency is low by 0.07 % at delta/M of 0.001 and by 1.1 % at 0.01", _floats(*low)
        ),
    ]


def _mean(data: Table, name: str) -> float:
    row = data.where(name=name)
    return float(row["observed"][0] / row["failures"][0])


def _failures() -> list[Claim]:
    data = failure_data()
    row = data.where(name="Llama 3 unplanned")
    mean = _mean(data, "Llama 3 unplanned")
    count = {
        name: float(data.where(name=f"Llama 3 {name}")["failures"][0]) for name in ("faulty GPU", "HBM3", "network")
    }
    share = {name: value / float(row["failures"][0]) for name, value in count.items()}
    outage = _mean(data, "Blue Waters system-wide")
    return [
        FIGURES.claim(
            "time between failures of Llama 3, unplanned and all", (mean / HOUR, _mean(data, "Llama 3 all") / HOUR)
        ),
        FIGURES.claim("time between failures per device of Llama 3", mean * float(row["devices"][0]) / YEAR),
        FIGURES.claim("time between failures per node of eight of Llama 3", mean * float(row["nodes"][0]) / DAY),
        FIGURES.claim(
            "share of HBM3 and of the network in unplanned interruptions of Llama 3", (share["HBM3"], share["network"])
        ),
        FIGURES.claim("share of faulty GPUs in unplanned interruptions of Llama 3", share["faulty GPU"]),
        FIGURES.claim(
            "share of faulty GPUs in unplanned interruptions of Llama 3, from its count", share["faulty GPU"]
        ),
        FIGURES.claim("time between outages of the whole of Blue Waters", (outage / DAY, outage / HOUR)),
        FIGURES.claim(
            "time between failures of systems of LANL, least and most",
            (_mean(data, "LANL most") / HOUR, _mean(data, "LANL least") / DAY),
        ),
        FIGURES.claim(
            "time between interrupts of an exascale machine of 2e9 FIT", _mean(data, "exascale projection") / HOUR
        ),
    ]


def _llama() -> list[Claim]:
    mean = _mean(failure_data(), "Llama 3 unplanned")
    efficiencies = optimal_efficiency([10.0, 30.0, 60.0], mean, [300.0, 600.0, 600.0])
    return [
        FIGURES.claim(
            "effective training time of Llama 3 above 90 % for a plausible pair", bool(efficiencies[0] > 0.9)
        ),
        FIGURES.claim(
            "efficiency of Llama 3 with delta and R of 10 and 300 s, 30 and 600 s, 60 and 600 s",
            tuple(efficiencies.tolist()),
        ),
        FIGURES.claim("restart of Llama 3 at which 90 % is out of reach", float(mean * np.log(1.0 / 0.9))),
    ]
