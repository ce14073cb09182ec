"""Profiles of Score-P and Scalasca: ``.cubex`` containers, a row per metric, call path and process."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import numpy as np

from dse.errors import InputError
from dse.models.measured_laws.tables.heaviest_paths import MOST_PATHS, lighter_paths
from dse.models.measured_laws.tables.rows import MOST_ROWS, Row

__all__ = ["read_cube", "sums_of_processes"]

_UNITS = {"sec": "s", "occ": "", "bytes": "B", "#": ""}
_LARGEST = 2 * 1024**3
_BROKEN: tuple[type[Exception], ...] = (
    *(tarfile.TarError, zlib.error, ParseError, OSError, EOFError, KeyError, IndexError, AssertionError),
    *(ValueError, AttributeError, TypeError),
)
"""What a container that is cut or forged makes its reader raise, which checks by assertions."""


def read_cube(path: Path, *, alone: bool = False) -> tuple[list[Row], list[str]]:
    """Read a profile.

    Parameters
    ----------
    path : Path
    alone : bool
        Whether no name of a folder says the parameters: the number of processes is one then, ``processes``.

    Returns
    -------
    list of Row
        Values of a call path itself, without those it calls, summed over the threads of a process.
    list of str
        What was left out.

    Raises
    ------
    InputError
        A container that is cut or wrong, one without time, or pycubexr not installed.
    """
    with _opened(path) as cube:
        return _rows(cube, path, alone)


def sums_of_processes(path: Path, names: Collection[str]) -> dict[str, np.ndarray]:
    """Return the sum of metrics over all call paths, for each process.

    Parameters
    ----------
    path : Path
    names : collection of str
        Metrics; those that the profile has not are left out.

    Returns
    -------
    dict of str to ndarray, (processes,)
        In the unit of the profile.

    Raises
    ------
    InputError
        As `read_cube`.
    """
    with _opened(path) as cube:
        processes = _processes(cube)
        sums = {}
        for metric, values in _metrics(cube, []):
            if metric.name in names:
                own = [values.cnode_values(node, convert_to_exclusive=True) for node in cube.all_cnodes()]
                whole = np.sum(own, axis=0, dtype=float)
                sums[metric.name] = np.bincount(processes, weights=whole, minlength=int(processes.max()) + 1)
        return sums


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a container; what a broken one makes its reader raise is one error."""
    try:
        from pycubexr import CubexParser
    except ImportError:
        raise InputError(
            "a Cube container needs the package pycubexr, which is not installed",
            file=path,
            allowed="pip install 'dse-frontier[formats]'",
        ) from None
    try:
        _refuse_large(path)
        with CubexParser(str(path)) as cube:
            yield cube
    except InputError:
        raise
    except _BROKEN as error:
        text = str(error) or type(error).__name__
        raise InputError(f"is no Cube container, or is cut: {text}", file=path, allowed="a whole .cubex") from None


def _refuse_large(path: Path) -> None:
    with tarfile.open(path) as container:
        size = sum(member.size for member in container.getmembers())
    if size > _LARGEST:
        raise InputError(f"holds {size:,} bytes", file=path, allowed=f"at most {_LARGEST:,}")


def _rows(cube: Any, path: Path, alone: bool) -> tuple[list[Row], list[str]]:
    processes = _processes(cube)
    count = int(processes.max()) + 1
    notes: list[str] = []
    paths = _heaviest(cube, path, notes)
    parameters = {"processes": float(count)} if alone else {}
    rows: list[Row] = []
    for metric, values in _metrics(cube, notes):
        unit = _UNITS.get(metric.units, metric.units)
        for name, node in paths:
            own = values.cnode_values(node, convert_to_exclusive=True).astype(float)
            of_process = np.bincount(processes, weights=own, minlength=count)
            rows += [
                Row(
                    f"metric {metric.name}",
                    metric.name,
                    parameters,
                    float(value),
                    unit,
                    "",
                    name,
                    None,
                    rank,
                    file=str(path),
                )
                for rank, value in enumerate(of_process.tolist())
            ]
            if len(rows) > MOST_ROWS:
                raise InputError(f"more than {MOST_ROWS:,} values", file=path, allowed="fewer metrics or processes")
    return rows, notes


def _processes(cube: Any) -> np.ndarray:
    """Return the process of each location, counted from 0; the library lists locations alone."""
    groups = cube._anchor_result.system_tree_nodes[0].all_location_groups()
    return np.repeat(np.arange(len(groups)), [len(group.all_locations()) for group in groups])


def _metrics(cube: Any, notes: list[str]) -> Iterator[tuple[Any, Any]]:
    """Yield the metrics that have plain numbers, with their values."""
    from pycubexr.utils.exceptions import MissingMetricError, UnsupportedMetricFormatError

    left_out = []
    for metric in cube.all_metrics():
        try:
            values = cube.get_metric_values(metric, cache=False)
        except (MissingMetricError, UnsupportedMetricFormatError):
            left_out.append(metric.name)
            continue
        if values.values.dtype.kind not in "iuf" or metric.data_type.startswith(("MIN", "MAX")):
            left_out.append(metric.name)
            continue
        yield metric, values
    if left_out:
        notes.append(f"metrics without plain values were left out: {', '.join(left_out)}")


def _heaviest(cube: Any, path: Path, notes: list[str]) -> list[tuple[str, Any]]:
    """Return the call paths with most time of their own, as ``main->solve->MPI_Wait``."""
    names = {metric.name for metric in cube.all_metrics()}
    if "time" not in names:
        raise InputError("has no metric 'time'", file=path, allowed="a profile of Score-P or Scalasca")
    values = cube.get_metric_values(cube.get_metric_by_name("time"), cache=False)
    weighed = []
    for node in cube.all_cnodes():
        own = float(values.cnode_values(node, convert_to_exclusive=True).sum())
        callers, up = [], node
        while up is not None:
            callers.append(up.region.name)
            up = up.parent
        weighed.append((own, "->".join(reversed(callers)), node))
    weighed.sort(key=lambda entry: (-entry[0], entry[1]))
    if len(weighed) > MOST_PATHS:
        whole, rest = sum(own for own, *_ in weighed), sum(own for own, *_ in weighed[MOST_PATHS:])
        notes.append(lighter_paths(len(weighed) - MOST_PATHS, rest, whole, "the time"))
    return [(name, node) for _, name, node in weighed[:MOST_PATHS]]
