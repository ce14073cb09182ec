"""Reductions of one number over all nodes, as several applications have them."""

from __future__ import annotations

from dse.authoring.declare.declaration import quantity

__all__: list[str] = []

_WORD = 8.0  # bytes of a number


@quantity(
    unit="s",
    source="recursive doubling over shortest paths, 8 bytes; the family collectives",
    points_only=True,
    dimensional=False,
    reason="bytes of the numbers stand in the formula",
)
def number_reduction_time(machine_allreduce_butterfly_latency, machine_allreduce_butterfly_per_byte):
    """Time until all nodes have the sum of one number of each."""
    return machine_allreduce_butterfly_latency + _WORD * machine_allreduce_butterfly_per_byte
