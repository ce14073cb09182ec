"""The algorithms of collective operations: trees, pipelines, rounds, and the registry of all."""
