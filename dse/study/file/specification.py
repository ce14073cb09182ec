"""A document of a study against the schema: every fault one sentence with its key path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, TypeGuard, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dse.errors import InputError, refuse_control, shown
from dse.study.file.reading import key_path
from dse.study.file.schema import StudySpec

__all__ = ["faults_of", "parse_spec"]

_SEVERAL_LINES = ("question", "source", "description", "constraints", "quantities")


def parse_spec(document: Mapping[str, object], file: Path | str | None = None) -> StudySpec:
    """Check a document against the schema.

    Raises
    ------
    InputError
        The first fault, with its key path, what is allowed and the nearest valid key.
    """
    refuse_control(document, file=file, lines=_SEVERAL_LINES)
    try:
        return StudySpec.model_validate(dict(document))
    except ValidationError as error:
        faults = error.errors()
        raise _as_input_error(faults, document, file) from None


def faults_of(document: Mapping[str, object]) -> list[InputError]:
    """Return every fault that a document has against the schema, one for each key, in the order of the schema."""
    try:
        parse_spec(document)
    except InputError as first:
        try:
            StudySpec.model_validate(dict(document))
        except ValidationError as error:
            by_key: dict[str | None, InputError] = {}
            for fault in error.errors():
                own = _as_input_error([fault], document, None)
                if fault["type"] != "missing" or not own.meant:  # else it stands there misspelt, and is told as that
                    by_key.setdefault(own.key, own)
            return [*by_key.values()]
        return [first]
    return []


def _as_input_error(
    faults: Sequence[ErrorDetails], document: Mapping[str, object], file: Path | str | None
) -> InputError:
    # Unknown keys first: a typo also makes the key it was meant to be a missing one.
    faults = sorted(faults, key=lambda fault: 0 if fault["type"] == "extra_forbidden" else 1)
    fault = faults[0]
    location = list(fault["loc"])
    # A union reports one fault per member; the member's tag is not a key of the file.
    while location and isinstance(location[-1], str) and location[-1] in _TAGS:
        location.pop()
    key = key_path(location)
    kind, more = fault["type"], len({tuple(f["loc"][: len(location)]) for f in faults}) - 1
    allowed: str | Iterable[str] | None = None
    wrong: str | None = None
    candidates: list[str] = []
    value = fault.get("input")
    if kind == "extra_forbidden":
        names = _keys_at(location[:-1])
        problem, allowed, wrong, candidates = f"unknown key '{location[-1]}'", names, str(location[-1]), names
    elif kind == "missing":
        problem = "is missing"
        given = document if len(location) == 1 else value
        names = [str(name) for name in given] if isinstance(given, Mapping) else []
        unknown = [name for name in names if name not in _keys_at(location[:-1])]
        candidates, wrong = unknown, str(location[-1]) if unknown else None
    elif kind == "literal_error":
        allowed = fault["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        problem, candidates = f"{shown(value)} is not known", str(allowed).split(", ")
        wrong = value if isinstance(value, str) else shown(value)
    elif kind == "string_pattern_mismatch":
        problem, allowed = (
            f"{shown(value)} is no valid name",
            "letters, digits and '_' (in the study's name '-' and '.' too)",
        )
    elif kind == "value_error":
        problem = str(fault["ctx"]["error"])
    elif kind in ("too_short", "too_long"):
        least, most = fault["ctx"].get("min_length"), fault["ctx"].get("max_length")
        problem = f"has {fault['ctx'].get('actual_length')} entries"
        allowed = f"at least {least}" if kind == "too_short" else f"at most {most}"
    else:
        problem, allowed = _fault_text(fault, location)
    if more > 0:
        problem += f" ({more} more fault{'s' if more > 1 else ''} in this file)"
    return InputError(
        problem,
        file=file,
        key=key,
        allowed=allowed if isinstance(allowed, str) or allowed is None else list(allowed),
        wrong=wrong,
        candidates=candidates,
    )


_TAGS = ("int", "constrained-int", "float", "str", "bool")
_WORDS = {  # the types of faults of pydantic, and what a person is told
    "list_type": ("is no list", "a list: [ … ]"),
    "tuple_type": ("is no list", "a list: [ … ]"),
    "dict_type": ("is no table", "a table: { key = value }"),
    "model_type": ("is no table", "a table"),
    "string_type": ("is no text", 'a text in quotes: "…"'),
    "int_type": ("is no whole number", "a whole number"),
    "int_parsing": ("is no whole number", "a whole number"),
    "int_from_float": ("is no whole number", "a whole number"),
    "bool_type": ("is neither true nor false", "true, false"),
    "bool_parsing": ("is neither true nor false", "true, false"),
    "truth_as_number": ("is no value", 'a number, or a text such as "2.6 GHz"'),
}


def _fault_text(fault: ErrorDetails, location: Sequence[int | str]) -> tuple[str, str | None]:
    """Return the problem and what is allowed for the faults of types and limits."""
    kind, value = fault["type"], fault.get("input")
    tag = fault["loc"][-1] if len(fault["loc"]) > len(location) else None
    if tag is not None and kind in ("greater_than_equal", "less_than_equal"):
        return f"{shown(value)} is too large", "-1e300 to 1e300"
    if tag in _TAGS:
        return f"{shown(value)} is no value", 'a number, or a text such as "2.6 GHz"'
    if kind in _WORDS:
        problem, allowed = _WORDS[kind]
        keys = _keys_at(location) if kind == "model_type" else []
        return f"{shown(value)} {problem}", allowed + (f" with the keys {', '.join(keys)}" if keys else "")
    if kind in ("greater_than_equal", "less_than_equal"):
        sign, limit = (">=", "ge") if kind == "greater_than_equal" else ("<=", "le")
        return f"{shown(value)} is out of range", f"{sign} {fault['ctx'][limit]}"
    if kind == "string_too_long":
        return f"{shown(value)} has {len(str(value))} characters", f"at most {fault['ctx']['max_length']}"
    return f"{shown(value)}: {fault['msg'][0].lower()}{fault['msg'][1:]}", None


def _keys_at(location: Sequence[int | str]) -> list[str]:
    """Return the keys the schema allows at a place."""
    kinds: list[object] = [StudySpec]
    for part in location:
        kinds = [inner for kind in kinds for inner in _inside(kind, part)]
    return next((list(kind.model_fields) for kind in kinds if _is_table(kind)), [])


def _is_table(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _inside(kind: object, part: int | str) -> list[object]:
    """Return the kinds that may stand at a key of a table, or at a place of a list."""
    if _is_table(kind):
        return _plain(kind.model_fields[part].annotation) if part in kind.model_fields else []
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is dict:
        return _plain(arguments[1])
    return [inner for argument in arguments for inner in _plain(argument)] if origin in (list, tuple) else []


def _plain(kind: object) -> list[object]:
    """Return the members of a union, without what annotates them."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _plain(arguments[0])
    return [inner for argument in arguments for inner in _plain(argument)] if origin in (Union, UnionType) else [kind]
