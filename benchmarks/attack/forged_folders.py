"""Run folders as an adversary makes them: whole by every hash that anybody can compute, and wrong."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import numpy as np

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
    for product, piece, counts, evidence in base.execute(
        "SELECT product, piece, counts, evidence FROM chunks"
    ).fetchall():
        points, numbers = np.array([value]).tobytes(), np.array([number], dtype="<i8").tobytes()
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
