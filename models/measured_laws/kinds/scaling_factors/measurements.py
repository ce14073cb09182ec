"""Tables of factors: measured per rank, or the factors themselves as fractions or percent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.kinds.scaling_factors.definitions import measured_factors
from dse.models.measured_laws.tables.reading import read_measurements
from dse.models.measured_laws.tables.table import Measurements

__all__ = ["FactorTable", "read_factors"]

_FACTORS = ("LB", "Ser", "Trf", "CommEff", "eta")
_MEASURED = tuple(f"{name}_measured" for name in _FACTORS[:-1])
_SECONDS, _COUNTED = ("compute", "T", "T_ideal"), ("instructions", "cycles")
_COUNTERS = (*_COUNTED, "frequency")
_PRODUCT = 0.0015
"""How far a product of factors of three decimals may be from their printed efficiency."""
_HEADINGS = "columns P, LB, Ser, Trf, or P, rank, compute_s, T_s, T_ideal_s"


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
    sha256 : str
        Of the file; with a table of times that of both hashes, with a blank between.
    warnings : tuple of str
        What is to be mistrusted in the table.
    synthetic : bool
        Whether it says so of itself.
    repeated : bool
        Whether any number of ranks was measured more than once.
    """

    ranks: np.ndarray
    values: dict[str, np.ndarray]
    notes: tuple[str, ...] = ()
    measured: dict[str, np.ndarray] = field(default_factory=dict)
    counters: dict[str, np.ndarray] = field(default_factory=dict)
    sha256: str = ""
    warnings: tuple[str, ...] = ()
    synthetic: bool = False
    repeated: bool = False


def read_factors(file: Path, times: Path | None = None, region: str = "", slack: float = 1e-9) -> FactorTable:
    """Read a table of factors, or one of ranks.

    Parameters
    ----------
    file : Path
        What `read_measurements` reads, with the parameter ``P``: a table of `P, LB, Ser, Trf` (or `LB_percent` and so
        on; `eta` is checked; `LB_measured` and so on are what was measured where these are predictions), or of `P,
        rank, compute_s` with `T_s, T_ideal_s` on every row of a P, and optionally `region`, `repetition` (medians over
        these) and the counters `instructions` and `cycles` of each rank.
    times : Path, optional
        A table of `P, T_s, T_ideal_s` (and `region`, `repetition`) where the first has no times. Without `T_ideal_s`
        the factors are LB and CommEff.
    region : str
        Which region, where there are several.
    slack : float
        As in `measured_factors`.
    """
    measured = _table(file)
    beside = None if times is None else _table(times)
    rows = _of_region(measured, region)
    try:
        if "compute" in measured.metrics:
            table = _of_ranks(
                rows, None if beside is None else _of_region(beside, region if _regions(beside) else ""), slack
            )
        elif beside is not None:
            raise InputError("times beside a table of factors", key="--times", allowed="a table of ranks")
        else:
            table = _of_factors(rows, list(measured.metrics))
    except InputError as error:
        raise error.within(file=file) from None
    repeated = bool(rows.duplicated(["metric", "P", "rank"]).any())
    digest = measured.sha256
    if beside is not None:
        digest = sha256(f"{digest} {beside.sha256}".encode()).hexdigest()
    return replace(table, sha256=digest, warnings=measured.warnings, synthetic=measured.synthetic, repeated=repeated)


def _table(file: Path) -> Measurements:
    measured = read_measurements(file, plain=(*_FACTORS, *_MEASURED, *_COUNTED))
    for name in measured.parameters:
        if name != "P":
            headings = ["P", *_FACTORS, *_MEASURED, *_COUNTED]
            raise InputError(f"'{name}' is no column", file=file, allowed=_HEADINGS, wrong=name, candidates=headings)
    if "P" not in measured.parameters:
        raise InputError("has no number of ranks", file=file, key="P", allowed="a column P")
    for name in measured.metrics:
        if name not in (known := (*_FACTORS, *_MEASURED, *_SECONDS, *_COUNTED)):
            raise InputError(f"'{name}' is no column", file=file, allowed=_HEADINGS, wrong=name, candidates=known)
        if (unit := measured.unit(name)) != (wanted := "s" if name in _SECONDS else "1"):
            raise InputError(f"is in {unit}", file=file, key=name, allowed=f"a unit of {wanted}")
    return measured


def _regions(measured: Measurements) -> list[str]:
    return [name for name in measured.regions if name]


def _of_region(measured: Measurements, region: str) -> Any:
    known = _regions(measured)
    if region and not known:
        raise InputError("has no regions", file=measured.source, key="--region", allowed="no region")
    if known and region not in known and (region or len(known) > 1):
        problem = f"'{region}' is no region" if region else "has several regions"
        raise InputError(
            problem, file=measured.source, key="--region", allowed=known, wrong=region or None, candidates=known
        )
    return measured.table[measured.table["region"] == region] if region else measured.table


def _columns(rows: Any, index: Sequence[str]) -> Any:
    """Return a column for each metric, by some columns of the rows."""
    return rows.set_index([*index, "metric"])["value"].unstack("metric")


def _of_factors(rows: Any, metrics: Sequence[str]) -> FactorTable:
    if rows["rank"].notna().any():
        raise InputError("has ranks, and no seconds that they compute", key="compute_s", allowed=_HEADINGS)
    factors = {name: name for name in _FACTORS if name in metrics}
    if set(factors) - {"eta"} not in ({"LB", "Ser", "Trf"}, {"LB", "CommEff"}):
        others_text = ", ".join(factor for factor in factors if factor != "eta")
        raise InputError(f"has {others_text or 'no factors'}", allowed="LB, Ser and Trf, or LB and CommEff")
    for name in (factor_name for factor_name in _MEASURED if factor_name in metrics):
        if (of := name.removesuffix("_measured")) not in factors:
            others = [factor for factor in factors if factor != "eta"]
            raise InputError(f"measured values of {of}, which is not there", key=name, allowed=others)
    columns = _columns(rows, ["P", "repetition"])
    ranks = columns.index.get_level_values("P").to_numpy(dtype=float)
    for name in columns:
        if columns[name].isna().any():
            at = ranks[columns[name].isna().to_numpy()][0]
            raise InputError(f"is empty at P = {at:g}", key=name, allowed="a number in every row")
        limit = 1.0 if name in _MEASURED else 1.05
        for at, value in zip(ranks, columns[name], strict=True):
            if not 0.0 < value <= limit:
                hint = f"; percent stand in {name}_percent" if value > limit else ""
                raise InputError(
                    f"{value:.6g} at P = {at:g} is no factor", key=name, allowed=f"above 0, at most 1{hint}"
                )
    values = {name: columns[name].to_numpy(dtype=float) for name in factors}
    efficiency = values.pop("eta", None)
    if efficiency is not None:
        product = np.prod(list(values.values()), axis=0)
        for place in np.flatnonzero(np.abs(product - efficiency) > _PRODUCT)[:1]:
            raise InputError(
                f"{efficiency[place]:.6g} at {ranks[place]:.12g} ranks, where the factors give {product[place]:.6g}",
                key="eta",
                allowed=f"their product within {_PRODUCT}",
            )
    measured = {
        name.removesuffix("_measured"): columns[name].to_numpy(dtype=float) for name in _MEASURED if name in metrics
    }
    return FactorTable(ranks, values, measured=measured)


def _of_ranks(rows: Any, times: Any | None, slack: float) -> FactorTable:
    if rows["rank"].isna().any():
        raise InputError("has no ranks", key="rank", allowed="a column rank with a number in every row")
    source = rows if times is None else times
    if "T" not in set(source["metric"]):
        raise InputError("has no elapsed times", key="T_s", allowed="a column T_s here, or in the table of --times")
    columns = _columns(rows, ["P", "repetition", "rank"])
    counted = [name for name in _COUNTED if name in columns]
    if len(counted) == 1:
        other = "cycles" if counted == ["instructions"] else "instructions"
        raise InputError(f"{counted[0]} without {other}", key=other, allowed="both columns, or none")
    by_count: dict[float, list[Any]] = {}
    counters: dict[float, list[tuple[float, ...]]] = {}
    for (count, repetition), part in columns.groupby(level=["P", "repetition"], sort=False):
        _refuse_missing(part.index.get_level_values("rank").to_numpy(dtype=float), count)
        own = source[(source["P"] == count) & (source["repetition"] == repetition)]
        try:
            if part[["compute", *counted]].isna().any(axis=None):
                raise InputError("is empty in some row", key="compute_s", allowed="a number in every row")
            ideal = _same(own, "T_ideal") if "T_ideal" in set(source["metric"]) else None
            factors = measured_factors(part["compute"].to_numpy(), _same(own, "T"), ideal, slack)
            if counted:
                counters.setdefault(count, []).append(_counters(part))
        except InputError as error:
            raise error.within(key=f"P = {count:.12g}") from None
        by_count.setdefault(count, []).append(factors)
    medians = [np.median(counters[count], axis=0) for count in sorted(counters)]
    counts = dict(zip(_COUNTERS, np.transpose(medians), strict=True)) if counted else {}
    return replace(_medians(by_count), counters=counts)


def _counters(part: Any) -> tuple[float, ...]:
    """Return instructions, cycles and the clock of a run."""
    sums = []
    for name in _COUNTED:
        values = part[name].to_numpy(dtype=float)
        if values.min() < 0 or not values.sum() > 0:
            raise InputError("counts below 0, or none", key=name, allowed="numbers from 0 on")
        sums.append(float(values.sum()))
    return (*sums, sums[1] / float(part["compute"].sum()))


def _refuse_missing(ranks: np.ndarray, count: float) -> None:
    if not np.array_equal(np.sort(ranks), np.arange(count)):
        missing = np.setdiff1d(np.arange(min(count, 1e7)), ranks)
        lacks = f"rank {missing[0]:.12g} is missing" if missing.size else f"rank {ranks.max():.12g} is there"
        raise InputError(
            f"{lacks} of {count:.12g}",
            key="rank",
            allowed=f"each rank from 0 to {count - 1:.12g} once, in every repetition",
        )


def _same(part: Any, metric: str) -> float:
    values = part.loc[part["metric"] == metric, "value"].unique()
    if len(values) != 1:
        raise InputError(
            f"{len(values)} values", key=f"{metric}_s", allowed="one, the same on every row of a P and a repetition"
        )
    return float(values[0])


def _medians(rows: dict[float, list[Any]]) -> FactorTable:
    separated = all(np.isfinite(factor.serialization) for of_count in rows.values() for factor in of_count)
    names = {"LB": "load_balance", "Ser": "serialization", "Trf": "transfer"}
    if not separated:
        names = {"LB": "load_balance", "CommEff": "communication"}
    ranks = np.array(sorted(rows))
    values = {
        name: np.array([np.median([getattr(factors, key) for factors in rows[count]]) for count in ranks])
        for name, key in names.items()
    }
    clipped = sum(factor.clipped for of_count in rows.values() for factor in of_count)
    return FactorTable(ranks, values, (f"times of {clipped} runs clipped within the slack",) if clipped else ())
