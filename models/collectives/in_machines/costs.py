"""Time, energy and memory of a call of a collective operation in machines, by each algorithm and by the best.

With the hop of every round (`machine_hops`), rounds one after the other take

    T = sum over the rounds of (o + o_r + L + share s/B)

over shortest paths or over those that adaptive routing takes, whichever is faster. Flat and k-ary trees and pipelines
have no rounds that all processes keep: they are closed forms (`composition`) with the mean latency, and the time of a
byte of one message alone. Energy is e for each message and, for each byte, that of the links of its round; memory is
that of descriptors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.collectives.algorithms.composition import BLOCKS, Given, Phase
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.algorithms.registry import COLLECTIVES, MULTICAST, Algorithm, number_of
from dse.models.collectives.algorithms.rounds import ROUNDS
from dse.models.collectives.in_machines.hops import FlatHops, Hops, TopologyHops
from dse.models.collectives.in_machines.schedules import schedule, shifts_between_all
from dse.models.collectives.on_topology import CHOICES

__all__ = ["ANY", "IN_MACHINES", "METRICS", "MULTICAST", "CallCost", "Chosen", "call_costs", "cheapest"]

METRICS = ("time", "energy", "memory")
ANY = -1.0
"""Instead of the number of an algorithm: whichever is best."""

_DESCRIPTOR = 32.0
_ROUNDS_AT_ONCE = 256
_TREES = ("flat", "kary", "chain", "pbt", "double_tree_pipe", "flat_pers")
_DIRECT = ("direct", "scan_direct")
_OF_ALL_SHIFTS = (*_DIRECT, "pairwise")
_BLOCKS = (*_TREES, "binomial", "binomial_pers")

Machines = TopologyHops | FlatHops


def _in_machines(algorithm: Algorithm) -> bool:
    if algorithm.phases:
        return all(phase.block in _BLOCKS for phase in algorithm.phases)
    return algorithm.name in ROUNDS or algorithm.name in _DIRECT


IN_MACHINES: dict[str, dict[str, Algorithm]] = {
    collective: {name: known for name, known in algorithms.items() if _in_machines(known)}
    for collective, algorithms in COLLECTIVES.items()
}
"""Algorithms of each operation that have a time in a machine; ties go to the one listed first."""


class CallCost(NamedTuple):
    """What a call costs by one algorithm, in the machines and at the sizes that were asked for.

    Attributes
    ----------
    time, energy, memory : ndarray
        Until the last process is done [s]; of all processes together [J]; of the process with the most descriptors [B].
    messages : float
        Of all processes together.
    approximate : ndarray
        1 where messages over another path stand in for those of a round, else 0.
    sampled : bool
        Whether a part of many shifts stands for all.
    """

    time: Any
    energy: Any
    memory: Any
    messages: float
    approximate: Any
    sampled: bool


class Chosen(NamedTuple):
    """The cost of a call by the algorithm that is taken, and its number; arrays."""

    time: Any
    energy: Any
    messages: Any
    memory: Any
    choice: Any
    approximate: Any
    sampled: Any


class _Affine(NamedTuple):
    """Time latency + s byte_time, and energy s byte_energy, of each machine."""

    latency: Any
    byte_time: Any
    byte_energy: Any
    approximate: Any
    sampled: bool


def cheapest(
    collective: str,
    machines: Machines,
    place: np.ndarray,
    size: Any,
    algorithm: Any,
    metric: Any,
    message_energy: Any,
    recovery: Any,
) -> Chosen:
    """Return the cost of a call by the algorithm that is asked for, or by the one whose metric is least.

    Parameters
    ----------
    collective : str
    machines : TopologyHops or FlatHops
    place : (calls,) ndarray of int
        Which of the machines each call is on.
    size, algorithm, metric, message_energy, recovery : (calls,) ndarray
        s [B]; the number of an algorithm or `ANY`; the place of a metric in `METRICS`; e [J]; r of a multicast.

    Returns
    -------
    Chosen

    Raises
    ------
    InputError
        An algorithm that is not defined for the number of processes.
    """
    least = np.full(np.shape(size), np.inf)
    cheapest_parts = [np.zeros(np.shape(size)) for _ in Chosen._fields]
    found_by = call_costs(collective, machines, place, size, message_energy)
    if (algorithm == number_of(MULTICAST)).any():
        found_by = chain(found_by, [(MULTICAST, _multicast(machines, place, size, message_energy, recovery))])
    for name, cost in found_by:
        value = np.choose(metric.astype(int), (cost.time, cost.energy, cost.memory))
        better = ((algorithm == (ANY if name != MULTICAST else np.inf)) | (algorithm == number_of(name))) & (
            value < least
        )
        least = np.where(better, value, least)
        parts = (cost.time, cost.energy, cost.messages, cost.memory, number_of(name), cost.approximate, cost.sampled)
        cheapest_parts = [np.where(better, part, before) for part, before in zip(parts, cheapest_parts, strict=True)]
    if np.isinf(least).any():
        number = algorithm[np.isinf(least)][0]
        algorithm_meant = next(
            algorithm for algorithm in IN_MACHINES[collective].values() if number_of(algorithm.name) == number
        )
        raise InputError(
            f"{machines.processes} processes",
            key=f"use.collective_algorithm_{collective}",
            allowed=f"for {algorithm_meant.name}, {algorithm_meant.defined}, or 'best'",
        )
    return Chosen(*cheapest_parts)


def call_costs(
    collective: str, machines: Machines, place: np.ndarray, size: Any, message_energy: Any
) -> Iterator[tuple[str, CallCost]]:
    """Yield algorithm and cost: each arity and number of pieces, and shortest paths before others."""
    networks: dict[bool, LogGP] = {}
    for name, algorithm in IN_MACHINES[collective].items():
        if not algorithm.is_defined(np.array([machines.processes]))[0]:
            continue
        for arity, pieces in _tunings(algorithm.tuned):
            counted = _counted(collective, name, machines.processes, arity, pieces)
            for detours in (0, 1):
                cost = _call_cost(algorithm, machines, place, size, (arity, pieces), detours, networks)
                energy = counted.messages * message_energy + cost.energy
                yield name, cost._replace(energy=energy, messages=counted.messages, memory=counted.memory + 0.0 * size)
                if not _has_rounds(algorithm):
                    break


def _tunings(tuned: str) -> list[tuple[int, int]]:
    if tuned == "arity":
        return [(arity, 1) for arity in CHOICES["arity"]]
    return [(2, pieces) for pieces in CHOICES["pieces"]] if tuned == "pieces" else [(2, 1)]


def _has_rounds(algorithm: Algorithm) -> bool:
    return not algorithm.phases or any(phase.block not in _TREES for phase in algorithm.phases)


def _multicast(machines: Machines, place: np.ndarray, size: Any, message_energy: Any, recovery: Any) -> CallCost:
    """Return T = (1 + r)(L + o + o_r + s G), whatever P is; every process beyond the first receives over its link."""
    hop, others = machines.mean(), machines.processes - 1.0
    needed = 1.0 if others else 0.0
    time = needed * (1.0 + recovery) * (hop.latency[place] + size * hop.alone_byte_time[place])
    further = max(others - 1.0, 0.0) * machines.receiving_byte_energy()[place]
    energy = needed * (message_energy + size * (hop.byte_energy[place] + further))
    return CallCost(time, energy, needed * _DESCRIPTOR + 0.0 * size, needed, 0.0 * size, sampled=False)


class _Counted(NamedTuple):
    messages: float
    memory: float


@lru_cache(maxsize=4096)
def _counted(collective: str, name: str, processes: int, arity: int, pieces: int) -> _Counted:
    given = Given(np.array(processes), np.array(0.0), LogGP(), np.array(arity), np.array(pieces))
    parts = COLLECTIVES[collective][name].parts(given)
    return _Counted(float(parts.messages), float(parts.sends) * _DESCRIPTOR)


def _call_cost(
    algorithm: Algorithm,
    machines: Machines,
    place: np.ndarray,
    size: Any,
    tuning: tuple[int, int],
    detours: int,
    networks: dict[bool, LogGP],
) -> CallCost:
    """Return the cost without that of messages, which is the same for all machines."""
    zero = 0.0 * size
    if machines.processes == 1:
        return CallCost(zero, zero, zero, 0.0, zero, sampled=False)
    time, energy, approximate, sampled = zero, zero, zero, False
    for phase in algorithm.phases or (Phase(algorithm.name),):
        carried = size * machines.processes if phase.whole else size
        if phase.block in _TREES:
            lasting, spent = _tree(phase.block, machines, place, carried, tuning, networks)
            time, energy = time + lasting, energy + spent
            continue
        affine = _affine(phase.block, machines, detours)
        time = time + (affine.latency[place] + carried * affine.byte_time[place])
        energy = energy + carried * affine.byte_energy[place]
        approximate = np.maximum(approximate, affine.approximate[place])
        sampled = sampled or affine.sampled
    return CallCost(time, energy, zero, 0.0, approximate, sampled)


def _tree(
    block: str,
    machines: Machines,
    place: np.ndarray,
    size: Any,
    tuning: tuple[int, int],
    networks: dict[bool, LogGP],
) -> tuple[Any, Any]:
    """Return time and energy of a tree without rounds: its closed form with what the mean message gets."""
    hop, flat = machines.mean(), block.startswith("flat")
    if flat not in networks:
        byte_time, ends = machines.byte_time_to_others() if flat else hop.alone_byte_time, machines.ends[place]
        latency = np.maximum(hop.latency[place] - ends, 0.0)
        networks[flat] = LogGP(latency=latency, overhead=ends / 2.0, byte_time=byte_time[place])
    arity, pieces = tuning
    given = Given(np.array(machines.processes), size, networks[flat], np.array(arity), np.array(pieces))
    parts = BLOCKS[block].form(given)
    return parts.time, parts.bytes * hop.byte_energy[place]


def _affine(algorithm: str, machines: Machines, detours: int) -> _Affine:
    key = (algorithm, detours)
    if key not in machines.kept:
        form = _by_all_shifts if algorithm in _OF_ALL_SHIFTS else _by_rounds
        machines.kept[key] = form(algorithm, machines, detours)
    affine: _Affine = machines.kept[key]
    return affine


def _by_all_shifts(algorithm: str, machines: Machines, detours: int) -> _Affine:
    """Return all shifts one after the other: pairwise in rounds; direct as fast as they can be sent.

    Direct, and at most a scan: L + o (P - 1) + o_r, and the byte time of each shift.
    """
    every, sampled = _all_shifts(machines)
    shifts, others, mean = every[detours], machines.processes - 1.0, machines.mean()
    sent = machines.processes * others / (2.0 if algorithm == "scan_direct" else 1.0)
    rounds = others * shifts.latency
    latency = rounds if algorithm == "pairwise" else mean.latency + machines.ends / 2.0 * (others - 1.0)
    energy = shifts.byte_energy if algorithm == "pairwise" else mean.byte_energy
    return _Affine(latency, others * shifts.byte_time, sent * energy, 0.0 * latency, sampled)


def _all_shifts(machines: Machines) -> tuple[tuple[Hops, Hops], bool]:
    """Return the mean hop over all shifts, both ways, and whether they are a sample."""
    steps, sampled = shifts_between_all(machines.processes)
    if "shifts" not in machines.kept:
        sums: list[list[Any]] = [[], []]
        for first in range(0, steps.size, _ROUNDS_AT_ONCE):
            for way, hops in zip(sums, machines.shifts(steps[first : first + _ROUNDS_AT_ONCE]), strict=True):
                latency, byte_time, alone, energy = (np.sum(hop, axis=1) for hop in hops[:-1])
                way.append([machines.each(latency), byte_time, alone, machines.each(energy)])
        means = [[sum(total) / steps.size for total in zip(*way, strict=True)] for way in sums]
        machines.kept["shifts"] = tuple(
            Hops(latency, byte_time, alone, energy, known=True) for latency, byte_time, alone, energy in means
        )
    return machines.kept["shifts"], sampled


def _by_rounds(algorithm: str, machines: Machines, detours: int) -> _Affine:
    rounds = schedule(algorithm, machines.processes)
    exchanges = rounds.whole & (rounds.pattern == "exchange")
    trees = rounds.pattern == "tree"
    shifts = ~exchanges & ~trees
    latency, byte_time, byte_energy, approximate = (0.0 * machines.ends for _ in range(4))
    for which in (exchanges, trees, shifts):
        if not which.any():
            continue
        distances = rounds.distance[which]
        hops = (machines.shifts if which is shifts else machines.exchanges)(distances)[detours]
        bytes_ = hops.alone_byte_time if which is trees else hops.byte_time
        times = rounds.times[which]
        latency = latency + machines.each(np.sum(times * hops.latency, axis=1))
        byte_time = byte_time + np.sum(times * rounds.share[which] * bytes_, axis=1)
        byte_energy = byte_energy + machines.each(np.sum(rounds.moved[which] * hops.byte_energy, axis=1))
        known = hops.known & (which is not shifts or rounds.pattern[which] == "shift")
        approximate = np.maximum(approximate, machines.each(np.where(known.all(axis=1), 0.0, 1.0)))
    return _Affine(latency, byte_time, byte_energy, approximate, rounds.sampled)
