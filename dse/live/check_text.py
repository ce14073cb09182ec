"""The faults of a study's text, each where it stands: by line, for an editor."""

from __future__ import annotations

import re

from pydantic import JsonValue

from dse.api import Study
from dse.errors import InputError, ModelError
from dse.study.file.reading import find_study, parse_toml, read_toml
from dse.study.file.specification import faults_of

__all__ = ["checked_text", "line_of"]

_NEAR = 40  # lines after the place of a fault in which its name is looked for
_QUOTED = re.compile(r"'([^']+)'")
_AT = re.compile(r"line (\d+)")
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_ENTRY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^.\s]+))\s*(?:\.|$)""")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def checked_text(text: str, folder: str, file: str) -> JsonValue:
    """Return the faults of a text, and how large its space is where it has none.

    No model file is run but those that the study names which stands in the `file` now: to run another one, save it.
    """
    try:
        document = parse_toml(text, None)
    except InputError as error:
        return {"faults": [_fault(error, text)], "designs": None}
    faults = faults_of(document)
    if not faults:
        known = _known_code(file)
        fresh = [name for name in document["models"] if name.endswith(".py") and name not in known]
        if fresh:
            note = InputError("is run once the study is saved: no model file is run while it is typed", key="models")
            return {"faults": [], "designs": None, "notes": [f"{', '.join(fresh)} {note.problem}"]}
        try:
            study = Study(document, folder=folder, text=text, code=known)
            return {"faults": [], "designs": study.compiled.space.size, "name": study.name}
        except InputError as error:
            faults = [error]
        except ModelError as error:
            faults = [InputError(f"a model is at fault: {error}")]
    return {"faults": [_fault(error, text) for error in faults], "designs": None}


def _known_code(file: str) -> dict[str, str]:
    """Return the model files that the study names that stands in a file, each with its hash."""
    if not file:
        return {}
    try:
        path = find_study(file)
        _, document = read_toml(path)
        saved = Study(document, folder=path.parent, file=path)
    except InputError:
        return {}
    return {name: digest for name, digest in saved.model_files.items() if digest is not None}


def _fault(error: InputError, text: str) -> JsonValue:
    key = error.key or ""
    at = _AT.search(error.problem)
    error.file = None
    error.within()
    line = int(at[1]) if at is not None and not key else _naming(error.problem, line_of(key, text), text)
    return {"line": line, "key": key, "message": str(error)}


def _naming(problem: str, line: int, text: str) -> int:
    """Return the line at or soon after one in which the name stands that a problem is of."""
    lines = text.split("\n")
    for name in _QUOTED.findall(problem):
        for number in range(line, min(line + _NEAR, len(lines) + 1)):
            if name in lines[number - 1]:
                return number
    return line


def line_of(key: str, text: str) -> int:
    r"""Return the line in which a key of a study stands, or the nearest table that holds it; 1 where there is none.

    Examples
    --------
    >>> line_of("space.axes.nodes.values[1]", 'name = "a"\n[space.axes]\nnodes = { values = [1, -2] }')
    3
    """
    wanted = [step if step else int(place) for step, place in _STEP.findall(key)]
    best, depth = 1, 0
    table: list[str | int] = []
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        entry = None if header is not None else _ENTRY.match(line)
        if header is not None:
            table = _parts(header[2])
            if header[1] == "[[":
                place = counts.get(tuple(table), 0)
                counts[tuple(table)] = place + 1
                table = [*table, place]
            here = table
        elif entry is not None:
            here = [*table, *_parts(entry[1])]
        else:
            continue
        alike = len(here) if here == wanted[: len(here)] else 0
        if alike > depth:
            best, depth = number, alike
    return _within(best, wanted[depth:], text)


def _within(line: int, rest: list[str | int], text: str) -> int:
    """Return the line of an entry of a list of several lines, told by what stands between its commas."""
    if not rest or not isinstance(rest[0], int):
        return line
    lines = text.split("\n")
    depth, place, quote = 0, 0, ""
    for number in range(line, len(lines) + 1):
        begun = lines[number - 1].index("=") + 1 if number == line and "=" in lines[number - 1] else 0
        for letter in lines[number - 1][begun:]:
            if quote:
                quote = "" if letter == quote else quote
            elif letter in "\"'":
                if depth == 1 and place == rest[0]:
                    return number
                quote = letter
            elif letter == "#":
                break
            elif letter in "[{":
                if depth == 1 and place == rest[0]:
                    return number
                depth += 1
            elif letter in "]}":
                depth -= 1
                if depth <= 0:
                    return line
            elif letter == "," and depth == 1:
                place += 1
            elif depth == 1 and place == rest[0] and not letter.isspace():
                return number
    return line


def _parts(dotted: str) -> list[str | int]:
    """Return the parts of a dotted key."""
    return [next(filter(None, part), "") for part in _PART.findall(dotted)]
