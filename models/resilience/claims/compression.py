"""Figures of Son et al. 2014 on compression, and our own of its index code, beside what the models give.

Where its table and its text differ, each stands beside the other. Ratios of real data cannot be computed again: they
are rows of the catalogue.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.authoring.table import Table, read_table
from dse.models.resilience.compression import (
    TOLERANCES,
    index_coded_ratio,
    index_coded_share,
    mean_error_of_tolerance,
    ratio_of_tolerance,
)

__all__ = ["compression_claims", "compressors"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "resilience")


def compressors() -> Table:
    """Return ``spaces/resilience/compression.csv``."""
    return read_table(Path(str(files("dse.spaces"))) / "resilience" / "compression.csv")


def compression_claims() -> list[Claim]:
    """Return every published figure of compression, with what the models or the catalogue give."""
    return [*_catalogue(), *_index_code(), *_tolerances(), *FIGURES.not_checkable()]


def _ratio(table: Table, name: str) -> float:
    return float(table.where(name=name)["compression_ratio"][0])


def _catalogue() -> list[Claim]:
    table = compressors()
    lossless = table.where(kind="lossless")
    most = float(lossless["compression_ratio"].max())
    above = lossless.rows(lossless["compression_ratio"] > 2.0)
    masking = _ratio(table, "binary masking most")
    return [
        FIGURES.claim("compression ratio of IOFSL, about", _ratio(table, "IOFSL text")),
        FIGURES.claim("compression ratio of binary masking in the text: a reduction of around 40 %", masking),
        FIGURES.claim("reduction by binary masking in the text, around", 1.0 - 1.0 / masking),
        FIGURES.claim("compression ratio of mcrEngine, about", _ratio(table, "mcrEngine most")),
        FIGURES.claim("lossless compressors end just above 2", 2.0 < most < 2.2),
        FIGURES.claim(
            "lossless compressors above 2 all transform the values first",
            bool(len(above)) and all(above["transformation"] != "none"),
        ),
    ]


def _index_code() -> list[Claim]:
    shares = index_coded_share(np.array([2.1, 2.98, 4.7]), 8)
    half_coded, mostly_coded = float(index_coded_ratio(0.4, 8)), float(index_coded_ratio(0.8, 9))
    return [
        FIGURES.claim(
            "compression ratio of clustering, most: all values coded with 8 bits", float(index_coded_ratio(1.0, 8))
        ),
        FIGURES.claim("ratio with 8 and 9 bits, printed as 40 % and 80 %", (half_coded, mostly_coded)),
        FIGURES.claim("ratio with 10 bits and all values coded", float(index_coded_ratio(1.0, 10))),
        FIGURES.claim(
            "limit of an index code with 8, 9 and 10 bits",
            tuple(float(index_coded_ratio(1.0, bits)) for bits in (8, 9, 10)),
        ),
        FIGURES.claim("share of values coded for a ratio of 2.1, 2.98 and 4.7 with 8 bits", tuple(shares.tolist())),
        FIGURES.claim("ratio of 40 % of values coded with 8 bits, and of 80 % with 9", (half_coded, mostly_coded)),
    ]


def _tolerances() -> list[Claim]:
    errors = 100.0 * mean_error_of_tolerance(np.array(TOLERANCES))
    return [
        FIGURES.claim(
            "compression ratio at a tolerance of 0.1 % and 0.5 %", tuple(ratio_of_tolerance(TOLERANCES).tolist())
        ),
        FIGURES.claim("mean error at a tolerance of 0.1 % and 0.5 %", tuple(errors.tolist())),
        FIGURES.claim(
            "mean error at a tolerance of 0.4 % is at most 0.1 %", bool(mean_error_of_tolerance(0.004) <= 0.001)
        ),
    ]
