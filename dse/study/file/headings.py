"""The headings of the studies that come with the project: their text is read, nothing is put together."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from dse.study.file.table_file import find_table

__all__ = ["Heading", "bundled_studies", "headings"]


class Heading(NamedTuple):
    """What stands at the top of a study, and whether any table or catalogue it names has rows marked synthetic."""

    name: str
    question: str
    source: str
    synthetic: bool


def bundled_studies() -> dict[str, Path]:
    """Return the studies that come with the project, by name."""
    folder = Path(str(files("dse.studies")))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def headings() -> list[Heading]:
    """Return the headings of the studies that come with the project."""
    entries = []
    seen: dict[Path, list[dict[str, str]]] = {}
    for name, path in bundled_studies().items():
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        synthetic = any(_synthetic(table, path.parent, seen) for table in _tables(document))
        entries.append(Heading(name, document.get("question", ""), document.get("source", ""), synthetic))
    return entries


def _tables(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the parts of a document that name a file: tables, and axes whose values are parts."""
    if isinstance(value, dict):
        if isinstance(value.get("file"), str) or isinstance(value.get("part"), str):
            yield value
        for item in value.values():
            yield from _tables(item)
    elif isinstance(value, list):
        for item in value:
            yield from _tables(item)


def _synthetic(table: Mapping[str, object], folder: Path, seen: dict[Path, list[dict[str, str]]]) -> bool:
    if "synthetic" in table:
        return bool(table["synthetic"])
    path = find_table(str(table.get("file") or table.get("part")), folder)
    if path.suffix != ".csv":
        return False
    if path not in seen:
        lines = (line for line in path.read_text(encoding="utf-8-sig").splitlines() if line and line[0] != "#")
        seen[path] = list(csv.DictReader(lines, skipinitialspace=True))
    where = table.get("where")
    chosen = {**(where if isinstance(where, dict) else {}), **{key: table[key] for key in ("only",) if key in table}}
    return any(
        row.get("synthetic", "").strip() == "yes"
        for row in seen[path]
        if all(row.get(key, wanted) == str(wanted) for key, wanted in chosen.items() if isinstance(wanted, str))
    )
