"""The runs of a sweep: planned, recorded one after the other, and what is warned of before the dear ones start."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from dse.cli.text.output import say
from dse.errors import InputError
from dse.models.workload.cli.record import record_program
from dse.models.workload.laws.ranks import GRID_CALLS, is_power
from dse.models.workload.profile.reading import read_profile
from dse.models.workload.record.recording import settings

__all__ = ["SweepRun", "planned_runs", "record_runs", "recording_settings"]


@dataclass(frozen=True)
class SweepRun:
    """A run of a sweep: its profile, its parameters and its command."""

    file: Path
    parameters: Mapping[str, str]
    ranks: int
    command: tuple[str, ...]

    @property
    def line(self) -> str:
        """The command as one types it."""
        return shlex.join(self.command)

    def summary(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "file": str(self.file),
            "exists": self.file.exists(),
            "parameters": dict(self.parameters),
            "ranks": self.ranks,
            "command": list(self.command),
        }


def planned_runs(
    prefix: str, sizes: Sequence[str], ranks: str, program: Sequence[str], launcher: str
) -> list[SweepRun]:
    """Return every size with every number of ranks, the cheapest first.

    Raises
    ------
    InputError
        Values or ranks that are none, a name in braces that is no size, a size that the program is not given.
    """
    columns: dict[str, list[str]] = {}
    for text in sizes:
        name, equals, listed = (part.strip() for part in text.partition("="))
        values = [value.strip() for value in listed.split(",") if value.strip()]
        if not equals or not name.isidentifier() or not values:
            raise InputError(f"'{text}'", key="--sizes", allowed="NAME=VALUE,VALUE, such as n=12,24,36")
        if name in columns or name == "ranks":
            raise InputError(f"'{name}' is given twice", key="--sizes", allowed="each parameter once")
        for value in values:
            try:
                float(value)
            except ValueError:
                raise InputError(f"'{value}' is no number", key="--sizes", allowed="numbers") from None
        columns[name] = values
    counts = _ranks(ranks)
    text = " ".join(program)
    for name in columns:
        if "{" + name + "}" not in text:
            raise InputError(
                f"the program is not given '{name}'", key="--sizes", allowed=f"{{{name}}} among its arguments"
            )
    if "{ranks}" not in launcher:
        raise InputError(f"'{launcher}'", key="--launcher", allowed="{ranks} where their number goes")
    runs = []
    for chosen in itertools.product(*columns.values()):
        parameters = dict(zip(columns, chosen, strict=True))
        for count in counts:
            words = [_filled(word, parameters) for word in program]
            command = (*shlex.split(launcher.replace("{ranks}", str(count))), *words)
            file = Path(f"{prefix}{'-'.join([*chosen, str(count)])}.json")
            runs.append(SweepRun(file, parameters, count, command))
    return sorted(runs, key=lambda run: (*(float(value) for value in run.parameters.values()), run.ranks))


def _ranks(text: str) -> list[int]:
    counts = []
    for part in text.split(","):
        if not part.strip().isdecimal() or int(part) < 1:
            raise InputError(f"'{part.strip()}'", key="--ranks", allowed="whole numbers >= 1, such as 1,8,27,64")
        counts.append(int(part))
    if len(set(counts)) < len(counts):
        raise InputError(f"'{text}'", key="--ranks", allowed="each number once")
    return counts


def _filled(word: str, parameters: Mapping[str, str]) -> str:
    for name, value in parameters.items():
        word = word.replace("{" + name + "}", value)
    return word


def recording_settings(sample: str, from_function: str | None = None) -> dict[str, str]:
    """Return the settings of the recorder, its own but for the sampling and the function whose calls are recorded."""
    return settings(
        windows="32,64,128,inf",
        lines="64,128",
        branches="all",
        metrics="mix,ilp,reuse,branches,footprint",
        sample=sample,
        block_copies="lines",
        memory_limit=None,
        from_function=from_function,
    )


def record_runs(
    runs: Sequence[SweepRun], environment: Mapping[str, str], *, merge: bool, json: bool
) -> dict[str, list[Any]]:
    """Record the runs whose profiles do not exist; one that fails is told and left out."""
    account: dict[str, list[Any]] = {"recorded": [], "kept": [], "failed": [], "warnings": []}
    for run in runs:
        if run.file.exists():
            account["kept"].append(str(run.file))
            continue
        if not json:
            say(f"{run.file}: {run.line}")
        try:
            status = _record(run, environment, merge=merge, json=json)
        except InputError as error:
            status, problem = 1, str(error)
        else:
            problem = f"exit status {status}"
        if status:
            run.file.unlink(missing_ok=True)
            account["failed"].append({"file": str(run.file), "problem": problem})
            if not json:
                say(f"{run.file}: failed ({problem}), left out", style="bold red")
            continue
        if not account["recorded"]:
            account["warnings"] += _odd_boxes(run.file, runs, json)
        account["recorded"].append(str(run.file))
    return account


def _record(run: SweepRun, environment: Mapping[str, str], *, merge: bool, json: bool) -> int:
    parameters = [f"{name}={value}" for name, value in run.parameters.items()]
    options = {"name": None, "parameters": parameters, "children": False, "merge": merge}
    try:
        recorded = record_program(run.command, run.file, environment, json=json, functions=None, **options)
    except typer.Exit as ended:
        return ended.exit_code or 1
    return int(recorded["status"])


def _odd_boxes(first: Path, runs: Sequence[SweepRun], json: bool) -> list[str]:
    """Warn of ranks that are no cubes or squares, of a program that makes a grid of them."""
    calls = {name for item in read_profile(first).classes for name in item.external_calls}
    on_grid = [name for name in GRID_CALLS if name in calls]
    ranks = sorted({run.ranks for run in runs})
    if not on_grid or all(is_power(count, 3) for count in ranks) or all(is_power(count, 2) for count in ranks):
        return []
    odd = ", ".join(str(count) for count in ranks if not is_power(count, 3))
    text = f"the program calls {on_grid[0]}, and {odd} ranks are no cubes: a rank has a box of another shape there"
    if not json:
        say(f"warning: {text}", style="yellow")
    return [text]
