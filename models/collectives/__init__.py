"""Time, energy and offload memory of collective operations: every algorithm in closed form, and which is best.

After Hoefler and Moor, "Energy, Memory, and Runtime Tradeoffs for Implementing Collective Communication Operations"
(2014), corrected, with extensions. In Python, `cost` answers for one algorithm and `best` for all of them, of any
number of processes, message size and network (`LogGP`) as arrays that broadcast; `COLLECTIVES` lists what there is,
`crossover_sizes`, `crossover_processes` and `winner_map` tell where one algorithm overtakes another, `draw` draws it.

On a network of any topology, `rounds_of` lists who sends to whom, and how much, one round after another, and
`collective_on_topology` adds up the rounds with the latency and the bandwidth that each gets on a machine.

In a study, ``collective_processes`` and ``collective_message_size`` say what is asked; each operation has a slot
(``collective_algorithm_allreduce``, by default ``best``) and quantities such as ``allreduce_time``,
``allreduce_energy``, ``allreduce_memory`` and ``allreduce_choice``, the number of the algorithm in `ALGORITHMS`.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.collectives import inputs, pictures, quantities
from dse.models.collectives.algorithms.loggp import INFINIBAND, INFINIBAND_AS_PRINTED, NETWORKS, RDMA, LogGP
from dse.models.collectives.algorithms.registry import ALGORITHMS, COLLECTIVES, Algorithm
from dse.models.collectives.algorithms.rounds import ROUNDS, Round, flows_of_round, rounds_of
from dse.models.collectives.costs.arity import continuous_arity, whole_arity
from dse.models.collectives.costs.best import best
from dse.models.collectives.costs.cost import Cost, cost
from dse.models.collectives.costs.crossover import WinnerMap, crossover_processes, crossover_sizes, winner_map
from dse.models.collectives.costs.drawing import cost_view, draw, draw_map
from dse.models.collectives.on_topology import ON_TOPOLOGY, CollectiveTime, collective_on_topology

__all__ = [
    "ALGORITHMS",
    "COLLECTIVES",
    "INFINIBAND",
    "INFINIBAND_AS_PRINTED",
    "NETWORKS",
    "ON_TOPOLOGY",
    "RDMA",
    "ROUNDS",
    "Algorithm",
    "CollectiveTime",
    "Cost",
    "LogGP",
    "Round",
    "WinnerMap",
    "best",
    "collective_on_topology",
    "continuous_arity",
    "cost",
    "cost_view",
    "crossover_processes",
    "crossover_sizes",
    "draw",
    "draw_map",
    "flows_of_round",
    "rounds_of",
    "whole_arity",
    "winner_map",
]

globals().update(declarations(inputs, quantities))
globals().update(quantities.operation_functions())
globals().update(pictures.operation_pictures())
