"""Figures a reference implementation gives for the synthetic sample tables: regression checks, no validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dse.authoring.claims import Claim
from dse.models.hybrid._sweeps import Sweep, at, sample_model, sweep
from dse.models.hybrid.inputs import PAPER
from dse.models.hybrid.model import HybridModel

__all__ = ["AGGREGATES", "BREAKDOWNS", "REFERENCE", "REGRESSION", "claim", "reference_claims"]

REGRESSION = "figure of a reference implementation on the synthetic sample tables: a regression check"
REFERENCE = "project's reference implementation, synthetic sample tables"


def claim(title: str, place: str, published: Any, computed: Any, **rest: Any) -> Claim:
    """Return a claim on a place of the paper, or of the reference implementation."""
    source = place if place == REFERENCE else f"{PAPER}, {place}"
    return Claim("hybrid", title, source, published, computed, **rest)


def reference_claims(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    """Return the aggregates, breakdowns and variants of the reference implementation."""
    return [*_aggregates(sweeps), *_breakdowns(), *_variants(sweeps)]


# system, program: best UCR, T range, E range, frontier size, frontier UCR, fastest, cheapest
AGGREGATES: dict[tuple[str, str], tuple] = {
    ("xeon", "BT"): (0.96, (0.93, 642), (5452, 39887), 9, (0.219, 0.916), (256, 8, 1.8), (1, 8, 1.8)),
    ("xeon", "SP"): (0.91, (2.27, 377), (3989, 41367), 13, (0.050, 0.674), (256, 8, 1.8), (1, 8, 1.8)),
    ("xeon", "CP"): (0.88, (1.59, 341), (3861, 32042), 16, (0.064, 0.670), (256, 8, 1.8), (1, 7, 1.8)),
    ("xeon", "LB"): (0.84, (10.9, 258), (3978, 146260), 21, (0.009, 0.574), (256, 6, 1.8), (1, 5, 1.8)),
    ("arm", "BT"): (0.54, (20.3, 7315), (1590, 9306), 29, (0.351, 0.470), (20, 4, 1.4), (1, 4, 0.8)),
    ("arm", "CP"): (0.48, (75.3, 4375), (1593, 6613), 41, (0.100, 0.420), (20, 2, 1.4), (1, 1, 1.4)),
    ("arm", "LB"): (0.45, (127, 3111), (892, 6671), 72, (0.027, 0.342), (20, 3, 1.4), (1, 4, 0.5)),
}


def _aggregates(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    found = []
    for key, (best, times, energies, size, ratios, fastest, cheapest) in AGGREGATES.items():
        s = sweeps[key]
        what = f"{key[1]} on {key[0]}"
        by_time, by_energy = (s.design(int(np.argmin(s.results[q]))) for q in ("run_time", "energy"))
        to_ratio, to_figures = {"absolute_tolerance": 5.1e-4}, {"relative_tolerance": 5e-3}
        rows: list[tuple[str, Any, Any, str, dict[str, float]]] = [
            ("best UCR", best, s.span("useful_computation_ratio")[1], "1", to_ratio),
            ("run times", times, s.span("run_time"), "s", to_figures),
            ("energies", energies, s.span("energy"), "J", {"absolute_tolerance": 0.51}),
            ("designs on the frontier", size, len(s.frontier), "1", {}),
            ("UCR on the frontier", ratios, s.frontier_ucr, "1", to_ratio),
            ("fastest (nodes, cores, GHz)", fastest, by_time, "1", {}),
            ("cheapest (nodes, cores, GHz)", cheapest, by_energy, "1", {}),
        ]
        for title, wanted, got, unit, tolerance in rows:
            rest: dict[str, Any] = {"unit": unit, "kind": "fitted", "note": REGRESSION, **tolerance}
            found.append(claim(f"{what}: {title}", REFERENCE, wanted, got, **rest))
    return found


BREAKDOWNS: dict[tuple[str, str, int, int, float], dict[str, float]] = {
    ("xeon", "SP", 16, 8, 1.8): {
        "run_time": 5.34286,
        "energy": 6118.10,
        "compute_time": 1.81152,
        "memory_time": 0.875,
        "network_service_time": 1.77423,
        "network_wait_time": 0.882105,
        "switch_utilisation": 0.332076,
    },
    ("xeon", "BT", 4, 4, 1.5): {
        "run_time": 33.4622,
        "energy": 9233.49,
        "compute_time": 31.0183,
        "memory_time": 1.81701,
        "network_service_time": 0.620366,
        "network_wait_time": 0.00647399,
    },
    ("arm", "CP", 3, 2, 0.8): {
        "run_time": 513.993,
        "energy": 2954.16,
        "compute_time": 87.850,
        "memory_time": 166.741,
        "network_service_time": 172.397,
        "network_wait_time": 87.0056,
    },
}


def _breakdowns() -> list[Claim]:
    units = {"energy": "J", "switch_utilisation": "1"}
    return [
        claim(
            f"{program} on {system} ({nodes}, {cores}, {ghz} GHz): {name}",
            REFERENCE,
            value,
            at(system, program, nodes, cores, ghz)[name],
            unit=units.get(name, "s"),
            relative_tolerance=1e-5,
            kind="fitted",
            note=REGRESSION,
        )
        for (system, program, nodes, cores, ghz), values in BREAKDOWNS.items()
        for name, value in values.items()
    ]


def _variants(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    variants: list[tuple[str, float, float, dict[str, Any]]] = [
        ("service_scv 0", 0.058, 1.95, {"service_scv": 0.0}),
        ("service_scv 3", 0.042, 2.72, {"service_scv": 3.0}),
        ("one shared channel", 0.415, 17.45, {"channels": "shared"}),
        ("memory stalls as printed", 0.019, 12.0, {"use": {"memory_scaling": "literal"}}),
    ]
    rest: dict[str, Any] = {"kind": "fitted", "note": REGRESSION}
    found = []
    for name, ratio, fastest, options in variants:
        s = sweep("xeon", "SP", **options)
        what = f"SP on xeon, {name}"
        got, time = s.frontier_ucr[0], s.span("run_time")[0]
        found.append(claim(f"{what}: smallest frontier UCR", REFERENCE, ratio, got, absolute_tolerance=5.1e-4, **rest))
        title = f"{what}: shortest run time"
        found.append(claim(title, REFERENCE, fastest, time, unit="s", relative_tolerance=3e-3, **rest))
    changed = {key: _changed_by_full_utilisation(*key, sweeps[key]) for key in (("xeon", "SP"), ("arm", "CP"))}
    frontiers = sum(len(np.intersect1d(designs, sweeps[key].frontier)) for key, designs in changed.items())
    what = "SP on xeon and CP on arm: designs that change when U of Eq. 6 is set to 1"
    note = "SP on xeon, one core on each of two nodes: (1 - U) T_CPU exceeds the link time; none is on the frontier"
    everywhere: dict[str, Any] = {"kind": "deviation", "note": note}
    found.append(claim(f"{what}, on the frontiers", REFERENCE, 0, frontiers, **rest))
    found.append(claim(f"{what}, of 616", REFERENCE, 0, sum(len(c) for c in changed.values()), **everywhere))
    return found


def _changed_by_full_utilisation(system: str, program: str, s: Sweep) -> np.ndarray:
    tables = sample_model(system).tables
    baselines = tables["baselines"]
    full = {**baselines.columns, "cpu_utilisation": np.ones(len(baselines))}
    model = HybridModel(**{**tables, "baselines": replace(baselines, columns=full)})
    results = model.evaluate(*s.designs, program)
    return np.flatnonzero(results["run_time"] != s.results["run_time"])
