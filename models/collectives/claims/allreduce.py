"""The allreduce of 8 B of Hoefler and Moor 2014, Section 4.2 and Fig. 5: two trees of two kinds, and a butterfly."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

import numpy as np

from dse.authoring.library.claims import Claim, Figures
from dse.models.collectives.algorithms.loggp import INFINIBAND, INFINIBAND_AS_PRINTED, LogGP
from dse.models.collectives.claims.printed import binary_trees_for_an_allreduce
from dse.models.collectives.costs.cost import Cost, cost

__all__ = ["allreduce_claims"]

NAMES = ("kary_twice", "binomial_twice", "butterfly")
ENERGIES = {"energies as printed": INFINIBAND_AS_PRINTED, "energies with units exchanged": INFINIBAND}
SIZE, US = 8.0, 1e6


def allreduce_claims(figures: Figures) -> list[Claim]:
    """Return the times, memories, energies and winners of the figure."""
    claims = [
        figures.claim("allreduce of 8 B: time of two binary trees, two binomial trees, butterfly, per lg P", _times(2))
    ]
    for processes in (8, 64, 1024, 65536):
        what = f"allreduce of 8 B on {processes}: "
        three = "two binary trees{}, two binomial trees, butterfly"
        claims.append(figures.claim(f"{what}time of {three.format(' (printed height)')}", _times(processes)))
        memories = tuple(float(_cost(name, processes).memory) for name in NAMES)
        claims.append(figures.claim(f"{what}memory of {three.format('')}", memories))
        for words, net in ENERGIES.items():
            energies = tuple(float(_cost(name, processes, net).dynamic_energy) * US for name in NAMES[1:])
            claims.append(figures.claim(f"{what}dynamic energy of trees and butterfly, {words}", energies))
    return [*claims, *_energy_winners(figures), *_statements(figures)]


def _cost(name: str, processes: int | np.ndarray, net: LogGP = INFINIBAND, scope: str = "single") -> Cost:
    return cost(name, "allreduce", processes, SIZE, net, static_scope=scope)


def _times(processes: int) -> tuple[float, ...]:
    return (
        binary_trees_for_an_allreduce(processes, SIZE, INFINIBAND) * US,
        *(float(_cost(name, processes).time) * US for name in NAMES[1:]),
    )


def _energy_winners(figures: Figures) -> list[Claim]:
    claims = []
    for words, net in ENERGIES.items():
        less = "P from which two binomial trees take less energy than a butterfly, one interface"
        claims.append(figures.claim(f"allreduce of 8 B: {less}, {words}", _crossing(net)))
    ranks = 2 ** np.arange(1, 21)
    wins = tuple(
        int(np.sum(_cost("butterfly", ranks, net, "per_process").energy < _least(ranks, net)))
        for net in ENERGIES.values()
    )
    title = (
        "allreduce of 8 B: powers of two up to 2^20 where a butterfly takes least energy, all interfaces, both energies"
    )
    return [*claims, figures.claim(title, wins)]


def _least(ranks: np.ndarray, net: LogGP) -> np.ndarray:
    trees = [_cost(name, ranks, net, "per_process").energy for name in NAMES[:2]]
    result: np.ndarray = np.minimum(*trees)
    return result


def _crossing(net: LogGP) -> float:
    """Where the energies are equal with lg P taken for a real number, between the powers of two of different sign."""
    message = float(net.message_energy) + SIZE * float(net.byte_energy)
    level = float(net.message_time + SIZE * net.byte_time) * float(net.static_power)

    def excess(processes: float) -> float:
        butterfly = processes * log2(processes) * message + log2(processes) * level
        return butterfly - (2.0 * (processes - 1.0) * message + 2.0 * log2(processes) * level)

    return _root(excess, 4.0, 2.0**20)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2.0


def _statements(figures: Figures) -> list[Claim]:
    ranks = 2 ** np.arange(1, 21)
    binary, binomial, butterfly = (_cost(name, ranks) for name in NAMES)
    never = bool(np.all(binary.energy[1:] >= np.minimum(binomial.energy, butterfly.energy)[1:]))
    of_1024 = [_cost(name, 1024) for name in NAMES]
    winners = tuple(
        NAMES[int(np.argmin([getattr(price, metric) for price in of_1024]))] for metric in ("time", "energy", "memory")
    )
    trees = binomial.dynamic_energy
    equal = np.isclose(butterfly.dynamic_energy, trees, rtol=1e-12, atol=0.0)
    more = bool(np.all(butterfly.dynamic_energy[1:] > trees[1:]) and equal[0] and not equal[1:].any())
    ratio = float(_cost("butterfly", 2**10).dynamic_energy / _cost("binomial_twice", 2**10).dynamic_energy)
    packets = tuple(float(net.message_energy) / float(net.byte_energy) for net in (INFINIBAND, INFINIBAND_AS_PRINTED))
    return [
        figures.claim(
            "energy of a message over that of a byte, exchanged and as printed, if both come from 2048 B packets",
            packets,
        ),
        figures.claim("two binary trees never win the energy of an allreduce of 8 B up to 2^20", never),
        figures.claim(
            "P = 1024, 8 B: the winners of time, energy and memory are butterfly, two binomial trees, two binary trees",
            winners,
        ),
        figures.claim("a butterfly never takes less dynamic energy than two trees, as much at P = 2 only", more),
        figures.claim("dynamic energy of a butterfly over two trees: P lg P / (2 (P - 1)) at 2^10", ratio),
    ]
