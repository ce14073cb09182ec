"""The tables, catalogues and documents of a study: found, read once, and remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dse.authoring.declare.declaration import Column, DocumentParameter
from dse.authoring.table import Table, read_table
from dse.errors import InputError
from dse.study.build.declarations import Declarations
from dse.study.build.places import at, reading
from dse.study.file.schema import TableSpec
from dse.study.file.table_file import find_table

__all__ = ["StudyFiles"]


@dataclass
class StudyFiles:
    """What a study reads.

    Attributes
    ----------
    folder : Path
        Where files are looked for first; then among the catalogues that come with the project.
    used : dict of str to Path
        The files that were read, by the names the study writes.
    """

    folder: Path
    used: dict[str, Path] = field(default_factory=dict)
    _read: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def find(self, name: str) -> Path:
        """Return the file of a catalogue or table: beside the study, else among those of the project."""
        return find_table(name, self.folder)

    def catalogue(
        self, name: str, columns: Mapping[str, Column], key: str, synthetic: bool | None, *, empty: bool = False
    ) -> Table:
        """Return a table in SI; `empty` allows cells without a figure. `key` is where the study names the file."""
        cached = (name, tuple(sorted(columns)), synthetic, empty)
        if cached not in self._read:
            path = self._path(name, key)
            with reading():
                self._read[cached] = read_table(path, columns=columns, name=name, synthetic=synthetic, empty=empty)
        table: Table = self._read[cached]
        return table

    def table(self, name: str, spec: TableSpec, key: str, declarations: Declarations) -> Any:
        """Return what a table parameter of the models gets: the rows that are meant, or a document."""
        declared = declarations.of_table(name)
        with at(key):
            if declared is None:
                known = declarations.tables
                raise InputError(
                    f"no model reads a table '{name}'", allowed=known or "none", wrong=name, candidates=known
                )
            if isinstance(declared, DocumentParameter):
                return self._document(spec, declared)
            table = self.catalogue(spec.file, declared.columns, "file", spec.synthetic)
            if spec.where:
                with at("where"), reading():
                    table = table.where(**spec.where)
            return table

    def _document(self, spec: TableSpec, declared: DocumentParameter) -> Any:
        cached = (spec.file, declared.name)
        if cached not in self._read:
            path = self._path(spec.file, "file")
            with reading():
                self._read[cached] = declared.read(path)
        document = self._read[cached]
        if spec.synthetic is not None or (spec.where and not hasattr(document, "where")):
            raise InputError("a document has no rows to choose or to mark", allowed="file alone")
        if spec.where:
            with at("where"):
                return document.where(**spec.where)
        return document

    def _path(self, name: str, key: str) -> Path:
        with at(key):
            path = self.find(name)
        self.used[name] = path
        return path
