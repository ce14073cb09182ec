"""Execution traces of all ranks as one trace: computing, messages, and collectives with their sizes and groups."""

from __future__ import annotations

import heapq
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from dse.errors import InputError, shown
from dse.models.replay.formats.chakra.nodes import Node, nodes_of
from dse.models.replay.formats.event_columns import EventColumns
from dse.models.replay.trace.assembling import MOST_EVENTS
from dse.models.replay.trace.coded import trace_of_codes
from dse.models.replay.trace.columns import NONE
from dse.models.replay.trace.events import Trace
from dse.models.replay.trace.kinds import COMPUTE, ISEND, RECV, WAITALL

__all__ = ["read_chakra"]

_NAME = re.compile(r"^(?P<before>.*?)(?P<rank>\d+)(?P<after>\.(?:json|et\.json|et))$")
_OPERATIONS = (
    *("allreduce", "reduce", "allgather", "gather", "scatter", "bcast", "alltoall", "reduce_scatter"),
    *("reduce_scatter", "barrier"),
)
_WORDS = {
    "ALL_REDUCE": "allreduce",
    "ALL_GATHER": "allgather",
    "BROADCAST": "bcast",
    "ALL_TO_ALL": "alltoall",
    "REDUCE_SCATTER": "reduce_scatter",
    "REDUCE_SCATTER_BLOCK": "reduce_scatter",
    "REDUCE": "reduce",
    "GATHER": "gather",
    "SCATTER": "scatter",
    "BARRIER": "barrier",
}
_IN_PARTS = ("alltoall", "reduce_scatter", "scatter")
_GROUPS = ("comm_group.json", "comm_groups.json")
_COMM_TAG = 1 << 32
_NAN = float("nan")


def read_chakra(path: Path, *, flop_rate: float | None = None, named: str = "") -> Trace:
    """Read the execution traces of all ranks.

    Parameters
    ----------
    path : Path
        ``NAME.0.json`` or ``NAME.0.et`` of rank 0, or of any other; those of the other ranks stand beside it, and the
        groups of processes in ``comm_group.json``: ``{"1": [0, 1, 2, 3]}``.
    flop_rate : float, optional
        Flops per second of a rank, for computing that has ``num_ops`` and no duration.
    named : str

    Returns
    -------
    Trace

    Raises
    ------
    InputError
        What is neither JSON nor protobuf, an unknown type, a node that waits for one that is not there or in a circle,
        a rank without a file, a group that is not given, computing without a duration.

    Notes
    -----
    The nodes of a rank run one after the other, each after those it needs, sends first and then by their numbers: what
    a device does at the same time as a message is not, and the time of a replay is an upper bound. ``comm_size`` is the
    input of the operation: s of allreduce, allgather, reduce, bcast and gather, n s of alltoall and reduce_scatter.
    Durations of communication are those of the machine it was recorded on, and left out.
    """
    files = _files_of_ranks(path)
    groups = _groups(path.parent)
    events, notes = EventColumns(), Counter[str]()
    for rank, file in enumerate(files):
        try:
            _Rank(rank, len(files), groups, flop_rate, events, notes).build(file)
        except InputError as error:
            raise error.within(file=file) from None
    notes["the nodes of a rank run one after the other: computing and messages do not overlap"] = 1
    return trace_of_codes(
        events.arrays(),
        list(events.regions),
        ranks=len(files),
        warnings=[text if count == 1 else f"{text} ({count:,})" for text, count in sorted(notes.items())],
        name=named,
        source="Chakra execution trace",
    ).checked()


def _files_of_ranks(path: Path) -> list[Path]:
    match = _NAME.match(path.name)
    if match is None:
        return [path]
    before, after = match["before"], match["after"]
    ranks = {}
    for file in path.parent.iterdir():
        other = _NAME.match(file.name)
        if other is not None and (other["before"], other["after"]) == (before, after) and file.is_file():
            if file.is_symlink():
                raise InputError("is a link", file=file, allowed="a file beside the others")
            ranks[int(other["rank"])] = file
    missing = next((rank for rank in range(max(ranks) + 1) if rank not in ranks), None)
    if missing is not None:
        raise InputError(f"rank {missing} has no file", allowed=f"{before}{missing}{after} beside it")
    return [ranks[rank] for rank in range(len(ranks))]


def _groups(folder: Path) -> dict[str, tuple[int, ...]]:
    for name in _GROUPS:
        file = folder / name
        if file.is_file() and not file.is_symlink():
            try:
                document = json.loads(file.read_text(encoding="utf-8"))
            except (ValueError, OSError, RecursionError) as error:
                raise InputError(f"is no JSON: {error}", file=file) from None
            if not isinstance(document, dict) or not all(_is_group(value) for value in document.values()):
                raise InputError(shown(document), file=file, allowed='{"1": [0, 1, 2, 3]}')
            return {str(key): tuple(value) for key, value in document.items()}
    return {}


def _is_group(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(rank, int) and rank >= 0 for rank in value)


class _Rank:
    def __init__(
        self,
        rank: int,
        ranks: int,
        groups: dict[str, tuple[int, ...]],
        flop_rate: float | None,
        events: EventColumns,
        notes: Counter[str],
    ) -> None:
        self.rank, self.ranks, self.groups = rank, ranks, groups
        self.flop_rate, self.events, self.notes = flop_rate, events, notes
        self.numbers = {name: number for number, name in enumerate(sorted(groups), 1)}
        self.device_only = False
        self.sends = False

    def build(self, file: Path) -> None:
        nodes = {}
        for node in nodes_of(file):
            if node.number in nodes:
                raise InputError(f"node {node.number} stands twice")
            nodes[node.number] = node
            if len(nodes) > MOST_EVENTS:
                raise InputError(f"more than {MOST_EVENTS:,} nodes", allowed=f"at most {MOST_EVENTS:,}")
        if not nodes:
            raise InputError("no nodes", allowed="objects with id and type")
        computes = [node for node in nodes.values() if node.kind == "COMP"]
        on_device = [node for node in computes if node.attributes.get("is_cpu_op") in (False, 0, "0", "false")]
        self.device_only = bool(on_device) and len(on_device) < len(computes)
        for number in _in_order(nodes):
            self._add(nodes[number])
        if self.sends:
            self.events.add(self.rank, WAITALL, _NAN, _NAN)
        if not len(self.events) or self.events.columns["rank"][-1] != self.rank:
            self.events.add(self.rank, COMPUTE, _NAN, _NAN)

    def _add(self, node: Node) -> None:
        if node.kind == "COMP" or node.kind.startswith("MEM_"):
            self._compute(node)
        elif node.kind == "COMM_COLL":
            self._collective(node)
        elif node.kind in ("COMM_SEND", "COMM_RECV"):
            self._message(node)

    def _compute(self, node: Node) -> None:
        if self.device_only and node.attributes.get("is_cpu_op") not in (False, 0, "0", "false"):
            self.notes["operations of the host were left out: those of the device are there"] += 1
            return
        seconds = node.seconds
        if seconds is None and node.kind != "COMP":
            self.notes["loads and stores without a duration were left out"] += 1
            return
        if seconds is None:
            operations = self._number(node, "num_ops", None)
            if self.flop_rate is None or operations is None:
                raise InputError(
                    f"{node.name or 'a COMP_NODE'} has no duration",
                    key=f"node {node.number}",
                    allowed="durationMicros, or num_ops and --flop-rate",
                )
            seconds = operations / self.flop_rate
        if seconds < 0.0:
            raise InputError(f"lasts {seconds:g} s", key=f"node {node.number}", allowed="0 or more")
        self.events.add(self.rank, COMPUTE, _NAN, _NAN, seconds=seconds)

    def _collective(self, node: Node) -> None:
        kind = node.attributes.get("comm_type", "")
        text = str(kind)
        operation = (
            _OPERATIONS[int(text)] if text.isdigit() and int(text) < len(_OPERATIONS) else _WORDS.get(text.upper())
        )
        if operation is None:
            raise InputError(f"comm_type {shown(kind)}", key=f"node {node.number}", allowed=list(_WORDS))
        members, number = self._members(node)
        if self.rank not in members:
            raise InputError(
                f"rank {self.rank} is not in its group of {len(members)}",
                key=f"node {node.number}",
                allowed="its ranks",
            )
        if len(members) < 2 <= self.ranks:
            return
        size = self._number(node, "comm_size", 0.0 if operation == "barrier" else None)
        if size is None or size < 0.0:
            raise InputError("no comm_size", key=f"node {node.number}", allowed="bytes")
        held = 0.0 if operation == "barrier" else size / len(members) if operation in _IN_PARTS else size
        if set(members) == set(range(self.ranks)):
            self.events.add_collective(self.rank, operation, held, _NAN, _NAN)
            return
        self.notes[f"collective operations of groups of ranks, replayed as messages: {operation}"] += 1
        root = int(self._number(node, "root_rank", 0.0) or 0)
        place = members.index(root) if root in members else 0
        self.events.add_group(self.rank, operation, members, held, place, number * _COMM_TAG, _NAN, _NAN)

    def _members(self, node: Node) -> tuple[tuple[int, ...], int]:
        name = node.attributes.get("pg_name", node.attributes.get("comm_group"))
        if name in (None, "") or (not self.groups and str(name) in ("0", "default_pg")):
            return tuple(range(self.ranks)), 0
        if str(name) not in self.groups:
            raise InputError(
                f"the group {shown(name)} is not given", key=f"node {node.number}", allowed=f"{_GROUPS[0]} beside it"
            )
        members = self.groups[str(name)]
        if any(member >= self.ranks for member in members):
            raise InputError(
                f"the group {shown(name)} has rank {max(members)}",
                key=f"node {node.number}",
                allowed=f"ranks 0 to {self.ranks - 1}",
            )
        return members, self.numbers[str(name)]

    def _message(self, node: Node) -> None:
        is_send = node.kind == "COMM_SEND"
        peer = self._number(node, "comm_dst" if is_send else "comm_src", None)
        size = self._number(node, "comm_size", None)
        if peer is None or size is None:
            raise InputError(
                "no partner, or no comm_size", key=f"node {node.number}", allowed="comm_src, comm_dst, comm_size"
            )
        tag = int(self._number(node, "comm_tag", 0.0) or 0)
        request = self.events.request() if is_send else NONE
        self.sends |= is_send
        self.events.add(
            self.rank, ISEND if is_send else RECV, _NAN, _NAN, peer=int(peer), held=size, tag=tag, request=request
        )

    def _number(self, node: Node, name: str, absent: float | None) -> float | None:
        value = node.attributes.get(name)
        if value is None:
            return absent
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = _NAN
        if not abs(number) < float("inf"):
            raise InputError(f"{name} is {shown(value)}", key=f"node {node.number}", allowed="a number")
        return number


def _in_order(nodes: dict[int, Node]) -> list[int]:
    """Return the nodes so that each stands after those it needs: sends as early as they can, then by number."""
    waiting = {}
    followers: dict[int, list[int]] = {}
    for node in nodes.values():
        needs = set(node.needs)
        for other in needs:
            if other not in nodes:
                raise InputError(f"waits for node {other}, which is not there", key=f"node {node.number}")
            followers.setdefault(other, []).append(node.number)
        waiting[node.number] = len(needs)
    ready = [(nodes[number].kind != "COMM_SEND", number) for number, count in waiting.items() if not count]
    heapq.heapify(ready)
    order = []
    while ready:
        _, number = heapq.heappop(ready)
        order.append(number)
        for other in followers.get(number, ()):
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, (nodes[other].kind != "COMM_SEND", other))
    if len(order) < len(nodes):
        stuck = min(number for number, count in waiting.items() if count)
        raise InputError("waits in a circle", key=f"node {stuck}", allowed="a graph without circles")
    return order
