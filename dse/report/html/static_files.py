"""Scripts, styles and templates of the pages: ``static/manifest.json`` says which a page takes, in their order.

The linters of the scripts and their tests read the same list (`Makefile`, `tests/dse/report/test_scripts.py`).
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib.resources import files
from typing import TypedDict

__all__ = ["joined_scripts", "plotly_script", "script_names", "static_text", "style_of", "template_of"]


class _Manifest(TypedDict):
    """What makes up the pages: files of ``static/``, in order."""

    scripts: list[str]
    styles: dict[str, list[str]]
    templates: dict[str, str]


@cache
def _manifest() -> _Manifest:
    manifest: _Manifest = json.loads(static_text("manifest.json"))
    return manifest


def static_text(name: str) -> str:
    """Return a file of ``static/`` by its path in it, as it stands."""
    return files("dse.report").joinpath("static", *name.split("/")).read_text(encoding="utf-8")


def script_names() -> list[str]:
    """Return the scripts of a run's page in the order in which they make one, by their paths in ``static/``."""
    return list(_manifest()["scripts"])


def joined_scripts() -> str:
    """Return the scripts of a run's page as one."""
    return "\n".join(static_text(name).strip("\n") for name in script_names())


def style_of(page: str) -> list[str]:
    """Return the styles of a kind of page, one text each: "run", "comparison" or "figures"."""
    return [static_text(name) for name in _manifest()["styles"][page]]


def template_of(part: str) -> str:
    """Return a template: of the page of a run ("run"), or of its plot with all around it ("explorer")."""
    return static_text(_manifest()["templates"][part]).strip("\n")


@cache
def plotly_script() -> bytes:
    """Return plotly's own bundle of lines, points and bars: a quarter of the whole library, and all a page draws.

    Source: npm plotly.js-basic-dist-min, under the licence that stands beside it.
    """
    packed = files("dse.report").joinpath("static", "plotly", "plotly-basic.min.js.gz").read_bytes()
    return gzip.decompress(packed)
