"""What the page needs to move unknowns: ``sliders.json`` beside the manifest it belongs to.

It is data that another program repeats, never a program text: numbers as base64 of float64, steps as names out of a
fixed list with the numbers of their operands. What is read is checked, as a run folder may come from anywhere.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from dse.evaluation.step_operations import OPERATIONS
from dse.run.disk.folder import RunFolder
from dse.run.disk.stored_document import as_type, read_document

if TYPE_CHECKING:
    from dse.run.result.run import Run

__all__ = ["SliderObjective", "SliderProduct", "SliderUnknown", "Sliders", "packed", "read_sliders", "write_sliders"]

FILE = "sliders.json"
_LARGEST = 8_000_000  # bytes of a file that is read


def packed(values: np.ndarray) -> str:
    """Return the bytes of an array, little-endian, as base64."""
    array = np.ascontiguousarray(values)
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode("ascii")


def _entries(text: str, size: int) -> list[float]:
    """Return the numbers that a text holds; ValueError where it is none of such."""
    result: list[float] = np.frombuffer(base64.b64decode(text, validate=True), "<f8" if size == 8 else "<u2").tolist()
    return result


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True, defer_build=True)


class SliderUnknown(_Record):
    """Something that is not known and can be moved: a value in SI, or a deviation where it is `relative`."""

    name: str
    unit: str
    low: float = Field(alias="from")
    high: float = Field(alias="to")
    relative: bool
    nominal: float
    weight: float


class SliderObjective(_Record):
    """A quantity, its unit, and whether it is to be minimised ("min") or maximised ("max")."""

    name: str
    unit: str
    sense: str


class SliderProduct(_Record):
    """Candidates of one alternative and their steps.

    Attributes
    ----------
    alternative : str
    positions : str
        Places of the candidates in the list of all, uint16.
    classes : str
        For each of them the row of the columns it has, uint16: equal in every input of the steps, equal throughout.
    rows : int
    columns : list of (str, str)
        The values of a column, and by row which of them it has (uint16); an empty text: one value per row.
    inputs : list of list of int
        By unknown that enters: the places in the list of unknowns that make it up.
    constants : str
    tables : list of str
    steps : list of (str, list of int)
    objectives, limits : list of int
    """

    alternative: str
    positions: str
    classes: str
    rows: int
    columns: list[tuple[str, str]]
    inputs: list[list[int]]
    constants: str
    tables: list[str]
    steps: list[tuple[str, list[int]]]
    objectives: list[int]
    limits: list[int]

    @model_validator(mode="after")
    def _arrays_are_whole(self) -> Self:
        classes, positions = _entries(self.classes, 2), _entries(self.positions, 2)
        if len(classes) != len(positions) or any(row >= self.rows for row in classes):
            raise ValueError("classes")
        for values, index in self.columns:
            count = len(_entries(values, 8))
            if len(_entries(index, 2) if index else [0] * count) != self.rows:
                raise ValueError("columns")
            if index and max(_entries(index, 2)) >= count:
                raise ValueError("columns")
        for numbers in (self.constants, *self.tables):
            _entries(numbers, 8)
        return self

    @model_validator(mode="after")
    def _steps_read_what_stands_before(self) -> Self:
        tables = len(self.columns) + len(self.inputs) + len(base64.b64decode(self.constants)) // 8
        place = tables + len(self.tables)
        for name, operands in self.steps:
            if name not in OPERATIONS or len(operands) != OPERATIONS[name].operands:
                raise ValueError(name)
            of_tables = {"lookup": [0], "interp": [1, 2]}.get(name, [0] if name.startswith("searchsorted") else [])
            for at, operand in enumerate(operands):
                in_table = tables <= operand < tables + len(self.tables)
                if not 0 <= operand < place or in_table != (at in of_tables):
                    raise ValueError(name)
            place += 1
        if any(not 0 <= result < place for result in [*self.objectives, *self.limits]):
            raise ValueError("results")
        return self


class Sliders(_Record):
    """What can be moved, and the designs among which the frontier is, wherever it is moved.

    Attributes
    ----------
    unknowns : list of SliderUnknown
    without : dict of str to str
        What cannot be moved, and why.
    refused : str
        Why nothing can be moved; empty where something can.
    objectives : list of SliderObjective
    candidates : list of int
        Designs, by number.
    labels : list of str
        What a person would call them.
    products : list of SliderProduct
    interpolated : bool
        Whether `numpy.interp` rounds twice here, as the page does.
    digest : str
        That of the manifest it belongs to.
    """

    unknowns: list[SliderUnknown]
    without: dict[str, str]
    refused: str
    objectives: list[SliderObjective]
    candidates: list[int]
    labels: list[str]
    products: list[SliderProduct]
    interpolated: bool
    digest: str = ""

    @model_validator(mode="after")
    def _products_are_of_these(self) -> Self:
        if len(self.labels) != len(self.candidates):
            raise ValueError("labels")
        held = sorted(place for product in self.products for place in _entries(product.positions, 2))
        if held != list(range(len(self.candidates))):
            raise ValueError("positions")
        for product in self.products:
            if len(product.objectives) != len(self.objectives):
                raise ValueError("objectives")
            terms = [*product.inputs, *([term] for pair in product.inputs for term in pair)]
            if any(not term or not 0 <= term[0] < len(self.unknowns) for term in terms):
                raise ValueError("inputs")
        return self

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return self.model_dump(by_alias=True)


def write_sliders(run: Run, sliders: Sliders) -> Path | None:
    """Write them into the folder of a run; None where it is in memory only."""
    if run.folder is None:
        return None
    text = json.dumps(sliders.as_dict(), separators=(",", ":"), allow_nan=False)
    return RunFolder(run.folder).write_text(FILE, text + "\n")


def read_sliders(run: Run) -> Sliders | None:
    """Return them; None where nothing is stored, or what is stored belongs to another state of the run.

    Raises
    ------
    RunFolderError
        The file cannot be read.
    """
    again = f"dse trust {run.folder}, which writes it again"
    document = read_document(run.folder, FILE, _LARGEST, again)
    if document is None:
        return None
    return as_type(Sliders, document, run.manifest.digest, Path(str(run.folder)) / FILE, again)
