"""A tolerance: how much worse than a design that is left out one that is returned may be, objective by objective.

Values are to be minimised. `shift(y)` is the worst value a returned design may have where a design of value y is left
out:

    relative tolerance r    y * (1 + r) for y > 0, else y * (1 / (1 + r))
    absolute tolerance a    y + a

Some feasible designs *cover* a space when for each feasible design x there is one d of them with d <= shift(x) in every
objective. Both expressions are monotone in floating point, so the bound of a box may be shifted instead of its designs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dse.errors import InputError
from dse.units import format_number, parse_quantity, with_unit

__all__ = ["KEY", "Tolerance", "parse_tolerance", "tolerance_text"]

KEY = "search.tolerance"
_PERCENT = re.compile(r"^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*%\s*$")
_EXAMPLE = '"1 %", or { OBJECTIVE = "1 %" }, or { OBJECTIVE = "0.2 MW" } in its unit'


@dataclass(frozen=True)
class Tolerance:
    """A tolerance for each objective; plain values that can be sent to another process.

    Attributes
    ----------
    names : tuple of str
        The objectives, in their order.
    kinds : tuple of {"relative", "absolute", ""}
        "" where an objective is exact.
    amounts : tuple of float
        A share, or a value in SI; 0 where an objective is exact.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    amounts: tuple[float, ...]

    def shift_column(self, place: int, values: np.ndarray) -> np.ndarray:
        """Return the worst values of one objective that cover given ones, all to be minimised."""
        kind, amount = self.kinds[place], self.amounts[place]
        if kind == "absolute":
            return values + amount
        if kind == "relative":
            return np.where(values > 0, values * (1.0 + amount), values * (1.0 / (1.0 + amount)))
        return values

    def shift(self, points: np.ndarray) -> np.ndarray:
        """Return the worst points, (n, objectives) to be minimised, that cover given ones."""
        return np.stack([self.shift_column(place, points[:, place]) for place in range(len(self.names))], axis=1)

    def part(self, share: float) -> Tolerance:
        """Return a share of the tolerance."""
        return replace(self, amounts=tuple(share * amount for amount in self.amounts))

    def refuse_around_zero(self, place: int, low: float, high: float) -> None:
        """Refuse a relative tolerance for an objective whose values may be 0, or of either sign."""
        name = self.names[place]
        if self.kinds[place] == "relative" and low <= 0 <= high:
            raise InputError(
                f"'{name}' lies between {format_number(low)} and {format_number(high)} as far as is known before the "
                "search; of what may be 0, a share means nothing",
                key=KEY,
                allowed=f'an absolute tolerance in its unit, {{ {name} = "…" }}; an objective left out is exact',
            )

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return it as it stands in a certificate: by objective, without those that are exact.

        Examples
        --------
        >>> Tolerance(("time", "power"), ("relative", ""), (0.01, 0.0)).as_dict()
        {'time': {'relative': 0.01}}
        """
        every = zip(self.names, self.kinds, self.amounts, strict=True)
        return {name: {kind: amount} for name, kind, amount in every if kind}

    @classmethod
    def of(cls, document: Mapping[str, Mapping[str, float]] | None, objectives: Sequence[str]) -> Tolerance | None:
        """Return a tolerance from the way it stands in a certificate; None where every objective is exact."""
        amounts = [next(iter((document or {}).get(name, {"": 0.0}).items())) for name in objectives]
        if not any(amount for _, amount in amounts):
            return None
        kinds = tuple(kind if amount else "" for kind, amount in amounts)
        return cls(tuple(objectives), kinds, tuple(float(amount) for _, amount in amounts))


def tolerance_text(document: Mapping[str, Mapping[str, float]], names: Sequence[str], units: Mapping[str, str]) -> str:
    """Say how much worse a returned design may be.

    Parameters
    ----------
    document : dict
        As it stands in a certificate.
    names : sequence of str
        All objectives.
    units : dict of str to str
        SI unit of each.

    Examples
    --------
    >>> tolerance_text({"time": {"relative": 0.01}}, ["time"], {"time": "s"})
    '1 %'
    >>> tolerance_text({"power": {"absolute": 2e5}}, ["time", "power"], {"power": "W"})
    '200 kW of power'
    """

    def amount(name: str) -> str:
        ((kind, value),) = document[name].items()
        return f"{100 * value:g} %" if kind == "relative" else with_unit(value, units.get(name, "1"))

    amounts = {name: amount(name) for name in names if name in document}
    if len(amounts) == len(names) and len(set(amounts.values())) == 1 and "relative" in document[names[0]]:
        return amounts[names[0]]
    return ", ".join(f"{text} of {name}" for name, text in amounts.items())


def parse_tolerance(given: object, objectives: Sequence[str], units: Mapping[str, str]) -> Tolerance | None:
    """Return the tolerance that a study or a command asks for; None where every objective is to be exact.

    Parameters
    ----------
    given : str or dict of str to str
        A share of every objective, ``"1 %"``, or by objective a share or a value in its unit.
    objectives : sequence of str
    units : dict of str to str
        SI unit of each.

    Raises
    ------
    InputError
        No objective of that name, no share and no value in its unit, less than 0, or all of it.

    Examples
    --------
    >>> parse_tolerance({"power": "0.2 MW"}, ["time", "power"], {"time": "s", "power": "W"}).as_dict()
    {'power': {'absolute': 200000.0}}
    """
    if given is None:
        return None
    if isinstance(given, str):
        share = _share(given, KEY)
        if share is None:
            raise InputError(f"'{given}' is no share", key=KEY, allowed=_EXAMPLE)
        document: dict[str, dict[str, float]] = {name: {"relative": share} for name in objectives}
    elif isinstance(given, Mapping):
        document = {}
        for name, value in given.items():
            key = f"{KEY}.{name}"
            if name not in objectives:
                raise InputError(
                    f"'{name}' is no objective", key=key, allowed=[*objectives], wrong=str(name), candidates=objectives
                )
            document[name] = _amount(value, units[name], key)
    else:
        raise InputError(f"{given!r} is no tolerance", key=KEY, allowed=_EXAMPLE)
    return Tolerance.of(document, objectives)


def _amount(value: object, unit: str, key: str) -> dict[str, float]:
    """Return the tolerance of one objective."""
    share = _share(value, key) if isinstance(value, str) else None
    if share is not None:
        return {"relative": share}
    try:
        amount = parse_quantity(value, unit)
    except InputError as error:
        raise error.within(key=key) from None
    if amount < 0:
        raise InputError(f"'{value}' is below 0", key=key, allowed="0 or more")
    return {"absolute": amount}


def _share(text: str, key: str) -> float | None:
    """Return a share that is written in percent; None where none is."""
    percent = _PERCENT.match(text)
    if percent is None:
        return None
    share = float(percent[1]) / 100.0
    if not 0.0 <= share < 1.0:
        raise InputError(f"'{text}' is no share that may be given away", key=key, allowed="0 % to below 100 %")
    return share
