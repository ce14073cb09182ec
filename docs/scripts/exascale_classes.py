"""Print the tables of ``docs/engineering/exascale.md`` on classes of nodes: who leads where, and what is offered.

Boards and vector cores are searched once for each kind of nodes, cores with matrix units once for each case; the
frontier of both is that of the union, as every search is exact. It takes two minutes; with `offered` the second alone.
"""

from __future__ import annotations

import copy
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dse import Study
from dse.analysis.falsify.verdict import class_factor

GOALS = ["wall_time", "machine_power", "machine_cost"]
WITHIN = 30e6  # W
MATRIX, VECTORS, BOARDS = "matrix-core", "many-core", "accelerated"


@dataclass(frozen=True)
class Case:
    """What is offered of cores with matrix units: axes in the place of the study's, and inputs that are set."""

    words: str
    axes: Mapping[str, Any] = field(default_factory=dict)
    sets: Mapping[str, Any] = field(default_factory=dict)


def values(*entries: object) -> dict[str, list[object]]:
    """Return an axis of values."""
    return {"values": list(entries)}


def processes(*names: str) -> dict[str, Any]:
    """Return the axis of processes."""
    return {"part": "node_class/processes.csv", "where": {"name": list(names)}}


def memories(*kinds: str) -> dict[str, Any]:
    """Return the axis of memories."""
    return {"part": "processor/dram-types.csv", "where": {"dram_kind": list(kinds)}}


WIDE = {
    "process": processes("7 nm", "5 nm"),
    "core_frequency": {"range": ["1 GHz", "2.5 GHz"], "step": "0.5 GHz"},
    "sockets": values(1, 2, 4),
}
NARROW = {
    "process": processes("7 nm"),
    "memory": memories("HBM2E", "HBM3", "HBM3E"),
    "core_frequency": values("1.5 GHz", "2 GHz"),
}
SMALL = {"unlisted_socket_share": 0.20}
SENSITIVITY = [
    Case(f"{process}|{change:+.0%}", {"process": processes(process)}, {"matrix_power_factor": 1.0 + change})
    for process in ("5 nm", "6 nm", "7 nm")
    for change in (-0.25, 0.0, 0.25)
]
OFFERED = [
    Case("as LX2: 7 nm, HBM, 1.5 and 2 GHz; silicon as before", NARROW, SMALL),
    Case("as LX2: 7 nm, HBM, 1.5 and 2 GHz", NARROW),
    Case("the same, machines of 2020", NARROW, {"construction_year": 2020}),
    Case("7 nm, any memory, 1.5 to 2.5 GHz", {"process": processes("7 nm")}),
    Case("7 and 6 nm, any memory, 1.5 to 2.5 GHz: the study"),
    Case("7 and 5 nm, from 1 GHz, 1 to 4 sockets", WIDE),
    *(Case(f"the same, law {more:+.0%}", WIDE, {"matrix_power_factor": 1.0 + more}) for more in (0.25, 0.5, 1.0)),
]


def document() -> dict[str, Any]:
    """Return the study as a document, without what stands beside it."""
    text = (Path(str(files("dse.studies"))) / "exascale.toml").read_text(encoding="utf-8")
    study = tomllib.loads(text)
    del study["references"]
    return study


def frontier(nodes: Mapping[str, Any], sets: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Search the study with some kinds of nodes."""
    study = copy.deepcopy(document())
    study["space"]["choices"]["node"] = dict(nodes)
    study["set"] |= sets or {}
    study["labels"] = {}
    rows = Study(study).run(trust=False).frontier
    return rows.assign(node=rows["alternative"].str.split().str[0])


def merged(*frames: pd.DataFrame) -> pd.DataFrame:
    """Return what no other row of the frames beats."""
    every = pd.concat(frames, ignore_index=True)
    goals = every[GOALS].to_numpy()
    kept = [not ((goals <= own).all(axis=1) & (goals < own).any(axis=1)).any() for own in goals]
    return every[kept]


def leader(rows: pd.DataFrame, goal: str, scale: float, unit: str) -> str:
    """Write the best of a goal."""
    if not len(rows):
        return "–"
    row = rows.loc[rows[goal].idxmin()]
    part = "device" if "device" in rows.columns and isinstance(row.get("device"), str) else "board"
    name = str(row[part]) if row["node"] == BOARDS else {MATRIX: "matrix units", VECTORS: "vector units"}[row["node"]]
    device = name.split(" ", 2)[-1] if row["node"] == BOARDS and part == "board" else name
    return f"{device} {row[goal] / scale:.1f} {unit}"


def row_of(rows: pd.DataFrame) -> list[str]:
    """Write who leads on a frontier."""
    return [
        str(len(rows)),
        str(int((rows["node"] == MATRIX).sum())),
        leader(rows, "machine_power", 1e6, "MW"),
        leader(rows, "wall_time", 1.0, "s"),
        leader(rows[rows["machine_power"] <= WITHIN], "wall_time", 1.0, "s"),
    ]


def factor(rest: pd.DataFrame, own: pd.DataFrame) -> str:
    """Write how many times one design of the rest is better than the best of a class in everything at once."""
    least = class_factor(rest[GOALS].to_numpy(), own[GOALS].to_numpy())
    return f"{least:.2f}" if least > 1.0 else "on it"


def tables(kinds: Mapping[str, Any]) -> None:
    """Print both tables."""
    free = copy.deepcopy(kinds[BOARDS])
    free["axes"] = {"device": {"part": "machines/devices.csv"}, "devices_per_node": values(2, 4, 6, 8)}
    boards = {"as sold": frontier({BOARDS: kinds[BOARDS]}), "free": frontier({BOARDS: free})}
    vectors = frontier({VECTORS: kinds[VECTORS]})
    base = {name: merged(rows, vectors) for name, rows in boards.items()}

    def matrix(case: Case) -> pd.DataFrame:
        own = copy.deepcopy(kinds[MATRIX])
        own["axes"] |= case.axes
        return frontier({MATRIX: own}, case.sets)

    head = ["designs", "of matrix-unit cores", "least power", "least time", "within 30 MW"]
    if "offered" not in sys.argv[1:]:
        table(["process", "law of sockets", "nodes", *head], sensitivity(base, matrix))
    rows = [["vector units alone", name, factor(boards[name], vectors), *row_of(rest)] for name, rest in base.items()]
    for case in OFFERED:
        own = matrix(case)
        for name, rest in base.items():
            rows.append([case.words, name, factor(rest, own), *row_of(merged(rest, own))])
    table(["many cores offered", "nodes", "class factor", *head], rows)


def sensitivity(base: Mapping[str, pd.DataFrame], matrix: Any) -> list[list[str]]:
    """Return the rows of who leads by process, law and nodes."""
    rows = []
    for case in SENSITIVITY:
        own = matrix(case)
        process, change = case.words.split("|")
        rows += [[process, change, name, *row_of(merged(rest, own))] for name, rest in base.items()]
    return rows


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    print(f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", sep="\n")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
    print(flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")
    tables(document()["space"]["choices"]["node"])
