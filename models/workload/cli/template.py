"""A commented profile to start from: an example that runs, or one that takes over what counters determine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dse.models.workload.counters.counters import Counters
from dse.models.workload.profile.profile import CLASSES, PARTS
from dse.models.workload.profile.schema import SCHEMA

__all__ = ["Template", "profile_template"]

_MIX: Mapping[str, tuple[int, str]] = {
    "load": (240_000_000, "reads of memory"),
    "store": (80_000_000, "writes to memory"),
    "addr": (120_000_000, "computing addresses"),
    "int": (280_000_000, "other integer instructions"),
    "fp": (120_000_000, "floating point"),
    "control": (140_000_000, "branches, calls, returns"),
    "vector_move": (0, "moving elements of vectors"),
    "other": (20_000_000, "whatever is left; the eight add up to instructions"),
    "int_arith": (160_000_000, "part of int"),
    "int_mul": (10_000_000, "part of int_arith"),
    "int_div": (1_000_000, "part of int_arith"),
    "fp_mul": (50_000_000, "part of fp"),
    "fp_div": (2_000_000, "part of fp"),
}
_INSTRUCTIONS = sum(_MIX[name][0] for name in CLASSES)
_SPANS = (
    ("span", 166_666_667, "instructions / ILP"),
    ("span_mem", 128_000_000, "of loads and stores alone"),
    ("span_int", 50_000_000, "of int and addr alone"),
    ("span_control", 23_333_333, "of branches alone"),
    ("span_fp", 30_000_000, "of floating point alone"),
)
_WINDOWS = (("64", 1.0), ("192", 6 / 11), ('"inf"', 0.25))
_REUSE = "[[0, 130000000], [1, 60000000], [63, 80000000], [1023, 30000000], [16383, 15000000]]"
_ASKED = {
    "ilp": "length of the longest chain of dependent instructions, by window",
    "data_reuse": "different cache lines touched between two touches of one line",
    "branch.entropy": "bits per branch, after so many outcomes of history (a miss rate is a machine's)",
    "footprint_bytes": "bytes the program touches",
}


@dataclass(frozen=True)
class Template:
    """A profile in TOML, and the names of what it still lacks."""

    text: str
    missing: tuple[str, ...]


def profile_template(name: str, counters: Counters | None = None, source: str = "") -> Template:
    """Write a profile: an example with made-up figures, or what counters determine and the rest by name."""
    counts = counters.counts if counters is not None else {part: count for part, (count, _) in _MIX.items()}
    instructions = counts["instructions"] if counters is not None else _INSTRUCTIONS
    lacking = [part for part in _MIX if part not in counts]
    left = instructions - sum(counts.get(part, 0) for part in CLASSES)
    origin, why = "made up, to start from", "# true: figures that nobody measured"
    shared = []
    if counters is not None:
        origin = f"{source}; " if source else ""
        origin += f"counted with {counters.tool}: {', '.join(counts)}; the rest was not counted"
        why = "# true as long as a figure below is not measured; `source` names those that are"
        if counters.together:
            shared = [
                f"# {counters.tool} counted {counters.threads} threads together: here stands the equal share of one."
            ]
    lines = [
        "# A workload profile: what a program asks of any machine. Counts are of one thread.",
        *shared,
        '# `dse profile show FILE` checks and shows it; a study reads it by [tables.profile] file = "FILE".',
        "",
        f'schema = "{SCHEMA}"',
        f'name = "{name}"',
        f'source = "{origin}"',
        f"synthetic = true          {why}",
        "",
        "[[classes]]",
        'name = "thread"',
        f"members = {counters.threads if counters is not None else 1}               # equal threads or processes",
        f"instructions = {instructions}",
        "footprint_bytes = 67108864  # bytes the program touches" if counters is None else "# footprint_bytes = …",
        "",
        "[classes.mix]",
    ]
    if lacking:
        rest = [part for part in lacking if part in CLASSES]
        lines += [f"# Not counted: {', '.join(lacking)}.", f"# Together {' + '.join(rest)} are {left}."]
    for part, (_, doc) in _MIX.items():
        whole = f"; of {PARTS[part]}" if part in PARTS and not doc.startswith("part") else ""
        value = f"{part} = {counts[part]}" if part in counts else f"# {part} = …"
        lines.append(f"{value:<26}# {doc}{whole}")
    example = counters is None
    lines += [
        "",
        "# Parallelism: chains of dependent instructions, by window: the issue queues of a study, 16 to 192 say.",
        '# Where processors differ in theirs, two windows at least; "inf" is no queue and does not count as one.',
        *_ilp(example),
    ]
    lines += ["", "# Locality: [most other lines touched in between, references], for lines of 64 bytes."]
    references = counts.get("load", 0) + counts.get("store", 0)
    reuse = ["[[classes.data_reuse]]", "line_bytes = 64", f"references = {references}", f"histogram = {_REUSE}"]
    lines += reuse if example else _aside(reuse)
    branch = ["[classes.branch]", f"events = {counts.get('control', 0)}", "conditional_only = false"]
    branch.append("entropy = [[0, 0.20], [8, 0.06], [16, 0.02]]      # [outcomes of history, bits per branch]")
    lines += ["", "# Branches: how well their outcomes can be predicted.", *(branch if example else _aside(branch))]
    missing = () if example else (*(f"mix.{part}" for part in lacking), *_ASKED)
    return Template("\n".join(lines) + "\n", missing)


def _ilp(example: bool) -> list[str]:
    lines = []
    for window, factor in _WINDOWS:
        lines += ["[[classes.ilp]]", f"window = {window}", 'order = "ooo"']
        lines += [f"{name} = {round(span * factor)}  # {doc}" for name, span, doc in _SPANS]
    return lines if example else _aside(lines)


def _aside(lines: list[str]) -> list[str]:
    """Return lines as remarks; figures of the example would pass for measured ones."""
    return [f"# {line.split(' = ')[0]} = …" if " = " in line else f"# {line}" for line in lines]
