"""Figures of replays, computed again."""
