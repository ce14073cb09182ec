"""Figures a reference implementation gives for the synthetic sample tables: regression checks, no validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.hybrid.claims.sweeps import Sweep, at, sample_model, sweep
from dse.models.hybrid.model import HybridModel

__all__ = ["BREAKDOWNS", "FIGURES", "reference_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "hybrid")


def reference_claims(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    """Return the aggregates, breakdowns and variants of the reference implementation."""
    return [*_aggregates(sweeps), *_breakdowns(), *_variants(sweeps)]


def _aggregates(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    claims = []
    for what in (title.removesuffix(": run times") for title in FIGURES if title.endswith(": run times")):
        program, _, system = what.partition(" on ")
        s = sweeps[system, program]
        by_time, by_energy = (s.design(int(np.argmin(s.results[q]))) for q in ("run_time", "energy"))
        claims += [
            FIGURES.claim(f"{what}: best UCR", s.span("useful_computation_ratio")[1]),
            FIGURES.claim(f"{what}: run times", s.span("run_time")),
            FIGURES.claim(f"{what}: energies", s.span("energy")),
            FIGURES.claim(f"{what}: designs on the frontier", len(s.frontier)),
            FIGURES.claim(f"{what}: UCR on the frontier", s.frontier_ucr),
            FIGURES.claim(f"{what}: fastest (nodes, cores, GHz)", by_time),
            FIGURES.claim(f"{what}: cheapest (nodes, cores, GHz)", by_energy),
        ]
    return claims


def _printed(system: str, program: str, nodes: int, cores: int, ghz: float) -> dict[str, float]:
    what = f"{program} on {system} ({nodes}, {cores}, {ghz} GHz): "
    return {title.removeprefix(what): FIGURES.value(title) for title in FIGURES if title.startswith(what)}


BREAKDOWNS = {
    design: _printed(*design)
    for design in (("xeon", "SP", 16, 8, 1.8), ("xeon", "BT", 4, 4, 1.5), ("arm", "CP", 3, 2, 0.8))
}
"""Quantities that the reference implementation gives for a system, program, nodes, cores and frequency in GHz."""


def _breakdowns() -> list[Claim]:
    return [
        FIGURES.claim(
            f"{program} on {system} ({nodes}, {cores}, {ghz} GHz): {name}", at(system, program, nodes, cores, ghz)[name]
        )
        for (system, program, nodes, cores, ghz), values in BREAKDOWNS.items()
        for name in values
    ]


def _variants(sweeps: Mapping[tuple[str, str], Sweep]) -> list[Claim]:
    variants: dict[str, dict[str, Any]] = {
        "service_scv 0": {"service_scv": 0.0},
        "service_scv 3": {"service_scv": 3.0},
        "one shared channel": {"channels": "shared"},
        "memory stalls as printed": {"use": {"memory_scaling": "literal"}},
    }
    claims = []
    for name, options in variants.items():
        s = sweep("xeon", "SP", **options)
        what = f"SP on xeon, {name}"
        claims.append(FIGURES.claim(f"{what}: smallest frontier UCR", s.frontier_ucr[0]))
        claims.append(FIGURES.claim(f"{what}: shortest run time", s.span("run_time")[0]))
    changed = {key: _changed_by_full_utilisation(*key, sweeps[key]) for key in (("xeon", "SP"), ("arm", "CP"))}
    frontiers = sum(len(np.intersect1d(designs, sweeps[key].frontier)) for key, designs in changed.items())
    what = "SP on xeon and CP on arm: designs that change when U of Eq. 6 is set to 1"
    claims.append(FIGURES.claim(f"{what}, on the frontiers", frontiers))
    claims.append(FIGURES.claim(f"{what}, of 616", sum(len(c) for c in changed.values())))
    return claims


def _changed_by_full_utilisation(system: str, program: str, s: Sweep) -> np.ndarray:
    tables = sample_model(system).tables
    baselines = tables["baselines"]
    full = {**baselines.columns, "cpu_utilisation": np.ones(len(baselines))}
    model = HybridModel(**{**tables, "baselines": replace(baselines, columns=full)})
    results = model.evaluate(*s.designs, program)
    return np.flatnonzero(results["run_time"] != s.results["run_time"])
