"""Bounds of many designs at once: what a study computes on ranges holds every design inside."""

from __future__ import annotations

import numpy as np
import pytest

from dse.arithmetic.ranges import Range
from dse.graph.graph import call

from .small_studies import small_study
from .test_quantities import KIB, MIB

AXES = {
    "frequency": [1.0e9, 1.9e9, 2.6e9, 4.0e9],
    "issue_width": [1, 4, 8],
    "dispatch_width": [1, 4],
    "integer_units": [1, 4],
    "reorder_buffer": [8, 96, 400],
    "miss_registers": [2, 10, 32],
    "l2_size": [0.0, 128 * KIB, 2048 * KIB],
    "l3_size": [0.0, 2 * MIB, 35 * MIB],
    "dram_latency": [40e-9, 83e-9, 125e-9],
    "dram_bandwidth": [5e8, 2e10, 2e11],
    "front_end_stages": [3, 20],
}
NOT_READ = {"dispatch_width": None, "miss_registers": None, "dram_bandwidth": None, "branch_factor": None}
NOT_READ |= dict.fromkeys(("vector_units", "l1_bandwidth", "l3_bandwidth"))
BUNDLES, INSIDE = 60, 40


@pytest.mark.parametrize("spread", [0, 2, 40, 10_000])
@pytest.mark.parametrize("order", ["out-of-order", "in-order"])
@pytest.mark.parametrize("model", ["interaction", "independent"])
def test_bounds_contain_the_designs_inside(model, order, spread):
    changes = {} if order == "out-of-order" else {"reorder_buffer": None}
    changes = NOT_READ if model == "independent" else changes
    axes = {name: values for name, values in AXES.items() if name not in changes}
    also = ("cycles_per_instruction", "dram_traffic", "float_rate", "l3_share")
    use = {"processor_model": model, "core_order": order}
    study = small_study("graph500-seq-list", axes, use, also=also, threads=3, **changes)
    rng = np.random.default_rng(spread)
    near = rng.integers(0, study.space.size, (1, BUNDLES)) + rng.integers(0, spread + 1, (INSIDE, BUNDLES))
    (record,) = study.compiled.quantities((near % study.space.size).ravel())
    graph, points = study.compiled.systems[0].graph, record["values"]
    inside = {
        name: np.broadcast_to(value, (near.size,)).reshape(near.shape)
        for name, value in points.items()
        if isinstance(value, np.ndarray)
    }

    def bundled(name):
        return Range(inside[name].min(axis=0), inside[name].max(axis=0)) if name in inside else points[name]

    bounds = {name: bundled(name) for name in graph.inputs}
    for function in graph.functions:
        if function.points_only or not function.needs:  # tabulated
            bounds.update({name: bundled(name) for name in function.gives})
        else:
            bounds.update(call(function, bounds))
    for name, values in inside.items():
        low, high = Range.of(bounds[name]).low, Range.of(bounds[name]).high
        assert np.all(low <= values), name
        assert np.all(values <= high), name
    if spread == 0:  # bundles of one design have its values
        width = bounds["cycles_per_instruction"].high / bounds["cycles_per_instruction"].low
        assert np.median(width) < 1.0001
