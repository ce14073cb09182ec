"""Text reports of mpiP: times of each task, and what the call sites add up to.

The blocks of call sites end after twenty lines however many there are: what is missing is told, never filled in.
"""

from __future__ import annotations

import re

from dse.errors import InputError
from dse.models.measured_laws.tables.rows import Row, number_of

__all__ = ["read_mpip"]

_BLOCK = re.compile(r"@---\s*(.*?)\s*-*\s*\Z")
_CALLSITES = re.compile(r"Callsites:\s*(\d+)")
_TOP = re.compile(r"Aggregate (Time|Sent Message Size) \(top (\w+),.*?(milliseconds|bytes|seconds)\)")
_UNITS = {"milliseconds": "ms", "bytes": "B", "seconds": "s"}
_TOP_LINES = 20


def read_mpip(text: str, name: str) -> tuple[list[Row], list[str]]:
    """Read a report.

    Returns
    -------
    rows : list of Row
        Per task (``rank``): app_time, mpi_time, compute_time = AppTime - MPITime. Of the run: app_time_max,
        compute_time_mean, compute_time_max, mpi_time_mean, communication_fraction = sum of MPITime / sum of AppTime.
        Per call site as a region: aggregate_time, sent_bytes. The parameter is p, the number of tasks.
    warnings : list of str
        How many call sites the report leaves out.

    Raises
    ------
    InputError
        No block of MPI times, or times that contradict one another.
    """
    application, blocks = "", dict[str, list[tuple[int, list[str]]]]()
    current: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("@---"):
            match = _BLOCK.match(line.strip())
            current = blocks.setdefault(match[1] if match else line, [])
        elif line.startswith("@"):
            if (match := re.match(r"@ Command\s*:\s*(\S+)", line)) is not None:
                application = match[1].rsplit("/", 1)[-1]
        elif line.strip() and not set(line.strip()) <= set("-"):
            current.append((number, line.split()))
    times = next((rows for title, rows in blocks.items() if title.startswith("MPI Time (seconds)")), None)
    if times is None:
        raise InputError("no block 'MPI Time (seconds)'", file=name, allowed="a text report of mpiP")
    tasks = _tasks(times, name)
    at = {"p": float(len(tasks))}
    rows: list[Row] = []

    def add(place: str, metric: str, value: float, unit: str, region: str = "", rank: int | None = None) -> None:
        rows.append(Row(place, metric, at, value, unit, application, region, rank=rank, file=name))

    for rank, (place, app, mpi) in enumerate(tasks):
        add(place, "app_time", app, "s", rank=rank)
        add(place, "compute_time", app - mpi, "s", rank=rank)
        if mpi > 0:
            add(place, "mpi_time", mpi, "s", rank=rank)
    whole = tasks[0][0]
    total_app, total_mpi = sum(task[1] for task in tasks), sum(task[2] for task in tasks)
    compute = [app - mpi for _, app, mpi in tasks]
    add(whole, "app_time_max", max(task[1] for task in tasks), "s")
    add(whole, "compute_time_mean", sum(compute) / len(compute), "s")
    add(whole, "compute_time_max", max(compute), "s")
    if total_mpi > 0:
        add(whole, "mpi_time_mean", total_mpi / len(tasks), "s")
    add(whole, "communication_fraction", total_mpi / total_app, "1")
    warnings = []
    sites = next((int(match[1]) for title in blocks if (match := _CALLSITES.match(title))), None)
    for title, lines in blocks.items():
        if (match := _TOP.match(title)) is None:
            continue
        sent = match[1] != "Time"
        body = lines[1:]  # the first line has the headings
        if len(body) >= _TOP_LINES:
            left = f"{sites - len(body)} of {sites}" if sites and sites > len(body) else "possibly more"
            warnings.append(f"'Aggregate {match[1]}' ends after {len(body)} call sites: {left} are not in the report")
        for number, cells in body:
            place = f"line {number}"
            if len(cells) < 4:
                raise InputError(f"{len(cells)} columns", file=name, key=place, allowed="Call, Site, …")
            value = number_of(cells[3 if sent else 2], place, name)
            if value > 0:
                metric = "sent_bytes" if sent else "aggregate_time"
                add(place, metric, value, _UNITS[match[3]], region=f"{cells[0]} site {cells[1]}")
    return rows, warnings


def _tasks(lines: list[tuple[int, list[str]]], name: str) -> list[tuple[str, float, float]]:
    """Return place, AppTime and MPITime of each task, checked against the total."""
    tasks: list[tuple[str, float, float]] = []
    total: tuple[str, float] | None = None
    for number, cells in lines:
        place = f"line {number}"
        if cells[0] == "Task":
            continue
        if len(cells) < 3:
            raise InputError(f"{len(cells)} columns", file=name, key=place, allowed="Task AppTime MPITime MPI%")
        app, mpi = (number_of(cell, place, name) for cell in cells[1:3])
        if not 0 <= mpi <= app or app == 0:
            raise InputError(
                f"MPITime {mpi:g} s of AppTime {app:g} s", file=name, key=place, allowed="AppTime >= MPITime >= 0"
            )
        if cells[0] == "*":
            total = (place, app)
            continue
        if cells[0] != str(len(tasks)):
            raise InputError(f"task {cells[0]} where {len(tasks)} is due", file=name, key=place)
        tasks.append((place, app, mpi))
    if not tasks:
        raise InputError("no tasks in 'MPI Time (seconds)'", file=name)
    if total is not None and abs(total[1] - sum(task[1] for task in tasks)) > 0.01 * total[1]:
        raise InputError("the times of the tasks do not add up to the total", file=name, key=total[0])
    return tasks
