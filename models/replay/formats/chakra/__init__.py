"""Execution traces of Chakra, as ASTRA-sim replays them: nodes of a graph for each rank, in JSON."""
