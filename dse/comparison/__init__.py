"""Comparing runs, designs of frontiers and candidate systems side by side."""

from dse.comparison.candidates import Candidate, read_candidate
from dse.comparison.compare import Comparison, compare

__all__ = ["Candidate", "Comparison", "compare", "read_candidate"]
