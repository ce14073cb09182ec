"""Packages of PyPI that want an environment of their own: other libraries, or a NumPy below 2."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["EXTRAP", "MLSYSIM", "Unavailable", "ask", "ask_extrap", "environment"]

EXTRAP = "4.2.5"  # wants a NumPy below 2 and a Qt window library: 660 MB
MLSYSIM = "0.3.0"
_LIMIT_S = 900


class Unavailable(Exception):
    """A package cannot be used here; the text says why."""


def environment(package: str, version: str) -> Path:
    """Return the Python that has a package; its environment is made the first time, in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "dse" / f"{package}-{version}"
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.exists():
        try:
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            _run([sys.executable, "-m", "venv", str(folder)])
            install = [
                "install",
                "-q",
                "--disable-pip-version-check",
                "--only-binary",
                ":all:",
                f"{package}=={version}",
            ]
            _run([str(python), "-m", "pip", *install])
            complete.touch()
        except (Unavailable, OSError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise Unavailable(f"{package} {version} cannot be installed: {error}") from None
    return python


def ask(package: str, version: str, worker: str, document: Any) -> Any:
    """Return what a worker, a file beside this one, answers to a document in the environment of a package."""
    file = Path(__file__).with_name(worker)
    return json.loads(_run([str(environment(package, version)), "-I", str(file)], json.dumps(document)))


def ask_extrap(series: list[dict[str, Any]], falling: bool) -> list[dict[str, Any]]:
    """Return the model of each series by `extrap`, as `extrap_worker.model` gives it."""
    given: list[dict[str, Any]] = ask("extrap", EXTRAP, "extrap_worker.py", {"series": series, "falling": falling})
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
