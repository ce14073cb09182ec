"""Attacks on the project: studies of every feature against plain floats, and documents that somebody has changed."""
