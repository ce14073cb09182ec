"""Tables of factors (CSV): measured per rank, or the factors themselves as fractions or percent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measurements.text_table import read_text_table
from dse.models.scaling_factors.definitions import measured_factors

__all__ = ["FactorTable", "read_factors"]

_LARGEST = 256 * 1024 * 1024
_FACTORS = ("LB", "Ser", "Trf", "CommEff", "eta")
_PER_RANK = ("P", "rank", "compute_s", "T_s", "T_ideal_s", "region", "repetition")
_COUNTERS = ("instructions", "cycles", "frequency")
_PRODUCT = 0.0015
"""How far a product of factors of three decimals may be from their printed efficiency."""


@dataclass(frozen=True)
class FactorTable:
    """Factors over numbers of ranks.

    Attributes
    ----------
    ranks : ndarray, (points,)
    values : dict of str to ndarray
        LB, Ser and Trf, or LB and CommEff.
    notes : tuple of str
        What was clipped.
    measured : dict of str to ndarray
        What was measured of factors whose values are predictions.
    counters : dict of str to ndarray
        `instructions` and `cycles` of all ranks and `frequency` (cycles over the seconds computed, Hz), as
        `computation_scaling` takes them; empty without such columns.
    """

    ranks: np.ndarray
    values: dict[str, np.ndarray]
    notes: tuple[str, ...] = ()
    measured: dict[str, np.ndarray] = field(default_factory=dict)
    counters: dict[str, np.ndarray] = field(default_factory=dict)


def read_factors(file: Path, times: Path | None = None, region: str = "", slack: float = 1e-9) -> FactorTable:
    """Read a table of factors, or one of ranks.

    Parameters
    ----------
    file : Path
        CSV of `P, LB, Ser, Trf` (or `LB_percent` and so on; `eta` is checked; `LB_measured`
        and so on are what was measured where these are predictions), or `P, rank, compute_s` with
        `T_s, T_ideal_s` on every row of a P, and optionally `region`, `repetition` (medians over these) and the
        counters `instructions` and `cycles` of each rank.
    times : Path, optional
        CSV of `P, T_s, T_ideal_s` (and `region`, `repetition`) where the first has no times. Without `T_ideal_s` the
        factors are LB and CommEff.
    region : str
        Which region, where there are several.
    slack : float
        As in `measured_factors`.
    """
    table = _table(file)
    try:
        if "compute_s" not in table:
            if times is not None:
                raise InputError("times beside a table of factors", key="--times", allowed="a table of ranks")
            return _of_factors(table)
        return _of_ranks(table, _table(times) if times is not None else None, region, slack)
    except InputError as error:
        raise error.within(file=file) from None


def _table(file: Path) -> Any:
    table = read_text_table(file, _LARGEST)
    if "P" not in table or not len(table):
        raise InputError("has no number of ranks", file=file, key="P", allowed="a column P, and a row at least")
    return table


def _numbers(table: Any, column: str) -> np.ndarray:
    import pandas as pd

    values = pd.to_numeric(table[column], errors="coerce").to_numpy(dtype=float)
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        text = table[column].iloc[wrong[0]]
        raise InputError(f"'{text}' in row {wrong[0] + 1} is no number", key=column, allowed="a number in every row")
    return np.asarray(values)


def _ranks(table: Any) -> np.ndarray:
    count = _numbers(table, "P")
    wrong = count[(count < 1) | (count != np.floor(count))]
    if wrong.size:
        raise InputError(f"{wrong[0]:.12g} ranks", key="P", allowed="a whole number from 1")
    return count


def _of_factors(table: Any) -> FactorTable:
    known = {"P", *_FACTORS, *(f"{name}_percent" for name in _FACTORS)}
    known |= {f"{name}_measured" for name in _FACTORS[:-1]}
    for column in table:
        if column not in known:
            raise InputError(f"'{column}' is no column", allowed=sorted(known), wrong=column, candidates=known)
    found = {}
    for name in _FACTORS:
        if f"{name}_percent" in table:
            if name in table:
                raise InputError("stands as fraction and as percent", key=name, allowed="one of the two")
            found[name] = _numbers(table, f"{name}_percent") / 100.0
        elif name in table:
            found[name] = _numbers(table, name)
    efficiency = found.pop("eta", None)
    if set(found) not in ({"LB", "Ser", "Trf"}, {"LB", "CommEff"}):
        raise InputError(f"has {', '.join(found) or 'no factors'}", allowed="LB, Ser and Trf, or LB and CommEff")
    ranks = _ranks(table)
    if efficiency is not None:
        product = np.prod(list(found.values()), axis=0)
        for place in np.flatnonzero(np.abs(product - efficiency) > _PRODUCT)[:1]:
            raise InputError(
                f"{efficiency[place]:.6g} at {ranks[place]:.12g} ranks, where the factors give {product[place]:.6g}",
                key="eta",
                allowed=f"their product within {_PRODUCT}",
            )
    return FactorTable(ranks, found, measured=_measured(table, found))


def _measured(table: Any, found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    measured = {}
    for name in _FACTORS:
        column = f"{name}_measured"
        if column not in table:
            continue
        if name not in found:
            raise InputError(f"measured values of {name}, which is not there", key=column, allowed=list(found))
        measured[name] = _numbers(table, column)
        for wrong in measured[name][~((measured[name] > 0) & (measured[name] <= 1))][:1]:
            raise InputError(f"{wrong:.6g} is no factor", key=column, allowed="above 0 and at most 1")
    return measured


def _of_ranks(table: Any, times: Any | None, region: str, slack: float) -> FactorTable:
    for column in table:
        if column not in (*_PER_RANK, "instructions", "cycles"):
            raise InputError(f"'{column}' is no column", allowed=list(_PER_RANK), wrong=column, candidates=_PER_RANK)
    if "rank" not in table:
        raise InputError("has no ranks", key="rank", allowed="a column rank")
    table = _of_region(table, region)
    if times is not None:
        times = _of_region(times, region) if "region" in times else times
    source = times if times is not None else table
    if "T_s" not in source:
        raise InputError("has no elapsed times", key="T_s", allowed="a column T_s here, or in the table of --times")
    key = ["P", "repetition"] if "repetition" in table else ["P"]
    for one in key:
        if one not in source:
            raise InputError("the table of times does not have it", key=one, allowed=f"columns {', '.join(key)}")
    _ranks(table), _ranks(source)
    rows: dict[float, list[Any]] = {}
    counters: dict[float, list[tuple[float, ...]]] = {}
    counted = _counted(table)
    for group, part in table.groupby(key, sort=False):
        count = float(group[0])
        _refuse_missing(_numbers(part, "rank"), count)
        own = source[(source[key] == list(group)).all(axis=1)] if times is not None else part
        ideal = _same(own, "T_ideal_s", count) if "T_ideal_s" in own else None
        try:
            factors = measured_factors(_numbers(part, "compute_s"), _same(own, "T_s", count), ideal, slack)
        except InputError as error:
            raise error.within(key=f"P = {count:.12g}") from None
        rows.setdefault(count, []).append(factors)
        if counted:
            counters.setdefault(count, []).append(_counters(part, count))
    medians = [np.median(counters[count], axis=0) for count in sorted(counters)]
    found = _medians(rows)
    return replace(found, counters=dict(zip(_COUNTERS, np.transpose(medians), strict=True)) if counted else {})


def _counted(table: Any) -> bool:
    given = [name for name in _COUNTERS[:2] if name in table]
    if len(given) == 1:
        other = "cycles" if given == ["instructions"] else "instructions"
        raise InputError(f"{given[0]} without {other}", key=other, allowed="both columns, or none")
    return bool(given)


def _counters(part: Any, count: float) -> tuple[float, ...]:
    """Return instructions, cycles and the clock of a run."""
    sums = []
    for name in _COUNTERS[:2]:
        values = _numbers(part, name)
        if values.min() < 0 or not values.sum() > 0:
            raise InputError(f"counts below 0, or none at {count:.12g} ranks", key=name, allowed="numbers from 0 on")
        sums.append(float(values.sum()))
    return (*sums, sums[1] / float(_numbers(part, "compute_s").sum()))


def _of_region(table: Any, region: str) -> Any:
    if "region" not in table:
        if region:
            raise InputError("has no regions", key="--region", allowed="no region")
        return table
    known = sorted(set(table["region"]))
    if region not in known:
        if region or len(known) > 1:
            problem = f"'{region}' is no region" if region else "has several regions"
            raise InputError(problem, key="--region", allowed=known, wrong=region, candidates=known)
        return table
    return table[table["region"] == region]


def _refuse_missing(found: np.ndarray, count: float) -> None:
    if not np.array_equal(np.sort(found), np.arange(count)):
        missing = np.setdiff1d(np.arange(min(count, 1e7)), found)
        lacks = f"rank {missing[0]:.12g} is missing" if missing.size else "a rank stands twice"
        raise InputError(f"{lacks} of {count:.12g}", key="rank", allowed=f"each rank from 0 to {count - 1:.12g} once")


def _same(part: Any, column: str, count: float) -> float:
    values = np.unique(_numbers(part, column))
    if len(values) != 1:
        raise InputError(
            f"{len(values)} values at {count:.12g} ranks", key=column, allowed="one, the same on every row of a P"
        )
    return float(values[0])


def _medians(rows: dict[float, list[Any]]) -> FactorTable:
    separated = all(np.isfinite(one.serialization) for found in rows.values() for one in found)
    names = {"LB": "load_balance", "Ser": "serialization", "Trf": "transfer"}
    if not separated:
        names = {"LB": "load_balance", "CommEff": "communication"}
    ranks = np.array(sorted(rows))
    values = {
        name: np.array([np.median([getattr(one, key) for one in rows[count]]) for count in ranks])
        for name, key in names.items()
    }
    clipped = sum(one.clipped for found in rows.values() for one in found)
    return FactorTable(ranks, values, (f"times of {clipped} runs clipped within the slack",) if clipped else ())
