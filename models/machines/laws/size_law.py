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
    some = [one for one in machines if one.rate is not None]
    second = [one for one in others if one.rate is not None and one.machine.device in {x.machine.device for x in some}]
    return [_tested(name, size, some, second) for name, size in SIZES.items()]


def _tested(
    name: str, size: Callable[[float], float], some: Sequence[MeasuredShares], second: Sequence[MeasuredShares]
) -> SizeTest:
    slope, error = _within(some, size)
    devices = [d for d in dict.fromkeys(one.machine.device for one in some) if _count(some, d) > 1]
    left = [_within([one for one in some if one.machine.device != device], size)[0] for device in devices]
    without, with_it = (_mean_error(some, second, size, s) if second else None for s in (0.0, slope))
    return SizeTest(name, slope, error, min(left), max(left), without, with_it)


def _count(some: Sequence[MeasuredShares], device: str) -> int:
    return sum(one.machine.device == device for one in some)


def _size(one: MeasuredShares, size: Callable[[float], float]) -> float:
    assert one.machine.nodes is not None
    return size(one.machine.nodes)


def _within(some: Sequence[MeasuredShares], size: Callable[[float], float]) -> tuple[float, float]:
    """Return the slope within devices and its standard error."""
    groups: dict[str, list[tuple[float, float]]] = {}
    for one in some:
        assert one.rate is not None
        groups.setdefault(one.machine.device, []).append((_size(one, size), one.rate))
    pairs = [np.array(group) for group in groups.values() if len(group) > 1]
    centred = np.concatenate([group - group.mean(axis=0) for group in pairs])
    x, y = centred[:, 0], centred[:, 1]
    slope = float((x * y).sum() / (x * x).sum())
    freedom = len(centred) - len(pairs) - 1
    return slope, math.sqrt(float(((y - slope * x) ** 2).sum()) / freedom / float((x * x).sum()))


def _mean_error(
    some: Sequence[MeasuredShares], second: Sequence[MeasuredShares], size: Callable[[float], float], slope: float
) -> float:
    """Return the mean error of the second table's rates with a law that has the term (0: without)."""
    law: Law = shrunken(
        [one.rate - slope * _size(one, size) for one in some],  # type: ignore[operator]
        [one.machine.rate_class for one in some],
        [one.machine.device for one in some],
    )
    errors = []
    for one in second:
        given = law.value(one.machine.rate_class, one.machine.device) + slope * _size(one, size)
        errors.append(abs(math.expm1(given - one.rate)))  # type: ignore[operator]
    return float(np.mean(errors))
