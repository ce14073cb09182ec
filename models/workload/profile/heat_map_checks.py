"""The rules of the heat maps of a profile: rows and columns that fit, and accesses that add up."""

from __future__ import annotations

from itertools import pairwise

from dse.errors import InputError
from dse.models.workload.profile.schema import AddressMapSpec, HeatMapSpec

__all__ = ["check_address_map", "check_heat_map"]


def check_heat_map(heatmap: HeatMapSpec) -> None:
    """Check that no distance stands twice, and that there is a row of probabilities for each distance in time."""
    for name, values in (("s_bytes", heatmap.s_bytes), ("t", heatmap.t)):
        seen: set[int] = set()
        for place, value in enumerate(values):
            if value in seen:
                raise InputError(f"{value} stands twice", key=f"heatmap.{name}[{place}]")
            seen.add(value)
    rows, columns = len(heatmap.t), len(heatmap.s_bytes)
    if len(heatmap.p) != rows or any(len(row) != columns for row in heatmap.p):
        raise InputError(
            f"has {len(heatmap.p)} rows of {', '.join(sorted({str(len(row)) for row in heatmap.p})) or '0'}",
            key="heatmap.p",
            allowed=f"{rows} rows (t) of {columns} (s_bytes)",
        )


def check_address_map(address_map: AddressMapSpec) -> None:
    """Check that rows are aligned and rise, and that each column has as many accesses as it stands for."""
    size, held = address_map.row_bytes, address_map.column_accesses
    if size & (size - 1):
        raise InputError(f"{size}", key="address_map.row_bytes", allowed="a power of two")
    for place, address in enumerate(address_map.first_bytes):
        if address % size:
            raise InputError(f"{address}", key=f"address_map.first_bytes[{place}]", allowed=f"a multiple of {size}")
    for place, (before, after) in enumerate(pairwise(address_map.first_bytes)):
        if after <= before:
            key = f"address_map.first_bytes[{place + 1}]"
            raise InputError(f"{after} after {before}", key=key, allowed="addresses that rise")
    columns = -(-address_map.accesses // held)
    rows = len(address_map.first_bytes)
    if len(address_map.counts) != rows or any(len(row) != columns for row in address_map.counts):
        raise InputError(
            f"has {len(address_map.counts)} rows of "
            f"{', '.join(sorted({str(len(row)) for row in address_map.counts})) or '0'}",
            key="address_map.counts",
            allowed=f"{rows} rows (first_bytes) of {columns} (accesses / column_accesses)",
        )
    for column in range(columns):
        total = sum(row[column] for row in address_map.counts)
        wanted = min(held, address_map.accesses - column * held)
        if total != wanted:
            raise InputError(
                f"column {column} has {total} accesses", key="address_map.counts", allowed=f"{wanted} together"
            )
