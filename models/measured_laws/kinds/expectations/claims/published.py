"""Printed marks of laws beside expectations, rules and litmus tests, and what the printed laws give."""

from __future__ import annotations

import csv
from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.measured_laws.kinds.expectations.expectation import Expectation, search_space
from dse.models.measured_laws.kinds.expectations.fitted import fit_series
from dse.models.measured_laws.kinds.expectations.growth import Growth
from dse.models.measured_laws.kinds.expectations.language import parse_growth
from dse.models.measured_laws.kinds.expectations.rules import Rule

__all__ = ["GUIDELINES", "claims", "printed_laws"]

_FILE = Path(__file__).with_suffix(".csv")
FIGURES = read_figures(_FILE, "expectations")
GUIDELINES = (Rule.of("Allreduce <= Reduce + Bcast"), Rule.of("Allgather <= Gather + Bcast"))
_LITMUS = "Bcast BT"
_RANKS = tuple(2**power for power in range(6, 13))
_RANKS_OF_A_NODE, _MEMORY_OF_A_NODE = 8, 24 * 1024.0  # Juropa [MB]


def claims() -> list[Claim]:
    """Return every printed mark, with the verdict on the printed law."""
    return [*_marks(), *_guidelines(), *_litmus(), *_others(), *FIGURES.not_checkable()]


def _laws() -> dict[str, dict[str, str]]:
    with _FILE.open(encoding="utf-8", newline="") as lines:
        return {row["claim"]: row for row in csv.DictReader(lines) if row["printed_law"]}


def _match(row: dict[str, str]) -> str:
    [growth, _] = parse_growth(row["printed_law"])
    return Expectation.of(row["expected"], row["deviation"]).judge(growth).match


def _marks() -> list[Claim]:
    return [FIGURES.claim(title, _match(row)) for title, row in _laws().items()]


def printed_laws(table: str, machine: str) -> dict[str, Growth]:
    """Return the growths that a table prints for the functions of a machine."""
    start = f"{table}, {machine}, "
    return {
        title[len(start) :].partition(":")[0]: parse_growth(row["printed_law"])[0]
        for title, row in _laws().items()
        if title.startswith(start)
    }


def _guidelines() -> list[Claim]:
    verdicts = []
    for title in FIGURES:
        if title.endswith(": guideline violated"):
            table, machine, function = title.removesuffix(": guideline violated").split(", ")
            growths = printed_laws(table, machine)
            broken = any(rule.broken(growths) for rule in GUIDELINES if rule.function == function)
            verdicts.append(FIGURES.claim(title, broken))
    return verdicts


def _litmus() -> list[Claim]:
    laws, verdicts = _laws(), []
    for title in FIGURES:
        if title.endswith(": litmus test holds"):
            row = laws[f"{title.removesuffix(': litmus test holds')}, {_LITMUS}: match"]
            verdicts.append(FIGURES.claim(title, _match(row) != "none"))
    return verdicts


def _others() -> list[Claim]:
    law = fit_series([16.0 + 0.56 * ranks for ranks in _RANKS], _RANKS, unit="MB").law
    on_a_node = _RANKS_OF_A_NODE * law.at({"p": 8192})
    return [
        FIGURES.claim("terms of the search space of p", len(search_space(Expectation.of("p")))),
        FIGURES.claim(
            "MPI memory of a node with 8 ranks at 8192 ranks, Juropa, exceeds its 24 GB", on_a_node > _MEMORY_OF_A_NODE
        ),
    ]
