"""Published figures beside recomputed ones: what `dse validate` and the accuracy table of the guide are made of.

A family of models has a module `claims.published` with a function ``claims()``. Where a figure of another family
belongs to what is asked for too (the power of the memory, to a processor), ``also_shown()`` hands on those claims: they
are shown with the family, and count once in the whole, in their own. Where figures belong together, or can be taken
from a table of the user, ``comparison(file)`` returns a `Comparison`, which is shown in place of the list of claims.

What was published stands in CSV files beside that module (`read_figures`); the module itself says only how each
figure is computed again. No model imports from there.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, cast

from dse.authoring.houses import families

__all__ = [
    "Claim",
    "Comparison",
    "Figures",
    "Kind",
    "Listing",
    "Status",
    "Whose",
    "counts",
    "counts_by_whose",
    "read_figures",
    "validations",
]

Kind = Literal["check", "fitted", "deviation", "miss", "not checkable"]
Status = Literal["pass", "fail", "fitted", "deviation", "miss", "not checkable"]
Whose = Literal["published", "derived here", "simulated here"]
_SIMULATED_HERE = (
    "simulated",
    "an independent simulation",
    "own runs of McPAT",
    "ours: event simulation",
    "ours: independent simulation",
    "ours: whole matrices",
)
_DERIVED_HERE = (
    "ours",
    "own ",
    "independent evaluation",
    "reference cases",
    "closed form",
    "products of the factors",
    "estimate",
    "derived from",
    "counted on",
    "project's reference implementation",
    "MeSAP equations",
    "spaces/",
)
"""How a source begins that nobody but this project has published: figures of its own derivations and simulations."""


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
    kind : {"check", "fitted", "deviation", "miss", "not checkable"}
        fitted: the figure was used to make the data, so agreement is no validation (disagreement still fails);
        deviation: the work contradicts itself or what it rests on; miss: the model does not give it; not checkable:
        inputs were not published. `note` says why.
    note : str
        What the contradiction is, why the model misses it, what it was fitted with, what is missing.
    of : str
        What the figure is of, where the same was published of several systems: statistics are made of all of them.
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
    of: str = ""

    @property
    def whose(self) -> Whose:
        """Who says so: a work that is published, a derivation of this project, or a simulation of it.

        An agreement with the latter two shows that formulas were programmed as they were meant, not that they are true.
        """
        if self.source.startswith(_SIMULATED_HERE):
            return "simulated here"
        return "derived here" if self.source.startswith(_DERIVED_HERE) else "published"

    @property
    def status(self) -> Status:
        """The one status of the figure; only ``fail`` makes `dse validate` exit with 1."""
        if self.kind == "not checkable":
            return "not checkable"
        if self.kind in ("deviation", "miss"):
            return self.kind
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

    def _agrees(self, published: Any, computed: object) -> bool:
        if isinstance(published, (tuple, list)) and isinstance(computed, (tuple, list)):
            pairs = zip(published, computed, strict=False)
            return len(published) == len(computed) and all(self._agrees(pair, other) for pair, other in pairs)
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


class Figures:
    """Published figures of one family, one row of a file each, by what they claim."""

    def __init__(self, model: str, rows: Mapping[str, Mapping[str, str]]) -> None:
        self._model = model
        self._rows = rows

    def claim(self, title: str, computed: Any, published: Any = None) -> Claim:
        """Set what the models give beside a published figure.

        Parameters
        ----------
        title : str
            Cell `claim` of the row.
        computed : float, bool, str, tuple or None
        published : float, bool, str or tuple, optional
            Where the row has no value, as it stands in a table that the models read too.
        """
        row = self._rows[title]
        if row["value"] and published is not None:
            raise ValueError(f"'{title}': the file has what was published")
        value = self.value(title) if row["value"] else published
        tolerance = float(row.get("absolute_tolerance") or 0.0)
        if last_digit := float(row.get("last_digit") or 0.0):
            tolerance = last_digit * 10.0 ** -len(row["value"].partition(".")[2])
            value, computed = float(value), float(computed)
        return Claim(
            self._model,
            title,
            _source(row),
            value,
            computed,
            row.get("unit") or "1",
            float(row.get("relative_tolerance") or 0.0),
            tolerance,
            self.kind(title),
            row.get("note") or "",
        )

    def value(self, title: str) -> Any:
        """Return what was published: a number, true or false, text, or a tuple of these."""
        return _value(self._rows[title]["value"])

    def kind(self, title: str) -> Kind:
        """Return the kind of a claim, "check" by default."""
        return cast(Kind, self._rows[title].get("kind") or "check")

    def not_checkable(self) -> list[Claim]:
        """Return the claims that nothing can be computed for, in the order of the file."""
        return [self.claim(title, None) for title in self._rows if self.kind(title) == "not checkable"]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)


def read_figures(file: Path, model: str) -> Figures:
    """Read published figures from a CSV file.

    Parameters
    ----------
    file : Path
        Columns, of which `claim`, `value` and `source` are needed: `claim` (one row each), `value` (a number as it is
        printed, true or false, text, or several as a list in brackets), `unit`, `source` (the work), `place` (section,
        table, figure or equation), `page`, `relative_tolerance` and `absolute_tolerance`, or `last_digit` for a number
        that agrees within so many units of its last printed digit, `kind` and `note` as in `Claim`. `derivation` is
        for people: how a value follows from what is printed.
    model : str
        The model family.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    figures = {row["claim"]: row for row in rows}
    if len(figures) < len(rows):
        raise ValueError(f"{file}: a claim stands twice")
    return Figures(model, figures)


def _source(row: Mapping[str, str]) -> str:
    page = row.get("page")
    return ", ".join(part for part in (row["source"], row.get("place"), f"p. {page}" if page else "") if part)


def _value(text: str) -> object:
    try:
        return _fixed(json.loads(text))
    except ValueError:
        return text


def _fixed(value: object) -> object:
    return tuple(_fixed(item) for item in value) if isinstance(value, list) else value


def counts(claims: Sequence[Claim]) -> dict[str, int]:
    """Count claims by status, every status listed."""
    by_status: dict[str, int] = dict.fromkeys(Status.__args__, 0)  # type: ignore[attr-defined]
    for claim in claims:
        by_status[claim.status] += 1
    return by_status


def counts_by_whose(claims: Sequence[Claim]) -> dict[str, dict[str, int]]:
    """Count claims by whose they are, published ones first, and by status."""
    return {whose: counts([claim for claim in claims if claim.whose == whose]) for whose in Whose.__args__}  # type: ignore[attr-defined]


def validations() -> dict[str, ModuleType]:
    """Return the module `claims.published` of every model family that has published figures, by family."""
    listed = {}
    for family, package in families().items():
        module = f"{package}.claims.published"
        if importlib.util.find_spec(f"{package}.claims") and importlib.util.find_spec(module):
            listed[family] = importlib.import_module(module)
    return listed
