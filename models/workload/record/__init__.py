"""Profiles of programs that were instrumented and run here."""
