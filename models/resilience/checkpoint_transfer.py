"""Time and energy of one checkpoint and of one restart, with data as they are or compressed.

Slots: ``checkpoint_data`` (``given``, or ``share-of-memory`` of all nodes), ``checkpoint_store`` (``shared``,
``node-local``, ``two-level``: what is written where), ``checkpoint_compression`` (``none``; ``serial``: compressed,
then written; ``overlapped``: both at once, the slower one counts).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.models.data_machine.storage import reading_bandwidth
from dse.models.resilience.ranges import in_range
from dse.models.sources import SON_2014

__all__ = ["break_even_compress_bandwidth", "checkpoint_energy", "transfer_time"]

_TIME = "bytes over bandwidth"
_COMPRESSED = f"bytes over bandwidths; ratio as in {SON_2014}, Section 2.3"
_DATA: dict[str, Any] = {"slot": "checkpoint_data"}
_STORE: dict[str, Any] = {"slot": "checkpoint_store"}
_COMPRESSION: dict[str, Any] = {"slot": "checkpoint_compression"}


def transfer_time(
    data: Any, bandwidth: Any, ratio: Any = 1.0, coding_bandwidth: Any = np.inf, *, overlapped: bool = False
) -> Any:
    """Return the time to compress and write a checkpoint, or to read and restore it [s].

    Serial: D/S + D/(rho B). Overlapped: the larger of both.

    Parameters
    ----------
    data : array_like
        Uncompressed, D [B].
    bandwidth : array_like
        Of the store, B [B/s].
    ratio : array_like
        Original over compressed size, rho, 1 or more.
    coding_bandwidth : array_like
        Uncompressed data compressed (or restored) in a second by all nodes, S [B/s].
    overlapped : bool
        Whether compressing and writing go on at the same time.

    Raises
    ------
    InputError
        A number out of its range, by name.
    """
    size, store = in_range("data", data), in_range("bandwidth", bandwidth, above=True)
    rho = in_range("ratio", ratio, above=True)
    coding = in_range("coding_bandwidth", coding_bandwidth, above=True, infinite=True)
    return _transfer_time(size, store, rho, coding, overlapped)


def _transfer_time(data: Any, bandwidth: Any, ratio: Any, coding_bandwidth: Any, overlapped: bool) -> Any:
    moved, coded = data / (ratio * bandwidth), data / coding_bandwidth
    return np.maximum(coded, moved) if overlapped else coded + moved


def break_even_compress_bandwidth(ratio: Any, *, overlapped: bool = False) -> Any:
    """Return how fast data must be compressed, over the bandwidth of the store, to shorten a checkpoint: S/B.

    Serial: rho/(rho - 1); overlapped: 1. Infinite where nothing is compressed.

    Parameters
    ----------
    ratio : array_like
        Original over compressed size, rho, 1 or more.
    overlapped : bool
        Whether compressing and writing go on at the same time.
    """
    rho = np.asarray(ratio, dtype=float)
    least = 1.0 if overlapped else 1.0 / (1.0 - 1.0 / np.where(rho > 1.0, rho, 2.0))
    return np.where(np.isnan(rho), np.nan, np.where(rho > 1.0, least, np.inf))


def checkpoint_energy(
    data: Any,
    cost: Any,
    *,
    ratio: Any = 1.0,
    compress_energy: Any = 0.0,
    move_energy: Any = 0.0,
    write_energy: Any = 0.0,
    idle_power: Any = 0.0,
) -> Any:
    """Return the energy of one checkpoint, D e_cpu + (D/rho)(e_move + e_write) + P_idle delta [J].

    Divided by `cost` it is the power during checkpoints, and stands for it: never count both.

    Parameters
    ----------
    data : array_like
        Uncompressed, D [B].
    cost : array_like
        Time of the checkpoint, delta [s].
    ratio : array_like
        Original over compressed size, rho.
    compress_energy : array_like
        Per uncompressed byte [J/B]; 0 where nothing is compressed.
    move_energy, write_energy : array_like
        Per byte that goes over the network and into the store [J/B].
    idle_power : array_like
        Of the whole system while it waits [W].
    """
    size = np.asarray(data, dtype=float)
    stored = size / np.asarray(ratio, dtype=float)
    return size * compress_energy + stored * (np.asarray(move_energy) + write_energy) + np.asarray(idle_power) * cost


@quantity(unit="B", name="checkpoint_data", source="the study", **_DATA, provider="given", default=True)
def given_data(checkpoint_bytes):
    """Data of a checkpoint, as the study gives them."""
    return checkpoint_bytes * 1.0


@quantities(
    gives={"checkpoint_data": "B", "checkpoint_bytes": "B"},
    source="a share of the memory",
    **_DATA,
    provider="share-of-memory",
)
def data_of_memory(checkpoint_memory_share, nodes, node_memory_capacity):
    """Data of a checkpoint: a share of the memory of all nodes."""
    saved = checkpoint_memory_share * nodes * node_memory_capacity
    return saved, saved * 1.0


@quantity(unit="B/s", name="checkpoint_write_bandwidth", source="the study", **_STORE, provider="shared", default=True)
def shared_write_bandwidth(store_write_bandwidth):
    """Bandwidth of writing a checkpoint, of the whole job."""
    return store_write_bandwidth * 1.0


@quantity(unit="B/s", name="checkpoint_read_bandwidth", source="the study", **_STORE, provider="shared", default=True)
def shared_read_bandwidth(store_read_bandwidth, store_write_bandwidth):
    """Bandwidth of reading a checkpoint, of the whole job."""
    return reading_bandwidth(store_read_bandwidth, store_write_bandwidth)


@quantities(
    gives={"checkpoint_write_bandwidth": "B/s", "store_write_bandwidth": "B/s"},
    source="all nodes at once",
    **_STORE,
    provider="node-local",
)
def local_write_bandwidth(nodes, node_store_write_bandwidth):
    """Bandwidth of writing a checkpoint, every node to its own store."""
    together = nodes * node_store_write_bandwidth
    return together, together * 1.0


@quantities(
    gives={"checkpoint_read_bandwidth": "B/s", "store_read_bandwidth": "B/s"},
    source="all nodes at once",
    **_STORE,
    provider="node-local",
)
def local_read_bandwidth(nodes, node_store_read_bandwidth, node_store_write_bandwidth):
    """Bandwidth of reading a checkpoint, every node from its own store."""
    together = nodes * reading_bandwidth(node_store_read_bandwidth, node_store_write_bandwidth)
    return together, together * 1.0


@quantity(unit="B/s", name="checkpoint_write_bandwidth", source="the study", **_STORE, provider="two-level")
def global_write_bandwidth(store_write_bandwidth):
    """Bandwidth of writing a global checkpoint, of the whole job."""
    return store_write_bandwidth * 1.0


@quantity(unit="B/s", name="checkpoint_read_bandwidth", source="the study", **_STORE, provider="two-level")
def global_read_bandwidth(store_read_bandwidth, store_write_bandwidth):
    """Bandwidth of reading a global checkpoint, of the whole job."""
    return reading_bandwidth(store_read_bandwidth, store_write_bandwidth)


@quantity(unit="B/s", source="all nodes at once", **_STORE, provider="two-level")
def local_checkpoint_write_bandwidth(nodes, node_store_write_bandwidth):
    """Bandwidth of writing a local checkpoint, every node to its own store."""
    return nodes * node_store_write_bandwidth


@quantity(unit="B/s", source="all nodes at once", **_STORE, provider="two-level")
def local_checkpoint_read_bandwidth(nodes, node_store_read_bandwidth, node_store_write_bandwidth):
    """Bandwidth of reading a local checkpoint, every node from its own store."""
    return nodes * np.where(node_store_read_bandwidth > 0.0, node_store_read_bandwidth, node_store_write_bandwidth)


@quantity(unit="B/s", source="all nodes at once")
def compress_bandwidth(nodes, node_compress_bandwidth):
    """Uncompressed data that all nodes compress in a second."""
    return nodes * node_compress_bandwidth


@quantity(unit="B/s", source="all nodes at once")
def decompress_bandwidth(nodes, node_decompress_bandwidth):
    """Uncompressed data that all nodes restore in a second."""
    return nodes * node_decompress_bandwidth


@quantity(unit="B", source=_TIME, **_COMPRESSION, provider="none", default=True)
def checkpoint_stored_bytes(checkpoint_data):
    """Data of a checkpoint as they are stored."""
    return checkpoint_data * 1.0


@quantity(unit="s", source=_TIME, **_COMPRESSION, provider="none", default=True)
def checkpoint_cost(checkpoint_data, checkpoint_write_bandwidth):
    """Time of one checkpoint, of one to the shared store where there are two levels."""
    return checkpoint_data / checkpoint_write_bandwidth


@quantity(unit="s", source=_TIME, **_COMPRESSION, provider="none", default=True)
def restart_cost(checkpoint_data, checkpoint_read_bandwidth, restart_time):
    """Time of one restart, from the shared store where there are two levels."""
    return restart_time + checkpoint_data / checkpoint_read_bandwidth


@quantity(unit="s", source=_TIME, **_COMPRESSION, provider="none", default=True)
def local_checkpoint_cost(checkpoint_data, local_checkpoint_write_bandwidth):
    """Time of one local checkpoint."""
    return checkpoint_data / local_checkpoint_write_bandwidth


@quantity(unit="s", source=_TIME, **_COMPRESSION, provider="none", default=True)
def local_restart_cost(checkpoint_data, local_checkpoint_read_bandwidth, restart_time):
    """Time of one restart from local checkpoints."""
    return restart_time + checkpoint_data / local_checkpoint_read_bandwidth


def _compressed(provider: str, overlapped: bool) -> dict[str, Any]:
    """Return what checkpoints and restarts cost with compression."""

    def made(name: str, unit: str = "s") -> Any:
        return quantity(unit=unit, name=name, source=_COMPRESSED, **_COMPRESSION, provider=provider)

    @made("checkpoint_stored_bytes", "B")
    def stored_bytes(checkpoint_data, compression_ratio):
        """Data of a checkpoint as they are stored."""
        return checkpoint_data / compression_ratio

    @made("checkpoint_cost")
    def cost(checkpoint_data, checkpoint_write_bandwidth, compression_ratio, compress_bandwidth):
        """Time of one compressed checkpoint, of one to the shared store where there are two levels."""
        return _transfer_time(
            checkpoint_data, checkpoint_write_bandwidth, compression_ratio, compress_bandwidth, overlapped
        )

    @made("restart_cost")
    def restart(checkpoint_data, checkpoint_read_bandwidth, compression_ratio, decompress_bandwidth, restart_time):
        """Time of one restart from a compressed checkpoint, in the shared store where there are two levels."""
        return restart_time + _transfer_time(
            checkpoint_data, checkpoint_read_bandwidth, compression_ratio, decompress_bandwidth, overlapped
        )

    @made("local_checkpoint_cost")
    def local_cost(checkpoint_data, local_checkpoint_write_bandwidth, compression_ratio, compress_bandwidth):
        """Time of one compressed local checkpoint."""
        return _transfer_time(
            checkpoint_data,
            local_checkpoint_write_bandwidth,
            compression_ratio,
            compress_bandwidth,
            overlapped,
        )

    @made("local_restart_cost")
    def local_restart(
        checkpoint_data, local_checkpoint_read_bandwidth, compression_ratio, decompress_bandwidth, restart_time
    ):
        """Time of one restart from compressed local checkpoints."""
        return restart_time + _transfer_time(
            checkpoint_data,
            local_checkpoint_read_bandwidth,
            compression_ratio,
            decompress_bandwidth,
            overlapped,
        )

    made_here = (stored_bytes, cost, restart, local_cost, local_restart)
    return {
        name: replace(function, name=name)
        for function in made_here
        for name in [f"{provider}_{next(iter(function.gives))}"]
    }


globals().update(_compressed("serial", False))
globals().update(_compressed("overlapped", True))
