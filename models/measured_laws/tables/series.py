"""A metric over one parameter: sizes, repetitions at each, and whether they can carry a law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from dse.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Reduction", "Series", "reduce_repetitions", "reduction_of"]

Reduction = Literal["median", "first quartile", "mean", "minimum"]
_COMFORTABLE, _CONFIDENT = 5, 0.05
_REDUCE: dict[Reduction, Callable[[np.ndarray], Any]] = {
    "median": np.median,
    "first quartile": lambda values: np.quantile(values, 0.25),
    "mean": np.mean,
    "minimum": np.min,
}


def reduction_of(name: str, key: str = "reduce") -> Reduction:
    """Return the reduction of a name; ``min`` is short for minimum.

    Raises
    ------
    InputError
        An unknown name.
    """
    for known in get_args(Reduction):
        if name == known or (name == "min" and known == "minimum"):
            return cast(Reduction, known)
    raise InputError(f"'{name}'", key=key, allowed=get_args(Reduction), wrong=name, candidates=get_args(Reduction))


def reduce_repetitions(values: np.ndarray, how: str = "median") -> float:
    """Return one value for repetitions: the first quartile suits noise that only ever adds (Shudler et al. 2019)."""
    return float(_REDUCE[reduction_of(how)](values))


@dataclass(frozen=True, eq=False)
class Series:
    """A metric over one parameter.

    Attributes
    ----------
    application, region, metric, parameter, unit : str
        The unit is SI.
    sizes : ndarray, shape (n,)
        Different values of the parameter, rising.
    repetitions : tuple of ndarray
        The values measured at each size.
    litmus : bool
    warnings : tuple of str
    """

    application: str
    region: str
    metric: str
    parameter: str
    unit: str
    sizes: np.ndarray
    repetitions: tuple[np.ndarray, ...]
    litmus: bool = False
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, rows: pd.DataFrame, parameter: str, *, fewest: int = 3, warnings: Sequence[str] = (), source: str = ""
    ) -> Series:
        """Make a series of the rows of one metric and region.

        Raises
        ------
        InputError
            Fewer different sizes than `fewest`.
        """
        sizes = np.unique(rows[parameter].to_numpy(dtype=float))
        if len(sizes) < fewest:
            raise InputError(
                f"{rows['metric'].iloc[0]}: {len(sizes)} different values of {parameter}",
                file=source or None,
                allowed=f"at least {fewest}" + (f", better {_COMFORTABLE} or more" if fewest < _COMFORTABLE else ""),
            )
        values = rows["value"].to_numpy(dtype=float)
        place = rows[parameter].to_numpy(dtype=float)
        repetitions = tuple(values[place == size] for size in sizes)
        first = rows.iloc[0]
        return cls(
            application=str(first["application"]),
            region=str(first["region"]),
            metric=str(first["metric"]),
            parameter=parameter,
            unit=str(first["unit"]),
            sizes=sizes,
            repetitions=repetitions,
            litmus=bool(rows["litmus"].any()),
            warnings=(*warnings, *_mistrusted(parameter, sizes, repetitions)),
        )

    def reduced(self, how: Reduction = "median") -> np.ndarray:
        """Return one value per size."""
        return np.array([reduce_repetitions(values, how) for values in self.repetitions])

    def flat(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the size and the value of every repetition, shape (runs,) each."""
        counts = [len(values) for values in self.repetitions]
        return np.repeat(self.sizes, counts), np.concatenate(self.repetitions)

    def spread(self) -> np.ndarray:
        """Return half the width of the 95 % confidence interval of the mean, over the mean; NaN for one repetition."""
        return np.array([_half_width(values) for values in self.repetitions])


def _half_width(values: np.ndarray) -> float:
    count, mean = len(values), float(np.mean(values))
    if count < 2 or mean == 0:
        return float("nan")
    from scipy.special import stdtrit

    result: float = float(stdtrit(count - 1, 0.975)) * float(np.std(values, ddof=1)) / count**0.5 / abs(mean)
    return result


def _mistrusted(parameter: str, sizes: np.ndarray, repetitions: Sequence[np.ndarray]) -> list[str]:
    notes = []
    if len(sizes) < _COMFORTABLE:
        notes.append(f"{len(sizes)} different values of {parameter}: {_COMFORTABLE} or more tell growths apart")
    single = sum(len(values) == 1 for values in repetitions)
    if single:
        where = "every size was" if single == len(sizes) else f"{single} of {len(sizes)} sizes were"
        notes.append(f"{where} measured once: nothing is known of the noise there")
    widths = np.array([_half_width(values) for values in repetitions])
    if (wide := widths > _CONFIDENT).any():
        worst = int(np.nanargmax(widths))
        notes.append(
            f"at {int(wide.sum())} of {len(sizes)} sizes the 95 % confidence interval of the mean is wider than 5 % of "
            f"it either way (worst {100 * widths[worst]:.3g} % at {parameter} = {sizes[worst]:g}): repeat more often"
        )
    return notes
