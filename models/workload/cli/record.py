"""What `dse profile record` and `dse profile collect` do, below their options."""

from __future__ import annotations

import csv
import os
import shlex
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from dse.cli.text.output import print_json, say
from dse.errors import InputError
from dse.models.workload.locality.summary import summary
from dse.models.workload.profile.alike_classes import with_alike_joined
from dse.models.workload.profile.reading import parse_profile, write_profile
from dse.models.workload.record.raw_records import RawRecord, read_records
from dse.models.workload.record.recorded import NOTHING_RAN, recorded_profile, refuse_region, without_children
from dse.models.workload.record.recording import ended_by, run_program, typed_parameters

__all__ = ["collect_records", "print_environment", "record_program"]

_COUNTS = ("instructions", "loads", "stores", "fp", "control", "calls")


def print_environment(environment: Mapping[str, str]) -> None:
    """Print lines for a shell."""
    say("export DSE_PROFILE_DIR=$PWD/records  # must exist, and be seen by all processes")
    for name, value in environment.items():
        say(f"export {name}={shlex.quote(value)}")


def record_program(
    command: Sequence[str], out: Path, environment: Mapping[str, str], *, json: bool, **options: Any
) -> dict[str, Any]:
    """Run a program and write its profile; return its summary and exit status. Ends the command where there is none."""
    _refuse_existing(out, options["functions"])
    _refuse_ways(**options)
    typed_parameters(options["parameters"])  # before the run: a wrong one is to be told at once
    try:
        # Beside the profile, where all nodes of a job see it if they see the profile.
        folder = Path(tempfile.mkdtemp(prefix=f".{out.stem}-records-", dir=out.resolve().parent))
    except OSError as error:
        raise InputError(f"no folder for records can be made there: {error.strerror}", file=out) from None
    counted = True
    try:
        status = run_program(command, {**environment, "DSE_PROFILE_DIR": str(folder)}, apart=json)
        records = read_records(folder)
        signal = ended_by(status)
        counted = any(thread.instructions for record in records for thread in record.threads)
        if not counted:
            refuse_region(records)
            problem = f"the program was ended by {signal}; no profile" if signal else NOTHING_RAN
            if json:
                print_json({"status": status, "profile": None, "problem": problem})
            else:
                say(problem, style="bold red")
            raise typer.Exit(1)
        written = _write(records, out, **options)
    except InputError:
        # What a long run left is worth more than a tidy folder.
        if counted and any(folder.iterdir()):
            say(f"the records are kept: dse profile collect {shlex.quote(str(folder))} -o {shlex.quote(str(out))}")
            folder = Path()
        raise
    finally:
        if folder != Path():
            shutil.rmtree(folder, ignore_errors=True)
    return {"status": 128 - status if status < 0 else status, **written}


def collect_records(folder: Path, out: Path, **options: Any) -> dict[str, Any]:
    """Write the profile of the records in a folder; return its summary."""
    _refuse_existing(out, options["functions"])
    return _write(read_records(folder), out, **options)


def _refuse_existing(out: Path, functions: Path | None) -> None:
    for file, ending in ((out, ".json"), *([(functions, ".csv")] if functions else [])):
        if file.suffix != ending:
            raise InputError(f"'{file}' does not end in {ending}", allowed=f"a file name such as profile{ending}")
        if file.exists():
            raise InputError("the file exists already; it is not overwritten", file=file, allowed="another name")


def _refuse_ways(*, merge: bool, correlation: float | None = None, **_: Any) -> None:
    if correlation is None:
        return
    if merge:
        raise InputError("stands beside --merge", key="--correlation", allowed="one of them")
    if not 0.0 <= correlation <= 1.0:
        raise InputError(f"{correlation:g}", key="--correlation", allowed="a number from 0 to 1")


def _write(
    records: list[RawRecord],
    out: Path,
    *,
    name: str | None,
    parameters: Sequence[str],
    children: bool,
    merge: bool,
    correlation: float | None = None,
    functions: Path | None,
) -> dict[str, Any]:
    kept, left = (records, []) if children else without_children(records)
    if left and not kept:
        raise InputError(
            "only processes that the program started left a record, not the program itself", allowed="--children"
        )
    document = recorded_profile(kept, name=name, parameters=typed_parameters(parameters))
    _refuse_ways(merge=merge, correlation=correlation)
    if merge:
        document = with_alike_joined(document)
    if correlation is not None:
        from dse.models.workload.profile.thread_classes import with_correlated_joined

        document = with_correlated_joined(document, correlation)
    profile = parse_profile(document, file=str(out))
    part = out.with_name(f".{out.stem}-{os.getpid()}.json")
    try:
        write_profile(profile, part)
        os.replace(part, out)
    except InputError as error:
        raise error.within(file=out) from None
    finally:
        part.unlink(missing_ok=True)
    if functions:
        _write_functions(kept, functions)
    figures = summary(profile)
    if left:
        figures["left_out"] = f"{len(left)} child processes are left out (--children takes them in)"
    return {"file": str(out), "profile": figures}


def _write_functions(records: Sequence[RawRecord], file: Path) -> None:
    sums: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_COUNTS, 0))
    for record in records:
        for function in record.functions:
            for count in _COUNTS:
                sums[function.name][count] += getattr(function, count)
    try:
        with file.open("w", newline="", encoding="utf-8") as target:
            writer = csv.writer(target)
            writer.writerow(["function", *_COUNTS])
            for name in sorted(sums, key=lambda function: -sums[function]["instructions"]):
                writer.writerow([name, *sums[name].values()])
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from None
