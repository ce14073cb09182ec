"""What a mean instruction of the program does, as quantities: read from the profile by vector width and window."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantities, quantity
from dse.authoring.watch.memoise import distinct, once_per_combination
from dse.models.processor.program.behaviour import CORRECTED
from dse.models.processor.program.events import MISMATCH, EventRates, Reuse, data_curves, event_rates
from dse.models.processor.program.vector_memo import fitted
from dse.models.sources import ANGHEL_2017
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = ["RATES", "rates_of", "reuse_of"]

RATES = (
    "instructions",
    "memory_fraction",
    "address_fraction",
    "integer_fraction",
    "integer_arithmetic_fraction",
    "integer_multiply_fraction",
    "integer_divide_fraction",
    "float_fraction",
    "float_multiply_fraction",
    "float_divide_fraction",
    "control_fraction",
    "scalar_integer_fraction",
    "scalar_float_fraction",
    "vector_fraction",
    "float_operations",
    "store_share",
    "access_bytes",
    "ilp",
    "memory_ilp",
    "integer_ilp",
    "control_ilp",
    "float_ilp",
    "common_memory_ilp",
    "common_integer_ilp",
    "common_control_ilp",
    "common_float_ilp",
)
"""Quantities of a program, by the names of `events.EventRates`."""


def rates_of(profile: WorkloadProfile, vector_width: Any, issue_queue: Any, in_order: Any) -> EventRates:
    """Return the rates of a profile with one class of threads."""
    widths, queues, order = (np.asarray(value, dtype=float) for value in (vector_width, issue_queue, in_order))
    return event_rates(profile.only, widths, CORRECTED, in_order=order, window=queues)


def reuse_of(profile: WorkloadProfile, vector_width: Any) -> Reuse:
    """Return the reuse curves of a profile at these vector widths."""
    widths, choice = distinct(vector_width)
    return Reuse(tuple(data_curves(fitted(profile.only, width), CORRECTED) for width in widths.tolist()), choice)


@quantity(
    unit="1", source="ours: one window tells little about queues that are much longer or shorter", points_only=True
)
@once_per_combination
def window_mismatch(profile, issue_queue):
    """How many times longer or shorter the issue queue is than the nearest window of the profile."""
    return np.asarray(profile.only.window_mismatch(np.asarray(issue_queue, dtype=float)), dtype=float)


@quantities(
    gives=dict.fromkeys(RATES, "1") | {"access_bytes": "B"},
    source=f"{ANGHEL_2017}, Section 3.3 (counts and spans of the profile; vectors split to the width of the machine)",
    valid={"window_mismatch": (0.0, MISMATCH)},
    points_only=True,
)
@once_per_combination
def program_rates(profile, vector_width, issue_queue, in_order, window_mismatch):
    """What a mean instruction does: fractions by class, parallelism in a window of the issue queue."""
    program = rates_of(profile, vector_width, issue_queue, in_order)
    return tuple(np.asarray(getattr(program, name), dtype=float) for name in RATES)


@quantity(unit="1", source="the study", name="in_order", slot="core_order", provider="out-of-order", default=True)
def out_of_order():
    """0: instructions may overtake one another."""
    return np.zeros(1)


@quantity(unit="1", source="the study", name="in_order", slot="core_order", provider="in-order")
def strict_order():
    """1: instructions issue in the order of the program."""
    return np.ones(1)
