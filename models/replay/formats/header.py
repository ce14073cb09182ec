"""What a trace file says of itself: its first lines, ``# key: value``."""

from __future__ import annotations

from dse.models.replay.trace.assembling import HEADER
from dse.models.replay.trace.columns import Columns

__all__ = ["header_of", "header_values"]


def header_of(data: bytes) -> tuple[dict[str, str], int]:
    """Return the keys of the first lines, and how many bytes these take."""
    keys: dict[str, str] = {}
    place = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while data[place : place + 1] in (b"#", b"\n", b"\r"):
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end + 1
        line = data[place:end].decode("utf-8", "replace").lstrip("#").strip()
        key, colon, value = line.partition(":")
        if colon and key.strip() in HEADER:
            keys[key.strip()] = value.strip()
        place = end
    return keys, place


def header_values(trace: Columns) -> dict[str, str]:
    """Return what a trace says of itself, as texts."""
    texts = {name: getattr(trace, name) for name in HEADER if name != "synthetic" and getattr(trace, name)}
    return {**texts, **({"synthetic": "true"} if trace.synthetic else {})}
