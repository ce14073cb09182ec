"""Anything that comes with dse, found by a word: quantities, models, catalogues of parts, studies."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

from dse.authoring.library.library import Model, library_models
from dse.study.file.headings import bundled_studies
from dse.study.file.reading import read_toml

__all__ = ["Found", "find", "known_names"]

_DECLARED = ("quantity", "parameter", "assumption", "table", "requirement", "component", "model", "catalogue")
KINDS = (*_DECLARED, "part", "study")
_SHORT = 3


@dataclass(frozen=True)
class Found:
    """Something that comes with dse.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    name, place : str
        What it is called, and the model, the slot or the catalogue it stands in.
    unit, doc : str
    see : str
        The command that shows it in full, or how a study names it.
    """

    kind: str
    name: str
    place: str
    unit: str
    doc: str
    see: str

    def as_dict(self) -> dict[str, str]:
        """Return it as plain values for JSON."""
        return asdict(self)

    def matches(self, word: str) -> int:
        """Return how well a word fits: 3 its name, 2 in its name, 1 its unit or in what is said, 0 not at all."""
        name, wanted = self.name.casefold(), word.casefold()
        if wanted in (name, name.replace("_", " ")):
            return 3
        if wanted in name or wanted in name.replace("_", " ").replace("-", " "):
            return 2
        whole = r"\b" if len(wanted) < _SHORT else ""  # a unit is no beginning of a word
        said = re.search(rf"\b{re.escape(wanted)}{whole}", self.doc.casefold())
        return int(word == self.unit or said is not None)


def find(words: Sequence[str]) -> list[Found]:
    """Return what all of some words fit, the best first, each kind together."""
    ranked = []
    for item in _everything():
        fits = [item.matches(word) for word in words]
        if all(fits):
            ranked.append((-min(fits), KINDS.index(item.kind), item))
    return [item for *_, item in sorted(ranked, key=lambda entry: entry[:2])]


def known_names() -> list[str]:
    """Return the names of everything, each once."""
    return list(dict.fromkeys(item.name for item in _everything()))


def _everything() -> Iterator[Found]:
    for model in library_models():
        yield from _of_model(model)
    yield from _catalogues()
    for name, path in bundled_studies().items():
        _, document = read_toml(path)
        doc = "; ".join(str(document[key]) for key in ("question", "source") if document.get(key))
        yield Found("study", name, "", "", doc, f"dse check {name}")


def _of_model(model: Model) -> Iterator[Found]:
    name = model.name
    seen: set[object] = set()
    for function in model.functions:
        for given, unit in function.gives.items():
            if given not in seen:
                seen.add(given)
                doc = _said(function.labels.get(given, ""), _first_line(function.doc))
                yield Found("quantity", given, name, unit, doc, f"dse models {name} {given}")
        component = (function.slot, function.provider)
        if function.slot and function.provider and component not in seen:
            seen.add(component)
            use = f'[use] {function.slot} = "{function.provider}"'
            yield Found("component", function.provider, f"{name}, slot {function.slot}", "", "", use)
    show = f"dse models {name}"
    for declared in model.parameters.values():
        yield Found("parameter", declared.name, name, declared.unit, _said(declared.label, declared.doc), show)
    for assumed in model.assumptions.values():
        yield Found("assumption", assumed.name, name, assumed.unit, _said(assumed.label, assumed.doc), show)
    for table in model.tables.values():
        yield Found("table", table.name, name, "", table.doc, show)
    for item in model.requirements.values():
        if not item.warns:
            yield Found(
                "requirement", item.label, name, "", f"{item.condition}: {item.doc}", f'lift = ["{item.label}"]'
            )
    yield Found("model", name, "", "", _first_line(model.doc), show)


def _catalogues() -> Iterator[Found]:
    """Yield the catalogues with their headings, and the names of their rows."""
    for path in sorted(Path(str(files("dse.spaces"))).glob("*/*.csv")):
        name = f"{path.parent.name}/{path.name}"
        lines = path.read_text(encoding="utf-8").splitlines()
        remarks = [line.lstrip("# ") for line in lines if line.startswith("#")]
        headings, *rows = csv.reader(line for line in lines if line and not line.startswith("#"))
        said = f"{' '.join(remarks[:1])} ({', '.join(headings)})"
        part = f'{{ part = "{name}" }}'
        yield Found("catalogue", name, "", "", said, part)
        if "name" in headings:
            for label in dict.fromkeys(row[headings.index("name")] for row in rows):
                yield Found("part", label, name, "", "", part)


def _said(label: str, doc: str) -> str:
    """Return what is said of a quantity, after the words that people read instead of its name."""
    return f"{label}: {doc}" if label else doc


def _first_line(doc: str) -> str:
    return doc.split("\n")[0]
