"""What a comparison of measured with computed values holds: rows, statistics, groups, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

from dse.analysis.measured.limits import Limits
from dse.analysis.measured.statistics import Statistics
from dse.units import TEXT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ComparedQuantity", "ComparedRow", "MeasuredComparison"]

_CLOSE = 2.0  # standard deviations within which a computed value is one of the spread


class ComparedRowRecord(TypedDict):
    """A `ComparedRow` as plain values; `z` only where the measurements have a spread."""

    row: int
    name: str
    inputs: dict[str, float | str]
    measured: float
    computed: float
    error: float | None
    accuracy: float | None
    ratio: float | None
    repeats: int
    extrapolated: list[str]
    outside: list[str]
    broken: list[str]
    group: str
    source: str
    notes: str
    standard_deviation: NotRequired[float]
    z: NotRequired[float | None]
    within_spread: NotRequired[bool | None]
    contributions: NotRequired[dict[str, float]]


class ComparedQuantityRecord(TypedDict):
    """A `ComparedQuantity` as plain values."""

    unit: str
    statistics: Statistics
    groups: dict[str, Statistics]
    rows: list[ComparedRowRecord]
    fitted: list[ComparedRowRecord]
    notes: list[str]


@dataclass(frozen=True)
class ComparedRow:
    """A measured value beside the computed one, SI.

    Attributes
    ----------
    row : int
        Its number in the file, from 0; of several that set the same, the first.
    name, group, source, notes : str
    inputs : dict of str to float or str
        What the row sets.
    measured, computed : float
    error : float or None
        (computed - measured) / measured; None where 0 was measured.
    standard_deviation : float or None
    repeats : int
        How many measurements `measured` is the median of.
    extrapolated, outside, broken : sequence of str
        Quantities outside the range a model was validated on; axes whose value the space does not have; limits of the
        study that the configuration breaks.
    contributions : sequence of (str, float)
        The largest parts of the computed value, for the worst rows.
    """

    row: int
    name: str
    group: str
    inputs: Mapping[str, float | str]
    measured: float
    computed: float
    error: float | None
    standard_deviation: float | None = None
    repeats: int = 1
    extrapolated: Sequence[str] = ()
    outside: Sequence[str] = ()
    broken: Sequence[str] = ()
    source: str = ""
    notes: str = ""
    contributions: Sequence[tuple[str, float]] = ()

    @property
    def accuracy(self) -> float | None:
        """1 - |error|, which may be negative."""
        return None if self.error is None else 1.0 - abs(self.error)

    @property
    def ratio(self) -> float | None:
        """Computed over measured."""
        return self.computed / self.measured if self.measured else None

    @property
    def deviations(self) -> float | None:
        """How many standard deviations of the measurement the computed value is away."""
        return (self.computed - self.measured) / self.standard_deviation if self.standard_deviation else None

    def as_dict(self) -> ComparedRowRecord:
        """Return it as plain values."""
        document: ComparedRowRecord = {
            "row": self.row,
            "name": self.name,
            "inputs": dict(self.inputs),
            "measured": self.measured,
            "computed": self.computed,
            "error": self.error,
            "accuracy": self.accuracy,
            "ratio": self.ratio,
            "repeats": self.repeats,
            "extrapolated": list(self.extrapolated),
            "outside": list(self.outside),
            "broken": list(self.broken),
            "group": self.group,
            "source": self.source,
            "notes": self.notes,
        }
        if self.standard_deviation is not None:
            z = self.deviations
            document["standard_deviation"], document["z"] = self.standard_deviation, z
            document["within_spread"] = None if z is None else abs(z) <= _CLOSE
        if self.contributions:
            document["contributions"] = dict(self.contributions)
        return document


@dataclass(frozen=True)
class ComparedQuantity:
    """One quantity: its rows, those that were used for fitting, and what they say together and by group."""

    name: str
    unit: str
    rows: Sequence[ComparedRow]
    fitted: Sequence[ComparedRow]
    statistics: Statistics
    groups: Mapping[str, Statistics]
    notes: Sequence[str] = ()

    def worst(self) -> list[ComparedRow]:
        """Return the rows with the largest errors, the largest first."""
        by_number = {row.row: row for row in self.rows}
        return [by_number[number] for number in self.statistics["worst"]]

    def as_dict(self) -> ComparedQuantityRecord:
        """Return it as plain values."""
        return {
            "unit": self.unit,
            "statistics": {**self.statistics},
            "groups": {name: {**statistics} for name, statistics in self.groups.items()},
            "rows": [row.as_dict() for row in self.rows],
            "fitted": [row.as_dict() for row in self.fitted],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class MeasuredComparison:
    """A table of measurements beside what the models of a study give.

    Attributes
    ----------
    study, file : str
    quantities : dict of str to ComparedQuantity
    not_comparable : list of dict
        ``row`` and ``reason``.
    varied : list of str
        What the rows set to different values.
    limits : Limits
    faults : list of str
        The limits that are not kept, in words.
    notes : list of str
    labels : dict of str to str
    units : dict of str to str
        Of what the rows set.
    synthetic : list of str
    variants : dict of str to MeasuredComparison
        The same table with other components, by "slot=component".
    """

    study: str
    file: str
    quantities: Mapping[str, ComparedQuantity]
    not_comparable: Sequence[Mapping[str, object]]
    varied: Sequence[str]
    limits: Limits
    faults: Sequence[str]
    notes: Sequence[str]
    labels: Mapping[str, str]
    units: Mapping[str, str]
    synthetic: Sequence[str] = ()
    variants: Mapping[str, MeasuredComparison] = field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        """Whether every limit is kept; None where there is none."""
        return not self.faults if self.limits.any else None

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON, SI."""
        limit = {
            "error": dict(self.limits.error),
            "mean": dict(self.limits.mean_error),
            "rank": dict(self.limits.rank),
            "strict": self.limits.strict,
        }
        return {
            "study": self.study,
            "file": self.file,
            "quantities": {name: quantity.as_dict() for name, quantity in self.quantities.items()},
            "not_comparable": [dict(record) for record in self.not_comparable],
            "limit": limit if self.limits.any else None,
            "passed": self.passed,
            "faults": list(self.faults),
            "notes": [*self.notes, *(note for quantity in self.quantities.values() for note in quantity.notes)],
            "synthetic": list(self.synthetic),
            "variants": {
                name: {
                    "quantities": {
                        q: {
                            "unit": quantity.unit,
                            "statistics": dict(quantity.statistics),
                            "groups": dict(quantity.groups),
                        }
                        for q, quantity in variant.quantities.items()
                    },
                    "not_comparable": [dict(row) for row in variant.not_comparable],
                }
                for name, variant in self.variants.items()
            },
        }

    @property
    def table(self) -> pd.DataFrame:
        """Every comparison as a row: quantity, row, name, group, what it sets, measured, computed, error (SI)."""
        import pandas as pd

        names = list(
            dict.fromkeys(key for quantity in self.quantities.values() for row in quantity.rows for key in row.inputs)
        )
        rows = [
            {
                "quantity": quantity.name,
                "unit": quantity.unit,
                "row": row.row,
                "name": row.name,
                "group": row.group,
                **{name: row.inputs.get(name) for name in names},
                "measured": row.measured,
                "computed": row.computed,
                "error": row.error,
                "extrapolated": ", ".join(row.extrapolated),
                "outside": ", ".join(row.outside),
                "fitted": is_fitted,
            }
            for quantity in self.quantities.values()
            for is_fitted, listed in ((False, quantity.rows), (True, quantity.fitted))
            for row in listed
        ]
        frame = pd.DataFrame(rows)
        frame.attrs["units"] = {name: self.units[name] for name in names if name in self.units}
        return frame

    def to_csv(self, path: str | Path, *, raw: bool = False) -> Path:
        """Write the table as CSV, the units of what is set in the headings; `unit` is that of both values.

        Texts that a spreadsheet would take for a formula get an apostrophe in front, unless they are to be `raw`.
        """
        from dse.run.result.exported import for_spreadsheets

        target, frame = Path(path), self.table
        units = frame.attrs["units"]
        heads = {name: f"{name} [{unit}]" for name, unit in units.items() if unit not in (TEXT, "1")}
        named = frame.rename(columns=heads)
        (named if raw else for_spreadsheets(named)).to_csv(target, index=False)
        return target
