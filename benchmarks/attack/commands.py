"""Commands, run in this process or with a limit of time in another: how they end, what they say, how long they take."""

from __future__ import annotations

import contextlib
import io
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ON_RUNS", "Ending", "in_process", "in_this_process"]

ON_RUNS: dict[str, tuple[str, ...]] = {
    "show": ("show", "RUN", "--all"),
    "show --json": ("show", "RUN", "--json"),
    "show --csv": ("show", "RUN", "--csv", "-"),
    "report": ("report", "RUN", "--out", "page.html"),
    "compare": ("compare", "RUN", "RUN:0", "RUN:1"),
    "pick": ("pick", "RUN"),
    "pick --trust": ("pick", "RUN", "--min", "time", "--trust"),
    "explain": ("explain", "RUN", "--json"),
    "why": ("why", "RUN"),
    "trust": ("trust", "RUN", "--draws", "50"),
    "verify": ("verify", "RUN", "--designs", "100"),
    "verify --proofs": ("verify", "RUN", "--designs", "100", "--proofs"),
    "run": ("run", "small.toml", "--out", "RUN", "--json"),
    "run --accept-ledger": ("run", "small.toml", "--out", "RUN", "--accept-ledger", "--json"),
}
"""The commands that take the folder of a run, which stands as RUN."""

_MEMORY = 1 << 30


@dataclass(frozen=True)
class Ending:
    """How a command ended: its exit code (None: not within its time), what it printed, seconds, bytes of memory."""

    code: int | None
    out: str
    err: str
    seconds: float
    memory: int = 0

    @property
    def words(self) -> str:
        """The first line of what it says of a fault, else what it calls its frontier."""
        if self.code not in (0, 1):
            return self.err.strip().split("\n")[-1]
        for said in ("exact, as the folder says", "exact, as the accepted ledger says", "exact"):
            if said in self.out:
                return said
        return ""

    @property
    def faults(self) -> list[str]:
        """What no command may do, whatever it is given."""
        wrong = []
        if self.code is None:
            wrong.append("did not end")
        elif self.code not in (0, 1, 2, 3):
            wrong.append(f"exit code {self.code}: {self.words}")
        if "Traceback" in self.out + self.err:
            wrong.append("a traceback")
        if "Warning" in self.err:
            wrong.append(f"a warning of another library: {self.err.strip()[:200]}")
        if any(letter < " " and letter not in "\n\t" for letter in self.err):
            wrong.append("a control character on the terminal")
        if self.memory > _MEMORY:
            wrong.append(f"{self.memory / (1 << 30):.2f} GiB")
        return wrong


def in_this_process(arguments: tuple[str, ...]) -> Ending:
    """Run a command here, in the current folder."""
    from dse.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    begun, code = time.perf_counter(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    return Ending(code, out.getvalue(), err.getvalue(), time.perf_counter() - begun)


def in_process(arguments: tuple[str, ...], folder: Path, seconds: float = 60.0) -> Ending:
    """Run a command in a process of its own, which is ended when its time is over."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "dse", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONWARNINGS": "default"},
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate(timeout=seconds)
            return Ending(None, "", "", time.perf_counter() - begun)
    took = time.perf_counter() - begun
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024  # of the largest so far
    return Ending(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"), took, memory)
