"""The ledger of a run: the finished chunks of its search, so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import RunFolderError
from dse.search.product import ChunkResult

__all__ = ["KEPT", "BlockLedger", "LedgerBusyError"]

KEPT = "what is finished is kept: make room and give the same command again"


class LedgerBusyError(RunFolderError):
    """Another process holds the ledger."""


class BlockLedger:
    """The finished chunks of a search, in SQLite: each is stored whole or not at all."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._base: Any = None
        try:
            self._base = sqlite3.connect(file, timeout=0.5, isolation_level=None)
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("BEGIN EXCLUSIVE")
            self._base.execute("CREATE TABLE IF NOT EXISTS identity (text TEXT NOT NULL)")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS chunks (product INTEGER, piece INTEGER, counts TEXT NOT NULL, "
                "points BLOB NOT NULL, numbers BLOB NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (product, piece))"
            )
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            self.close()
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> RunFolderError:
        # The low byte is the kind of error, the others say more.
        kind = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return LedgerBusyError("another process is at work on this run", file=self.file)
        if kind in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return RunFolderError(f"cannot be written: {error}; {KEPT}", file=self.file)
        if kind in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return RunFolderError(f"cannot be written: {error}", file=self.file)
        return RunFolderError(
            f"the ledger of finished blocks cannot be used: {error}", file=self.file, allowed="--fresh"
        )

    def identity(self) -> dict[str, Any] | None:
        """Return which study and options the chunks belong to."""
        try:
            row = self._base.execute("SELECT text FROM identity").fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        try:
            found = json.loads(row[0]) if row else None
        except (ValueError, TypeError) as error:
            raise self._broken(error) from None
        parts = ("hashes", "options", "engine")
        if found is not None and not (
            isinstance(found, dict) and all(isinstance(found.get(part), dict) for part in parts)
        ):
            raise self._broken(ValueError("it does not tell which study it belongs to"))
        return found

    def identify(self, identity: Mapping[str, Any]) -> None:
        """Note which study and options the chunks belong to."""
        self._execute("DELETE FROM identity", ())
        self._execute("INSERT INTO identity VALUES (?)", (json.dumps(identity),))

    def has_chunks(self) -> bool:
        """Whether any work is kept: a ledger without any belongs to nobody."""
        try:
            return self._base.execute("SELECT 1 FROM chunks LIMIT 1").fetchone() is not None
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def _execute(self, statement: str, values: tuple) -> None:
        try:
            self._base.execute(statement, values)
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def load(self, chunk: tuple[int, int]) -> ChunkResult | None:
        """Return a finished chunk."""
        try:
            row = self._base.execute(
                "SELECT counts, points, numbers, sha256 FROM chunks WHERE product = ? AND piece = ?", chunk
            ).fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        if row is None:
            return None
        if _digest(chunk, *row[:3]) != row[3]:
            raise self._broken(ValueError(f"chunk {chunk} was changed after it was written"))
        try:
            counts = json.loads(row[0])
            numbers = np.frombuffer(row[2], dtype="<i8").astype(np.int64)
            points = np.frombuffer(row[1], dtype="<f8").astype(float).reshape(len(numbers), counts.pop("objectives"))
            excluded = counts.pop("excluded")  # what an account misses is no 0
            return ChunkResult(points, numbers, excluded=excluded, **counts)
        except (ValueError, TypeError, KeyError) as error:
            raise self._broken(error) from None

    def store(self, chunk: tuple[int, int], result: ChunkResult) -> None:
        """Keep a finished chunk."""
        counts = {
            "objectives": result.points.shape[1],
            "evaluated": result.evaluated,
            "designs": result.designs,
            "feasible": result.feasible,
            "infeasible": result.infeasible,
            "calls": result.calls,
            "passed": result.passed,
            "excluded": result.excluded,
        }
        parts = (json.dumps(counts), result.points.astype("<f8").tobytes(), result.numbers.astype("<i8").tobytes())
        self._execute(
            "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?)", (*chunk, *parts, _digest(chunk, *parts))
        )

    def close(self) -> None:
        """Close the file."""
        if self._base is not None:
            self._base.close()


def _digest(chunk: tuple[int, int], counts: str, points: bytes, numbers: bytes) -> str:
    found = hashlib.sha256(f"{chunk[0]} {chunk[1]} {counts}".encode())
    found.update(points)
    found.update(numbers)
    return found.hexdigest()
