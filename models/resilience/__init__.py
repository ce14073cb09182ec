"""Resilience: what failures of a large machine cost, and what saves checkpoints.

`compression` gives how many times smaller a checkpoint is, ``compression_ratio``, from published ratios
(``spaces/resilience/compression.csv``), from the size of an index code, or from the tolerance of a lossy one.
"""

from dse.authoring.declaration import declarations
from dse.models.resilience import compression

__all__ = ["compression"]

globals().update(declarations(compression))
