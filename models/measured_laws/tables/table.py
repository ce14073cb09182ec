"""The table of measurements and the series that are taken out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.tables.series import Reduction, Series, reduce_repetitions

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LABELS", "Measurements", "Series"]

LABELS = ("application", "region", "metric", "repetition", "rank", "value", "unit", "litmus")
"""The columns that are no parameters."""


@dataclass(frozen=True, eq=False)
class Measurements:
    """Measured values in SI, one row each.

    Attributes
    ----------
    table : DataFrame
        Columns application, region, metric (texts), each parameter (float), repetition (int, from 1), rank (Int64,
        none for the run as a whole), value (float), unit (SI), litmus (bool); in rising order of the parameters.
    parameters : tuple of str
    source : str
        The files.
    sha256 : str
        Hash of what was read.
    warnings : tuple of str
        What the readers found to mistrust.
    remarks : mapping of str to tuple of str
        The different texts of the columns ``source`` and ``scope``, where the files have them.
    synthetic : bool
        Whether a column ``synthetic`` says yes in any row.
    """

    table: pd.DataFrame
    parameters: tuple[str, ...]
    source: str = ""
    sha256: str = ""
    warnings: tuple[str, ...] = field(default=())
    remarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    synthetic: bool = False

    def _names(self, column: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.table[column]))

    @property
    def applications(self) -> tuple[str, ...]:
        """The applications, in the order of the files."""
        return self._names("application")

    @property
    def regions(self) -> tuple[str, ...]:
        """The regions; the empty one is the whole program."""
        return self._names("region")

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics."""
        return self._names("metric")

    def unit(self, metric: str) -> str:
        """Return the SI unit of a metric."""
        self._known("metric", metric)
        return str(self.table.loc[self.table["metric"] == metric, "unit"].iloc[0])

    def _known(self, column: str, name: str) -> str:
        names = self._names(column)
        if name not in names:
            listed = [label or "(whole program)" for label in names]
            raise InputError(f"no {column} '{name}'", file=self.source, allowed=listed, wrong=name, candidates=names)
        return name

    def _only(self, column: str, name: str | None, table: pd.DataFrame) -> str:
        if name is not None:
            return self._known(column, name)
        names = tuple(dict.fromkeys(table[column]))
        if len(names) == 1:
            return str(names[0])
        if "" in names and column != "metric":
            return ""
        raise InputError(f"{len(names)} {column}s, and none is named", file=self.source, key=column, allowed=names)

    def series(
        self,
        metric: str | None = None,
        region: str | None = None,
        parameter: str | None = None,
        *,
        application: str | None = None,
        at: Mapping[str, float] | None = None,
        fewest: int = 3,
    ) -> Series:
        """Return a metric of a region over one parameter.

        Parameters
        ----------
        metric, region, application : str, optional
            May be left out where there is only one; the region also where the whole program was measured.
        parameter : str, optional
            Default: the only one that varies.
        at : mapping of str to float, optional
            Values of the other parameters that vary; each one's largest by default, which is told.
        fewest : int
            Refuse a series of fewer sizes.

        Raises
        ------
        InputError
            An unknown or missing name, no rows, too few sizes.
        """
        rows = self.rows(metric, region, application=application)
        varying = [name for name in self.parameters if rows[name].nunique() > 1]
        axis = self._axis(parameter, varying)
        notes: list[str] = []
        given = dict(at or {})
        for name in given:
            if name not in self.parameters or name == axis:
                others = [parameter for parameter in self.parameters if parameter != axis]
                raise InputError(
                    f"no other parameter '{name}'", key="at", allowed=others, wrong=name, candidates=others
                )
        for name in (
            parameter
            for parameter in self.parameters
            if parameter != axis and (parameter in given or parameter in varying)
        ):
            value = given.get(name, float(rows[name].max()))
            if name not in given:
                notes.append(f"{name} is held at its largest value, {value:g}")
            kept = rows[np.isclose(rows[name], value, rtol=1e-9, atol=0.0)]
            if not len(kept):
                values = [f"{size:g}" for size in sorted(rows[name].unique())]
                raise InputError(f"nothing was measured at {name} = {value:g}", file=self.source, allowed=values)
            rows = kept
        return Series.of(rows, axis, fewest=fewest, warnings=notes, source=self.source)

    def rows(
        self, metric: str | None = None, region: str | None = None, *, application: str | None = None
    ) -> pd.DataFrame:
        """Return the rows of whole runs of a metric in a region; names as for `series`.

        Raises
        ------
        InputError
            An unknown or missing name, no rows, single ranks only.
        """
        rows = self.table
        for column, name in (("application", application), ("metric", metric), ("region", region)):
            rows = rows[rows[column] == self._only(column, name, rows)]
        if rows["rank"].notna().all() and len(rows):
            raise InputError(
                f"'{rows['metric'].iloc[0]}' is measured per rank",
                file=self.source,
                allowed="metrics of whole runs, such as a mean or a maximum over the ranks",
            )
        rows = rows[rows["rank"].isna()]
        if not len(rows):
            raise InputError("no rows of this metric in this region", file=self.source, allowed=self.metrics)
        return rows

    def _axis(self, parameter: str | None, varying: Sequence[str]) -> str:
        if parameter is not None:
            if parameter not in self.parameters:
                raise InputError(
                    f"no parameter '{parameter}'",
                    file=self.source,
                    allowed=self.parameters,
                    wrong=parameter,
                    candidates=self.parameters,
                )
            return parameter
        if len(varying) == 1:
            return varying[0]
        if not varying and len(self.parameters) == 1:
            return self.parameters[0]
        fault = "several parameters vary" if varying else "no parameter varies"
        raise InputError(fault, file=self.source, key="parameter", allowed=list(varying or self.parameters))

    def reduced(self, how: Reduction = "median") -> pd.DataFrame:
        """Return one row per application, region, metric and parameters.

        Parameters
        ----------
        how : "median", "first quartile", "mean" or "minimum"
            What becomes of the repetitions.

        Returns
        -------
        DataFrame
            The columns of `table` without ``repetition``; ``repetitions`` says how many there were. Rows of single
            ranks stay apart.
        """
        keys = ["application", "region", "metric", *self.parameters, "rank", "unit", "litmus"]
        groups = self.table.groupby(keys, sort=False, dropna=False)["value"]
        table: Any = groups.agg(lambda values: reduce_repetitions(values.to_numpy(), how)).reset_index()
        table["repetitions"] = groups.size().to_numpy()
        return table
