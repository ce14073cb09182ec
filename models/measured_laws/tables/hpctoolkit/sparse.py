"""Newer databases, version 4: ``meta.db`` (metrics and call tree) and ``profile.db`` (values of each thread).

Layout: ``FORMATS.md`` of HPCToolkit, which each database has. Values as they were measured (scope "point") are taken,
and counted to the function around them; ``cct.db`` holds the same values in another order, and is not read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.tables.hpctoolkit.call_paths import CallPaths, Metric, Profile, metric_of
from dse.models.measured_laws.tables.text_table import read_bounded

__all__ = ["is_database", "read_database"]

_LETTERS, _MAJOR = b"HPCTOOLKIT", 4
_MOST_META = 1 << 28
_POINT = 1
_FUNCTION = 0
_CONTEXT = 32
_VALUES = np.dtype([("metric", "<u2"), ("value", "<f8")])
_INDEX = np.dtype([("context", "<u4"), ("start", "<u8")])
_OTHERS = {b"prof": "profile.db", b"ctxt": "cct.db", b"trce": "trace.db"}


def is_database(data: bytes) -> bool:
    """Return whether a file begins as one of a database of HPCToolkit does."""
    return data.startswith(_LETTERS)


def read_database(path: Path) -> Profile:
    """Read a database.

    Parameters
    ----------
    path : Path
        ``meta.db``; ``profile.db`` stands beside it.

    Raises
    ------
    InputError
        Another file of a database or another version, one that was cut, what points outside of its file.
    """
    meta = _Bytes(read_bounded(path, _MOST_META), path)
    _check_header(meta, b"meta", b"_meta.db")
    points, left_out = _point_metrics(meta)
    paths, path_of = _call_tree(meta)
    profile = path.with_name("profile.db")
    if not profile.is_file() or profile.is_symlink():
        raise InputError("has no profile.db beside it", file=path, allowed="the folder that hpcprof wrote")
    names = _identifier_names(meta)
    threads = _threads(profile, names)
    by_rank: dict[int, list[_Thread]] = {}
    for thread in threads:
        by_rank.setdefault(thread.rank, []).append(thread)
    missing = next((rank for rank in range(len(by_rank)) if rank not in by_rank), None)
    if missing is not None or not by_rank:
        raise InputError(f"rank {missing or 0} has no values", file=profile, allowed="a profile of each rank")
    place = {number: column for column, (number, _) in enumerate(points)}

    def of_ranks() -> Iterator[tuple[int | None, np.ndarray]]:
        with profile.open("rb") as file:
            for rank in range(len(by_rank)):
                own = np.zeros((len(points), len(paths)))
                for thread in by_rank[rank]:
                    _add_values(file, profile, thread, place, path_of, own)
                yield rank, own

    notes = [f"metrics without measured values were left out: {', '.join(left_out)}"] if left_out else []
    if len(threads) > len(by_rank):
        notes.append(f"values of {len(threads) - len(by_rank)} further threads were added to those of their ranks")
    return Profile(paths, [metric for _, metric in points], of_ranks, len(by_rank), notes)


class _Bytes:
    """A file in memory whose pointers may lead anywhere: every part is checked."""

    def __init__(self, data: bytes, file: Path) -> None:
        self.data, self.file = data, file

    def numbers(self, layout: str, start: int) -> tuple[int, ...]:
        length = struct.calcsize(layout)
        self.check(start, length)
        numbers: tuple[int, ...] = struct.unpack_from(layout, self.data, start)
        return numbers

    def check(self, start: int, length: int) -> None:
        if start < 0 or length < 0 or start + length > len(self.data):
            raise InputError(
                f"points to byte {start + length:,} and has {len(self.data):,}", file=self.file, allowed="a whole file"
            )

    def text(self, start: int) -> str:
        self.check(start, 1)
        end = self.data.find(b"\0", start)
        return self.data[start : end if end >= 0 else len(self.data)].decode("utf-8", "replace")


def _check_header(data: _Bytes, kind: bytes, ends: bytes) -> None:
    head = data.data[:16]
    if len(head) < 16 or not head.startswith(_LETTERS):
        raise InputError("is no file of a database of HPCToolkit", file=data.file)
    if head[10:14] != kind:
        wanted = {b"meta": "meta.db", **_OTHERS}[kind]
        named = _OTHERS.get(head[10:14], "another file")
        raise InputError(f"is {named} of a database", file=data.file, allowed=f"{wanted}, or the folder")
    if head[14] != _MAJOR:
        raise InputError(f"version {head[14]} of a database", file=data.file, allowed=f"version {_MAJOR}")
    if not data.data.endswith(ends):
        raise InputError("does not end as it should: it was cut", file=data.file, allowed="a whole file")


def _point_metrics(meta: _Bytes) -> tuple[list[tuple[int, Metric]], list[str]]:
    """Return number and name of each metric as it was measured, and the names of those that are sums alone."""
    _, start = meta.numbers("<QQ", 0x30)
    first, count, size, size_scope, _ = meta.numbers("<QIBBB", start)
    points, left_out = [], []
    _check_stride(meta, size, 0x1C)
    meta.check(first, count * size)
    for number in range(count):
        name, scopes, _, instances = meta.numbers("<QQQH", first + number * size)
        _check_stride(meta, size_scope, 0x0A)
        text = meta.text(name)
        for instance in range(instances):
            scope, identifier = meta.numbers("<QH", scopes + instance * size_scope)
            if meta.numbers("<QB", scope)[1] == _POINT:
                points.append((identifier, metric_of(text)))
                break
        else:
            left_out.append(text)
    return points, left_out


def _check_stride(meta: _Bytes, size: int, least: int) -> None:
    if size < least:
        raise InputError(f"has structures of {size} bytes", file=meta.file, allowed=f"at least {least}")


def _identifier_names(meta: _Bytes) -> list[str]:
    _, start = meta.numbers("<QQ", 0x20)
    names, count = meta.numbers("<QB", start)
    return [meta.text(*meta.numbers("<Q", names + 8 * kind)) for kind in range(count)]


def _call_tree(meta: _Bytes) -> tuple[CallPaths, dict[int, int]]:
    """Return the call paths, and the path each context is counted to."""
    section, start = meta.numbers("<QQ", 0x40)
    first, count, size = meta.numbers("<QHB", start)
    _check_stride(meta, size, 0x20)
    paths, path_of = CallPaths(), dict[int, int]()
    waiting: list[tuple[int, int, int]] = []
    for number in range(count):
        length, children, context, _, name = meta.numbers("<QQIH2xQ", first + number * size)
        entry = meta.text(name)
        # What the main thread runs is the program: its path begins with the program's first function.
        path_of[context] = paths.inside(-1, f"<{entry}>")
        if length:
            waiting.append((children, length, -1 if entry == "main thread" else path_of[context]))
    most = section // _CONTEXT + 1
    while waiting:
        children, length, caller = waiting.pop()
        meta.check(children, length)
        place = children
        while place < children + length:
            length_below, under, context, flags, _, kind, words = meta.numbers("<QQIBBBB", place)
            if context in path_of or len(path_of) > most:
                raise InputError(f"context {context} stands twice", file=meta.file, allowed="a tree")
            path = caller
            if kind == _FUNCTION:
                path = paths.inside(caller, _function(meta, place, flags, words))
            elif caller < 0:
                path = paths.inside(-1, "<main thread>")
            path_of[context] = path
            if length_below:
                waiting.append((under, length_below, path))
            place += _CONTEXT + 8 * words
    return paths, path_of


def _function(meta: _Bytes, place: int, flags: int, words: int) -> str:
    """Return the name of a function, or what is known of one without a name."""
    if not flags & 1 or not words:
        return "<unknown function>"
    (function,) = meta.numbers("<Q", place + _CONTEXT)
    name, module, offset, file, line = meta.numbers("<QQQQI", function)
    if name:
        return meta.text(name)
    if file:
        return f"<{Path(meta.text(*meta.numbers('<Q', file + 8))).name}:{line}>"
    if module:
        return f"<{Path(meta.text(*meta.numbers('<Q', module + 8))).name}@{offset:#x}>"
    return "<unknown function>"


class _Thread(NamedTuple):
    rank: int
    values: int
    first_value: int
    contexts: int
    first_context: int


def _threads(path: Path, names: list[str]) -> list[_Thread]:
    """Return where the values of each thread stand; summaries are left out."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(0x30)
        file.seek(max(size - 8, 0))
        _check_header(_Bytes(head[:16] + file.read(8), path), b"prof", b"_prof.db")
        if len(head) < 0x30:
            raise InputError("ends in its header: it was cut", file=path)
        length, start, length_ids, ids = struct.unpack_from("<QQQQ", head, 0x10)
        section = _Section(file, path, size, start, length)
        tuples = _Section(file, path, size, ids, length_ids)
        first, count, stride = section.numbers("<QIB", start)
        _check_stride(section, stride, 0x2C)
        threads = []
        for number in range(count):
            place = first + number * stride
            values, at, contexts, index, identifier, flags = section.numbers("<QQI4xQQI", place)
            if not flags & 1:
                rank = _rank(tuples, identifier, names)
                threads.append(_Thread(rank, values, at, contexts, index))
    return threads


class _Section(_Bytes):
    """A part of a file, its bytes known by their places in the whole."""

    def __init__(self, file: IO[bytes], path: Path, size: int, start: int, length: int) -> None:
        if start + length > size or length > _MOST_META:
            raise InputError(
                f"a section ends at byte {start + length:,} and the file at {size:,}", file=path, allowed="a whole file"
            )
        file.seek(start)
        super().__init__(file.read(length), path)
        self.start = start

    def numbers(self, layout: str, start: int) -> tuple[int, ...]:
        return super().numbers(layout, start - self.start)


def _rank(tuples: _Section, start: int, names: list[str]) -> int:
    """Return the rank that a tuple of identifiers says, or 0 where none does."""
    (count,) = tuples.numbers("<H", start)
    for number in range(count):
        kind, logical = tuples.numbers("<B3xI", start + 8 + 16 * number)
        if kind < len(names) and names[kind] == "RANK":
            return logical
    return 0


def _add_values(
    file: IO[bytes], path: Path, thread: _Thread, place: dict[int, int], path_of: dict[int, int], own: np.ndarray
) -> None:
    """Add the measured values of a thread to the paths of their contexts."""
    index = _array(file, path, _INDEX, thread.first_context, thread.contexts)
    values = _array(file, path, _VALUES, thread.first_value, thread.values)
    starts = index["start"].astype(np.int64)
    if len(starts) and ((np.diff(starts) < 0).any() or int(starts[-1]) > len(values) or int(starts[0]) < 0):
        raise InputError(f"the values of rank {thread.rank} are not in the order of contexts", file=path)
    if not np.isfinite(values["value"]).all():
        raise InputError(f"rank {thread.rank} has a value that is not finite", file=path, allowed="finite numbers")
    counts = np.diff(np.append(starts, len(values)))
    contexts = index["context"].tolist()
    unknown = next((context for context in contexts if context and context not in path_of), None)
    if unknown is not None:
        raise InputError(f"has values of context {unknown}, which meta.db has not", file=path)
    paths = np.repeat(np.array([path_of.get(context, -1) for context in contexts], dtype=np.int64), counts)
    values = values[int(starts[0]) if len(starts) else len(values) :]
    for number, column in place.items():
        chosen = (values["metric"] == number) & (paths >= 0)
        own[column] += np.bincount(paths[chosen], weights=values["value"][chosen], minlength=own.shape[1])


def _array(file: IO[bytes], path: Path, kind: np.dtype[np.void], start: int, count: int) -> np.ndarray:
    size = path.stat().st_size
    if start + count * kind.itemsize > size:
        raise InputError(f"declares values to byte {start + count * kind.itemsize:,} and has {size:,}", file=path)
    file.seek(start)
    return np.fromfile(file, dtype=kind, count=count)
