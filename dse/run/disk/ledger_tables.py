"""What a ledger is on disk: a database of four tables and nothing else, arrays in its cells, and the evidence it keeps.

It may come from anybody: whoever opens it looks first.
"""

from __future__ import annotations

import hashlib
import io
import sqlite3
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from dse.authoring.library.regular_file import refuse_irregular
from dse.errors import InputError, RunFolderError

__all__ = [
    "TABLES",
    "evidence_digest",
    "missing_tables",
    "packed",
    "read_evidence",
    "refuse_irregular_ledger",
    "unpacked",
]

_LARGEST = 1 << 38  # bytes of a file that is opened
TABLES = {
    "identity": "CREATE TABLE identity (text TEXT NOT NULL)",
    "chunks": "CREATE TABLE chunks (product INTEGER, piece INTEGER, counts TEXT NOT NULL, points BLOB NOT NULL, "
    "numbers BLOB NOT NULL, evidence BLOB NOT NULL, sha256 TEXT NOT NULL, seal TEXT NOT NULL, "
    "PRIMARY KEY (product, piece))",
    "evidence": "CREATE TABLE evidence (product INTEGER PRIMARY KEY, arrays BLOB NOT NULL)",
    "rounds": "CREATE TABLE rounds (arrays BLOB NOT NULL, accepted TEXT NOT NULL, sha256 TEXT NOT NULL, "
    "seal TEXT NOT NULL)",
}


def read_evidence(file: Path, digest: str | None = None) -> dict[int, dict[str, np.ndarray]]:
    """Return the evidence a finished run keeps, by product: arrays by name.

    Parameters
    ----------
    file : Path
    digest : str, optional
        The hash that the manifest has of it (`BlockLedger.keep`). Default: an older version noted none.

    Notes
    -----
    ``begin``, ``end``, ``bounds``, ``limits``, ``by`` of excluded boxes, ``order_N`` of atom N, and of group N
    ``pruned_N`` and ``instead_N``; ``groups`` says as JSON what was claimed of each (`dse.search.proof.evidence`).
    """
    refuse_irregular_ledger(file)
    if not file.is_file():
        return {}
    rows: Sequence[tuple[int, bytes]] = []
    try:
        base = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", timeout=0.5, uri=True)
        try:
            if "evidence" not in missing_tables(base, older=True):
                rows = base.execute("SELECT product, arrays FROM evidence ORDER BY product").fetchall()
        finally:
            base.close()
        if digest is not None and evidence_digest(rows) != digest:
            raise ValueError("it was changed after the run wrote it")
        return {int(product): unpacked(arrays) for product, arrays in rows}
    except (sqlite3.Error, ValueError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise RunFolderError(f"the evidence kept there cannot be read: {error}", file=file) from None


def refuse_irregular_ledger(file: Path) -> None:
    """Refuse a ledger, or what SQLite would read beside it, that is no regular file of this folder."""
    try:
        for ending in ("", "-journal", "-wal", "-shm"):
            refuse_irregular(file.with_name(f"{file.name}{ending}"), _LARGEST, inside=file.parent)
    except InputError as error:
        raise RunFolderError(error.problem, file=error.file, allowed=error.allowed) from None


def missing_tables(base: sqlite3.Connection, *, older: bool = False) -> list[str]:
    """Return the tables that a database lacks.

    Views and triggers of another hand would run what they like, and tables of an older version hold other columns: both
    are refused, those of an older version only where they are to be written.
    """
    known = {}
    for kind, name, text in base.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
        if kind == "index" and text is None:  # of a primary key
            continue
        if kind != "table" or name not in TABLES:
            raise sqlite3.DatabaseError(f"it holds a {kind} '{name}'"[:80])
        known[name] = text
    looked_at = ("evidence",) if older else tuple(TABLES)
    if any(known.get(name, TABLES[name]) != TABLES[name] for name in looked_at):
        raise sqlite3.DatabaseError("another version of dse wrote it")
    return [name for name in TABLES if name not in known]


def evidence_digest(rows: Sequence[tuple[int, bytes]]) -> str:
    """Return the hash of evidence, by product."""
    digest = hashlib.sha256()
    for product, arrays in rows:
        digest.update(f"{product} {len(arrays)}\n".encode())
        digest.update(arrays)
    return digest.hexdigest()


def packed(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return arrays by name as bytes that need no pickling."""
    stream = io.BytesIO()
    save: Callable[..., None] = np.savez  # whose own options differ between versions
    save(stream, **arrays)
    return stream.getvalue()


def unpacked(data: bytes) -> dict[str, np.ndarray]:
    """Return arrays by name; ValueError where they would hold more than the bytes they come from."""
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        if any(
            member.compress_type != zipfile.ZIP_STORED or member.file_size > len(data) for member in members.infolist()
        ):
            raise ValueError("its arrays are compressed, which no run writes")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except MemoryError:
        raise ValueError("an array has more entries than there are bytes") from None
