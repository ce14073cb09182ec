"""The packet simulator: compiled on the spot, called through ctypes; and what comes out of a run."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.native import compiled_library
from benchmarks.packets.routes import Tables

__all__ = ["Outcome", "Switches", "compiled", "ports_of", "settings_of", "simulate"]

SOURCE = Path(__file__).with_name("packets.c")
FAILURES = {1: "no memory", 2: "too few virtual channels", 3: "deadlock"}


@dataclass(frozen=True)
class Switches:
    """What switches and packets are like.

    Attributes
    ----------
    packet : int
        Bytes. Anghel 2017, Table 5.9: 512.
    buffer : int
        Packets that the buffer of an input holds for each virtual channel.
    head : float
        Share of a packet that must have come in before it may leave: 64 of 512 bytes.
    oldest : bool
        Whether an output serves the oldest packet first, not its queues in turn.
    """

    packet: int = 512
    buffer: int = 64
    head: float = 0.125
    oldest: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came out of a run.

    Attributes
    ----------
    bandwidth : float
        Accepted bytes of a node in a second. Of random traffic: in the measured time, on average over the nodes. Of
        flows: what each sent, over the time until the last packet of all of them was there.
    packets, hops, events : int
    seconds : float
        Simulated.
    spread : float
        Least over mean of what the nodes received in the measured time; 1 of flows.
    """

    bandwidth: float
    packets: int
    hops: int
    events: int
    seconds: float
    spread: float


class Settings(ctypes.Structure):
    """As in packets.c."""

    _fields_ = (
        *(
            (name, ctypes.c_int32)
            for name in ("nodes", "switches", "links", "channels", "per_phase", "rule", "layers", "buffer")
        ),
        *((name, ctypes.c_int32) for name in ("valiant", "stops", "random", "per_flow", "oldest")),
        *((name, ctypes.c_double) for name in ("head", "warm", "horizon")),
        ("seed", ctypes.c_uint64),
    )


@lru_cache(maxsize=1)
def compiled(folder: Path) -> ctypes.CDLL | None:
    """Return the library, compiled to a folder; None where there is no compiler."""
    library = compiled_library(folder, ("-O3",), SOURCE)
    return None if library is None else ctypes.CDLL(str(library))


def ports_of(tables: Tables) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each link among those that come in at its switch, and how many each switch has."""
    port, ports = np.zeros(len(tables.target), dtype=np.int32), np.zeros(tables.switches, dtype=np.int32)
    for link, switch in enumerate(tables.target.tolist()):
        if switch >= 0:
            port[link] = ports[switch]
            ports[switch] += 1
    return port, ports


def settings_of(
    tables: Tables, switches: Switches, *, valiant: bool, per_flow: int, warm: float, horizon: float, seed: int
) -> Settings:
    """Return the numbers of a run; `per_flow` 0 for random traffic until `horizon`."""
    return Settings(
        nodes=tables.nodes,
        switches=tables.switches,
        links=len(tables.names),
        channels=tables.channels * (2 if valiant else 1),
        per_phase=tables.channels,
        rule=tables.rule,
        layers=tables.layers,
        buffer=switches.buffer,
        valiant=valiant,
        stops=len(tables.stops),
        random=per_flow == 0,
        per_flow=per_flow,
        oldest=switches.oldest,
        head=switches.head,
        warm=warm,
        horizon=horizon,
        seed=seed,
    )


def simulate(
    library: ctypes.CDLL,
    tables: Tables,
    flows: Sequence[Sequence[int]] | None = None,
    *,
    per_flow: int = 256,
    warm: float = 0.0,
    horizon: float = 0.0,
    valiant: bool = False,
    switches: Switches | None = None,
    seed: int = 1,
) -> Outcome:
    """Run packets through a network.

    Parameters
    ----------
    library : CDLL
        Of `compiled`.
    tables : Tables
    flows : sequence of sequence of int, optional
        Destinations of each node, each of which gets `per_flow` packets, in turn. Without: every node sends to random
        others without end, and what arrives from `warm` to `horizon` (s) is counted.
    valiant : bool
        Over a random switch with nodes.
    switches : Switches, optional
    seed : int

    Raises
    ------
    RuntimeError
        A deadlock, which no routing here may have; too few channels; no memory.
    """
    kind = switches or Switches()
    settings = settings_of(
        tables, kind, valiant=valiant, per_flow=per_flow if flows else 0, warm=warm, horizon=horizon, seed=seed
    )
    port, ports = ports_of(tables)
    lists = flows or [[]] * tables.nodes
    first = np.concatenate([[0], np.cumsum([len(targets) for targets in lists])]).astype(np.int32)
    targets = np.array([target for targets in lists for target in targets] or [0], dtype=np.int32)
    period = kind.packet / tables.capacity
    delivered, finish, totals = np.zeros(tables.nodes, dtype=np.int64), np.zeros(tables.nodes), np.zeros(4)
    arrays = (
        tables.source, tables.target, port, ports, tables.dimension, tables.wrap, period, tables.latency,
        tables.attached, tables.first, tables.links, tables.upto, tables.stops.astype(np.int32), first, targets,
        delivered, finish, totals,
    )  # fmt: skip
    held = [np.ascontiguousarray(array) for array in arrays]
    failure = library.run(ctypes.byref(settings), *(ctypes.c_void_p(array.ctypes.data) for array in held))
    if failure:
        raise RuntimeError(f"the packet simulation stopped: {FAILURES[failure]}")
    packets, hops, events, seconds = totals.tolist()
    return outcome(kind, delivered, finish, int(packets), int(hops), int(events), seconds, flows, per_flow, warm)


def outcome(
    switches: Switches,
    delivered: np.ndarray,
    finish: np.ndarray,
    packets: int,
    hops: int,
    events: int,
    seconds: float,
    flows: Sequence[Sequence[int]] | None,
    per_flow: int,
    warm: float,
) -> Outcome:
    """Return what the counts of a run say."""
    if flows:
        sent = max(len(targets) for targets in flows) * per_flow * switches.packet
        return Outcome(sent / float(finish.max()), packets, hops, events, seconds, 1.0)
    mean = float(delivered.mean())
    spread = float(delivered.min()) / mean if mean else 0.0
    return Outcome(mean * switches.packet / (seconds - warm), packets, hops, events, seconds, spread)
