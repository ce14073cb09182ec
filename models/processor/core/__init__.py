"""Cycles of a core: bounds, windows, stalls and branches."""
