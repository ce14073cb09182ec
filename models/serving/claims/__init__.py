"""Measured configurations of serving, and how each is computed again."""
