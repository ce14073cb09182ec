"""Profiles from hardware counters."""
