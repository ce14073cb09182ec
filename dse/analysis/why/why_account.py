"""What decides in a space, as it is kept: under ``why`` of the ``trust.json`` of a run, checked when it is read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from dse.analysis.why.membership import Membership
from dse.analysis.why.space_sensitivity import SpaceSensitivity
from dse.errors import InputError, RunFolderError, refuse_control
from dse.run.result.uncertainty_account import FILE, read_beside, write_beside

if TYPE_CHECKING:
    from pathlib import Path

    from dse.analysis.why.distance import Distance
    from dse.analysis.why.infeasible_part import Infeasible
    from dse.analysis.why.why import Absence, Decisive
    from dse.run.result.run import Run

__all__ = ["WhyAccount", "read_why", "write_why"]

KEY = "why"
_ALTERNATIVES, _AXES, _VALUES = 2_000, 1_000, 100_000  # the most that are read

Text = Annotated[str, StringConstraints(max_length=2_000)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class _Effects(_Record):
    main: float
    total: float
    feasible_main: float | None = None
    main_error: float | None = None
    total_error: float | None = None


_ByAxis = Annotated[dict[Text, _Effects], Field(max_length=_AXES)]


class _Sensitivity(_Record):
    logarithms: bool
    effects: Annotated[
        dict[Text, Annotated[dict[Text, _ByAxis], Field(max_length=100)]], Field(max_length=_ALTERNATIVES)
    ]
    between: Annotated[dict[Text, float], Field(max_length=100)]
    estimated: Annotated[list[Text], Field(max_length=_ALTERNATIVES)]
    left_out: Annotated[dict[Text, Text], Field(max_length=100)]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for objectives in self.effects.values():
            if len({frozenset(axes) for axes in objectives.values()}) > 1:
                raise ValueError("objectives of an alternative have the same axes")
        return self


class _Value(_Record):
    share: Share
    regret: Annotated[float, Field(ge=0)] | Literal["infinite"] | None
    exact: bool


class _Membership(_Record):
    within: Share
    effects: Annotated[dict[Text, _ByAxis], Field(max_length=_ALTERNATIVES)]
    near: Annotated[dict[Text, Share], Field(max_length=_ALTERNATIVES)]
    values: Annotated[dict[Text, Annotated[dict[Text, _Value], Field(max_length=_VALUES)]], Field(max_length=_AXES)]
    left_out: Annotated[dict[Text, Text], Field(max_length=_ALTERNATIVES)]


class _Single(_Record):
    factor: float | None = None
    difference: float | None = None
    design: Count

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.factor is None) == (self.difference is None):
            raise ValueError("either a factor or a difference")
        return self


class _Limit(_Record):
    text: Text
    broken: Count
    least: float | None
    appears_at: float | None
    unit: Text
    design: Count | None


class _Infeasible(_Record):
    limits: Annotated[list[_Limit], Field(max_length=_AXES)]
    violation: float
    design: Count
    looked_at: Count
    every: bool


class _Absence(_Record):
    part: Text
    designs: Count
    feasible: Count | None
    own_frontier: Count
    on_frontier: Count
    factor: float | None
    design: Count | None
    single: Annotated[dict[Text, _Single], Field(max_length=100)]
    infeasible: _Infeasible | None = None
    named: Annotated[dict[Text, Annotated[dict[Text, Text], Field(max_length=_AXES)]], Field(max_length=_AXES)]

    @model_validator(mode="after")
    def _numbers(self) -> Self:
        if not all(name.isascii() and name.isdigit() and len(name) < 40 for name in self.named):
            raise ValueError("designs are named by their numbers")
        if (self.factor is None) != (self.design is None):
            raise ValueError("a factor is that of a design")
        return self

    def absence(self) -> Absence:
        from dse.analysis.why.why import Absence

        single = self.model_dump(exclude_none=True)["single"]
        far = {"factor": self.factor, "design": self.design, "single": single}
        none = None if self.infeasible is None else self.infeasible.model_dump()
        return Absence(
            self.part,
            self.designs,
            self.feasible,
            self.own_frontier,
            self.on_frontier,
            cast("Distance", far) if none is None else None,
            cast("Infeasible | None", none),
            None,
            {int(number): own for number, own in self.named.items()},
        )


class WhyAccount(_Record):
    """What decides in a space, as types: `dse.analysis.why.why.Decisive` as plain values.

    A regret that no number is large enough for is kept as ``"infinite"``, which JSON has no number for.
    """

    sensitivity: _Sensitivity
    sensitivity_of_logarithms: _Sensitivity
    membership: _Membership
    absent: Annotated[list[_Absence], Field(max_length=_ALTERNATIVES)]

    @classmethod
    def of(cls, decided: Decisive) -> WhyAccount:
        """Return the account of what was found.

        Raises
        ------
        ValidationError
            Something in it is not finite, or larger than what is read.
        """
        document = decided.as_dict()
        values = {
            axis: {
                name: {**own, "regret": "infinite" if own["regret"] == math.inf else own["regret"]}
                for name, own in several.items()
            }
            for axis, several in document["membership"]["values"].items()
        }
        return cls.model_validate({**document, "membership": {**document["membership"], "values": values}})

    def as_dict(self) -> dict[str, object]:
        """Return it as plain values for JSON."""
        return self.model_dump(exclude_unset=True)

    def decisive(self) -> Decisive:
        """Return what was found."""
        from dse.analysis.why.why import Decisive

        plain, logs, near = (
            account.model_dump(exclude_unset=True)
            for account in (self.sensitivity, self.sensitivity_of_logarithms, self.membership)
        )
        for several in near["values"].values():
            for own in several.values():
                own["regret"] = math.inf if own["regret"] == "infinite" else own["regret"]
        return Decisive(
            SpaceSensitivity(**plain),
            SpaceSensitivity(**logs),
            Membership(**near),
            [absent.absence() for absent in self.absent],
        )


def write_why(run: Run, decided: Decisive) -> Path | None:
    """Keep what decides in the space of a run in its folder; None where it is in memory only.

    Raises
    ------
    RunFolderError
        It cannot be kept: something in it is not finite, or larger than what is read.
    """
    try:
        account = WhyAccount.of(decided)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise RunFolderError(
            f"what decides is not kept, as it could not be read again: {place}: {error.errors()[0]['msg']}",
            file=None if run.folder is None else f"{run.folder}/{FILE}",
        ) from None
    return write_beside(run, KEY, account.as_dict())


def read_why(run: Run) -> Decisive | None:
    """Return what decides in the space of a run; None where nothing is stored, or it belongs to another state of it.

    Raises
    ------
    RunFolderError
        What is stored cannot be read.
    """
    again = f"dse why {run.folder}, which writes it again"
    stored = read_beside(run, KEY, again)
    if stored is None:
        return None
    try:
        refuse_control(stored)
        return WhyAccount.model_validate(stored).decisive()
    except (ValidationError, InputError, RecursionError):
        raise RunFolderError("is damaged", file=f"{run.folder}/{FILE}", key=KEY, allowed=again) from None
