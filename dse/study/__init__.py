"""Studies: a question about a space of systems, from a TOML file or from Python objects."""

from dse.study.study import Study

__all__ = ["Study"]
