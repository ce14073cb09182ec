"""What costly functions gave in earlier runs, in this user's cache folder: never a wrong number, at worst no number.

An entry is a file named by the digest of the code of the project, the libraries and the processor, the function and its
arguments. It holds a seal that this user's key alone makes (`dse.run.disk.seal`), over that name and the numbers, and
the numbers as NumPy writes arrays, without objects. What is cut short, changed, moved to another name or from somebody
else bears no such seal: it is computed anew. Files are written beside their place and moved there in one step.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np

from dse.authoring.library.regular_file import read_regular
from dse.authoring.watch.kept_results import results_kept_by
from dse.errors import InputError
from dse.run.disk.seal import Sealer
from dse.run.disk.versions import code_identity

__all__ = ["NO_CACHE", "ResultCache", "cache_folder", "results_kept"]

NO_CACHE = "DSE_NO_CACHE"
"""The environment variable by which nothing is kept, whatever it is set to."""

_MAGIC = b"dse results 1\n"
_MOST_BYTES = 256_000_000
"""Of all entries: beyond that the ones that were not used for longest go."""
_LARGEST = 64_000_000
_SEAL = 64


def cache_folder() -> Path | None:
    """Return where results are kept, whether it exists or not; None without a home."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "dse" / "results"
    try:
        return Path.home() / ".cache" / "dse" / "results"
    except RuntimeError:
        return None


class ResultCache:
    """Keeps results in a folder (`dse.authoring.watch.kept_results.Keeper`).

    Parameters
    ----------
    folder : path
        Made when it is first written to.

    Attributes
    ----------
    recalled, kept : int
        How many results were there, and how many are new.
    faults : list of str
        What went wrong, each kind once, in words.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recalled = self.kept = 0
        self.faults: list[str] = []
        self._sealer = Sealer()
        self._written = True

    @cached_property
    def _code(self) -> bytes:
        return code_identity().encode()

    def _entry(self, name: str, arguments: Sequence[np.ndarray], shape: tuple[int, ...]) -> str:
        digest = hashlib.sha256(self._code)
        digest.update(f"\n{name}\n{shape}\n".encode())
        for argument in arguments:
            numbers = np.ascontiguousarray(argument, dtype=np.float64)
            digest.update(f"{numbers.shape}\n".encode())
            digest.update(numbers.data)
        return digest.hexdigest()

    def recall(self, name: str, arguments: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray | None:
        """Return a result that this user kept, or None."""
        entry = self._entry(name, arguments, shape)
        file = self.folder / entry
        if not os.path.lexists(file):
            return None
        try:
            content = read_regular(file, _LARGEST)
        except InputError as error:
            if os.path.lexists(file):  # else another process let go of it
                self._note(f"an entry {error.problem}: computed anew")
            return None
        result = self._opened(entry, content, shape)
        if result is None:
            self._note("an entry is damaged or bears no seal of this user: computed anew")
            with contextlib.suppress(OSError):
                file.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(file)
        self.recalled += 1
        return result

    def _opened(self, entry: str, content: bytes, shape: tuple[int, ...]) -> np.ndarray | None:
        head, numbers = content[: len(_MAGIC) + _SEAL], content[len(_MAGIC) + _SEAL :]
        seal = head[len(_MAGIC) :].decode("ascii", "replace")
        if not head.startswith(_MAGIC) or not self._sealer.knows(_sealed_text(entry, numbers), seal):
            return None
        result = np.load(io.BytesIO(numbers), allow_pickle=False)
        return result if result.dtype == np.float64 and result.shape == shape else None

    def keep(self, name: str, arguments: Sequence[np.ndarray], result: np.ndarray) -> None:
        """Keep a result; nothing is kept where no seal can be made, or nothing be written."""
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(result, dtype=np.float64), allow_pickle=False)
        numbers = buffer.getvalue()
        if not self._written or len(numbers) > _LARGEST // 2:
            return
        entry = self._entry(name, arguments, np.shape(result))
        seal = self._sealer.seal(_sealed_text(entry, numbers))
        temporary = self.folder / f".{entry}.{os.getpid()}.{secrets.token_hex(4)}"
        try:
            if not seal:
                msg = "this user has no key"
                raise OSError(msg)
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            temporary.write_bytes(_MAGIC + seal.encode() + numbers)
            temporary.replace(self.folder / entry)
            self.kept += 1
        except OSError as error:
            self._written = False
            self._note(f"nothing can be kept ({error.strerror or error}): the same is computed in each run")
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _note(self, fault: str) -> None:
        if fault not in self.faults:
            self.faults.append(fault)

    def thin(self) -> None:
        """Let go of what was not used for longest, so that the folder does not grow without end."""
        files: list[tuple[float, int, str]] = []
        with contextlib.suppress(OSError):
            for file in os.scandir(self.folder):
                status = file.stat(follow_symlinks=False)
                files.append((status.st_mtime, status.st_size, file.path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= _MOST_BYTES:
                return
            with contextlib.suppress(OSError):
                Path(path).unlink()
            total -= size


def _sealed_text(entry: str, numbers: bytes) -> str:
    return f"results\n{entry}\n{hashlib.sha256(numbers).hexdigest()}"


@contextmanager
def results_kept(*, wanted: bool = True) -> Iterator[ResultCache | None]:
    """Have results kept in this user's cache while the block runs, and say once what went wrong with that.

    Parameters
    ----------
    wanted : bool
        Else nothing is looked up or kept, as where the environment has ``DSE_NO_CACHE``.
    """
    folder = cache_folder()
    if not wanted or folder is None or os.environ.get(NO_CACHE):
        with results_kept_by(None):
            yield None
        return
    cache = ResultCache(folder)
    try:
        with results_kept_by(cache):
            yield cache
    finally:
        if cache.kept:
            cache.thin()
        for fault in cache.faults:
            sys.stderr.write(f"note: {folder}: {fault}\n")
