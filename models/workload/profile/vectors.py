"""Splitting vector instructions to the width of a machine, so that one profile serves machines of every width.

After the published tool (IBM ExaBounds 2017), which halves each vector instruction that is too long until it fits: two
instructions for one, and for a memory access also an address update and a second half that hits the same line.

Interface
---------
``fit_vectors(process_class, vector_bits) -> ProcessClass``
    The same program on vectors of at most so many bits; 0 for a machine without vector units. The result has the new
    counts, spans and reuse distances for both modes, and can be fitted again to a smaller width.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from dse.errors import InputError
from dse.models.workload.profile.parallelism import TYPES, IlpWindow
from dse.models.workload.profile.profile import CLASSES, PARTS, ProcessClass, VectorCount
from dse.models.workload.profile.reuse import ReuseHistogram

__all__ = ["UNKNOWN_BITS", "fit_vectors"]

UNKNOWN_BITS = 64
"""Element size assumed where the profile does not know it."""


def fit_vectors(process_class: ProcessClass, vector_bits: int) -> ProcessClass:
    """Split the vector instructions that are wider than a machine's vectors.

    Parameters
    ----------
    process_class : ProcessClass
    vector_bits : int
        Bits of the machine's vectors; 0 when it has none.

    Returns
    -------
    ProcessClass
    """
    if vector_bits < 0 or vector_bits != int(vector_bits):
        raise InputError(f"vector_bits = {vector_bits}", allowed="a whole number of bits >= 0")
    if all(entry.length * (entry.bits or UNKNOWN_BITS) <= vector_bits for entry in process_class.vectors):
        return process_class
    mix, accesses = dict(process_class.mix), 0
    cells: defaultdict[tuple[str, int, int], int] = defaultdict(int)
    for entry in process_class.vectors:
        cells[entry.of, entry.length, entry.bits] += entry.count
    for name in (*CLASSES, *PARTS):
        lengths = sorted({length for of, length, _ in cells if of == name}, reverse=True)
        length = lengths[0] if lengths else 1
        while length > 1:
            for bits in sorted({bits for of, held, bits in cells if of == name and held == length}):
                if length * (bits or UNKNOWN_BITS) <= vector_bits:
                    continue
                count = cells.pop((name, length, bits))
                if name == "vector_move" or (name == "other" and length == 2):
                    # A move between vectors is one move at every length; what works on one element needs none.
                    if length == 2:
                        mix[name] -= count
                    else:
                        cells[name, length // 2, bits] += count
                    continue
                mix[name] += count
                if length > 2:
                    cells[name, length // 2, bits] += 2 * count
                if name in ("load", "store"):
                    accesses += count
            length //= 2
    mix["int"] += accesses  # the address of each second half, a scalar addition of 64 bits
    total = sum(mix[name] for name in CLASSES)
    vectors = tuple(VectorCount(*cell, count) for cell, count in sorted(cells.items()) if count)
    fitted = replace(
        process_class,
        instructions=total,
        mix=mix,
        vectors=vectors,
        data_reuse=tuple(_with_siblings(histogram, accesses) for histogram in process_class.data_reuse),
    )
    before, after = process_class.type_counts, fitted.type_counts
    windows = tuple(_respanned(entry, before, after, accesses) for entry in process_class.windows)
    return replace(fitted, windows=windows)


def _with_siblings(histogram: ReuseHistogram, accesses: int) -> ReuseHistogram:
    return replace(histogram, split_references=histogram.split_references + accesses)


def _respanned(entry: IlpWindow, before: dict[str, int], after: dict[str, int], accesses: int) -> IlpWindow:
    """Return the spans after splitting: those of the program, fp and control stay, halves of accesses are serial."""
    if before == after:
        return entry
    added = {"mem": accesses, "int": accesses}
    spans = {name: span + added.get(name, 0) for name, span in entry.spans.items()}
    reference = {}
    for name in ("all", *TYPES):
        if name != "all" and name not in entry.spans:
            continue
        printed = entry.ilp(before, name, "reference")
        span = before[name] / printed if printed else 0.0
        span += added.get(name, 0)
        reference[name] = after[name] / span if span else 0.0
    return IlpWindow(entry.window, entry.order, entry.span, spans, reference)
