"""Commands on workload profiles: profile show, profile import, profile extrapolate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from dse.cli.study_commands import Json
from dse.errors import InputError

__all__ = ["register"]

_HITS = (2**12, 2**15, 2**18, 2**20, 2**22, 2**25)
_HISTORIES = (0, 1, 2, 4, 8, 12, 16, 24, 32)
_MOST_CLASSES = 4


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Show a workload profile, import one from another tool, or extrapolate one from small runs.",
    )
    group.command(epilog="Example: dse profile show graph500-seq-csr --report profile.html")(show)
    group.command("import", epilog="Example: dse profile import main.pisa my-profile.json")(import_)
    group.command(
        epilog="Examples: dse profile extrapolate runs/*.json --target problem_size=26 --log2 problem_size "
        "--target processes=262144 --out profile.json; dse profile extrapolate runs/*.json --target n=4096 --json"
    )(extrapolate)
    app.add_typer(group, name="profile")


def show(
    file: Annotated[str, typer.Argument(help="A profile (.json, .toml) or the name of one that comes with dse.")],
    report: Annotated[Path | None, typer.Option(help="Write the profile as an HTML page.")] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Leave out unknown keys instead of refusing.")] = False,
    json: Json = False,
) -> None:
    """Show a profile: instruction mix, parallelism, hits by size of cache, branch entropy."""
    from dse.cli.output import print_json, say
    from dse.models.workload.reading import read_profile
    from dse.models.workload.summary import summary

    profile = read_profile(file, strict=not lenient)
    page = None
    if report is not None:
        from dse.cli.profile_page import write_profile_page

        page = write_profile_page(profile, report)
    told = summary(profile)
    if json:
        print_json({**told, "report": str(page) if page else None})
        return
    say(told["name"], style="bold")
    for name in ("source", "licence"):
        if told[name]:
            say(f"{name}: {told[name]}")
    for item in told["classes"][:_MOST_CLASSES]:
        _print_class(item)
    if len(told["classes"]) > _MOST_CLASSES:
        say(f"… {len(told['classes']) - _MOST_CLASSES} more classes: dse profile show {file} --json")
    for warning in told["warnings"]:
        say(f"warning: {warning}", style="yellow")
    if told["synthetic"]:
        say("SYNTHETIC data, not measurements", style="bold yellow")
    if page:
        say(f"report: {page}")


def import_(
    file: Annotated[str, typer.Argument(help="A profile of IBM Platform-Independent Software Analysis.")],
    out: Annotated[str, typer.Argument(help="The profile to write (.json); it must not exist.")],
    source: Annotated[str, typer.Option(help="Where the file comes from.")] = "",
    licence: Annotated[str, typer.Option(help="Terms of the file.")] = "",
    json: Json = False,
) -> None:
    """Import a profile from a PISA file."""
    from dse.cli.output import print_json, say
    from dse.models.workload.pisa import read_pisa
    from dse.models.workload.reading import write_profile

    if Path(out).exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    profile = read_pisa(file, source=source, licence=licence)
    write_profile(profile, out)
    if json:
        classes = [{"name": item.name, "instructions": item.instructions} for item in profile.classes]
        print_json({"file": out, "name": profile.name, "classes": classes, "warnings": list(profile.warnings)})
        return
    for warning in profile.warnings:
        say(f"warning: {warning}", style="yellow")
    count = len(profile.classes)
    say(f"wrote {out}: {profile.name}, {count} thread{'s' if count > 1 else ''}")
    say(f"next: dse profile show {out}")


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
    from dse.cli.extrapolation_tables import as_json, print_extrapolated
    from dse.cli.output import print_json, progress_bar, say
    from dse.models.extrapolation import extrapolate as extrapolated
    from dse.models.workload.reading import read_profile, write_profile

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

        found = extrapolated(
            profiles,
            aim,
            log2=log2 or (),
            threshold=cluster,
            refuse_beyond=refuse_beyond,
            name=name,
            progress=progress,
        )
    if out is not None:
        write_profile(found.profile, out)
    if json:
        print_json({"file": None if out is None else str(out), **as_json(found)})
        return
    print_extrapolated(found, everything=everything)
    if out is not None:
        say(f"wrote {out}: {found.profile.name}")
        say(f"next: dse profile show {out}")


def _target(given: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for item in given:
        name, equals, text = item.partition("=")
        name = name.strip()
        try:
            value = float(text) if equals else None
        except ValueError:
            value = None
        if not name or value is None:
            raise InputError(f"'{item}'", key="--target", allowed="NAME=VALUE, such as processes=4096")
        if name in found:
            raise InputError(f"{name} is given twice", key="--target")
        found[name] = value
    return found


def _print_class(item: dict[str, Any]) -> None:
    from dse.cli.output import say, shown, table

    members = f", stands for {item['members']}" if item["members"] > 1 else ""
    say()
    say(f"{item['name']}{members}: {shown(item['instructions'], '1')} instructions", style="bold")
    rows = [
        [
            ("  " if row["part_of"] else "") + row["class"].replace("_", " "),
            shown(row["count"], "1"),
            _percent(row["fraction"]),
            _percent(row["vector_fraction"]) if row["vector_fraction"] else "",
            f"part of {row['part_of'].replace('_', ' ')}" if row["part_of"] else "",
        ]
        for row in item["mix"]
    ]
    table(["class", "instructions", "share", "vectors", ""], rows, right=[1, 2, 3])
    _print_ilp(item["ilp"])
    _print_hits(item["data_reuse"])
    _print_branch(item["branch"])
    if item["comm"] and item["comm"]["p2p"]:
        p2p = item["comm"]["p2p"]
        say(f"receives {shown(p2p['messages'], '1')} messages, {shown(p2p['bytes'], 'B')}")
    if item["external_calls"]:
        names = ", ".join(f"{name} ({count})" for name, count in list(item["external_calls"].items())[:8])
        say(f"calls code that was not analysed: {names}", style="yellow")


def _print_ilp(entries: list[dict[str, Any]]) -> None:
    from dse.cli.output import shown, table

    kinds = ("mem", "int", "control", "fp")
    orders = {"ooo": "out of order", "in": "in order"}
    rows = [
        [entry["window"], orders[entry["order"]], shown(entry["ilp"], "1")]
        + [shown(entry["own"].get(kind), "1") for kind in kinds]
        for entry in entries
    ]
    if rows:
        table(["window", "issue", "ILP", *kinds], rows, right=range(2, 7))


def _print_hits(histograms: list[dict[str, Any]]) -> None:
    from dse.cli.output import table
    from dse.models.workload.summary import size

    rows = []
    for histogram in histograms:
        hits = {hit["bytes"]: hit["hit_fraction"] for hit in histogram["hits"]}
        line = "addresses" if histogram["line_bytes"] is None else f"{histogram['line_bytes']} B"
        cells = [_percent(hits[bytes_]) if bytes_ in hits else "–" for bytes_ in _HITS]
        rows.append([line, *cells, _percent(histogram["cold_fraction"])])
    if rows:
        table(["hits, lines of", *(size(bytes_) for bytes_ in _HITS), "first touches"], rows, right=range(1, 8))


def _print_branch(branch: dict[str, Any] | None) -> None:
    from dse.cli.output import shown, table

    if branch is None or not branch["entropy"]:
        return
    entropy = dict(branch["entropy"])
    chosen = [history for history in _HISTORIES if history in entropy] or list(entropy)[:9]
    cells = [shown(entropy[history], "1") for history in chosen]
    table(["past outcomes", *map(str, chosen)], [["entropy [bit]", *cells]], right=range(1, len(chosen) + 1))


def _percent(fraction: float) -> str:
    from dse.units import format_number

    return f"{format_number(100 * fraction)} %"
