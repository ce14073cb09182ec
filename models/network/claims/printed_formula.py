"""What the claims of this family are made with: printed formulas typed in as they stand, and what the models give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dse.authoring.library.claims import Claim
from dse.models.network.bandwidth.bandwidth import effective_bandwidth, mean_path
from dse.models.sources import ANGHEL_2017

__all__ = ["EXACT", "GIGA", "NANO", "REFERENCE", "Case", "Corner", "Printed", "claim"]

REFERENCE = "reference cases: every flow routed over the graph of links by an independent program"
GIGA, NANO = 1e9, 1e-9
EXACT: dict[str, Any] = {"relative_tolerance": 1e-12}

_MORE = {"bandwidth": ("bandwidth per node", "B/s"), "latency": ("link latency of a path", "s")}


def claim(title: str, source: str, published: Any, computed: Any, **rest: Any) -> Claim:
    """Return a claim of this family."""
    return Claim("network", title, source, published, computed, **rest)


@dataclass(frozen=True)
class Case:
    """Parameters of a network and of a pattern."""

    parameters: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Corner:
    """A case a printed formula is wrong for, and why."""

    what: str
    case: Case
    note: str


@dataclass(frozen=True)
class Printed:
    """A printed formula, typed in as it stands, with cases for which it is right and corners where it is not.

    Attributes
    ----------
    name : str
        Such as "Eq. 5.8".
    what, topology, pattern : str
        What the formula is for, in words and by name.
    formula : callable
        Takes the parameters of the network and of the pattern by name.
    cases : tuple of Case
    corners : tuple of Corner
    quantity : {"bandwidth", "latency"}
    """

    name: str
    what: str
    topology: str
    pattern: str
    formula: Callable[..., float]
    cases: tuple[Case, ...] = ()
    corners: tuple[Corner, ...] = ()
    quantity: Literal["bandwidth", "latency"] = "bandwidth"

    def claims(self) -> Iterator[Claim]:
        """Yield: printed equations give the formula, corrected ones do where it is right, and not at its corners."""
        (words, unit), source = _MORE[self.quantity], f"{ANGHEL_2017}, {self.name}"
        everything = (*self.cases, *(corner.case for corner in self.corners))
        for cases, equations, which in (
            (everything, "printed", "as printed"),
            (self.cases, "corrected", "corrected"),
        ):
            if cases:
                printed = tuple(self._printed(case) for case in cases)
                computed = tuple(self._ours(case, equations) for case in cases)
                title = f"{self.name}, {self.what}: {words}, {which} ({_counted(len(cases))})"
                both = (printed, computed) if len(cases) > 1 else (printed[0], computed[0])
                yield claim(title, source, *both, unit=unit, **EXACT)
        for corner in self.corners:
            title = f"{self.name}, {self.what}: {words} at {corner.what}"
            printed_value, ours = self._printed(corner.case), self._ours(corner.case, "corrected")
            yield claim(title, source, printed_value, ours, unit=unit, kind="deviation", note=corner.note)

    def _printed(self, case: Case) -> float:
        return float(self.formula(**case.parameters, **case.options))

    def _ours(self, case: Case, equations: str) -> float:
        arguments = (self.topology, case.parameters, self.pattern, case.options)
        if self.quantity == "bandwidth":
            return float(effective_bandwidth(*arguments, equations=equations))
        return float(mean_path(*arguments, equations=equations).link_latency)


def _counted(cases: int) -> str:
    return "1 case" if cases == 1 else f"{cases} cases"
