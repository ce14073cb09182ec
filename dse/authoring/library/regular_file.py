"""Files that somebody else may have put there: regular ones of bounded size, opened once, wherever links lead.

A named pipe waits for ever, a device never ends, a link shows what its reader may see and its author may not. So such a
file is looked at through the handle that is read from, and never opened a second time.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from dse.errors import InputError

__all__ = ["read_regular", "refuse_irregular"]

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_PIECE = 1 << 24


def read_regular(file: Path, largest: int, *, inside: Path | None = None) -> bytes:
    """Return the bytes of a file.

    Parameters
    ----------
    file : Path
    largest : int
        Bytes beyond which it is not read.
    inside : Path, optional
        The folder that no link may lead out of. Default: links may lead anywhere.

    Raises
    ------
    InputError
        It is no regular file, is too large, is a link out of the folder, or cannot be read.
    """
    if inside is not None:
        _refuse_link_out(file, inside)
    try:
        handle = os.open(file, _FLAGS)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None
    try:
        state = os.fstat(handle)
        _refuse_state(file, state, largest)
        pieces, remaining = [], largest + 1
        while remaining > 0 and (piece := os.read(handle, min(remaining, _PIECE))):
            pieces.append(piece)
            remaining -= len(piece)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None
    finally:
        os.close(handle)
    if remaining <= 0:  # it grew meanwhile
        raise InputError(f"has more than {largest} bytes", file=file)
    return b"".join(pieces)


def refuse_irregular(file: Path, largest: int, *, inside: Path) -> None:
    """Refuse what `read_regular` does, of a file that another library is to open by its name, if there is one."""
    if not os.path.lexists(file):
        return
    _refuse_link_out(file, inside)
    try:
        _refuse_state(file, file.stat(), largest)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from None


def _refuse_state(file: Path, state: os.stat_result, largest: int) -> None:
    if not stat.S_ISREG(state.st_mode):
        kinds = {stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(state.st_mode), "a device")
        raise InputError(f"is {kind}", file=file, allowed="a regular file")
    if state.st_size > largest:
        raise InputError(f"has {state.st_size} bytes", file=file, allowed=f"at most {largest}")


def _refuse_link_out(file: Path, inside: Path) -> None:
    try:
        within = file.resolve().is_relative_to(inside.resolve())
    except (OSError, RuntimeError):  # links that lead in a circle
        within = False
    if not within:
        raise InputError("is a link out of its folder", file=file, allowed="a file inside it")
