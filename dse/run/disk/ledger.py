"""The ledger of a run: the finished chunks of its search, so that a killed run goes on where it was."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import math
import sqlite3
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import RunFolderError
from dse.run.disk.kept_rounds import packed_rounds, unpacked_rounds
from dse.search.bundles.design_search import ChunkResult
from dse.search.proof.evidence import Evidence, Excluded
from dse.search.schedule.ledger import KeptRounds

__all__ = ["KEPT", "BlockLedger", "LedgerBusyError", "read_evidence"]

_SEARCHED = 10.0  # what passes between two writes to the disk, in times of one

KEPT = "what is finished is kept: make room and give the same command again"


class LedgerBusyError(RunFolderError):
    """Another process holds the ledger."""


class BlockLedger:
    """The finished chunks of a search, in SQLite: each is stored whole or not at all.

    Chunks that take less time than a write to the disk are written together, so that writing takes a tenth of the
    search at most, and a kill loses ten times what one write takes.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._base: Any = None
        self._written, self._writing = -math.inf, 0.0
        try:
            self._base = sqlite3.connect(file, timeout=0.5, isolation_level=None)
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("BEGIN EXCLUSIVE")
            self._base.execute("CREATE TABLE IF NOT EXISTS identity (text TEXT NOT NULL)")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS chunks (product INTEGER, piece INTEGER, counts TEXT NOT NULL, "
                "points BLOB NOT NULL, numbers BLOB NOT NULL, evidence BLOB NOT NULL, sha256 TEXT NOT NULL, "
                "PRIMARY KEY (product, piece))"
            )
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS evidence (product INTEGER PRIMARY KEY, arrays BLOB NOT NULL)"
            )
            self._base.execute("CREATE TABLE IF NOT EXISTS rounds (arrays BLOB NOT NULL, sha256 TEXT NOT NULL)")
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
            identity = json.loads(row[0]) if row else None
        except (ValueError, TypeError) as error:
            raise self._broken(error) from None
        parts = ("hashes", "options", "engine")
        if identity is not None and not (
            isinstance(identity, dict) and all(isinstance(identity.get(part), dict) for part in parts)
        ):
            raise self._broken(ValueError("it does not tell which study it belongs to"))
        return identity

    def identify(self, identity: Mapping[str, Any]) -> None:
        """Note which study and options the chunks belong to."""
        self._execute("DELETE FROM identity", ())
        self._execute("INSERT INTO identity VALUES (?)", (json.dumps(identity),))

    def has_chunks(self) -> bool:
        """Whether any work is kept: a ledger without any belongs to nobody."""
        try:
            query = "SELECT 1 FROM chunks UNION ALL SELECT 1 FROM rounds LIMIT 1"
            return self._base.execute(query).fetchone() is not None
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
                "SELECT counts, points, numbers, evidence, sha256 FROM chunks WHERE product = ? AND piece = ?", chunk
            ).fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        if row is None:
            return None
        if _digest(chunk, *row[:4]) != row[4]:
            raise self._broken(ValueError(f"chunk {chunk} was changed after it was written"))
        try:
            counts = json.loads(row[0])
            numbers = np.frombuffer(row[2], dtype="<i8").astype(np.int64)
            points = np.frombuffer(row[1], dtype="<f8").astype(float).reshape(len(numbers), counts.pop("objectives"))
            excluded = counts.pop("excluded")  # what an account misses is no 0
            evidence = Excluded(**_unpacked(row[3])) if row[3] else None
            return ChunkResult(points, numbers, excluded=excluded, evidence=evidence, **counts)
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
            **({"left_out": True} if result.left_out else {}),
        }
        points, numbers = _bytes_of(result.points, "<f8"), _bytes_of(result.numbers, "<i8")
        evidence = _packed(vars(result.evidence)) if result.evidence is not None else b""
        parts = (json.dumps(counts), points, numbers, evidence)
        self._begin()
        self._execute(
            "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", (*chunk, *parts, _digest(chunk, *parts))
        )
        if time.monotonic() - self._written >= _SEARCHED * self._writing:
            self._commit()

    def store_rounds(self, kept: KeptRounds) -> None:
        """Store a search in rounds as it is, in place of what was stored of it before."""
        arrays = _packed(packed_rounds(kept))
        self._begin()
        self._execute("DELETE FROM rounds", ())
        self._execute("INSERT INTO rounds VALUES (?, ?)", (arrays, hashlib.sha256(arrays).hexdigest()))
        self._commit()

    def load_rounds(self) -> KeptRounds | None:
        """Return what was stored last of a search in rounds."""
        try:
            row = self._base.execute("SELECT arrays, sha256 FROM rounds").fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        if row is None:
            return None
        try:
            if hashlib.sha256(row[0]).hexdigest() != row[1]:
                raise ValueError("the open boxes were changed after they were written")
            return unpacked_rounds(_unpacked(row[0]))
        except (ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise self._broken(error) from None

    def _begin(self) -> None:
        if not self._base.in_transaction:
            self._execute("BEGIN", ())

    def _commit(self) -> None:
        """Write to the disk what is stored."""
        if self._base.in_transaction:
            begun = time.monotonic()
            self._execute("COMMIT", ())
            self._written = time.monotonic()
            self._writing = self._written - begun

    def keep(self, evidence: Evidence) -> None:
        """Keep the evidence of a search that has ended (`read_evidence`)."""
        self._begin()
        self._execute("DELETE FROM evidence", ())
        for product in sorted({*evidence.excluded, *evidence.groups}):
            groups = evidence.groups.get(product, [])
            orders, excluded = evidence.orders.get(product, []), evidence.excluded.get(product)
            documents = [
                {"axes": group.axes, "columns": group.columns, "interface": group.interface, "rows": group.rows}
                for group in groups
            ]
            arrays = {"groups": np.array(json.dumps(documents)), "atoms": np.array(len(orders))}
            arrays |= {f"order_{atom}": order for atom, order in enumerate(orders)}
            arrays |= {f"pruned_{place}": group.pruned for place, group in enumerate(groups)}
            arrays |= {f"instead_{place}": group.instead for place, group in enumerate(groups)}
            if excluded is not None:
                arrays |= {**vars(excluded), "by": evidence.by[product]}
            self._execute("INSERT INTO evidence VALUES (?, ?)", (product, _packed(arrays)))
        self._commit()

    def close(self) -> None:
        """Close the file; what an interruption has left is kept."""
        if self._base is not None:
            with contextlib.suppress(RunFolderError):
                self._commit()
            self._base.close()


def read_evidence(file: Path) -> dict[int, dict[str, np.ndarray]]:
    """Return the evidence a finished run keeps, by product: arrays by name.

    ``begin``, ``end``, ``bounds``, ``limits``, ``by`` of excluded boxes, ``order_N`` of atom N, and of group N
    ``pruned_N`` and ``instead_N``; ``groups`` says as JSON what was claimed of each (`dse.search.proof.evidence`).
    """
    if not file.is_file():
        return {}
    try:
        base = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", timeout=0.5, uri=True)
        try:
            rows = base.execute("SELECT product, arrays FROM evidence ORDER BY product").fetchall()
        finally:
            base.close()
        return {int(product): _unpacked(arrays) for product, arrays in rows}
    except (sqlite3.Error, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        if "no such table" in str(error):
            return {}
        raise RunFolderError(f"the evidence kept there cannot be read: {error}", file=file) from None


def _packed(arrays: Mapping[str, np.ndarray]) -> bytes:
    stream = io.BytesIO()
    save: Callable[..., None] = np.savez  # whose own options differ between versions
    save(stream, **arrays)
    return stream.getvalue()


def _unpacked(data: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _bytes_of(values: np.ndarray, kind: str) -> memoryview:
    """Return the bytes of an array, which are not copied where they are as they should be."""
    return np.ascontiguousarray(values, dtype=kind).reshape(-1).view(np.uint8).data


def _digest(
    chunk: tuple[int, int], counts: str, points: bytes | memoryview, numbers: bytes | memoryview, evidence: bytes
) -> str:
    digest = hashlib.sha256(f"{chunk[0]} {chunk[1]} {counts}".encode())
    digest.update(points)
    digest.update(numbers)
    digest.update(evidence)
    return digest.hexdigest()
