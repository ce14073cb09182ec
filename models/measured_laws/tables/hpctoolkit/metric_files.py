"""Metric files of the older databases, ``*.metric-db``: a table of values, node of the call tree by metric, per thread.

Layout: 18 letters, 5 of the version, one for the order of bytes, nodes and metrics as 4 bytes each, then doubles; all
with the highest byte first (hpcprof, ``prof-lean/hpcrun-fmt.h``).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dse.errors import InputError

__all__ = ["files_of_ranks", "values_of_thread"]

_NAME = re.compile(r"(?:(?P<group>\d+)\.)?.*-(?P<rank>\d+)-(?P<thread>\d+)-[0-9A-Za-z]+-\d+-\d+\.metric-db\Z")
_LETTERS, _VERSION, _HEADER = b"HPCPROF-metricdb__", b"00.10", 32


def files_of_ranks(folder: Path) -> list[list[Path]]:
    """Return the metric files of each rank, one for each of its threads; none where the folder has none.

    Raises
    ------
    InputError
        A name that says no rank, a rank that is missing, a link, files of several groups.
    """
    by_rank: dict[int, list[Path]] = {}
    groups = set()
    for file in sorted(folder.glob("*.metric-db")):
        match = _NAME.match(file.name)
        if match is None:
            raise InputError("the name says no rank", file=file, allowed="1.NAME-RANK-THREAD-HOST-PROCESS-0.metric-db")
        if file.is_symlink():
            raise InputError("is a link", file=file, allowed="a file beside experiment.xml")
        by_rank.setdefault(int(match["rank"]), []).append(file)
        groups.add(match["group"])
    if len(groups) > 1:
        raise InputError(f"metric files of {len(groups)} groups of runs", file=folder, allowed="those of one run")
    missing = next((rank for rank in range(len(by_rank)) if rank not in by_rank), None)
    if missing is not None:
        raise InputError(f"rank {missing} has no metric-db file", file=folder, allowed="one of each rank at least")
    return [by_rank[rank] for rank in range(len(by_rank))]


def values_of_thread(file: Path, columns: Sequence[int], nodes: np.ndarray) -> np.ndarray:
    """Return values (columns, nodes) of one thread.

    Parameters
    ----------
    file : Path
    columns : sequence of int
        Places of metrics in the file, from 0.
    nodes : ndarray of int
        Numbers of nodes of the call tree, from 1.

    Raises
    ------
    InputError
        Another kind of file, one that was cut, a node or a metric that it has not, what is no number.
    """
    size = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(_HEADER)
        if len(head) < _HEADER or not head.startswith(_LETTERS) or head[18:23] != _VERSION or head[23:24] != b"b":
            raise InputError("is no metric-db file", file=file, allowed=f"version {_VERSION.decode()}, big-endian")
        count, metrics = struct.unpack(">ii", head[24:])
        if count < 0 or metrics < 0 or size < _HEADER + 8 * count * metrics:
            raise InputError(
                f"declares {count:,} nodes of {metrics:,} metrics and has {size:,} bytes: it was cut", file=file
            )
        if len(nodes) and int(nodes.max()) > count:
            raise InputError(f"has no node {int(nodes.max())}", file=file, allowed=f"1 to {count}, as its header says")
        if columns and max(columns) >= metrics:
            raise InputError(f"has no metric {max(columns)}", file=file, allowed=f"0 to {metrics - 1}")
        table = np.fromfile(stream, dtype=">f8", count=count * metrics).reshape(count, metrics)
    values: np.ndarray = table[nodes - 1][:, list(columns)].T.astype(float)
    if not np.isfinite(values).all():
        raise InputError("has a value that is not finite", file=file, allowed="finite numbers")
    return values
