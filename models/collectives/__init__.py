"""Collective operations as rounds of messages, and their time on a network of any topology.

`rounds_of` lists who sends to whom, and how much, one round after another; `collective_on_topology` adds up the rounds
with the latency and the bandwidth that each gets on a machine.
"""

from dse.models.collectives.on_topology import ON_TOPOLOGY, CollectiveTime, collective_on_topology
from dse.models.collectives.rounds import ROUNDS, Round, flows_of_round, rounds_of

__all__ = [
    "ON_TOPOLOGY",
    "ROUNDS",
    "CollectiveTime",
    "Round",
    "collective_on_topology",
    "flows_of_round",
    "rounds_of",
]
