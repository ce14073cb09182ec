"""``python -m benchmarks attack --seconds N --seed S``: what is wrong is looked for, and what was tried is counted.

    searches    made-up studies against brute force in plain floats (`searches`)
    studies     study files with lines and words changed: check, run with a budget, verify
    documents   files of a run folder with values, cells or bytes changed, below every command that takes a run
    forgeries   folders that an adversary made, below every such command, once (`forged_folders`)

Every case has a number, from which it is made again: ``--first NUMBER --seconds 1``. SYNTHETIC studies throughout.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.attack.changed_documents import DOCUMENTS, changed_study
from benchmarks.attack.commands import ON_RUNS, Ending, in_this_process
from benchmarks.attack.forged_folders import FORGERIES, SMALL
from benchmarks.attack.made_up_studies import made_up_study
from benchmarks.attack.searches import differences

__all__ = ["Attack", "main"]

_LONGEST = 60  # seconds of one command
_MEMORY = 6 << 30
_STUDY = (
    ("check", "changed.toml"),
    ("run", "changed.toml", "--out", "changed", "--budget", "1 s", "--json"),
    ("verify", "changed", "--designs", "2000"),
    ("show", "changed"),
)


class _TooLongError(Exception):
    """A command did not end in its time."""


@dataclass
class Attack:
    """What was tried, how it ended, and what is wrong.

    Attributes
    ----------
    tried : Counter of (str, str)
        By kind of case and feature, command or document.
    ended : dict of str to Counter of str
        By kind, exit codes of commands.
    wrong : list of str
    longest : dict of str to float
        By kind, the longest command [s].
    """

    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    ended: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    longest: dict[str, float] = field(default_factory=dict)

    def command(self, kind: str, what: str, arguments: tuple[str, ...], case: str) -> Ending | None:
        """Run a command, and note how it ended."""
        self.tried[kind, what] += 1
        try:
            with _limited(_LONGEST):
                ending = in_this_process(arguments)
        except _TooLongError:
            self.wrong.append(f"{case}: {' '.join(arguments)}: did not end in {_LONGEST} s")
            return None
        self.ended.setdefault(kind, Counter())[str(ending.code)] += 1
        self.longest[kind] = max(self.longest.get(kind, 0.0), ending.seconds)
        self.wrong += [f"{case}: {' '.join(arguments)}: {fault}" for fault in ending.faults]
        return ending

    def search(self, number: int, folder: Path, largest: int = 1500) -> None:
        """Compare a made-up study with brute force."""
        rng = random.Random(number)
        made = made_up_study(rng, largest)
        begun = time.perf_counter()
        try:
            for feature, fault in differences(made, rng, folder / "searched"):
                self.tried["searches", feature] += 1
                if fault:
                    self.wrong.append(f"search {number}, {feature}: {fault}")
        except Exception as error:  # a made-up study is a right one, so whatever it meets is a fault
            self.wrong.append(f"search {number}: {type(error).__name__}: {str(error)[:200]}")
        self.longest["searches"] = max(self.longest.get("searches", 0.0), time.perf_counter() - begun)

    def study(self, number: int, folder: Path) -> None:
        """Change the text of a study, and check, run, verify and show it."""
        rng = random.Random(number)
        text = SMALL if rng.random() < 0.5 else made_up_study(rng, 300).text
        (folder / "changed.toml").write_text(changed_study(text, rng))
        for old in ("changed", ".old"):
            shutil.rmtree(folder / old, ignore_errors=True)
        for arguments in _STUDY:
            if arguments[0] in ("verify", "show") and not (folder / "changed/manifest.json").is_file():
                break
            ending = self.command("studies", arguments[0], arguments, f"study {number}")
            if ending is not None and arguments[0] == "verify" and ending.code == 1:
                self.wrong.append(f"study {number}: verify beats the frontier")

    def document(self, number: int, folder: Path, commands: int = 4) -> None:
        """Change a file of a run folder, and give it to some of the commands that take one."""
        rng = random.Random(number)
        kind = rng.choice([*DOCUMENTS])
        for label in rng.sample([*ON_RUNS], commands):
            _fresh(folder)
            DOCUMENTS[kind](folder / "work", random.Random(number))
            self._on_run("documents", kind, label, f"document {number}, {kind}", folder)

    def forgeries(self, folder: Path) -> Iterator[tuple[str, str, Ending | None]]:
        """Give every forged folder to every command that takes one; yield forgery, command and how it ended."""
        for name, forge in FORGERIES.items():
            for label in ON_RUNS:
                _fresh(folder)
                forge(folder / "work")
                yield name, label, self._on_run("forgeries", label, label, name, folder)

    def _on_run(self, kind: str, what: str, label: str, case: str, folder: Path) -> Ending | None:
        ending = self.command(kind, what, tuple(word.replace("RUN", "work") for word in ON_RUNS[label]), case)
        of_this_user = is_sealed(folder / "work")
        shown = ending is not None and ending.code == 0 and label == "show --json" and not of_this_user
        if ending is not None and shown and json.loads(ending.out)["exact"]:
            self.wrong.append(f"{case}, {label}: called exact")
        return ending


def is_sealed(folder: Path) -> bool:
    """Say whether the run in a folder bears a seal, which nobody here can forge."""
    file = folder / "manifest.json"
    if not file.is_file() or file.stat().st_size > 1 << 26:  # a pipe, or a terabyte without a block
        return False
    with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError):
        return bool(json.loads(file.read_text()).get("seal"))
    return False


def _fresh(folder: Path) -> None:
    for old in ("work", ".old"):
        shutil.rmtree(folder / old, ignore_errors=True)
    shutil.copytree(folder / "run", folder / "work")


@contextlib.contextmanager
def _limited(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def ready() -> Iterator[Path]:
    """Give a folder, the current one, with a finished run of `SMALL`, its trust stored, and a key of its own."""
    here, home = Path.cwd(), os.environ.get("XDG_DATA_HOME")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ["XDG_DATA_HOME"] = str(folder / "data")
        os.chdir(folder)
        try:
            (folder / "small.toml").write_text(SMALL)
            for arguments in (("run", "small.toml", "--out", "run"), ("trust", "run", "--draws", "50")):
                ending = in_this_process(arguments)
                if ending.code != 0:
                    raise RuntimeError(ending.err)
            yield folder
        finally:
            os.chdir(here)
            os.environ.pop("XDG_DATA_HOME")
            if home is not None:
                os.environ["XDG_DATA_HOME"] = home


def main(arguments: list[str] | None = None) -> int:
    """Attack for a time; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks attack", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, metavar="N", help="how long; default 60")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which cases; default 0")
    parser.add_argument("--first", type=int, metavar="NUMBER", help="the number of the first case, to see one again")
    parser.add_argument("--forgeries", action="store_true", help="print how every command ends on every forged folder")
    given = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    console = Console(width=150)
    attack, end = Attack(), time.monotonic() + given.seconds
    number = given.first if given.first is not None else given.seed * 10_000_000
    with ready() as folder:
        rows = [*attack.forgeries(folder)] if given.forgeries else []
        while time.monotonic() < end:
            attack.search(number, folder)
            attack.study(number, folder)
            attack.document(number, folder)
            number += 1
    if rows:
        _show_forgeries(rows, console)
    _show(attack, console, given.seed, number)
    return 1 if attack.wrong else 0


def _show(attack: Attack, console: Console, seed: int, number: int) -> None:
    table = Table("kind", "what", "tried", title=f"Tried, seed {seed}, cases below {number}")
    for (kind, what), count in sorted(attack.tried.items()):
        table.add_row(kind, what, str(count))
    console.print(table)
    for kind, codes in attack.ended.items():
        ends = ", ".join(f"exit code {code}: {count}" for code, count in sorted(codes.items()))
        console.print(f"{kind}: {ends}; the longest {attack.longest[kind]:.1f} s", highlight=False)
    for fault in attack.wrong:
        console.print(f"WRONG {fault}", markup=False, style="bold red")
    console.print(f"{sum(attack.tried.values())} tried, {len(attack.wrong)} wrong", highlight=False)


def _show_forgeries(rows: list[tuple[str, str, Ending | None]], console: Console) -> None:
    table = Table("folder", "command", "exit code", "s", "says")
    for name, label, ending in rows:
        if ending is None:
            table.add_row(name, label, "none", "", "did not end")
        else:
            table.add_row(name, label, str(ending.code), f"{ending.seconds:.1f}", ending.words[:90])
    console.print(table)
