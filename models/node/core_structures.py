"""What a core has beyond that which its area and power are charged for, as ratios: above 1 it comes for nothing.

The tables tie everything in a core to its width, which is the dispatch width of the processor model: 32 entries of the
reorder buffer and 16 of the windows per width, functional units, ports to the data cache, issue width. What a study
varies beside the width costs the same whatever it is, so designs that have more are marked; those that have less are
charged for more than they have.
"""

from __future__ import annotations

import numpy as np

from dse.authoring.declare.declaration import assumption, quantities, quantity
from dse.authoring.watch.memoise import once_per_combination
from dse.models.node.inputs import MCPAT
from dse.models.power.core_grids import ORDERS, WIDTHS, unit_counts

__all__ = ["MARKS"]

MARKS = {
    "window_power_not_modelled": (1.0, 1.0),
    **{
        f"{structure}_power_not_modelled": (0.0, 1.0)
        for structure in ("queue", "units", "issue", "miss_registers", "ways")
    },
}
"""Ratios of what a core has to what it is charged for, and where they hold."""

_REORDER, _WINDOW = 32.0, 16.0  # entries per width in the tables
_PORTS = 4.0  # cores of this width on have a second port to the data cache, out of order
_BRANCHES = 4.0  # width per branch unit
_L1_WAYS, _L2_WAYS, _L3_WAYS = 8.0, 8.0, 16.0

charged_miss_registers = assumption(
    16,
    unit="1",
    source="miss buffers of the processor descriptions that come with McPAT (recalled, confidence low)",
    doc="Miss registers that the level 1 data cache is charged for",
    above=0,
    integer=True,
)

_WINDOWS = {"window_power_not_modelled": "1", "queue_power_not_modelled": "1"}


@quantities(
    gives=_WINDOWS,
    source="the tables tie reorder buffer and windows to the width, 32 and 16 entries each: others cost the same",
    slot="core_order",
    provider="out-of-order",
    default=True,
)
def out_of_order_windows(reorder_buffer, issue_queue, dispatch_width):
    """Entries of reorder buffer and issue queue over those that area and power are charged for."""
    return reorder_buffer / (_REORDER * dispatch_width), issue_queue / (_WINDOW * dispatch_width)


@quantities(
    gives=_WINDOWS, source="in-order cores of the tables have no windows", slot="core_order", provider="in-order"
)
def strict_order_windows():
    """Entries of reorder buffer and issue queue over those that area and power are charged for: there are none."""
    return np.ones(1), np.ones(1)


@quantities(
    gives={f"charged_{kind}_units": "1" for kind in ("integer", "float", "memory", "control")},
    source=f"{MCPAT}: units and ports of its cores by width; ours: a branch unit per four of the width",
    points_only=True,
)
@once_per_combination
def charged_units(dispatch_width, in_order):
    """Units of a core that area and power are charged for: what the tables' core of this width has."""
    ordered = np.greater(in_order, 0.0)

    def counted(part: str) -> np.ndarray:
        counted_widths = []
        for order in ORDERS:
            counts = unit_counts(part)[ORDERS.index(order)]
            there = ~np.isnan(counts)
            counted_widths.append(np.interp(dispatch_width, np.array(WIDTHS, dtype=float)[there], counts[there]))
        result: np.ndarray = np.where(ordered, counted_widths[0], counted_widths[1])
        return result

    ports = np.where(~ordered & np.greater_equal(dispatch_width, _PORTS), 2.0, 1.0)
    return counted("alus"), counted("fpus"), ports, np.ceil(dispatch_width / _BRANCHES)


@quantity(unit="1", source="the tables tie units to the width: others cost the same")
def units_power_not_modelled(
    integer_units,
    float_units,
    memory_units,
    control_units,
    vector_units,
    vector_width,
    charged_integer_units,
    charged_float_units,
    charged_memory_units,
    charged_control_units,
):
    """Units of the kind that exceeds most what area and power are charged for, over these.

    Vector units are charged for lanes beyond 64 bits, so the first lane of each has to be a floating-point unit.
    """
    vectors = np.where(np.greater(vector_width, 0.0), vector_units, 0.0)
    scalar = np.maximum(integer_units / charged_integer_units, np.maximum(float_units, vectors) / charged_float_units)
    other = np.maximum(memory_units / charged_memory_units, control_units / charged_control_units)
    return np.maximum(scalar, other)


@quantity(unit="1", source="the tables' cores issue as many as they dispatch: a wider issue costs the same")
def issue_power_not_modelled(issue_width, dispatch_width):
    """Issue width over that which area and power are charged for."""
    return issue_width / dispatch_width


@quantity(
    unit="1",
    name="miss_registers_power_not_modelled",
    source="the tables' cores all have the same: others cost the same",
    slot="processor_model",
    provider="interaction",
    default=True,
)
def miss_registers_in_use(miss_registers, charged_miss_registers):
    """Miss registers over those that area and power are charged for."""
    return miss_registers / charged_miss_registers


@quantity(
    unit="1",
    name="miss_registers_power_not_modelled",
    source="independent events need none",
    slot="processor_model",
    provider="independent",
)
def no_miss_registers():
    """Miss registers over those that area and power are charged for: none are read."""
    return np.zeros(1)


@quantity(
    unit="1",
    name="ways_power_not_modelled",
    source="fully associative caches approximate hit fractions; area and power are those of 8, 8 and 16 ways",
    slot="cache_organisation",
    provider="fully-associative",
    default=True,
)
def ways_of_the_tables():
    """Ways of the level that exceeds most what area and power are charged for, over these: no ways are given."""
    return np.ones(1)


@quantity(
    unit="1",
    name="ways_power_not_modelled",
    source=f"{MCPAT}: its caches have 8, 8 and 16 ways, and others cost the same",
    slot="cache_organisation",
    provider="set-associative",
)
def ways_of_the_study(l1_ways, l2_ways, l3_ways):
    """Ways of the level that exceeds most what area and power are charged for, over these."""
    return np.maximum(np.maximum(l1_ways / _L1_WAYS, l2_ways / _L2_WAYS), l3_ways / _L3_WAYS)
