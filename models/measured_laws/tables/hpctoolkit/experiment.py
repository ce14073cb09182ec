"""Older databases: ``experiment.xml`` (versions 2.0 to 2.2), with the metric files beside it or values inside.

An exclusive value stands at each statement and again at what it stands in, so statements alone are counted, each to the
procedure around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

import numpy as np

from dse.errors import InputError, shown
from dse.models.measured_laws.tables.hpctoolkit.call_paths import CallPaths, Metric, Profile, metric_of
from dse.models.measured_laws.tables.hpctoolkit.metric_files import files_of_ranks, values_of_thread
from dse.models.measured_laws.tables.rows import number_of

__all__ = ["is_experiment", "read_experiment"]

_MOST_BYTES = 1 << 30
_BEGIN = b"<HPCToolkitExperiment"
_VERSIONS = ("2.0", "2.1", "2.2")
_NO_SUMS = ("StdDev", "CfVar", "Min", "Max", "num-src", "accum2")
"""Statistics over ranks and threads that hpcprof writes beside Sum and Mean."""
_PROCEDURES = ("PF", "Pr")


def is_experiment(data: bytes) -> bool:
    """Return whether a file begins as an experiment of HPCToolkit does: a description of its elements may be first."""
    return data.lstrip()[:5] == b"<?xml" and _BEGIN in data[:65536]


def read_experiment(path: Path) -> Profile:
    """Read an experiment.

    Parameters
    ----------
    path : Path
        ``experiment.xml``.

    Raises
    ------
    InputError
        No XML or cut, another version, a flat profile, one without values, metric files that do not fit.
    """
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise InputError(f"has {size:,} bytes", file=path, allowed=f"at most {_MOST_BYTES:,}")
    tree = _Tree(path)
    tree.read()
    files = files_of_ranks(path.parent)
    columns = [column for column in tree.columns if column.exclusive]
    if files and columns:
        return _of_files(tree, columns, files)
    profile = _of_statements(tree)
    if tree.columns:
        profile.notes.append("its metric-db files are not beside it: sums over the run are taken")
    return profile


def _of_files(tree: _Tree, columns: list[_Column], files: list[list[Path]]) -> Profile:
    nodes = np.array([node for node, _ in tree.statements], dtype=np.int64)
    paths = np.array([path for _, path in tree.statements], dtype=np.int64)
    if len(nodes) and int(nodes.min()) < 1:
        raise InputError(f"node {int(nodes.min())}", file=tree.file, allowed="numbers from 1")

    def of_ranks() -> Iterator[tuple[int | None, np.ndarray]]:
        for rank, threads in enumerate(files):
            own = np.zeros((len(columns), len(tree.paths)))
            for file in threads:
                read = values_of_thread(file, [column.place for column in columns], nodes)
                for place, values in enumerate(read):
                    own[place] += np.bincount(paths, weights=values, minlength=len(tree.paths))
            yield rank, own

    threads = sum(map(len, files)) - len(files)
    notes = [f"values of {threads} further threads were added to those of their ranks"] if threads else []
    return Profile(tree.paths, [column.metric for column in columns], of_ranks, len(files), notes)


def _of_statements(tree: _Tree) -> Profile:
    """Take the values inside the file: sums and means over the run, for the least of a sum is no sum of the least."""
    chosen, left_out = [], set()
    for number, text, kind in tree.metrics:
        if kind == "inclusive":
            continue
        metric = metric_of(text)
        statistic = metric.name.rpartition(":")[2]
        if statistic in _NO_SUMS:
            left_out.add(statistic)
        else:
            chosen.append((number, metric))
    place = {number: column for column, (number, _) in enumerate(chosen)}
    own = np.zeros((len(chosen), len(tree.paths)))
    for number, path, value in tree.values:
        if number in place:
            own[place[number], path] += value

    def of_ranks() -> Iterator[tuple[int | None, np.ndarray]]:
        yield None, own

    notes = [f"statistics that are no sums were left out: {', '.join(sorted(left_out))}"] if left_out else []
    return Profile(tree.paths, [metric for _, metric in chosen], of_ranks, None, notes)


@dataclass(frozen=True)
class _Column:
    """A metric of the metric files, and its place in them."""

    metric: Metric
    place: int
    exclusive: bool


class _Tree:
    """What the XML says, taken element by element: no tree of it is held, and none is walked by recursion.

    Attributes
    ----------
    metrics : list of (str, str, str)
        Number, name, and inclusive, exclusive or nil.
    columns : list of _Column
    statements : list of (int, int)
        Node and path.
    values : list of (str, int, float)
        Metric, path and value of a statement.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.metrics: list[tuple[str, str, str]] = []
        self.columns: list[_Column] = []
        self.statements: list[tuple[int, int]] = []
        self.values: list[tuple[str, int, float]] = []
        self.paths = CallPaths()
        self._procedures: dict[str, str] = {}
        self._open: list[tuple[str, int]] = []
        self._in_statement = 0
        self._parser = expat.ParserCreate()

    def read(self) -> None:
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entity
        try:
            with self.file.open("rb") as stream:
                self._parser.ParseFile(stream)
        except expat.ExpatError as error:
            raise InputError(f"is no XML, or was cut: {error}", file=self.file) from None

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise InputError(f"declares an entity {shown(name)}", file=self.file, allowed="elements and attributes")

    def _where(self) -> str:
        return f"line {self._parser.CurrentLineNumber}"

    def _begin(self, name: str, held: dict[str, str]) -> None:
        if name == "HPCToolkitExperiment":
            if held.get("version") not in _VERSIONS:
                raise InputError(
                    f"version {shown(held.get('version', ''))} of an experiment", file=self.file, allowed=_VERSIONS
                )
        elif name == "SecFlatProfile":
            raise InputError("is a flat profile", file=self.file, allowed="call path profiles, SecCallPathProfile")
        elif name == "Procedure":
            self._procedures[held.get("i", "")] = held.get("n", "")
        elif name == "Metric":
            self.metrics.append((held.get("i", ""), held.get("n", ""), _kind(held)))
        elif name == "MetricDB":
            place = self._whole(held.get("db-id", ""), "db-id")
            self.columns.append(_Column(metric_of(held.get("n", "")), place, _kind(held) != "inclusive"))
        elif name == "M":
            self._value(held)
        elif name in ("PF", "Pr", "C", "L", "S"):
            self._scope(name, held)

    def _scope(self, name: str, held: dict[str, str]) -> None:
        path = self._open[-1][1] if self._open else -1
        if name in _PROCEDURES:
            called = self._procedures.get(held.get("n", ""), held.get("n", ""))
            path = self.paths.inside(path, called) if called else path
        if name == "S":
            if not self._in_statement:
                path = path if path >= 0 else self.paths.inside(-1, "<outside>")
                self.statements.append((self._whole(held.get("i", "0"), "i"), path))
            self._in_statement += 1
        self._open.append((name, path))

    def _value(self, held: dict[str, str]) -> None:
        if self._in_statement == 1 and self._open[-1][0] == "S":
            value = number_of(held.get("v"), self._where(), str(self.file))
            self.values.append((held.get("n", ""), self.statements[-1][1], value))

    def _end(self, name: str) -> None:
        if name in ("PF", "Pr", "C", "L", "S"):
            self._open.pop()
            self._in_statement -= name == "S"

    def _whole(self, text: str, key: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise InputError(shown(text), file=self.file, key=f"{self._where()}, {key}", allowed="a whole number >= 0")
        return int(text)


def _kind(held: dict[str, str]) -> str:
    """Return whether a metric is inclusive or exclusive: as it says, else as its name ends."""
    kind = held.get("t", "nil")
    if kind == "nil" and held.get("n", "").rstrip().endswith("(I)"):
        return "inclusive"
    return kind
