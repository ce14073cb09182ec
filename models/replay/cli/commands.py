"""The commands `dse trace`: what a program waits for, and what a network can change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from dse.cli.families import command_group
from dse.cli.options.options import Json
from dse.errors import InputError

if TYPE_CHECKING:
    from dse.models.replay.analysis.analysis import Analysis
    from dse.models.replay.analysis.waits_beside import WaitBeside
    from dse.models.replay.network.network import Network
    from dse.models.replay.trace.events import Trace

__all__ = ["register"]

PLACE = 5
_Given = tuple[str, str, str, str, str, str]
_GROUP = "Replay a trace of messages on another network. Breakdown, traffic, pattern, waiting times; pages."

File = Annotated[str, typer.Argument(help="A trace: CSV, Parquet, OTF2, Paraver, Chakra, SimGrid's text, one of dse.")]
Latency = Annotated[str, typer.Option(help="L of the network: '2 us'.")]
Overhead = Annotated[str, typer.Option(help="o, time of a rank for a send: '0.5 us'.")]
Receiver = Annotated[str, typer.Option(help="Time of a rank for a receive; that of a send unless given.")]
Bandwidth = Annotated[str, typer.Option(help="Bandwidth of a rank: '10 GB/s'.")]
Eager = Annotated[str, typer.Option(help="Largest blocking send that asks nobody.")]
Collectives = Annotated[str, typer.Option(help="Time of collectives: best algorithm, or simple.")]
StudyOption = Annotated[str, typer.Option(help="Take the network of a design of this study.")]
Design = Annotated[int, typer.Option(help="Of --study: the number of the design in its space.")]
Rate = Annotated[float | None, typer.Option(help="Flops per second of a rank, where SimGrid's text computes.")]
Sizes = Annotated[list[str], typer.Option(help="Bytes of a further type of SimGrid's text: 7=8.")]
By = Annotated[str, typer.Option(help="Find the pattern by bytes or messages.")]
Measured = Annotated[bool, typer.Option("--measured", help="Windows and waits by the measured times.")]
Expand = Annotated[bool, typer.Option("--expand-collectives", help="Messages of collectives in the traffic too.")]
Cube = Annotated[Path | None, typer.Option(help="A profile of the same run (.cubex): its waiting times beside ours.")]
_EXAMPLE = '--latency "2 us" --overhead "0.5 us" --bandwidth "10 GB/s"'


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = command_group(app, "trace", _GROUP)
    group.command(epilog=f"Example: dse trace show stencil-16 {_EXAMPLE}")(show)
    group.command(epilog=f"Example: dse trace report stencil-16 {_EXAMPLE} --out trace.html")(report)
    group.command(epilog="Example: dse trace convert stencil-16 stencil.ti")(convert)
    group.command(epilog=f"Example: dse trace factors stencil-9 stencil-16 {_EXAMPLE} --out factors.csv")(factors)
    group.command(epilog="Example: dse trace profile stencil-16 --merge synthetic-stream --out with-messages.json")(
        profile
    )
    group.command(epilog="Example: dse trace classify stencil-16")(classify)


def show(
    file: File,
    latency: Latency = "",
    overhead: Overhead = "",
    receiver_overhead: Receiver = "",
    bandwidth: Bandwidth = "",
    eager_limit: Eager = "8192 B",
    collectives: Collectives = "best",
    study: StudyOption = "",
    design: Design = -1,
    by: By = "bytes",
    measured: Measured = False,
    expand_collectives: Expand = False,
    flop_rate: Rate = None,
    type_size: Sizes = [],  # noqa: B006
    cube: Cube = None,
    json: Json = False,
) -> None:
    """Show where the time of a run goes: modes, breakdown, pattern, volumes, factors, waiting times."""
    from dse.cli.text.output import print_json, say, shown, table
    from dse.models.replay.analysis.document import as_document, waits_beside_document
    from dse.models.replay.cli.tables import (
        breakdown_rows,
        describe_waits,
        expanded_text,
        factors_text,
        pattern_text,
        rank_rows,
        volumes_text,
        waits_beside_rows,
        windows_text,
    )

    trace = _trace(file, flop_rate, type_size, json)
    given = (latency, overhead, receiver_overhead, bandwidth, eager_limit, collectives)
    network = _network(trace, given, study, design, by, json)
    beside = _beside(trace, cube, network) if cube is not None else []
    analysis = _analysis(trace, network, by, measured, json, expand_collectives)
    if json:
        waits = {"waits_beside": waits_beside_document(beside)} if cube is not None else {}
        print_json({"file": file, **as_document(analysis), **waits})
        return
    say(f"{trace.name}: {trace.ranks:,} ranks, {trace.events:,} events", style="bold")
    if trace.synthetic:
        say("SYNTHETIC: made up, not measured", style="bold yellow")
    say(
        f"latency {shown(network.latency, 's')}, overhead {shown(network.overhead, 's')}, receiver "
        f"{shown(network.receiver_overhead, 's')}, bandwidth {shown(network.bandwidth, 'B/s')}, eager up to "
        f"{shown(network.eager_limit, 'B')}, collectives {network.collectives}"
    )
    rows = [[mode, shown(replay.time, "s")] for mode, replay in analysis.modes.items()]
    table(["mode", "time"], rows, right=[1])
    if analysis.run is not None:
        say(f"a better network makes it at most {float(analysis.run.speedup_bound):.4g} times as fast")
        table(["slowest ranks", "part"], breakdown_rows(analysis), right=[1])
    headings = ["", "computing", "calls", "dependencies", "network", "idle", "finish"]
    table(headings, rank_rows(analysis), right=range(1, 7))
    if analysis.not_modelled is not None:
        least, most = float(analysis.not_modelled.min()), float(analysis.not_modelled.max())
        say(f"not modelled (measured less replayed): {shown(least, 's')} to {shown(most, 's')} of a rank")
    say(expanded_text(analysis))
    say(pattern_text(analysis.pattern))
    say(volumes_text(analysis))
    say(windows_text(analysis.intervals))
    say(factors_text(analysis.factors))
    for name, of_region in analysis.factors_by_region.items():
        say(f"region {name}: {factors_text(of_region)}")
    say(describe_waits(analysis))
    if beside:
        table(["waiting, as measured", "", "here", "profile"], waits_beside_rows(beside), right=[2, 3])
    for name, counted in trace.metrics.items():
        least, most = float(counted.min()), float(counted.max())
        say(f"counter {name}: {float(counted.sum()):.6g} in all, {least:.6g} to {most:.6g} of a rank")


def report(
    file: File,
    latency: Latency = "",
    overhead: Overhead = "",
    receiver_overhead: Receiver = "",
    bandwidth: Bandwidth = "",
    eager_limit: Eager = "8192 B",
    collectives: Collectives = "best",
    study: StudyOption = "",
    design: Design = -1,
    by: By = "bytes",
    measured: Measured = False,
    expand_collectives: Expand = False,
    flop_rate: Rate = None,
    type_size: Sizes = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(help="The page; that of the trace with .html unless given.")] = None,
    json: Json = False,
) -> None:
    """Write a page: timeline of the ranks, breakdown, traffic matrix, histograms, windows of time."""
    from dse.cli.text.output import print_json, say
    from dse.models.replay.cli.page import write_trace_page

    trace = _trace(file, flop_rate, type_size, json)
    given = (latency, overhead, receiver_overhead, bandwidth, eager_limit, collectives)
    network = _network(trace, given, study, design, by, json)
    analysis = _analysis(trace, network, by, measured, json, expand_collectives)
    page = write_trace_page(analysis, out or Path(f"{Path(file).name.split('.')[0]}.html"))
    if json:
        print_json({"file": file, "report": str(page)})
        return
    say(f"report: {page}")


def convert(
    file: File,
    out: Annotated[Path, typer.Argument(help="What to write: .csv, .csv.gz, .parquet, .otf2, .prv, or .ti.")],
    latency: Latency = "",
    overhead: Overhead = "",
    receiver_overhead: Receiver = "",
    bandwidth: Bandwidth = "",
    eager_limit: Eager = "8192 B",
    collectives: Collectives = "best",
    flop_rate: Rate = None,
    type_size: Sizes = [],  # noqa: B006
    json: Json = False,
) -> None:
    """Write a trace in another format; with a network, OTF2 and Paraver get the times of its replay."""
    from dse.cli.text.output import print_json, say
    from dse.models.replay.analysis.writing import write_trace

    if out.exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    trace = _trace(file, flop_rate, type_size, json)
    given = (latency, overhead, receiver_overhead, bandwidth, eager_limit, collectives)
    network = _network(trace, given, "", -1, "bytes", json) if latency or overhead or bandwidth else None
    written = write_trace(trace, out, network=network)
    if json:
        print_json({"file": str(written), "ranks": trace.ranks, "events": trace.events, "warnings": trace.warnings})
        return
    say(f"wrote {written}: {trace.ranks:,} ranks, {trace.events:,} events")


def factors(
    files: Annotated[list[str], typer.Argument(help="Traces of one program on different numbers of ranks.")],
    latency: Latency = "",
    overhead: Overhead = "",
    receiver_overhead: Receiver = "",
    bandwidth: Bandwidth = "",
    eager_limit: Eager = "8192 B",
    collectives: Collectives = "best",
    flop_rate: Rate = None,
    type_size: Sizes = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(help="Write the factors as CSV: P, LB, Ser, Trf.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page: breakdown over the number of ranks.")] = None,
    json: Json = False,
) -> None:
    """Show efficiency over scale as load balance, serialisation and transfer."""
    from dse.cli.text.output import print_json, say, table
    from dse.models.replay.cli.page import write_scale_page

    given = (latency, overhead, receiver_overhead, bandwidth, eager_limit, collectives)
    traces = [_trace(file, flop_rate, type_size, json) for file in files]
    analyses = [
        _analysis(trace, _network(trace, given, "", -1, "bytes", json), "bytes", False, json) for trace in traces
    ]
    analyses.sort(key=lambda analysis: analysis.trace.ranks)
    names = ("load_balance", "serialization", "transfer", "efficiency")
    rows = [(analysis.trace.ranks, *(getattr(analysis.factors, name) for name in names)) for analysis in analyses]
    if out is not None:
        defined = [row for row in rows if row[1] == row[1]]
        lines = ["P,LB,Ser,Trf", *(",".join(map(repr, row[:4])) for row in defined)]
        try:
            out.write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=out) from None
    page = write_scale_page(analyses, report) if report is not None else None
    if json:
        keys = ("ranks", *names)
        records = [dict(zip(keys, row, strict=True)) for row in rows]
        print_json({"factors": records, "file": str(out) if out else None, "report": str(page) if page else None})
        return
    shown = [
        [f"{row[0]:,}", *("not defined" if value != value else f"{value:.4f}" for value in row[1:])] for row in rows
    ]
    table(["ranks", "load balance", "serialisation", "transfer", "efficiency"], shown, right=range(5))
    for path, words in ((out, "wrote"), (page, "report:")):
        if path:
            say(f"{words} {path}")


def profile(
    file: File,
    merge: Annotated[str, typer.Option(help="The profile that messages and collectives are put into.")],
    out: Annotated[Path, typer.Option(help="The profile to write (.json); it must not exist.")],
    flop_rate: Rate = None,
    type_size: Sizes = [],  # noqa: B006
    json: Json = False,
) -> None:
    """Put the messages and collectives of a trace into a profile, by classes of equal processes."""
    from dse.cli.text.output import print_json, say
    from dse.models.replay.analysis.profile_of_trace import merged
    from dse.models.workload.profile.reading import read_profile, write_profile

    if out.exists():
        raise InputError("the file exists already; it is not overwritten", file=out, allowed="another name")
    trace = _trace(file, flop_rate, type_size, json)
    joined = merged(trace, read_profile(merge))
    write_profile(joined, out)
    if json:
        print_json(
            {"file": str(out), "classes": [{"name": item.name, "members": item.members} for item in joined.classes]}
        )
        return
    classes = "1 class" if len(joined.classes) == 1 else f"{len(joined.classes)} classes"
    say(f"wrote {out}: {trace.ranks:,} processes in {classes}")


def classify(
    matrix: Annotated[str, typer.Argument(help="A square table of bytes (.csv, no headings), or a trace.")],
    by: By = "bytes",
    json: Json = False,
) -> None:
    """Find the pattern of a traffic matrix."""
    from dse.cli.text.output import print_json, say
    from dse.models.replay.analysis.document import pattern_document
    from dse.models.replay.cli.tables import pattern_text
    from dse.models.replay.network.matrix_file import read_traffic
    from dse.models.replay.network.patterns import classify as classified

    pattern = classified(read_traffic(matrix), by)
    if json:
        print_json({"file": matrix, **pattern_document(pattern)})
        return
    say(pattern_text(pattern))


def _trace(file: str, flop_rate: float | None, type_size: list[str], json: bool) -> Trace:
    from dse.models.replay.cli.inputs import sizes_of
    from dse.models.replay.formats.files import read_trace

    trace = read_trace(file, flop_rate=flop_rate, type_sizes=sizes_of(type_size))
    if not json:
        _warn(trace.warnings)
    return trace


def _warn(warnings: Any) -> None:
    import sys

    from dse.errors import visible

    for text in warnings:
        sys.stderr.write(f"warning: {visible(text)}\n")


def _network(trace: Trace, given: _Given, study: str, design: int, by: str, json: bool) -> Network:
    from dse.models.replay.cli.inputs import network_of_texts, read_value

    if study:
        beside = [
            name
            for name, text in zip(("latency", "overhead", "receiver-overhead", "bandwidth"), given, strict=False)
            if text
        ]
        if beside:
            raise InputError("stands beside --study", key=f"--{beside[0]}", allowed="one of the two")
        if design < 0:
            raise InputError("no design", key="--design", allowed="the number of a design of --study")
        return _of_study(trace, study, design, by, read_value(given[4], "B", "eager-limit"), given[5], json)
    if design >= 0:
        raise InputError(f"{design} is a design of no study", key="--design", allowed="--study with it")
    return network_of_texts(*given)


def _of_study(
    trace: Trace, study: str, design: int, by: str, eager_limit: float, collectives: str, json: bool
) -> Network:
    from dse.cli.options.code import named_study
    from dse.models.replay.network.machine_network import machine_network
    from dse.models.replay.network.patterns import classify as classified
    from dse.models.replay.network.traffic import traffic_of

    pattern = classified(traffic_of(trace), by)
    network, note = machine_network(named_study(study), design, pattern, trace.ranks, eager_limit, collectives)
    if note and not json:
        _warn([note])
    return network


def _beside(trace: Trace, cube: Path, network: Network) -> list[WaitBeside]:
    from dse.models.measured_laws.tables.cube import sums_of_processes
    from dse.models.replay.analysis.waits_beside import SCALASCA_WAITS, waits_beside

    names = [name for names in SCALASCA_WAITS.values() for name in names]
    return waits_beside(trace, sums_of_processes(cube, names), network.eager_limit)


def _analysis(trace: Trace, network: Network, by: str, measured: bool, json: bool, expand: bool = False) -> Analysis:
    from dse.models.replay.analysis.analysis import analyse
    from dse.models.replay.timing.deadlock import Deadlock

    try:
        times = "measured" if measured else "modelled"
        return analyse(trace, network, by=by, times=times, expand_collectives=expand)
    except Deadlock as error:
        _never_ends(error, trace.name, json)


def _never_ends(error: Any, name: str, json: bool) -> NoReturn:
    """End with 1: the run of the trace has no end, which is an answer."""
    import sys

    from dse.errors import visible

    sys.stderr.write(f"{visible(name)}: {visible(str(error))}\n")
    if json:
        from dse.cli.text.output import print_json

        print_json({"deadlock": str(error), "circle": [{"rank": rank, "event": event} for rank, event in error.circle]})
    raise typer.Exit(1)
