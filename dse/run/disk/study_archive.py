"""A study with the files it names as one archive, so that another computer makes the same problem of it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from dse.authoring.library.model_files import sources_of
from dse.errors import InputError
from dse.study.edit.written import files_beside, refuse_unwritten
from dse.study.study import Study

__all__ = ["StudyArchive", "pack_study", "unpack_study"]

_STUDY, _BESIDE = "study.json", "beside/"
_DATE = (1980, 1, 1, 0, 0, 0)  # the least of the format: equal studies are equal bytes


@dataclass(frozen=True)
class StudyArchive:
    """The document of a study and what it names, without what comes with dse.

    Attributes
    ----------
    data : bytes
        A ZIP file.
    names : tuple of str
        The model files, tables and catalogues in it.
    """

    data: bytes
    names: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The hash of its bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def code(self) -> list[str]:
        """The files that are run where it is unpacked."""
        return [name for name in self.names if name.endswith(".py")]


def pack_study(study: Study) -> StudyArchive:
    """Put a study and the files it names into an archive.

    Raises
    ------
    InputError
        A model was given as an object that no file can hold.
    """
    refuse_unwritten(study.given_models, study.folder)
    _ = study.compiled, study.reference_groups  # which read all files
    # As TOML it may have its keys in another order, and its order is part of what a study is.
    document = json.dumps(study.document, default=str)
    named = study.model_files
    files = files_beside(study.given_models, named, study.builder.files.used, study.folder)
    for name in named:  # a package is hashed with all of its folder
        for source in sources_of(study.folder / name, library=False):
            files.setdefault(source.relative_to(study.folder).as_posix(), source.read_bytes())
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in {
            _STUDY: document.encode(),
            **{f"{_BESIDE}{name}": files[name] for name in sorted(files)},
        }.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return StudyArchive(stream.getvalue(), tuple(sorted(files)))


def unpack_study(data: bytes, sha256: str, folder: Path, file: str | None = None) -> Study:
    """Write what an archive holds to a folder, and make the study of it.

    Parameters
    ----------
    data : bytes
    sha256 : str
        Of the archive as it was sent.
    folder : Path
    file : str, optional
        Where the study stood, for messages.

    Raises
    ------
    InputError
        The archive is not the one that was sent.
    """
    if hashlib.sha256(data).hexdigest() != sha256:
        raise InputError("the archive of the study has other bytes than were sent", file=file)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        text = archive.read(_STUDY).decode()
        archive.extractall(folder)  # never outside of it: roots and ".." of names are dropped
    return Study.from_text(text, folder=folder / _BESIDE, file=file)
