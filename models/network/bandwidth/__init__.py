"""Effective bandwidth and mean path under a pattern, by closed forms and by routing."""
