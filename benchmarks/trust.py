"""Certain, possible and probable designs: processor seconds, and how near the brackets come to what draws show."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.machine import require
from benchmarks.report import Column, Section, number, seconds

BANDWIDTHS = ("uniform_bandwidth", "shift_bandwidth", "neighbour_2d_bandwidth")
DRAWS = 1_000


@dataclass(frozen=True)
class Case:
    """A study, what is not known in it, and into how many cells."""

    label: str
    study: str
    uncertain: dict[str, dict[str, Any]]
    cells: int = 256


def cases(designs: str) -> list[Case]:
    """Return the cases; for a quick look those of a study of two seconds."""
    topologies = [
        Case(f"topologies, {share} of its own on three bandwidths", "topology-uniform-4096", _errors(share))
        for share in ("1 %", "10 %")
    ]
    if designs == "small":
        return topologies[:1]
    flagship = [
        Case("share of peak ± 10 %, shared", "exascale", {"accelerator_peak_share": {"within": "10 %"}}, cells)
        for cells in (1, 16, 64)
    ]
    flagship += [
        Case("power ± 5 %, shared", "exascale", {"machine_power": {"within": "5 %"}}, 64),
        Case(
            "two shares ± 10 %, 5 %",
            "exascale",
            {"accelerator_peak_share": {"within": "10 %"}, "accelerator_efficiency_share": {"within": "5 %"}},
        ),
        Case("cost ± 20 %, shared", "exascale", {"machine_cost": {"within": "20 %"}}),
        Case("time ± 2 %, one for each design", "exascale", {"mix_time": {"error": "2 %"}}),
        Case("devices as real machines were measured", "exascale", {}),
    ]
    return [*flagship, *topologies]


def _errors(share: str) -> dict[str, dict[str, Any]]:
    return {name: {"error": share} for name in BANDWIDTHS}


def measured(case: Case, frontiers: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return a row of the table: processor seconds of the brackets and of the draws, and what they tell."""
    from dse import Study
    from dse.analysis.uncertainty.draws import batches
    from dse.analysis.uncertainty.draws import frontiers as on_frontiers
    from dse.analysis.uncertainty.uncertainty import candidates
    from dse.search.driver import search

    plain = Study.load(case.study)
    study = plain.edited(uncertain=case.uncertain, trust={"machines": not case.uncertain})
    if case.study not in frontiers:
        frontiers[case.study] = search(plain.compiled).numbers
    nominal, unknowns = frontiers[case.study], study.unknowns.every
    begun = time.process_time()
    found = candidates(study, unknowns, nominal, case.cells, 0)
    bracketed = time.process_time() - begun
    begun = time.process_time()
    on = np.zeros(len(found.numbers))
    for batch in batches(found.unknown, found.numbers, DRAWS, 0):
        on += on_frontiers(batch).sum(axis=1)
    drawn = time.process_time() - begun
    brackets = found.brackets
    assert brackets is not None
    here = np.isin(found.numbers, nominal)
    require(bool((brackets.certain <= (on == DRAWS)).all()), f"certain and always, {case.label}")
    require(bool((brackets.certain <= here).all()), f"certain and on the frontier, {case.label}")
    return {
        "label": f"{case.study}: {case.label}",
        "frontier": len(nominal),
        "cells": brackets.cells,
        "certain": int(brackets.certain.sum()),
        "possible": int(brackets.possible.sum()),
        "ever": int((on > 0).sum()),
        "always": int((on == DRAWS).sum()),
        "brackets": bracketed,
        "draws": drawn,
    }


def run(designs: str, tell: Callable[[str], None]) -> Section:
    """Bracket and draw each case."""
    rows = []
    frontiers: dict[str, np.ndarray] = {}
    for case in cases(designs):
        tell(f"{case.study}: {case.label}")
        rows.append(measured(case, frontiers))
    return Section(
        "trust",
        f"Certain and possible designs, processor seconds, and {DRAWS:,} draws",
        [
            Column("label", "what is not known"),
            Column("frontier", "frontier", number),
            Column("cells", "cells", number),
            Column("certain", "certain", number),
            Column("always", "in all draws", number),
            Column("ever", "in any draw", number),
            Column("possible", "possible", number),
            Column("brackets", "brackets", seconds),
            Column("draws", "draws", seconds),
        ],
        rows,
        [],
        ["no certain design is missing from the frontier of a draw"],
        [
            "making tables and proving which alternatives can be left out are counted with the brackets",
            "the studies are those that come with the project; their frontiers are searched before, and not counted",
        ],
    )
