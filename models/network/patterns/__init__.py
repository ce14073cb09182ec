"""Patterns of communication: who sends to whom, on which grid, in which tiles and blocks."""
