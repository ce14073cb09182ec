"""What an OTF2 archive says before its events: clock, processes, regions, communicators, metrics.

The classes of the library refuse a definition that stands twice, and EZTrace writes its world group twice, with two
meanings. So definitions are read by callbacks, and a group is known by its number and its type.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

from dse.errors import InputError

__all__ = ["Communicator", "Definitions", "Metric", "read_definitions"]

_UNDEFINED = 2**32 - 1
_THREAD = 1


class Communicator(NamedTuple):
    """Whom the numbers of a communicator mean.

    Attributes
    ----------
    ranks : tuple of int
        Rank in the world of each of its members.
    number : int
        0 of the world, others counted from 1: tags of different communicators do not meet.
    """

    ranks: tuple[int, ...]
    number: int


class Metric(NamedTuple):
    """A counter, and whether its values are readings of a clock that runs on (True) or what was added (False)."""

    name: str
    accumulates: bool


@dataclass
class Definitions:
    """Definitions of an archive.

    Attributes
    ----------
    resolution : int
        Ticks of the clock in a second.
    offset : int
        Tick of the first event.
    locations : list of int
        Location of each rank.
    declared : dict of int to int
        Events that each location says it has.
    left_out : int
        Locations that are no rank: further threads and streams.
    regions : dict of int to str
    mpi_regions : set of int
        Regions that are calls of MPI.
    communicators : dict of int to Communicator or None
        None of one between two groups, whose messages are refused.
    windows : dict of int to int
        Communicator of each window of one-sided calls.
    metrics : dict of int to list of Metric
        Members of each class and instance.
    """

    resolution: int = 0
    offset: int = 0
    locations: list[int] = field(default_factory=list)
    declared: dict[int, int] = field(default_factory=dict)
    left_out: int = 0
    regions: dict[int, str] = field(default_factory=dict)
    mpi_regions: set[int] = field(default_factory=set)
    communicators: dict[int, Communicator | None] = field(default_factory=dict)
    windows: dict[int, int] = field(default_factory=dict)
    metrics: dict[int, list[Metric]] = field(default_factory=dict)


class _Records:
    """The definition records as they come; strings and groups may stand after what names them."""

    def __init__(self) -> None:
        self.strings: dict[int, str] = {}
        self.clock: tuple[int, int] | None = None
        self.locations: dict[int, tuple[int, int, int]] = {}
        self.regions: dict[int, tuple[int, Any]] = {}
        self.world: list[list[int]] = []
        self.groups: dict[int, tuple[str, list[int]]] = {}
        self.comms: dict[int, int | None] = {}
        self.windows: dict[int, int] = {}
        self.members: dict[int, tuple[int, bool]] = {}
        self.classes: dict[int, list[int]] = {}
        self.instances: dict[int, int] = {}

    def add_group(self, _: Any, number: int, __: int, kind: Any, paradigm: Any, ___: Any, members: list[int]) -> None:
        name = _word(kind)
        if name == "COMM_LOCATIONS":
            if members not in self.world and _word(paradigm) == "MPI":
                self.world.append(members)
            return
        if not name.startswith("COMM_"):
            return
        before = self.groups.get(number)
        if before is not None and before != (name, members):
            raise InputError(f"the group {number} stands twice, with different members")
        self.groups[number] = name, members

    def add_member(self, _: Any, number: int, name: int, __: int, ___: Any, mode: Any, *____: Any) -> None:
        self.members[number] = name, (int(mode.value) & 0x0F) == 0


def _word(value: Any) -> str:
    return str(value).rpartition(".")[2]


def read_definitions(library: ModuleType, reader: Any) -> Definitions:
    """Read the global definitions of an archive.

    Raises
    ------
    InputError
        No clock, no process, a location or a group that is named and is not there.
    """
    records = _Records()
    handle = library.Reader_GetGlobalDefReader(reader)
    if not handle:
        raise InputError("the file of its global definitions cannot be read")
    # A callback that raises is printed by the library: faults are kept here, and told after it.
    faults: list[InputError] = []

    def group(*values: Any) -> None:
        try:
            records.add_group(*values)
        except InputError as error:
            faults.append(error)

    registered: dict[str, Any] = {
        "String": lambda _, number, text: records.strings.__setitem__(number, text),
        "ClockProperties": lambda _, ticks, offset, *__: setattr(records, "clock", (int(ticks), int(offset))),
        "Location": lambda _, number, __, kind, events, group: records.locations.__setitem__(
            number, (int(kind.value), int(events), group)
        ),
        "Region": lambda _, number, name, __, ___, ____, paradigm, *_____: records.regions.__setitem__(
            number, (name, paradigm)
        ),
        "Group": group,
        "Comm": lambda _, number, __, group, *___: records.comms.__setitem__(number, group),
        "InterComm": lambda _, number, *__: records.comms.__setitem__(number, None),
        "RmaWin": lambda _, number, __, comm, *___: records.windows.__setitem__(number, comm),
        "MetricMember": records.add_member,
        "MetricClass": lambda _, number, members, *__: records.classes.__setitem__(number, list(members)),
        "MetricInstance": lambda _, number, of, *__: records.instances.__setitem__(number, of),
    }
    callbacks = library.GlobalDefReaderCallbacks_New()
    for name, function in registered.items():
        getattr(library, f"GlobalDefReaderCallbacks_Set{name}Callback")(callbacks, function)
    library.Reader_RegisterGlobalDefCallbacks(reader, handle, callbacks, None)
    try:
        library.Reader_ReadAllGlobalDefinitions(reader, handle)
    except library.Error as error:
        raise InputError(f"its global definitions end in the middle, or are wrong: {error.description}") from None
    finally:
        library.GlobalDefReaderCallbacks_Delete(callbacks)
        library.Reader_CloseGlobalDefReader(reader, handle)
    if faults:
        raise faults[0]
    return _resolved(records)


def _resolved(records: _Records) -> Definitions:
    if records.clock is None or records.clock[0] <= 0:
        raise InputError("its definitions have no clock", allowed="ClockProperties with ticks a second > 0")
    threads = {number: held for number, held in records.locations.items() if held[0] == _THREAD}
    ranks = _ranks(records, threads)
    regions = {number: records.strings.get(name, f"region {number}") for number, (name, _) in records.regions.items()}
    calls = {
        number
        for number, (_, paradigm) in records.regions.items()
        if _word(paradigm) == "MPI" or regions[number].startswith(("MPI_", "PMPI_"))
    }
    metrics = {
        number: [
            Metric(records.strings.get(records.members[member][0], f"metric {member}"), records.members[member][1])
            for member in members
            if member in records.members
        ]
        for number, members in records.classes.items()
    }
    metrics |= {number: metrics[of] for number, of in records.instances.items() if of in metrics}
    return Definitions(
        resolution=records.clock[0],
        offset=records.clock[1],
        locations=ranks,
        declared={number: events for number, (_, events, _) in records.locations.items()},
        left_out=len(records.locations) - len(ranks),
        regions=regions,
        mpi_regions=calls,
        communicators=_communicators(records, len(ranks)),
        windows=records.windows,
        metrics=metrics,
    )


def _ranks(records: _Records, threads: dict[int, tuple[int, int, int]]) -> list[int]:
    """Return the location of each rank: those of the world group, else the first thread of each process."""
    if len(records.world) > 1:
        raise InputError("two groups of all processes", allowed="one group COMM_LOCATIONS of MPI")
    if records.world:
        for rank, number in enumerate(records.world[0]):
            if number not in records.locations:
                raise InputError(f"location {number} of rank {rank} is missing", allowed="a definition of each rank")
        return list(records.world[0])
    first: dict[int, int] = {}
    for number in sorted(threads):
        first.setdefault(threads[number][2], number)
    if not first:
        raise InputError("its definitions have no process", allowed="a location CPU_THREAD of each rank")
    return [first[group] for group in sorted(first)]


def _communicators(records: _Records, ranks: int) -> dict[int, Communicator | None]:
    communicators: dict[int, Communicator | None] = {}
    everyone = tuple(range(ranks))
    next_number = 1
    world_seen = False
    for comm in sorted(records.comms):
        group = records.comms[comm]
        if group is None:
            communicators[comm] = None
            continue
        kind, members = records.groups.get(group, ("COMM_GROUP", list(everyone)))
        if kind == "COMM_SELF":
            communicators[comm] = Communicator((), 0)
            continue
        for member in members:
            if member >= ranks:
                raise InputError(
                    f"rank {member} of the communicator {comm} is missing", allowed=f"ranks 0 to {ranks - 1}"
                )
        if tuple(members) == everyone and not world_seen:
            communicators[comm], world_seen = Communicator(everyone, 0), True
            continue
        communicators[comm] = Communicator(tuple(members), next_number)
        next_number += 1
    return communicators
