"""Files of a user read within a bound, and CSV tables of them as texts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from dse.errors import InputError

__all__ = ["head_of", "read_bounded", "read_text_table"]

_HEAD = 65_536


def read_bounded(file: Path, largest: int) -> bytes:
    """Return what a file holds.

    Raises
    ------
    InputError
        It cannot be read, or has more than `largest` bytes.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(largest + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None
    if len(data) > largest:
        raise InputError("is too large", file=file, allowed=f"at most {largest:,} bytes")
    return data


def head_of(file: Path) -> str:
    """Return the first line that is neither empty nor a comment (``#``), of the first 64 KiB; empty without one.

    Raises
    ------
    InputError
        It cannot be read.
    """
    try:
        with file.open(encoding="utf-8-sig", errors="replace") as stream:
            lines = stream.read(_HEAD).splitlines()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=file) from None
    return next((line for line in lines if line.strip() and not line.startswith("#")), "")


def read_text_table(file: Path, largest: int) -> Any:
    """Return a CSV table whose cells are texts; lines that begin with ``#`` are left out.

    Raises
    ------
    InputError
        It cannot be read, is too large (bytes), or is no table.
    """
    import pandas as pd

    data = io.BytesIO(read_bounded(file, largest))
    try:
        return pd.read_csv(data, dtype=str, skipinitialspace=True, comment="#", keep_default_na=False)
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"is no CSV table: {str(error).splitlines()[0]}", file=file) from None
