"""Files of calls: a table of them, or a measured trace."""

from __future__ import annotations

import csv
from pathlib import Path

from dse.errors import InputError
from dse.models.measured_laws.tables.text_table import head_of
from dse.models.progress.call_record import CallRecord, read_calls

__all__ = ["read_record"]

_OF_TRACES = (".csv.gz", ".parquet", ".ti", ".txt", ".trace")
_OF_BOTH = ("rank", "kind", "enter", "exit", "region")


def read_record(file: Path) -> CallRecord:
    """Read calls: a table of them, or a trace in any of its formats.

    A CSV file with a column of a trace that a table of calls has not is a trace.
    """
    columns: set[str] = set()
    if not file.name.casefold().endswith(_OF_TRACES) and (file.suffix or file.exists()):
        columns = {heading.strip() for heading in next(csv.reader([head_of(file)]), [])}
        if "targets" in columns:
            return read_calls(file)
    # A table of calls needs nothing of the replay.
    from dse.models.progress.trace_record import record_of_trace
    from dse.models.replay import read_trace
    from dse.models.replay.trace.assembling import COLUMNS

    if columns and not columns & (set(COLUMNS) - set(_OF_BOTH)):
        return read_calls(file)
    trace = read_trace(file)
    try:
        return record_of_trace(trace)
    except InputError as error:
        raise error.within(file=file) from None
