"""Accesses by address and time as a picture: what is drawn, and the same in characters.

Rows that nothing touched are left out of a profile, so that a heap and a stack far apart stand side by side; where
addresses are left out, the picture has a gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.models.workload.locality.summary import size
from dse.models.workload.profile.profile import AddressMap

__all__ = ["GAP", "AddressView", "address_view", "coarser", "in_characters"]

_SHADES = " .:-=+*#%@"
GAP = "…"


@dataclass(frozen=True)
class AddressView:
    """What an address map shows: `counts[i, j]` accesses from `first_bytes[i]` on, after `column_accesses * j` others.

    Attributes
    ----------
    row_bytes, column_accesses : int
    first_bytes : ndarray, shape (rows,)
    counts : ndarray, shape (rows, columns)
    gaps : ndarray of bool, shape (rows,)
        Whether addresses before the row were not touched.
    """

    row_bytes: int
    column_accesses: int
    first_bytes: np.ndarray
    counts: np.ndarray
    gaps: np.ndarray


def address_view(address_map: AddressMap) -> AddressView:
    """Return what is drawn of accesses by address and time."""
    first = np.array(address_map.first_bytes, dtype=np.int64)
    counts = np.array(address_map.counts, dtype=np.int64).reshape(len(first), -1)
    gaps = np.diff(first, prepend=first[:1] - address_map.row_bytes) != address_map.row_bytes
    return AddressView(address_map.row_bytes, address_map.column_accesses, first, counts, gaps)


def coarser(view: AddressView, rows: int, columns: int) -> AddressView:
    """Return a view of at most so many rows and columns: neighbours are one, as while the map was recorded."""
    counts, first, row_bytes, held = view.counts, view.first_bytes, view.row_bytes, view.column_accesses
    while counts.shape[1] > columns:
        counts = np.add.reduceat(counts, range(0, counts.shape[1], 2), axis=1)
        held *= 2
    while len(first) > rows:
        row_bytes *= 2
        first, place = np.unique(first // row_bytes * row_bytes, return_inverse=True)
        merged = np.zeros((len(first), counts.shape[1]), dtype=np.int64)
        np.add.at(merged, place.reshape(-1), counts)
        counts = merged
    gaps = np.diff(first, prepend=first[:1] - row_bytes) != row_bytes
    return AddressView(row_bytes, held, first, counts, gaps)


def in_characters(view: AddressView, rows: int = 32, columns: int = 64) -> list[str]:
    """Return the picture as lines, the darker the more accesses (by their logarithm), lowest address first."""
    small = coarser(view, rows, columns)
    most = np.log1p(small.counts.max(initial=1))
    level = np.ceil(np.log1p(small.counts) / most * (len(_SHADES) - 1)).astype(int)
    lines = []
    for first, shades, gap in zip(small.first_bytes.tolist(), level.tolist(), small.gaps.tolist(), strict=True):
        if gap:
            lines.append(GAP)
        lines.append(f"{first:#014x} |{''.join(_SHADES[shade] for shade in shades)}|")
    lines.append(f"rows of {size(small.row_bytes)}, columns of {small.column_accesses} accesses")
    return lines
