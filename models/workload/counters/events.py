"""Events of hardware counters: which of them count a part of a profile, and which are the machine's."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["EVENTS", "is_of_the_machine", "parts_counted"]

EVENTS: Mapping[str, tuple[str, ...]] = {
    "instructions": ("instructions", "inst_retired.any", "instr_retired_any", "papi_tot_ins"),
    "load": ("mem_inst_retired.all_loads", "mem_inst_retired_all_loads", "papi_ld_ins", "l1-dcache-loads"),
    "store": ("mem_inst_retired.all_stores", "mem_inst_retired_all_stores", "papi_sr_ins", "l1-dcache-stores"),
    "control": (
        "branches",
        "branch-instructions",
        "br_inst_retired.all_branches",
        "br_inst_retired_all_branches",
        "papi_br_ins",
    ),
    "fp": ("papi_fp_ins",),
}
"""The events that count a part of a profile, in lower case, the best first."""

_FLOAT = re.compile(r"fp_arith_inst_retired[._](scalar|128b_packed|256b_packed|512b_packed)_(single|double)")
"""By width and precision: no instruction is in two of them, so they may be added.

After Intel's description of the events, from memory: a fused multiply-add counts twice."""

_MACHINE = re.compile(
    r"cycles|clk_unhalted|_cyc$|miss|misp|_msp$|cache-ref|llc|cas_count|clock|switches|migrations|faults|duration|stall|stl"
    r"|energy|pwr|temp|tlb|uops|slots|topdown|prefetch|bus-|papi_l[123]_|papi_ca_|^l[123][._-]|^time"
)


def is_of_the_machine(event: str) -> bool:
    """Say whether an event tells of the machine that ran the program: cycles, misses, switches, energy."""
    return _MACHINE.search(event.casefold()) is not None


def parts_counted(totals: Mapping[str, float]) -> tuple[dict[str, float], set[str], list[str]]:
    """Take the parts of a profile out of counts by event.

    Parameters
    ----------
    totals : dict of str to float

    Returns
    -------
    dict of str to float
        By part: of several events that count one part the best of `EVENTS`. Floating point without such an event is the
        sum of ``fp_arith_inst_retired`` over widths and precisions.
    set of str
        The events that count a part, taken or not.
    list of str
        What weakens them.
    """
    names = {event.casefold(): event for event in reversed(list(totals))}
    known = {names[event] for events in EVENTS.values() for event in events if event in names}
    parts = {}
    for part, events in EVENTS.items():
        having = [names[event] for event in events if event in names]
        if having:
            parts[part] = totals[having[0]]
    widths = [event for event in totals if _FLOAT.fullmatch(event.casefold())]
    if not widths or "fp" in parts:
        return parts, known | set(widths), []
    parts["fp"] = sum(totals[event] for event in widths)
    note = (
        f"fp is {' + '.join(widths)}: widths that were not counted are left out, and a fused multiply-add counts twice"
    )
    return parts, known | set(widths), [note]
