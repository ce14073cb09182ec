"""Data machines: networks of low latency for data-intensive programs.

After Matsuoka et al. 2014 ("Extreme Big Data"). In Python: `low_latency_topologies` compares topologies on one floor.
"""

from dse.models.data_machine.low_latency import low_latency_topologies

__all__ = ["low_latency_topologies"]
