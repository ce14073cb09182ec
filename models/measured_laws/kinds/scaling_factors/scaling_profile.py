"""All fitted factors of a program: efficiency, what limits it, and how far it is from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dse.authoring.declare.declaration import RelativeError
from dse.errors import InputError
from dse.models.measured_laws.fitting.parameters import WARN_BEYOND
from dse.models.measured_laws.kinds.scaling_factors.fitting import FittedFactor, fit_factor

__all__ = ["FAR_OF_EXACT", "NAMES", "ScalingProfile", "fit_profile"]

NAMES = ("LB", "Ser", "Trf")
FAR_OF_EXACT = 4.0
"""The distance that `WARN_BEYOND` is for fits through two points."""
_GRID = 2048


@dataclass(frozen=True)
class ScalingProfile:
    """Factors of one program over the number of ranks.

    Attributes
    ----------
    factors : mapping of str to FittedFactor
        LB, Ser and Trf, or LB and CommEff where no ideal time was known.
    mode : {"strong", "weak"}
    name : str
        The program.
    source : str
        Where the factors come from.
    times : {"measured", "modelled"}
        Whether the elapsed times were measured, with all waiting in them, or replayed.
    synthetic : bool
    notes : tuple of str
    sha256, date : str
        Hash of the tables and day of the fit (ISO 8601); empty where factors came from elsewhere.
    """

    factors: Mapping[str, FittedFactor]
    mode: str
    name: str = ""
    source: str = ""
    times: str = "measured"
    synthetic: bool = False
    notes: tuple[str, ...] = field(default=())
    sha256: str = ""
    date: str = ""

    @property
    def ranks(self) -> tuple[float, float]:
        """Return the least and the most ranks of the fit."""
        every = [rank for factor in self.factors.values() for rank in factor.ranks]
        return min(every), max(every)

    @property
    def sources(self) -> tuple[str, ...]:
        """Return where the factors come from, as reports list it, with what is to be told of them."""
        return (self.source or self.name, *self.warnings(self.ranks[1]))

    @cached_property
    def errors(self) -> Mapping[str, RelativeError]:
        """What the fit is off, by the quantity of a study; see `relative_error`."""
        errors = {}
        for quantity, names in (("application_efficiency", ("LB", "Ser")), ("fitted_transfer_efficiency", ("Trf",))):
            error = self.relative_error(names)
            if error is not None:
                errors[quantity] = error
        return errors

    def relative_error(self, names: Sequence[str]) -> RelativeError | None:
        """Return what the product of some factors is off; None where nothing tells.

        Against what was measured, where the fit is to predictions: the largest error. Otherwise the errors of points
        that the fit had not seen, each over the mean of its factor, in quadrature.
        """
        if not all(name in self.factors for name in names):
            return None
        ones = [self.factors[name] for name in names]
        if all(factor.measured for factor in ones):
            fitted = np.prod([factor.at(factor.ranks) for factor in ones], axis=0)
            worst = float(np.abs(fitted / np.prod([factor.measured for factor in ones], axis=0) - 1.0).max())
            return RelativeError(worst, of=f"the largest of {self.name} against what was measured, {self.source}")
        shares = [
            factor.left_out_error / np.mean(factor.values) for factor in ones if factor.left_out_error is not None
        ]
        if len(shares) < len(ones) or not any(shares):
            return None
        return RelativeError(float(np.hypot.reduce(shares)), of=f"points left out of the fit of {self.name}")

    def efficiency(self, ranks: Any) -> np.ndarray:
        """Return the parallel efficiency eta at numbers of ranks: the product of the factors."""
        count = np.asarray(ranks, dtype=float)
        product = np.ones(count.shape)
        for factor in self.factors.values():
            product *= factor.at(count)
        return product

    def intervals(self, ranks: float, level: float = 0.9) -> dict[str, tuple[float, float] | None]:
        """Return between what each factor and their product ("efficiency") lie; None where too few points tell.

        Of m factors each has the level 1 - (1 - level)/m inside the product, so that the product has at least `level`
        (Bonferroni), however they hang together.
        """
        by_factor = {name: factor.interval(ranks, level) for name, factor in self.factors.items()}
        of_product = 1.0 - (1.0 - level) / len(self.factors)
        wider = [factor.interval(ranks, of_product) for factor in self.factors.values()]
        known = [ends_of for ends_of in wider if ends_of is not None]
        ends = np.prod(known, axis=0) if len(known) == len(wider) else None
        return {**by_factor, "efficiency": None if ends is None else (float(ends[0]), float(ends[1]))}

    def dominant(self, ranks: float) -> str:
        """Return the least factor at a number of ranks."""
        return min(self.factors, key=lambda name: float(self.factors[name].at(ranks)))

    def crossovers(self, most: float) -> list[tuple[float, str]]:
        """Return where another factor becomes the least, from 1 to `most` ranks, and which."""
        from scipy.optimize import brentq

        names = list(self.factors)
        grid = np.geomspace(1.0, max(most, 2.0), _GRID)
        least = np.stack([self.factors[name].at(grid) for name in names]).argmin(axis=0)
        crossings = []
        for place in np.flatnonzero(least[1:] != least[:-1]):
            old, new = (self.factors[names[position]] for position in (least[place], least[place + 1]))
            ends = grid[place], grid[place + 1]

            def apart(ranks: float, old: FittedFactor = old, new: FittedFactor = new) -> float:
                return float(old.at(ranks) - new.at(ranks))

            signs = apart(ends[0]) * apart(ends[1])
            crossings.append((float(brentq(apart, *ends)) if signs < 0 else float(ends[1]), names[least[place + 1]]))
        return crossings

    def warnings(self, ranks: Any) -> list[str]:
        """Return what is to be told of an answer at numbers of ranks."""
        most, largest = float(np.max(ranks)), self.ranks[1]
        exact = [name for name, factor in self.factors.items() if factor.quality == "exact"]
        few = [name for name, factor in self.factors.items() if factor.quality == "few points"]
        warnings = list(self.notes)
        if self.synthetic:
            warnings.append("SYNTHETIC: the factors are made up, not measured")
        if exact:
            warnings.append(f"{', '.join(exact)}: exact through two points, without any estimate of its error")
        if few:
            warnings.append(f"{', '.join(few)}: few points, no choice of form")
        limit = FAR_OF_EXACT if exact else WARN_BEYOND
        if most > limit * largest:
            warnings.append(f"extrapolated to {most / largest:.4g} times the ranks of the fit (more than {limit:g})")
        return warnings


def fit_profile(
    ranks: Any,
    values: Mapping[str, Any],
    mode: str,
    *,
    form: str | Mapping[str, str] = "best",
    exact: bool = False,
    measured: Mapping[str, Any] | None = None,
    **rest: Any,
) -> ScalingProfile:
    """Fit each factor on its own; the efficiency is the product, never a fit.

    Parameters
    ----------
    ranks : array_like, (points,)
    values : mapping of str to array_like
        LB, Ser and Trf, or LB and CommEff.
    mode : {"strong", "weak"}
        How the program grows; it is never guessed.
    form, exact
        As in `fit_factor`; forms may be given by factor.
    measured : mapping of str to array_like, optional
        What was measured, where `values` are predictions: it is not fitted, and tells what the fit is off.
    **rest
        Further attributes of `ScalingProfile`.
    """
    if mode not in ("strong", "weak"):
        raise InputError(f"'{mode}' is no mode of scaling", key="mode", allowed="strong or weak", wrong=mode)
    if set(values) not in ({"LB", "Ser", "Trf"}, {"LB", "CommEff"}):
        raise InputError(f"factors {', '.join(values)}", allowed="LB, Ser and Trf, or LB and CommEff")
    factors = {}
    for name, column in values.items():
        try:
            factor = fit_factor(ranks, column, form if isinstance(form, str) else form.get(name, "best"), exact)
            factors[name] = replace(
                factor, measured=tuple(np.asarray((measured or {}).get(name, ()), dtype=float).tolist())
            )
        except InputError as error:
            raise error.within(key=name) from None
    notes = tuple(rest.pop("notes", ())) + (() if "Ser" in values else ("Ser and Trf not separated: no ideal time",))
    return ScalingProfile(factors, mode, notes=notes, **rest)
