"""The topologies, a folder each."""
