"""Skywalk: cabinets of switches that all have each other, and random links between the cabinets."""
