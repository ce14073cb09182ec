"""Study files: found by their path or name, and read as TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from dse.errors import InputError
from dse.study.file.headings import bundled_studies

__all__ = ["TomlTable", "find_study", "key_path", "parse_toml", "read_toml"]

TomlTable: TypeAlias = dict[str, Any]
"""A table of a document, with whatever TOML can hold at its keys: the schema says what may stand where, not types."""

_LARGEST_FILE = 4 * 1024 * 1024
_DEEPEST = 1000  # dots of a line before its value
_DIGITS = re.compile(r"[0-9][0-9_]{4000,}")


def find_study(name: str) -> Path:
    """Return the file of a study: a path, or the name of a study that comes with the project."""
    path = Path(name)
    if path.suffix == ".toml" or (path.exists() and not (path.is_dir() and name in bundled_studies())):
        if path.is_dir():
            raise InputError(f"'{name}' is a folder", allowed="a study file (.toml) or the name of a study")
        if not path.is_file():
            beside = [str(p) for p in path.parent.glob("*.toml")] if path.parent.is_dir() else []
            raise InputError(f"no such study file '{name}'", wrong=name, candidates=beside)
        return path
    known = bundled_studies()
    if name not in known:
        raise InputError(
            f"unknown study '{name}'",
            allowed="a study file (.toml) or one of " + ", ".join(known),
            wrong=name,
            candidates=known,
        )
    return known[name]


def read_toml(path: Path) -> tuple[str, TomlTable]:
    """Read a TOML file and return its text and its document."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    if len(data) > _LARGEST_FILE:
        raise InputError(f"has {len(data)} bytes", file=path, allowed=f"at most {_LARGEST_FILE}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", file=path) from None
    return text, parse_toml(text, path)


def parse_toml(text: str, path: Path | str | None) -> TomlTable:
    """Parse the text of a study."""
    for number, content in enumerate(text.split("\n"), 1):
        # Python's reader takes the square of the parts of a key: 200,000 of them would take minutes.
        key = content if content.lstrip().startswith("[") else content.partition("=")[0]
        if key.count(".") > _DEEPEST and not key.lstrip().startswith("#"):
            raise InputError(f"line {number}: is nested too deeply", file=path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not valid TOML: {error}", file=path) from None
    except RecursionError:
        raise InputError("is nested too deeply", file=path) from None
    except ValueError:  # Python reads no whole numbers of more than 4,300 digits
        match = _DIGITS.search(text)
        line = f"line {text.count(chr(10), 0, match.start()) + 1}: " if match else ""
        fault = f"a whole number of {len(match[0].replace('_', ''))} digits" if match else "a whole number is too long"
        raise InputError(f"{line}{fault}", file=path, allowed="-1e300 to 1e300") from None


def key_path(location: Iterable[int | str]) -> str:
    """Write a place in a document as a person would: ``space.axes.frequency.values[3]``."""
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part != "[key]":
            text += f".{part}" if text else str(part)
    return text
