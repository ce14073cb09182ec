"""Figures of Matsuoka et al. 2014 on storage and data-intensive programs, beside what the models give.

Where two printed figures contradict each other, each is computed from the other. Inputs that nothing gives again are
rows of the catalogues, and not checkable.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.authoring.table import Table, read_table
from dse.models.data_machine import real_time
from dse.models.data_machine.claims.skywalk import skywalk_claims
from dse.models.data_machine.graph_search import graph_bytes, node_traversal_rate, rate_of_nodes
from dse.models.data_machine.storage import effective_bandwidth, read_peak_share, transfer_time, write_peak_share

__all__ = ["catalogue", "claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "data_machine")
GB, TB, PB = 1e9, 1e12, 1e15
DRIVES, DRIVE_CAPACITY, CAPACITY = 3000, 60 * GB, 190 * TB  # phase 1
YEAR = 365.25 * 86400.0
QUARTER_OF_K, ASSIMILATION, EXCHANGED = 2.5e15, 2e15, 200 * GB  # flop/s, flop, B each way


def catalogue(name: str) -> Table:
    """Return a catalogue of ``spaces/data_machine/``."""
    return read_table(Path(str(files("dse.spaces"))) / "data_machine" / f"{name}.csv")


def claims() -> list[Claim]:
    """Return every published figure of data machines, with what the models give."""
    own = [*_roadmap(), *_drives(), *_searches(), *_shares_of_nodes(), *_weather(), *FIGURES.not_checkable()]
    return [*own, *skywalk_claims()]


def _roadmap() -> list[Claim]:
    phases = catalogue("storage_phases")
    bandwidth = dict(zip(phases["name"], phases["store_read_bandwidth"], strict=True))
    first = (bandwidth["phase 1 least"], bandwidth["phase 1 most"])
    yottabyte = 1e24 / YEAR
    growth = np.log10(np.array([bandwidth["phase 4 least"], 5 * bandwidth["phase 4 least"]]) / first[1])
    within = bandwidth["phase 4 least"] < yottabyte < bandwidth["phase 4 most"]
    return [
        FIGURES.claim("phase 1: bandwidth of a drive, of 450 GB/s over 3000", sum(first) / 2 / DRIVES / GB),
        FIGURES.claim("phase 1: capacity of nearly 3000 drives of 60 GB", DRIVES * DRIVE_CAPACITY / TB),
        FIGURES.claim("phase 1: drives, from a capacity of 190 TB", CAPACITY / DRIVE_CAPACITY),
        FIGURES.claim("phase 1: capacity of a node is between 100 GB and 1 TB", 100 * GB <= 2 * DRIVE_CAPACITY <= TB),
        FIGURES.claim("phase 4: a yottabyte a year lies within its tens to hundreds of PB/s", bool(within)),
        FIGURES.claim("a yottabyte a year", yottabyte / PB),
        FIGURES.claim("growth of bandwidth from phase 1 to phase 4, in powers of ten", tuple(growth.tolist())),
    ]


def _bandwidths(name: str, count: int) -> tuple[float, float]:
    """Return what drives of a row of the catalogue read and write at the assumed shares of peak, GB/s."""
    row = catalogue("drives").where(name=name)
    read = effective_bandwidth(count, row["store_device_read_bandwidth"], peak_share=read_peak_share.value)
    write = effective_bandwidth(count, row["store_device_write_bandwidth"], peak_share=write_peak_share.value)
    return float(read[0]) / GB, float(write[0]) / GB


def _drives() -> list[Claim]:
    read, write = _bandwidths("mSATA drive", 16)
    node = 2 * float(catalogue("drives").where(name="SLC drive of TSUBAME2")["store_device_read_bandwidth"][0]) / GB
    return [
        FIGURES.claim("16 mSATA drives: sequential reading", read),
        FIGURES.claim("16 mSATA drives: sequential writing", write),
        FIGURES.claim("mSATA drive: reading and writing of one", _bandwidths("mSATA drive", 1)),
        FIGURES.claim(
            "16 mSATA drives: share of peak, reading and writing",
            (100 * read_peak_share.value, 100 * write_peak_share.value),
        ),
        FIGURES.claim(
            "8 mSATA drives to a graphics processor, products of matrix and vector",
            _bandwidths("mSATA drive", 8)[0],
        ),
        FIGURES.claim(
            "16 mSATA drives over the two drives of a TSUBAME node, least and most", (write / node, read / node)
        ),
    ]


def _searches() -> list[Claim]:
    rate = float(rate_of_nodes(1366, node_traversal_rate.value)) / GB
    return [
        FIGURES.claim("search on TSUBAME, scale 35", rate),
        FIGURES.claim("search on TSUBAME: rate of a node", node_traversal_rate.value / GB),
        FIGURES.claim("classes of Graph 500: memory at scale 26", float(graph_bytes(26)) / GB),
        FIGURES.claim("classes of Graph 500: memory at scale 42", float(graph_bytes(42)) / PB),
    ]


def _shares_of_nodes() -> list[Claim]:
    return [
        FIGURES.claim("search on TSUBAME: cores of 1366 nodes of twelve", 1366 * 12),
        FIGURES.claim("sort of 4 TB on 1024 nodes: rate of a node", 0.25e12 / 1024 / 1e6),
        FIGURES.claim("sort of 4 TB on 1024 nodes: efficiency of a weak scaling speedup of 389", 389 / 1024),
        FIGURES.claim("PageRank on 1024 nodes: cores and graphics processors of a node", (12288 / 1024, 3072 / 1024)),
        FIGURES.claim("simulation of agents: 600 steps of 1 s in 77 s, times real time", 600 / 77),
    ]


def _weather() -> list[Claim]:
    share, deadline = real_time.cycle_peak_share.value, real_time.cycle_deadline.value
    sustained = ASSIMILATION / 10.0
    computing = float(real_time.cycle_compute_time(ASSIMILATION, QUARTER_OF_K, share))
    slow, fast = (float(transfer_time(EXCHANGED, rate * GB)) for rate in (70, 100))
    cycle = float(real_time.cycle_time(slow, 10.0, slow))
    phases = catalogue("storage_phases")
    in_and_out = sum(transfer_time(EXCHANGED, phases[f"store_{way}_bandwidth"], 10e-6) for way in ("read", "write"))
    return [
        FIGURES.claim("weather: rate of 2 Pflop in 10 s", sustained / 1e12),
        FIGURES.claim("weather: sustained share of a quarter of K", sustained / QUARTER_OF_K),
        FIGURES.claim("weather: time of 2 Pflop at 10 % of a quarter of K", computing),
        FIGURES.claim("weather: 200 GB at 70 and 100 GB/s take a few seconds (2 to 3)", 2 <= fast < slow <= 3),
        FIGURES.claim("weather: a cycle at 70 GB/s and 200 Tflop/s keeps its 30 s", cycle <= deadline),
        FIGURES.claim(
            "weather: every phase of storage keeps the 30 s on a quarter of K",
            bool((np.asarray(in_and_out) + computing <= deadline).all()),
        ),
    ]
