"""What the workers of a cluster do: make the problem of a study that was sent to them, and search ranges of it."""

from __future__ import annotations

import io
import json
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dse.authoring.watch.prints import prints_marked
from dse.authoring.watch.watch import calls_watched
from dse.errors import InputError, ModelError
from dse.run.disk.study_archive import unpack_study
from dse.run.disk.versions import engine_identity, versions
from dse.search.bundles.design_search import ChunkResult
from dse.search.plan.strategy import Strategy
from dse.search.plan.worker import Chunk, Seeds, Worker
from dse.search.proof.evidence import Excluded

__all__ = ["Refusal", "Searched", "Setting", "differences", "identity", "packed_results", "search_range"]
__all__ += ["unpacked_results"]

_QUICKLY = 1  # of zlib: evidence is long and mostly zeros


def identity() -> dict[str, str]:
    """Return what a result depends on beside the study, down to its last bit."""
    return {"dse": versions()["dse"], **engine_identity()}


def differences(here: dict[str, str], there: dict[str, str], where: str) -> list[str]:
    """Return in words what differs between this computer and a worker, with both versions."""
    names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    return [f"{name} {_short(here.get(name))} here, {_short(there.get(name))} on {where}" for name in names]


def _short(version: str | None) -> str:
    """Return a version, or the beginning of a hash."""
    return "missing" if version is None else version[:12]


@dataclass(frozen=True)
class Setting:
    """What all ranges of one stage share; kilobytes, that go with each of them.

    Attributes
    ----------
    key : str
        No other setting has it.
    archive : bytes
        The study (`dse.run.disk.study_archive`).
    sha256 : str
        Of the archive.
    file : str or None
        Where the study stands at the client, for messages.
    identity, hashes : dict of str to str
        What a worker must agree with: dse and its libraries; the models, tables and enumerated rows of the study.
    strategy : Strategy
    seeds : Seeds
    evidence : bool
        Whether there is a ledger that keeps what was excluded.
    """

    key: str
    archive: bytes
    sha256: str
    file: str | None
    identity: dict[str, str]
    hashes: dict[str, str]
    strategy: Strategy
    seeds: Seeds
    evidence: bool


@dataclass(frozen=True)
class Searched:
    """What a worker returns: the results of a range (`packed_results`), and the seconds they took."""

    results: bytes
    seconds: float


@dataclass(frozen=True)
class Refusal:
    """Why a worker did not search: its versions, in words, or the fault of the study or of a model."""

    versions: str = ""
    fault: InputError | ModelError | None = None


_ONE_AT_A_TIME = threading.Lock()  # a worker of Dask may have several threads, and a search has one
_READY: dict[str, tuple[Worker, tempfile.TemporaryDirectory[str]]] = {}


def search_range(chunks: Sequence[Chunk], setting: Setting, where: str = "") -> Searched | Refusal:
    """Search some chunks; refuse where this computer could give other bits than the one that asks.

    Parameters
    ----------
    chunks : sequence of Chunk
    setting : Setting
    where : str, optional
        The name of this worker. Default: its address.
    """
    with _ONE_AT_A_TIME, prints_marked(), calls_watched():
        where = where or _address()
        other = differences(setting.identity, identity(), where)
        if other:
            return Refusal("; ".join(other))
        try:
            if setting.key not in _READY:
                _forget()
                made = _made(setting, where)
                if isinstance(made, Refusal):
                    return made
                _READY[setting.key] = made
            worker, _ = _READY[setting.key]
            begun = time.perf_counter()
            results = {chunk: worker.run(chunk) for chunk in chunks}
            seconds = time.perf_counter() - begun
        except (InputError, ModelError) as fault:  # the same wherever it is tried again
            return Refusal(fault=fault)
        if not setting.evidence:
            results = {chunk: replace(result, evidence=None) for chunk, result in results.items()}
        return Searched(packed_results(results), seconds)


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _forget() -> None:
    for _, folder in _READY.values():
        folder.cleanup()
    _READY.clear()


def _made(setting: Setting, where: str) -> tuple[Worker, tempfile.TemporaryDirectory[str]] | Refusal:
    """Make the worker of a setting, with the folder its study stands in."""
    folder = tempfile.TemporaryDirectory(prefix="dse-study-")
    study = unpack_study(setting.archive, setting.sha256, Path(folder.name), setting.file)
    other = differences(setting.hashes, study.hashes(), where)
    if other:
        folder.cleanup()
        return Refusal("; ".join(other))
    return Worker(study.compiled, setting.strategy, setting.seeds), folder


def packed_results(results: dict[Chunk, ChunkResult]) -> bytes:
    """Return results as bytes that are read without running any code: counts as JSON, arrays, compressed.

    Parameters
    ----------
    results : dict of Chunk to ChunkResult
    """
    arrays: dict[str, np.ndarray] = {}
    counts = []
    for place, (chunk, result) in enumerate(results.items()):
        own = {name: value for name, value in vars(result).items() if name not in ("points", "numbers", "evidence")}
        counts.append({"chunk": chunk, "result": own})
        arrays |= {f"points_{place}": result.points, f"numbers_{place}": result.numbers}
        if result.evidence is not None:
            arrays |= {f"evidence_{place}_{name}": array for name, array in vars(result.evidence).items()}
    stream = io.BytesIO()
    save: Callable[..., None] = np.savez  # whose own options differ between versions
    save(stream, counts=np.array(json.dumps(counts)), **arrays)
    return zlib.compress(stream.getvalue(), _QUICKLY)


def unpacked_results(data: bytes) -> dict[Chunk, ChunkResult]:
    """Return what `packed_results` was given."""
    results: dict[Chunk, ChunkResult] = {}
    with np.load(io.BytesIO(zlib.decompress(data)), allow_pickle=False) as arrays:
        for place, document in enumerate(json.loads(str(arrays["counts"]))):
            product, piece = document["chunk"]
            begun = f"evidence_{place}_"
            kept = {name.removeprefix(begun): arrays[name] for name in arrays.files if name.startswith(begun)}
            evidence = Excluded(**kept) if kept else None
            results[product, piece] = ChunkResult(
                arrays[f"points_{place}"], arrays[f"numbers_{place}"], evidence=evidence, **document["result"]
            )
    return results
