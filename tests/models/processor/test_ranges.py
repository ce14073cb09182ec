"""The formulas on ranges of machines: the bounds contain every machine inside."""

import numpy as np
import pytest

from dse.arithmetic.ranges import Range
from dse.models.processor import predict
from dse.models.processor.claims.sample_machines import MACHINES

from .profiles import measured, thread_of, with_windows

BOUNDED = {
    "f_core_hz": (1e9, 4e9),
    "issue_width": (1, 8),
    "dispatch_width": (1, 8),
    "fu_int": (1, 5),
    "fu_fp": (1, 4),
    "fu_mem": (1, 4),
    "fu_control": (1, 3),
    "fu_vector": (1, 4),
    "t_int": (1, 2),
    "t_int_mul": (1, 6),
    "t_int_div": (5, 50),
    "t_fp": (1, 6),
    "t_fp_mul": (1, 6),
    "t_fp_div": (5, 50),
    "front_pipe": (3, 20),
    "rob": (8, 400),
    "issue_queue": (8, 120),
    "mshr": (2, 32),
    "l1_size_bytes": (2**13, 2**17),
    "l2_size_bytes": (2**17, 2**21),
    "l3_size_bytes": (2**21, 2**26),
    "l1_latency": (1, 5),
    "l2_latency": (6, 18),
    "l3_latency": (20, 70),
    "dram_latency": (80, 500),
    "bw_l1_Bps": (1e9, 4e11),
    "bw_l3_Bps": (1e9, 2e11),
    "dram_bandwidth_Bps": (5e8, 2e11),
    "l3_line_bytes": (64, 160),
}
FIXED = {"cores": 16, "vector_bits": 256, "l1_line_bytes": 64, "l2_line_bytes": 64}
BUNDLES, INSIDE = 60, 40


def results(prediction):
    yield "cpi", prediction.cpi
    yield "seconds", prediction.seconds
    yield "dram", prediction.dram_bytes_per_second
    yield "flops", prediction.flops
    yield from prediction.bounds.items()
    yield from prediction.stack.items()
    yield from ((f"hits {level}", hits) for level, hits in prediction.hits.items())
    yield from ((f"accesses {level}", count) for level, count in prediction.accesses.items())


def drawn(rng, width):
    """Bounds of bundles that span a fraction `width` of each parameter's limits, and machines inside."""
    low, high = {}, {}
    for name, (least, most) in BOUNDED.items():
        start = rng.uniform(0, 1 - width, BUNDLES)
        log = least > 0 and most / least > 8
        position = np.stack([start, start + width * rng.uniform(0, 1, BUNDLES)])
        values = least * (most / least) ** position if log else least + (most - least) * position
        low[name], high[name] = values
    points = {
        name: np.clip(
            low[name] + (high[name] - low[name]) * rng.uniform(0, 1, (INSIDE, BUNDLES)), low[name], high[name]
        )
        for name in low
    }
    return {name: Range(low[name], high[name]) for name in low}, points


@pytest.mark.parametrize("width", [0.0, 0.02, 0.3, 1.0])
@pytest.mark.parametrize("in_order", [0, 1])
@pytest.mark.parametrize("mode", ["reference", "corrected"])
@pytest.mark.parametrize("model", ["interaction", "independent"])
def test_bounds_contain_the_machines_inside(model, mode, in_order, width):
    rng = np.random.default_rng(int(100 * width) + in_order)
    program = thread_of(with_windows("list", {24: 1.3, 54: 1.0, "inf": 0.2}))
    bundle, points = drawn(rng, width)
    options = {"mode": mode, "model": model, "threads": 3}
    bounded = predict(program, {**FIXED, **bundle, "in_order": in_order}, **options)
    inside = predict(program, {**FIXED, **points, "in_order": in_order}, **options)
    for (name, limits), (_, values) in zip(results(bounded), results(inside), strict=True):
        limits = Range.of(limits)
        below = (limits.low <= values) | np.isnan(limits.low)
        above = (values <= limits.high) | np.isnan(limits.high)
        assert np.all(below & above), name
    if width <= 0.02:  # narrow bundles have bounds worth having
        spread = bounded.cpi.high / bounded.cpi.low  # NaN where level 3 might hold less than the levels above
        assert np.isfinite(spread).mean() > 0.75
        assert np.nanmedian(spread) < (1.0001 if width == 0 else 2.0)
    if mode == "corrected":
        assert not np.isnan(bounded.cpi.low).any()


@pytest.mark.parametrize("mode", ["reference", "corrected"])
def test_a_range_of_one_machine_is_that_machine(mode):
    machine = {"fu_vector": 1, "vector_bits": 256, **MACHINES["Xeon E5-2690"]}
    names = [
        name for name in machine if name not in ("vector_bits", "cores") and "line" not in name and "ways" not in name
    ]
    point = predict(measured("csr"), machine, mode=mode)
    ranges = {name: Range(np.array([machine[name]], float), np.array([machine[name]], float)) for name in names}
    bounded = predict(measured("csr"), {**machine, **ranges}, mode=mode)
    assert bounded.cpi.low == pytest.approx(float(point.cpi), rel=1e-13)
    assert bounded.cpi.high == pytest.approx(float(point.cpi), rel=1e-13)
