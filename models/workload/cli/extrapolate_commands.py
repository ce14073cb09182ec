"""The command `dse profile extrapolate`: a profile from those of small runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 2


def register(app: typer.Typer) -> None:
    """Add the command."""
    command_group(app, "profile").command(
        epilog="Examples: dse profile extrapolate runs/*.json --target problem_size=26 --log2 problem_size "
        "--target processes=262144 --out profile.json; dse profile extrapolate runs/*.json --target problem_size=20 "
        "--target processes=1024 --json"
    )(extrapolate)


def extrapolate(
    files: Annotated[list[str], typer.Argument(help="Profiles of one program at different parameters.")],
    target: Annotated[list[str], typer.Option(help="NAME=VALUE of each parameter that varies; may be repeated.")],
    out: Annotated[Path | None, typer.Option(help="The profile to write (.json); it must not exist.")] = None,
    log2: Annotated[
        list[str] | None,
        typer.Option(help="A parameter whose values are binary logarithms of a size, such as a scale."),
    ] = None,
    cluster: Annotated[
        float | None, typer.Option(help="Gather processes that differ by no more than this in classes (0.1: a tenth).")
    ] = None,
    refuse_beyond: Annotated[float | None, typer.Option(help="Largest distance, target over largest run.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the profile.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show the laws of all metrics.")] = False,
    json: Json = False,
) -> None:
    """Extrapolate a profile from those of small runs: one law per metric, cross-validated, with its distance."""
    from dse.cli.text.output import print_json, progress_bar, say
    from dse.models.workload.cli.extrapolate_tables import as_json, print_extrapolated
    from dse.models.workload.extrapolation.profiles import extrapolate as extrapolated
    from dse.models.workload.profile.reading import read_profile, write_profile

    if out is not None and out.exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    if out is not None and out.suffix != ".json":
        raise InputError(f"'{out}' does not end in .json", allowed="a file name such as my-profile.json")
    aim = _target(target)
    profiles = [read_profile(file) for file in files]
    seen: dict[str, str] = {}
    for file, profile in zip(files, profiles, strict=True):
        if seen.setdefault(profile.sha256, file) != file or files.count(file) > 1:
            raise InputError(f"is the same as {seen[profile.sha256]}", file=file, allowed="each run once")
    with ExitStack() as screen:
        bars: list[Callable[..., None] | None] = []

        def progress(done: int, total: int) -> None:
            if not bars:
                bars.append(screen.enter_context(progress_bar(total, "fits", quiet=json)))
            if bars[0] is not None:
                bars[0](done)

        result = extrapolated(
            profiles,
            aim,
            log2=log2 or (),
            threshold=cluster,
            refuse_beyond=refuse_beyond,
            name=name,
            progress=progress,
        )
    if out is not None:
        write_profile(result.profile, out)
    if json:
        print_json({"file": None if out is None else str(out), **as_json(result)})
        return
    print_extrapolated(result, everything=everything)
    if out is not None:
        say(f"wrote {out}: {result.profile.name}")
        say(f"next: dse profile show {out}")


def _target(given: list[str]) -> dict[str, float]:
    targets: dict[str, float] = {}
    for item in given:
        name, equals, text = item.partition("=")
        name = name.strip()
        try:
            value = float(text) if equals else None
        except ValueError:
            value = None
        if not name or value is None:
            raise InputError(f"'{item}'", key="--target", allowed="NAME=VALUE, such as processes=4096")
        if name in targets:
            raise InputError(f"{name} is given twice", key="--target")
        targets[name] = value
    return targets
