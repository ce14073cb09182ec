"""Compression of checkpoints: original over compressed size, from figures, from an index code or from a tolerance.

The slot ``compression`` says where ``compression_ratio`` comes from: ``given``, by the study or a row of
``spaces/resilience/compression.csv``; ``index-coded``, by the share of values that an index stands for; ``tolerance``,
by the error a value may have. Rates of compressors were not published: a study gives them.

An index code stores, in place of a value that hardly changes from one checkpoint to the next, the index of a cluster of
changes; other values are stored whole, and so is the first checkpoint and each that refreshes the base.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.arguments import Range, checked
from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.models.sources import SON_2014

__all__ = [
    "compression_ratio_with_refreshes",
    "index_coded_ratio",
    "index_coded_share",
    "mean_error_of_tolerance",
    "ratio_of_tolerance",
]

TOLERANCES = (0.001, 0.005)
"""Tolerances between which ratios were published."""
_RATIOS = (2.1, 4.7)
_ERROR_TOLERANCES, _MEAN_ERRORS = (0.0, *TOLERANCES), (0.0, 0.0002, 0.0012)
_CODE = f"{SON_2014}, clustering of change ratios; size of the code ours"
_SWEEP = f"{SON_2014}, tolerances 0.1 % and 0.5 %, linear between them (ours)"

compression_ratio = parameter(unit="1", doc="Original over compressed size of the data of a checkpoint, rho", minimum=1)
compression_tolerance = parameter(
    unit="1",
    label="tolerance of the compression",
    doc="Largest change of a value, of itself, that a lossy compressor may leave out",
    minimum=0,
    maximum=1,
)
index_coded_share_of_values = parameter(
    unit="1", doc="Share of values that an index stands for within the tolerance", minimum=0, maximum=1
)
index_bits = assumption(
    8, unit="1", source=f"{SON_2014}, clustering with 8 bits", doc="Bits of an index", minimum=1, integer=True
)
value_bits = assumption(
    64, unit="1", source=f"{SON_2014}: double precision", doc="Bits of a value", minimum=1, integer=True
)
values_per_table = parameter(unit="1", doc="Values coded with one table of clusters", minimum=1)
full_checkpoint_interval = parameter(
    unit="1", doc="Checkpoints of which one is full, the others changes since; 1: all are", minimum=1, integer=True
)


_BITS, _VALUES = Range(least=1.0), Range(above=0.0, infinite=True)
_TOLERANCE = Range(least=0.0, most=1.0)


@checked(share=Range(least=0.0, most=1.0), bits=_BITS, value_bits=_BITS, values=_VALUES)
def index_coded_ratio(share: Any, bits: Any = 8, *, value_bits: Any = 64, values: Any = np.inf) -> np.ndarray:
    """Return the compression ratio of an index code, w / (f B + (1 - f) w + 2^B w / n).

    Parameters
    ----------
    share : array_like
        f, share of values that an index stands for, 0 to 1.
    bits, value_bits : array_like
        B, of an index, and w, of a value.
    values : array_like
        n, values coded with one table of 2^B clusters, each as wide as a value; the table costs nothing as n grows.

    Returns
    -------
    ndarray
        Below 1 where the code is larger than the values.
    """
    of_value = share * (bits / value_bits) + (1.0 - share) + np.exp2(bits) / values
    result: np.ndarray = 1.0 / of_value
    return result


@checked(ratio=Range(above=0.0, infinite=True), bits=_BITS, value_bits=_BITS, values=_VALUES)
def index_coded_share(ratio: Any, bits: Any = 8, *, value_bits: Any = 64, values: Any = np.inf) -> np.ndarray:
    """Return the share of values that an index must stand for, (1 + 2^B/n - 1/rho) / (1 - B/w).

    The inverse of `index_coded_ratio`, of which the arguments are. Above 1 where no share reaches the ratio.
    """
    result: np.ndarray = (1.0 + np.exp2(bits) / values - 1.0 / ratio) / (1.0 - bits / value_bits)
    return result


@checked(ratio=Range(above=0.0), interval=Range(least=1.0, infinite=True))
def compression_ratio_with_refreshes(ratio: Any, interval: Any) -> np.ndarray:
    """Return the mean ratio where one of `interval` checkpoints is full, K / (1 + (K - 1)/rho)."""
    of_value = 1.0 / ratio
    result: np.ndarray = 1.0 / (of_value + (1.0 - of_value) / interval)
    return result


@checked(tolerance=_TOLERANCE, bits=_BITS, value_bits=_BITS)
def ratio_of_tolerance(tolerance: Any, bits: Any = 8, *, value_bits: Any = 64) -> np.ndarray:
    """Return the ratio of an index code by the relative error a value may have.

    Piecewise linear through (0.1 %, 2.1) and (0.5 %, 4.7), the mean over the variables of two programs, flat outside,
    and never more than the limit of the code, w/B.
    """
    result: np.ndarray = np.minimum(np.interp(tolerance, TOLERANCES, _RATIOS), value_bits / bits)
    return result


@checked(tolerance=_TOLERANCE)
def mean_error_of_tolerance(tolerance: Any) -> np.ndarray:
    """Return the mean relative error of values by the error a value may have.

    Piecewise linear through (0, 0), (0.1 %, 0.02 %) and (0.5 %, 0.12 %), flat above, as the ratio is.
    """
    result: np.ndarray = np.interp(tolerance, _ERROR_TOLERANCES, _MEAN_ERRORS)
    return result


# What the engine calls, whose arguments are within the limits of what is declared above.
_index_coded_ratio = index_coded_ratio.__wrapped__  # type: ignore[attr-defined]
_compression_ratio_with_refreshes = compression_ratio_with_refreshes.__wrapped__  # type: ignore[attr-defined]
_ratio_of_tolerance = ratio_of_tolerance.__wrapped__  # type: ignore[attr-defined]
_mean_error_of_tolerance = mean_error_of_tolerance.__wrapped__  # type: ignore[attr-defined]


@quantity(
    unit="1",
    source="the study gives the ratio",
    slot="compression",
    provider="given",
    default=True,
    name="compressed_share",
)
def given_compressed_share(compression_ratio):
    """Compressed over original size."""
    return 1.0 / compression_ratio


_GIVES = {"incremental_compression_ratio": "1", "compression_ratio": "1", "compressed_share": "1"}


@quantities(gives=_GIVES, source=_CODE, slot="compression", provider="index-coded")
def index_coded_compression(
    index_coded_share_of_values, index_bits, value_bits, values_per_table, full_checkpoint_interval
):
    """Ratio of a checkpoint of changes, mean ratio with full ones among them, and its reciprocal."""
    ratio = _index_coded_ratio(index_coded_share_of_values, index_bits, value_bits=value_bits, values=values_per_table)
    mean = _compression_ratio_with_refreshes(ratio, full_checkpoint_interval)
    return ratio, mean, 1.0 / mean


@quantities(
    gives=_GIVES, source=_SWEEP, slot="compression", provider="tolerance", valid={"compression_tolerance": TOLERANCES}
)
def tolerance_compression(compression_tolerance, index_bits, value_bits, full_checkpoint_interval):
    """Ratio of a checkpoint of changes, mean ratio with full ones among them, and its reciprocal."""
    ratio = _ratio_of_tolerance(compression_tolerance, index_bits, value_bits=value_bits)
    mean = _compression_ratio_with_refreshes(ratio, full_checkpoint_interval)
    return ratio, mean, 1.0 / mean


@quantity(
    unit="1",
    source=_SWEEP,
    slot="compression",
    provider="tolerance",
    valid={"compression_tolerance": (0.0, TOLERANCES[1])},
)
def compression_mean_error(compression_tolerance):
    """Mean relative error of values."""
    return _mean_error_of_tolerance(compression_tolerance)
