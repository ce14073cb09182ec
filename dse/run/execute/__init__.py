"""Carrying out a study, here or on a cluster."""
