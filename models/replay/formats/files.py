"""Reading and writing trace files, by what their names end in."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from dse.errors import InputError
from dse.models.replay.formats.chakra.nodes import is_chakra
from dse.models.replay.formats.chakra.reading import read_chakra
from dse.models.replay.formats.dumpi_text import is_dumpi, read_dumpi
from dse.models.replay.formats.otf2_archive.reading import is_otf2, read_otf2
from dse.models.replay.formats.otf2_archive.writing import write_otf2
from dse.models.replay.formats.paraver.reading import is_paraver, read_paraver
from dse.models.replay.formats.paraver.writing import write_paraver
from dse.models.replay.formats.table_format import (
    LARGEST_FILE,
    read_csv_trace,
    read_parquet_trace,
    write_csv_trace,
    write_parquet_trace,
)
from dse.models.replay.formats.text_files import texts_of
from dse.models.replay.formats.time_independent import checked_rate, read_time_independent
from dse.models.replay.formats.time_independent_writing import write_time_independent
from dse.models.replay.formats.written_times import EventTimes, measured_times
from dse.models.replay.trace.events import Trace

__all__ = ["bundled_traces", "is_made_of_times", "read_trace", "write_trace"]

_CSV, _PARQUET = (".csv", ".csv.gz"), (".parquet",)
_OTF2, _PARAVER = (".otf2",), (".prv",)
_TEXT = (".ti", ".txt", ".trace")


def bundled_traces() -> dict[str, Path]:
    """Return the traces that come with the project, by name."""
    folder = Path(str(files("dse.spaces"))) / "replay"
    return {path.name.removesuffix(".csv.gz"): path for path in sorted(folder.glob("*.csv.gz"))}


def read_trace(
    path: str | os.PathLike[str],
    *,
    flop_rate: float | None = None,
    type_sizes: Mapping[int, float] | None = None,
) -> Trace:
    """Read a trace.

    Parameters
    ----------
    path : path
        ``.csv``, ``.csv.gz`` or ``.parquet`` with the columns of `dse.models.replay.trace.assembling.COLUMNS`. Others
        are known by their content: the anchor of an OTF2 archive, or the folder it stands in; a trace of Paraver;
        execution traces of Chakra (JSON or protobuf), one for each rank beside the one that is named; a
        time-independent trace of SimGrid, or what ``dumpi2ascii`` writes, or a list of such files, one for each rank.
        Or the name of a trace that comes with the project.
    flop_rate : float, optional
        Flops per second of a rank; needed where a time-independent trace computes.
    type_sizes : mapping of int to float, optional
        Bytes of further types of these texts, by their codes.

    Returns
    -------
    Trace

    Raises
    ------
    InputError
        A file that cannot be read, or the first fault in it, with rank and event.
    """
    place, bundled = Path(path), bundled_traces()
    if str(path) in bundled and not place.exists():
        place = bundled[str(path)]
    try:
        checked_rate(flop_rate)
        place = _anchor_inside(place)
        if is_otf2(_beginning(place)):
            return read_otf2(place, named=place.name)
        if is_chakra(place.name, _beginning(place, 1 << 16)):
            return read_chakra(place, flop_rate=flop_rate, named=place.name)
        if is_paraver(_unpacked_beginning(place)):
            return read_paraver(place, named=place.name)
        if _ends(place, _PARQUET):
            _refuse_large(place, place.stat().st_size)
            return read_parquet_trace(place, named=place.name)
        data = _bytes(place)
        if _ends(place, _CSV):
            return read_csv_trace(data, named=place.name)
        folder = None if place.is_symlink() else place.parent
        texts = texts_of(data, folder, LARGEST_FILE)
        if is_dumpi(texts[0][1]):
            return read_dumpi(texts, type_sizes=type_sizes, named=place.name)
        return read_time_independent(texts, flop_rate=flop_rate, type_sizes=type_sizes, named=place.name)
    except InputError as error:
        raise error.within(file=place) from None
    except FileNotFoundError:
        beside = [str(other) for other in place.parent.glob("*")] if place.parent.is_dir() else []
        beside += bundled
        raise InputError(f"no such file '{path}'", wrong=str(path), candidates=beside) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=place) from None


def write_trace(trace: Trace, path: str | os.PathLike[str], times: EventTimes | None = None) -> Path:
    """Write a trace as its name ends: .csv, .csv.gz, .parquet, .otf2, .prv, or SimGrid's text (.ti, .txt, .trace).

    Parameters
    ----------
    trace : Trace
    path : path
    times : EventTimes, optional
        For the formats that are made of times: when each event begins and ends; as measured unless given.

    Raises
    ------
    InputError
        Another ending, a file that cannot be written, or events that the format has no words for.
    """
    place = Path(path)
    try:
        if _ends(place, _CSV):
            write_csv_trace(trace, place)
        elif _ends(place, _PARQUET):
            write_parquet_trace(trace, place)
        elif _ends(place, _OTF2):
            write_otf2(trace, place, times if times is not None else measured_times(trace))
        elif _ends(place, _PARAVER):
            write_paraver(trace, place, times if times is not None else measured_times(trace))
        elif _ends(place, _TEXT):
            write_time_independent(trace, place)
        else:
            raise InputError(f"'{path}' has no known ending", allowed=[*_CSV, *_PARQUET, *_OTF2, *_PARAVER, *_TEXT])
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=place) from None
    return place


def is_made_of_times(path: str | os.PathLike[str]) -> bool:
    """Return whether the format that a name stands for holds times, and no seconds of computing."""
    return _ends(Path(path), (*_OTF2, *_PARAVER))


def _anchor_inside(place: Path) -> Path:
    """Return the anchor of the archive that a folder holds, or what is no folder as it is."""
    anchors = sorted(place.glob("*.otf2")) if place.is_dir() else []
    return anchors[0] if len(anchors) == 1 else place


def _beginning(place: Path, length: int = 64) -> bytes:
    if not place.is_file():
        return b""
    with place.open("rb") as file:
        return file.read(length)


def _unpacked_beginning(place: Path) -> bytes:
    data = _beginning(place)
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(place) as packed:
            return packed.read(64)
    except (OSError, EOFError, zlib.error):
        return b""


def _ends(place: Path, endings: tuple[str, ...]) -> bool:
    return place.name.casefold().endswith(endings)


def _refuse_large(place: Path, size: int) -> None:
    if size > LARGEST_FILE:
        raise InputError(f"has {size:,} bytes", file=place, allowed=f"at most {LARGEST_FILE:,}")


def _bytes(place: Path) -> bytes:
    if place.is_dir():
        raise InputError("is a folder", file=place, allowed="a file")
    if place.exists() and not place.is_file():
        raise InputError("is no plain file", file=place)
    if place.exists():
        _refuse_large(place, place.stat().st_size)
    if place.suffix.casefold() != ".gz":
        return place.read_bytes()
    try:
        with gzip.open(place) as packed:
            data = packed.read(LARGEST_FILE + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"is not compressed: {error}", file=place) from None
    _refuse_large(place, len(data))
    return data
