"""Whether the files of an archive are whole, seen before the library opens them.

The library reads a file into memory that it used before, and reads on in what is left there where a file was cut. Files
are chunks of one size (the anchor says which), each of records that say how long they are; the last chunk ends with a
mark. So only records that begin and end inside the file, up to the mark at its very end, are a whole file.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from dse.errors import InputError
from dse.models.replay.formats.otf2_archive.definitions import Definitions

__all__ = ["check_anchor", "check_definition_file", "check_event_files"]

_HEADER, _LITTLE = 18, 0x42
_END_OF_BUFFER, _END_OF_FILE, _CHUNK, _FIRST_RECORD = 1, 2, 3, 5
_TIME, _TIME_BYTES = 5, 9
"""Time stamps, in files of events: the only records that do not say how long they are."""


_FORMAT = bytes([0, 3, 2])
"""Version of the anchor's layout (bytes 6 to 8) that `check_anchor` knows, that of OTF2 2.0 to 3.2."""
_STRINGS, _BEHIND_STRINGS = 46, 16
"""Where machine, description and creator begin, and bytes of counts and of the trace behind them."""


def check_anchor(anchor: Path) -> None:
    """Check the anchor, unless it is of a layout that is not known here.

    Raises
    ------
    InputError
        One that was cut.
    """
    data = anchor.read_bytes()
    if data[6:9] != _FORMAT:
        return
    place = _behind_strings(data, _STRINGS, 3) + _BEHIND_STRINGS
    properties = int.from_bytes(data[place : place + 4], "little" if data[1] == _LITTLE else "big")
    place = _behind_strings(data, place + 4, 2 * min(properties, len(data)))
    if place >= len(data) or data[place] != _END_OF_FILE:
        raise InputError(f"the anchor has {len(data):,} bytes: it was cut", allowed="a whole archive")


def _behind_strings(data: bytes, place: int, count: int) -> int:
    """Return the byte behind so many strings that each end in 0; behind the end where they are not there."""
    for _ in range(count):
        end = data.find(b"\0", place) if place < len(data) else -1
        if end < 0:
            return len(data)
        place = end + 1
    return place


def check_definition_file(library: ModuleType, reader: Any, anchor: Path) -> None:
    """Check the file of the global definitions.

    Raises
    ------
    InputError
        One that is missing, or was cut.
    """
    if _has_plain_files(library, reader):
        _check(anchor.with_suffix(".def"), library.Reader_GetChunkSize(reader)[1], "its global definitions", "")


def check_event_files(library: ModuleType, reader: Any, anchor: Path, definitions: Definitions) -> None:
    """Check the files of each rank: its events, and its own definitions where it has any.

    Raises
    ------
    InputError
        One that is missing, or was cut, with the rank.
    """
    if not _has_plain_files(library, reader):
        return
    of_events, of_definitions = library.Reader_GetChunkSize(reader)
    folder = anchor.with_suffix("")
    for rank, location in enumerate(definitions.locations):
        what = f"rank {rank} (location {location})"
        _check(folder / f"{location}.evt", of_events, f"the events of {what}", f"rank {rank}", timed=True)
        own = folder / f"{location}.def"
        if own.is_file():
            _check(own, of_definitions, f"the definitions of {what}", f"rank {rank}")


def _has_plain_files(library: ModuleType, reader: Any) -> bool:
    """Return whether each location has files of its own, not compressed."""
    substrate = str(library.Reader_GetFileSubstrate(reader)).rpartition(".")[2]
    compression = str(library.Reader_GetCompression(reader)).rpartition(".")[2]
    return substrate == "POSIX" and compression == "NONE"


def _check(path: Path, chunk: int, what: str, key: str, *, timed: bool = False) -> None:
    if not path.is_file():
        raise InputError(f"{what} are missing: no file {path.name}", key=key, allowed="a whole archive")
    size = path.stat().st_size
    start = max(size - 1, 0) // chunk * chunk
    with path.open("rb") as file:
        file.seek(start)
        data = file.read(chunk)
    if len(data) < _HEADER or data[0] != _CHUNK:
        raise _cut(path, size, what, key, "begin with no header of a chunk")
    end = _end_of_records(data, timed)
    if end is None or start + end != size:
        raise _cut(path, size, what, key, "end in the middle of a record")


def _cut(path: Path, size: int, what: str, key: str, how: str) -> InputError:
    return InputError(f"{what} {how} ({path.name}, {size:,} bytes): it was cut", key=key, allowed="a whole archive")


def _end_of_records(data: bytes, timed: bool) -> int | None:
    """Return the byte behind the mark at the end of a file, or None where records end in no mark."""
    order: Literal["little", "big"] = "little" if data[1] == _LITTLE else "big"
    place, most = _HEADER, len(data)
    try:
        while place < most:
            kind = data[place]
            if timed and kind == _TIME:
                place += _TIME_BYTES
            elif kind == _END_OF_FILE:
                place += 1
                return place + 1 if place < most and data[place] == _END_OF_BUFFER else place
            elif kind >= _FIRST_RECORD:
                length = data[place + 1]
                if length == 0xFF:
                    length = 8 + int.from_bytes(data[place + 2 : place + 10], order)
                place += 2 + length
            else:
                return None
    except IndexError:
        return None
    return None
