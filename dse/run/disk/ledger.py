"""The ledger of a run: the finished chunks of its search, so that a killed run goes on where it was.

Each bears the seal of the user whose search finished it, together with the study, options and engine it belongs to: a
folder may come from anywhere, and the hash of a chunk can be made again by whoever changes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import sqlite3
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import RunFolderError
from dse.run.disk.kept_rounds import packed_rounds, unpacked_rounds
from dse.run.disk.ledger_tables import (
    TABLES,
    evidence_digest,
    missing_tables,
    packed,
    refuse_irregular_ledger,
    unpacked,
)
from dse.run.disk.seal import Sealer
from dse.search.bundles.design_search import ChunkResult
from dse.search.proof.evidence import Evidence, Excluded
from dse.search.schedule.ledger import KeptRounds

__all__ = ["KEPT", "BlockLedger", "LedgerBusyError"]

_SEARCHED = 10.0  # what passes between two writes to the disk, in times of one

KEPT = "what is finished is kept: make room and give the same command again"


class LedgerBusyError(RunFolderError):
    """Another process holds the ledger."""


class BlockLedger:
    """The finished chunks of a search, in SQLite: each is stored whole or not at all.

    Chunks that take less time than a write to the disk are written together, so that writing takes a tenth of the
    search at most, and a kill loses ten times what one write takes.

    Parameters
    ----------
    file : Path
    accepts : int, optional
        The size of the space, where chunks are taken over that bear no seal of this user. Default: they are not there.

    Notes
    -----
    What is stored after such a chunk was taken over may rest on it: it bears no seal either.
    """

    def __init__(self, file: Path, *, accepts: int | None = None) -> None:
        self.file, self._accepts = file, accepts
        self._sealer, self._belongs = Sealer(), ""
        self._accepted: dict[tuple[int, int], int] = {}
        self._accepted_before = {"blocks": 0, "designs": 0}
        self._base: Any = None
        self._written, self._writing = -math.inf, 0.0
        refuse_irregular_ledger(file)
        try:
            self._base = sqlite3.connect(file, timeout=0.5, isolation_level=None)
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("BEGIN EXCLUSIVE")
            missing = missing_tables(self._base)
            for name in missing:
                self._base.execute(TABLES[name])
            self._base.execute("COMMIT")
            pages, size = (self._base.execute(f"PRAGMA page_{own}").fetchone()[0] for own in ("count", "size"))
            if file.stat().st_size < pages * size:  # else a cell of the part that is gone reads as one that was forged
                raise sqlite3.DatabaseError("database disk image is malformed")
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

    @property
    def accepted(self) -> dict[str, int] | None:
        """How many ``blocks`` and ``designs`` were taken over that bear no seal of this user; None where none was."""
        blocks = self._accepted_before["blocks"] + len(self._accepted)
        designs = self._accepted_before["designs"] + sum(self._accepted.values())
        return {"blocks": blocks, "designs": designs} if blocks else None

    def strangers(self) -> tuple[int, int]:
        """Return how many blocks, searches in rounds included, are not taken over, and how many there are."""
        try:
            chunks = self._base.execute("SELECT product, piece, sha256, seal FROM chunks").fetchall()
            rounds = self._base.execute("SELECT accepted, sha256, seal FROM rounds").fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        foreign = 0
        if self._accepts is None:
            foreign += sum(not self._own((product, piece), digest, seal) for product, piece, digest, seal in chunks)
        foreign += sum(not self._takes_rounds(*row) for row in rounds)
        return foreign, len(chunks) + len(rounds)

    def _own(self, place: tuple[int, int], digest: str, seal: object) -> bool:
        """Say whether a chunk bears the seal of this user, for this study, its options and the engine here."""
        return self._sealer.knows(f"{self._identity} {place[0]} {place[1]} {digest}", seal)

    def _takes_rounds(self, accepted: str, digest: str, seal: object) -> bool:
        """Say whether a search in rounds is this user's, and rests on nothing that is not to be taken over."""
        own = self._sealer.knows(f"{self._identity} rounds {accepted} {digest}", seal)
        return own and (not accepted or self._accepts is not None)

    @property
    def _identity(self) -> str:
        """The hash of what the chunks belong to."""
        if not self._belongs:
            try:
                row = self._base.execute("SELECT text FROM identity").fetchone()
            except sqlite3.Error as error:
                raise self._broken(error) from None
            self._belongs = hashlib.sha256(str(row[0] if row else "").encode("utf-8", "replace")).hexdigest()
        return self._belongs

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

    def identify(self, identity: Mapping[str, object]) -> None:
        """Note which study and options the chunks belong to."""
        self._belongs = ""
        self._execute("DELETE FROM identity", ())
        self._execute("INSERT INTO identity VALUES (?)", (json.dumps(identity),))

    def has_chunks(self) -> bool:
        """Whether any work is kept: a ledger without any belongs to nobody."""
        try:
            query = "SELECT 1 FROM chunks UNION ALL SELECT 1 FROM rounds LIMIT 1"
            return self._base.execute(query).fetchone() is not None
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def _execute(self, statement: str, values: tuple[object, ...]) -> None:
        try:
            self._base.execute(statement, values)
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def load(self, chunk: tuple[int, int]) -> ChunkResult | None:
        """Return a finished chunk; None where there is none, or none that is to be taken over."""
        try:
            row = self._base.execute(
                "SELECT counts, points, numbers, evidence, sha256, seal FROM chunks WHERE product = ? AND piece = ?",
                chunk,
            ).fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        if row is None:
            return None
        own = self._own(chunk, row[4], row[5])
        if not own and self._accepts is None:
            return None
        try:
            if _digest(chunk, *row[:4]) != row[4]:
                raise ValueError(f"chunk {chunk} was changed after it was written")
            counts = json.loads(row[0])
            numbers = np.frombuffer(row[2], dtype="<i8").astype(np.int64)
            points = np.frombuffer(row[1], dtype="<f8").astype(float).reshape(len(numbers), counts.pop("objectives"))
            excluded = counts.pop("excluded")  # what an account misses is no 0
            evidence = Excluded(**unpacked(row[3])) if row[3] else None
            result = ChunkResult(points, numbers, excluded=excluded, evidence=evidence, **counts)
            if not own:
                self._refuse_impossible(result)
                self._accepted[chunk] = result.designs
            return result
        except (ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
            raise self._broken(error) from None

    def _refuse_impossible(self, result: ChunkResult) -> None:
        """Raise ValueError where a chunk that is to be taken over cannot be one of this space."""
        size = self._accepts or 0
        counts = [result.evaluated, result.designs, result.calls, result.passed, result.excluded]
        counts += [count for count in (result.feasible, *(result.infeasible or {}).values()) if count is not None]
        if not all(type(count) is int and 0 <= count <= size for count in counts):
            raise ValueError("its counts are none of this space")
        if len(result.numbers) and not 0 <= result.numbers.min() <= result.numbers.max() < size:
            raise ValueError("its designs are none of this space")
        if not np.isfinite(result.points).all():
            raise ValueError("its objectives are not finite")

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
        evidence = packed(vars(result.evidence)) if result.evidence is not None else b""
        parts = (json.dumps(counts), points, numbers, evidence)
        digest = _digest(chunk, *parts)
        seal = "" if self.accepted else self._sealer.seal(f"{self._identity} {chunk[0]} {chunk[1]} {digest}")
        self._begin()
        self._execute("INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*chunk, *parts, digest, seal))
        if time.monotonic() - self._written >= _SEARCHED * self._writing:
            self._commit()

    def store_rounds(self, kept: KeptRounds) -> None:
        """Store a search in rounds as it is, in place of what was stored of it before."""
        arrays = packed(packed_rounds(kept))
        digest, accepted = hashlib.sha256(arrays).hexdigest(), json.dumps(self.accepted) if self.accepted else ""
        seal = self._sealer.seal(f"{self._identity} rounds {accepted} {digest}")
        self._begin()
        self._execute("DELETE FROM rounds", ())
        self._execute("INSERT INTO rounds VALUES (?, ?, ?, ?)", (arrays, accepted, digest, seal))
        self._commit()

    def load_rounds(self) -> KeptRounds | None:
        """Return what was stored last of a search in rounds; None where that is not this user's."""
        try:
            row = self._base.execute("SELECT arrays, accepted, sha256, seal FROM rounds").fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from None
        if row is None or not self._takes_rounds(*row[1:]):
            return None
        try:
            if hashlib.sha256(row[0]).hexdigest() != row[2]:
                raise ValueError("the open boxes were changed after they were written")
            if row[1]:
                self._accepted_before = json.loads(row[1])
            return unpacked_rounds(unpacked(row[0]))
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

    def keep(self, evidence: Evidence) -> str:
        """Keep the evidence of a search that has ended, and return its hash (`dse.run.disk.ledger_tables`)."""
        self._begin()
        self._execute("DELETE FROM evidence", ())
        rows: list[tuple[int, bytes]] = []
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
            rows.append((product, packed(arrays)))
            self._execute("INSERT INTO evidence VALUES (?, ?)", rows[-1])
        self._commit()
        return evidence_digest(rows)

    def close(self) -> None:
        """Close the file; what an interruption has left is kept."""
        if self._base is not None:
            with contextlib.suppress(RunFolderError):
                self._commit()
            self._base.close()


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
