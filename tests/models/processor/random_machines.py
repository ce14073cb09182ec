"""Machines drawn over the whole range of every parameter, the odd values included."""

from __future__ import annotations

import numpy as np

KIB, MIB = 1024, 1024**2


def machine(rng: np.random.Generator) -> dict:
    """One machine as plain numbers: missing levels, tiny buffers, long lines, static sharing, slow memories."""

    def pick(*values):
        return values[rng.integers(len(values))]

    steps = [rng.integers(0, 6), rng.integers(1, 15), rng.integers(1, 60), rng.integers(5, 500)]
    latencies = [int(latency) for latency in np.cumsum(steps)]
    found = {
        "f_core_hz": float(rng.uniform(0.5e9, 5e9)),
        "cores": int(rng.integers(1, 33)),
        "issue_width": pick(1, 1, 2, 4, 6, 8),
        "dispatch_width": pick(1, 2, 3, 4, 6, 8),
        "fu_int": int(rng.integers(1, 6)),
        "fu_fp": int(rng.integers(1, 4)),
        "fu_mem": int(rng.integers(1, 4)),
        "fu_control": int(rng.integers(1, 3)),
        "fu_vector": int(rng.integers(0, 4)),
        "vector_bits": pick(0, 64, 128, 256, 512, 1024),
        "t_int": pick(1, 1, 2),
        "t_int_mul": int(rng.integers(1, 6)),
        "t_int_div": int(rng.integers(1, 60)),
        "t_fp": int(rng.integers(1, 8)),
        "t_fp_mul": int(rng.integers(1, 8)),
        "t_fp_div": int(rng.integers(1, 60)),
        "front_pipe": int(rng.integers(0, 20)),
        "rob": pick(1, 4, 8, 16, 32, 64, 128, 192, 512),
        "issue_queue": pick(1, 4, 16, 24, 54, 60, 97, 256),
        "mshr": pick(1, 2, 8, 10, 16, 64),
        "l1_size_bytes": pick(0, 8 * KIB, 32 * KIB, 64 * KIB, 50000),
        "l2_size_bytes": pick(0, 128 * KIB, 256 * KIB, MIB, 300001),
        "l3_size_bytes": pick(0, 256 * KIB, 2 * MIB, 6 * MIB, 35 * MIB, 1e7),
        "l1_line_bytes": pick(32, 64, 64, 96, 128),
        "l2_line_bytes": pick(64, 64, 128),
        "l3_line_bytes": pick(64, 64, 128, 256),
        "l1_latency": latencies[0],
        "l2_latency": latencies[1],
        "l3_latency": latencies[2],
        "dram_latency": latencies[3],
        "bw_l1_Bps": float(10 ** rng.uniform(9, 12)),
        "bw_l3_Bps": float(10 ** rng.uniform(9, 12)),
        "dram_bandwidth_Bps": float(10 ** rng.uniform(9, 12.5)),
        "in_order": pick(0, 0, 0, 1),
        "smt_mode": int(rng.integers(0, 5)),
        "all_threads_busy": pick(0, 1),
    }
    for _ in range(rng.integers(0, 4)):  # some values the machine leaves empty
        name = list(found)[rng.integers(len(found))]
        if name != "cores" and not name.endswith("latency"):
            found[name] = None
    return found


def columns(machines: list[dict]) -> dict:
    """Arrays of many machines; empty values are NaN."""
    return {name: np.array([np.nan if m[name] is None else m[name] for m in machines], float) for name in machines[0]}
