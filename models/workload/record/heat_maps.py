"""Heat maps of a thread, from what the run-time library counted."""

from __future__ import annotations

from typing import Any

from dse.errors import InputError
from dse.models.workload.record.raw_records import AddressMapRecord, LocalityMapRecord

__all__ = ["address_map", "heat_map"]

_DIGITS = 9


def address_map(record: AddressMapRecord) -> dict[str, Any]:
    """Return accesses by address and time as a profile holds them, rows by rising address."""
    rows = sorted(record.rows)
    return {
        "accesses": record.accesses,
        "row_bytes": record.row_bytes,
        "column_accesses": record.column_accesses,
        "first_bytes": [first for first, *_ in rows],
        "counts": [counts for _, *counts in rows],
    }


def heat_map(record: LocalityMapRecord) -> dict[str, Any]:
    """Return the probability p(s, t) that the access t later touches a byte s bytes away (Anghel 2017, Section 3.3.3).

    It is pairs over all accesses but the last t, to nine digits.

    Raises
    ------
    InputError
        A row of other than the offsets, or more pairs than there are.
    """
    offsets = list(range(-record.reach_bytes, record.reach_bytes + 1, record.step_bytes))
    shares = []
    for lag, *pairs in record.rows:
        among = record.accesses - lag
        if len(pairs) != len(offsets) or not lag or max(pairs, default=0) > among:
            raise InputError(
                f"the row of {lag} accesses has {len(pairs)} counts, the largest {max(pairs, default=0)}",
                key="locality_map.rows",
                allowed=f"{len(offsets)} counts of at most {max(among, 0)}",
            )
        shares.append([float(f"{count / among:.{_DIGITS}g}") for count in pairs])
    return {"s_bytes": offsets, "t": [lag for lag, *_ in record.rows], "p": shares}
