"""Measured beside computed: processor time outside MPI at eight times the cells that were recorded.

Two virtual cores at 4.0 GHz, other jobs running; least of seven runs. Nothing is fitted to times: the laws are those of
n and ranks, over runs of at most 110,592 cells.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
from grid_runs import files, of_cubes, run

from dse.models.codesign.prefetching import coverage
from dse.models.processor import predict
from dse.models.processor.program.hierarchy import level_hits
from dse.models.processor.program.program import reuse_of
from dse.models.workload.extrapolation.profiles import extrapolate

CORES, L1, L2, L3 = 2, 48 * 1024, 2**21, 480 * 2**20
MACHINE = {
    **{"f_core_hz": 4e9, "issue_width": 12, "dispatch_width": 6, "fu_int": 5, "fu_fp": 3, "fu_mem": 4, "fu_control": 2},
    **{"fu_vector": 3, "vector_bits": 128, "t_int": 1, "t_int_mul": 3, "t_int_div": 14, "t_fp": 3, "t_fp_mul": 4},
    **{"t_fp_div": 11, "front_pipe": 12, "rob": 512, "issue_queue": 128, "mshr": 16, "l1_size_bytes": L1},
    **{"l2_size_bytes": L2, "l3_size_bytes": L3, "l1_latency": 5, "l2_latency": 16, "l3_latency": 140},
    **{"dram_latency": 480, "bw_l1_Bps": 512e9, "bw_l3_Bps": 20 * 2**30, "dram_bandwidth_Bps": 60e9, "cores": CORES},
    **{f"l{level}_line_bytes": 64 for level in (1, 2, 3)},
}
ERRORS = {
    ("cg", "none"): [0.90, 0.71, 0.83, 0.65],
    ("cg", "streams"): [-0.36, -0.43, -0.40, -0.48],
    ("jacobi", "none"): [0.99, 0.56, 0.45, 0.13],
    ("jacobi", "streams"): [0.07, -0.24, -0.60, -0.73],
}
with (Path(__file__).parent / "measured.csv").open(encoding="utf-8") as lines:
    MEASURED = {(row["program"], int(row["ranks"])): float(row["outside_least [s]"]) for row in csv.DictReader(lines)}


def ahead(profile, threads):
    """Return what prefetching of streams covers of each level, with infinite lead."""
    reuse, found, before = reuse_of(profile, 128), {}, dict.fromkeys((64.0, 128.0), 1.0)
    for level, size in (("l2", L1), ("l3", L2), ("dram", L3 / threads)):
        before = {line: np.minimum(one, 1.0 - level_hits(reuse, float(size), line)) for line, one in before.items()}
        found |= {f"{level}_prefetch_coverage": float(coverage(*before.values())), f"{level}_prefetch_lead": 1e9}
    return found | {"l3_prefetch_accuracy": 1.0, "dram_prefetch_accuracy": 1.0}


@pytest.mark.slow
@pytest.mark.parametrize("program", ["cg", "jacobi"])
@pytest.mark.parametrize("place", [0, 3])
def test_times_at_eight_times_the_cells(program, place):
    ranks = (1, 2, 4, 8)[place]
    profile = extrapolate(
        [run(program, *key) for key in files(program, of_cubes)], {"n": 96, "processes": ranks}
    ).profile
    threads = min(ranks, CORES)
    for component in ("none", "streams"):
        machine = MACHINE if component == "none" else {**MACHINE, **ahead(profile, threads)}
        seconds = float(np.ravel(predict(profile, machine, threads=threads).seconds)[0])
        error = seconds / MEASURED[program, ranks] - 1.0
        assert error == pytest.approx(ERRORS[program, component][place], abs=0.01)
