"""The instruction mix of PISA files in its three layouts.

*nested* (current)
    an entry is a list with one object: totals, and counts by vector length and type of the elements;
*flat* (early)
    an entry is a number; lengths and types of elements stand beside it and are not kept apart by vector length;
*totals* (earliest)
    flat, with one number for all integer and one for all floating-point operations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dse.errors import InputError
from dse.models.workload.pisa.values import at, listed, table, whole
from dse.models.workload.profile.profile import CLASSES

__all__ = ["InstructionMix", "read_mix"]

_LENGTHS = (1, 2, 4, 8, 16)
_TOLERANCE = 1e-9  # of the instructions, by which the classes may miss them

_DIVISIONS = [f"int_arith_{name}" for name in ("udiv", "sdiv", "urem", "srem")]
_ARITHMETIC = ["int_arith_add", "int_arith_sub", "int_arith_mul", *_DIVISIONS]
_BITWISE = [
    f"bitwise_{name}" for name in ("and", "or", "xor", "shift_left", "logical_shift_right", "arith_shift_right")
]
_CONVERSIONS = [
    f"conversion_{name}"
    for name in (
        "trunc",
        "zext",
        "sext",
        "fptrunc",
        "fpext",
        "fptoui",
        "fptosi",
        "uitofp",
        "sitofp",
        "inttoptr",
        "ptrtoint",
        "bitcast",
        "address_space_cast",
    )
]
_MOVES = ("vector_extract_element", "vector_insert_element", "vector_shuffle_vector")
_ENTRIES: dict[str, Sequence[str]] = {
    "load": ["load"],
    "store": ["store"],
    "addr": ["address_arith_get_elem_ptr_arith", "address_arith_alloca_arith"],
    "int_mul": ["int_arith_mul"],
    "int_div": _DIVISIONS,
    "int_arith": _ARITHMETIC,
    "int": [*_ARITHMETIC, *_BITWISE, "int_cmp", *_CONVERSIONS],
    "fp_mul": ["fp_arith_mul"],
    "fp_div": ["fp_arith_div", "fp_arith_rem"],
    "fp": [*(f"fp_arith_{name}" for name in ("add", "sub", "mul", "div", "rem")), "fp_cmp"],
    "control": ["control"],
    "vector_move": [*(f"llvm_{name}" for name in _MOVES), *_MOVES],
    "other": [
        "misc_select",
        "aggregate_extract_value",
        "aggregate_insert_value",
        "atomic_memory",
        "phi",
        "sync",
        "misc_landingpad",
        "misc_va_arg",
    ],
}
_TOTALS: dict[str, Sequence[str]] = {
    "load": ["load"],
    "store": ["store"],
    "addr": ["address_arith"],
    "int_mul": ["int_mul"],
    "int_div": [f"int_{name}" for name in ("udiv", "sdiv", "urem", "srem")],
    "int_arith": ["total_integer_arith"],
    "int": ["total_integer_arith"],
    "fp_mul": ["fp_mul"],
    "fp_div": ["fp_div", "fp_rem"],
    "fp": ["total_fp_arith"],
    "control": ["control"],
    "vector_move": [],
    "other": ["misc"],
}


@dataclass(frozen=True)
class InstructionMix:
    """Counts of a thread."""

    instructions: int
    counts: Mapping[str, int]
    vectors: list[dict[str, Any]]
    warnings: list[str]

    @property
    def of_type(self) -> dict[str, int]:
        """Instructions by type of ILP."""
        c = self.counts
        mem, integer = c["load"] + c["store"], c["int"] + c["addr"]
        return {"all": self.instructions, "mem": mem, "int": integer, "control": c["control"], "fp": c["fp"]}


def read_mix(mix: Mapping[str, Any], key: str) -> InstructionMix:
    """Read the instruction mix of a thread, in whatever layout."""
    if "instructions_analyzed" not in mix:
        raise InputError("is missing", key=at(key, "instructions_analyzed"))
    instructions = whole(mix["instructions_analyzed"], at(key, "instructions_analyzed"))
    layout = _TOTALS if "total_integer_arith_instructions" in mix else _ENTRIES
    counts: dict[str, int] = {}
    vectors: list[dict[str, Any]] = []
    flat = False
    for name, entries in layout.items():
        counts[name] = 0
        cells: Counter[tuple[int, int]] = Counter()
        for entry in entries:
            value = mix.get(f"{entry}_instructions", 0)
            total, cells_of_entry = _entry(value, at(key, f"{entry}_instructions"))
            counts[name] += total
            cells.update(cells_of_entry)
            flat = flat or (name == "load" and not isinstance(value, list))
        vectors += [
            {"class": name, "length": length, "bits": bits, "count": count}
            for (length, bits), count in sorted(cells.items())
            if count
        ]
    total = sum(counts[name] for name in CLASSES)
    warnings = []
    if total < instructions and layout is _ENTRIES and not any(name.startswith("bitwise_") for name in mix):
        # Some files have no entries for bitwise operations; the ILP they print shows that these are what is missing.
        warnings.append(f"no entries for bitwise operations: the {instructions - total} missing instructions are those")
        counts["int"] += instructions - total
        total = instructions
    if abs(total - instructions) > _TOLERANCE * instructions:
        raise InputError(
            f"the classes add up to {total}", key=key, allowed=f"{instructions}, as instructions_analyzed says"
        )
    if total != instructions:
        warnings.append(f"the classes add up to {total}, not to {instructions}; the sum is kept")
    if layout is _TOTALS:
        warnings.append("compares, conversions and selections are not told apart from other instructions")
    if flat:
        warnings.append("the mix does not tell vector lengths; every instruction counts as scalar")
    return InstructionMix(total, counts, vectors, warnings)


def _entry(value: Any, key: str) -> tuple[int, Counter[tuple[int, int]]]:
    """Return the instructions of an entry, and those with more than one element by length and element bits."""
    if not isinstance(value, list):
        return whole(value, key), Counter()
    if not value:
        return 0, Counter()
    if len(value) != 1:
        raise InputError(f"has {len(value)} elements", key=key, allowed="one")
    fields = table(value[0], f"{key}[0]")
    if "total_instructions" not in fields:
        raise InputError("is missing", key=f"{key}[0].total_instructions")
    total = whole(fields["total_instructions"], f"{key}[0].total_instructions")
    held = whole(fields.get("misc_instructions", 0), f"{key}[0].misc_instructions")
    cells: Counter[tuple[int, int]] = Counter()
    for row, where in listed(fields.get("mix", []), f"{key}[0].mix", with_keys=True):
        columns = table(row, where)
        length = whole(columns.get("vector_size", 1), f"{where}.vector_size")
        if length not in _LENGTHS:
            continue  # other lengths end up with the scalar remainder
        for name, count in columns.items():
            bits = _bits(name)
            if bits is not None:
                number = whole(count, f"{where}.{name}")
                held += number
                if length > 1:
                    cells[length, bits] += number
    if held > total:
        raise InputError(f"its parts add up to {held}", key=f"{key}[0]", allowed=f"at most {total}, its total")
    return total, cells


def _bits(name: str) -> int | None:
    """Return the element size a column of the nested mix is about; 0 where unknown; None for sums."""
    if name in ("vector_size", "instructions"):
        return None
    if "bits" in name:
        match = re.search(r"\d+", name)
        bits = int(match.group()) if match else 0
        return next((size for size in (4, 8, 16, 32, 64, 128) if size >= bits), 128) if bits else 0
    return 0 if "misc" in name or "type" in name else None
