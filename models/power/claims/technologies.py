"""Published scaling between technologies, voltages and dies beside what the functions give."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.models.power.chip import die_cost, die_yield, dies_per_wafer
from dse.models.power.tables import power_table, same
from dse.models.power.technology import ITRS, mac_energy, polynomial_delay, polynomial_energy, scaling_factor
from dse.models.sources import STILLMAKER_2017

__all__ = ["technology_claims"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "power")


def technology_claims() -> list[Claim]:
    """Return every published figure of technologies, polynomials and yields."""
    return [*_multiply(), *_memory(), *_polynomials(), *_paths(), *_dies()]


def _multiply() -> Iterator[Claim]:
    for fpga in (False, True):
        for node in (90, 22, 14):
            for bits in (8, 16, 32):
                computed = float(mac_energy(bits, node * 1e-9, fpga=fpga)) * 1e12
                yield FIGURES.claim(
                    f"{'FPGA' if fpga else 'ASIC'}, {node} nm: multiply-accumulate of {bits} bits", computed
                )


def _memory() -> Iterator[Claim]:
    for node in (22, 14):
        for what in ("polyphase filter, 8 bits", "beamformer, 16 bits"):
            title = f"energy of a memory access, {node} nm over 32 nm, {what}"
            yield FIGURES.claim(title, ITRS[f"memory energy, 32 to {node} nm"])


def _polynomials() -> Iterator[Claim]:
    yield FIGURES.claim("energy polynomial of 32 nm HP at 0.9 V", float(polynomial_energy(32e-9, 0.9)))
    yield FIGURES.claim("energy polynomial of 65 nm bulk at 1.3 V", float(polynomial_energy(65e-9, 1.3, "bulk")))
    table = power_table("scaling")
    for row in np.flatnonzero(same(table["technology_from"], 22e-9) & (table["voltage_to"] > 0)):
        quantity, node, voltage = table["quantity"][row], table["technology_to"][row], table["voltage_to"][row]
        polynomial = polynomial_energy if quantity == "energy" else polynomial_delay
        computed = polynomial(float(node), voltage) / polynomial(22e-9, 0.8)
        yield Claim(
            "power",
            f"{quantity}, 22 nm at 0.8 V to {node * 1e9:.0f} nm at {voltage:g} V",
            f"{STILLMAKER_2017}; 22 nm between 20 and 32 nm",
            float(table["factor"][row]),
            float(computed),
            absolute_tolerance=5.1e-5,
        )


def _paths() -> Iterator[Claim]:
    table = power_table("scaling")
    cells = table.rows(table["quantity"] == "memory area")
    for row, node in enumerate(cells["technology_to"]):
        title = f"area of a memory cell, 22 to {node * 1e9:.0f} nm"
        if title in FIGURES:
            yield FIGURES.claim(title, float(cells["factor"][row]))
    for node in (5e-9, 3e-9):
        computed = tuple(float(scaling_factor(quantity, node)) for quantity in ("energy", "logic area"))
        what = f"energy and area of logic, 22 to {node * 1e9:.0f} nm along the path over 7 nm"
        yield FIGURES.claim(what, computed)


def _dies() -> Iterator[Claim]:
    square = {1.5: 0.015**2, 1.0: 0.010**2}
    for side in square:
        computed = float(dies_per_wafer(square[side], 0.3))
        yield FIGURES.claim(f"dies of {side} cm side on a wafer of 300 mm", computed)
    for side, area in square.items():
        printed_dies = FIGURES.value(f"dies of {side} cm side on a wafer of 300 mm")
        for layers in (12.0, 8.0):
            share = die_yield(area, 470.0, model="bose-einstein", layers=layers)
            what = f"good dies of {side} cm side, 0.047 defects per cm2, N = {layers:g}"
            yield FIGURES.claim(what, float(printed_dies * share))
    for diameter, count, defects, cost in ((0.15, 84, 200.0, 12.0), (0.20, 100, 310.0, 15.0)):
        area = np.pi * (diameter / 2) ** 2 / count
        good_share = float(die_yield(area, defects, clustering=2.0))
        what = f"wafer of {diameter * 100:.0f} cm with {count} dies: yield"
        yield FIGURES.claim(what, good_share)
        computed = floor(float(die_cost(cost, count, good_share)) * 1000 + 0.05) / 1000
        what = f"wafer of {diameter * 100:.0f} cm with {count} dies: cost of a die, cut to three decimals"
        yield FIGURES.claim(what, computed)
    for area in (2.3, 1.0):
        yield FIGURES.claim(
            f"Poisson yield of {area} cm2 with one defect per cm2", float(die_yield(area * 1e-4, 1e4, model="poisson"))
        )
