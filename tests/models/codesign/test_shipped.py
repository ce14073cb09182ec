"""The studies that come with the project: their sizes, and the frontier of one."""

import hashlib
import tomllib

import numpy as np
import pytest

from dse.api import Study
from dse.study.file.headings import bundled_studies

SIZES = {
    "codesign-cg": (46_780_416, 33),
    "codesign-stencil": (3_087_507_456, 33),
    "codesign-graph500": (261_771_264, 20),
}
"""Designs, and parts by the number of nodes."""
DIGEST = "abc8afcd34bd9541"
"""Of the objectives of the frontier of codesign-cg on at most 128 nodes, to nine digits."""
SAMPLES = {
    "codesign-cg": "bfd05350dec214d1",
    "codesign-stencil": "6b93a0a1cf2b8a9b",
    "codesign-graph500": "3f476f35dff700fa",
}
"""Of the objectives of some designs."""


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name):
    space = Study.load(name).space
    assert (space.size, len(space.products)) == SIZES[name]
    assert sum(product.size for product in space.products) == space.size


def digest(values):
    """Return a digest of numbers to nine digits."""
    rounded = np.array([[float(f"{value:.9g}") for value in row] for row in values])
    return hashlib.sha256(rounded.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", SAMPLES)
def test_designs_of_a_few_parts(name):
    """Recorded: a guard against change of what a whole search finds; in the first part, the last, and two between."""
    problem = Study.load(name).compiled
    rng, products = np.random.default_rng(1), problem.space.products
    names = [objective.quantity for objective in problem.objectives]
    rows = []
    for part in np.linspace(0, len(products) - 1, 4).astype(int):
        numbers = problem.space.offsets[part] + rng.integers(0, products[part].size, 12)
        (record,) = problem.quantities(numbers)
        columns = [np.broadcast_to(np.ravel(record["values"][quantity]), 12) for quantity in names]
        rows.append(np.stack(columns, axis=1))
    assert digest(np.concatenate(rows)) == SAMPLES[name]


@pytest.mark.slow
def test_the_frontier_of_small_machines_for_cg():
    """Recorded: a guard against change, which proves nothing more. Exact, so that it follows from the values alone."""
    content = tomllib.loads(bundled_studies()["codesign-cg"].read_text(encoding="utf-8"))
    for network in content["space"]["choices"]["network"].values():
        network["axes"]["shape"]["given"]["nodes"] = {"powers_of_two": [64, 128]}
    del content["search"]["tolerance"]
    run = Study(content, folder=bundled_studies()["codesign-cg"].parent).run(trust=False)
    assert run.exact
    assert digest(run.frontier[["system_time", "system_energy", "system_power"]].to_numpy()) == DIGEST
