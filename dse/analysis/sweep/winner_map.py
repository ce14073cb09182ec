"""A map of winners over two parameters: the best design at each pair of values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from dse.analysis.choose.constant_limits import ConstantLimit
from dse.analysis.choose.pick import Row
from dse.run.result.tables import Frontier

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Cell", "WinnerMap"]


@dataclass(frozen=True)
class Cell:
    """The best design at a pair of values (SI); None where nothing is feasible.

    `close` names the other winners of the map that are as good here within the model's error.
    """

    x: float
    y: float
    winner: str | None
    design: Row | None
    close: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class WinnerMap:
    """The best design over two parameters.

    Attributes
    ----------
    study, x, y, x_unit, y_unit : str
        The study; the two parameters or axes, and their SI units.
    rule : str
        What is best: "least time", "knee".
    by : list of str
        What designs are told apart by.
    objectives : list of str
        The quantities that are shown.
    cells : list of Cell
        Row by row of y, each by rising x.
    winners : list of str
        Those of all cells, the most frequent first.
    error : float or None
        The published mean relative error of what is best; None where no model states one, or for the knee.
    limits : list of ConstantLimit
        The limits of the study on what is shown.
    searches, evaluated : int
    units : dict of str to str
    synthetic : list of str
    labels : dict of str to str
        Words for people, of names whose words are more than the name.
    """

    study: str
    x: str
    y: str
    x_unit: str
    y_unit: str
    rule: str
    by: list[str]
    objectives: list[str]
    cells: list[Cell]
    winners: list[str]
    error: float | None
    limits: list[ConstantLimit]
    searches: int
    evaluated: int
    units: dict[str, str]
    synthetic: list[str]
    labels: dict[str, str]

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return asdict(self)

    @property
    def xs(self) -> list[float]:
        """The values of x."""
        return sorted({cell.x for cell in self.cells})

    @property
    def ys(self) -> list[float]:
        """The values of y."""
        return sorted({cell.y for cell in self.cells})

    @property
    def table(self) -> pd.DataFrame:
        """A row for each cell; ``units`` has the SI units."""
        cells: dict[str, list[object]] = {
            self.x: [cell.x for cell in self.cells],
            self.y: [cell.y for cell in self.cells],
            "winner": [cell.winner for cell in self.cells],
            "within_error": [", ".join(cell.close) for cell in self.cells],
        }
        for name in self.objectives:
            cells[name] = [cell.design.get(name) if cell.design else None for cell in self.cells]
        frame = Frontier(cells)
        known = {name: self.units[name] for name in self.objectives if name in self.units}
        frame.attrs["units"] = known | {self.x: self.x_unit, self.y: self.y_unit}
        return frame
