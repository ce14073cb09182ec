"""Documents that are changed at random places: JSON and TOML by their values and bytes, tables by their cells."""

from __future__ import annotations

import copy
import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.attack.forged_folders import forge_frontier, forge_ledger, forge_manifest, unfinished

__all__ = ["DOCUMENTS", "changed_study", "changed_value"]

_VALUES: tuple[object, ...] = (
    None, True, 0, -1, 1, 2**63, 10**30, 1e308, -0.5, 5e-324, "", "x", "1 parrot", "=1+1", "\x1b[2J", "\u202e",
    "a" * 5000,
    [], [[]], {}, {"x": {}}, [None], ["x"], [1, "x"], {"quantity": 1}, "../../etc/passwd", "/dev/zero", "nodes", "time",
)  # fmt: skip
_LINES = (
    "[search]\njobs = -1", "x = 1", "[[objectives]]\nminimize = 'nodes'", "[set]\nnodes = 3", "method = 'evolve'",
    "constraints = ['time <= time']", "[space.axes.more]\nvalues = [1, 2]", "lift = ['x']", "\x00", "[[[", "'", '"""',
    "a.b.c.d = 1", "[quantities]\ntime = 'time'", "[quantities]\nq = '1 / 0'", "also = ['q']", "x = nan", "x = inf",
)  # fmt: skip
_TOKENS = (
    "0", "-1", "1e308", "1e-320", "nan", "inf", "''", "[]", "{}", "true", "9999999999999999999", "'1 s'", "nodes",
    "* 0", "/ 0", "- 1e9", "** 400", "time", "(", ")", "<=", "==", "and", "[1, 1000000000]", "[1, 10, 0]",
    "'x'", "sqrt", "log",
)  # fmt: skip


def _places(document: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(document, dict):
        for key, value in document.items():
            yield from _places(value, (*path, key))
    elif isinstance(document, list):
        for place, value in enumerate(document):
            yield from _places(value, (*path, place))


def changed_value(document: Any, rng: random.Random) -> Any:
    """Return a document with one value that is gone, doubled, or another."""
    changed = copy.deepcopy(document)
    path = rng.choice([place for place in _places(changed) if place])
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    kind = rng.randrange(4)
    if kind == 0:
        del holder[path[-1]]
    elif kind == 1 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[path[-1]]))
    else:
        holder[path[-1]] = copy.deepcopy(rng.choice(_VALUES))
    return changed


def _manifest(folder: Path, rng: random.Random) -> None:
    def change(manifest: dict[str, Any]) -> None:
        for _ in range(rng.randint(1, 2)):
            after = changed_value(manifest, rng)
            manifest.clear()
            manifest.update(after)

    forge_manifest(folder, change)


def _beside(name: str) -> Callable[[Path, random.Random], None]:
    def change(folder: Path, rng: random.Random) -> None:
        file = folder / name
        document = json.loads(file.read_text())
        digest = document["digest"]
        after = changed_value(document, rng)
        if isinstance(after, dict) and rng.random() < 0.9:
            after["digest"] = digest
        file.write_text(json.dumps(after))

    return change


def _bytes(name: str) -> Callable[[Path, random.Random], None]:
    def change(folder: Path, rng: random.Random) -> None:
        file = folder / name
        data = bytearray(file.read_bytes())
        for _ in range(rng.randint(1, 4)):
            kind, at = rng.randrange(3), rng.randrange(max(1, len(data)))
            if kind == 0 and data:
                data[at] = rng.randrange(256)
            elif kind == 1:
                del data[at : at + rng.randint(1, 64)]
            else:
                data[at:at] = rng.randbytes(rng.randint(1, 64))
        file.write_bytes(bytes(data))
        if name == "frontier.parquet":
            forge_manifest(folder, lambda manifest: manifest["files"].update({name: _digest(file)}))

    return change


def _digest(file: Path) -> str:
    import hashlib

    return hashlib.sha256(file.read_bytes()).hexdigest()


def _frontier(folder: Path, rng: random.Random) -> None:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        column = rng.choice([*frame.columns])
        kind = rng.randrange(6)
        if kind == 0:
            return frame.drop(columns=column)
        if kind == 1:
            return frame.rename(columns={column: rng.choice(["x", "design", "time", "\x1b", ""])})
        if kind == 2:
            return frame.iloc[: rng.randint(0, len(frame))]
        if kind == 3:
            return pd.concat([frame, frame.iloc[: rng.randint(1, 3)]])
        value = rng.choice([np.nan, np.inf, -np.inf, -1, 0, 1e308, 10**9, "x", "=1+1", "\x1b", "", None, True])
        frame[column] = frame[column].astype(object)
        frame.loc[rng.randrange(len(frame)), column] = value
        if kind == 4:
            frame[column] = [value] * len(frame)
        return frame

    try:
        forge_frontier(folder, change)
    except (ValueError, TypeError, OverflowError, KeyError, ArithmeticError):
        _bytes("frontier.parquet")(folder, rng)  # a mixture that Parquet cannot hold
    except Exception as error:  # of pyarrow, whose errors share no class with those of Python
        if not type(error).__module__.startswith("pyarrow"):
            raise
        _bytes("frontier.parquet")(folder, rng)


def _ledger(folder: Path, rng: random.Random) -> None:
    file = folder / "progress.sqlite"
    kind = rng.randrange(4)
    if kind == 0:
        forge_ledger(file, rng.choice([0, -1, 7, 10**12]), rng.choice([3.0, -1.0, float("nan"), float("inf")]))
    elif kind == 1:
        _bytes("progress.sqlite")(folder, rng)
    else:
        base = sqlite3.connect(file)
        table, column = rng.choice(
            [("identity", "text"), ("chunks", "counts"), ("chunks", "points"), ("chunks", "numbers"),
             ("chunks", "seal"), ("chunks", "evidence"), ("chunks", "sha256"), ("evidence", "arrays"),
             ("chunks", "product")]
        )  # fmt: skip
        value = rng.choice([b"", b"x" * 99, "", "x", 0, -1, 10**12, "{}", "[]", '{"hashes": {}, "options": 1}'])
        base.execute(f"UPDATE {table} SET {column} = ?", (value,))
        base.commit()
        base.close()
    unfinished(folder)


DOCUMENTS: dict[str, Callable[[Path, random.Random], None]] = {
    "manifest, values": _manifest,
    "manifest, bytes": _bytes("manifest.json"),
    "trust, values": _beside("trust.json"),
    "trust, bytes": _bytes("trust.json"),
    "sliders, values": _beside("sliders.json"),
    "frontier, cells": _frontier,
    "frontier, bytes": _bytes("frontier.parquet"),
    "ledger": _ledger,
}
"""By kind, what changes the copy of a run's folder at random; digests that anybody can compute are made again."""


def changed_study(text: str, rng: random.Random) -> str:
    """Return the text of a study with some of its lines and words changed."""
    lines = text.split("\n")
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind, at = rng.randrange(5), rng.randrange(len(lines))
        if kind == 0:
            lines.insert(at, rng.choice(_LINES))
        elif kind == 1:
            del lines[at]
        elif kind == 2:
            lines.insert(at, lines[rng.randrange(len(lines))])
        else:
            words = lines[at].split(" ")
            words[rng.randrange(len(words))] = rng.choice(_TOKENS)
            lines[at] = " ".join(words)
        if not lines:
            lines = [""]
    return "\n".join(lines)
