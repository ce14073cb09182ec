"""What a list of runs tells of each: its question, when it was made, how large it is, how exact, what it decides."""

from __future__ import annotations

import datetime
from pathlib import Path

from pydantic import JsonValue

from dse.api import Run
from dse.errors import InputError
from dse.live.run_state import state_of
from dse.live.workspace import NOTE
from dse.report.words.how_sure import how_sure_sentence
from dse.report.words.stopped import describe_stopped
from dse.run.disk.folder import MANIFEST

__all__ = ["listed_run"]

_KNOWN: dict[tuple[str, tuple[tuple[str, int, int], ...]], dict[str, JsonValue]] = {}
_MOST_KNOWN = 1000


def listed_run(folder: Path) -> JsonValue:
    """Return what is told of a run; of one that is not finished or damaged, what is wrong with it."""
    key = (str(folder), state_of(folder))
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _listed(folder)
    return _KNOWN[key]


def _listed(folder: Path) -> dict[str, JsonValue]:
    place: dict[str, JsonValue] = {"folder": str(folder), "name": folder.name, "note": _note(folder)}
    file = folder / MANIFEST
    if not file.is_file():
        return {**place, "fault": "not finished; the same search goes on with it"}
    made = datetime.datetime.fromtimestamp(file.stat().st_mtime).astimezone().isoformat(timespec="seconds")
    try:
        run = Run.load(folder)
        decision = how_sure_sentence(run) if len(run.frontier) else "nothing feasible"
        derived = run.manifest.derived_from
        return {
            **place,
            "study": run.name,
            "question": run.manifest.question,
            "made": made,
            "designs": run.manifest.space.designs,
            "frontier": len(run.frontier),
            "headline": run.headline,
            "stopped": run.stopped,
            "gap": list(describe_stopped(run)),
            "decision": decision,
            "changes": list(derived.changes) if derived is not None else [],
            "seconds": run.manifest.timings.search_seconds,
        }
    except InputError as error:
        return {**place, "made": made, "fault": str(error)}


def _note(folder: Path) -> str:
    try:
        return (folder / NOTE).read_text(encoding="utf-8")[:2000]
    except (OSError, UnicodeDecodeError):
        return ""
