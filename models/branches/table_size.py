"""Misprediction rate by the entries of a predictor's table, from the rates of a few tables.

A pattern table of fewer entries than a program has histories makes some of them share one (`max_outcome`). Between two
tables that were measured the rate is linear in the logarithm of the entries, for want of a law.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.errors import InputError

__all__ = ["table_miss_rate", "table_range_factor"]


def table_miss_rate(rates: Mapping[int, float], entries: Any, unlimited: float = 0.0) -> np.ndarray:
    """Misses per branch event with tables of so many entries.

    Linear in log2(entries) between two measured tables, that of the nearest one outside them; never rising with the
    entries (a running minimum over the measured rates), and never below the rate of an unlimited table.

    Parameters
    ----------
    rates : mapping of int to float
        Entries of the measured tables, and their rates.
    entries : (…) array_like
        Powers of two.
    unlimited : float
        Rate without a limit.

    Returns
    -------
    (…) ndarray

    Raises
    ------
    InputError
        No table was measured, or a number of entries is no power of two.

    Examples
    --------
    >>> table_miss_rate({1024: 0.045, 4096: 0.030}, [512, 2048, 16384], unlimited=0.024)
    array([0.045 , 0.0375, 0.03  ])
    """
    wanted = _powers_of_two(entries)
    tables = sorted(rates)
    if not tables:
        raise InputError("no table was measured", allowed="the rate of at least one table")
    lowest = np.minimum.accumulate([rates[table] for table in tables])
    result: np.ndarray = np.maximum(np.interp(np.log2(wanted), np.log2(tables), lowest), unlimited)
    return result


def table_range_factor(tables: Any, entries: Any) -> np.ndarray:
    """By how much a table is smaller than the smallest measured one, or larger than the largest; 1 between them."""
    wanted, measured = _powers_of_two(entries), np.asarray(list(tables), dtype=float)
    result: np.ndarray = np.maximum(1.0, np.maximum(measured.min() / wanted, wanted / measured.max()))
    return result


def _powers_of_two(entries: Any) -> np.ndarray:
    wanted = np.asarray(entries, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        wrong = wanted[~((wanted >= 1.0) & (np.log2(wanted) % 1.0 == 0.0))]
    if wrong.size:
        raise InputError(f"a table of {wrong.flat[0]:.12g} entries", key="branch_table", allowed="a power of two")
    return wanted
