"""The record of the page: everything its plot, axes, table and panel show. Drawing adds no decisions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from dse.authoring.picture import Drawing
from dse.report.record.details import Details
from dse.report.record.limit_lines import LimitLine
from dse.report.record.neighbours import Neighbours
from dse.report.record.references import ReferenceView
from dse.report.words.shortlist import ShortList

__all__ = ["AxisView", "EffectView", "ExtraView", "ObjectiveView", "PageView", "Pick", "PictureView", "ShortView"]
__all__ += ["ValidationView"]


class ObjectiveView(NamedTuple):
    """An objective: SI `values` of every row, `ranks` (1: best) of the frontier's; ``values / scale`` is in `shown`."""

    quantity: str
    sense: str
    unit: str
    scale: float
    shown: str
    doc: str
    values: np.ndarray
    ranks: np.ndarray
    best: float
    worst: float


class AxisView(NamedTuple):
    """A choice: the values it takes on the page (`texts`, or SI `values`), and for every row which (`codes`).

    The code after the last value stands for "none": an axis that another alternative has. Where `of` names a part axis,
    this is no choice of its own but the confidence of the part.
    """

    name: str
    unit: str
    scale: float
    shown: str
    doc: str
    texts: tuple[str, ...] | None
    values: np.ndarray | None
    codes: np.ndarray
    of: str = ""


class ValidationView(NamedTuple):
    """How well the laws of the parts of an axis held for real machines; `name` is that of the column in exports.

    Of each part with such a text there is its label (`parts`) and the text (`texts`), and for every row which
    (`codes`); the code after the last stands for "none".
    """

    axis: str
    name: str
    parts: tuple[str, ...]
    texts: tuple[str, ...]
    codes: np.ndarray


class ExtraView(NamedTuple):
    """Another column of the frontier: texts or SI values of its rows only."""

    name: str
    unit: str
    scale: float
    shown: str
    doc: str
    texts: tuple[str, ...] | None
    values: np.ndarray | None


class Pick(NamedTuple):
    """A button that selects a design: what it is called, what it does, and the row (-1: the page works it out)."""

    name: str
    told: str
    row: int


class EffectView(NamedTuple):
    """What a percent more of an input would change: percent of an objective, and how that is known.

    `below` is the percent as the input falls, None where it is the same or not known; `one_sided` tells which.
    """

    input: str
    value: float | None
    unit: str
    elasticity: float
    kind: str
    below: float | None = None
    one_sided: bool = False


class ShortView(NamedTuple):
    """The short list on the page.

    Attributes
    ----------
    list : ShortList
    rows : tuple of int
        Row of the page of each line, -1 for a reference.
    effects : tuple
        Of each line, for each objective, the inputs with the largest effects; empty where they are not known.
    """

    list: ShortList
    rows: tuple[int, ...]
    effects: tuple[tuple[tuple[EffectView, ...], ...], ...]


class PictureView(NamedTuple):
    """A picture and the rows of the page it is of, the best design first; `drawing` is the reason where it fails."""

    title: str
    rows: tuple[int, ...]
    drawing: Drawing | str


class PageView(NamedTuple):
    """Everything the interactive part of the page shows. Rows are designs: the frontier's first, then others.

    Attributes
    ----------
    name : str
    exact, synthetic : bool
    alternatives, constraints : tuple of str
    numbers, kinds, violated, products : ndarray
        By row: design number; 0 frontier, 1 dominated, 2 infeasible; the first constraint that is violated (-1: none,
        or not recorded); the alternative.
    places : ndarray of int
        By row of the frontier on the page: which design of it that is in the order of the first objective, from 1: its
        name is ``A`` and this number (`dse.run.result.design_names`).
    objectives : tuple of ObjectiveView
    axes : tuple of AxisView
        Axes that vary, the alternative first where there are several. Empty of values for rows without a study.
    extras : tuple of ExtraView
    outside : tuple of str
        What is extrapolated; `extrapolated` has for each row a place in it (0: nothing, or not known).
    details : Details or None
        Breakdowns, bounds and slacks of the first rows.
    picks : tuple of Pick
    frontier : int
        Designs on the frontier, drawn or not.
    complete : bool
        Whether every design of the space is on the page, so that each design has its neighbours there.
    notes : tuple of str
        Which designs are on the page.
    missing : str
        Why some designs have no details.
    command : str
        The command that explains a design, up to its number.
    place : str
        Where the whole frontier stands.
    pictures : tuple of PictureView
        What designs of the frontier look like.
    looks : int
        Different pictures there are of the frontier, drawn or not.
    references : tuple of ReferenceView
        Systems beside the space.
    short : ShortView
        The designs to look at first.
    validations : tuple of ValidationView
        Of part axes whose catalogues have such texts, whether they vary or not.
    labels : mapping of str to str
        What people read instead of names, where that is more than the name with blanks.
    errors : tuple of tuple
        Of each objective, by alternative, the published mean relative error of its model; None where none is.
    limit_lines : tuple of LimitLine
        Constraints that hold a quantity on one side of a constant.
    neighbours : Neighbours or None
        What one step along each axis would change; None where no model may run.
    sure : ndarray or None
        By row of the frontier: 0 certain, 1 on the frontier in half of the draws or more, 2 in fewer; None where nobody
        has looked.
    sure_words : str
        What designs of 0 are called.
    """

    name: str
    exact: bool
    synthetic: bool
    alternatives: tuple[str, ...]
    constraints: tuple[str, ...]
    numbers: np.ndarray
    places: np.ndarray
    kinds: np.ndarray
    violated: np.ndarray
    products: np.ndarray
    objectives: tuple[ObjectiveView, ...]
    axes: tuple[AxisView, ...]
    extras: tuple[ExtraView, ...]
    outside: tuple[str, ...]
    extrapolated: np.ndarray
    details: Details | None
    picks: tuple[Pick, ...]
    frontier: int
    complete: bool
    notes: tuple[str, ...]
    missing: str
    command: str
    place: str
    pictures: tuple[PictureView, ...] = ()
    looks: int = 0
    references: tuple[ReferenceView, ...] = ()
    short: ShortView = ShortView(ShortList((), (), (), {}, (), ""), (), ())
    validations: tuple[ValidationView, ...] = ()
    labels: Mapping[str, str] = MappingProxyType({})
    errors: tuple[tuple[float | None, ...], ...] = ()
    limit_lines: tuple[LimitLine, ...] = ()
    neighbours: Neighbours | None = None
    sure: np.ndarray | None = None
    sure_words: str = ""
