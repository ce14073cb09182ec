"""The studies that come with the project: their sizes, and the frontier of one."""

import hashlib

import numpy as np
import pytest

from dse.api import Study

SIZES = {
    "codesign-cg": (46_780_416, 33),
    "codesign-stencil": (3_087_507_456, 33),
    "codesign-graph500": (261_771_264, 20),
}
"""Designs, and parts by the number of nodes."""
DIGEST = "76d67aa1e3ffca83"
"""Of the objectives of the frontier of codesign-cg, to nine digits."""


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name):
    space = Study.load(name).space
    assert (space.size, len(space.products)) == SIZES[name]
    assert sum(product.size for product in space.products) == space.size


@pytest.mark.slow
def test_the_frontier_of_cg():
    """Recorded: a guard against change, which proves nothing more."""
    frontier = Study.load("codesign-cg").run(trust=False).frontier
    values = frontier[["system_time", "system_energy", "system_power"]].to_numpy()
    assert values.shape == (211, 3)
    rounded = np.array([[float(f"{value:.9g}") for value in row] for row in values])
    assert hashlib.sha256(rounded.tobytes()).hexdigest()[:16] == DIGEST
