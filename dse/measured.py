"""Measured beside computed: how far the models of a study can be trusted, judged by a user's own measurements.

>>> import dse.measured
>>> from dse import Study
>>> import pandas as pd
>>> runs = pd.DataFrame({"nodes": [1, 2], "cores": [8, 8], "frequency": ["1.8 GHz"] * 2, "run_time": ["16 s", "9 s"]})
>>> told = dse.measured.compare(Study.load("hybrid-xeon-sp"), runs)
>>> told.quantities["run_time"].statistics["n"]
2
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dse.analysis.measured.comparison import MeasuredComparison, compare_measured
from dse.api import Study as Loaded
from dse.report.measured.figure import scatter_figure, scatter_view
from dse.report.measured.page import write_measured
from dse.study.study import Study

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

__all__ = ["Comparison", "compare"]


class Comparison(MeasuredComparison):  # noqa: D101
    __doc__ = MeasuredComparison.__doc__

    def figure(self, quantity: str | None = None, *, bands: Sequence[float] = (0.1, 0.2)) -> go.Figure:
        """Draw computed over measured values with the line on which they are equal, as a plotly figure.

        Parameters
        ----------
        quantity : str, optional
            Default: the first.
        bands : sequence of float
            Errors whose bands are drawn.
        """
        return scatter_figure(scatter_view(self, quantity or next(iter(self.quantities)), bands))

    def report(self, path: str | Path, *, bands: Sequence[float] = (0.1, 0.2)) -> Path:
        """Write a page of figures, statistics and rows, and return the file."""
        return write_measured(self, path, bands)


def compare(
    study: Study | str | Path,
    table: str | Path | pd.DataFrame,
    *,
    group_by: str | Sequence[str] = (),
    quantities: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    rows: str | None = None,
    use: Mapping[str, str] | Sequence[Mapping[str, str]] = (),
    limit: str | float | Iterable[str | float] = (),
    limit_mean: str | float | Iterable[str | float] = (),
    least_rank: str | float | Iterable[str | float] = (),
    strict: bool = False,
) -> Comparison:
    """Compare a table of measurements with what the models of a study give; nothing is fitted.

    Parameters
    ----------
    study : Study, str or path
        Or its file or name.
    table : path or DataFrame
        ``.csv``, ``.csv.gz``, ``.parquet`` or a pandas table: a row per measured configuration.
    group_by, quantities, ignore : str or sequence of str
        Columns that are labels; the measured quantities that count; columns that mean nothing.
    rows : str, optional
        "0:10": the first ten rows only; "10:": the others.
    use : dict or sequence of dict
        Components of slots with which the table is compared too.
    limit, limit_mean, least_rank
        Largest error, largest mean error, least correlation of the ranks: "20 %", 0.2, or "run_time=20 %".
    strict : bool
        Whether a row that cannot be compared fails.

    Returns
    -------
    Comparison
    """
    own = study if isinstance(study, Study) else Loaded.load(study)
    comparison = compare_measured(
        own,
        table,
        group_by=_listed(group_by),
        quantities=_listed(quantities),
        ignore=_listed(ignore),
        rows=rows,
        use=[use] if isinstance(use, Mapping) else list(use),
        limit=_limits(limit),
        limit_mean=_limits(limit_mean),
        least_rank=_limits(least_rank),
        strict=strict,
    )
    return Comparison(**vars(comparison))


def _listed(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _limits(given: str | float | Iterable[str | float]) -> list[str | float]:
    return [given] if isinstance(given, (str, float, int)) else list(given)
