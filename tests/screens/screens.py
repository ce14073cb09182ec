"""The screens of `dse`: which there are, how one is taken, and how it is compared with its golden file.

`screens.toml` is the table: a name, a command line or several, and the folder they are typed in (`folders.py`).
`golden/NAME.txt` holds what they show: exit code, standard output, standard error. What may differ from run to run is
left out (`NORMAL`).
"""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import io
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"

for _name, _file in (("toy", HERE.parent / "e2e" / "toy.py"), ("folders", HERE / "folders.py")):
    if _name not in sys.modules:
        _spec = importlib.util.spec_from_file_location(_name, _file)
        _module = importlib.util.module_from_spec(_spec)
        sys.modules[_name] = _module
        _spec.loader.exec_module(_module)

from folders import FOLDERS, WIDTH  # noqa: E402

from dse.cli.main import main  # noqa: E402
from dse.cli.text.output import console, errors  # noqa: E402
from dse.version import __version__  # noqa: E402

__all__ = ["GOLDEN", "Place", "Screen", "difference", "golden", "normal", "screens"]

_NUMBER = r"\d[\d.\u202f]*"
_TIME = rf"{_NUMBER} (?:µs|ms|s|min|minutes?|h|hours?)"
NORMAL = [
    (rf"^dse {re.escape(__version__)}$", "dse VERSION"),
    (rf"(?<=a run takes about ){_TIME}, {_NUMBER} [KMGT]iB", "SECONDS, MEMORY"),
    (rf"(?<=\), ){_TIME}(?=; )", "SECONDS"),
]
"""What is no part of a screen's text: pattern, and what stands for it."""


@dataclass(frozen=True)
class Screen:
    """Command lines, typed after each other, and the folder they are typed in."""

    name: str
    commands: tuple[str, ...]
    folder: str

    @property
    def file(self) -> Path:
        """Where its golden file is."""
        return GOLDEN / f"{self.name}.txt"


def screens() -> list[Screen]:
    """Return the table."""
    table = tomllib.loads((HERE / "screens.toml").read_text(encoding="utf-8"))
    wrong = [name for name, row in table.items() if set(row) - {"folder"} not in ({"command"}, {"commands"})]
    if wrong:
        raise ValueError(f"{wrong}: a screen has `command` or `commands`, and may have `folder`")
    return [
        Screen(name, tuple(row.get("commands") or [row["command"]]), row.get("folder", "empty"))
        for name, row in table.items()
    ]


def golden(screen: Screen) -> str:
    """Return what a screen showed when it was last taken."""
    return screen.file.read_text(encoding="utf-8") if screen.file.exists() else ""


def normal(text: str, folder: Path) -> str:
    """Return a text without what may differ, and without the blanks that fill its lines up."""
    text = text.replace(str(folder), "FOLDER")
    for pattern, instead in NORMAL:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return "".join(f"{line.rstrip(' ')}\n" for line in text.splitlines())


def difference(screen: Screen, now: str) -> str:
    """Return what is not as in the golden file, as a diff and with the command that takes it anew."""
    before = golden(screen).splitlines()
    lines = difflib.unified_diff(before, now.splitlines(), f"golden/{screen.file.name}", "now", lineterm="", n=2)
    anew = f"if this is meant: .venv/bin/python tests/screens/regenerate.py {screen.name}"
    return "\n".join([f"`{screen.name}` is another screen", *lines, anew])


class Place:
    """Where screens are taken: makes each folder once, and gives every screen a copy."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._made: dict[str, Path] = {}

    def _folder(self, name: str) -> Path:
        if name not in self._made:
            made = self._base / f"made-{len(self._made)}"
            made.mkdir()
            FOLDERS[name](made)
            self._made[name] = made
        return self._made[name]

    def take(self, screen: Screen) -> str:
        """Return the text of the golden file, as it is now."""
        folder = self._base / "now"
        shutil.copytree(self._folder(screen.folder), folder)
        try:
            return "\n".join(_shown(command, folder) for command in screen.commands)
        finally:
            shutil.rmtree(folder)


def _shown(command: str, folder: Path) -> str:
    code, out, err = _run(shlex.split(command)[1:], folder)
    printed = {"stdout": normal(out, folder), "stderr": normal(err, folder)}
    parts = [f"--- {name} ---\n{text}" for name, text in printed.items() if text]
    return f"$ {command}\nexit code {code}\n{''.join(parts)}"


@contextlib.contextmanager
def _terminal(folder: Path) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Let commands run in a folder and in a terminal of WIDTH columns, and take what they print."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict("os.environ", {"COLUMNS": str(WIDTH), "TERM": "dumb"}),
        mock.patch("os.cpu_count", return_value=2),  # what more processes would help is said of so many
        mock.patch.object(sys, "argv", ["dse"]),  # typer reads its own name there, and here under `python -m pytest`
        mock.patch.object(sys.modules["__main__"], "__package__", None),
        mock.patch.object(console(), "_width", WIDTH),
        mock.patch.object(errors(), "_width", WIDTH),
    ):
        yield out, err


def _run(arguments: list[str], folder: Path) -> tuple[int, str, str]:
    with _terminal(folder) as (out, err):
        try:
            main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        out.seek(0), err.seek(0)
    return code, out.read(), err.read()
