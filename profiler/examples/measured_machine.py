"""The machine on which times.csv was measured: latencies as they are there, and its columns as quantities."""

from dse import parameter, quantities

ranks = parameter(unit="1", doc="Ranks of the run", minimum=1)
size = parameter(unit="1", doc="What a program is started with: n, or the scale of its graph", above=0)


@quantities(
    gives={"l2_latency_alone": "1", "l3_latency": "s"},
    source="measured: reads that wait for each other, by working set",
    slot="cache_latency",
    provider="this-machine",
)
def latencies(frequency):
    """Cycles of an access that level 2 answers (16 at 4 GHz), and time of one that level 3 answers (140 there)."""
    return 4e-9 * frequency, 35e-9 + 0.0 * frequency
