"""Quantities joined by name."""
