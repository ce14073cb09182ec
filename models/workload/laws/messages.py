"""Sizes of messages and who gets them, as metrics of a run: bins by rank of their share, and the share of each.

The messages of a rank have few kinds, such as a face of its box and one number. A bin of a larger run is another bin;
the largest share of the messages stays the largest share. So bins are ordered by their share, and share and mean size
of the first, second, … have a law each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dse.models.workload.extrapolation.metrics import Key
from dse.models.workload.profile.profile import ProcessClass

__all__ = ["MOST_BINS", "SIZES", "bin_metrics", "size_bins", "without_bins"]

MOST_BINS = 6
SIZES = "message_bin"
"""First part of the keys of these metrics: ``("message_bin", 0, "share")`` and ``("message_bin", 0, "size")``."""


def bin_metrics(item: ProcessClass) -> dict[Key, float]:
    """Return the share of the messages and the mean size [B] of the largest bins of a process, by rank of the share."""
    p2p = None if item.comm is None else item.comm.p2p
    bins = [] if p2p is None else [size_bin for size_bin in p2p.sizes if size_bin.messages]
    whole = sum(size_bin.messages for size_bin in bins)
    shares: dict[Key, float] = {}
    for place, size_bin in enumerate(
        sorted(bins, key=lambda size_bin: (-size_bin.messages, -size_bin.bytes))[:MOST_BINS]
    ):
        shares[SIZES, place, "share"] = size_bin.messages / whole
        shares[SIZES, place, "size"] = size_bin.bytes / size_bin.messages
    return shares


def size_bins(values: Mapping[Key, float], messages: int, held: int) -> list[list[int]]:
    """Return the histogram of a profile document whose sums are the messages and bytes that a process sends.

    Parameters
    ----------
    values : mapping
        As `bin_metrics` gives them.
    messages, held : int
        All messages and their bytes.
    """
    places = sorted(key[1] for key in values if key[0] == SIZES and key[2] == "share")
    shares = [max(0.0, values[SIZES, place, "share"]) for place in places]
    sizes = [max(0.0, values.get((SIZES, place, "size"), 0.0)) for place in places]
    whole = sum(shares)
    if not messages or whole <= 0.0:
        return []
    counts = [round(messages * share / whole) for share in shares]
    counts[0] += messages - sum(counts)
    carried = [count * size for count, size in zip(counts, sizes, strict=True)]
    scale = held / sum(carried) if sum(carried) > 0.0 else 0.0
    whole_bytes = [round(size * scale) for size in carried]
    whole_bytes[0] += held - sum(whole_bytes)
    bins: dict[int, list[int]] = {}
    for count, total in zip(counts, whole_bytes, strict=True):
        if count <= 0:
            continue
        upper = 1
        while upper * count < total:
            upper *= 2
        entry = bins.setdefault(upper, [upper, 0, 0])
        entry[1], entry[2] = entry[1] + count, entry[2] + total
    return [bins[upper] for upper in sorted(bins)]


def without_bins(values: Mapping[Key, Any]) -> dict[Key, Any]:
    """Return the metrics that are no bins of messages."""
    return {key: value for key, value in values.items() if key[0] != SIZES}
