"""Explaining one design: where its time and power go, what binds, and what a step would change."""
