"""Figures of progress for one-sided messages."""
