"""Runs: the answer to a study, in memory and on disk."""

from dse.run.run import Run, load_run, run_study

__all__ = ["Run", "load_run", "run_study"]
