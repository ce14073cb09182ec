"""The measured profiles, and variants that exercise what they do not: documents and what is read from them."""

from __future__ import annotations

import copy
import functools
import json

from dse.models.workload.profile.profile import ProcessClass
from dse.models.workload.profile.reading import bundled_profiles, parse_profile


@functools.cache
def _text(name: str) -> str:
    return bundled_profiles()[f"graph500-seq-{name}"].read_text(encoding="utf-8")


def document(name: str) -> dict:
    """A measured profile: "csr" or "list"."""
    return json.loads(_text(name))


def thread_of(found: dict) -> ProcessClass:
    return parse_profile(found).only


@functools.cache
def measured(name: str) -> ProcessClass:
    return thread_of(document(name))


def with_long_lines(name: str) -> dict:
    """With an invented histogram for lines of 128 B: half the distances, and more references at 0."""
    found = document(name)
    short = found["classes"][0]["data_reuse"][0]
    moved = [[distance // 2, count] for distance, count in short["histogram"]]
    joined: dict[int, int] = {}
    for distance, count in moved:
        joined[distance] = joined.get(distance, 0) + count
    long = {"line_bytes": 128, "references": short["references"], "histogram": [list(pair) for pair in joined.items()]}
    found["classes"][0]["data_reuse"].append(long)
    return found


def _stretched(found: dict, **factors: float) -> dict:
    """The spans of the measured window times a factor by name, or else by "rest"; few enough for the operations."""
    block = found["classes"][0]["ilp"][0]
    spans = {key: value for key, value in block.items() if key.startswith("span")}
    spans = {key: int(factors.get(key, factors["rest"]) * value) for key, value in spans.items()}
    return {**spans, "span_fp": block["span_fp"]}


def with_in_order(name: str) -> dict:
    """With invented in-order spans, 1.5 times as long."""
    found = document(name)
    found["classes"][0]["ilp"].append({"window": 54, "order": "in", **_stretched(found, rest=1.5)})
    return found


def serial_but_for_memory(name: str) -> dict:
    """With little parallelism but much among accesses."""
    found = document(name)
    found["classes"][0]["ilp"] = [{"window": 54, "order": "ooo", **_stretched(found, rest=5.0, span_mem=0.05)}]
    return found


def with_windows(name: str, windows: dict) -> dict:
    """With spans stretched by a factor for each of several windows instead of the measured one."""
    found = document(name)
    blocks = [
        {"window": window, "order": "ooo", **_stretched(found, rest=factor)} for window, factor in windows.items()
    ]
    found["classes"][0]["ilp"] = blocks
    return found


def without_floats(name: str) -> dict:
    """Floating-point operations counted as integer ones, their vectors dropped."""
    found = document(name)
    thread = found["classes"][0]
    thread["mix"]["int"] += thread["mix"].pop("fp")
    thread["mix"].update(fp=0, fp_mul=0, fp_div=0)
    thread["vectors"] = [entry for entry in thread["vectors"] if not entry["class"].startswith("fp")]
    for block in thread["ilp"]:
        block["span_fp"] = 0
        block.pop("printed", None)
    return found


def without_branches(name: str) -> dict:
    found = document(name)
    del found["classes"][0]["branch"]
    return found


def with_instruction_reuse(name: str) -> dict:
    """With an invented histogram of instruction lines of 16 instructions."""
    found = document(name)
    thread = found["classes"][0]
    bins = [[0, 0.8], [1, 0.1], [64, 0.05], [512, 0.04]]
    histogram = [[distance, int(share * thread["instructions"])] for distance, share in bins]
    thread["inst_reuse"] = [{"line_instructions": 16, "references": thread["instructions"], "histogram": histogram}]
    return found


def without_types(name: str) -> dict:
    """Without parallelism by type."""
    found = document(name)
    for block in found["classes"][0]["ilp"]:
        for key in [key for key in block if key.startswith("span_") or key == "printed"]:
            del block[key]
    return found


def vectorised(name: str) -> dict:
    """With more vectors, of several lengths and sizes, some of unknown size, in every class."""
    found = copy.deepcopy(document(name))
    thread = found["classes"][0]
    extra = [("load", 8, 32, 3_000_000), ("store", 4, 128, 1_000_000), ("addr", 4, 0, 2_000_000)]
    extra += [("int", 2, 64, 4_000_000), ("int", 4, 32, 5_000_000), ("int_arith", 4, 32, 4_000_000)]
    extra += [("int_mul", 4, 32, 1_000_000), ("fp", 8, 64, 20_000), ("fp_mul", 8, 64, 10_000)]
    extra += [("vector_move", 2, 64, 1000), ("vector_move", 4, 32, 5000), ("other", 4, 64, 3000)]
    thread["vectors"] += [{"class": c, "length": length, "bits": b, "count": n} for c, length, b, n in extra]
    thread["mix"]["vector_move"] += 6000
    thread["mix"]["other"] -= 6000
    return found


VARIANTS = {
    "csr": lambda: document("csr"),
    "list": lambda: document("list"),
    "csr, lines of 128 B": lambda: with_long_lines("csr"),
    "list, in order": lambda: with_in_order("list"),
    "csr, serial but for memory": lambda: serial_but_for_memory("csr"),
    "csr, windows 24 and 96": lambda: with_windows("csr", {24: 1.4, 96: 0.8, "inf": 0.2}),
    "list without floats": lambda: without_floats("list"),
    "csr without branches": lambda: without_branches("csr"),
    "csr, many vectors": lambda: vectorised("csr"),
}
