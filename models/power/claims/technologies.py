"""Published scaling between technologies, voltages and dies beside what the functions give."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

import numpy as np

from dse.authoring.claims import Claim
from dse.models.power._claims import THESIS, claim
from dse.models.power.chip import die_cost, die_yield, dies_per_wafer
from dse.models.power.tables import power_table, same
from dse.models.power.technology import ITRS, mac_energy, polynomial_delay, polynomial_energy, scaling_factor

__all__ = ["technology_claims"]

# Table 7.3: pJ of a multiply-accumulate of 8, 16 and 32 bits; printed values are truncated
MAC = {
    False: {90: (1.1, 4.4, 17.8), 22: (0.6, 2.4, 9.6), 14: (0.5, 2.0, 7.9)},
    True: {90: (7.7, 31.1, 124.6), 22: (4.2, 16.8, 67.2), 14: (3.4, 13.9, 55.7)},
}
BOOK = "Hennessy and Patterson 2019, Section 1.6"


def technology_claims() -> list[Claim]:
    """Return every published figure of technologies, polynomials and yields."""
    return [*_multiply(), *_memory(), *_polynomials(), *_paths(), *_dies()]


def _multiply() -> Iterator[Claim]:
    for fpga, rows in MAC.items():
        for node, energies in rows.items():
            for bits, picojoules in zip((8, 16, 32), energies, strict=True):
                computed = float(mac_energy(bits, node * 1e-9, fpga=fpga)) * 1e12
                yield claim(
                    f"{'FPGA' if fpga else 'ASIC'}, {node} nm: multiply-accumulate of {bits} bits",
                    f"{THESIS}, Table 7.3",
                    picojoules,
                    computed,
                    unit="pJ",
                    relative_tolerance=0.0255,
                )


def _memory() -> Iterator[Claim]:
    source = f"{THESIS}, Tables 7.3 and 7.4"
    for what, ratio, factor in (
        ("22 nm over 32 nm, polyphase filter, 8 bits", 4.1 / 4.3, "memory energy, 32 to 22 nm"),
        ("22 nm over 32 nm, beamformer, 16 bits", 14.9 / 15.6, "memory energy, 32 to 22 nm"),
        ("14 nm over 32 nm, polyphase filter, 8 bits", 3.4 / 4.3, "memory energy, 32 to 14 nm"),
        ("14 nm over 32 nm, beamformer, 16 bits", 12.4 / 15.6, "memory energy, 32 to 14 nm"),
    ):
        yield claim(f"energy of a memory access, {what}", source, ratio, ITRS[factor], relative_tolerance=0.0125)


def _polynomials() -> Iterator[Claim]:
    source = "Stillmaker and Baas 2017, corrigendum"
    for what, published, computed in (
        ("energy polynomial of 32 nm HP at 0.9 V", 0.4571, polynomial_energy(32e-9, 0.9)),
        ("energy polynomial of 65 nm bulk at 1.3 V", 2.604, polynomial_energy(65e-9, 1.3, "bulk")),
    ):
        yield claim(what, source, published, float(computed), relative_tolerance=2e-4)
    table = power_table("scaling")
    for row in np.flatnonzero(same(table["technology_from"], 22e-9) & (table["voltage_to"] > 0)):
        quantity, node, voltage = table["quantity"][row], table["technology_to"][row], table["voltage_to"][row]
        polynomial = polynomial_energy if quantity == "energy" else polynomial_delay
        computed = polynomial(float(node), voltage) / polynomial(22e-9, 0.8)
        yield claim(
            f"{quantity}, 22 nm at 0.8 V to {node * 1e9:.0f} nm at {voltage:g} V",
            "Stillmaker and Baas 2017; 22 nm between 20 and 32 nm",
            float(table["factor"][row]),
            float(computed),
            absolute_tolerance=5.1e-5,
        )


def _paths() -> Iterator[Claim]:
    table = power_table("scaling")
    cells = table.rows(table["quantity"] == "memory area")
    cell = {14: 0.050, 10: 0.0312, 7: 0.027, 5: 0.021}
    for row, node in enumerate(cells["technology_to"]):
        size = cell.get(round(node * 1e9))
        if size is not None:
            yield claim(
                f"area of a memory cell, 22 to {node * 1e9:.0f} nm",
                "published bit cells, recalled: 0.092 um2 at 22 nm",
                size / 0.092,
                float(cells["factor"][row]),
                absolute_tolerance=1.1e-4,
            )
    steps = ((5e-9, 0.2627 * 0.7, 0.2414 * 0.556), (3e-9, 0.2627 * 0.7 * 0.67, 0.2414 * 0.556 * 0.625))
    for node, energy, area in steps:
        computed = tuple(float(scaling_factor(one, node)) for one in ("energy", "logic area"))
        what = f"energy and area of logic, 22 to {node * 1e9:.0f} nm along the path over 7 nm"
        yield claim(what, "products of the factors", (energy, area), computed, relative_tolerance=1e-12)


def _dies() -> Iterator[Claim]:
    square = {1.5: 0.015**2, 1.0: 0.010**2}
    for side, published in ((1.5, 270), (1.0, 640)):
        computed = float(dies_per_wafer(square[side], 0.3))
        yield claim(f"dies of {side} cm side on a wafer of 300 mm", BOOK, published, computed, absolute_tolerance=0.6)
    for side, printed_dies, good in ((1.5, 270, 120), (1.0, 640, 444)):
        for layers, more in (
            (12.0, {"kind": "deviation", "note": "the example says N = 12, but its figures are those of N = 8"}),
            (8.0, {"absolute_tolerance": 1.5}),
        ):
            share = die_yield(square[side], 470.0, model="bose-einstein", layers=layers)
            what = f"good dies of {side} cm side, 0.047 defects per cm2, N = {layers:g}"
            yield claim(what, BOOK, good, float(printed_dies * share), **more)
    exercise = "Patterson and Hennessy, Computer Organization and Design, 5th edition, exercise 1.10 (answers)"
    for diameter, count, defects, cost, share, price in (
        (0.15, 84, 200.0, 12.0, 0.959, 0.148),
        (0.20, 100, 310.0, 15.0, 0.909, 0.165),
    ):
        area = np.pi * (diameter / 2) ** 2 / count
        found = float(die_yield(area, defects, clustering=2.0))
        what = f"wafer of {diameter * 100:.0f} cm with {count} dies: yield"
        yield claim(what, exercise, share, found, absolute_tolerance=5.1e-4)
        computed = floor(float(die_cost(cost, count, found)) * 1000 + 0.05) / 1000
        what = f"wafer of {diameter * 100:.0f} cm with {count} dies: cost of a die, cut to three decimals"
        yield claim(what, exercise, price, computed, absolute_tolerance=1.1e-3)
    for area, share in ((2.3, 0.10), (1.0, 0.37)):
        yield claim(
            f"Poisson yield of {area} cm2 with one defect per cm2",
            "Flynn, Computer Architecture, 1995, p. 89",
            share,
            float(die_yield(area * 1e-4, 1e4, model="poisson")),
            absolute_tolerance=5.1e-3,
        )
