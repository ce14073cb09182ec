"""Frontiers of points: which no other beats, kept as they come, exactly or within a tolerance."""
