"""The version of dse."""

__version__ = "0.1.0"
