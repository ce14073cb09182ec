"""Figures and statements of Hoefler and Moor 2014, and our own of the same closed forms, beside what the models give.

Where the models take another form than the printed one, the printed one stands beside it as a deviation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.collectives.algorithms.geometry import kary_height
from dse.models.collectives.algorithms.loggp import INFINIBAND, LogGP
from dse.models.collectives.algorithms.registry import COLLECTIVES
from dse.models.collectives.claims import printed
from dse.models.collectives.claims.allreduce import allreduce_claims
from dse.models.collectives.claims.winners import piece_claims, winner_claims
from dse.models.collectives.costs.arity import continuous_arity, whole_arity
from dse.models.collectives.costs.best import best
from dse.models.collectives.costs.cost import cost
from dse.models.collectives.costs.crossover import crossover_sizes

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "collectives")
MIB, US = 2.0**20, 1e6


def claims() -> list[Claim]:
    """Return every figure and statement on collective operations, with what the models give."""
    return [
        *allreduce_claims(FIGURES),
        *_trees(),
        *winner_claims(FIGURES),
        *piece_claims(FIGURES),
        *_broadcasts(),
        *_crossovers(),
        *_arities(),
        *_identities(),
        *_printed_forms(),
        *FIGURES.not_checkable(),
    ]


def _time(name: str, collective: str, processes: int, size: float, **options: Any) -> float:
    return float(cost(name, collective, processes, size, **options).time) * US


def _trees() -> list[Claim]:
    pairs = [
        _time(name, "scatter", processes, 0) for processes in (4, 8, 16) for name in ("flat_pers", "binomial_pers")
    ]
    full = 2**10 - 1  # a full binary tree has the height of a binomial tree of one process more, less one
    levels = _time("kary", "bcast", full, 8) / 9, _time("binomial", "bcast", 2**9, 8) / 9
    rounds = _time("butterfly", "allreduce", 2**9, 8) / 9
    return [
        FIGURES.claim("scatter of empty messages: flat and binomial at P = 4, 8, 16", tuple(pairs)),
        FIGURES.claim("binary over binomial tree, 8 B", levels[0] / levels[1]),
        FIGURES.claim("two binary trees over a butterfly, 8 B", 2 * levels[0] / rounds),
        FIGURES.claim("two binary trees over a butterfly, least and most", _span()),
        FIGURES.claim("constant memory costs at most twice the time, unrooted operations", _span()[1]),
    ]


def _span() -> tuple[float, float]:
    """Two full binary trees over a butterfly, per level: least where the latency is all, most where the bytes are."""
    ratios = []
    for net, size in ((LogGP(latency=1.0, overhead=1e-6), 0.0), (INFINIBAND, 1e12)):
        trees = cost("kary_twice", "allreduce", 2**10 - 1, size, net).time / 9
        ratios.append(float(trees / (cost("butterfly", "allreduce", 2**9, size, net).time / 9)))
    return ratios[0], ratios[1]


def _broadcasts() -> list[Claim]:
    times = []
    for title in FIGURES:
        what, _, words = title.partition(": ")
        if not what.startswith("bcast of "):
            continue
        amount, unit, processes = what.removeprefix("bcast of ").replace(" on", "").split()
        name, _, rest = words.partition(" ")
        options = {"arity": int(rest.split()[-1])} if rest.startswith("of arity") else {}
        options |= {"pieces": 1} if rest == "in one piece" else {}
        size = float(amount) * {"B": 1.0, "MiB": MIB}[unit]
        times.append(FIGURES.claim(title, _time(name, "bcast", int(processes), size, **options)))
    first = "double_tree" in str(best("bcast", 1024, 8).algorithm)
    return [*times, FIGURES.claim("double trees are fastest for all s and P: at 8 B on 1024", first)]


def _crossovers() -> list[Claim]:
    crossings = []
    for title in FIGURES:
        what, _, words = title.partition(": size from which ")
        if words and not title.startswith("winners"):
            collective, processes = what.split(" on ")
            pair = ("bruck_alltoall", "direct") if collective == "alltoall" else ("butterfly", "rabenseifner")
            crossings.append(FIGURES.claim(title, float(crossover_sizes(collective, *pair, int(processes))[0])))
    sizes = np.geomspace(1.0, 1e9, 400)
    faster = cost("direct", "alltoall", 8, sizes).time < cost("bruck_alltoall", "alltoall", 8, sizes).time
    return [*crossings, FIGURES.claim("alltoall on 8: direct is always faster than Bruck", bool(faster.all()))]


def _arities() -> list[Claim]:
    ratios = (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 100.0, 1000.0)
    net = LogGP(latency=np.array(ratios), overhead=1.0, receiver_overhead=0.0)
    named = "by ratio b/a of 0, 0.1, 0.5, 1, 2, 5, 10, 50, 100, 1000"
    sizes = (0.0, 1024.0, 65536.0)
    here = zip(continuous_arity(sizes).tolist(), whole_arity(sizes).tolist(), strict=True)
    scans = [cost("scan_dissemination", "scan", processes, 8).messages for processes in (3, 5, 6, 7)]
    return [
        FIGURES.claim(f"best arity {named}", tuple(continuous_arity(0.0, net).tolist())),
        FIGURES.claim(f"best whole arity {named}", tuple(whole_arity(0.0, net).tolist())),
        FIGURES.claim(
            "best arity and whole arity of the default network at 0, 1 KiB, 64 KiB",
            tuple(value for pair in here for value in pair),
        ),
        FIGURES.claim("messages of a scan by dissemination on 3, 5, 6, 7", tuple(map(float, scans))),
        FIGURES.claim("height of a tertiary tree of 2, 5, 8, 14, 26 nodes", _heights((2, 5, 8, 14, 26), 3)),
        FIGURES.claim("height of a tree of arity 4 of 2, 3, 6, 15 nodes", _heights((2, 3, 6, 15), 4)),
    ]


def _heights(nodes: tuple[int, ...], arity: int) -> tuple[int, ...]:
    return tuple(kary_height(np.array(nodes), np.array(arity)).tolist())


def _identities() -> list[Claim]:
    message = float(INFINIBAND.message_time + 8 * INFINIBAND.byte_time)
    ones = {
        "bcast": ("flat", "kary", "binomial", "fibonacci", "chain"),
        "scatter": ("flat_pers", "kary_pers", "binomial_pers"),
        "allreduce": ("butterfly",),
        "allgather": ("direct", "butterfly_pers", "bruck_allgather", "ring_allgather"),
        "alltoall": ("pairwise", "bruck_alltoall"),
    }
    of_two = [
        cost(name, collective, 2, 8, pieces=1 if name == "chain" else None).time
        for collective, names in ones.items()
        for name in names
    ]
    alone = [cost(name, collective, 1, 0) for collective, algorithms in COLLECTIVES.items() for name in algorithms]
    wide = [
        np.isclose(
            cost(star, collective, processes, 100).time,
            cost(tree, collective, processes, 100, arity=processes - 1).time,
            rtol=1e-12,
            atol=0.0,
        )
        for collective, star, tree in (("bcast", "flat", "kary"), ("scatter", "flat_pers", "kary_pers"))
        for processes in (3, 10, 1000)
    ]
    ranks = 2 ** np.arange(1, 21)
    barriers = [cost(name, "barrier", ranks, 0).time for name in ("butterfly", "dissemination")]
    moved = cost("double_tree", "bcast", 64, 8.0, pieces=[1, 2, 8, 64]).bytes / (63 * 8.0)
    return [
        FIGURES.claim(
            "two processes, one piece: every algorithm of one message takes its time",
            bool(np.allclose(of_two, message, rtol=1e-12, atol=0.0)),
        ),
        FIGURES.claim(
            "a single process takes no time, energy or memory by any algorithm",
            not any(price.time or price.energy or price.memory for price in alone),
        ),
        FIGURES.claim("flat tree equals a k-ary tree of arity P - 1, whole and personalised", bool(np.all(wide))),
        FIGURES.claim("runtime of a barrier: butterfly equals dissemination", bool(np.all(barriers[0] == barriers[1]))),
        FIGURES.claim("bytes of double trees for 1 to 64 pieces, in units of (P - 1) s", tuple(moved.tolist())),
    ]


def _printed_forms() -> list[Claim]:
    net, alltoall = INFINIBAND, printed.bruck(64, 1024.0, INFINIBAND)
    gathered = printed.two_trees_allgather(1023, 1024.0, 2, net)
    ours = cost("kary_gather_bcast", "allgather", 1023, 1024.0)
    large = 64 * MIB
    bandwidth = float(cost("double_tree", "bcast", 16, large).time) / (large * float(net.byte_time))
    return [
        FIGURES.claim(
            "personalised tree of arity 5 on 31, 1 MiB: time as printed",
            _time("kary_pers", "scatter", 31, MIB, arity=5) / 1e3,
            printed.personalised_kary(31, MIB, 5, net) * 1e3,
        ),
        FIGURES.claim("height of a tertiary tree of 8 nodes, floor(lg_k P)", _heights((8,), 3)[0]),
        FIGURES.claim(
            "direct send on 2 processes, 8 B: time as printed",
            _time("direct", "alltoall", 2, 8),
            printed.direct(2, 8, net) * US,
        ),
        FIGURES.claim(
            "pipelined binary tree on 1023, 1 MiB in 38 pieces: simplified time as printed",
            _time("pbt", "bcast", 1023, MIB, pieces=38),
            printed.simplified_pbt(1023, MIB, 38, net) * US,
        ),
        FIGURES.claim(
            "double trees on 16, 64 MiB, optimum pieces: time over that of the bytes sG, quoted as full bandwidth",
            bandwidth,
        ),
        FIGURES.claim(
            "alltoall by Bruck on 64, 1 KiB: time as printed",
            _time("bruck_alltoall", "alltoall", 64, 1024.0),
            alltoall[0] * US,
        ),
        FIGURES.claim(
            "alltoall by Bruck on 64: bytes as printed, in units of s",
            float(cost("bruck_alltoall", "alltoall", 64, 1024.0).bytes) / 1024.0,
        ),
        FIGURES.claim(
            "allgather by two binary trees on 1023, 1 KiB: time as printed", float(ours.time) * US, gathered[0] * US
        ),
        FIGURES.claim(
            "allgather by two binary trees on 1023, 1 KiB: dynamic energy as printed",
            float(ours.dynamic_energy) * 1e3,
            gathered[1] * 1e3,
        ),
        FIGURES.claim(
            "descriptors of two binary trees that only sends need",
            float(cost("kary_twice", "allreduce", 1023, 8, descriptor_rule="sends").memory) / 32.0,
        ),
        FIGURES.claim(
            "energy of a message over that of a byte as printed, if both come from 2048 B packets",
            float(16.5e-12 / 8.1e-9),
        ),
    ]
