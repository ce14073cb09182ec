"""The text of a study file, from the document it holds: short tables on one line, long lists line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import tomlkit
from tomlkit.items import Array, InlineTable, Item, Table

__all__ = ["toml_text"]

_WIDTH = 120
_DEEP = {"space": 0, "index": 2, "references": 1}  # how many names stand in a heading behind the key
_OF_SPACE = {"axes": 0, "alternatives": 1, "choices": 2}

Remark = Callable[[str, str], str]
"""What is said of an entry, from the kind of the table it stands in and its name: a text, empty for nothing."""


def _nothing(kind: str, name: str) -> str:
    return ""


def toml_text(document: Mapping[str, object], heading: Sequence[str] = (), remark: Remark = _nothing) -> str:
    """Return the text of a document.

    Parameters
    ----------
    document : dict
        Texts, numbers, truth values, dates, and lists and dicts of them. The order of keys is kept within every table;
        those that hold no table come first.
    heading : sequence of str
        Comments at the top.
    remark : callable, optional
        Says what stands behind an entry as a comment.
    """
    text = tomlkit.document()
    for line in heading:
        text.add(tomlkit.comment(line))
    if heading:
        text.add(tomlkit.nl())
    tables = {key: value for key, value in document.items() if isinstance(value, Mapping)}
    for key, value in document.items():
        if key not in tables:
            text.add(tomlkit.key([key]), _item(value, len(key) + 3))
    for key, value in tables.items():
        text.add(tomlkit.key([key]), _entries(value, key, _DEEP.get(key, 0), remark))
    return tomlkit.dumps(text)


def _entries(value: Mapping[str, object], kind: str, deep: int, remark: Remark) -> Table:
    """Return a table under its own heading; with `deep`, one that holds only further headings."""
    plain: dict[str, Item] = {}
    headed: dict[str, Table] = {}
    for name, item in value.items():
        if isinstance(item, Mapping) and kind == "space":
            headed[name] = _entries(item, name, _OF_SPACE.get(name, 0), remark)
        elif isinstance(item, Mapping) and deep:
            headed[name] = _entries(item, kind if deep > 1 else "alternative", deep - 1, remark)
        elif isinstance(item, Mapping) and kind == "alternative" and not _fits(name, item):
            headed[name] = _entries(item, name, 0, remark)
        else:
            entry = _item(item, len(name) + 3)
            said = " ".join(remark(kind, name).split())
            if said and len(f"{name} = {entry.as_string()}  # {said}") <= _WIDTH:
                entry.comment(said)
                entry.trivia.comment_ws = "  "
            plain[name] = entry
    table = tomlkit.table(is_super_table=bool(headed) and not plain)
    for name, written in (*plain.items(), *headed.items()):
        table.add(tomlkit.key([name]), written)
    return table


def _fits(name: str, value: Mapping[str, object]) -> bool:
    return len(name) + 3 + len(_inline(value).as_string()) <= _WIDTH


def _item(value: object, before: int) -> Item:
    """Return a value that begins after so many characters of its line."""
    if isinstance(value, Mapping):
        return _inline(value)
    if isinstance(value, (list, tuple)):
        array = _array(value)
        if before + len(array.as_string()) > _WIDTH:
            array.multiline(True)
        return array
    return tomlkit.item(value)


def _inline(value: Mapping[str, object]) -> InlineTable:
    """Return a table on one line, set as in the studies that come with dse."""
    pairs = (f"{tomlkit.key([key]).as_string()} = {_item(item, 0).as_string()}" for key, item in value.items())
    table = tomlkit.value(f"{{ {', '.join(pairs)} }}" if value else "{}")
    assert isinstance(table, InlineTable)
    return table


def _array(values: Sequence[object]) -> Array:
    array = tomlkit.array()
    for value in values:
        array.append(_inline(value) if isinstance(value, Mapping) else _item(value, 0))
    return array
