"""The JSON Schema of a profile, for editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dse.authoring.document_schema import document_schema
from dse.models.workload.profile.schema import ProfileSpec

__all__ = ["KEYS", "PROFILE_SCHEMA_FILE", "profile_schema"]

PROFILE_SCHEMA_FILE = ".dse/profile.schema.json"
"""Where a profile that `dse init` or `dse profile new` writes finds its schema, from its own folder."""

_DISTANCES = "Distances between two uses of the same line, counted in other lines: [[upper distance, count], …]."
_REUSE = {
    "references": "References counted.",
    "histogram": _DISTANCES,
    "printed": "What the tool printed: [[upper distance, fraction], …].",
    "split_references": "References that cross a line.",
}
_KINDS = (
    *("load", "store", "int_arith", "int_mul", "int_div", "int", "addr", "fp", "fp_mul", "fp_div"),
    *("control", "vector_move", "other"),
)
_SPAN = "Span of it alone, cycles of an ideal machine with this window."
KEYS: Mapping[str, Mapping[str, str]] = {
    "ProfileSpec": {
        "schema": "Always 'dse-profile/1'.",
        "name": "The name of the profile.",
        "source": "Where the counts come from.",
        "licence": "Of the counts.",
        "notes": "Anything else, for people.",
        "synthetic": "true: figures that nobody measured.",
        "application": "The program and its input.",
        "run": "How the profile was taken.",
        "classes": "One for each class of equal threads or processes.",
        "extrapolation": "How a profile at a larger scale was made from those of small runs.",
    },
    "ApplicationSpec": {"name": "The program.", "parameters": "Its input: { n = 4096 }."},
    "RunSpec": {
        "processes": "Processes of the run.",
        "threads": "Threads of each process.",
        "compiler": "The compiler.",
        "flags": "Its flags.",
        "tool": "The profiler.",
        "tool_version": "Its version.",
        "sampling": "Shares of the run that were analysed.",
        "region": "The part of the program that was recorded, empty where it is all of it: 'in solve'.",
        "partial": "Why the profile is not whole, empty where it is.",
    },
    "SamplingSpec": {
        "ilp_bursts": "Share of the instructions whose parallelism was looked at.",
        "reuse_rate": "Share of the lines whose reuse was followed.",
        "strides": "Share of the run in which strides of accesses were looked at.",
        "memory_limit": "Memory of the measurement, bytes.",
    },
    "ClassSpec": {
        "name": "The name of the class.",
        "members": "How many equal threads or processes it has.",
        "role": "'worker', or 'master' of the others.",
        "instructions": "Instructions of one thread.",
        "mix": "Instructions by kind; they add up to `instructions`.",
        "vectors": "Vector instructions by kind, length and size of element.",
        "ilp": "Parallelism of instructions, by window.",
        "data_reuse": "Reuse distances of data, by size of line.",
        "inst_reuse": "Reuse distances of instructions, by size of line.",
        "branch": "How well branches can be predicted.",
        "registers": "Accesses to registers.",
        "footprint_bytes": "Memory that is touched, bytes.",
        "memory_entropy": "Entropy of addresses by size of line: [[bytes, bits], …].",
        "heatmap": "Where the next accesses go, and how soon.",
        "address_map": "Which addresses are accessed, and when.",
        "comm": "Messages between processes.",
        "external_calls": "Calls of libraries that were not profiled, by name.",
        "openmp_calls": "Calls of the OpenMP library, by name.",
    },
    "MixSpec": dict.fromkeys(_KINDS, "Instructions of this kind, counts of one thread."),
    "VectorSpec": {
        "class": "The kind of instruction.",
        "length": "Elements of a vector.",
        "bits": "Size of an element, bits; 0 where it has none.",
        "count": "How many, of one thread.",
    },
    "IlpSpec": {
        "window": "Instructions that are looked at together, or 'inf'.",
        "order": "'ooo': any order, 'in': that of the program, 'base': any, but control "
        "instructions one by one, 'base-wait': so, and others wait for them.",
        "span": "Cycles of an ideal machine with this window.",
        "span_mem": _SPAN,
        "span_int": _SPAN,
        "span_control": _SPAN,
        "span_fp": _SPAN,
        "printed": "Parallelism as the tool printed it.",
    },
    "PrintedIlpSpec": dict.fromkeys(("all", "mem", "int", "control", "fp"), "Instructions per cycle."),
    "DataReuseSpec": {
        **_REUSE,
        "line_bytes": "Size of a line, bytes, or 'address'.",
        "covered": "Share of the references of a bin that a stride prefetcher asks for: [[upper distance, share], …].",
        "covered_first_touches": "The same share of the first touches.",
        "dependent": "Share of the loads beyond a distance that wait for another one: [[distance, share], …].",
    },
    "InstReuseSpec": {**_REUSE, "line_instructions": "Size of a line, instructions, or 'address'."},
    "BranchSpec": {
        "events": "Outcomes counted.",
        "conditional_only": "Only those of conditional branches.",
        "entropy": "Entropy by length of the history: [[history, bits], …].",
        "linear_entropy": "Linear entropy by length of the history: [[history, bits], …].",
        "max_outcome": "Misses of predictors that take the more frequent outcome.",
        "tool_miss_rate": "Share of misses, as the tool printed it.",
    },
    "MaxOutcomeSpec": {
        "history": "Outcomes that are remembered.",
        "table": "Entries of the table.",
        "rule": "The rule of the predictor.",
        "miss_rate": "Share of misses.",
    },
    "RegistersSpec": {"reads": "Registers read.", "writes": "Registers written."},
    "HeatMapSpec": {
        "s_bytes": "Distances in space, bytes.",
        "t": "Distances in time, accesses.",
        "p": "Probability of each pair, a row for each distance in space.",
    },
    "AddressMapSpec": {
        "accesses": "Accesses of all columns.",
        "row_bytes": "Bytes of a row, a power of two.",
        "column_accesses": "Accesses of a column; the last may have fewer.",
        "first_bytes": "First address of each row.",
        "counts": "Accesses, a row for each address.",
    },
    "CommunicationSpec": {
        "p2p": "Messages between two processes.",
        "collectives": "Calls of collective operations, by name.",
    },
    "PointToPointSpec": {
        "messages": "Messages received.",
        "bytes": "Bytes received.",
        "sent_messages": "Messages sent.",
        "sent_bytes": "Bytes sent.",
        "pattern": "The pattern of communication, where it has a name.",
        "peers": "Messages received, by the distance of the sender.",
        "sent_peers": "Messages sent, by the distance of the receiver.",
        "sizes": "Messages by size: [[upper bytes, messages, bytes], …].",
    },
    "PeerSpec": {"offset": "Rank of the other less the own.", "messages": "Messages.", "bytes": "Bytes."},
    "CollectiveSpec": {"count": "Calls.", "bytes": "Bytes of all calls."},
    "ExtrapolationSpec": {
        "parameters": "What was scaled up, with its values in the runs and at the target.",
        "profiles": "The profiles that laws were fitted to.",
        "fits": "The law of each metric.",
        "warnings": "What weakens it.",
    },
    "ExtrapolatedParameterSpec": {
        "name": "The parameter.",
        "log2": "Its logarithm was taken.",
        "smallest": "The least in the runs.",
        "largest": "The most in the runs.",
        "target": "The value it was extrapolated to.",
        "distance": "How far the target is from the runs.",
    },
    "ProfileUsedSpec": {"name": "The profile.", "sha256": "Of its file."},
    "FittedMetricSpec": {
        "class": "The class of threads.",
        "metric": "What is fitted.",
        "unit": "Its unit.",
        "law": "The law.",
        "cross_validation_error": "Of the law, as a share.",
        "runs": "How many runs it was fitted to.",
        "value": "At the target.",
        "low": "The lower end of its interval.",
        "high": "The upper end of its interval.",
    },
}
"""What each key of a profile is, by model of `dse.models.workload.profile.schema` and key."""


def profile_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 7) of a profile document."""
    return document_schema(ProfileSpec, "A workload profile of dse", KEYS)
