"""Storage: the bandwidth that drives, links and operations leave, and the time of a transfer.

The slot ``data_store`` says what a store is known by: ``aggregate``, its bandwidth as a whole, such as a row of
``spaces/data_machine/storage_phases.csv``; ``devices``, its drives (``drives.csv``), its links (``links.csv``) and the
operations its file system or object store takes (``file_systems.csv``), the least of which counts. Either way
``store_write_bandwidth`` and ``store_read_bandwidth`` are known, which checkpoints read (`dse.models.resilience`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.models.sources import MATSUOKA_2014

__all__ = ["effective_bandwidth", "transfer_time"]

_LIMITS = f"{MATSUOKA_2014}, figures of drives, links and operations; the least of the three is ours"
_MEASURED = f"{MATSUOKA_2014}, 16 mSATA drives"

store_write_bandwidth = parameter(unit="B/s", doc="Bandwidth of writing to the shared store, of all nodes", above=0)
store_read_bandwidth = assumption(
    0.0,
    unit="B/s",
    source="none: reads as fast as it writes",
    doc="Bandwidth of reading from the shared store; 0: that of writing",
    minimum=0,
)
store_devices = parameter(unit="1", doc="Drives of the store", minimum=1, integer=True)
store_device_read_bandwidth = parameter(unit="B/s", doc="Peak bandwidth of reading from a drive", above=0)
store_device_write_bandwidth = parameter(unit="B/s", doc="Peak bandwidth of writing to a drive", above=0)
read_peak_share = assumption(
    0.92,
    unit="1",
    source=f"{_MEASURED}: 92.4 % of peak",
    doc="Share of its peak bandwidth at which a drive reads",
    above=0,
    maximum=1,
)
write_peak_share = assumption(
    0.90,
    unit="1",
    source=f"{_MEASURED}: 90.2 % of peak",
    doc="Share of its peak bandwidth at which a drive writes",
    above=0,
    maximum=1,
)
store_links = parameter(unit="1", doc="Links between the store and those who use it", minimum=1, integer=True)
store_link_bandwidth = parameter(unit="B/s", doc="Bandwidth of a link of the store, each way", above=0)
store_servers = parameter(
    unit="1", doc="Servers of the store, each with a file system or object store", minimum=1, integer=True
)
store_operation_rate = parameter(
    unit="1/s", doc="Operations that the file system or object store of a server takes in a second", above=0
)
store_block_size = parameter(unit="B", doc="Bytes of an operation", above=0)
store_latency = assumption(
    10e-6,
    unit="s",
    source=f"{MATSUOKA_2014}, remote flash: less than 10 us for 4 kB, so an upper bound",
    doc="Time before the first byte of a transfer arrives",
    minimum=0,
)


def effective_bandwidth(
    devices: Any,
    device_bandwidth: Any,
    *,
    peak_share: Any = 1.0,
    links: Any = 1.0,
    link_bandwidth: Any = np.inf,
    operation_rate: Any = np.inf,
    block_size: Any = 1.0,
) -> np.ndarray:
    """Return the bandwidth of a store, min(share n_dev b_dev, n_links b_link, operations block) [B/s].

    Parameters
    ----------
    devices, device_bandwidth : array_like
        Drives and the peak bandwidth of each [B/s].
    peak_share : array_like
        Share of the peak that drives reach.
    links, link_bandwidth : array_like
        Links and the bandwidth of each [B/s]; without it links are no limit.
    operation_rate, block_size : array_like
        Operations of the whole store in a second [1/s] and the bytes of each; without a rate they are no limit.
    """
    of_drives = devices * device_bandwidth * peak_share
    result: np.ndarray = np.minimum(np.minimum(of_drives, links * link_bandwidth), operation_rate * block_size)
    return result


def transfer_time(size: Any, bandwidth: Any, latency: Any = 0.0) -> np.ndarray:
    """Return the time of a transfer, latency + bytes / bandwidth [s].

    Parameters
    ----------
    size : array_like
        Bytes.
    bandwidth : array_like
        Such as `effective_bandwidth` [B/s].
    latency : array_like
        Before the first byte arrives [s].
    """
    result: np.ndarray = latency + size / bandwidth
    return result


def reading_bandwidth(read: Any, write: Any) -> Any:
    """Return the bandwidth of reading, which is that of writing where it is 0 [B/s]."""
    return np.where(read > 0.0, read, write)


@quantity(
    unit="B/s",
    name="effective_write_bandwidth",
    source="the store as a whole",
    slot="data_store",
    provider="aggregate",
    default=True,
)
def aggregate_write_bandwidth(store_write_bandwidth):
    """Bandwidth of writing to the store."""
    return store_write_bandwidth * 1.0


@quantity(
    unit="B/s",
    name="effective_read_bandwidth",
    source="the store as a whole",
    slot="data_store",
    provider="aggregate",
    default=True,
)
def aggregate_read_bandwidth(store_read_bandwidth, store_write_bandwidth):
    """Bandwidth of reading from the store."""
    return reading_bandwidth(store_read_bandwidth, store_write_bandwidth)


@quantity(
    unit="B/s", source="bytes of an operation, as often as operations are taken", slot="data_store", provider="devices"
)
def operations_bandwidth(store_servers, store_operation_rate, store_block_size):
    """Bandwidth that the operations of all servers leave."""
    return store_servers * store_operation_rate * store_block_size


@quantities(
    gives={"store_write_bandwidth": "B/s", "effective_write_bandwidth": "B/s"},
    source=_LIMITS,
    slot="data_store",
    provider="devices",
)
def devices_write_bandwidth(
    store_devices,
    store_device_write_bandwidth,
    write_peak_share,
    store_links,
    store_link_bandwidth,
    operations_bandwidth,
):
    """Bandwidth of writing to the store, under both its names: the least of its drives, links and operations."""
    bandwidth = effective_bandwidth(
        store_devices,
        store_device_write_bandwidth,
        peak_share=write_peak_share,
        links=store_links,
        link_bandwidth=store_link_bandwidth,
        operation_rate=operations_bandwidth,
    )
    return bandwidth, bandwidth * 1.0


@quantities(
    gives={"store_read_bandwidth": "B/s", "effective_read_bandwidth": "B/s"},
    source=_LIMITS,
    slot="data_store",
    provider="devices",
)
def devices_read_bandwidth(
    store_devices,
    store_device_read_bandwidth,
    read_peak_share,
    store_links,
    store_link_bandwidth,
    operations_bandwidth,
):
    """Bandwidth of reading from the store, under both its names: the least of its drives, links and operations."""
    bandwidth = effective_bandwidth(
        store_devices,
        store_device_read_bandwidth,
        peak_share=read_peak_share,
        links=store_links,
        link_bandwidth=store_link_bandwidth,
        operation_rate=operations_bandwidth,
    )
    return bandwidth, bandwidth * 1.0
