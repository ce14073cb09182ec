"""A small valid profile document, for tests to change."""

import copy

DOCUMENT = {
    "schema": "dse-profile/1",
    "name": "small",
    "source": "invented",
    "application": {"name": "toy", "parameters": {"scale": 3, "bench": "a", "fast": True}},
    "run": {"processes": 2, "threads": 1, "tool": "pencil"},
    "classes": [
        {
            "name": "worker",
            "members": 2,
            "role": "worker",
            "instructions": 1000,
            "mix": {
                "load": 200,
                "store": 100,
                "int_arith": 150,
                "int_mul": 20,
                "int_div": 10,
                "int": 300,
                "addr": 100,
                "fp": 150,
                "fp_mul": 60,
                "fp_div": 5,
                "control": 100,
                "vector_move": 20,
                "other": 30,
            },
            "vectors": [
                {"class": "load", "length": 4, "bits": 64, "count": 40},
                {"class": "int", "length": 2, "bits": 32, "count": 30},
                {"class": "int_arith", "length": 2, "bits": 32, "count": 20},
                {"class": "vector_move", "length": 4, "bits": 64, "count": 20},
            ],
            "ilp": [
                {"window": 16, "span": 400, "span_mem": 200, "span_int": 120, "span_control": 50, "span_fp": 90},
                {"window": 64, "span": 200, "span_mem": 150, "span_int": 60, "span_control": 40, "span_fp": 50},
                {"window": "inf", "span": 100, "span_mem": 100, "span_int": 40, "span_control": 30, "span_fp": 30},
                {"window": 64, "order": "in", "span": 500, "printed": {"all": 1.9999}},
            ],
            "data_reuse": [
                {"line_bytes": 64, "references": 300, "histogram": [[0, 100], [1, 50], [4, 60], [16, 40], [32, 30]]},
                {"line_bytes": "address", "references": 300, "printed": [[3, 0.5], [7, 0.75]]},
            ],
            "inst_reuse": [{"line_instructions": 16, "references": 1000, "histogram": [[0, 900], [2, 90]]}],
            "branch": {
                "events": 100,
                "conditional_only": False,
                "entropy": [[0, 0.9], [4, 0.5]],
                "linear_entropy": [[4, 0.4]],
                "max_outcome": [{"history": 4, "table": 1024, "rule": "shared", "miss_rate": 0.2}],
                "tool_miss_rate": 0.11,
            },
            "registers": {"reads": 1700, "writes": 700},
            "footprint_bytes": 4096,
            "heatmap": {"s_bytes": [-8, 0, 8], "t": [1, 2], "p": [[0.1, 0.5, 0.2], [0, 1, 0]]},
            "comm": {
                "p2p": {
                    "messages": 4,
                    "bytes": 64,
                    "pattern": "shift",
                    "peers": [{"offset": 1, "messages": 4, "bytes": 64}],
                    "sizes": [[0, 1, 0], [32, 3, 64]],
                },
                "collectives": {"allreduce": {"count": 3, "bytes": 24}, "barrier": {"count": 1}},
            },
            "external_calls": {"printf": 1},
            "openmp_calls": {"parallel": 2},
        }
    ],
}


def document(**changes):
    """The document with values changed: keys are paths such as ``classes__0__mix__load``, None deletes."""
    changed = copy.deepcopy(DOCUMENT)
    for path, value in changes.items():
        *outer, last = [int(part) if part.isdigit() else part for part in path.split("__")]
        holder = changed
        for part in outer:
            holder = holder[part]
        if value is None:
            del holder[last]
        else:
            holder[last] = value
    return changed
