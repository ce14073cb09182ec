"""Reading an OTF2 archive: rank by rank, so that only what becomes of the events is held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.clocks import with_causal_clocks
from dse.models.replay.formats.event_columns import EventColumns
from dse.models.replay.formats.otf2_archive.collective_bytes import counts_transfers
from dse.models.replay.formats.otf2_archive.definitions import Definitions, read_definitions
from dse.models.replay.formats.otf2_archive.lengths import check_anchor, check_definition_file, check_event_files
from dse.models.replay.formats.otf2_archive.library import low_level, silenced
from dse.models.replay.formats.otf2_archive.rank_events import RankEvents
from dse.models.replay.trace.assembling import MOST_EVENTS
from dse.models.replay.trace.coded import trace_of_codes
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import ISEND, RECV, SEND

__all__ = ["is_otf2", "read_otf2"]

_AT_ONCE = 1 << 20


def is_otf2(data: bytes) -> bool:
    """Return whether a file begins as the anchor of an archive does."""
    return data[2:6] == b"OTF2"


def read_otf2(anchor: Path, *, named: str = "") -> Trace:
    """Read an archive.

    Parameters
    ----------
    anchor : Path
        The ``.otf2`` file; the folder of the same name stands beside it.
    named : str

    Returns
    -------
    Trace
        Computing between the calls of MPI, messages, requests, collective operations, one-sided calls, with measured
        times; counters of each rank as its `metrics`.

    Raises
    ------
    InputError
        An archive that is cut or wrong, with rank where one is at fault; a rank without events; clocks that go back.
    """
    library = low_level()
    check_anchor(anchor)
    with silenced():
        try:
            reader = library.Reader_Open(str(anchor))
        except library.Error as error:
            raise InputError(f"is no OTF2 archive that can be read: {error.description}") from None
        if not reader:
            raise InputError("is no OTF2 archive that can be read")
        try:
            return _read(library, reader, anchor, named)
        except library.Error as error:
            raise InputError(f"the archive is cut or wrong: {error.description}") from None
        finally:
            library.Reader_Close(reader)


def _read(library: ModuleType, reader: Any, anchor: Path, named: str) -> Trace:
    library.Reader_SetSerialCollectiveCallbacks(reader)
    check_definition_file(library, reader, anchor)
    definitions = read_definitions(library, reader)
    declared = sum(definitions.declared.values())
    if declared > MOST_EVENTS:
        raise InputError(f"declares {declared:,} events", allowed=f"at most {MOST_EVENTS:,}")
    check_event_files(library, reader, anchor, definitions)
    creator = _text(library.Reader_GetCreator, reader)
    transfers = counts_transfers(creator)
    for location in definitions.locations:
        library.Reader_SelectLocation(reader, location)
    has_definitions = True
    try:
        library.Reader_OpenDefFiles(reader)
    except library.Error:  # archives may have none: their numbers are global already
        has_definitions = False
    library.Reader_OpenEvtFiles(reader)
    events, notes = EventColumns(), Counter[str]()
    counters: list[dict[str, float]] = []
    for rank, location in enumerate(definitions.locations):
        if has_definitions:
            _local_definitions(library, reader, location)
        counters.append(_rank(library, reader, rank, location, definitions, events, transfers, notes))
    library.Reader_CloseEvtFiles(reader)
    if definitions.left_out:
        notes["locations that are no rank (threads, streams) were left out"] = definitions.left_out
    if not transfers and creator:
        notes[f"bytes of collective operations as the calls have them ({creator})"] = 1
    names = sorted({name for held in counters for name in held})
    trace = trace_of_codes(
        events.arrays(),
        list(events.regions),
        ranks=len(definitions.locations),
        warnings=[text if count == 1 else f"{text} ({count:,})" for text, count in sorted(notes.items())],
        metrics={name: np.array([held.get(name, 0.0) for held in counters]) for name in names},
        name=named,
        source=creator,
        clock=f"of the archive, {definitions.resolution:,} ticks a second",
    )
    return with_causal_clocks(trace).checked()


def _text(function: Callable[[Any], Any], reader: Any) -> str:
    try:
        return "".join(letter for letter in str(function(reader) or "") if letter.isprintable())
    except Exception:
        return ""


def _local_definitions(library: ModuleType, reader: Any, location: int) -> None:
    """Read the tables by which the numbers of a location become those of the archive."""
    handle = library.Reader_GetDefReader(reader, location)
    if handle:
        library.Reader_ReadAllLocalDefinitions(reader, handle)
        library.Reader_CloseDefReader(reader, handle)


def _rank(
    library: ModuleType,
    reader: Any,
    rank: int,
    location: int,
    definitions: Definitions,
    events: EventColumns,
    transfers: bool,
    notes: Counter[str],
) -> dict[str, float]:
    handle = library.Reader_GetEvtReader(reader, location)
    if not handle:
        raise InputError(f"the events of rank {rank} (location {location}) are missing")
    taker = RankEvents(rank, events, definitions, transfers, notes)
    faults: list[InputError] = []
    callbacks = library.EvtReaderCallbacks_New()
    registered = {name: _guarded(function, faults, library) for name, function in _callbacks(taker, notes).items()}
    for name, function in registered.items():
        getattr(library, f"EvtReaderCallbacks_Set{name}Callback")(callbacks, function)
    library.Reader_RegisterEvtCallbacks(reader, handle, callbacks, None)
    library.EvtReaderCallbacks_Delete(callbacks)
    count = 0
    try:
        while True:
            read = library.Reader_ReadLocalEvents(reader, handle, _AT_ONCE)
            count += read
            if count > MOST_EVENTS or len(events) > MOST_EVENTS:
                raise InputError(f"more than {MOST_EVENTS:,} events", allowed=f"at most {MOST_EVENTS:,}")
            if read < _AT_ONCE:
                break
    except library.Error as error:
        if faults:
            raise faults[0] from None
        raise InputError(
            f"the events of rank {rank} end in the middle, or are wrong: {error.description}", key=f"rank {rank}"
        ) from None
    library.Reader_CloseEvtReader(reader, handle)
    declared = definitions.declared[location]
    if count < declared:
        raise InputError(
            f"declares {declared:,} events and has {count:,}: it was cut", key=f"rank {rank}", allowed="a whole archive"
        )
    if not count:
        raise InputError(f"rank {rank} has no events", allowed="at least one of each rank")
    taker.end()
    return taker.counters


def _guarded(function: Callable[..., None], faults: list[InputError], library: ModuleType) -> Callable[..., Any]:
    """Return a callback that keeps its fault and stops the reading."""

    def callback(*values: Any) -> Any:
        try:
            function(*values)
        except InputError as error:
            faults.append(error)
            return library.CALLBACK_ERROR
        return library.CALLBACK_SUCCESS

    return callback


def _callbacks(taker: RankEvents, notes: Counter[str]) -> dict[str, Callable[..., None]]:
    """Return what takes each kind of record; the first five values are location, time, position, data, attributes."""

    def enter(_: int, time: int, __: int, ___: Any, ____: Any, region: int) -> None:
        taker.enter(time, region)

    def leave(_: int, time: int, __: int, ___: Any, ____: Any, region: int) -> None:
        taker.leave(time, region)

    def send(_: int, time: int, __: int, ___: Any, ____: Any, to: int, comm: int, tag: int, held: int) -> None:
        taker.message(time, SEND, comm, to, tag, held)

    def isend(
        _: int, time: int, __: int, ___: Any, ____: Any, to: int, comm: int, tag: int, held: int, request: int
    ) -> None:
        taker.message(time, ISEND, comm, to, tag, held, request)

    def receive(_: int, time: int, __: int, ___: Any, ____: Any, source: int, comm: int, tag: int, held: int) -> None:
        taker.message(time, RECV, comm, source, tag, held)

    def received(
        _: int, time: int, __: int, ___: Any, ____: Any, source: int, comm: int, tag: int, held: int, request: int
    ) -> None:
        taker.received(time, comm, source, tag, held, request)

    def posted(_: int, time: int, __: int, ___: Any, ____: Any, request: int) -> None:
        taker.receive_posted(time, request)

    def sent(_: int, time: int, __: int, ___: Any, ____: Any, request: int) -> None:
        taker.sent(time, request)

    def cancelled(_: int, __: int, ___: int, ____: Any, _____: Any, request: int) -> None:
        taker.cancelled(request)

    def collective(
        _: int, time: int, __: int, ___: Any, ____: Any, operation: Any, comm: int, root: int, out: int, into: int
    ) -> None:
        taker.collective(time, str(operation).rpartition(".")[2], comm, root, out, into)

    def later(
        _: int,
        time: int,
        __: int,
        ___: Any,
        ____: Any,
        operation: Any,
        comm: int,
        root: int,
        out: int,
        into: int,
        *_r: Any,
    ) -> None:
        notes["collective operations that do not block count where they complete"] += 1
        taker.collective(time, str(operation).rpartition(".")[2], comm, root, out, into)

    def put(_: int, time: int, __: int, ___: Any, ____: Any, window: int, remote: int, held: int, *_r: Any) -> None:
        taker.one_sided(time, "put", window, remote, held)

    def get(_: int, time: int, __: int, ___: Any, ____: Any, window: int, remote: int, held: int, *_r: Any) -> None:
        taker.one_sided(time, "get", window, remote, held)

    def atomic(
        _: int, time: int, __: int, ___: Any, ____: Any, window: int, remote: int, kind: Any, out: int, *_r: Any
    ) -> None:
        taker.one_sided(time, "accumulate" if str(kind).endswith("ACCUMULATE") else "rmw", window, remote, out)

    def fenced(_: int, time: int, __: int, ___: Any, ____: Any, *_r: Any) -> None:
        taker.one_sided(time, "allfence", 0, 0, 0)

    def metric(_: int, __: int, ___: int, ____: Any, _____: Any, number: int, types: Any, values: Any) -> None:
        taker.metric(number, values, types)

    def unknown(_: int, __: int, ___: int, ____: Any, _____: Any) -> None:
        notes["records of a type that the library does not know were left out"] += 1

    return {
        "Enter": enter,
        "Leave": leave,
        "MpiSend": send,
        "MpiIsend": isend,
        "MpiIsendComplete": sent,
        "MpiIrecvRequest": posted,
        "MpiRecv": receive,
        "MpiIrecv": received,
        "MpiRequestCancelled": cancelled,
        "MpiCollectiveEnd": collective,
        "NonBlockingCollectiveComplete": later,
        "RmaPut": put,
        "RmaGet": get,
        "RmaAtomic": atomic,
        "RmaCollectiveEnd": fenced,
        "Metric": metric,
        "Unknown": unknown,
    }
