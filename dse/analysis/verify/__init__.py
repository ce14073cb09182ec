"""Attacking a frontier, and proving again what its search left out."""
