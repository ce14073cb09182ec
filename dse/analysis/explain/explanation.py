"""What an explanation holds: of one design, or of one system beside the space. ``--json`` is its dump."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NotRequired, TypedDict

from dse.analysis.explain.brackets import OtherEnd
from dse.run.result.notebook_html import html_heading, html_lines, html_table
from dse.units import format_number, with_unit

__all__ = [
    "Bound",
    "Breakdown",
    "ConstraintSlack",
    "Dominating",
    "Effect",
    "Explanation",
    "MeasuredFigure",
    "Neighbour",
    "Number",
    "ObjectiveValue",
    "Part",
    "RateBounds",
    "Sensitivity",
    "Side",
    "TreeNode",
    "Value",
]

Value = bool | int | float | str | None


class ObjectiveValue(TypedDict):
    """The value of an objective; None where it is not known."""

    quantity: str
    sense: str
    value: Value
    unit: str


class Part(TypedDict):
    """A part of a sum or of a maximum; `binds` and the distances to the whole are those of a maximum."""

    quantity: str
    value: float
    share: float | None
    binds: NotRequired[bool]
    distance: NotRequired[float]
    relative_distance: NotRequired[float | None]


class Breakdown(TypedDict):
    """A quantity that is the sum, or the maximum, of others: its parts, the largest first."""

    quantity: str
    value: float
    unit: str
    parts: list[Part]


class Bound(TypedDict):
    """What a resource allows on an axis of rates (`dse.analysis.explain.bottlenecks.RateBound`)."""

    quantity: str
    value: float
    of: str
    binds: bool
    contains: str


class RateBounds(TypedDict):
    """What is achieved on an axis of rates, and what each bound allows, the tightest first."""

    rate: str
    unit: str
    quantity: str
    achieved: float
    maxima: list[str]
    binding: list[str]
    bounds: list[Bound]


class ConstraintSlack(TypedDict):
    """A constraint, its two sides where it compares numbers, and how far the design is from breaking it."""

    text: str
    met: bool | None
    required_by: NotRequired[str]
    left: NotRequired[float]
    relation: NotRequired[str]
    right: NotRequired[float]
    unit: NotRequired[str]
    slack: NotRequired[float]
    relative_slack: NotRequired[float | None]


class Neighbour(TypedDict):
    """A design one step away along one axis, and what the step changes."""

    axis: str
    value: str
    confidence: NotRequired[str]
    design: int
    feasible: bool
    objectives: dict[str, float]
    change: dict[str, float | None]


class Side(TypedDict):
    """An effect as the input falls, where it is another one than as it rises."""

    elasticity: float | None
    derivative: float


class Effect(TypedDict):
    """What a percent more of an input would change of one quantity."""

    elasticity: float | None
    derivative: float | None
    below: Side | None
    unit: str
    kind: str
    one_sided: bool
    numeric: list[str]
    steps: list[str]
    unknown: list[str]
    reason: str


Sensitivity = TypedDict(
    "Sensitivity",
    {
        "input": str,
        "value": float,
        "unit": str,
        "whole": bool,
        "effects": dict[str, Effect],
        "from": str,
    },
)
"""What a percent more of an input would change, by quantity (`dse.analysis.explain.sensitivity.sensitivities`)."""


class Dominating(TypedDict):
    """A design of the frontier that beats the one explained."""

    row: int
    name: str
    design: int
    parameters: dict[str, str]
    objectives: dict[str, float]


class MeasuredFigure(TypedDict):
    """A measured figure of a reference, in SI."""

    quantity: str
    unit: str
    value: float
    column: str
    source: str


Number = TypedDict(
    "Number",
    {
        "name": str,
        "value": Value,
        "unit": str,
        "source": str,
        "needs": list[str],
        "doc": str,
        "from": str,
    },
)
"""A quantity with its value, unit, needs and source."""


TreeNode = TypedDict(
    "TreeNode",
    {
        "quantity": str,
        "value": Value,
        "unit": str,
        "source": str,
        "shared": bool,
        "needs": "list[TreeNode]",
        "from": str,
    },
)
"""A quantity with what it needs; one laid out elsewhere in the tree is `shared`."""


@dataclass(frozen=True)
class Explanation:
    """Where time and power of one design go, what binds, what a step would change, and every number's source.

    Attributes
    ----------
    study : str
        Name of the study.
    design : int or None
        Design number; None for a reference.
    parameters : dict of str to str
    on_frontier, feasible : bool or None
        None where it is not known.
    objectives : list of ObjectiveValue
    breakdowns : list of Breakdown
        Of every quantity that is a sum.
    bounds : list of Breakdown
        Of every quantity that is a maximum: which part binds, how far the others are from it.
    rates : list of RateBounds
        Of every quantity whose reciprocal has a name, such as instructions per cycle.
    constraints : list of ConstraintSlack
    neighbours : list of Neighbour
        One step along each axis.
    sensitivities : list of Sensitivity
    dominated_by : list of Dominating
        The nearest designs of the frontier that beat it.
    extrapolated : list of str
        What lies outside the range a model was validated on.
    synthetic : list of str
    numbers : list of Number
        Every quantity, in the order of the graph.
    tree : list of TreeNode
        Of each objective, the same numbers as they need each other, down to the inputs.
    reference : str or None
        Name of the reference, where it is one.
    measured : list of MeasuredFigure
        Figures of a reference that were measured.
    lacking : dict of str to str
        Quantities of a reference that are not known, and why.
    validation : dict of str to str
        By part axis: how well the law its part is used with held for real machines, where the catalogue says so.
    account : list of str
        What its models say of it first, a line each.
    other_ends : list of OtherEnd
        Its objectives with components that are the other end of a bracket.
    """

    study: str
    design: int | None
    parameters: dict[str, str]
    on_frontier: bool | None
    feasible: bool | None
    objectives: list[ObjectiveValue]
    breakdowns: list[Breakdown]
    bounds: list[Breakdown]
    rates: list[RateBounds]
    constraints: list[ConstraintSlack]
    neighbours: list[Neighbour]
    sensitivities: list[Sensitivity]
    dominated_by: list[Dominating]
    extrapolated: list[str]
    synthetic: list[str]
    numbers: list[Number]
    tree: list[TreeNode]
    reference: str | None = None
    measured: list[MeasuredFigure] = field(default_factory=list)
    lacking: dict[str, str] = field(default_factory=dict)
    validation: dict[str, str] = field(default_factory=dict)
    account: list[str] = field(default_factory=list)
    other_ends: list[OtherEnd] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON; what only a reference has, or some models say, is there for those."""
        only: tuple[str, ...] = ("reference", "measured", "lacking") if self.reference is None else ()
        only += tuple(name for name in ("account", "other_ends") if not getattr(self, name))
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name not in only}

    def _repr_html_(self) -> str:
        """Show in a notebook what it is, its objectives, where they go, what binds, and how far limits are."""
        who = self.reference if self.reference is not None else f"design {self.design}"
        chosen = ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        objectives = [(own["quantity"], own["sense"], with_unit(own["value"], own["unit"])) for own in self.objectives]
        sums = [
            (whole["quantity"], part["quantity"], with_unit(part["value"], whole["unit"]), _share(part["share"]))
            for whole in self.breakdowns
            for part in whole["parts"]
        ]
        binds = [
            f"{whole['quantity']} is bound by {part['quantity']}, {with_unit(part['value'], whole['unit'])}"
            for whole in self.bounds
            for part in whole["parts"]
            if part.get("binds")
        ]
        limits = [
            (limit["text"], _MET[limit["met"]], _share(limit.get("relative_slack"))) for limit in self.constraints
        ]
        beaten = [f"beaten by {other['name'] or other['design']}" for other in self.dominated_by[:1]]
        outside = [f"extrapolated in {', '.join(self.extrapolated)}"] if self.extrapolated else []
        made_up = [f"synthetic: {', '.join(self.synthetic)}"] if self.synthetic else []
        return "".join(
            [
                html_heading(f"{self.study}: {who}"),
                html_lines([*([chosen] if chosen else []), *beaten, *outside, *made_up, *binds]),
                html_table(["objective", "goal", "value"], objectives),
                html_table(["of", "part", "value", "share"], sums),
                html_table(["limit", "", "to spare"], limits),
            ]
        )


_MET = {True: "met", False: "broken", None: "not known"}


def _share(share: float | None) -> str:
    return "" if share is None else f"{format_number(100.0 * share, 3)} %"
