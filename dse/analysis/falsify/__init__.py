"""Measured systems beside a frontier: which of them the answer must give way to."""
