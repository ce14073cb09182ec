"""The schema of a profile document.

The tree (``schema = "dse-profile/1"``; JSON, or the same in TOML)::

    schema, name, source, licence, notes, synthetic
    application   {name, parameters{…}}
    run           {processes, threads, compiler, flags, tool, tool_version,
                   sampling{ilp_bursts, reuse_rate, strides, memory_limit}, region, partial}
    classes[]     one per class of equal threads or processes
      name, members, role ("worker", "master"), instructions
      mix           {load, store, int_arith, int_mul, int_div, int, addr, fp, fp_mul, fp_div, control, vector_move,
                     other}
      vectors[]     {class, length, bits, count}: only length > 1, the remainder is scalar
      ilp[]         {window (or "inf"), order ("ooo", "in", "base", "base-wait"), span, span_mem, span_int,
                     span_control, span_fp, printed{all, mem, int, control, fp}}
      data_reuse[]  {line_bytes (or "address"), references, histogram [[upper distance, count], …],
                     printed [[upper distance, fraction], …], split_references,
                     covered [[upper distance, share], …], covered_first_touches, dependent [[distance, share], …]}
      inst_reuse[]  {line_instructions (or "address"), …the same to split_references}
      branch        {events, conditional_only, entropy [[history, bits], …], linear_entropy [[history, bits], …],
                     max_outcome [{history, table, rule, miss_rate}, …], tool_miss_rate}
      registers     {reads, writes}
      footprint_bytes
      memory_entropy [[line_bytes, bits], …]
      heatmap       {s_bytes[], t[], p[][]}
      address_map   {accesses, row_bytes, column_accesses, first_bytes[], counts[][]}
      comm          {p2p{messages, bytes, sent_messages, sent_bytes, pattern, peers[{offset, messages, bytes}],
                         sent_peers[{offset, messages, bytes}], sizes [[upper bytes, messages, bytes], …]},
                     collectives{name: {count, bytes}}}
      external_calls, openmp_calls   {name: calls}
    extrapolation   {parameters[{name, log2, smallest, largest, target, distance}], profiles[{name, sha256}],
                     fits[{class, metric, unit, law, cross_validation_error, runs, value, low, high}], warnings[]}

``printed`` holds what the profiling tool wrote beside its counts, where the counts alone would not give it; reference
mode reads it. What was not measured is absent, never zero. ``extrapolation`` is there when the figures are those of
laws fitted to smaller runs (`dse.models.workload.extrapolation`): which laws, from which runs, and how far away.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from dse.models.workload.profile.values import (
    BitsAt,
    Count,
    Counted,
    FractionAt,
    Ilp,
    Line,
    Name,
    Number,
    Plain,
    Positive,
    Probability,
    SizeCounted,
    Text,
    Window,
)

__all__ = [
    "SCHEMA",
    "AddressMapSpec",
    "BranchSpec",
    "ClassSpec",
    "CommunicationSpec",
    "DataReuseSpec",
    "ExtrapolationSpec",
    "HeatMapSpec",
    "IlpSpec",
    "InstReuseSpec",
    "PointToPointSpec",
    "ProfileSpec",
]

SCHEMA = "dse-profile/1"


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=False, defer_build=True
    )


class MixSpec(_Strict):
    """Instructions by class and part."""

    load: Count
    store: Count
    int_arith: Count
    int_mul: Count
    int_div: Count
    integer: Count = Field(alias="int")
    addr: Count
    fp: Count
    fp_mul: Count
    fp_div: Count
    control: Count
    vector_move: Count
    other: Count


class VectorSpec(_Strict):
    """Vector instructions of a class with one length and element size."""

    of: Literal[
        "load",
        "store",
        "addr",
        "int",
        "fp",
        "control",
        "vector_move",
        "other",
        "int_arith",
        "int_mul",
        "int_div",
        "fp_mul",
        "fp_div",
    ] = Field(alias="class")
    length: Literal[2, 4, 8, 16]
    bits: Literal[0, 4, 8, 16, 32, 64, 128]
    count: Count


class PrintedIlpSpec(_Strict):
    """ILP as the tool printed it."""

    all: Ilp | None = None
    mem: Ilp | None = None
    integer: Ilp | None = Field(default=None, alias="int")
    control: Ilp | None = None
    fp: Ilp | None = None


class IlpSpec(_Strict):
    """Spans measured with one window."""

    window: Window
    order: Literal["ooo", "in", "base", "base-wait"] = "ooo"
    span: Positive
    span_mem: Count | None = None
    span_int: Count | None = None
    span_control: Count | None = None
    span_fp: Count | None = None
    printed: PrintedIlpSpec = PrintedIlpSpec()


class _ReuseSpec(_Strict):
    references: Count
    histogram: list[Counted] | None = None
    printed: list[FractionAt] | None = None
    split_references: Count = 0


class DataReuseSpec(_ReuseSpec):
    """Reuse distances of data, and what a stride prefetcher makes of them."""

    line_bytes: Line
    covered: list[FractionAt] = []
    covered_first_touches: Probability | None = None
    dependent: list[FractionAt] = []


class InstReuseSpec(_ReuseSpec):
    """Reuse distances of instructions."""

    line_instructions: Line


class MaxOutcomeSpec(_Strict):
    """Misses of a max-outcome predictor."""

    history: Count
    table: Positive | None = None
    rule: str = ""
    miss_rate: Probability


class BranchSpec(_Strict):
    """Predictability of branches."""

    events: Count
    conditional_only: StrictBool
    entropy: list[FractionAt] = []
    max_outcome: list[MaxOutcomeSpec] = []
    linear_entropy: list[FractionAt] = []
    tool_miss_rate: Probability | None = None


class RegistersSpec(_Strict):
    """Accesses to registers."""

    reads: Count
    writes: Count


class HeatMapSpec(_Strict):
    """Spatio-temporal heat map."""

    s_bytes: list[StrictInt]
    t: list[Positive]
    p: list[list[Probability]]


class AddressMapSpec(_Strict):
    """Accesses by address and by time."""

    accesses: Count
    row_bytes: Positive
    column_accesses: Positive
    first_bytes: list[Count]
    counts: list[list[Count]]


class PeerSpec(_Strict):
    """Messages received from one process, or sent to it."""

    offset: StrictInt
    messages: Count
    bytes: Count


class PointToPointSpec(_Strict):
    """Messages between two processes."""

    messages: Count
    bytes: Count
    sent_messages: Count | None = None
    sent_bytes: Count | None = None
    pattern: str | None = None
    peers: list[PeerSpec] = []
    sent_peers: list[PeerSpec] = []
    sizes: list[SizeCounted] = []


class CollectiveSpec(_Strict):
    """Calls of a collective operation."""

    count: Count | None = None
    bytes: Count | None = None


class CommunicationSpec(_Strict):
    """Messages between processes."""

    p2p: PointToPointSpec | None = None
    collectives: dict[str, CollectiveSpec] = {}


class ClassSpec(_Strict):
    """One thread or process, and how many equal ones there are."""

    name: Name
    members: Positive = 1
    role: Literal["worker", "master"] = "worker"
    instructions: Positive
    mix: MixSpec
    vectors: list[VectorSpec] = []
    ilp: list[IlpSpec] = []
    data_reuse: list[DataReuseSpec] = []
    inst_reuse: list[InstReuseSpec] = []
    branch: BranchSpec | None = None
    registers: RegistersSpec | None = None
    footprint_bytes: Count | None = None
    memory_entropy: list[BitsAt] = []
    heatmap: HeatMapSpec | None = None
    address_map: AddressMapSpec | None = None
    comm: CommunicationSpec | None = None
    external_calls: dict[str, Count] = {}
    openmp_calls: dict[str, Count] = {}


class ApplicationSpec(_Strict):
    """The program and its input."""

    name: str
    parameters: dict[str, Plain] = {}


class SamplingSpec(_Strict):
    """Shares of the run that were analysed."""

    ilp_bursts: Probability | None = None
    reuse_rate: Probability | None = None
    strides: Probability | None = None
    memory_limit: Positive | None = None


class RunSpec(_Strict):
    """How the profile was taken."""

    processes: Positive | None = None
    threads: Positive | None = None
    compiler: str = ""
    flags: str = ""
    tool: str = ""
    tool_version: str = ""
    sampling: SamplingSpec | None = None
    region: Text = ""
    partial: Text = ""


class ExtrapolatedParameterSpec(_Strict):
    """A parameter of the laws: its values in the runs and at the target."""

    name: Name
    log2: StrictBool = False
    smallest: Number
    largest: Number
    target: Number
    distance: Number


class ProfileUsedSpec(_Strict):
    """A profile that laws were fitted to."""

    name: str
    sha256: str = ""


class FittedMetricSpec(_Strict):
    """The law of a metric."""

    of: str = Field(alias="class")
    metric: Name
    unit: Name
    law: Name
    cross_validation_error: Number
    runs: Positive
    value: Number
    low: Number
    high: Number


class ExtrapolationSpec(_Strict):
    """How a profile was extrapolated."""

    parameters: Annotated[list[ExtrapolatedParameterSpec], Field(min_length=1)]
    profiles: list[ProfileUsedSpec] = []
    fits: list[FittedMetricSpec] = []
    warnings: list[str] = []


class ProfileSpec(_Strict):
    """A profile document."""

    schema_: Literal["dse-profile/1"] = Field(alias="schema")
    name: Name
    source: Text = ""
    licence: Text = ""
    notes: str = ""
    synthetic: StrictBool = False
    application: ApplicationSpec = ApplicationSpec(name="")
    run: RunSpec = RunSpec()
    classes: Annotated[list[ClassSpec], Field(min_length=1)]
    extrapolation: ExtrapolationSpec | None = None
