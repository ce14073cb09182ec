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
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dse.authoring.library.regular_file import read_regular
from dse.errors import InputError, RunFolderError
from dse.run.disk.arrow_tables import put_parquet
from dse.run.disk.manifest import Manifest, made_by, read_manifest
from dse.run.disk.seal import DIGEST, SEAL, is_sealed, manifest_digest, seal_of
from dse.run.disk.stored_tables import LARGEST_TABLE, read_table, refuse_other_columns, refuse_other_sample
from dse.run.disk.versions import engine_identity

if TYPE_CHECKING:
    import pandas as pd

    from dse.run.disk.ledger import BlockLedger

__all__ = ["EVIDENCE", "RunFolder", "begun_without_bound", "digest"]

MANIFEST, FRONTIER, PROGRESS, REPORT, DESIGNS = (
    "manifest.json",
    "frontier.parquet",
    "progress.sqlite",
    "report.html",
    "designs",
)
SAMPLE = f"{DESIGNS}/sample.parquet"
EVIDENCE = f"{PROGRESS} evidence"
"""The name under which a manifest has the hash of what a ledger keeps as evidence."""
OLD = ".old"  # beside the folder of a run: what a fresh start puts aside
WAYS_OUT = f"another --name or --out, or --fresh (keeps the old run in {OLD})"
_STRANGER = "the run there bears no seal of this user"
_LARGEST_MANIFEST = 64_000_000  # bytes of a file that is read; that of the largest study that comes with dse has 250 kB


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
        if not os.path.lexists(file):
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
        data = self.read(MANIFEST, _LARGEST_MANIFEST)
        try:
            document = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise RunFolderError(f"cannot be read: {error}", file=file) from None
        return read_manifest(document, file)

    def read(self, name: str, largest: int) -> bytes:
        """Return the bytes of a file of the run: a regular one of bounded size, and no link out of the folder.

        Raises
        ------
        RunFolderError
            It is something else, or cannot be read.
        """
        try:
            return read_regular(self.path / name, largest, inside=self.path)
        except InputError as error:
            raise RunFolderError(error.problem, file=error.file, allowed=error.allowed) from None

    def frontier(self, manifest: Manifest) -> pd.DataFrame:
        """Read the frontier, of which the manifest tells the columns and the digest."""
        frame = self._table(FRONTIER, manifest)
        refuse_other_columns(frame, manifest, self.path / FRONTIER)
        return frame

    def designs(self) -> pd.DataFrame | None:
        """Read the sampled designs, if there are any."""
        if not os.path.lexists(self.path / SAMPLE):
            return None
        manifest = self.manifest()
        frame = self._table(SAMPLE, manifest)
        refuse_other_sample(frame, manifest, self.path / SAMPLE)
        return frame

    def _table(self, name: str, manifest: Manifest) -> pd.DataFrame:
        known = manifest if name == FRONTIER else None
        return read_table(self.read(name, LARGEST_TABLE), manifest.files.get(name), self.path / name, known)

    def begin(
        self,
        hashes: Mapping[str, str],
        options: Mapping[str, object],
        *,
        fresh: bool,
        accepts: int | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> BlockLedger | None:
        """Make the folder ready.

        Parameters
        ----------
        hashes, options : mapping
            Of the study, and how its search is asked for.
        fresh : bool
            Put aside what is there.
        accepts : int, optional
            The size of the space, where a finished run and finished blocks are taken over that bear no seal of this
            user. Default: they are put aside, or searched again.
        note : callable, optional
            Told what was put aside, or taken over, and why.

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
                if is_sealed(manifest.digest, manifest.seal):
                    return None
                if accepts is not None:
                    note(f"{self.path}: {_STRANGER} ({made_by(manifest)}): shown as the folder says")
                    return None
                note(f"{self.path}: {_STRANGER} ({made_by(manifest)}): {self._searched_anew()}")
        ledger = self._agreed(hashes, options, accepts)
        try:
            foreign, every = ledger.strangers()
        except RunFolderError:
            ledger.close()
            raise
        if foreign == every > 0:
            ledger.close()
            note(f"{self.path}: the finished blocks there bear no seal of this user: {self._searched_anew()}")
            ledger = self._agreed(hashes, options, accepts)
        elif foreign:
            note(f"{self.path}: {foreign} of {every} finished blocks bear no seal of this user: searched again")
        for leftover in [*self.path.glob(".*.tmp"), *self.path.glob(f"{DESIGNS}/.*.tmp")]:
            with contextlib.suppress(OSError):
                leftover.unlink()  # half a file of a process that was killed
        return ledger

    def _agreed(self, hashes: Mapping[str, str], options: Mapping[str, object], accepts: int | None) -> BlockLedger:
        """Open the ledger, which is that of this study."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            ledger = _ledger(self.path, accepts)
        except OSError as error:
            raise RunFolderError(f"cannot be written: {error.strerror}", file=self.path) from None
        try:
            self._agree(ledger, hashes, options)
        except RunFolderError:
            ledger.close()
            raise
        return ledger

    def _searched_anew(self) -> str:
        """Put aside what somebody else made, and say where, and how it is used all the same."""
        aside = self._put_aside()
        return f"kept aside as {aside}, searched anew; --accept-ledger believes it"

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

    def _put_aside(self) -> Path:
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
            return self._rename()
        finally:
            if ledger is not None:
                ledger.close()

    def _rename(self) -> Path:
        number = 1
        while (aside := self.path.parent / OLD / f"{self.path.name}-{number}").exists():
            number += 1
        try:
            aside.parent.mkdir(exist_ok=True)
            self.path.rename(aside)
        except OSError as error:
            raise RunFolderError(f"cannot be put aside: {error.strerror}", file=self.path) from None
        return aside

    def write(self, name: str, writer: Callable[[Path], None]) -> Path:
        """Write a file of the run: under another name first, so that a reader never meets half a file."""
        target = self.path / name
        # A name that nobody can know beforehand, and a new file: no link of another hand is written through.
        temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.parent.resolve().is_relative_to(self.path.resolve()):
                raise RunFolderError("is a link out of the folder of the run", file=target.parent)
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
        """Write a Parquet file of the run: each column that has a unit says it in the metadata of its field."""
        units = frame.attrs.get("units", {})
        return self.write(name, lambda path: put_parquet(frame, units, path))


def _ledger(path: Path, accepts: int | None = None) -> BlockLedger:
    """Open the ledger of a folder. It knows searches, which who shows a run need not load."""
    from dse.run.disk.ledger import BlockLedger

    return BlockLedger(path / PROGRESS, accepts=accepts)


def begun_without_bound(path: str | Path) -> bool:
    """Tell whether a folder holds an unfinished search of the method "evolve", which keeps nothing to go on with."""
    folder = RunFolder(path)
    try:
        if not (folder.path / PROGRESS).is_file() or folder.finished:
            return False
    except (OSError, RunFolderError):  # a name that no folder can have, or a fault: told where the run begins
        return False
    try:
        ledger = _ledger(folder.path)
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
