"""Published figures of extrapolated profiles and of growth laws beside what the functions give."""

from __future__ import annotations

from typing import Any

from dse.authoring.claims import Claim
from dse.models.extrapolation.fitting import fit
from dse.models.extrapolation.law import Law
from dse.models.extrapolation.parameters import Parameter
from dse.models.extrapolation.terms import factor_space, study_exponents

__all__ = ["claims"]

THESIS = "Anghel 2017"
GROWTH = "Shudler et al. 2019"

RANKS = tuple(2**power for power in range(6, 13))
"""Processes of the runs on Juqueen, Juropa and Piz Daint."""

MEMORY: dict[str, dict[str, float]] = {
    "MPI memory, Juropa [MB]": {"": 16.0, "p": 0.56},
    "MPI memory, Piz Daint [MB]": {"": 46.0, "log2(p)": 1.35},
    "MPI memory, Juqueen [MB]": {"log2(p)": 10.7e-3},
    "Comm_create, Juqueen [B]": {"": 2.2e5, "p": 24.0},
    "Comm_create, Juropa [B]": {"": 264.0, "p": 28.0},
    "Comm_create, Piz Daint [B]": {"": 3770.0, "p": 46.0},
    "Comm_dup, Juqueen [B]": {"": 2.2e5},
    "Comm_dup, Juropa [B]": {"": 256.0},
    "Comm_dup, Piz Daint [B]": {"": 3770.0, "p": 18.0},
    "Win_create, Juqueen [B]": {"p": 96.0},
    "Win_create, Juropa [B]": {"": 256.0, "p": 60.0},
    "Cart_create, Juqueen [B]": {"": 2.2e5, "p": 52.0},
    "Cart_create, Juropa [B]": {"": 356.0, "p": 24.0},
}
"""Laws of memory, Table 5: coefficient of each term; "" is the constant."""


def claims() -> list[Claim]:
    """Return every published figure of extrapolation and of growth laws, with what the functions give."""
    return [*_space(), *_memory(), *_not_checkable()]


def _claim(claim: str, source: str, published: Any, computed: Any, **more: Any) -> Claim:
    return Claim("extrapolation", claim, source, published, computed, **more)


def _space() -> list[Claim]:
    printed = "0 1/4 1/3 1/2 2/3 3/4 1 5/4 4/3 3/2 5/3 7/4 2"
    return [
        _claim(
            "exponents of the study of MPI libraries",
            f"{GROWTH}, study of MPI libraries",
            printed,
            " ".join(map(str, study_exponents())),
        ),
        _claim(
            "terms of this study, with a logarithm or without",
            f"{GROWTH}, study of MPI libraries",
            26,
            len(factor_space(smallest=study_exponents()[0], logarithms=1)),
        ),
    ]


def _law(terms: dict[str, float]) -> Law:
    """Return the law of runs that are made with a printed one."""
    [parameter] = [Parameter("p")]
    factors = {one.text(parameter): one for one in factor_space()}
    runs = [sum(each * float(factors[term].at(rank)) for term, each in terms.items()) for rank in RANKS]
    return fit(runs, {"p": RANKS})


def _memory() -> list[Claim]:
    source = f"{GROWTH}, Table 5"
    note = "the runs are not published: they were made with the printed law"
    found = []
    for what, terms in MEMORY.items():
        law = _law(terms)
        told = {one.text(law.parameters): value for one, value in zip(law.terms, law.coefficients, strict=True)}
        printed, computed = (tuple((each[term], term) for term in sorted(each)) for each in (terms, told))
        found.append(
            _claim(
                f"{what}: coefficients and terms",
                source,
                printed,
                computed,
                kind="fitted",
                note=note,
                relative_tolerance=1e-6,
                absolute_tolerance=1e-9,
            )
        )
    wall = 8.0 * _law(MEMORY["MPI memory, Juropa [MB]"]).at({"p": 8192}) / 1024.0
    found.append(
        _claim(
            "MPI memory of a node with 8 ranks at 8,192 ranks, Juropa [GB]",
            f"{GROWTH}, text on Table 5",
            35.0,
            wall,
            relative_tolerance=0.03,
            note="printed without decimals; the law gives 35.97 in powers of 1024",
        )
    )
    return found


def _not_checkable() -> list[Claim]:
    note = "neither the profiles nor the method of fitting are published"
    rows = (
        ("SKA correlator: accuracy on every metric, above [percent]", "Section 7.1.3", 98.0),
        ("Graph 500: error of instructions [percent]", "Section 7.2, printed as prediction rate", 4.7),
        ("Graph 500: error of reuse distances [percent]", "Section 7.2, printed as prediction rate", 1.4),
        ("Graph 500: error of ILP [percent]", "Section 7.2, printed as prediction rate", 0.7),
        ("Graph 500: error of messages [percent]", "Section 7.2, printed as prediction rate", 9.7),
        ("NAS LU with extrapolated profiles of size 408 and 800: accuracy [percent]", "Section 6.3.2", (60.0, 92.0)),
    )
    return [
        _claim(what, f"{THESIS}, {where}", published, None, kind="not checkable", note=note)
        for what, where, published in rows
    ]
