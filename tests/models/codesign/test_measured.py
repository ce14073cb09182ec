"""Measured beside computed: processor time outside MPI at eight times the cells that were recorded.

Two virtual cores at 4.0 GHz, other jobs running; least of seven runs. Nothing is fitted to times: the laws are those of
n and ranks, over runs of at most 110,592 cells.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from grid_runs import files, of_cubes, run

from dse.cli.main import main
from dse.models.codesign.prefetching import coverage
from dse.models.processor import predict
from dse.models.processor.program.hierarchy import level_hits
from dse.models.processor.program.program import reuse_of
from dse.models.workload.extrapolation.profiles import extrapolate
from dse.models.workload.laws.laws_file import read_program

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
ROOT = Path(__file__).parents[3]
EXAMPLES, SPACES = ROOT / "profiler" / "examples", ROOT / "spaces"
with (EXAMPLES / "times.csv").open(encoding="utf-8") as lines:
    MEASURED = {
        (row["program"], int(row["ranks"])): float(row["outside_least [s]"])
        for row in csv.DictReader(lines)
        if row["size"] in ("96", "15")
    }
LAWS = {"cg": "cg", "jacobi": "stencil", "search": "graph500"}
BY_LAWS = {
    ("cg", "none"): [1.09, 0.85, 0.97, 0.68],
    ("cg", "streams"): [-0.49, -0.55, -0.52, -0.61],
    ("jacobi", "none"): [1.65, 1.04, 0.70, -0.43],
    ("jacobi", "streams"): [-0.16, -0.52, -0.64, -0.71],
    ("search", "none"): [0.23, -0.09, -0.06, 0.00],
    ("search", "streams"): [-0.76, -0.80, -0.81, -0.80],
}
"""Of the largest size of each program, eight times the cells (or vertices) that were recorded, by laws of cells."""


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


@pytest.mark.parametrize("component", ["none", "streams"])
def test_the_table_of_times_beside_the_study(component, tmp_path, capsys):
    """All 44 rows through ``dse validate``; the largest as the processor model in Python has them."""
    for name in ("measured.toml", "columns_of_times.py", "times.csv"):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace('"streams"', f'"{component}"'), encoding="utf-8")
    files = ["--study", str(tmp_path / "measured.toml"), "--measured", str(tmp_path / "times.csv")]
    columns = ["--ignore-columns", "outside_median,outside_most_of_ranks,wall_least,repeats"]
    with pytest.raises(SystemExit) as ended:
        main(["validate", *files, *columns, "--group-by", "program", "--json"])
    assert not ended.value.code
    compared = json.loads(capsys.readouterr().out)["quantities"]["outside_least"]
    assert compared["statistics"]["n"] == 44
    for program, size in (("cg", 96), ("jacobi", 96), ("search", 15)):
        rows = [
            row for row in compared["rows"] if row["inputs"]["program"] == program and row["inputs"]["size"] == size
        ]
        assert [row["error"] for row in rows] == pytest.approx(BY_LAWS[program, component], abs=0.01)
        laws = read_program(SPACES / "codesign" / f"{LAWS[program]}.laws.json")
        for ranks, row in ((1, rows[0]), (8, rows[3])):
            profile, threads = laws.at(ranks, size), min(ranks, CORES)
            machine = MACHINE if component == "none" else {**MACHINE, **ahead(profile, threads)}
            seconds = float(np.ravel(predict(profile, machine, threads=threads).seconds)[0])
            imbalance = laws.imbalance_at(laws.point(ranks, size))
            assert row["computed"] == pytest.approx(seconds * imbalance, rel=1e-6)
