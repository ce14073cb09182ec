"""The server's own page: its template, its scripts and its styles, of which ``static/manifest.json`` is the list."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TypedDict

from pydantic import JsonValue

from dse.report.charts.palette import palette_style
from dse.report.html.tags import safe_json

__all__ = ["STATIC_TYPES", "shell_html", "static_file"]

STATIC_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
_PALETTE = "palette.css"  # the colours of the report, written by it


class _Manifest(TypedDict):
    """The files of the page, in their order."""

    scripts: list[str]
    styles: list[str]
    template: str


def _text(name: str) -> str:
    return files("dse.live").joinpath("static", name).read_text(encoding="utf-8")


@cache
def _manifest() -> _Manifest:
    manifest: _Manifest = json.loads(_text("manifest.json"))
    return manifest


def static_file(name: str) -> str | None:
    """Return a script or a style of the page; None where it is none of them."""
    if name == _PALETTE:
        return palette_style()
    return _text(name) if name in (*_manifest()["scripts"], *_manifest()["styles"]) else None


def shell_html(word: str, begin: Mapping[str, JsonValue]) -> str:
    """Return the page: what changes need, and what it begins with."""
    styles = [_PALETTE, *_manifest()["styles"]]
    return Template(_text(_manifest()["template"])).substitute(
        word=escape(word),
        begin=safe_json(dict(begin)),
        styles="\n".join(f'<link rel="stylesheet" href="/static/{name}">' for name in styles),
        scripts="\n".join(f'<script src="/static/{name}" defer></script>' for name in _manifest()["scripts"]),
    )
