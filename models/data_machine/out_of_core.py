"""Data larger than the memory: how much longer a pass takes that streams them from a store while it computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import parameter, quantity
from dse.models.data_machine.storage import transfer_time
from dse.models.sources import MATSUOKA_2014

__all__ = ["slowdown"]

_OVERLAP = f"{MATSUOKA_2014}, transfers overlapped with computing; the factor is ours"

pass_bytes = parameter(unit="B", doc="Bytes that a pass over the data reads from the store", minimum=0)
pass_compute_time = parameter(unit="s", doc="Time of a pass with all data in memory", above=0)


def slowdown(size: Any, bandwidth: Any, compute_time: Any) -> np.ndarray:
    """Return the time of a pass over its time in memory, max(1, bytes / bandwidth / compute time).

    Parameters
    ----------
    size : array_like
        Bytes moved in a pass.
    bandwidth : array_like
        Of the store [B/s].
    compute_time : array_like
        Of a pass with all data in memory [s].
    """
    result: np.ndarray = np.maximum(1.0, size / (bandwidth * compute_time))
    return result


@quantity(unit="1", source=_OVERLAP)
def out_of_core_factor(pass_bytes, effective_read_bandwidth, pass_compute_time):
    """Time of a pass over its time in memory, 1 where computing hides the transfers."""
    return slowdown(pass_bytes, effective_read_bandwidth, pass_compute_time)


@quantity(unit="s", source=_OVERLAP)
def pass_transfer_time(pass_bytes, effective_read_bandwidth):
    """Time in which the store delivers the data of a pass."""
    return transfer_time(pass_bytes, effective_read_bandwidth)


@quantity(unit="s", source=_OVERLAP)
def out_of_core_pass_time(pass_compute_time, pass_transfer_time):
    """Time of a pass over data in the store, the longer of computing and transfers."""
    return np.maximum(pass_compute_time, pass_transfer_time)
