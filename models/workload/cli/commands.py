"""Commands on workload profiles: profile show, new, import, record, collect, compiler."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["register"]

PLACE = 1
_GROUP = "Record what a program does, or work with such profiles. Show, import, extrapolate from small runs."

_HITS = (2**12, 2**15, 2**18, 2**20, 2**22, 2**25)
_HISTORIES = (0, 1, 2, 4, 8, 12, 16, 24, 32)
_MOST_CLASSES = 4

Name = Annotated[str | None, typer.Option(help="Name of the profile; the program's if left out.")]
Parameters = Annotated[list[str] | None, typer.Option("--parameter", help="Parameter of the program: n=4096.")]
Children = Annotated[bool, typer.Option("--children", help="Take in processes that the program started.")]
Correlation = Annotated[
    float | None,
    typer.Option(help="Make one class of threads whose reuse distances correlate by at least this, 0 to 1."),
]
Merge = Annotated[bool, typer.Option("--merge", help="Make one class of threads that differ by less than 1 %.")]
Functions = Annotated[Path | None, typer.Option(help="Write counts by function to this file (.csv).")]
FromFunction = Annotated[
    str | None, typer.Option("--from", help="A function: its calls alone are recorded, with all that they call.")
]
Written = Annotated[Path, typer.Option("--out", "-o", help="The profile to write (.json); it must not exist.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = command_group(app, "profile", _GROUP)
    group.command(epilog="Example: dse profile show graph500-seq-csr --report profile.html")(show)
    group.command(epilog="Example: dse profile new my-profile.toml")(new)
    record_help = "Example: dse profile record --print-environment --windows 32,128"
    group.command(epilog=record_help, context_settings={"allow_interspersed_args": False})(record)
    group.command(epilog="Example: dse profile collect records -o recorded.json")(collect)
    group.command(epilog="Example: dse profile compiler")(compiler)
    group.command("import", epilog="Example: dse profile import main.pisa my-profile.json")(import_)


def show(
    file: Annotated[str, typer.Argument(help="A profile (.json, .toml) or the name of one that comes with dse.")],
    report: Annotated[Path | None, typer.Option(help="Write the profile as an HTML page.")] = None,
    heatmap: Annotated[bool, typer.Option("--heatmap", help="Show where the next accesses go, and how soon.")] = False,
    variant: Annotated[str, typer.Option(help="Of --heatmap: pdf or cdf over bytes, then over accesses.")] = "pdf:pdf",
    out: Annotated[
        Path | None, typer.Option(help="Of laws: write the profile there. Of --heatmap: the figure as an HTML page.")
    ] = None,
    of_class: Annotated[
        str | None, typer.Option("--class", help="Of --heatmap: the class, where there are several.")
    ] = None,
    correlation: Annotated[
        float | None, typer.Option(help="Threads whose reuse distances correlate by at least this are a class, 0 to 1.")
    ] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Leave out unknown keys instead of refusing.")] = False,
    at: Annotated[
        list[str] | None, typer.Option("--at", help="Of laws: NAME=VALUE of each parameter and processes.")
    ] = None,
    refuse_beyond: Annotated[float, typer.Option(help="Of laws: the largest distance from the runs.")] = 1024.0,
    json: Json = False,
) -> None:
    """Show a profile: instruction mix, parallelism, hits by size of cache, branch entropy, locality; or laws."""
    from dse.cli.text.output import print_json, say
    from dse.models.workload.locality.summary import summary

    profile, written = _shown_profile(file, at, refuse_beyond, out, json, strict=not lenient)
    if profile is None:
        return
    out = None if written else out
    page = None
    if report is not None:
        from dse.models.workload.cli.page import write_profile_page

        page = write_profile_page(profile, report)
    figures = summary(profile, correlation)
    if heatmap:
        from dse.models.workload.cli.heat_maps import show_heat_maps

        show_heat_maps(profile, of_class, variant, out, page, json)
        return
    if out is not None or variant != "pdf:pdf" or of_class is not None:
        raise InputError(
            "--out, --variant and --class are of --heatmap", allowed="--heatmap with them, or --report FILE"
        )
    if json:
        print_json({**figures, "report": str(page) if page else None})
        return
    say(figures["name"], style="bold")
    for name in ("source", "licence"):
        if figures[name]:
            say(f"{name}: {figures[name]}")
    _print_run(figures)
    for item in figures["classes"][:_MOST_CLASSES]:
        _print_class(item)
    if len(figures["classes"]) > _MOST_CLASSES:
        say(f"… {len(figures['classes']) - _MOST_CLASSES} more classes: dse profile show {file} --json")
    if figures["thread_classes"]:
        from dse.models.workload.cli.thread_tables import print_thread_classes

        print_thread_classes(figures["thread_classes"])
    for warning in figures["warnings"]:
        say(f"warning: {warning}", style="yellow")
    if figures["synthetic"]:
        say("SYNTHETIC data, not measurements", style="bold yellow")
    if page:
        say(f"report: {page}")
    if written:
        say(f"wrote {written}")


def _shown_profile(
    file: str, at: list[str] | None, beyond: float, out: Path | None, json: bool, *, strict: bool
) -> tuple[WorkloadProfile | None, Path | None]:
    """Return the profile of a file, or of laws at a point, and where that was written; laws alone are printed here."""
    from dse.models.workload.laws.laws_file import read_program
    from dse.models.workload.laws.program_laws import ProgramLaws
    from dse.models.workload.profile.reading import read_profile, write_profile

    laws = read_program(file) if strict else None
    if not isinstance(laws, ProgramLaws):
        if at:
            raise InputError("is a profile, of one size alone", file=file, key="--at", allowed="a file of laws")
        return (read_profile(file, strict=strict) if laws is None else laws), None
    from dse.cli.text.output import print_json, say
    from dse.models.workload.cli.laws_tables import at_point, laws_summary, point_of, print_laws

    if not at:
        if json:
            print_json(laws_summary(laws))
        else:
            print_laws(laws, file)
        return None, None
    if out is not None and out.exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    point = point_of(laws, at)
    laws.refuse_far(point, beyond)
    profile = laws.at(point["processes"], *(point[parameter.name] for parameter in laws.parameters))
    if not json:
        say(at_point(laws, point))
    return profile, None if out is None else write_profile(profile, out)


def new(
    file: Annotated[str, typer.Argument(help="The profile to write (.toml); it must not exist.")],
    counters: Annotated[
        Path | None, typer.Option(help="Counts to take over: perf stat -x, -o FILE; LIKWID's CSV; PAPI's JSON.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Of perf: how many equal threads or processes it counted together.")
    ] = None,
    source: Annotated[str, typer.Option(help="Where the counts come from.")] = "",
    json: Json = False,
) -> None:
    """Write a commented profile: an example that runs, or what counters determine and the rest by name."""
    from dse.cli.text.output import print_json, say
    from dse.errors import refuse_control
    from dse.models.workload.cli.template import profile_template
    from dse.models.workload.counters.counters import read_counters

    path = Path(file)
    if path.suffix != ".toml":
        raise InputError(f"'{file}' does not end in .toml", allowed="a file name such as my-profile.toml")
    if path.exists():
        raise InputError("the file exists already; it is not overwritten", file=file, allowed="another name")
    refuse_control(source, key="--source")
    if '"' in source or "\\" in source:
        raise InputError("has a quote or a backslash", key="--source", allowed="text without them")
    if threads is not None and counters is None:
        raise InputError("stands alone", key="--threads", allowed="it beside --counters FILE: whose threads they are")
    counted = read_counters(counters, threads) if counters is not None else None
    made = profile_template(re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem) or "profile", counted, source)
    try:
        path.write_text(made.text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from None
    determined = {} if counted is None else dict(counted.counts)
    if json:
        figures = (
            {} if counted is None else {name: list(getattr(counted, name)) for name in ("unused", "unknown", "remarks")}
        )
        members = 1 if counted is None else counted.threads
        print_json(
            {"file": file, "determined": determined, "members": members, "missing": list(made.missing), **figures}
        )
        return
    say(f"wrote {file}")
    if counted is not None:
        say(f"determined by {counted.tool}: {', '.join(determined)}")
        for remark in counted.remarks:
            say(f"warning: {remark}", style="yellow")
        if counted.unused:
            say(f"not taken over: {', '.join(counted.unused)} (of the machine, no part of a profile)")
        if counted.unknown:
            say(f"not understood: {', '.join(counted.unknown)}", style="yellow")
        say(f"still to be given, by name: {', '.join(made.missing)}")
        say("it says synthetic = true, until these are measured too", style="yellow")
    say(f"next: dse profile show {file}")


def record(
    program: Annotated[list[str] | None, typer.Argument(help="The program and its arguments, after --.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The profile to write (.json); it must not exist.")
    ] = None,
    name: Name = None,
    parameter: Parameters = None,
    windows: Annotated[
        str, typer.Option(help="Windows of ILP, at most 4; io: in order; base, base-wait: control one by one.")
    ] = "32,64,128,inf",
    lines: Annotated[str, typer.Option(help="Sizes of lines of the reuse distances, in bytes.")] = "64,128",
    branches: Annotated[str, typer.Option(help="Outcomes counted: all or conditional.")] = "all",
    metrics: Annotated[str, typer.Option(help="What to measure.")] = "mix,ilp,reuse,branches,footprint",
    sample: Annotated[
        str, typer.Option(help="default (ilp=10), none, or ilp=N,reuse=RATE: one event in N, a share of the lines.")
    ] = "default",
    block_copies: Annotated[str, typer.Option(help="Whether memcpy references memory: lines or none.")] = "lines",
    heatmap: Annotated[
        str | None, typer.Option(help="Heat maps of accesses: addresses (where and when), locality, or both.")
    ] = None,
    memory_limit: Annotated[str | None, typer.Option(help="Of the measurement: 4GiB; else half of all.")] = None,
    from_function: FromFunction = None,
    children: Children = False,
    merge: Merge = False,
    correlation: Correlation = None,
    functions: Functions = None,
    environment: Annotated[
        bool, typer.Option("--print-environment", help="Print the settings for a shell, and run nothing.")
    ] = False,
    json: Json = False,
) -> None:
    """Run a program built with dse-cc and write its profile."""
    from dse.models.workload.cli.record import print_environment, record_program
    from dse.models.workload.record.recording import settings

    chosen = settings(
        windows=windows,
        lines=lines,
        branches=branches,
        metrics=metrics,
        sample=sample,
        block_copies=block_copies,
        heatmap=heatmap,
        memory_limit=memory_limit,
        from_function=from_function,
    )
    if environment:
        print_environment(chosen)
        return
    if not program:
        raise InputError("there is no program to run", allowed="dse profile record -o run.json -- ./program arguments")
    if out is None:
        raise InputError("is missing", key="--out", allowed="a file name such as run.json")
    options: dict[str, Any] = {"name": name, "parameters": parameter or [], "children": children}
    options |= {"merge": merge, "correlation": correlation}
    recorded = record_program(program, out, chosen, json=json, functions=functions, **options)
    _tell_written(recorded, json)
    raise typer.Exit(recorded["status"])


def collect(
    folder: Annotated[Path, typer.Argument(help="The folder that DSE_PROFILE_DIR named.")],
    out: Written,
    name: Name = None,
    parameter: Parameters = None,
    children: Children = False,
    merge: Merge = False,
    correlation: Correlation = None,
    functions: Functions = None,
    json: Json = False,
) -> None:
    """Make a profile of what instrumented processes left in a folder."""
    from dse.models.workload.cli.record import collect_records

    options: dict[str, Any] = {"name": name, "parameters": parameter or [], "children": children}
    options |= {"merge": merge, "correlation": correlation}
    _tell_written(collect_records(folder, out, functions=functions, **options), json)


def compiler(json: Json = False) -> None:
    """Print the folder of the compilers dse-cc, dse-c++ and dse-fc."""
    from dse.cli.text.output import print_json
    from dse.models.workload.record.recording import compiler_folder

    folder = str(compiler_folder())
    if json:
        print_json({"folder": folder})
        return
    typer.echo(folder)


def _tell_written(recorded: dict[str, Any], json: bool) -> None:
    from dse.cli.text.output import print_json, say

    if json:
        print_json(recorded)
        return
    if "left_out" in recorded["profile"]:
        say(recorded["profile"]["left_out"], style="yellow")
    show(recorded["file"])
    say(f"wrote {recorded['file']}")


def import_(
    file: Annotated[str, typer.Argument(help="A profile of PISA (JSON), or CSV of Nsight Compute or rocprof.")],
    out: Annotated[str, typer.Argument(help="The profile to write (.json; kernels: .csv); it must not exist.")],
    source: Annotated[str, typer.Option(help="Where the file comes from.")] = "",
    licence: Annotated[str, typer.Option(help="Terms of the file.")] = "",
    json: Json = False,
) -> None:
    """Import a profile from a PISA file, or kernels of a device from its counters."""
    from dse.cli.text.output import print_json, say
    from dse.models.workload.cli.other_formats import kernels_of, other_format, write_kernels
    from dse.models.workload.pisa.pisa import read_pisa
    from dse.models.workload.profile.reading import write_profile

    if Path(out).exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    if (other := other_format(Path(file))) is not None:
        raise InputError(f"is {other.what}, and no profile", file=file, allowed=other.command(file))
    if (kernels := kernels_of(Path(file))) is not None:
        write_kernels(kernels, Path(out))
        if json:
            print_json({"file": out, "kernels": kernels})
            return
        say(f'wrote {out}: {len(kernels)} kernels; in a study, axes.kernel = {{ part = "{out}" }} and')
        say('use = { processor_model = "roofline" } give device_seconds')
        return
    if Path(file).suffix in (".csv", ".txt"):
        allowed = (
            f"JSON of PISA; what perf, LIKWID or PAPI counted is read by: dse profile new NEW.toml --counters {file}"
        )
        raise InputError("is no file of PISA", file=file, allowed=allowed)
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


def _print_run(figures: dict[str, Any]) -> None:
    from statistics import fmean, pstdev

    from dse.cli.text.output import say, shown

    run = figures["run"]
    if run.get("partial"):
        say(f"PARTIAL: {run['partial']}", style="bold yellow")
    if run.get("region"):
        say(f"of a region, not of the whole program: {run['region']}", style="bold")
    sampling = dict(run.get("sampling", {}))
    limit = sampling.pop("memory_limit", None)
    words = {"ilp_bursts": "of the instructions for ILP", "reuse_rate": "of the lines for reuse distances"}
    words["strides"] = "of the run for strides"
    if sampling:
        say("sampled: " + ", ".join(f"{_percent(share)} {words[name]}" for name, share in sampling.items()))
    if limit:
        from dse.models.workload.locality.summary import size

        say(f"limit of memory reached: {size(limit)}", style="yellow")
    workers = [
        item["instructions"] for item in figures["classes"] if item["role"] == "worker" for _ in range(item["members"])
    ]
    if len(figures["classes"]) > 1 and len(workers) > 1 and run.get("tool") == "dse profile record":
        mean, deviation = shown(fmean(workers), "1"), shown(pstdev(workers), "1")
        say(f"{len(workers)} workers: {mean} instructions each, standard deviation {deviation}")


def _print_class(item: dict[str, Any]) -> None:
    from dse.cli.text.output import say, shown, table

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
    if item["comm"] and item["comm"]["collectives"]:
        _print_collectives(item["comm"]["collectives"])
    if item["external_calls"]:
        names = ", ".join(f"{name} ({count})" for name, count in list(item["external_calls"].items())[:8])
        say(f"calls code that was not analysed: {names}", style="yellow")


def _print_ilp(entries: list[dict[str, Any]]) -> None:
    from dse.cli.text.output import shown, table

    kinds = ("mem", "int", "control", "fp")
    orders = {"ooo": "out of order", "in": "in order", "base": "control serial", "base-wait": "all wait for control"}
    rows = [
        [entry["window"], orders[entry["order"]], shown(entry["ilp"], "1")]
        + [shown(entry["own"].get(kind), "1") for kind in kinds]
        for entry in entries
    ]
    if rows:
        table(["window", "issue", "ILP", *kinds], rows, right=range(2, 7))


def _print_hits(histograms: list[dict[str, Any]]) -> None:
    from dse.cli.text.output import table
    from dse.models.workload.locality.summary import size

    rows = []
    for histogram in histograms:
        hits = {hit["bytes"]: hit["hit_fraction"] for hit in histogram["hits"]}
        line = "addresses" if histogram["line_bytes"] is None else f"{histogram['line_bytes']} B"
        cells = [_percent(hits[bytes_]) if bytes_ in hits else "–" for bytes_ in _HITS]
        rows.append([line, *cells, _percent(histogram["cold_fraction"])])
    if rows:
        table(["hits, lines of", *(size(bytes_) for bytes_ in _HITS), "first touches"], rows, right=range(1, 8))


def _print_collectives(collectives: dict[str, dict[str, Any]]) -> None:
    from dse.cli.text.output import shown, table

    rows = [
        [
            name,
            shown(calls["count"], "1") if calls["count"] is not None else "–",
            shown(calls["bytes"], "B") if calls["bytes"] is not None else "not told",
            f"counted as {calls['counted_as']}" if calls["counted_as"] else "left out: no algorithms here",
        ]
        for name, calls in collectives.items()
    ]
    table(["collective operation", "calls", "received", "in system.profiled_collectives"], rows, right=[1, 2])


def _print_branch(branch: dict[str, Any] | None) -> None:
    from dse.cli.text.output import shown, table

    if branch is None:
        return
    rows = {"entropy [bit]": dict(branch["entropy"]), "linear entropy, own past": dict(branch["linear_entropy"])}
    for outcome in branch["max_outcome"]:
        entries = f"{outcome['table']} entries" if outcome["table"] else "any table"
        rows.setdefault(f"misses, {entries}", {})[outcome["history"]] = outcome["miss_rate"]
    rows = {name: row for name, row in rows.items() if row}
    known = sorted({history for row in rows.values() for history in row})
    chosen = [history for history in known if history in _HISTORIES] or known[:9]
    cells = [[name, *(shown(row.get(history), "1") for history in chosen)] for name, row in rows.items()]
    if rows:
        table(["past outcomes", *map(str, chosen)], cells, right=range(1, len(chosen) + 1))


def _percent(fraction: float) -> str:
    from dse.units import format_number

    return f"{format_number(100 * fraction)} %"
