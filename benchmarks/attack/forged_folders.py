"""Run folders as an adversary makes them: whole by every hash that anybody can compute, and wrong."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dse.run.disk.seal import manifest_digest

__all__ = ["FORGERIES", "SMALL", "SPIKE", "forge_frontier", "forge_ledger", "forge_manifest", "unfinished"]

SMALL = """name = "small"
question = "How many nodes?"
models = ["node"]
constraints = ["power <= 40"]
also = ["speed"]

[[objectives]]
minimize = "time"

[[objectives]]
minimize = "power"

[set]
defect_clustering = 100

[quantities]
speed = "nodes * clock"
time = "defect_clustering / speed + 0.1 * sqrt(nodes)"
power = "nodes * (1 + 0.2 * clock * clock * clock)"

[space.axes]
nodes = { range = [1, 12] }
clock = { values = [1, 2, 3] }

[uncertain]
defect_clustering = { within = "10 %" }

[references.known]
axes = { nodes = { values = [2, 4] }, clock = { values = [2] } }
"""
"""A study of 36 designs that names no file: with a shown quantity, references, and something that is not known."""

SPIKE = """name = "spike"
models = ["node"]
constraints = ["x + y <= 3000"]

[[objectives]]
minimize = "t"

[quantities]
hit = "max(0, 1 - abs(x - 777)) * max(0, 1 - abs(y - 770))"
t = { expression = "3 + 1e-6 * (x + 1000 * y) - 86 * hit", signed = true }

[space.axes]
x = { range = [0, 1999] }
y = { range = [0, 999] }

[search]
method = "exhaustive"
"""
"""Two million designs of which one is far better than the rest: no random sample finds it."""


def forge_ledger(file: Path, number: int = 0, value: float = 3.0) -> None:
    """Let every finished chunk say that it found one design only, and make its hash again."""
    base = sqlite3.connect(file)
    objectives = None
    for product, piece, counts, evidence in base.execute(
        "SELECT product, piece, counts, evidence FROM chunks"
    ).fetchall():
        objectives = json.loads(counts)["objectives"]
        points, numbers = np.full(objectives, value).tobytes(), np.array([number], dtype="<i8").tobytes()
        digest = hashlib.sha256(f"{product} {piece} {counts}".encode() + points + numbers + evidence).hexdigest()
        base.execute(
            "UPDATE chunks SET points = ?, numbers = ?, sha256 = ? WHERE product = ? AND piece = ?",
            (points, numbers, digest, product, piece),
        )
    base.commit()
    base.close()


def unfinished(folder: Path) -> None:
    """Leave of a run what a kill leaves: its ledger."""
    for name in ("manifest.json", "frontier.parquet"):
        (folder / name).unlink()


def forge_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a manifest, with its digest as anybody can compute it, and without the seal."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    manifest.pop("seal", None)
    manifest["digest"] = manifest_digest(manifest)
    file.write_text(json.dumps(manifest))


def forge_frontier(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """Change a frontier, and its digest in the manifest."""
    file = folder / "frontier.parquet"
    change(pd.read_parquet(file)).to_parquet(file, index=False)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    forge_manifest(folder, lambda manifest: manifest["files"].update({"frontier.parquet": digest}))


def _pipe(name: str) -> Callable[[Path], None]:
    def forge(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return forge


def _link(name: str, target: str) -> Callable[[Path], None]:
    def forge(folder: Path) -> None:
        if (folder / name).is_dir():
            shutil.rmtree(folder / name)
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return forge


def _socket(folder: Path) -> None:
    (folder / "frontier.parquet").unlink()
    here = Path.cwd()
    os.chdir(folder)  # the path of a socket is short
    socket.socket(socket.AF_UNIX).bind("frontier.parquet")
    os.chdir(here)


def _huge(name: str) -> Callable[[Path], None]:
    def forge(folder: Path) -> None:
        with (folder / name).open("r+b") as file:
            file.truncate(1 << 40)  # without a block on the disk

    return forge


def _manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    return lambda folder: forge_manifest(folder, change)


def _cell(column: str, value: object) -> Callable[[Path], None]:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        frame[column] = frame[column].astype(object) if isinstance(value, str) else frame[column]
        if isinstance(value, str):
            frame[column] = frame[column].astype(str)
        frame.loc[0, column] = value
        return frame

    return lambda folder: forge_frontier(folder, change)


def _better(folder: Path) -> None:
    """Leave out the best designs: what a stranger claims who wants another machine to be bought."""
    forge_frontier(folder, lambda frame: frame.iloc[:1])


def _trust(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def forge(folder: Path) -> None:
        file = folder / "trust.json"
        document = json.loads(file.read_text())
        change(document)
        file.write_text(json.dumps(document))

    return forge


def _ledger(folder: Path) -> None:
    forge_ledger(folder / "progress.sqlite")
    unfinished(folder)


def _view(folder: Path) -> None:
    """A query that does not end, in place of the table of blocks."""
    base = sqlite3.connect(folder / "progress.sqlite")
    base.executescript(
        "DROP TABLE chunks; CREATE VIEW chunks AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS product, i AS piece, '' AS counts, '' AS points, '' AS numbers, '' AS evidence, '' AS sha256, "
        "'' AS seal FROM n"
    )
    base.close()
    unfinished(folder)


def _deep(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"format": 1, "name": ' + "[" * 100_000 + "]" * 100_000 + "}")


def _many_rows(folder: Path) -> None:
    """Some kilobytes that are sixty million cells: one value, run-length encoded."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, dtype=np.int32)), pa.array(["x" * 1000]))
    pq.write_table(pa.table({f"c{n}": column for n in range(60)}), folder / "frontier.parquet")


FORGERIES: dict[str, Callable[[Path], object]] = {
    "as it was, unsealed": _manifest(lambda manifest: None),
    "designs left out": _better,
    "a forged ledger": _ledger,
    "a ledger with a view": _view,
    "no ledger": lambda folder: (folder / "progress.sqlite").unlink(),
    "frontier is a pipe": _pipe("frontier.parquet"),
    "manifest is a pipe": _pipe("manifest.json"),
    "ledger is a pipe": lambda folder: (unfinished(folder), _pipe("progress.sqlite")(folder)),
    "trust is a pipe": _pipe("trust.json"),
    "sample is a pipe": _pipe("designs/sample.parquet"),
    "frontier is a socket": _socket,
    "frontier is a device": _link("frontier.parquet", "/dev/zero"),
    "manifest is a link out": _link("manifest.json", "/etc/hostname"),
    "designs is a link out": _link("designs", "/tmp"),
    "manifest of a terabyte": _huge("manifest.json"),
    "frontier of a terabyte": _huge("frontier.parquet"),
    "manifest nested deeply": _deep,
    "frontier of many rows": _many_rows,
    "objective is NaN": _cell("time", float("nan")),
    "objective is infinite": _cell("time", float("inf")),
    "objective is a text": _cell("time", "short"),
    "axis is a text": _cell("nodes", "many"),
    "design beyond the space": _cell("design", 10**12),
    "design below 0": _cell("design", -1),
    "no axis column": lambda folder: forge_frontier(folder, lambda frame: frame.drop(columns="nodes")),
    "no rows": lambda folder: forge_frontier(folder, lambda frame: frame.iloc[:0]),
    "a column of lists": lambda folder: forge_frontier(folder, lambda frame: frame.assign(speed=[[1.0]] * len(frame))),
    "a cell that is a formula": _cell("extrapolated", '=HYPERLINK("http://x","y")'),
    "no objectives": _manifest(lambda manifest: manifest.update(objectives=[])),
    "objective without quantity": _manifest(lambda manifest: manifest["objectives"][0].pop("quantity")),
    "objective of no sense": _manifest(lambda manifest: manifest["objectives"][0].update(sense="most")),
    "objective of no unit": _manifest(lambda manifest: manifest["objectives"][0].update(unit="parrot")),
    "reference of texts": _manifest(lambda manifest: manifest["references"][0].update(values="none")),
    "reference without limits' words": _manifest(lambda manifest: manifest["references"][0].update(constraints=[{}])),
    "pick that is no rule": _manifest(lambda manifest: manifest.update(pick={"order": 3})),
    "units that are none": _manifest(lambda manifest: manifest["units"].update(time="parrot")),
    "a study that is none": _manifest(lambda manifest: manifest.update(study_text="name =")),
    "certificate with a broken gap": _manifest(lambda manifest: manifest["certificate"].update(gap={"cover": 1})),
    "certificate of negative counts": _manifest(lambda manifest: manifest["certificate"].update(designs=-1)),
    "no alternatives": _manifest(lambda manifest: manifest["space"].update(alternatives=[])),
    "tables from a device": _manifest(lambda manifest: manifest["hashes"].update({"table ../../dev/zero": "0"})),
    "decision without values": _trust(lambda trust: trust["decisions"][0].update(values={})),
    "decision of an empty axis": _trust(lambda trust: trust["decisions"][0].update(values={"nodes": {}})),
    "trust of designs that are none": _trust(lambda trust: trust.update(possible=[10**9], certain=[-5])),
    "trust of NaN": _trust(lambda trust: trust.update(error=float("nan"))),
}
"""By name, what changes a copy of the folder of a finished run of `SMALL`, its trust stored, in place."""
