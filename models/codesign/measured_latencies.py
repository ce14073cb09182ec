"""Latencies of a machine that were measured, in place of those that follow from the sizes of its caches."""

from __future__ import annotations

from dse.authoring.declare.declaration import parameter, quantities

__all__: list[str] = []

measured_l2_latency = parameter(unit="s", doc="Time of an access that level 2 answers, as measured", minimum=0)
measured_l3_latency = parameter(unit="s", doc="Time of an access that level 3 answers, as measured", minimum=0)


@quantities(
    gives={"l2_latency_alone": "1", "l3_latency": "s"},
    source="measured by dse profile machine",
    slot="cache_latency",
    provider="measured",
)
def latencies_of_machine(measured_l2_latency, measured_l3_latency, frequency):
    """Cycles of an access that level 2 answers, and time of one that level 3 answers, from the core."""
    return measured_l2_latency * frequency, measured_l3_latency * 1.0
