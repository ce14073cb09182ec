"""Workers of a Dask cluster on this computer: one and two, the bytes they cost, and a thousand on paper.

Real is what is measured on one computer. What a thousand workers would do is arithmetic on these figures with the
assumptions that `on_paper` names: nobody has run it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.machine import require
from benchmarks.report import Column, Section, number, ratio, seconds
from dse import Study
from dse.run.execute.cluster import Cluster
from dse.search.driver import SearchOptions, search

STUDY, ALTERNATIVE = "exascale", "many-core hyperx"  # 1.1e9 designs of real models
METHODS = {"full": "exhaustive", "small": "bundles"}
REPEATS = 3
EMPTY = 200  # tasks without work
PAPER = 1_000
WORK = (1e4, 1e5, 1e6)  # seconds of one worker
ANEW = 10.0  # seconds every worker takes to make the tables of the flagship, its groups reduced


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Search with one and with two workers, in turn, and here."""
    from distributed import LocalCluster

    study = Study.load(STUDY)
    others = [product.name for product in study.space.products if product.name != ALTERNATIVE]
    study = study.with_(without={"alternative": others})
    options = SearchOptions(METHODS[designs])
    problem = study.compiled
    here = search(problem, options)
    found: dict[int, list[dict[str, float]]] = {1: [], 2: []}
    empty = 0.0
    for turn in range(REPEATS):
        for workers in found:
            with LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", memory_limit=0
            ) as local:
                with Cluster(local.scheduler_address, study, tell, ledger=False) as cluster:
                    began, used = time.perf_counter(), time.process_time()
                    there = search(problem, options, workers=cluster)
                    took, used = time.perf_counter() - began, time.process_time() - used
                require(there.values.tobytes() == here.values.tobytes(), f"frontier of {workers} workers and of none")
                require(there.certificate == here.certificate, f"certificate of {workers} workers and of none")
                found[workers].append(
                    {
                        "seconds": took,
                        "client": used,
                        "sent": cluster.sent,
                        "received": cluster.received,
                        "chunks": there.counters["chunks"],
                    }
                )
                if not empty:
                    empty = _of_a_task(local.scheduler_address)
        tell(f"workers: round {turn + 1} of {REPEATS}")
    one = median(turn["seconds"] for turn in found[1])
    rows = [_row(workers, turns, one, here.certificate.designs) for workers, turns in found.items()]
    return Section(
        "workers",
        f"Workers of a Dask cluster on this computer, {STUDY} / {ALTERNATIVE}, {options.method}; medians of {REPEATS}",
        [
            Column("workers", "workers"),
            Column("designs", "designs", number),
            Column("seconds", "search", seconds),
            Column("speedup", "speed-up", ratio),
            Column("client", "CPU here", seconds),
            Column("chunks", "chunks", number),
            Column("sent", "B sent", number),
            Column("received", "B received", number),
            Column("per_design", "B per design", lambda value: f"{value:.2g}"),
        ],
        rows,
        [],
        ["frontier and certificate of one and two workers = those of this process, in every round"],
        [
            "the model and its tables made anew by every worker are counted, the start of the cluster is not",
            f"a task without work takes {1e3 * empty:.1f} ms (scheduler, worker and client on one computer)",
            *on_paper(empty),
        ],
    )


def _row(workers: int, turns: list[dict[str, float]], one: float, designs: int) -> dict[str, Any]:
    row = {name: median(turn[name] for turn in turns) for name in turns[0]}
    bytes_ = row["sent"] + row["received"]
    return {
        **row,
        "workers": workers,
        "designs": designs,
        "speedup": one / row["seconds"],
        "per_design": bytes_ / designs,
    }


def _of_a_task(address: str) -> float:
    """Return the seconds of a task without work."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.gather(client.map(_nothing, range(EMPTY), pure=False))
        began = time.perf_counter()
        client.gather(client.map(_nothing, range(EMPTY), pure=False))
        return (time.perf_counter() - began) / EMPTY


def _nothing(_: int) -> None:
    pass


def on_paper(task: float, workers: int = PAPER) -> list[str]:
    """Return in words what many workers would take, by arithmetic alone.

    Parameters
    ----------
    task : float
        Seconds of the scheduler and the client for a task.
    workers : int

    Notes
    -----
    Of :math:`T` seconds of work, with ranges of :math:`R = 0.01 W` seconds: the client makes the tables
    (:math:`P`), every worker makes them anew (:math:`P`), each does :math:`T / W`, the last range ends up to :math:`R`
    later, and scheduler and client must hand out :math:`T / R` tasks of :math:`t` each meanwhile:
    :math:`2 P + max(T / W, t T / R) + R`.
    """
    long = max(1.0, 0.01 * workers)
    told = [
        f"{workers} workers on paper, not measured: tables {ANEW:g} s here and {ANEW:g} s on each worker, ranges of "
        f"{long:g} s, {1e3 * task:.1f} ms of scheduler and client for each, the last range {long:g} s late; no "
        "failures, a network that is not felt"
    ]
    for work in WORK:
        took = 2 * ANEW + max(work / workers, task * work / long) + long
        told.append(
            f"  {work / 3_600:.3g} h of work: {took:.3g} s, {work / took / workers:.0%} of {workers} times as fast"
        )
    return told
