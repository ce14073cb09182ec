"""Bounds over ranges run through the whole node: bundles find what looking at every design finds, ties and bits."""

import numpy as np
import pytest
from example_counts import ALL_EXAMPLES

from dse.search.driver import SearchOptions, search

from .nodes import CORE, DDR4_2400, INDEPENDENT, KIB, MIB, NODE, node_study, written

AXES = {
    "cores": [2, 4, 8, 12],
    "frequency": [2.0e9, 2.3e9, 2.5e9, 2.6e9, 2.8e9],
    "l2_size": [0.0, 256 * KIB, 512 * KIB, 1 * MIB],
    "l3_size": [0.0, 12 * MIB, 24 * MIB, 48 * MIB],
    "temperature": [330.0, 360.0],
}
OUT_OF_ORDER = {"dispatch_width": [2, 4, 8]}
IN_ORDER = {"dispatch_width": [1, 2, 4]}


@pytest.mark.parametrize("memory", ["types", "devices"])
@pytest.mark.parametrize("model", ["interaction", "independent"])
@pytest.mark.parametrize("order", ["out-of-order", "in-order"])
def test_bundles_find_what_exhaustive_finds(order, model, memory):
    node = NODE if memory == "types" else CORE | DDR4_2400
    axes = AXES | (OUT_OF_ORDER if order == "out-of-order" else IN_ORDER)
    axes |= {"dram_units": [1, 4]} if memory == "types" else {"dram_ranks": [4, 8]}
    changes = (INDEPENDENT if model == "independent" else {}) | {"threads": 2}
    if (order, model) == ("in-order", "interaction"):
        changes["reorder_buffer"] = None
    use = {"core_order": order, "processor_model": model, "memory": memory}
    problem = node_study(axes, use, node=node, profile="graph500-seq-list", **changes).problem()
    plain = search(problem, SearchOptions(method="exhaustive"))
    bundled = search(problem, SearchOptions(method="bundles"))
    assert bundled.certificate.method == "bundles"
    assert bundled.certificate.reason == "asked for"  # no function lacked a range form
    np.testing.assert_array_equal(plain.numbers, bundled.numbers)
    assert plain.values.tobytes() == bundled.values.tobytes()
    assert 1 < len(plain.numbers) < problem.space.size


def test_bundles_skip_designs():
    """The bounds are tight enough to be worth it in a large space."""
    axes = {
        "cores": [2, 4, 8, 12, 16],
        "frequency": [f * 1e7 for f in range(180, 281, 2)],
        "l2_size": [k * 64 * KIB for k in range(4, 33)],
        "l3_size": [m * MIB for m in range(16, 65)],
        "dram_units": [1, 2, 4],
    }
    problem = node_study(axes).problem()
    found = search(problem, SearchOptions(method="bundles"))
    plain = search(problem, SearchOptions(method="exhaustive"))
    np.testing.assert_array_equal(plain.numbers, found.numbers)
    assert plain.values.tobytes() == found.values.tobytes()
    assert found.certificate.excluded_by_bound > 0.3 * problem.space.size


@pytest.mark.slow
def test_a_design_has_the_same_bits_in_any_company():
    """Swept, explained beside its neighbours, and alone."""
    study = node_study(AXES | OUT_OF_ORDER)
    frontier = study.run(trust=False).frontier
    for row in range(0, len(frontier), max(1, len(frontier) // (8 if ALL_EXAMPLES else 3))):
        number = int(frontier["design"][row])
        told = {item["name"]: item["value"] for item in study.explain(number).numbers}
        alone = study.evaluate({name: written(name, float(frontier[name][row])) for name in (*AXES, *OUT_OF_ORDER)})
        for name in ("run_time", "energy", "chip_area"):
            assert told[name] == alone[name] == frontier[name][row]
