"""What all parts of a node's power read, and how a study is kept from getting something for nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import parameter

__all__ = ["FACTORS", "MCPAT", "goes_with"]

MCPAT = "own runs of McPAT 1.3 (good to 30 % at best: trust rankings)"
FACTORS = {"technology": (21.9e-9, np.inf)}
"""Technologies of the tables themselves; those below 22 nm come from them by factors, and are marked."""

technology = parameter(
    unit="m",
    doc="Technology of the chip: 22, 32, 45, 65 or 90 nm; 14, 10, 7, 5 or 3 nm by factors from 22 nm",
    above=0,
)
temperature = parameter(
    unit="K",
    doc="Temperature of the chip: leakage at 22 and 32 nm is up to forty times as high at 400 K as at 300 K",
    minimum=300,
    maximum=400,
)


def goes_with(value: Any, companion: Any) -> bool:
    """Tell whether a companion is chosen together with a value: it varies along every axis that the value varies along.

    Parameters
    ----------
    value, companion : ndarray
        As the engine hands them to a function: of length 1 along each axis they do not depend on.
    """
    value, companion = np.asarray(value), np.asarray(companion)
    fixed = value.size < 2 or bool((value == value.flat[0]).all())
    return fixed or np.broadcast_shapes(value.shape, companion.shape) == companion.shape
