"""Run folders: written atomically, never overwritten, never mixed with another study's results.

``progress.sqlite`` keeps every finished chunk of the search, so that the same command goes on after a kill.
``manifest.json`` is written last: a folder without it is an unfinished run.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dse.errors import InputError, RunFolderError, refuse_control
from dse.run.disk.manifest import Manifest, read_manifest
from dse.run.disk.seal import DIGEST, SEAL, manifest_digest, seal_of
from dse.run.disk.versions import engine_identity

if TYPE_CHECKING:
    import pandas as pd

    from dse.run.disk.ledger import BlockLedger

__all__ = ["RunFolder", "begun_without_bound", "digest"]

MANIFEST, FRONTIER, PROGRESS, REPORT, DESIGNS = (
    "manifest.json",
    "frontier.parquet",
    "progress.sqlite",
    "report.html",
    "designs",
)
SAMPLE = f"{DESIGNS}/sample.parquet"
OLD = ".old"  # beside the folder of a run: what a fresh start puts aside
WAYS_OUT = f"another --name or --out, or --fresh (keeps the old run in {OLD})"


class RunFolder:
    """A folder that holds one run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def readable(self) -> bool:
        """Whether there is a run to be shown, be it finished or stopped."""
        try:
            return (self.path / MANIFEST).is_file()
        except OSError:  # a name that no folder can have, which is told where the run begins
            return False

    @property
    def finished(self) -> bool:
        """Whether there is a run, and nothing to go on with."""
        return self.readable and self.manifest().certificate.finished

    def manifest(self) -> Manifest:
        """Read the manifest.

        Raises
        ------
        RunFolderError
            No run there, or a manifest that cannot be read.
        """
        file = self.path / MANIFEST
        if not file.is_file():
            if (self.path / PROGRESS).is_file():
                raise RunFolderError(
                    "the run is not finished; the same 'dse run' command goes on with it", file=self.path
                )
            known = (
                [str(p.parent) for p in sorted(self.path.parent.glob(f"*/{MANIFEST}"))]
                if self.path.parent.is_dir()
                else []
            )
            raise RunFolderError(
                "there is no run in this folder",
                file=self.path,
                wrong=str(self.path),
                candidates=known,
                allowed=known or None,
            )
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise RunFolderError(f"cannot be read: {error}", file=file) from None
        return read_manifest(document, file)

    def frontier(self, manifest: Manifest) -> pd.DataFrame:
        """Read the frontier, of which the manifest tells the columns and the digest."""
        file = self.path / FRONTIER
        frame = self._parquet(file)
        wanted = ["design", *(o["quantity"] for o in manifest.objectives), *manifest.also, "extrapolated"]
        missing = [name for name in wanted if name not in frame.columns]
        if missing:
            raise RunFolderError(f"the column '{missing[0]}' is missing; the file is damaged", file=file)
        self._refuse_damaged(manifest, FRONTIER)
        _refuse_control(frame, file)
        return frame

    def designs(self) -> pd.DataFrame | None:
        """Read the sampled designs, if there are any."""
        file = self.path / SAMPLE
        if not file.is_file():
            return None
        frame = self._parquet(file)
        self._refuse_damaged(self.manifest(), SAMPLE)
        return frame

    def _refuse_damaged(self, manifest: Manifest, name: str) -> None:
        """Refuse a table whose bytes are not those the run wrote: Parquet has no checksum of its own."""
        written = manifest.files.get(name)
        if digest(self.path / name) != written:
            raise RunFolderError("was changed after the run wrote it", file=self.path / name, allowed="dse run --fresh")

    def _parquet(self, file: Path) -> pd.DataFrame:
        import pyarrow.parquet

        try:  # pandas' own reader imports its datasets and file systems too, which takes a tenth of a second
            with pyarrow.parquet.ParquetFile(file) as opened:
                frame: pd.DataFrame = opened.read().to_pandas()
            return frame
        except Exception as error:
            first = str(error).split("\n")[0]
            raise RunFolderError(f"cannot be read: {first}", file=file) from None

    def begin(self, hashes: Mapping[str, str], options: Mapping[str, object], *, fresh: bool) -> BlockLedger | None:
        """Make the folder ready.

        Returns
        -------
        BlockLedger or None
            None when the folder holds the finished run of the same study already.

        Raises
        ------
        RunFolderError
            The folder holds something else, or another study's run.
        """
        if self.path.exists() and not self.path.is_dir():
            raise RunFolderError("is a file", file=self.path, allowed="a folder")
        if fresh and self.path.is_dir() and any(self.path.iterdir()):
            self._put_aside()
        if (
            self.path.is_dir()
            and any(self.path.iterdir())
            and not (self.path / PROGRESS).is_file()
            and not self.readable
        ):
            raise RunFolderError(
                "the folder holds other files", file=self.path, allowed="a new folder, or one of a run"
            )
        if self.readable:
            manifest = self.manifest()
            finished = manifest.certificate.finished
            self._refuse_other(manifest.hashes, hashes, "finished" if finished else "unfinished")
            if manifest.options.as_dict() != dict(options):
                raise RunFolderError(
                    f"the run there was made with {_apart(manifest.options.as_dict(), options)}",
                    file=self.path,
                    allowed=f"the same options, {WAYS_OUT}",
                )
            if finished:
                return None
        from dse.run.disk.ledger import BlockLedger

        try:
            self.path.mkdir(parents=True, exist_ok=True)
            ledger = BlockLedger(self.path / PROGRESS)
        except OSError as error:
            raise RunFolderError(f"cannot be written: {error.strerror}", file=self.path) from None
        try:
            self._agree(ledger, hashes, options)
        except RunFolderError:
            ledger.close()
            raise
        for left in [*self.path.glob(".*.tmp"), *self.path.glob(f"{DESIGNS}/.*.tmp")]:
            with contextlib.suppress(OSError):
                left.unlink()  # half a file of a process that was killed
        return ledger

    def _agree(self, ledger: BlockLedger, hashes: Mapping[str, str], options: Mapping[str, object]) -> None:
        """Refuse a ledger of another study, engine or method; note them in a new one."""
        known = ledger.identity()
        if known is None or not ledger.has_chunks():
            ledger.identify({"hashes": dict(hashes), "options": dict(options), "engine": engine_identity()})
        else:
            self._refuse_other(known["hashes"], hashes, "unfinished")
            changed = [name for name, value in engine_identity().items() if known["engine"].get(name) != value]
            if changed:
                raise RunFolderError(
                    f"the unfinished run there was started with another version of: {', '.join(changed)}",
                    file=self.path,
                    allowed=WAYS_OUT,
                )
            if known["options"] != dict(options):
                raise RunFolderError(
                    f"the unfinished run there was started with {_apart(known['options'], options)}",
                    file=self.path,
                    allowed=f"the same options, {WAYS_OUT}",
                )

    def _refuse_other(self, before: Mapping[str, str], now: Mapping[str, str], state: str) -> None:
        changed = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if changed:
            raise RunFolderError(
                f"the folder holds the {state} run of a study that differs in: {', '.join(changed)}",
                file=self.path,
                allowed=WAYS_OUT,
            )

    def _put_aside(self) -> None:
        if not (self.readable or (self.path / PROGRESS).is_file()) and any(self.path.iterdir()):
            raise RunFolderError(
                "the folder holds other files", file=self.path, allowed="a new folder, or one of a run"
            )
        from dse.run.disk.ledger import BlockLedger, LedgerBusyError

        ledger = None
        if (self.path / PROGRESS).is_file():
            try:
                ledger = BlockLedger(self.path / PROGRESS)
            except LedgerBusyError:
                raise
            except RunFolderError:
                pass  # damaged: put aside all the same
        try:
            self._rename()
        finally:
            if ledger is not None:
                ledger.close()

    def _rename(self) -> None:
        number = 1
        while (aside := self.path.parent / OLD / f"{self.path.name}-{number}").exists():
            number += 1
        try:
            aside.parent.mkdir(exist_ok=True)
            self.path.rename(aside)
        except OSError as error:
            raise RunFolderError(f"cannot be put aside: {error.strerror}", file=self.path) from None

    def write(self, name: str, writer: Callable[[Path], None]) -> Path:
        """Write a file of the run: under another name first, so that a reader never meets half a file."""
        target = self.path / name
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            writer(temporary)
            with temporary.open("rb") as handle:
                os.fsync(handle.fileno())
            temporary.replace(target)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise RunFolderError(_why(error), file=target) from None
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        return target

    def write_text(self, name: str, text: str) -> Path:
        """Write a text file of the run."""
        return self.write(name, lambda path: _put(path, text))

    def write_manifest(self, manifest: Manifest, *, sealed: bool) -> Manifest:
        """Write a manifest with its digest and, if it is this user's and there is a key, the seal: the last keys."""
        whole = manifest_digest(manifest.as_dict())
        seal = seal_of(whole) if sealed else None
        kept = {SEAL: seal} if seal is not None or manifest.seal is not None else {}
        marked = manifest.model_copy(update={DIGEST: whole, **kept})
        self.write_text(MANIFEST, json.dumps(marked.as_dict(), indent=1, allow_nan=False) + "\n")
        return marked

    def write_table(self, name: str, frame: pd.DataFrame) -> Path:
        """Write a Parquet file of the run."""
        return self.write(name, lambda path: frame.to_parquet(path, index=False))


def _refuse_control(frame: pd.DataFrame, file: Path) -> None:
    """Refuse control characters in the headings and texts of a table."""
    try:
        texts = [frame[name].unique().tolist() for name in frame.columns if frame[name].dtype.kind not in "biuf"]
        refuse_control([[str(name) for name in frame.columns], *texts])
    except TypeError:  # cells that are lists
        raise RunFolderError("has cells that are neither numbers nor texts; the file is damaged", file=file) from None
    except InputError as error:
        raise RunFolderError(error.problem, file=file) from None


def begun_without_bound(path: str | Path) -> bool:
    """Tell whether a folder holds an unfinished search of the method "evolve", which keeps nothing to go on with."""
    folder = RunFolder(path)
    try:
        if not (folder.path / PROGRESS).is_file() or folder.finished:
            return False
    except (OSError, RunFolderError):  # a name that no folder can have, or a fault: told where the run begins
        return False
    from dse.run.disk.ledger import BlockLedger

    try:
        ledger = BlockLedger(folder.path / PROGRESS)
    except RunFolderError:  # told when the run begins
        return False
    try:
        known = ledger.identity()
    except RunFolderError:
        return False
    finally:
        ledger.close()
    return known is not None and known["options"].get("method") == "evolve"


def digest(file: Path) -> str:
    """Return the hash of a file's bytes."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _why(error: OSError) -> str:
    """Say why a file cannot be written, and what to do when the disk is full."""
    errno_text = re.search(r"\[errno (\d+)\]", str(error))  # how pyarrow says it
    from dse.run.disk.ledger import KEPT

    number = error.errno or (int(errno_text[1]) if errno_text else None)
    fault = f"cannot be written: {os.strerror(number) if number else error}"
    return f"{fault}; {KEPT}" if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else fault


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _apart(before: Mapping[str, object], now: Mapping[str, object]) -> str:
    """Say with which options a run was made, and with which it is asked for."""
    both = {"tolerance": "none"} if "tolerance" in {**before, **now} else {}
    return f"{_said({**before, **both, **before})}, not {_said({**now, **both, **now})}"


def _said(options: Mapping[str, object]) -> str:
    def said(value: object) -> str:
        if not isinstance(value, Mapping):
            return str(value)
        amounts = (f"{name} {kind} {amount:g}" for name, own in value.items() for kind, amount in own.items())
        return f"({', '.join(amounts)})"

    return ", ".join(f"{key} = {said(value)}" for key, value in options.items())
