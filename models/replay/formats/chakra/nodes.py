"""Nodes of an execution trace, read one after the other from JSON or protobuf of any length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from dse.errors import InputError, shown
from dse.models.replay.formats.chakra.messages import NodeMessage, is_message_file, messages_of

__all__ = ["Node", "is_chakra", "nodes_of"]

_BLOCK = 1 << 20
_LARGEST_NODE = 1 << 26
_WRAPPED = re.compile(r'^\s*\{.*?"nodes"\s*:\s*\[', re.DOTALL)
_TYPES = ("INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "COMM_SEND", "COMM_RECV", "COMM_COLL")
_LIKE = (b"COMP_NODE", b"COMM_COLL_NODE", b"COMM_SEND_NODE", b"COMM_RECV_NODE")


class Node(NamedTuple):
    """A node of one rank.

    Attributes
    ----------
    number : int
    name : str
    kind : str
        ``COMP``, ``COMM_COLL``, ``COMM_SEND``, ``COMM_RECV``, ``MEM_LOAD``, ``MEM_STORE``, ``METADATA``.
    needs : tuple of int
        Nodes before it, by data and by control.
    seconds : float, optional
    attributes : dict of str to int, float, bool or str
    """

    number: int
    name: str
    kind: str
    needs: tuple[int, ...]
    seconds: float | None
    attributes: dict[str, Any]


def is_chakra(name: str, data: bytes) -> bool:
    """Return whether a file is an execution trace, in JSON or in protobuf."""
    return (data.lstrip()[:1] in (b"{", b"[") and any(word in data for word in _LIKE)) or is_message_file(name, data)


def nodes_of(path: Path) -> Iterator[Node]:
    """Yield the nodes of a file: messages of protobuf, or JSON: objects one after the other, a list, or "nodes".

    Raises
    ------
    InputError
        What is neither, or ends in the middle; a node without a number or of an unknown type.
    """
    with path.open("rb") as begun:
        in_messages = is_message_file(path.name, begun.read(64))
    if in_messages:
        yield from map(_of_message, messages_of(path))
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for place, document in enumerate(_documents(file)):
            if not isinstance(document, dict):
                raise InputError(f"{shown(document)} is no node", key=f"node {place}", allowed="an object")
            if "id" in document and "type" in document:
                yield _node(document, place)


def _of_message(message: NodeMessage) -> Node:
    if message.type >= len(_TYPES) or message.type < 0:
        raise InputError(
            f"type {message.type}", key=f"node {message.number}", allowed=[f"{known}_NODE" for known in _TYPES]
        )
    seconds = message.micros * 1e-6 if message.micros else None
    kind = _TYPES[message.type]
    return Node(message.number, message.name, kind, message.needs, seconds, message.attributes)


def _documents(file: IO[str]) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    text = file.read(_BLOCK)
    wrapped = _WRAPPED.match(text)
    inside = wrapped is not None and '"type"' not in wrapped[0]
    place = wrapped.end() if wrapped is not None and inside else 0
    ended = False
    while True:
        while place < len(text) and text[place] in " \t\r\n,[":
            place += 1
        if place < len(text) and text[place] == "]":
            return
        if place >= len(text):
            text, place = file.read(_BLOCK), 0
            if not text:
                if inside:
                    raise InputError("the list of nodes never ends: the file was cut")
                return
            continue
        try:
            document, place = decoder.raw_decode(text, place)
            yield document
        except (ValueError, RecursionError) as error:
            more = "" if ended else file.read(_BLOCK)
            if not more or len(text) - place > _LARGEST_NODE:
                raise InputError(f"is no JSON, or was cut: {error}") from None
            text, place = text[place:] + more, 0


def _node(document: dict[str, Any], place: int) -> Node:
    where = f"node {place}"
    number = _whole(document["id"], f"{where}.id")
    kind = document["type"]
    if isinstance(kind, int) and not isinstance(kind, bool) and 0 <= kind < len(_TYPES):
        kind = _TYPES[kind]
    name = str(kind).removesuffix("_NODE")
    if name not in _TYPES:
        raise InputError(f"type {shown(kind)}", key=f"node {number}", allowed=[f"{known}_NODE" for known in _TYPES])
    needs = [
        _whole(other, f"node {number}")
        for key in ("dataDeps", "data_deps", "ctrlDeps", "ctrl_deps")
        for other in _listed(document.get(key), f"node {number}.{key}")
    ]
    lasts = document.get("durationMicros", document.get("duration_micros"))
    seconds = None if lasts is None else _number(lasts, f"node {number}.durationMicros") * 1e-6
    return Node(number, str(document.get("name", "")), name, tuple(needs), seconds, _attributes(document, number))


def _attributes(document: dict[str, Any], number: int) -> dict[str, Any]:
    held = document.get("attr", document.get("attrs", []))
    if isinstance(held, dict):
        return held
    attributes = {}
    for entry in _listed(held, f"node {number}.attr"):
        if not isinstance(entry, dict) or "name" not in entry:
            raise InputError(shown(entry), key=f"node {number}.attr", allowed='{"name": ..., "int64Val": ...}')
        values = [value for key, value in entry.items() if key not in ("name", "docString", "doc_string")]
        attributes[str(entry["name"])] = values[0] if values else None
    return attributes


def _listed(value: Any, key: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(shown(value), key=key, allowed="a list")
    return value


def _whole(value: Any, key: str) -> int:
    number = _number(value, key)
    if number != int(number) or number < 0:
        raise InputError(shown(value), key=key, allowed="a whole number >= 0")
    return int(number)


def _number(value: Any, key: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not abs(number) < float("inf"):
        raise InputError(shown(value), key=key, allowed="a number")
    return number
