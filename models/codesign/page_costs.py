"""What the pages of a rank cost, as a component, where a machine's costs were measured (``dse profile machine``).

The slot ``page_costs`` takes ``none`` (default: the published model has no pages), ``faults`` or ``measured``. A page
is given to a rank when it first touches it, once in the run however often that is repeated,

    page_fault_time = rank_memory / page_size * page_fault_cost

and what the table of translations does not hold is walked for,

    translation_time = references * misses(tlb_entries pages) * tlb_miss_cost

with misses from the reuse distances of pages, which a profile has that was recorded with lines of the page's size too
(``--lines 64,128,4096``). The cost is that of a read among independent ones, since walks overlap as misses do (ours).

A page is zeroed as it is given, through the caches. So where its cost is counted, the first touches of lines find them
there: level 2 answers them, not the memory, as far as a page is smaller than level 2 (ours).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.errors import InputError
from dse.models.codesign.points import each_point
from dse.models.codesign.run import compute_time
from dse.models.processor.program.hierarchy import level_hits
from dse.models.processor.program.program import reuse_of
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_OURS = "ours: pages are touched once and walked for by reuse of pages"
_FAULTS: dict[str, Any] = {"slot": "page_costs", "provider": "faults"}
_MEASURED: dict[str, Any] = {"slot": "page_costs", "provider": "measured"}
_ERROR: dict[str, Any] = {"error": compute_time.error, "band": compute_time.band, "valid": compute_time.valid}

page_fault_cost = parameter(unit="s", doc="Time of the first touch of a page", minimum=0)
tlb_miss_cost = parameter(unit="s", doc="Time a read takes longer whose page has no translation at hand", minimum=0)
page_size = assumption(4096, unit="B", source="x86-64 and most ARM systems without large pages", doc="A page", above=0)
tlb_entries = assumption(
    2048,
    unit="1",
    source="Intel 64 and IA-32 Architectures Optimization Reference Manual: second level of Sunny Cove and later",
    doc="Pages that the table of translations of a core holds",
    above=0,
)


def _page_fault_time(rank_memory, page_size, page_fault_cost):
    """Time of the first touches of all pages of a rank."""
    return rank_memory / page_size * page_fault_cost


def _arriving(memory_fraction, l1_hit_fraction, l2_hit_fraction, l3_hit_fraction):
    """Accesses per instruction that arrive at level 2, at level 3 and at the memory."""
    below = (l1_hit_fraction, l2_hit_fraction, l3_hit_fraction)
    return tuple(memory_fraction * (1.0 - answered_above) for answered_above in below)


def _arriving_with_zeroed_pages(
    memory_fraction, l1_hit_fraction, l2_hit_fraction, l3_hit_fraction, first_touch_fraction, l2_size, page_size
):
    """Accesses per instruction that arrive at level 2, at level 3 and at the memory; first touches end at level 2."""
    below = (l1_hit_fraction, l2_hit_fraction, l3_hit_fraction)
    second, third, memory = (memory_fraction * (1.0 - answered_above) for answered_above in below)
    zeroed = np.where(np.greater(l2_size, page_size), memory_fraction * first_touch_fraction, 0.0)
    return second, np.maximum(third - zeroed, 0.0), np.maximum(memory - zeroed, 0.0)


@once_per_combination
def _first_touches(profile, vector_width, cache_line):
    whole = level_hits(reuse_of(profile, vector_width), np.inf, cache_line)
    return np.maximum(1.0 - whole, 0.0)


def _first_touch_fraction(profile, vector_width, cache_line, run_processes, problem_size, problem_size_2):
    """Share of the accesses of a rank that touch a line for the first time."""
    point = (run_processes, problem_size, problem_size_2)
    return each_point((profile,), point, _first_touches, vector_width, cache_line)


_ARRIVING = {"l2_accesses": "1", "l3_accesses": "1", "dram_accesses": "1"}
_TOUCHES: dict[str, Any] = {"unit": "1", "name": "first_touch_fraction", "source": _OURS, "points_only": True}
accesses = quantities(
    gives=_ARRIVING,
    source=f"{ANGHEL_2017}, Section 4.2.1",
    slot="page_costs",
    provider="none",
    default=True,
)(_arriving)
accesses_after_faults = quantities(gives=_ARRIVING, source=_OURS, **_FAULTS)(_arriving_with_zeroed_pages)
accesses_after_costs = quantities(gives=_ARRIVING, source=_OURS, **_MEASURED)(_arriving_with_zeroed_pages)
touches_after_faults = quantity(**_TOUCHES, **_FAULTS)(_first_touch_fraction)
touches_after_costs = quantity(**_TOUCHES, **_MEASURED)(_first_touch_fraction)
faults_of_pages = quantity(unit="s", name="page_fault_time", source=_OURS, **_FAULTS)(_page_fault_time)
faults_beside_walks = quantity(unit="s", name="page_fault_time", source=_OURS, **_MEASURED)(_page_fault_time)


@quantity(unit="1", source=_OURS, points_only=True, **_MEASURED)
def tlb_misses(profile, page_size, tlb_entries, run_processes, problem_size, problem_size_2):
    """References of a rank whose page the table of translations does not hold, of a recorded run."""
    return each_point((profile,), (run_processes, problem_size, problem_size_2), _walked, page_size, tlb_entries)


@once_per_combination
def _walked(profile, page_size, tlb_entries):
    pages = [entry for entry in profile.only.data_reuse if entry.line == float(np.ravel(page_size)[0])]
    if not pages:
        raise InputError(
            f"'{profile.name}' has no reuse distances of pages",
            key="use.page_costs",
            allowed='"none", "faults", or a profile recorded with --lines 64,128,4096',
        )
    hits = pages[0].hit_fraction(np.asarray(tlb_entries, dtype=float))
    return pages[0].references * (1.0 - hits)


@quantity(unit="s", source=_OURS, **_MEASURED)
def translation_time(tlb_misses, tlb_miss_cost, repetitions):
    """Time of walks for the pages of a rank in the whole run."""
    return repetitions * tlb_misses * tlb_miss_cost


@quantity(unit="s", name="compute_time", source=f"{compute_time.source}; {_OURS}", **_FAULTS, **_ERROR)
def compute_time_with_faults(run_time, repetitions, rank_imbalance, reuse_at_cliff, profile_distance, page_fault_time):
    """Time that the slowest rank computes in the whole run, and is given its pages."""
    return repetitions * run_time * rank_imbalance + page_fault_time


@quantity(unit="s", name="compute_time", source=f"{compute_time.source}; {_OURS}", **_MEASURED, **_ERROR)
def compute_time_with_pages(
    run_time, repetitions, rank_imbalance, reuse_at_cliff, profile_distance, page_fault_time, translation_time
):
    """Time that the slowest rank computes in the whole run, is given its pages and walks for them."""
    return repetitions * run_time * rank_imbalance + page_fault_time + translation_time
