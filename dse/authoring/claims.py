"""Published figures beside recomputed ones: what `dse validate` and the accuracy table of the README are made of.

A family of models has a module `validation` with a function ``claims()``. Where a figure of another family belongs to
what is asked for too (the power of the memory, to a processor), ``also_shown()`` hands on those claims: they are shown
with the family, and count once in the whole, in their own. Where figures belong together, or can be taken from a
table of the user, ``comparison(file)`` returns a `Comparison`, which is shown in place of the list of claims.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

__all__ = ["Claim", "Comparison", "Kind", "Listing", "Status", "counts", "validations"]

Kind = Literal["check", "fitted", "deviation", "not checkable"]
Status = Literal["pass", "fail", "fitted", "documented deviation", "not checkable"]


@dataclass(frozen=True)
class Claim:
    """One published figure or statement, and what the models give for it.

    Attributes
    ----------
    model : str
        The model family, as `dse validate MODEL` takes it.
    claim : str
        What was published, in a few words: "SP on Xeon, UCR at (1, 1, 1.2 GHz)".
    source : str
        Paper and place.
    published, computed : float, bool, str, tuple or None
        The two figures. Numbers are in `unit`; tuples (such as a design or a range) are compared item by item.
        `computed` is None only for what cannot be checked.
    unit : str
        Unit of both figures.
    relative_tolerance, absolute_tolerance : float
        A number agrees when it is within either. Both 0: equal.
    kind : {"check", "fitted", "deviation", "not checkable"}
        fitted: the figure was used to make the data, so agreement is no validation (disagreement still fails);
        deviation: the model is known not to reproduce it, `note` says why; not checkable: inputs were not published.
    note : str
        Why it deviates, what it was fitted with, what is missing.
    """

    model: str
    claim: str
    source: str
    published: Any
    computed: Any
    unit: str = "1"
    relative_tolerance: float = 0.0
    absolute_tolerance: float = 0.0
    kind: Kind = "check"
    note: str = ""

    @property
    def status(self) -> Status:
        """The one status of the figure; only ``fail`` makes `dse validate` exit with 1."""
        if self.kind == "not checkable":
            return "not checkable"
        if self.kind == "deviation":
            return "documented deviation"
        if not self._agrees(self.published, self.computed):
            return "fail"
        return "fitted" if self.kind == "fitted" else "pass"

    @property
    def error(self) -> float | None:
        """Relative error of a number, None where there is none."""
        numbers = (self.published, self.computed)
        if any(isinstance(number, bool) or not isinstance(number, (int, float)) for number in numbers):
            return None
        if self.published == 0:
            return None
        return float(self.computed) / float(self.published) - 1.0

    def _agrees(self, published: Any, computed: Any) -> bool:
        if isinstance(published, (tuple, list)) and isinstance(computed, (tuple, list)):
            pairs = zip(published, computed, strict=False)
            return len(published) == len(computed) and all(self._agrees(one, other) for one, other in pairs)
        if (
            isinstance(published, (int, float))
            and isinstance(computed, (int, float))
            and not isinstance(published, bool)
        ):
            return math.isclose(published, computed, rel_tol=self.relative_tolerance, abs_tol=self.absolute_tolerance)
        return bool(published == computed)


@dataclass(frozen=True)
class Listing:
    """A table for people; `right` are the columns set to the right."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[int] = ()


@dataclass(frozen=True)
class Comparison:
    """Claims of one kind with what they say together.

    Attributes
    ----------
    claims : sequence of Claim
        As `dse validate` counts them.
    details : dict
        For JSON, beside the claims.
    listings : sequence of Listing
        For people, in place of the claims.
    notes : sequence of str
    """

    claims: Sequence[Claim]
    details: Mapping[str, Any]
    listings: Sequence[Listing]
    notes: Sequence[str] = ()


def counts(claims: Sequence[Claim]) -> dict[str, int]:
    """Count claims by status, every status listed."""
    found: dict[str, int] = dict.fromkeys(Status.__args__, 0)  # type: ignore[attr-defined]
    for claim in claims:
        found[claim.status] += 1
    return found


def validations() -> dict[str, ModuleType]:
    """Return the module `validation` of every model family that has published figures, by family."""
    import dse.models

    found = {}
    for info in pkgutil.iter_modules(dse.models.__path__):
        if info.ispkg:
            package = importlib.import_module(f"dse.models.{info.name}")
            names = {module.name for module in pkgutil.iter_modules(package.__path__)}
            if "claims" in names:
                found[info.name] = importlib.import_module(f"dse.models.{info.name}.claims.published")
            elif "validation" in names:
                found[info.name] = importlib.import_module(f"dse.models.{info.name}.validation")
    return found
