"""Raw records written by hand."""

import json

MIX = {
    **{"load": 300, "store": 100, "int_arith": 150, "int_mul": 20, "int_div": 5, "int": 250, "addr": 100, "fp": 100},
    **{"fp_mul": 40, "fp_div": 10, "control": 120, "vector_move": 10, "other": 20, "calls": 7, "rets": 7},
    **{"reads": 1500, "writes": 800},
}


def raw_thread(thread=0, **changes):
    return {
        "thread": thread,
        "instructions": 1000,
        "mix": MIX,
        "vectors": [{"class": "load", "length": 2, "bits": 64, "count": 30}],
        "external_calls": {"printf": 3},
        "openmp_calls": {},
        "ilp": [
            {
                **{"window": 32, "order": "out", "instructions": 100, "span": 25, "span_mem": 10, "span_int": 12},
                **{"span_control": 3, "span_fp": 0},
            },
            {
                **{"window": "inf", "order": "out", "instructions": 100, "span": 9, "span_mem": 3, "span_int": 4},
                **{"span_control": 1, "span_fp": 1},
            },
        ],
        "reuse": [
            {
                **{"kind": "data", "line_bytes": 64, "references": 400, "split_references": 2, "cold": 40},
                "bins": [[0, 200], [1, 100], [2, 60]],
            },
            {"kind": "instruction", "line_instructions": 16, "references": 1000, "cold": 4, "bins": [[0, 996]]},
        ],
        "memory_entropy": [[64, 5.25], [128, -1.8e-15]],
        "footprint_bytes": 2560,
        "branches": {
            **{"events": 1024, "conditional_only": False, "local": [[4, 0.2]]},
            "entropy": [[1, 0.9], [7, 0.5], [8, 0.25]],
            "max_outcome": [
                {"history": history, "table": table, "rule": "seen-once", "miss_rate": rate}
                for history, table, rate in [(8, None, 0.1), (8, 4096, 0.15), (16, None, 0.3), (16, 4096, 0.1)]
            ],
        },
        **changes,
    }


def raw_record(**changes):
    return {
        "format": "dse-raw/1",
        "program": "./bin/triad",
        **{"host": "node1", "pid": 100, "parent_pid": 9, "start_ns": 5, "forked": False, "clang": "19.1.7"},
        **{"flags": "-O3", "conversions": "int", "partial": None, "notes": []},
        "sampling": {"ilp_bursts": 0.1, "reuse_rate": 1.0},
        "depth_mismatches": 0,
        "mpi": None,
        "functions": [
            {"name": "main", "instructions": 900, "loads": 300, "stores": 90, "fp": 100, "control": 1, "calls": 2}
        ],
        "threads": [raw_thread()],
        "complete": True,
        **changes,
    }


def write_raw(folder, *records):
    folder.mkdir(exist_ok=True)
    for place, record in enumerate(records):
        (folder / f"{record['host']}-{record['pid']}-{record['start_ns']}-{place}.dseprof").write_text(
            json.dumps(record)
        )
    return folder


def raw_mpi(rank, size, **p2p):
    of_thread = {
        "p2p": {
            **{"messages": 3, "bytes": 30, "sent_messages": 2, "sent_bytes": 17, "sizes": [[1, 1, 1], [16, 1, 16]]},
            **{"peers": [[(rank - 1) % size, 3, 30]], "sent_peers": [[(rank + 1) % size, 2, 17]], **p2p},
        },
        "collectives": {"MPI_Allreduce": {"count": 4, "bytes": 32}},
    }
    return {"rank": rank, "size": size, "threads": {"0": of_thread}}
