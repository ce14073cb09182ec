"""The command `dse profile fit`: the laws of a program, once, for every size and number of ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json
from dse.errors import InputError

__all__ = ["register"]

PLACE = 4


def register(app: typer.Typer) -> None:
    """Add the command."""
    command_group(app, "profile").command(
        epilog='Example: dse profile fit cg-*.json --size "cells = n**3 / processes" -o cg.laws.json'
    )(fit)


def fit(
    files: Annotated[list[str], typer.Argument(help="Profiles of one program at several sizes and numbers of ranks.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The laws to write (.json); it must not exist.")],
    size: Annotated[
        list[str] | None,
        typer.Option(help='What a rank depends on: "cells = n**3 / processes"; may be repeated.'),
    ] = None,
    law: Annotated[
        list[str] | None,
        typer.Option(help='An exact law: "comm.p2p.sent_bytes = 1200 B * cells**(2/3)"; may be repeated.'),
    ] = None,
    law_within: Annotated[float, typer.Option(help="Largest relative error of an exact law in a run.")] = 0.01,
    log2: Annotated[
        list[str] | None, typer.Option(help="A parameter whose values are binary logarithms of a size.")
    ] = None,
    cluster: Annotated[
        float | None, typer.Option(help="Gather processes that differ by no more than this in classes.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the laws.")] = None,
    json: Json = False,
) -> None:
    """Fit the laws of a program to the profiles of small runs; a study asks them at any size and number of ranks."""
    from dse.cli.text.output import print_json, progress_bar, say
    from dse.models.workload.cli.laws_tables import laws_summary, print_laws
    from dse.models.workload.laws.fitting import fit_laws
    from dse.models.workload.laws.laws_file import write_laws
    from dse.models.workload.profile.reading import read_profile

    if out.exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    if out.suffix != ".json":
        raise InputError(f"'{out}' does not end in .json", allowed="a file name such as cg.laws.json")
    profiles = [read_profile(file) for file in files]
    seen: dict[str, str] = {}
    for file, profile in zip(files, profiles, strict=True):
        if seen.setdefault(profile.sha256, file) != file or files.count(file) > 1:
            raise InputError(f"is the same as {seen[profile.sha256]}", file=file, allowed="each run once")
    _refuse_regions({file: profile.run.region for file, profile in zip(files, profiles, strict=True)})
    with ExitStack() as screen:
        bars: list[Callable[..., None] | None] = []

        def progress(done: int, total: int) -> None:
            if not bars:
                bars.append(screen.enter_context(progress_bar(total, "fits", quiet=json)))
            if bars[0] is not None:
                bars[0](done)

        laws = fit_laws(
            profiles,
            size or (),
            log2=log2 or (),
            threshold=cluster,
            formulas=law or (),
            within=law_within,
            name=name,
            progress=progress,
        )
    write_laws(laws, out)
    if json:
        print_json({"file": str(out), **laws_summary(laws)})
        return
    print_laws(laws, str(out))
    say(f"wrote {out}")
    say(f"next: dse init study.toml --template codesign --profile {out}")


def _refuse_regions(regions: Mapping[str, str]) -> None:
    """Refuse profiles of several regions of a program, of which no law would be."""
    first, *others = regions
    part = {file: region or "of the whole program" for file, region in regions.items()}
    for file in others:
        if regions[file] != regions[first]:
            raise InputError(
                f"is {part[file]}, and {first} is {part[first]}",
                file=file,
                key="run.region",
                allowed="profiles of one region",
            )
