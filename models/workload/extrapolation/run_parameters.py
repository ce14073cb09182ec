"""The parameters of profiles: numbers of the application's input, and how many processes and threads ran it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dse.errors import InputError
from dse.models.measured_laws.fitting.parameters import Parameter
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["RunParameters", "read_parameters"]

_OF_RUN = ("processes", "threads")


@dataclass(frozen=True)
class RunParameters:
    """The parameters of several profiles and their values at the target.

    Attributes
    ----------
    varying : mapping of Parameter to tuple of float
        The values in each profile of those that laws are functions of.
    target : mapping of str to float
        Also those that do not vary.
    profiles : tuple of WorkloadProfile
    """

    varying: Mapping[Parameter, tuple[float, ...]]
    target: Mapping[str, float]
    profiles: tuple[WorkloadProfile, ...]

    def columns(self) -> list[tuple[Parameter, tuple[float, ...]]]:
        """Return each varying parameter with its values."""
        return list(self.varying.items())

    def at_target(self, name: str) -> Any:
        """Return a parameter's value at the target; one that is the same in all profiles keeps it."""
        return self.target.get(name, _values(self.profiles[0]).get(name))

    def application(self) -> dict[str, Any]:
        """Return the parameters of the application at the target."""
        return {
            name: _as_given(self.target[name], value) if name in self.target and name not in _OF_RUN else value
            for name, value in self.profiles[0].application.parameters.items()
        }

    def run(self) -> dict[str, Any]:
        """Return the table ``run`` of a document at the target."""
        run: dict[str, Any] = {}
        for name in _OF_RUN:
            value = self.at_target(name)
            if value is not None:
                run[name] = int(value)
        for name in ("compiler", "flags", "tool", "tool_version"):
            given = {getattr(profile.run, name) for profile in self.profiles}
            if len(given) == 1:
                run[name] = given.pop()
        return run


def read_parameters(
    profiles: Sequence[WorkloadProfile], target: Mapping[str, float], log2: Iterable[str]
) -> RunParameters:
    """Read the parameters of profiles of one program.

    Parameters
    ----------
    profiles : sequence of WorkloadProfile
    target : mapping of str to float
    log2 : iterable of str
        Parameters whose values are binary logarithms of a size.

    Raises
    ------
    InputError
        Different programs or inputs; a parameter of the target that a profile does not have, one that varies and is
        not in the target, and values that are no numbers.
    """
    first, logarithms = profiles[0], list(log2)
    known = list(dict.fromkeys(name for profile in profiles for name in _values(profile)))
    for place in ("target", "log2"):
        for name in target if place == "target" else logarithms:
            if name not in known:
                raise InputError(
                    f"'{name}' is no parameter of these profiles",
                    key=place,
                    allowed=known,
                    wrong=name,
                    candidates=known,
                )
    if not target:
        raise InputError("no target", allowed=[f"{name}=…" for name in known])
    for profile in profiles[1:]:
        if profile.application.name != first.application.name:
            raise InputError(
                f"is of the program '{profile.application.name}', {_place(first)} of '{first.application.name}'",
                file=_place(profile),
            )
    for name in target:
        _checked_target(name, target[name])
    varying: dict[Parameter, tuple[float, ...]] = {}
    for name in known:
        column = [_value(profile, name, name in target, first) for profile in profiles]
        same = all(value == column[0] for value in column)
        if name in target:
            numbers = tuple(float(value) for value in column)
            if not same:
                varying[Parameter(name, name in logarithms)] = numbers
            elif numbers[0] != target[name]:
                raise InputError(
                    f"{name} is {numbers[0]:g} in every profile, so nothing says how it matters",
                    key=f"target.{name}",
                    allowed=f"{numbers[0]:g}, or profiles with other values",
                )
        elif not same:
            given = ", ".join(map(str, sorted(set(column), key=str)[:5]))
            if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in column):
                raise InputError(f"{name} differs between the profiles ({given})", key="target", allowed=f"{name}=…")
            raise InputError(f"{name} differs between the profiles ({given})", allowed="profiles of one input")
    if not varying:
        raise InputError("the profiles all have the values of the target, so there is nothing to extrapolate")
    return RunParameters(varying, dict(target), tuple(profiles))


def _values(profile: WorkloadProfile) -> dict[str, Any]:
    parameters = dict(profile.application.parameters)
    for name in _OF_RUN:
        value = getattr(profile.run, name)
        if value is not None:
            if parameters.get(name, value) != value:
                raise InputError(
                    f"run.{name} is {value}, application.parameters.{name} is {parameters[name]}", file=_place(profile)
                )
            parameters[name] = value
    return parameters


def _value(profile: WorkloadProfile, name: str, wanted: bool, first: WorkloadProfile) -> Any:
    values = _values(profile)
    path = f"run.{name}" if name in _OF_RUN else f"application.parameters.{name}"
    if name not in values:
        if wanted:
            raise InputError(
                "is missing: every profile must have the parameters of the target", file=_place(profile), key=path
            )
        return None
    value = values[name]
    if wanted and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise InputError(f"{value!r} is no number", file=_place(profile), key=path)
    return value


def _checked_target(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"{name} = {value}", key="target", allowed="a finite number")
    if name in _OF_RUN and not (value >= 1 and value == int(value)):
        raise InputError(f"{name} = {value:g}", key="target", allowed="a whole number >= 1")


def _as_given(value: float, example: Any) -> int | float:
    return int(value) if isinstance(example, int) and value == int(value) else float(value)


def _place(profile: WorkloadProfile) -> str:
    return profile.file or profile.name
