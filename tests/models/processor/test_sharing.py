"""Threads that share: the same bits in any company."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dse.models.processor import CORRECTED, predict, predict_mixture
from dse.models.processor.claims.sample_machines import MACHINES

from .profiles import measured

V3 = MACHINES["Xeon E5-2697 v3"]


@pytest.mark.parametrize("queueing", [False, True])
@pytest.mark.parametrize("ways", [None, 8])
def test_mixtures_have_the_same_bits_in_any_company(queueing, ways):
    """Each alone, all together, backwards, and beside one whose shares settle later."""
    rng = np.random.default_rng(3)
    sizes, clocks = rng.uniform(2e6, 6e7, 40), rng.uniform(1e9, 4e9, 40)
    mode = replace(CORRECTED, queueing=queueing, associativity=ways is not None)
    ways_given = {f"{level}_ways": ways for level in ("l1", "l2", "l3")} if ways else {}
    parts = [(measured("csr"), 3), (measured("list"), 2)]

    def cycles(rows):
        machine = {
            **V3,
            **ways_given,
            "l3_size_bytes": sizes[rows],
            "f_core_hz": clocks[rows],
            "latency_clock_hz": 2.6e9,
        }
        return np.stack([one.cpi for one in predict_mixture(parts, machine, mode=mode).predictions])

    every = np.arange(40)
    together = cycles(every)
    assert cycles(every[::-1])[:, ::-1].tobytes() == together.tobytes()
    for row in range(0, 40, 7):
        assert cycles(every[row : row + 1]).tobytes() == together[:, row : row + 1].tobytes()


@pytest.mark.parametrize("threads", [1, 14])
def test_queueing_has_the_same_bits_in_any_company(threads):
    bandwidths = np.logspace(8, 12, 50)
    mode = replace(CORRECTED, queueing=True)

    def cycles(chosen):
        return predict(measured("list"), {**V3, "dram_bandwidth_Bps": chosen}, threads=threads, mode=mode).cpi

    together = cycles(bandwidths)
    assert np.array([float(cycles(one)) for one in bandwidths]).tobytes() == together.tobytes()
