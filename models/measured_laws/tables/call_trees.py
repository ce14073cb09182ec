"""Call trees of TAU (``profile.N.C.T``) and Caliper (its ``json-split``), a row per metric, call path and process.

The tools that read every such format need pandas before 3; these two formats are short enough to be read here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dse.errors import InputError, shown
from dse.models.measured_laws.tables.extra_p_json import decoded, expected
from dse.models.measured_laws.tables.rows import MOST_ROWS, Row, number_of

__all__ = ["read_caliper", "read_tau", "tau_place"]

_FUNCTION = re.compile(
    r'^"(?P<name>(?:[^"\\]|\\.)*)"\s+(?P<calls>\S+)\s+(?P<subroutines>\S+)\s+(?P<own>\S+)\s+(?P<all>\S+)\s+\S+'
)
_PLACE = re.compile(r"profile\.(\d+)\.(\d+)\.(\d+)$")
_TIME = ("TIME", "GET_TIME_OF_DAY", "LINUX_TIMERS", "P_WALL_CLOCK_TIME", "CPU_TIME")
_RANKS = ("mpi.rank", "mpi.world.rank", "rank")


def tau_place(name: str) -> tuple[int, int] | None:
    """Return node and thread that the name of a profile of TAU says.

    Examples
    --------
    >>> tau_place("profile.3.0.1")
    (3, 1)
    """
    match = _PLACE.search(name)
    return None if match is None else (int(match[1]), int(match[3]))


def read_tau(text: str, name: str) -> tuple[list[Row], list[str]]:
    """Read the profile of one thread: ``calls`` and the metric of the file, exclusive, by call path.

    Parameters
    ----------
    text, name : str
        ``"main => solve" 1 2 100 500 0``: calls, calls made, exclusive, inclusive; times in microseconds. Where there
        are call paths, the flat list beside them is left out.
    """
    lines = text.splitlines()
    head = re.match(r"(\d+)\s+templated_functions(?:_MULTI_(\S+))?", lines[0].strip()) if lines else None
    if head is None:
        raise InputError("is no profile of TAU", file=name, key="line 1", allowed="N templated_functions_MULTI_TIME")
    count, metric = int(head[1]), head[2] or "TIME"
    body = [(number, line) for number, line in enumerate(lines[1:], 2) if line.startswith('"')][:count]
    if len(body) < count:
        raise InputError(f"declares {count} functions and has {len(body)}: it was cut", file=name)
    place = tau_place(Path(name).name)
    rank = None if place is None else place[0]
    is_time = metric in _TIME
    records = []
    for number, line in body:
        match = _FUNCTION.match(line)
        if match is None:
            raise InputError(
                shown(line[:80]), file=name, key=f"line {number}", allowed='"name" calls subrs excl incl 0'
            )
        records.append((number, match))
    paths = [match for _, match in records if " => " in match["name"]]
    leaves_out = {match["name"].split(" => ")[-1].strip() for match in paths}
    rows = []
    for number, match in records:
        if paths and " => " not in match["name"] and match["name"].strip() in leaves_out:
            continue
        where = f"line {number}"
        path = "->".join(part.strip() for part in match["name"].split(" => "))
        own, calls = number_of(match["own"], where, name), number_of(match["calls"], where, name)
        label, unit = ("time", "us") if is_time else (metric, "")
        rows.append(Row(where, label, {}, own, unit, region=path, rank=rank, file=name))
        rows.append(Row(where, "visits", {}, calls, region=path, rank=rank, file=name))
    return rows, []


def read_caliper(text: str, name: str) -> tuple[list[Row], list[str]]:
    """Read Caliper's ``json-split``: columns, nodes of the call tree, and rows of values.

    Parameters
    ----------
    text, name : str
        ``{"columns": ["path", "rank", "time"], "column_metadata": [...], "nodes": [...], "data": [[0, 1, 2.5]]}``; what
        is called ``*.ns`` is in nanoseconds, other values have no unit in the file.
    """
    document = expected(decoded(text, name), dict, "the document", name)
    columns = [expected(column, str, "columns", name) for column in _listed(document, "columns", name)]
    metadata = _listed(document, "column_metadata", name)
    nodes = _listed(document, "nodes", name)
    data = _listed(document, "data", name)
    if len(metadata) != len(columns):
        raise InputError(f"{len(metadata)} descriptions of {len(columns)} columns", file=name, key="column_metadata")
    is_value = [bool(expected(entry, dict, "column_metadata", name).get("is_value")) for entry in metadata]
    tree = next((place for place, column in enumerate(columns) if column in ("path", "annotation", "region")), None)
    ranked = next((place for place, column in enumerate(columns) if column in _RANKS), None)
    if tree is None:
        raise InputError("no column 'path'", file=name, key="columns", allowed=["path", "annotation", "region"])
    rows: list[Row] = []
    for number, entry in enumerate(data):
        where = f"data[{number}]"
        cells = expected(entry, list, where, name)
        if len(cells) != len(columns):
            raise InputError(f"{len(cells)} cells", file=name, key=where, allowed=f"{len(columns)}")
        if cells[tree] is None:
            continue
        path = _path(nodes, cells[tree], where, name)
        rank = None if ranked is None or cells[ranked] is None else int(number_of(cells[ranked], where, name))
        for column, cell, holds in zip(columns, cells, is_value, strict=True):
            if holds and column not in _RANKS and isinstance(cell, (int, float)) and not isinstance(cell, bool):
                unit = "ns" if column.endswith(".ns") else ""
                rows.append(Row(where, column, {}, float(cell), unit, region=path, rank=rank, file=name))
        if len(rows) > MOST_ROWS:
            raise InputError(f"more than {MOST_ROWS:,} values", file=name)
    return rows, []


def _listed(document: Mapping[str, Any], key: str, name: str) -> list[Any]:
    if key not in document:
        raise InputError(f"no key '{key}'", file=name, allowed="columns, column_metadata, nodes, data")
    values: list[Any] = expected(document[key], list, key, name)
    return values


def _path(nodes: list[Any], place: Any, where: str, name: str) -> str:
    labels: list[str] = []
    while place is not None:
        if not isinstance(place, int) or not 0 <= place < len(nodes) or len(labels) > len(nodes):
            raise InputError(
                f"node {shown(place)}", file=name, key=where, allowed=f"0 to {len(nodes) - 1}, in no circle"
            )
        node = expected(nodes[place], dict, f"nodes[{place}]", name)
        labels.append(expected(node.get("label"), str, f"nodes[{place}].label", name))
        place = node.get("parent")
    return "->".join(reversed(labels))
