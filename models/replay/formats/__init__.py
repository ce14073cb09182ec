"""Trace files: read and written in each format."""
