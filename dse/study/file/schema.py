"""The schema of a study file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, field_validator, model_validator
from pydantic_core import PydanticCustomError

__all__ = [
    "PART_NUMBER",
    "AlternativeSpec",
    "AnswerSpec",
    "AxisSpec",
    "MemberSpec",
    "ObjectiveSpec",
    "PickSpec",
    "QuantitySpec",
    "ReferenceSpec",
    "SearchSpec",
    "SpaceSpec",
    "StudySpec",
    "TableSpec",
    "TrustSpec",
    "UncertainSpec",
]


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("truth_as_number", "is no value")
    return value


Number = Annotated[
    Annotated[int, Field(ge=-(10**300), le=10**300)] | float | str,
    BeforeValidator(_no_truth),
    WithJsonSchema({"type": ["number", "string"]}),
]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80)]
QuantityName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(@[A-Za-z_][A-Za-z0-9_]*)*$", max_length=160)]
PART_NUMBER = r"([A-Za-z_][A-Za-z0-9_]*)\[([^\[\]]{1,80})\]"  # a column of one row of a part: node_price[small]
Label = Annotated[str, Field(min_length=1, max_length=80)]
AXIS_KINDS = ("values", "range", "powers_of_two", "linspace", "part", "enumerate")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class AxisSpec(_Strict):
    """One axis: exactly one of `values`, `range` (with `step`), `powers_of_two`, `linspace`, `part`, `enumerate`.

    `join` takes to each row of a part the row of another catalogue that one of its columns names: ``{ device =
    "machines/devices.csv" }``. Of its rows `only` keeps some, in the order of the axis, and `without` leaves some out:
    by label or by value. `set` gives rows of a part other numbers than the catalogue, by column and row:
    ``{ node_price = { small = "12 kUSD" } }``.
    """

    values: list[bool | Number] | None = None
    range: tuple[Number, Number] | None = None
    step: Number | None = None
    powers_of_two: tuple[Number, Number] | None = None
    linspace: tuple[Number, Number, int] | None = None
    part: str | None = None
    where: dict[str, object] = {}
    label: str | None = None
    enumerate: str | None = None
    given: dict[str, object] = {}
    unit: str | None = None
    only: Annotated[list[bool | Number], Field(min_length=1)] | None = None
    without: list[bool | Number] = []
    join: Annotated[dict[str, str], Field(max_length=1)] = {}
    set: dict[Identifier, Annotated[dict[str, Number], Field(min_length=1)]] = {}

    @model_validator(mode="after")
    def _one_kind(self) -> AxisSpec:
        kinds = [kind for kind in AXIS_KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            given = " and ".join(kinds) if kinds else "none"
            msg = f"an axis has exactly one of {', '.join(AXIS_KINDS)}; found {given}"
            raise ValueError(msg)
        for key, kind in (
            ("step", "range"),
            ("where", "part"),
            ("join", "part"),
            ("label", "part"),
            ("set", "part"),
            ("given", "enumerate"),
        ):
            if getattr(self, key) and kinds != [kind]:
                msg = f"'{key}' goes with '{kind}' only"
                raise ValueError(msg)
        return self


class ObjectiveSpec(_Strict):
    """A quantity to minimise or to maximise."""

    minimize: QuantityName | None = None
    maximize: QuantityName | None = None

    @model_validator(mode="after")
    def _one_sense(self) -> ObjectiveSpec:
        if (self.minimize is None) == (self.maximize is None):
            msg = "an objective has exactly one of minimize, maximize"
            raise ValueError(msg)
        return self

    @property
    def quantity(self) -> str:
        """The quantity that the search minimises or maximises."""
        return self.minimize if self.minimize is not None else str(self.maximize)

    @property
    def sense(self) -> Literal["min", "max"]:
        """Which of the two."""
        return "max" if self.maximize is not None else "min"


class QuantitySpec(_Strict):
    """A quantity of the study: an expression, alone or with a word on its sign."""

    expression: str
    signed: bool = False

    @model_validator(mode="before")
    @classmethod
    def _alone(cls, value: object) -> object:
        if isinstance(value, str):
            return {"expression": value}
        if not isinstance(value, dict):
            raise PydanticCustomError("string_type", "is no text")
        return value


class TableSpec(_Strict):
    """A CSV file and the rows of it that are meant."""

    file: str
    where: dict[str, object] = {}
    synthetic: bool | None = None


def _refuse_odd_names(names: Iterable[str], kind: str) -> None:
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,79}", name):
            msg = f"'{name}' is no name of {kind} (letters, digits, blanks, '.', '_', '+', '-')"
            raise ValueError(msg)


class AlternativeSpec(_Strict):
    """What an alternative adds to, or fixes in, the common space."""

    description: str = ""
    axes: dict[Identifier, AxisSpec] = {}
    set: dict[Identifier, Number] = {}
    use: dict[str, str] = {}
    tables: dict[Identifier, TableSpec] = {}


class ClassSpec(_Strict):
    """A class of references: those of which a quantity is in an interval, and the designs that are of it.

    `of` has, by choice, the members whose designs are of the class; without it the class has no design.
    """

    quantity: QuantityName
    least: float | None = None
    most: float | None = None
    of: dict[Identifier, list[str]] = {}


class LeftOutSpec(_Strict):
    """The quantities that hold what a law without the system gives over what was measured, and their distance."""

    ratio: QuantityName
    errors: QuantityName


class ReferenceSpec(AlternativeSpec):
    """Systems that stand beside the space, and which of their columns hold measured figures of which quantities.

    With `classes` they are held against the frontier: `like` are the quantities in which a design is like a system,
    `law_error` and `system_error` those that hold standard errors of logarithms (of the law of its part, and of one
    system from others like it), `doubted` the one that is 1 where its figures are doubted. `left_out` has by law what
    laws without the system give.
    """

    measured: dict[QuantityName, str] = {}
    classes: dict[str, ClassSpec] = {}
    like: list[QuantityName] = []
    law_error: QuantityName | None = None
    system_error: QuantityName | None = None
    doubted: QuantityName | None = None
    left_out: dict[str, LeftOutSpec] = {}


class MemberSpec(_Strict):
    """What a member of an index set (a process class, a workload) has of its own."""

    description: str = ""
    set: dict[Identifier, Number] = {}
    tables: dict[Identifier, TableSpec] = {}


class SpaceSpec(_Strict):
    """Common axes, and alternatives with their own, or choices whose product the alternatives are.

    By the values of the quantities in `split` each alternative is taken apart.
    """

    axes: dict[Identifier, AxisSpec] = {}
    alternatives: dict[str, AlternativeSpec] = {}
    choices: dict[Identifier, Annotated[dict[str, AlternativeSpec], Field(min_length=1)]] = {}
    exclude: list[str] = []
    split: list[QuantityName] = []

    @field_validator("alternatives")
    @classmethod
    def _names(cls, value: dict[str, AlternativeSpec]) -> dict[str, AlternativeSpec]:
        _refuse_odd_names(value, "an alternative")
        return value

    @field_validator("choices")
    @classmethod
    def _members(cls, value: dict[str, dict[str, AlternativeSpec]]) -> dict[str, dict[str, AlternativeSpec]]:
        for members in value.values():
            _refuse_odd_names(members, "a member of a choice")
        return value


class SearchSpec(_Strict):
    """How to search."""

    method: Literal["auto", "exhaustive", "bundles", "groups", "evolve"] = "auto"
    evaluations: Annotated[int, Field(ge=1)] | None = None
    jobs: Annotated[int, Field(ge=0, le=1024)] = 1
    count_infeasible: bool = False
    seed: Annotated[int, Field(ge=0)] = 0
    tolerance: str | dict[QuantityName, Number] | None = None
    budget: str | None = None


class PickSpec(_Strict):
    """A rule that picks one design, as in ``dse pick``: one of its kinds, and limits."""

    minimize: QuantityName | None = None
    maximize: QuantityName | None = None
    knee: Literal[True] | None = None
    weights: dict[QuantityName, Annotated[float, Field(ge=0, le=1e300)]] = {}
    order: list[QuantityName] = []
    within: Annotated[float, Field(ge=0, lt=1)] = 0.0
    where: list[str] = []

    @model_validator(mode="after")
    def _one_rule(self) -> PickSpec:
        kinds = ("minimize", "maximize", "knee", "weights", "order")
        given = [kind for kind in kinds if kind in self.model_fields_set and getattr(self, kind) is not None]
        if len(given) != 1:
            msg = f"a pick has exactly one of {', '.join(kinds)}; found {' and '.join(given) or 'none'}"
            raise ValueError(msg)
        if "within" in self.model_fields_set and given != ["order"]:
            raise ValueError("'within' goes with 'order' only")
        if given == ["weights"] and not any(self.weights.values()):
            raise ValueError("one of the weights must be above 0")
        if given == ["order"] and (not self.order or len(set(self.order)) < len(self.order)):
            raise ValueError("the order needs each of its objectives once")
        return self

    def as_dict(self) -> dict[str, object]:
        """Return what is given."""
        return self.model_dump(exclude_unset=True)


class AnswerSpec(_Strict):
    """What the answer begins with; default: the knee."""

    pick: PickSpec | None = None


class UncertainSpec(_Strict):
    """What is not known of a quantity: one of `within`, `from` and `to`, `error`."""

    within: Number | None = None
    from_: Number | None = Field(default=None, alias="from")
    to: Number | None = None
    error: Number | None = None
    shared: Annotated[float, Field(ge=0, le=1)] | None = None
    each: Identifier | None = None
    distribution: Literal["uniform", "triangular", "normal", "lognormal"] | None = None
    source: str = ""

    @model_validator(mode="after")
    def _one_kind(self) -> UncertainSpec:
        given = {"within": self.within, "from and to": self.from_, "error": self.error}
        kinds = [kind for kind, value in given.items() if value is not None]
        if len(kinds) != 1 or (self.from_ is None) != (self.to is None):
            raise ValueError("what is not known has exactly one of within, error, or both from and to")
        if self.shared is not None and self.error is None:
            raise ValueError("'shared' goes with 'error' only: what is 'within' or 'from' and 'to' is shared")
        if self.each is not None and self.within is None:
            raise ValueError("'each' goes with 'within' only")
        if self.distribution in ("normal", "lognormal") and self.from_ is not None:
            raise ValueError(f"'{self.distribution}' goes with 'within' or 'error', which are its standard deviation")
        return self


class TrustSpec(_Strict):
    """How ``dse trust`` looks at what is not known."""

    draws: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
    seed: Annotated[int, Field(ge=0)] = 0
    cells: Annotated[int, Field(ge=1, le=1_000_000)] = 256
    meets: Annotated[float, Field(ge=0, le=1)] = 0.95
    machines: bool = True


class StudySpec(_Strict):
    """A study: a question about a space of systems."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
    question: str = ""
    source: str = ""
    models: Annotated[list[str], Field(min_length=1)]
    constraints: list[str] = []
    also: list[QuantityName] = []
    quantities: dict[Identifier, QuantitySpec] = {}
    objectives: Annotated[list[ObjectiveSpec], Field(min_length=1, max_length=6)]
    use: dict[str, str] = {}
    set: dict[Identifier, Number] = {}
    tables: dict[Identifier, TableSpec] = {}
    space: SpaceSpec
    index: dict[Identifier, Annotated[dict[Identifier, MemberSpec], Field(min_length=1, max_length=64)]] = {}
    references: dict[str, ReferenceSpec] = {}
    lift: list[str] = []
    answer: AnswerSpec = AnswerSpec()
    labels: dict[QuantityName, Label] = {}
    search: SearchSpec = SearchSpec()
    uncertain: dict[QuantityName, UncertainSpec] = {}
    trust: TrustSpec = TrustSpec()

    @field_validator("references")
    @classmethod
    def _names(cls, value: dict[str, ReferenceSpec]) -> dict[str, ReferenceSpec]:
        _refuse_odd_names(value, "references")
        return value

    @field_validator("models")
    @classmethod
    def _inside(cls, value: list[str]) -> list[str]:
        for position, name in enumerate(value):
            if name in value[:position]:
                msg = f"the model '{name}' stands twice"
                raise ValueError(msg)
            if name.endswith(".py") and (Path(name).is_absolute() or ".." in Path(name).parts):
                msg = f"the model file '{name}' must be inside the folder of the study"
                raise ValueError(msg)
        return value
