"""Time-independent traces of SimGrid: one action per line, ``0 send 1 0 1e6``, as ``smpirun -trace-ti`` writes them.

Grammar after SimGrid's replay (``src/smpi/internals/smpi_replay.cpp``), forms without tags too. Only the world
communicator is replayed; roots of operations are not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from dse.errors import InputError, nearest, shown
from dse.models.replay.action_lines import ACTIONS, SKIPPED, ActionLine, Actions
from dse.models.replay.assembling import assembled
from dse.models.replay.events import Trace
from dse.models.replay.header import header_of
from dse.models.replay.kinds import KINDS, OPERATIONS

__all__ = ["read_time_independent"]

_LARGEST_LIST = 1 << 20


def read_time_independent(
    data: bytes,
    folder: Path | None,
    *,
    flop_rate: float | None = None,
    type_sizes: Mapping[int, float] | None = None,
) -> Trace:
    """Read a trace from the bytes of a text file, or of a list of files in the same folder.

    Parameters
    ----------
    data : bytes
    folder : Path, optional
        Where the files of a list are.
    flop_rate, type_sizes
        As for `dse.models.replay.read_trace`.
    """
    lines = list(_lines(_decoded(data), ""))
    if lines and all(len(line.words) == 1 for line in lines):
        lines = list(_listed([line.words[0] for line in lines], folder))
    if not lines:
        raise InputError("no actions", allowed="lines such as '0 send 1 0 1000'")
    ranks = 1 + max(_rank(line) for line in lines)
    if ranks > len(lines):
        raise InputError(
            f"a rank is {ranks - 1}, and there are {len(lines)} actions", allowed="ranks from 0 to the last"
        )
    actions = Actions(ranks, _rate(flop_rate), type_sizes or {})
    for line in lines:
        name = line.words[1].casefold() if len(line.words) > 1 else ""
        action = ACTIONS.get(name)
        if action is not None:
            action(actions, line)
        elif name not in SKIPPED:
            known = [*ACTIONS, *SKIPPED]
            told = f"{shown(line.words[1])} is no action" if name else "a rank without an action"
            raise InputError(told, key=line.place, allowed=known, wrong=name, candidates=known)
        elif name == "comm_split":
            actions.tell("comm_split: only the world communicator is replayed")
    actions.close_what_is_open()
    kinds, operations = np.array(KINDS, dtype=object), np.array([*OPERATIONS, ""], dtype=object)
    if not actions.kind:
        raise InputError("no events", allowed="actions such as compute, send and recv")
    columns = {
        "rank": np.array(actions.rank, dtype=np.int64),
        "kind": kinds[np.array(actions.kind)],
        "seconds": np.array(actions.seconds),
        "peer": np.array(actions.peer, dtype=np.int64),
        "bytes": np.array(actions.bytes),
        "tag": np.array(actions.tag, dtype=np.int64),
        "request": np.array(actions.request, dtype=np.int64),
        "op": operations[np.array(actions.operation)],
    }
    return assembled(columns, header_of(data)[0], actions.warnings)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", allowed="a time-independent trace") from None


def _lines(text: str, file: str) -> Iterator[ActionLine]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield ActionLine(words, file, number)


def _listed(names: list[str], folder: Path | None) -> Iterator[ActionLine]:
    """Yield the lines of all files of a list; a list from a stranger reaches no other folder."""
    if len(names) > _LARGEST_LIST:
        raise InputError(f"a list of {len(names):,} files", allowed=f"at most {_LARGEST_LIST:,}")
    for name in names:
        inside = folder is not None and name == Path(name).name and name not in (".", "..")
        place = folder / name if folder is not None else Path(name)
        if not inside or place.is_symlink() or not place.is_file():
            raise InputError(
                f"{shown(name)} is neither an action nor a file beside this one",
                allowed="lines such as '0 send 1 0 1000', or one file name for each rank",
                wrong=name,
                candidates=[other.name for other in folder.glob("*")] if folder is not None else [],
            )
        yield from _lines(_decoded(place.read_bytes()), f"{name} ")


def _rank(line: ActionLine) -> int:
    text = line.words[0]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        hint = nearest(text.casefold(), ACTIONS)
        told = f"; an action such as '0 {hint} …'" if hint else ""
        raise InputError(shown(text), key=line.place, allowed=f"a rank at the beginning of the line{told}")
    return int(text)


def _rate(rate: float | None) -> float | None:
    if rate is not None and not (np.isfinite(rate) and rate > 0.0):
        raise InputError(shown(rate), key="flop_rate", allowed="flops per second > 0")
    return rate
