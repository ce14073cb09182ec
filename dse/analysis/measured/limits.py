"""How far models may be from measurements before a comparison fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dse.analysis.measured.statistics import Statistics
from dse.errors import InputError

__all__ = ["Limits", "share_of"]

_EXACT = 1e-12  # an error of just 20 % in the decimals of a file is no more than 20 %


@dataclass(frozen=True)
class Limits:
    """Limits, each by quantity; "" stands for all that have none of their own.

    Attributes
    ----------
    error, mean_error : dict of str to float
        The largest error of a row, and mean absolute error, as shares.
    rank : dict of str to float
        The least correlation of the ranks.
    strict : bool
        Whether a row that cannot be compared fails.
    """

    error: Mapping[str, float] = field(default_factory=dict)
    mean_error: Mapping[str, float] = field(default_factory=dict)
    rank: Mapping[str, float] = field(default_factory=dict)
    strict: bool = False

    @classmethod
    def of(
        cls,
        error: Iterable[str | float] = (),
        mean_error: Iterable[str | float] = (),
        rank: Iterable[str | float] = (),
        *,
        strict: bool = False,
        quantities: Iterable[str] = (),
    ) -> Limits:
        """Read limits as they are written: "20 %", 0.2, "run_time=20 %".

        Raises
        ------
        InputError
            What is no share, or a quantity that is not compared.
        """
        names = list(quantities)
        return cls(
            _by_quantity("--limit", error, names, 1e9),
            _by_quantity("--limit-mean", mean_error, names, 1e9),
            _by_quantity("--least-rank", rank, names, 1.0, least=-1.0),
            strict,
        )

    @property
    def any(self) -> bool:
        """Whether there is any limit."""
        return bool(self.error or self.mean_error or self.rank or self.strict)

    def of_row(self, quantity: str) -> float | None:
        """Return the largest error that a row may have."""
        return _own(self.error, quantity)

    def faults(self, quantity: str, statistics: Statistics) -> list[str]:
        """Return which limits a quantity is beyond, in words.

        Raises
        ------
        InputError
            A rank is asked of fewer than three rows.
        """
        faults = []
        limit, mean, rank = (_own(limits, quantity) for limits in (self.error, self.mean_error, self.rank))
        worst, average = statistics["min_accuracy"], statistics["mean_absolute_percentage_error"]
        if limit is not None and worst is not None and (100.0 - worst) / 100.0 > limit + _EXACT:
            faults.append(f"{quantity}: an error of {100.0 - worst:.4g} % is above the limit of {100 * limit:.6g} %")
        if mean is not None and average is not None and average / 100.0 > mean + _EXACT:
            faults.append(f"{quantity}: the mean error of {average:.4g} % is above the limit of {100 * mean:.6g} %")
        if rank is not None:
            if statistics["n"] < 3:
                raise InputError(
                    f"'{quantity}' is compared in {statistics['n']} rows, which have no order",
                    key="--least-rank",
                    allowed="three rows or more",
                )
            if statistics["spearman"] is None or statistics["spearman"] < rank - _EXACT:
                value = "not defined" if statistics["spearman"] is None else f"{statistics['spearman']:.4g}"
                faults.append(f"{quantity}: the correlation of the ranks is {value}, below {rank:g}")
        return faults


def share_of(value: str | float, key: str, largest: float = 1e9, least: float = 0.0) -> float:
    """Return a share that is written as one, or in percent."""
    text = str(value).strip()
    match = re.fullmatch(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%|percent)?", text, re.ASCII)
    number = float(match[1]) / (100.0 if match[2] else 1.0) if match else None
    if number is None or not least <= number <= largest:
        allowed = "a share, such as 0.2 or 20 %" if least == 0 else f"{least:g} to {largest:g}"
        raise InputError(f"'{text}' is no limit", key=key, allowed=allowed)
    return number


def _by_quantity(
    key: str, given: Iterable[str | float], names: list[str], largest: float, least: float = 0.0
) -> dict[str, float]:
    shares: dict[str, float] = {}
    for item in [given] if isinstance(given, (str, float, int)) else given:
        name, equals, value = str(item).partition("=")
        name, value = (name.strip(), value) if equals else ("", name)
        if name and name not in names:
            raise InputError(f"'{name}' is not compared", key=key, allowed=names, wrong=name, candidates=names)
        if name in shares:
            raise InputError(f"'{name or value}' stands twice", key=key, allowed="one for each quantity")
        shares[name] = share_of(value, key, largest, least)
    return shares


def _own(limits: Mapping[str, float], quantity: str) -> float | None:
    return limits.get(quantity, limits.get(""))
