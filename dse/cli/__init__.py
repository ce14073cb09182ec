"""The command line."""

from dse.cli.main import main

__all__ = ["main"]
