"""Whether shares of the peak rate fall with the size of a machine: a test that a later table may answer otherwise.

A term s·x(n) of the number of nodes n beside the law of the rate, with x = log2 n (every doubling costs) or
√(2 ln n) (the slowest of n nodes is waited for), fitted within devices. It is taken into the law only if

* its |t| is above 2,
* it has the same sign with any one device left out,
* and the rates of machines nobody fitted, those of a second table, become no worse by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dse.models.machines.laws.measured_shares import MeasuredShares
from dse.models.machines.laws.shrinkage import Law, shrunken

__all__ = ["SIZES", "SizeTest", "size_tests"]

SIZES: dict[str, Callable[[float], float]] = {
    "log2 n": math.log2,
    "sqrt(2 ln n)": lambda nodes: math.sqrt(2.0 * math.log(nodes)),
}
"""Terms that are tried, of the number of nodes."""

_LEAST_T = 2.0


@dataclass(frozen=True)
class SizeTest:
    """One term and its three tests.

    Attributes
    ----------
    term : str
    slope, standard_error : float
        Of ln(share) against the term.
    least, largest : float
        Slopes with one device left out at a time.
    error_without, error_with : float or None
        Mean error of the rates of known devices in the second table; None without one.
    """

    term: str
    slope: float
    standard_error: float
    least: float
    largest: float
    error_without: float | None
    error_with: float | None

    @property
    def t(self) -> float:
        """Slope over its standard error."""
        return self.slope / self.standard_error

    @property
    def taken(self) -> bool:
        """Whether the law should have the term: not without a second table to be no worse on."""
        if self.error_with is None or self.error_without is None:
            return False
        return abs(self.t) > _LEAST_T and self.least * self.largest > 0.0 and self.error_with <= self.error_without


def size_tests(machines: Sequence[MeasuredShares], others: Sequence[MeasuredShares]) -> list[SizeTest]:
    """Test every term.

    Parameters
    ----------
    machines : sequence of MeasuredShares
        Those of the table that the laws are fitted on.
    others : sequence of MeasuredShares
        Of another table, on which nothing is fitted.
    """
    rated = [shares for shares in machines if shares.rate is not None]
    second = [
        shares
        for shares in others
        if shares.rate is not None and shares.machine.device in {x.machine.device for x in rated}
    ]
    return [_tested(name, size, rated, second) for name, size in SIZES.items()]


def _tested(
    name: str, size: Callable[[float], float], rated: Sequence[MeasuredShares], second: Sequence[MeasuredShares]
) -> SizeTest:
    slope, error = _within(rated, size)
    devices = [d for d in dict.fromkeys(shares.machine.device for shares in rated) if _count(rated, d) > 1]
    left = [_within([shares for shares in rated if shares.machine.device != device], size)[0] for device in devices]
    without, with_it = (_mean_error(rated, second, size, s) if second else None for s in (0.0, slope))
    return SizeTest(name, slope, error, min(left), max(left), without, with_it)


def _count(group: Sequence[MeasuredShares], device: str) -> int:
    return sum(shares.machine.device == device for shares in group)


def _size(shares: MeasuredShares, size: Callable[[float], float]) -> float:
    assert shares.machine.nodes is not None
    return size(shares.machine.nodes)


def _within(group: Sequence[MeasuredShares], size: Callable[[float], float]) -> tuple[float, float]:
    """Return the slope within devices and its standard error."""
    groups: dict[str, list[tuple[float, float]]] = {}
    for shares in group:
        assert shares.rate is not None
        groups.setdefault(shares.machine.device, []).append((_size(shares, size), shares.rate))
    pairs = [np.array(group) for group in groups.values() if len(group) > 1]
    centred = np.concatenate([group - group.mean(axis=0) for group in pairs])
    x, y = centred[:, 0], centred[:, 1]
    slope = float((x * y).sum() / (x * x).sum())
    freedom = len(centred) - len(pairs) - 1
    return slope, math.sqrt(float(((y - slope * x) ** 2).sum()) / freedom / float((x * x).sum()))


def _mean_error(
    rated: Sequence[MeasuredShares], second: Sequence[MeasuredShares], size: Callable[[float], float], slope: float
) -> float:
    """Return the mean error of the second table's rates with a law that has the term (0: without)."""
    law: Law = shrunken(
        [shares.rate - slope * _size(shares, size) for shares in rated],  # type: ignore[operator]
        [shares.machine.rate_class for shares in rated],
        [shares.machine.device for shares in rated],
    )
    errors = []
    for shares in second:
        given = law.value(shares.machine.rate_class, shares.machine.device) + slope * _size(shares, size)
        errors.append(abs(math.expm1(given - shares.rate)))  # type: ignore[operator]
    return float(np.mean(errors))
