"""A study as a file, with what must stand beside it: functions that were given as objects, models, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dse.authoring.library.functions import FunctionsModel
from dse.authoring.library.library import Model, load_model
from dse.errors import InputError
from dse.study.build.declarations import Declarations
from dse.study.edit.variants import Derivation
from dse.study.file.reading import parse_toml
from dse.study.file.schema import StudySpec
from dse.study.file.toml_text import toml_text
from dse.units import TEXT
from dse.version import __version__

__all__ = ["files_beside", "refuse_unwritten", "study_text", "write_study"]


def study_text(
    document: Mapping[str, object], text: str, declarations: Declarations, derived_from: Derivation | None = None
) -> str:
    """Return the text of a study file that holds a document: the one it was read from, or a new one.

    Parameters
    ----------
    document : dict
    text : str
        What it was read from; JSON where there is no file.
    declarations : Declarations
        To say behind each parameter what it is.
    derived_from : Derivation, optional
        Told at the top.
    """
    if not text.startswith("{") and parse_toml(text, None) == document:
        return text

    heading = [f"Written by dse {__version__}: dse check FILE, dse run FILE."]
    if derived_from is not None:
        heading.append(" ".join(f"Variant {derived_from.variant}, {derived_from.as_text()}".split()))

    def remark(kind: str, name: str) -> str:
        declared = declarations.of_input(name) if kind in ("axes", "set") else None
        if declared is None:
            return ""
        unit = "" if declared.unit in ("1", TEXT) else f" [{declared.unit}]"
        return f"{declared.doc}{unit}"

    ordered = {key: document[key] for key in (*StudySpec.model_fields, *document) if key in document}
    return toml_text(ordered, heading, remark)


def refuse_unwritten(models: tuple[Model, ...], folder: Path) -> None:
    """Refuse models that no file could hold: functions without a source, modules that are none of the library."""
    for model in models:
        if isinstance(model, FunctionsModel):
            _ = model.text
            continue
        try:
            same = load_model(model.name, folder).sha256 == model.sha256
        except InputError:
            same = False
        if not same:
            raise InputError(
                f"'{model.name}' was given as an object, which a file cannot name",
                key="models",
                allowed="the name of its file, such as models=['mine.py'], or functions=[…]",
            )


def files_beside(
    models: Sequence[Model], named: Iterable[str], read: Mapping[str, Path], folder: Path
) -> dict[str, bytes]:
    """Return what must stand beside the file of a study, by name.

    Parameters
    ----------
    models : sequence of Model
        Those given as objects, of which functions are written to a file.
    named : iterable of str
        The model files.
    read : dict of str to Path
        The tables and catalogues; those that stand in no folder of the study come with dse.
    folder : Path
        Of the study.
    """
    contents = {model.name: model.text.encode() for model in models if isinstance(model, FunctionsModel)}
    contents |= {name: (folder / name).read_bytes() for name in named}
    return contents | {name: path.read_bytes() for name, path in read.items() if path == folder / name}


def write_study(path: Path, name: str, text: str, files: Mapping[str, bytes], *, overwrite: bool = False) -> Path:
    """Write a study file and what stands beside it; nothing where another file is in the way.

    Parameters
    ----------
    path : Path
        A file ending with ``.toml``, or a folder.
    name : str
        Of the study, which the file in a folder is called by.
    text : str
    files : dict of str to bytes
        What stands beside it.
    overwrite : bool
        Whether other files are replaced.
    """
    target = path if path.suffix == ".toml" else path / f"{name}.toml"
    every = {target: text.encode(), **{target.parent / beside: data for beside, data in files.items()}}
    try:
        for file, data in every.items():
            if not overwrite and file.exists() and file.read_bytes() != data:
                raise InputError("holds something else", file=file, allowed="another path, or overwrite=True")
        for file, data in every.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=error.filename or target) from None
    return target
