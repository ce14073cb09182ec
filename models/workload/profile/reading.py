"""Profile files: JSON or TOML, read with every check, written as JSON."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from dse.errors import InputError
from dse.models.workload.profile.checks import checked_document
from dse.models.workload.profile.documents import as_document, profile_of
from dse.models.workload.profile.profile import WorkloadProfile
from dse.models.workload.profile.schema import SCHEMA

__all__ = ["bundled_profiles", "parse_profile", "read_json", "read_profile", "write_profile"]

_LAWS = "dse-profile-laws/"
_LARGEST_FILE = 256 * 1024 * 1024


def bundled_profiles() -> dict[str, Path]:
    """Return the profiles that come with the project, by name."""
    folder = Path(str(files("dse.spaces"))) / "profiles"
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def read_profile(path: str | os.PathLike[str], *, strict: bool = True) -> WorkloadProfile:
    """Read a profile.

    Parameters
    ----------
    path : path or str
        A file (.json or .toml), or the name of a profile that comes with the project.
    strict : bool
        Whether an unknown key is an error, or a warning.

    Raises
    ------
    InputError
        The first fault, with the path of its key.
    """
    place = Path(path)
    known = bundled_profiles()
    if str(path) in known and not place.exists():
        place = known[str(path)]
    elif place.suffix == ".pisa":
        raise _of_pisa(place)
    elif place.suffix not in (".json", ".toml"):
        raise InputError(
            f"'{path}' is no profile",
            allowed=["a file that ends in .json or .toml", *known],
            wrong=str(path),
            candidates=known,
        )
    data = _bytes(place)
    try:
        document = _toml(data) if place.suffix == ".toml" else _json(data)
        if isinstance(document, dict) and "threads" in document and "schema" not in document:
            raise _of_pisa(place)
        if isinstance(document, dict) and str(document.get("schema", "")).startswith(_LAWS):
            raise InputError(
                "has laws of a program, not one profile",
                key="schema",
                allowed=f"{SCHEMA}; laws give one by: dse profile show {place} --at … --out FILE.json",
            )
        return parse_profile(document, strict=strict, file=str(place), sha256=hashlib.sha256(data).hexdigest())
    except InputError as error:
        raise error.within(file=place) from None


def _of_pisa(place: Path) -> InputError:
    """Return the error of a file that the PISA tool wrote, which is made a profile first."""
    written = place.with_suffix(".json") if place.suffix == ".pisa" else place.with_name(f"{place.stem}-profile.json")
    return InputError(
        "is a file of the PISA tool, no profile",
        file=place,
        allowed=f"a profile; one is made of it by: dse profile import {place} {written}",
    )


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file of any content; of a key that stands twice in a table the last value counts."""
    try:
        return _json(_bytes(Path(path)), unique=False)
    except InputError as error:
        raise error.within(file=path) from None


def parse_profile(document: Any, *, strict: bool = True, file: str = "", sha256: str = "") -> WorkloadProfile:
    """Make a profile from a document as JSON or TOML gives it, with every check."""
    spec, warnings = checked_document(document, strict=strict)
    return profile_of(spec, warnings, file=file, sha256=sha256)


def write_profile(profile: WorkloadProfile, path: str | os.PathLike[str]) -> Path:
    """Write a profile as JSON; `read_profile` gives the same back.

    Raises
    ------
    InputError
        The profile breaks a rule, or the file cannot be written.
    """
    place = Path(path)
    if place.suffix != ".json":
        raise InputError(f"'{path}' does not end in .json", allowed="a file name such as my-profile.json")
    document = as_document(profile)
    checked_document(document)
    try:
        place.write_text(_written(document) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=place) from None
    return place


def _bytes(path: Path) -> bytes:
    try:
        if path.is_file() and path.stat().st_size > _LARGEST_FILE:
            raise InputError(f"has {path.stat().st_size} bytes", file=path, allowed=f"at most {_LARGEST_FILE}")
        return path.read_bytes()
    except FileNotFoundError:
        beside = [str(other) for other in path.parent.glob("*.json")] if path.parent.is_dir() else []
        raise InputError(f"no such file '{path}'", wrong=str(path), candidates=beside) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})") from None


def _toml(data: bytes) -> Any:
    try:
        return tomllib.loads(_decoded(data))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {error}") from None
    except RecursionError:
        raise InputError("is nested too deeply") from None
    except ValueError:  # a whole number of more digits than Python reads
        raise InputError("is not valid TOML: a whole number of thousands of digits") from None


def _json(data: bytes, *, unique: bool = True) -> Any:
    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for key, value in pairs:
            if unique and key in content:
                raise InputError(f"the key '{key}' stands twice in one table")
            content[key] = value
        return content

    def constant(text: str) -> Any:
        raise InputError(f"{text} is no number", allowed="finite numbers")

    try:
        return json.loads(_decoded(data), object_pairs_hook=table, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise InputError(f"is not valid JSON: {error}") from None
    except RecursionError:
        raise InputError("is nested too deeply") from None
    except InputError as error:
        raise InputError(f"is not valid JSON: {error}") from None
    except ValueError:  # a whole number of more digits than Python reads
        raise InputError("is not valid JSON: a whole number of thousands of digits") from None


def _written(document: Mapping[str, Any]) -> str:
    """Return the document as JSON, short lists and tables on one line."""

    def write(value: Any, indent: int) -> str:
        flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if not isinstance(value, (dict, list)) or len(flat) + indent <= 110 or not value:
            return flat
        inner = " " * (indent + 2)
        if isinstance(value, dict):
            items = [f"{json.dumps(key, ensure_ascii=False)}: {write(item, indent + 2)}" for key, item in value.items()]
            return "{\n" + ",\n".join(inner + item for item in items) + "\n" + " " * indent + "}"
        pieces = [write(item, indent + 2) for item in value]
        if all("\n" not in piece and len(piece) < 40 for piece in pieces):
            return "[\n" + "\n".join(_filled(pieces, inner)) + "\n" + " " * indent + "]"
        return "[\n" + ",\n".join(inner + piece for piece in pieces) + "\n" + " " * indent + "]"

    return write(document, 0)


def _filled(pieces: list[str], inner: str) -> list[str]:
    lines, line = [], ""
    for place, piece in enumerate(pieces):
        text = piece + ("," if place < len(pieces) - 1 else "")
        if line and len(inner) + len(line) + 1 + len(text) > 120:
            lines.append(inner + line)
            line = ""
        line = f"{line} {text}".strip()
    return [*lines, inner + line]
