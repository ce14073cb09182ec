"""What is no longer as it was when a run was made: the engine, NumPy, and the files it names. Nothing is imported."""

from __future__ import annotations

import hashlib
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from dse.authoring.library.model_files import model_digest
from dse.errors import InputError
from dse.run.disk.versions import engine_version, versions
from dse.study.file.content import content_digest, text_digest
from dse.study.file.table_file import find_table

if TYPE_CHECKING:
    from dse.run.disk.manifest import Manifest

__all__ = ["changes_since", "other_engine"]


def changes_since(manifest: Manifest) -> list[str]:
    """Return a line for another engine or NumPy, and a line for the files that have changed or are gone."""
    return [*other_engine(manifest), *_other_files(manifest)]


def other_engine(manifest: Manifest) -> list[str]:
    """Return a line if the run was made by another engine or NumPy than those here."""
    now, before = versions(), manifest.versions
    others = []
    if before.get("engine") != engine_version():
        same = before.get("dse") == now["dse"]
        version = f"another engine (dse {before.get('dse', 'unknown')}; here {now['dse']})"
        others.append(f"another build of dse {now['dse']}" if same else version)
    if before.get("numpy") != now["numpy"]:
        others.append(f"NumPy {before.get('numpy', 'unknown')} (here {now['numpy']})")
    return [f"made with {' and '.join(others)}"] if others else []


def _other_files(manifest: Manifest) -> list[str]:
    folder = Path(manifest.study_folder)
    changed, gone = [], []
    for key, digest in manifest.hashes.items():
        kind, _, name = key.partition(" ")
        file = f"{kind} {name}".strip()
        try:
            if kind == "study":
                digest = manifest.derived_from.sha256 if manifest.derived_from is not None else digest
                digest_now = _study(manifest, folder, digest)
                file = Path(manifest.study_file or "").name
                if digest_now is None:
                    continue  # the run holds its text
            elif kind == "model":
                digest_now = model_digest(name, folder)
                if digest_now is None and (name in manifest.functions or not name.endswith(".py")):
                    continue  # of an installed package, or given as an object
            elif kind == "table":
                digest_now = _sha256(find_table(name, folder))
            elif kind == "enumeration" and "." in name:
                family = name.replace("-", "_").rpartition(".")[0]
                digest_now = _sha256(Path(str(files("dse.spaces"))) / family / "shapes.py")
            else:
                continue  # rows, which are no file; an enumeration that stands in a model
        except (InputError, OSError, ValueError):
            digest_now = None
        if digest_now is None:
            gone.append(file)
        elif digest_now != digest:
            changed.append(file)
    clauses = [f"{', '.join(changed)}"] if changed else []
    clauses += [f"{', '.join(gone)} ({'is' if len(gone) == 1 else 'are'} gone)"] if gone else []
    return [f"changed since the run: {'; '.join(clauses)}"] if clauses else []


def _study(manifest: Manifest, folder: Path, digest: str) -> str | None:
    """Return the hash of the study file as it is now: of its content, or of its text where that is `digest`."""
    if manifest.study_file is None:
        return None
    file = folder / Path(manifest.study_file).name
    if not file.is_file():
        return None
    text = file.read_bytes().decode("utf-8-sig")
    older = text_digest(text)
    try:
        return older if older == digest else content_digest(tomllib.loads(text))
    except (ValueError, RecursionError):  # no study any more
        return older


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
