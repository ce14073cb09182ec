"""Area of the chip from its parts, and what it costs next to others.

Costs are those of silicon only, in units of a wafer: no masks, design, packaging or test, which can be larger.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import assumption, quantity
from dse.models.node.inputs import MCPAT
from dse.models.power.chip import chip_area as area_of_parts
from dse.models.power.chip import die_cost, die_yield, dies_per_wafer
from dse.models.sources import HENNESSY_2019, STAPPER_1983

__all__: list[str] = []

unlisted_area_share = assumption(
    0.2,
    unit="1",
    source="ours: McPAT gives five example chips 6 to 29 % too small, 20 % on average (confidence low)",
    doc="Share of the chip that no part in the tables stands for",
    minimum=0,
    maximum=0.9,
)
wafer_diameter = assumption(0.3, unit="m", source="300 mm, of every technology since 90 nm", doc="Wafer", above=0)
wafer_cost = assumption(
    1.0,
    unit="1",
    source="a weight: 1 is a 28 nm wafer; others in spaces/power/wafers.csv (a cost model, confidence low)",
    doc="Cost of a processed wafer next to others",
    above=0,
)
defect_density = assumption(
    1000.0,
    unit="1/m^2",
    source="0.1 per cm^2, as of a mature process (spaces/power/wafers.csv)",
    doc="Defects per area of the wafer",
    minimum=0,
)
defect_clustering = assumption(
    2.0,
    unit="1",
    source=f"ITRS; {STAPPER_1983}: between 1 (Seeds) and infinity (Poisson)",
    doc="Exponent of the yield of clustered defects",
    above=0,
)


@quantity(
    unit="m^2",
    source=f"{MCPAT}; ours: a share that no part stands for",
    valid=dict.fromkeys(
        (
            *("core_outside_tables", "l2_outside_tables", "l3_outside_tables"),
            *("on_chip_network_outside_tables", "memory_interface_outside_tables"),
        ),
        (0, 0),
    ),
)
def chip_area(
    cores,
    core_area,
    l2_area,
    l3_slices,
    l3_area,
    on_chip_network_area,
    memory_interface_area,
    unlisted_area_share,
    core_outside_tables,
    l2_outside_tables,
    l3_outside_tables,
    on_chip_network_outside_tables,
    memory_interface_outside_tables,
):
    """Area of the chip: cores with levels 1 and 2, slices of level 3, routers, memory interface, and the rest."""
    parts = (
        (core_area + l2_area, cores),
        (l3_area, l3_slices),
        (on_chip_network_area, 1.0),
        (memory_interface_area, 1.0),
    )
    return area_of_parts(parts, unlisted_share=unlisted_area_share)


@quantity(unit="1", source=f"{HENNESSY_2019}, Section 1.6")
def chips_per_wafer(chip_area, wafer_diameter):
    """Chips on a wafer, good and bad."""
    return dies_per_wafer(chip_area, wafer_diameter)


@quantity(unit="1", source=f"negative binomial ({STAPPER_1983})")
def chip_yield(chip_area, defect_density, defect_clustering):
    """Share of the chips without a defect."""
    return die_yield(chip_area, defect_density, clustering=defect_clustering)


@quantity(unit="1", source=f"{HENNESSY_2019}, Section 1.6; a weight")
def chip_cost(wafer_cost, chips_per_wafer, chip_yield):
    """Cost of the silicon of a good chip, in units of a wafer of weight 1."""
    return die_cost(wafer_cost, chips_per_wafer, chip_yield)
