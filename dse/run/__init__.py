"""Runs: the answer to a study, in memory and on disk."""
