"""Enumerations: functions that list every shape a study asks for, as the rows of an axis, and count what they refuse.

    @enumeration(source="this file: the divisors of the number of nodes")
    def mesh(*, nodes: Annotated[int, Field(ge=1, description="a whole number >= 1")], radix: int) -> Enumerated:
        "Every full mesh of so many nodes."
        ...
        return Enumerated(
            {"mesh_switches": a, "nodes_per_switch": p}, labels, considered=812, refused={"radix over 64": 700}
        )

The keys of the columns are names of quantities that the models of the study declare; their units come from there. The
arguments are the options a study writes under ``given``: keyword-only, checked by pydantic against their annotations;
the description of an annotation is what a message says is allowed.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, get_args, get_type_hints

import numpy as np

from dse.authoring.watch.faults import line_of
from dse.authoring.watch.validation import refuse_faulty_validation
from dse.errors import InputError, ModelError
from dse.units import format_number

__all__ = ["LARGEST", "NO_SHAPE", "Enumerated", "Enumeration", "enumeration", "refusals_text", "refuse_many"]

LARGEST = 2_000_000  # rows
NO_SHAPE = "no shape is left"
"""How the message begins that nothing fits the options of an enumeration."""


@dataclass(frozen=True, eq=False)
class Enumerated:
    """What an enumeration found.

    Attributes
    ----------
    columns : dict of str to ndarray
        The quantities of each row, SI floats, all of the same length. NaN, a figure that is not known, is for the
        references of a study only.
    labels : sequence of str
        What each row is called; each once.
    considered : int
        Candidates looked at: the rows and those refused.
    refused : dict of str to int
        In plain words why candidates were refused, and how many.
    sources, confidences : sequence of str
        Of each row, where rows have their own; else the source of the enumeration, and no confidence.
    validations : sequence of str
        How well the law each row is used with held for real machines, in words; empty of rows where nothing is known.
    joined, parts : str and sequence of str
        What rows that have a part in common are named by ("device"), and that part of each row: boards of one device.
    naming : callable, optional
        What people read in place of a label that is a code, from the columns of its row by name, as whole numbers; of
        different rows it differs.
    """

    columns: Mapping[str, np.ndarray]
    labels: Sequence[str]
    considered: int
    refused: Mapping[str, int] = field(default_factory=dict)
    sources: Sequence[str] = ()
    confidences: Sequence[str] = ()
    validations: Sequence[str] = ()
    joined: str = ""
    parts: Sequence[str] = ()
    naming: Callable[..., str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {name: np.asarray(c, dtype=float) for name, c in self.columns.items()})
        for name in ("labels", "sources", "confidences", "validations", "parts"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "considered", int(self.considered))
        counts = {reason: int(count) for reason, count in self.refused.items() if count}
        object.__setattr__(self, "refused", dict(sorted(counts.items(), key=lambda item: -item[1])))

    @property
    def kept(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def short_names(self, rows: Sequence[int]) -> list[str]:
        """Return what people read in place of the labels of some rows: the labels, where there is nothing else."""
        if self.naming is None:
            return [self.labels[row] for row in rows]
        each = {name: values[list(rows)].astype(np.int64).tolist() for name, values in self.columns.items()}
        return [self.naming(**{name: own[place] for name, own in each.items()}) for place in range(len(rows))]

    @property
    def sha256(self) -> str:
        """Hash of the rows."""
        texts = [*self.labels, *self.sources, *self.confidences, *self.validations, *self.parts]
        digest = hashlib.sha256("\n".join(texts).encode())
        for name, values in self.columns.items():
            digest.update(name.encode() + np.ascontiguousarray(values, dtype="<f8").tobytes())
        return digest.hexdigest()

    def account(self) -> EnumerationAccount:
        """Return what was considered, kept and refused."""
        return {"considered": self.considered, "kept": self.kept, "refused": dict(self.refused)}


class EnumerationAccount(TypedDict):
    """What an enumeration considered, kept and refused."""

    considered: int
    kept: int
    refused: dict[str, int]


@dataclass(frozen=True)
class Enumeration:
    """A function marked with `enumeration`."""

    name: str
    function: Callable[..., Enumerated]
    source: str
    doc: str
    module: str

    def __call__(self, **options: object) -> Enumerated:
        """Call the plain function."""
        return self.function(**options)

    @property
    def label(self) -> str:
        """The name with its module, as messages show it."""
        return f"{self.module}.{self.name}"

    @property
    def file(self) -> Path:
        """The file it stands in."""
        return Path(self.function.__code__.co_filename)

    def rows(self, given: Mapping[str, object], *, empty: bool = False) -> Enumerated:
        """List the rows for the options of a study; `empty` allows figures that are not known, NaN.

        Raises
        ------
        InputError
            An unknown or missing option, or a value it cannot take; no row at all, or too many.
        ModelError
            The function fails, or what it returns does not fit together.
        """
        options = self._options(given)
        try:
            enumerated = self.function(**options)
        except (InputError, ModelError, MemoryError):
            raise
        except SystemExit as error:
            raise ModelError(f"{self.label} ends the program{line_of(error, self.function)}") from error
        except Exception as error:
            place = line_of(error, self.function)
            raise ModelError(f"{self.label} fails: {type(error).__name__}: {error}{place}") from error
        self._refuse_faulty(enumerated, empty)
        if not enumerated.kept:
            why = _listed(enumerated.refused) if enumerated.considered else "the options leave nothing to look at"
            raise InputError(f"{NO_SHAPE} of {format_number(enumerated.considered)} considered: {why}")
        refuse_many(enumerated.kept)
        return enumerated

    def _options(self, given: Mapping[str, object]) -> dict[str, object]:
        from pydantic import TypeAdapter, ValidationError

        hints = get_type_hints(self.function, include_extras=True)
        known = inspect.signature(self.function).parameters
        for name in given:
            if name not in known:
                raise InputError(
                    f"unknown option '{name}'", key=name, allowed=list(known), wrong=name, candidates=known
                )
        options = {}
        for name, argument in known.items():
            possible = _description(hints[name])
            if name not in given:
                if argument.default is inspect.Parameter.empty:
                    raise InputError("is missing", key=name, allowed=possible)
                continue
            try:
                options[name] = TypeAdapter(hints[name]).validate_python(given[name], strict=True)
            except ValidationError as error:
                shown = repr(given[name])
                shown = shown if len(shown) <= 60 else shown[:57] + "…"
                raise InputError(
                    f"{shown} is not possible", key=name, allowed=possible or error.errors()[0]["msg"]
                ) from None
        return options

    def _refuse_faulty(self, enumerated: object, empty: bool) -> None:
        if not isinstance(enumerated, Enumerated):
            raise ModelError(f"{self.label} must return Enumerated, not {type(enumerated).__name__}")
        for name, values in enumerated.columns.items():
            if values.shape != (enumerated.kept,):
                raise ModelError(
                    f"{self.label}: the column '{name}' has the shape {values.shape}, and there are "
                    f"{enumerated.kept} labels"
                )
            if not np.isfinite(values[~np.isnan(values)] if empty else values).all():
                raise ModelError(f"{self.label}: the column '{name}' has a value that is not finite")
        if not enumerated.columns:
            raise ModelError(f"{self.label} gives no column")
        for kind in ("sources", "confidences", "validations", "parts"):
            given = len(getattr(enumerated, kind))
            if given not in (0, enumerated.kept):
                raise ModelError(f"{self.label} gives {given} {kind}, and there are {enumerated.kept} labels")
        for label, text in zip(enumerated.labels, enumerated.validations, strict=False):
            try:
                refuse_faulty_validation(text)
            except InputError as error:
                raise ModelError(f"{self.label}: the validation of '{label}': {error}") from None
        if len(set(enumerated.labels)) != enumerated.kept:
            ((twice, _),) = Counter(enumerated.labels).most_common(1)
            raise ModelError(f"{self.label}: the label '{twice}' stands twice")
        if enumerated.considered != enumerated.kept + sum(enumerated.refused.values()):
            raise ModelError(
                f"{self.label}: {enumerated.considered} were considered, but {enumerated.kept} kept and "
                f"{sum(enumerated.refused.values())} refused"
            )


def enumeration(*, source: str) -> Callable[[Callable[..., Enumerated]], Enumeration]:
    """Make a function an enumeration, which an axis of a study can name: ``{ enumerate = "…", given = { … } }``.

    Parameters
    ----------
    source : str
        Where the rule for what is possible comes from.
    """

    def decorate(function: Callable[..., Enumerated]) -> Enumeration:
        where = f"{function.__module__}.{function.__qualname__}"
        if not source:
            raise ModelError(f"{where}: 'source' is empty; an enumeration without a source is not allowed")
        for argument in inspect.signature(function).parameters.values():
            if argument.kind is not inspect.Parameter.KEYWORD_ONLY:
                raise ModelError(f"{where}: argument '{argument.name}' must be keyword-only (after a *)")
            if argument.annotation is inspect.Parameter.empty:
                raise ModelError(f"{where}: argument '{argument.name}' needs an annotation")
        doc = inspect.cleandoc(function.__doc__ or "")
        return Enumeration(function.__name__, function, source, doc, function.__module__.removeprefix("dse.spaces."))

    return decorate


def refuse_many(rows: int) -> None:
    """Refuse more rows than an axis of shapes may have."""
    if rows > LARGEST:
        raise InputError(f"{format_number(rows)} shapes are left", allowed=f"at most {format_number(LARGEST)}")


def refusals_text(account: EnumerationAccount) -> str:
    """Say what `Enumerated.account` tells: considered, kept, and refused by reason."""
    shares = f"{format_number(account['kept'])} kept of {format_number(account['considered'])} considered"
    return f"{shares}; refused: {_listed(account['refused'])}" if account["refused"] else f"{shares}, none refused"


def _listed(refused: Mapping[str, int]) -> str:
    return "; ".join(f"{format_number(count)} × {reason}" for reason, count in refused.items())


def _description(hint: object) -> str | None:
    for part in get_args(hint)[1:]:
        description = getattr(part, "description", None)
        if description:
            return str(description)
    return None
