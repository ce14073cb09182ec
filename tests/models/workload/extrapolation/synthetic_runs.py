"""SYNTHETIC runs: profiles whose every metric follows a law that is written here, with or without noise."""

import itertools
import math

import numpy as np

from dse.models.workload.profile.reading import parse_profile

TRAIN = list(itertools.product((14, 15, 16, 17), (16, 32, 64), (4, 8, 16)))
TEST = list(itertools.product((21, 22, 23), (32, 64, 128), (32, 64, 128)))
"""Scale, edge factor and processes of the training and test sets of Anghel 2017, Section 7.2 (Graph 500)."""

CLASSES = {"load": 9.0, "store": 2.5, "addr": 8.0, "int": 20.0, "control": 11.0}


def edges(scale, edge_factor, processes):
    return edge_factor * 2.0**scale / processes


def counts(scale, edge_factor, processes):
    """Instructions by class: work per edge and, for some, per vertex."""
    vertices = 2.0**scale / processes
    found = {name: each * edges(scale, edge_factor, processes) for name, each in CLASSES.items()}
    found["load"] += 300.0 * vertices
    found["int"] += 500.0 * vertices
    return found


def lines(scale, edge_factor, processes):
    return edges(scale, edge_factor, processes) / 4.0


def messages(scale, edge_factor, processes):
    return 12.0 * processes + edges(scale, edge_factor, processes) / 128.0


def message_bytes(scale, edge_factor, processes):
    return 32.0 * edges(scale, edge_factor, processes)


def ilp(scale, edge_factor, processes):
    return 4.0 + 0.25 * math.log2(processes)


def run_document(scale, edge_factor, processes, *, noise=0.0, seed=0, **more):
    """A profile document of one run; each metric times a normal number of mean 1."""
    point = (scale, edge_factor, processes)
    rng = np.random.default_rng([seed, *point])

    def noisy(value):
        return value * max(0.05, 1.0 + noise * rng.standard_normal())

    mix = {name: round(noisy(value)) for name, value in counts(*point).items()}
    mix |= {"int_arith": round(noisy(4.0 * edges(*point))), "int_mul": round(noisy(0.5 * edges(*point)))}
    mix |= {"int_div": 0, "fp": 0, "fp_mul": 0, "fp_div": 0, "vector_move": 0, "other": 0}
    mix["int_arith"] = min(mix["int_arith"], mix["int"])
    mix["int_mul"] = min(mix["int_mul"], mix["int_arith"])
    instructions = sum(mix[name] for name in (*CLASSES, "fp", "vector_move", "other"))
    references = mix["load"] + mix["store"]
    touched = min(round(noisy(lines(*point))), references)
    distances, upto = [0], [0.3]
    while distances[-1] < touched - 1:
        distances.append(max(1, 2 * distances[-1]))
        # Of the reuses, those within a distance: the logarithm of it over that of the lines there are.
        upto.append(0.3 + 0.7 * min(1.0, math.log2(distances[-1] + 1) / math.log2(touched)))
    reused, found, before = references - touched, [], 0
    for distance, share in zip(distances, upto, strict=True):
        count = round(reused * share)
        found.append([distance, count - before])
        before = count
    parallelism = max(1.0, noisy(ilp(*point)))
    document = {
        "schema": "dse-profile/1",
        "name": f"synthetic run {scale} {edge_factor} {processes}",
        "source": "synthetic: laws of tests/models/workload/extrapolation/synthetic_runs.py",
        "synthetic": True,
        "application": {"name": "toy search", "parameters": {"scale": scale, "edge_factor": edge_factor}},
        "run": {"processes": processes, "threads": 1},
        "classes": [
            {
                "name": "worker",
                "members": processes,
                "instructions": instructions,
                "mix": mix,
                "ilp": [{"window": 54, "span": max(1, round(instructions / parallelism))}],
                "data_reuse": [{"line_bytes": 64, "references": references, "histogram": found}],
                "branch": {
                    "events": mix["control"],
                    "conditional_only": False,
                    "entropy": [[0, 0.9], [8, min(0.9, noisy(0.3))]],
                },
                "footprint_bytes": 64 * touched,
                "comm": {
                    "p2p": {"messages": round(noisy(messages(*point))), "bytes": round(noisy(message_bytes(*point)))}
                },
            }
        ],
    }
    return document | more


def runs(points=TRAIN, **options):
    return [parse_profile(run_document(*point, **options)) for point in points]
