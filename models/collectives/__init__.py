"""Time, energy and offload memory of collective operations: every algorithm in closed form, and which is best."""

from dse.models.collectives.algorithms import ALGORITHMS, COLLECTIVES, Algorithm
from dse.models.collectives.arity import continuous_arity, whole_arity
from dse.models.collectives.best import best
from dse.models.collectives.cost import Cost, cost
from dse.models.collectives.crossover import WinnerMap, crossover_processes, crossover_sizes, winner_map
from dse.models.collectives.loggp import INFINIBAND, INFINIBAND_AS_PRINTED, NETWORKS, RDMA, LogGP

__all__ = [
    "ALGORITHMS",
    "COLLECTIVES",
    "INFINIBAND",
    "INFINIBAND_AS_PRINTED",
    "NETWORKS",
    "RDMA",
    "Algorithm",
    "Cost",
    "LogGP",
    "WinnerMap",
    "best",
    "continuous_arity",
    "cost",
    "crossover_processes",
    "crossover_sizes",
    "whole_arity",
    "winner_map",
]
