"""Which algorithm takes the least time, dynamic energy or memory of each operation, and the pieces of pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.library.claims import Claim, Figures
from dse.models.collectives.algorithms.loggp import INFINIBAND
from dse.models.collectives.costs.best import best
from dse.models.collectives.costs.cost import cost
from dse.models.collectives.costs.crossover import crossover_sizes

__all__ = ["piece_claims", "winner_claims"]

MIB, US = 2.0**20, 1e6
UNSEGMENTED = ("flat", "kary", "binomial", "fibonacci")


def winner_claims(figures: Figures) -> list[Claim]:
    """Return the winners of the operations."""
    computed = {**_broadcasts(), **_others()}
    return [figures.claim(f"winners: {title}", value) for title, value in computed.items()]


def _winner(collective: str, processes: int, size: float, metric: str = "time") -> str:
    return str(best(collective, processes, size, metric=metric).algorithm)


def _broadcasts() -> dict[str, Any]:
    small = {name: float(best("bcast", 1024, 8, among=(name,)).time) for name in UNSEGMENTED}
    energies = {name: float(cost(name, "bcast", 1024, 8).dynamic_energy) for name in UNSEGMENTED}
    least = min(energies.values())
    memories = (cost("chain", "bcast", 1024, 8, pieces=1).memory / 32, cost("kary", "bcast", 1024, 8).memory / 32)
    return {
        "bcast of 8 B on 1024 by time: the first three": tuple(sorted(small, key=small.__getitem__)[:3]),
        "bcast of 8 B on 1024: unsegmented trees take one dynamic energy": all(e == least for e in energies.values()),
        "bcast of 8 B on 1024 by memory: descriptors of a chain, a binary tree": tuple(map(float, memories)),
        "bcast of 1 MiB on 1024 by time": _winner("bcast", 1024, MIB),
        "bcast of 64 MiB on 3 by time": _winner("bcast", 3, 64 * MIB),
        "bcast of 1 MiB on 1024: an unsegmented tree takes the least dynamic energy": (
            _winner("bcast", 1024, MIB, "dynamic_energy") in UNSEGMENTED
        ),
    }


def _others() -> dict[str, Any]:
    ranks = 2 ** np.arange(1, 21)
    net = INFINIBAND
    flat_first = net.overhead * ranks + net.latency < (2 * net.overhead + net.latency) * np.log2(ranks)
    flat, binomial = (cost(name, "scatter", ranks, 1000.0).time for name in ("flat_pers", "binomial_pers"))
    # Of two processes both are one message.
    flat_wins = flat[1:] < binomial[1:]
    trees = [cost(name, "allreduce", 1024, 8).dynamic_energy for name in ("binomial_twice", "kary_twice")]
    gathers = [cost(name, "allgather", 1024, 64).time for name in ("bruck_allgather", "butterfly_pers")]
    metrics = ("time", "dynamic_energy", "memory")
    return {
        "scatter on 2 to 2^20: flat is fastest while o P + L < (2o + L) lg P, else binomial": bool(
            (flat_wins == flat_first[1:]).all() and np.isclose(flat[0], binomial[0], rtol=1e-12, atol=0.0)
        ),
        "scatter of 1 KiB on 1024 by dynamic energy, memory": tuple(
            _winner("scatter", 1024, 1024, metric) for metric in metrics[1:]
        ),
        "allreduce of 8 B on 1024 by time, dynamic energy, memory": tuple(
            _winner("allreduce", 1024, 8, metric) for metric in metrics
        ),
        "allreduce of 8 B on 1024: two binomial trees take the dynamic energy of two binary trees": bool(
            trees[0] == trees[1]
        ),
        "allreduce of 1 MiB on 1024 by time": _winner("allreduce", 1024, MIB),
        "allgather of 64 B on 1024 by time: Bruck as fast as a butterfly": bool(
            gathers[0] == gathers[1] and best("allgather", 1024, 64).time == gathers[0]
        ),
        "allgather on 1024: size from which Bruck takes less dynamic energy than a flat gather and a binomial bcast": (
            _crossing("allgather", "bruck_allgather", "flat_gather_binomial_bcast")
        ),
        "alltoall on 1024: size from which direct takes less dynamic energy than one root": (
            _crossing("alltoall", "direct", "flat_gather_scatter")
        ),
    }


def _crossing(collective: str, first: str, second: str) -> float:
    return float(crossover_sizes(collective, first, second, 1024, metric="dynamic_energy")[0])


def piece_claims(figures: Figures) -> list[Claim]:
    """Return the pieces of the least time and that time, of a bcast of 1 MiB on 1024 processes."""
    claims = []
    for title in figures:
        what, _, name = title.partition(": ")
        if what == "pieces of 1 MiB on 1024 for the least time":
            claims.append(figures.claim(title, float(cost(name, "bcast", 1024, MIB).pieces)))
        elif what == "time of 1 MiB on 1024 in the best whole number of pieces":
            claims.append(figures.claim(title, float(cost(name, "bcast", 1024, MIB).time) * US))
    return claims
