"""Raw records: what an instrumented process writes of its run, ``dse-raw/1``, one file per process.

Counts only, as the library of ``profiler/`` takes them; `dse.models.workload.record.recorded` makes a profile of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from dse.errors import InputError, shown
from dse.models.workload.profile.reading import read_json

__all__ = ["FORMAT", "AddressMapRecord", "LocalityMapRecord", "MpiRecord", "RawRecord", "ThreadRecord"]
__all__ += ["read_record", "read_records"]

FORMAT = "dse-raw/1"
_ENDING = ".dseprof"
_MOST_FILES = 100_000
_Count = Annotated[int, Field(ge=0, strict=True)]
_ROUNDING = 1e-9


def _rounded(value: Any) -> Any:
    # Differences of sums: what is 0 may come out as -2e-15.
    return 0.0 if isinstance(value, float) and -_ROUNDING < value < 0 else value


_Bits = tuple[_Count, Annotated[float, BeforeValidator(_rounded), Field(ge=0)]]


class _Record(BaseModel):
    # A later library may count more than this version reads.
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True)


class SpansRecord(_Record):
    """Spans over the instructions that were analysed."""

    instructions: _Count = 0
    span: _Count = 0
    span_mem: _Count = 0
    span_int: _Count = 0
    span_control: _Count = 0
    span_fp: _Count = 0


class IlpRecord(SpansRecord):
    """Spans of one window; `whole`: those of the beginning of the run, of which nothing was left out."""

    window: _Count | Literal["inf"]
    order: Literal["out", "in", "base", "base-wait"] = "out"
    instructions: _Count
    span: _Count
    whole: SpansRecord = SpansRecord()


class SharesRecord(_Record):
    """Of each bin [upper distance, looked at, having a property], and of first touches [looked at, having it]."""

    bins: list[tuple[_Count, _Count, _Count]] = []
    first: tuple[_Count, _Count] = (0, 0)


class ReuseRecord(_Record):
    """Reuse distances of data or of instructions."""

    kind: Literal["data", "instruction"]
    line_bytes: _Count | None = None
    line_instructions: _Count | None = None
    references: _Count
    split_references: _Count = 0
    cold: _Count = 0
    bins: list[tuple[_Count, _Count]]
    covered: SharesRecord = SharesRecord()
    dependent: SharesRecord = SharesRecord()


class MaxOutcomeRecord(_Record):
    """Misses of a table that foretells the more frequent outcome after each history."""

    history: _Count
    table: Annotated[int, Field(ge=1, strict=True)] | None = None
    rule: str = ""
    miss_rate: Annotated[float, Field(ge=0, le=1)]


class BranchRecord(_Record):
    """Entropies of the outcomes of branches, by past outcomes known; `local`: linear ones, each branch by itself."""

    events: _Count
    conditional_only: bool
    entropy: list[_Bits] = []
    local: list[_Bits] = []
    max_outcome: list[MaxOutcomeRecord] = []


class VectorRecord(_Record):
    """Instructions on vectors."""

    of: str = Field(alias="class")
    length: _Count
    bits: _Count
    count: _Count


class AddressMapRecord(_Record):
    """Accesses by address and time: rows as [first address, accesses of each column…]."""

    version: Literal[1]
    accesses: _Count
    row_bytes: Annotated[int, Field(ge=1, strict=True)]
    column_accesses: Annotated[int, Field(ge=1, strict=True)]
    rows: list[list[_Count]]


class LocalityMapRecord(_Record):
    """Pairs of accesses by distance in bytes: rows as [accesses between, pairs at each offset…]."""

    version: Literal[1]
    accesses: _Count
    reach_bytes: Annotated[int, Field(ge=1, strict=True)]
    step_bytes: Annotated[int, Field(ge=1, strict=True)]
    rows: list[list[_Count]]


class ThreadRecord(_Record):
    """What one thread did."""

    thread: _Count
    instructions: _Count
    mix: dict[str, _Count]
    vectors: list[VectorRecord] = []
    external_calls: dict[str, _Count] = {}
    openmp_calls: dict[str, _Count] = {}
    ilp: list[IlpRecord] = []
    reuse: list[ReuseRecord] = []
    memory_entropy: list[_Bits] = []
    footprint_bytes: _Count | None = None
    branches: BranchRecord | None = None
    address_map: AddressMapRecord | None = None
    locality_map: LocalityMapRecord | None = None


_Peers = list[tuple[_Count, _Count, _Count]]


class PointToPointRecord(_Record):
    """Messages of a thread; peers as [world rank, messages, bytes]."""

    messages: _Count
    bytes: _Count
    sent_messages: _Count
    sent_bytes: _Count
    peers: _Peers = []
    sent_peers: _Peers = []
    sizes: list[tuple[_Count, _Count, _Count]] = []


class CollectiveRecord(_Record):
    """Calls of a collective operation, and the bytes received in them."""

    count: _Count
    bytes: _Count | None = None


class CommunicationRecord(_Record):
    """Communication of a thread."""

    p2p: PointToPointRecord | None = None
    collectives: dict[str, CollectiveRecord] = {}


class MpiRecord(_Record):
    """Rank and size in MPI_COMM_WORLD, and what each thread sent and received."""

    rank: _Count
    size: Annotated[int, Field(ge=1, strict=True)]
    threads: dict[str, CommunicationRecord] = {}


class SamplingRecord(_Record):
    """Shares of the run that were analysed."""

    ilp_bursts: Annotated[float, Field(ge=0, le=1)] = 1.0
    reuse_rate: Annotated[float, Field(ge=0, le=1)] = 1.0
    strides: Annotated[float, Field(ge=0, le=1)] = 1.0
    memory_limit: Annotated[int, Field(ge=1, strict=True)] | None = None


class RegionRecord(_Record):
    """The part of the run that was recorded: the calls of a function, or what the program marked.

    `begun`: how often it was. `functions`: names of functions, where the one that was asked for is not there.
    """

    begun: _Count
    function: str | None = None
    functions: list[str] = []


class FunctionRecord(_Record):
    """Instructions of a function, whatever thread ran it."""

    name: str
    instructions: _Count
    loads: _Count = 0
    stores: _Count = 0
    fp: _Count = 0
    control: _Count = 0
    calls: _Count = 0


class RawRecord(_Record):
    """The record of a process."""

    format: str
    program: str
    host: str
    pid: _Count
    parent_pid: _Count = 0
    start_ns: _Count
    forked: bool = False
    clang: str = ""
    flags: str = ""
    conversions: str = ""
    partial: str | None = None
    notes: list[str] = []
    sampling: SamplingRecord = SamplingRecord()
    depth_mismatches: _Count = 0
    region: RegionRecord | None = None
    mpi: MpiRecord | None = None
    functions: list[FunctionRecord] = []
    threads: list[ThreadRecord]
    complete: Literal[True]


def read_record(path: Path) -> RawRecord:
    """Read the record of a process.

    Raises
    ------
    InputError
        Another format, or a key that is missing or wrong, with its path.
    """
    document = read_json(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        known_format = document.get("format") if isinstance(document, dict) else document
        raise InputError(f"has the format {shown(known_format)}", file=path, key="format", allowed=f'"{FORMAT}"')
    if document.get("complete") is not True:
        raise InputError("was not written to its end", file=path, key="complete", allowed="true as its last key")
    try:
        return RawRecord.model_validate(document)
    except ValidationError as error:
        fault = error.errors()[0]
        key = ".".join(str(part) for part in fault["loc"])
        raise InputError(f"{shown(fault.get('input'))}: {fault['msg']}", file=path, key=key) from None


def read_records(folder: Path) -> list[RawRecord]:
    """Read the records in a folder, in the order in which the processes began.

    Raises
    ------
    InputError
        No such folder, or a record that cannot be read.
    """
    if not folder.is_dir():
        raise InputError(f"no such folder '{folder}'", allowed="the folder that DSE_PROFILE_DIR named in the run")
    paths = sorted(folder.glob(f"*{_ENDING}"))
    if len(paths) > _MOST_FILES:
        raise InputError(f"has {len(paths)} records", file=folder, allowed=f"at most {_MOST_FILES}")
    return sorted(map(read_record, paths), key=lambda record: (record.start_ns, record.host, record.pid))
