"""Published figures of extrapolated profiles and of growth laws beside what the functions give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dse.authoring.library.claims import Claim, read_figures
from dse.models.measured_laws.fitting.fit import fit
from dse.models.measured_laws.fitting.law import Law
from dse.models.measured_laws.fitting.parameters import Parameter
from dse.models.measured_laws.fitting.terms import factor_space, study_exponents

__all__ = ["claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "extrapolation")

RANKS = tuple(2**power for power in range(6, 13))
"""Processes of the runs on Juqueen, Juropa and Piz Daint."""

_LAW = ": coefficients and terms"


def claims() -> list[Claim]:
    """Return every published figure of extrapolation and of growth laws, with what the functions give."""
    return [*_space(), *_memory(), *FIGURES.not_checkable()]


def _space() -> list[Claim]:
    return [
        FIGURES.claim("exponents of the study of MPI libraries", " ".join(map(str, study_exponents()))),
        FIGURES.claim(
            "terms of this study, with a logarithm or without",
            len(factor_space(smallest=study_exponents()[0], logarithms=1)),
        ),
    ]


def _law(terms: Sequence[tuple[float, str]]) -> Law:
    """Return the law of runs that are made with a printed one: coefficients and terms, "" for the constant."""
    [parameter] = [Parameter("p")]
    factors = {factor.text(parameter): factor for factor in factor_space()}
    runs = [sum(each * float(factors[term].at(rank)) for each, term in terms) for rank in RANKS]
    return fit(runs, {"p": RANKS})


def _memory() -> list[Claim]:
    laws = {title: _law(FIGURES.value(title)) for title in FIGURES if title.endswith(_LAW)}
    terms_claimed = []
    for title, law in laws.items():
        terms = {term.text(law.parameters): value for term, value in zip(law.terms, law.coefficients, strict=True)}
        terms_claimed.append(FIGURES.claim(title, tuple((terms[term], term) for term in sorted(terms))))
    wall = 8.0 * laws[f"MPI memory, Juropa [MB]{_LAW}"].at({"p": 8192}) / 1024.0
    terms_claimed.append(FIGURES.claim("MPI memory of a node with 8 ranks at 8,192 ranks, Juropa [GB]", wall))
    return terms_claimed
