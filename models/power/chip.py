"""Area of a chip, how many good ones a wafer gives, and what one costs relative to others.

Dies per wafer after Hennessy and Patterson, "Computer Architecture: A Quantitative Approach" (6th edition, 2019,
Section 1.6). Yield as a function of area times defect density x, by model:

=================  ======================  =================================================================
poisson            exp(-x)                 defects fall independently: pessimistic for large dies
murphy             ((1 - exp(-x)) / x)^2   Murphy 1964 (Proc. IEEE 52): defect densities vary as a triangle
seeds              1 / (1 + x)             Seeds 1967: exponential
negative-binomial  (1 + x/alpha)^-alpha    Stapper 1973, 1983: clustered defects; alpha 2 (ITRS, and Patterson and
                                           Hennessy's undergraduate book), between 1 (Seeds) and infinity (Poisson)
bose-einstein      (1 + x)^-N              Hennessy and Patterson 2019, with N critical layers; x is per layer
=================  ======================  =================================================================

Costs are those of silicon only: no masks, design, packaging or test, which can be larger. With the weights of
``spaces/power/wafers.csv`` they have no unit; its prices are estimates of a cost model (Khan and Mann 2020), not
quotations. Plain arithmetic throughout, which takes ranges.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dse.models.power.limits import refuse

__all__ = ["YIELD_MODELS", "chip_area", "die_cost", "die_yield", "dies_per_wafer", "package_cost"]

YIELD_MODELS = ("negative-binomial", "murphy", "poisson", "seeds", "bose-einstein")


def chip_area(parts: Iterable[tuple[Any, Any]], *, unlisted_share: Any = 0.0) -> Any:
    """Area of a chip from its parts, m^2.

    Parameters
    ----------
    parts : iterable of (area, count)
        Area of one (m^2) and how many: cores, slices of caches, routers, memory controllers.
    unlisted_share : array_like
        Share of the chip that no part stands for, 0 to below 1. McPAT's sums are 6 to 29 % below its example chips.
    """
    total: Any = 0.0
    for area, count in parts:
        total = total + area * count
    return total / (1.0 - unlisted_share)


def dies_per_wafer(area: Any, diameter: Any = 0.3, *, edge: Any = 0.0, scribe: Any = 0.0) -> Any:
    """Dies on a wafer, on average: pi (d/2)^2 / A - pi d / sqrt(2 A), at least 0.

    Parameters
    ----------
    area : array_like
        Of a die, m^2.
    diameter : array_like
        Of the wafer, m.
    edge : array_like
        Width of the rim that cannot be used, m.
    scribe : array_like
        Width of the lines between dies, m; dies are taken to be square.
    """
    usable = diameter - 2.0 * edge
    side = np.sqrt(area) + scribe
    step = side * side
    return np.maximum(np.pi * (usable / 2.0) ** 2 / step - np.pi * usable / np.sqrt(2.0 * step), 0.0)


def die_yield(
    area: Any,
    defect_density: Any,
    *,
    model: str = "negative-binomial",
    clustering: Any = 2.0,
    layers: Any = 12.0,
    wafer_yield: Any = 1.0,
) -> Any:
    """Share of the dies without a defect.

    Parameters
    ----------
    area : array_like
        m^2.
    defect_density : array_like
        Defects per m^2; for "bose-einstein" per m^2 and layer. A mature process has about 1000 (0.1 per cm^2).
    model : str
        One of `YIELD_MODELS`.
    clustering : array_like
        Alpha of "negative-binomial".
    layers : array_like
        N of "bose-einstein".
    wafer_yield : array_like
        Share of wafers that are not lost as a whole.
    """
    refuse("model", model not in YIELD_MODELS, model, ", ".join(YIELD_MODELS))
    x = area * defect_density
    if model == "poisson":
        return wafer_yield * np.exp(-x)
    if model == "seeds":
        return wafer_yield / (1.0 + x)
    if model == "murphy":
        positive = np.where(x > 1e-8, x, 1.0)
        return wafer_yield * np.where(x > 1e-8, (-np.expm1(-positive) / positive) ** 2, 1.0 - x)
    if model == "negative-binomial":
        return wafer_yield * (1.0 + x / clustering) ** (-1.0 * clustering)
    return wafer_yield * (1.0 + x) ** (-1.0 * layers)


def die_cost(wafer_cost: Any, dies: Any, yield_of_dies: Any) -> Any:
    """Cost of a good die, in the unit of `wafer_cost`; infinite where no die fits or none is good.

    Parameters
    ----------
    wafer_cost : array_like
        Of a processed wafer: a weight, or dollars.
    dies : array_like
        Of `dies_per_wafer`.
    yield_of_dies : array_like
        Of `die_yield`.
    """
    good = dies * yield_of_dies
    return np.where(good > 0, wafer_cost / np.where(good > 0, good, 1.0), np.inf)


def package_cost(dies: Iterable[tuple[Any, Any]], *, assembly_yield: Any = 1.0, carrier_cost: Any = 0.0) -> Any:
    """Cost of a package of good dies, in their unit.

    Parameters
    ----------
    dies : iterable of (cost, count)
        Cost of one good die and how many.
    assembly_yield : array_like
        Share of the packages that work; the others are lost with their dies.
    carrier_cost : array_like
        Of interposer or substrate.
    """
    total: Any = carrier_cost
    for cost, count in dies:
        total = total + cost * count
    return total / assembly_yield
