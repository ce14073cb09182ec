"""How a finished run is shown, brought up to date with its study: nothing is searched again for other words."""

from __future__ import annotations

import contextlib
from dataclasses import asdict

from dse.errors import RunFolderError
from dse.run.describe.make_manifest import view_of
from dse.run.disk.folder import RunFolder
from dse.run.disk.manifest import DerivedFrom
from dse.run.disk.seal import is_sealed
from dse.study.file.content import content_digest
from dse.study.study import Study

__all__ = ["update_view"]


def update_view(folder: RunFolder, study: Study) -> None:
    """Write into the manifest of a run what its study, of the same content, says of how it is shown.

    A run that bears no seal of this user gets none by it. Where the folder cannot be written, it stays as it is.
    """
    manifest = folder.manifest()
    now = view_of(study)
    if all(getattr(manifest, key) == value for key, value in now.items() if key not in ("study_file", "study_folder")):
        return
    now["hashes"] = {**manifest.hashes, "study": content_digest(study.document)}
    if study.derived_from is not None:
        now["derived_from"] = DerivedFrom.model_validate(asdict(study.derived_from))
    with contextlib.suppress(RunFolderError):
        folder.write_manifest(manifest.model_copy(update=now), sealed=is_sealed(manifest.digest, manifest.seal))
