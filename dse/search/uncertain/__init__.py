"""Frontiers while some numbers are not known: designs that are on them for certain, and those that may be."""
