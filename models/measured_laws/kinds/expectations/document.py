"""Files of expectations: which function should grow how, rules across them, and the litmus test (TOML)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dse.errors import InputError, refuse_control, shown
from dse.models.measured_laws.kinds.expectations.expectation import Expectation
from dse.models.measured_laws.kinds.expectations.rules import Rule
from dse.models.measured_laws.kinds.expectations.status_quo import LEVEL_LIMIT
from dse.models.measured_laws.tables.series import reduction_of

__all__ = ["ExpectationsFile", "FunctionEntry", "read_expectations"]

_LARGEST = 1_000_000
_Text = Annotated[str, Field(min_length=1, max_length=1000)]


class FunctionEntry(BaseModel):
    """What is expected of a function, and where it was measured."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    growth: _Text | None = None
    deviation: _Text | None = None
    source: str = ""
    larger_is_better: bool = False
    region: str | None = None
    metric: _Text | None = None
    at: dict[str, float | int] = {}
    segments: bool | None = None


class ExpectationsFile(BaseModel):
    """A file of expectations."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    measurements: _Text | None = None
    parameter: _Text | None = None
    functions: Annotated[dict[str, FunctionEntry], Field(min_length=1, max_length=10_000)]
    rules: Annotated[list[_Text], Field(max_length=10_000)] = []
    litmus: _Text | None = None
    status_quo: _Text | None = None
    reduce: _Text | None = None
    segments: bool = False
    level_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] = LEVEL_LIMIT

    def expectations(self) -> dict[str, Expectation]:
        """Return the expectations that are written down."""
        expectations = {}
        for name, entry in self.functions.items():
            if entry.growth is None:
                if entry.deviation is not None:
                    raise InputError("a deviation from nothing", key=f"functions.{name}", allowed="a growth beside it")
                continue
            try:
                expectations[name] = Expectation.of(
                    entry.growth,
                    entry.deviation,
                    variable=self.parameter,
                    source=entry.source,
                    larger_is_better=entry.larger_is_better,
                )
            except InputError as error:
                raise error.within(key=f"functions.{name}") from None
        return expectations

    def checked_rules(self) -> list[Rule]:
        """Return the rules, their functions being known."""
        rules = []
        for place, text in enumerate(self.rules):
            try:
                rule = Rule.of(text)
                rule.check_names(self.functions)
            except InputError as error:
                raise error.within(key=f"rules[{place}]") from None
            rules.append(rule)
        return rules

    def segmented(self, everything: bool) -> list[str]:
        """Return the functions that may have two laws."""
        default = everything or self.segments
        return [
            name
            for name, function in self.functions.items()
            if (default if function.segments is None else function.segments)
        ]


def read_expectations(file: Path) -> ExpectationsFile:
    """Read a file of expectations.

    Raises
    ------
    InputError
        With the path of the key.
    """
    try:
        if file.stat().st_size > _LARGEST:
            raise InputError("is too long", file=file, allowed=f"at most {_LARGEST:,} bytes")
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", file=file) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=file) from None
    refuse_control(document, file=file)
    try:
        content = ExpectationsFile.model_validate(document)
    except ValidationError as error:
        raise _as_input_error(error.errors()[0], file) from None
    try:
        content.expectations()
        content.checked_rules()
        reduction_of(content.reduce or "median")
        names = list(content.functions)
        if content.litmus is not None and content.litmus not in names:
            raise InputError(
                f"no function '{content.litmus}'", key="litmus", allowed=names, wrong=content.litmus, candidates=names
            )
    except InputError as error:
        raise error.within(file=file) from None
    return content


def _as_input_error(fault: Any, file: Path) -> InputError:
    location = [str(part) for part in fault["loc"]]
    key = ".".join(location)
    if fault["type"] == "extra_forbidden":
        kind = FunctionEntry if len(location) > 2 else ExpectationsFile
        names = list(kind.model_fields)
        return InputError(
            f"unknown key '{location[-1]}'", file=file, key=key, allowed=names, wrong=location[-1], candidates=names
        )
    if fault["type"] == "missing":
        return InputError(f"'{key}' is missing", file=file, allowed='[functions.Bcast] with growth = "log p"')
    return InputError(f"{shown(fault['input'])}: {fault['msg'].lower()}", file=file, key=key)
