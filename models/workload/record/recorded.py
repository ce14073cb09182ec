"""From the raw records of instrumented processes to a profile document.

Every thread is a class of its own (``process R thread T``), R being the rank in MPI_COMM_WORLD, or without MPI the
order in which the processes began. Figures from a sample are scaled to the whole run,

    span = span of the beginning + span of the sample x instructions after the beginning / instructions of the sample

(for the span of each type alike), the beginning being what was analysed whole; a span without a window cannot be
scaled and is left out. The profile's own estimate of the miss rate of branches is the rate p <= 1/2 with H(p) = BE(n),
n the longest history of which the run has at least eight times as many events as outcomes: n <= log2(events) - 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from dse.errors import InputError, visible
from dse.models.branches.entropy import miss_rate
from dse.models.workload.profile.checks import checked_document
from dse.models.workload.profile.schema import SCHEMA, MixSpec
from dse.models.workload.profile.strides import shares_by_bin
from dse.models.workload.record.heat_maps import address_map, heat_map
from dse.models.workload.record.raw_records import (
    BranchRecord,
    CommunicationRecord,
    IlpRecord,
    MpiRecord,
    RawRecord,
    ReuseRecord,
    ThreadRecord,
)
from dse.version import __version__

__all__ = ["NOTHING_RAN", "recorded_profile", "refuse_region", "without_children"]

NOTHING_RAN = "no instrumented program ran: was it built with dse-cc?"
_PARTS = tuple(field.alias or name for name, field in MixSpec.model_fields.items())
_EVENTS_PER_HISTORY = 3  # log2 of them


def without_children(records: Sequence[RawRecord]) -> tuple[list[RawRecord], list[RawRecord]]:
    """Tell the processes apart from those that one of them started: forked, or with its parent among the records.

    Returns
    -------
    list of RawRecord, list of RawRecord
        Those to keep, and the children.
    """
    parents = {(record.host, record.pid) for record in records}

    def is_child(record: RawRecord) -> bool:
        return record.forked or (record.mpi is None and (record.host, record.parent_pid) in parents)

    return [record for record in records if not is_child(record)], [record for record in records if is_child(record)]


def recorded_profile(
    records: Sequence[RawRecord], *, name: str | None = None, parameters: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Make a profile document of the records of a run.

    Parameters
    ----------
    records : sequence of RawRecord
        Of the processes of one run.
    name : str, optional
        Of the profile; the program's if left out.
    parameters : mapping, optional
        Of the program, as ``application.parameters``.

    Returns
    -------
    dict
        A document that `checked_document` has passed.

    Raises
    ------
    InputError
        No instrumented process, ranks of two runs, or counts that break a rule of profiles.
    """
    ran = [record for record in records if any(thread.instructions for thread in record.threads)]
    if not ran:
        refuse_region(records)
        raise InputError(NOTHING_RAN)
    ranked, notes = _ranked(ran)
    program = visible(PurePath(ran[0].program).name) or "program"
    classes = [
        _class(record, thread, rank, len(ran))
        for rank, record in ranked
        for thread in record.threads
        if thread.instructions
    ]
    others = sorted({visible(PurePath(record.program).name) for record in ran} - {program})
    if others:
        notes.append(f"processes of other programs are among the classes: {', '.join(others)}")
    for record in ran:
        notes += [visible(note) for note in record.notes]
        if record.depth_mismatches:
            notes.append(
                f"{record.depth_mismatches} returns did not match their calls (stacks switched by hand, signals?): "
                "the instruction-level parallelism of this run is not to be trusted"
            )
    notes += _times(ran) + _crossings(ran)
    compilers = sorted({f"clang {record.clang}" for record in ran if record.clang})
    flags = sorted({visible(record.flags) for record in ran if record.flags})
    document = {
        "schema": SCHEMA,
        "name": name or program,
        "source": ", ".join([f"recorded with dse {__version__}", *compilers, *flags]),
        "notes": "; ".join(dict.fromkeys(notes)),
        "application": {"name": program, "parameters": dict(parameters or {})},
        "run": {
            "processes": len(ran),
            "threads": max(sum(thread.instructions > 0 for thread in record.threads) for record in ran),
            "compiler": ", ".join(compilers),
            "flags": "; ".join(flags),
            "tool": "dse profile record",
            "tool_version": __version__,
            **_sampling(ran),
            **_region(ran),
            "partial": "; ".join(dict.fromkeys(visible(record.partial) for record in ran if record.partial)),
        },
        "classes": classes,
    }
    checked_document(document)
    return document


def _ranked(records: Sequence[RawRecord]) -> tuple[list[tuple[int, RawRecord]], list[str]]:
    if not any(record.mpi for record in records):
        return list(enumerate(records)), []
    ranked: dict[int, RawRecord] = {}
    alone = [record for record in records if record.mpi is None]
    for record in records:
        if record.mpi is None:
            continue
        if record.mpi.rank in ranked:
            raise InputError(
                f"rank {record.mpi.rank} stands twice in these records", allowed="the records of one run of mpirun"
            )
        ranked[record.mpi.rank] = record
    size = max(record.mpi.size for record in ranked.values() if record.mpi)
    notes = [] if len(ranked) == size else [f"{len(ranked)} of {size} ranks left a record"]
    return [*sorted(ranked.items()), *enumerate(alone, start=size)], notes


def _sampling(records: Sequence[RawRecord]) -> dict[str, Any]:
    shares = {
        name: min(getattr(record.sampling, name) for record in records)
        for name in ("ilp_bursts", "reuse_rate", "strides")
    }
    sampled = {name: share for name, share in shares.items() if share < 1}
    limits = [record.sampling.memory_limit for record in records if record.sampling.memory_limit is not None]
    reached = {"memory_limit": min(limits)} if limits else {}
    return {"sampling": {**sampled, **reached}} if sampled or reached else {}


def refuse_region(records: Sequence[RawRecord]) -> None:
    """Refuse records of a function that no process called, with the names that there are.

    Raises
    ------
    InputError
        None of the processes called the function that was asked for.
    """
    regions = [record.region for record in records if record.region is not None and record.region.function]
    if not regions or any(region.begun for region in regions):
        return
    function = str(regions[0].function)
    known = sorted({visible(name) for region in regions for name in region.functions})
    if known:
        raise InputError(
            f"the program has no function '{visible(function)}' that was built with dse-cc",
            key="--from",
            allowed=known,
            wrong=function,
            candidates=known,
        )
    raise InputError(f"the program did not call '{visible(function)}'", key="--from", allowed="a function that runs")


def _region(records: Sequence[RawRecord]) -> dict[str, str]:
    """Return which part of the run the records are of, where that is not all of it."""
    regions = [record.region for record in records if record.region is not None]
    if not regions:
        return {}
    names = {region.function for region in regions}
    if len(names) > 1 or len(regions) < len(records):
        raise InputError(
            "some of these records are of a region and others of another, or of the whole run",
            allowed="the records of one run",
        )
    (function,) = names
    return {"region": "between MPI_Pcontrol(1) and (0)" if function is None else f"in {visible(function)}"}


def _times(records: Sequence[RawRecord]) -> list[str]:
    """Say how often the region was begun."""
    counts = sorted({record.region.begun for record in records if record.region is not None})
    if not counts:
        return []
    times = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return [f"recorded is a region of the program, which each process begins {times} times"]


def _class(record: RawRecord, thread: ThreadRecord, rank: int, processes: int) -> dict[str, Any]:
    missing = [part for part in _PARTS if part not in thread.mix]
    if missing:
        raise InputError(f"the mix of thread {thread.thread} lacks {missing[0]}", allowed=", ".join(_PARTS))
    mix = {part: thread.mix[part] for part in _PARTS}
    several = sum(other.instructions > 0 for other in record.threads) > 1
    windows = [_window(entry, thread.instructions, mix) for entry in thread.ilp if _is_known(entry, thread)]
    made = {
        "name": f"process {rank} thread {thread.thread}",
        "role": "master" if several and thread.thread == 0 else "worker",
        "instructions": thread.instructions,
        "mix": mix,
        "vectors": [
            vector.model_dump(by_alias=True) for vector in thread.vectors if vector.length > 1 and vector.count
        ],
        "ilp": windows,
        "data_reuse": [_reuse(histogram) for histogram in thread.reuse if histogram.kind == "data"],
        "inst_reuse": [_reuse(histogram) for histogram in thread.reuse if histogram.kind == "instruction"],
        "memory_entropy": [list(point) for point in thread.memory_entropy],
        "external_calls": thread.external_calls,
        "openmp_calls": thread.openmp_calls,
    }
    if thread.footprint_bytes is not None:
        made["footprint_bytes"] = thread.footprint_bytes
    if {"reads", "writes"} <= set(thread.mix):
        made["registers"] = {name: thread.mix[name] for name in ("reads", "writes")}
    if thread.branches is not None and thread.branches.events:
        made["branch"] = _branch(thread.branches)
    if thread.locality_map is not None and thread.locality_map.rows:
        made["heatmap"] = heat_map(thread.locality_map)
    if thread.address_map is not None and thread.address_map.accesses:
        made["address_map"] = address_map(thread.address_map)
    comm = None if record.mpi is None else record.mpi.threads.get(str(thread.thread))
    if comm is not None and record.mpi is not None:
        made["comm"] = _communication(comm, record.mpi)
    return made


def _is_known(entry: IlpRecord, thread: ThreadRecord) -> bool:
    """Tell whether a span stands for the whole run: without a window, only what analysed all of it does."""
    return (
        entry.span > 0
        and entry.instructions > 0
        and (entry.window != "inf" or entry.instructions == thread.instructions)
    )


def _window(entry: IlpRecord, instructions: int, mix: Mapping[str, int]) -> dict[str, Any]:
    most = {
        "mem": mix["load"] + mix["store"],
        "int": mix["int"] + mix["addr"],
        "control": mix["control"],
        "fp": mix["fp"],
    }

    sample, rest = entry.instructions - entry.whole.instructions, instructions - entry.whole.instructions

    def scaled(name: str, limit: int) -> int:
        begun = getattr(entry.whole, name)
        span = getattr(entry, name) - begun
        spans = begun + ((2 * span * rest + sample) // (2 * sample) if sample > 0 else span)
        spread: int = min(max(spans, 1), limit)
        return spread

    return {
        "window": entry.window,
        "order": "ooo" if entry.order == "out" else entry.order,
        "span": scaled("span", instructions),
        **{f"span_{kind}": scaled(f"span_{kind}", limit) for kind, limit in most.items()},
    }


def _reuse(record: ReuseRecord) -> dict[str, Any]:
    line = (
        {"line_bytes": record.line_bytes}
        if record.kind == "data"
        else {"line_instructions": record.line_instructions or "address"}
    )
    return {
        **line,
        "references": record.references,
        "histogram": [[upper, count] for upper, count in record.bins],
        **shares_by_bin(
            [upper for upper, _ in record.bins],
            record.covered.bins,
            record.covered.first,
            record.dependent.bins,
            record.dependent.first,
        ),
    }


def _crossings(records: Sequence[RawRecord]) -> list[str]:
    # Not the profile's split_references: those are further references, made where vectors are fitted to a machine.
    crossing: dict[int, int] = {}
    for entry in (entry for record in records for thread in record.threads for entry in thread.reuse):
        if entry.line_bytes is not None and entry.split_references:
            crossing[entry.line_bytes] = crossing.get(entry.line_bytes, 0) + entry.split_references
    return [
        f"{count} references cross the end of a line of {line} B; each counts for the line it begins in"
        for line, count in sorted(crossing.items())
    ]


def _branch(record: BranchRecord) -> dict[str, Any]:
    made: dict[str, Any] = {
        "events": record.events,
        "conditional_only": record.conditional_only,
        "entropy": [list(point) for point in record.entropy],
        "linear_entropy": [list(point) for point in record.local],
        "max_outcome": _max_outcomes(record),
    }
    longest = math.floor(math.log2(record.events)) - _EVENTS_PER_HISTORY
    reliable = [bits for history, bits in record.entropy if history <= longest]
    if reliable:
        made["tool_miss_rate"] = float(miss_rate(min(reliable[-1], 1.0)))
    return made


def _max_outcomes(record: BranchRecord) -> list[dict[str, Any]]:
    unlimited = {
        (outcome.history, outcome.rule): outcome.miss_rate for outcome in record.max_outcome if outcome.table is None
    }
    # Histories seen once share an entry of a limited table, which foretells them; without a limit each costs half a
    # miss. Where the larger table therefore misses more, the run was too short to tell about the smaller one.
    return [
        outcome.model_dump(exclude_none=True)
        for outcome in record.max_outcome
        if outcome.table is None or outcome.miss_rate >= unlimited.get((outcome.history, outcome.rule), 0.0)
    ]


def _communication(record: CommunicationRecord, mpi: MpiRecord) -> dict[str, Any]:
    made: dict[str, Any] = {
        "collectives": {name: calls.model_dump(exclude_none=True) for name, calls in record.collectives.items()}
    }
    if record.p2p is not None:
        peers = {
            name: sorted(
                (
                    {"offset": (rank - mpi.rank) % mpi.size, "messages": messages, "bytes": held}
                    for rank, messages, held in getattr(record.p2p, name)
                ),
                key=lambda peer: peer["offset"],
            )
            for name in ("peers", "sent_peers")
        }
        sizes = [list(size) for size in record.p2p.sizes]
        made["p2p"] = {**record.p2p.model_dump(), **peers, "sizes": sizes}
    return made
