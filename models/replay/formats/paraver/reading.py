"""Reading a Paraver trace: ``.prv``, and the names of the ``.pcf`` beside it."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import IO, cast

import numpy as np

from dse.errors import InputError
from dse.models.replay.formats.clocks import with_causal_clocks
from dse.models.replay.formats.paraver.calls import calls_of
from dse.models.replay.formats.paraver.event_rows import COLUMNS
from dse.models.replay.formats.paraver.labels import USER_FUNCTION, header_of, names_of
from dse.models.replay.formats.paraver.records import read_records
from dse.models.replay.formats.paraver.task_events import Source, task_events
from dse.models.replay.trace.coded import trace_of_codes
from dse.models.replay.trace.events import Trace

__all__ = ["is_paraver", "read_paraver"]

_LARGEST_NAMES = 1 << 24


def is_paraver(data: bytes) -> bool:
    """Return whether a file begins as a trace of Paraver does."""
    return data.startswith(b"#Paraver ")


def read_paraver(path: Path, *, named: str = "") -> Trace:
    """Read a trace of one application, a rank for each task.

    Parameters
    ----------
    path : Path
        ``.prv`` or ``.prv.gz``; names of calls, regions and types are those of the ``.pcf`` beside it, or Extrae's.
    named : str

    Returns
    -------
    Trace
        With measured times: computing between calls of MPI, messages by their records, collectives by their sizes.

    Raises
    ------
    InputError
        No header, a line that is no record, a call that never ends, a task that says nothing.

    Notes
    -----
    Paraver has no record of when a send that does not block completes: a `MPI_Waitall` completes all that are open, a
    `MPI_Wait` in which no receive completes the oldest. Traces that dse wrote name the request.
    """
    try:
        with _opened(path) as file:
            header = header_of(file.readline(1 << 24).decode("utf-8", "replace"))
            records = read_records(file, header)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"is cut, or not compressed: {error}") from None
    names = _names_beside(path)
    calls = calls_of(records, header, names)
    notes, ranks, tick = records.notes, header.ranks, header.tick
    source = Source(header, records, calls, names.get(USER_FUNCTION, ("", {}))[1], notes)
    parts = [task_events(source, rank) for rank in range(ranks)]
    regions = source.regions.names
    del records, calls, source  # as large as what was made of them
    columns = {name: np.concatenate([part.pop(name) for part in parts]) for name in COLUMNS}
    trace = trace_of_codes(
        columns,
        regions,
        ranks=ranks,
        warnings=[text if count == 1 else f"{text} ({count:,})" for text, count in sorted(notes.items())],
        name=named,
        source="Paraver",
        clock="of the trace, " + ("ns" if tick < 1e-6 else "µs"),
    )
    return with_causal_clocks(trace, tick).checked()


def _opened(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.suffix.casefold() == ".gz" else path.open("rb")


def _names_beside(path: Path) -> dict[int, tuple[str, dict[int, str]]]:
    beside = path.with_name(path.name.removesuffix(".gz")).with_suffix(".pcf")
    if not beside.is_file() or beside.stat().st_size > _LARGEST_NAMES:
        return {}
    return names_of(beside.read_text(encoding="utf-8", errors="replace"))
