"""`extrap` 4.2.5 from PyPI in an environment of its own, since it wants a NumPy below 2 and a Qt window library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["EXTRAP", "Unavailable", "ask", "environment"]

EXTRAP = "4.2.5"
_LIMIT_S = 900


class Unavailable(Exception):
    """`extrap` cannot be used here; the text says why."""


def environment() -> Path:
    """Return the Python that has `extrap`; its environment (660 MB) is made the first time, in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "dse" / f"extrap-{EXTRAP}"
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.exists():
        try:
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            _run([sys.executable, "-m", "venv", str(folder)])
            install = ["install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", f"extrap=={EXTRAP}"]
            _run([str(python), "-m", "pip", *install])
            complete.touch()
        except (Unavailable, OSError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise Unavailable(f"extrap {EXTRAP} cannot be installed: {error}") from None
    return python


def ask(series: list[dict[str, Any]], falling: bool) -> list[dict[str, Any]]:
    """Return the model of each series by `extrap`, as `extrap_worker.model` gives it."""
    worker = Path(__file__).with_name("extrap_worker.py")
    asked = json.dumps({"series": series, "falling": falling})
    given: list[dict[str, Any]] = json.loads(_run([str(environment()), "-I", str(worker)], asked))
    return given


def _run(command: list[str], text: str = "") -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{Path(command[0]).name} took longer than {_LIMIT_S} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        errors = [line for line in said if "ERROR" in line]
        raise Unavailable((errors or said)[-1])
    return done.stdout
