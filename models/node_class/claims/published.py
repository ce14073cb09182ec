"""Rated powers of sockets one can buy beside what the power law of many-core nodes makes of them.

The power of input and output is fitted to their median, so that one is no validation; the spread is what the law is
worth.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np

from dse.authoring.library.claims import Claim, read_figures
from dse.authoring.table import Table, read_table
from dse.models.node_class import many_core

__all__ = ["claims", "rated_power", "sockets"]

FIGURES = read_figures(Path(__file__).with_suffix(".csv"), "node_class")


def sockets() -> Table:
    """Return ``spaces/node_class/sockets.csv``."""
    return read_table(Path(str(files("dse.spaces"))) / "node_class" / "sockets.csv")


def rated_power(table: Table) -> np.ndarray:
    """Return what the law gives for sockets, W, by row."""
    given = {name: item.value for name, item in vars(many_core).items() if hasattr(item, "value")}
    values = given | {name: np.asarray(table[name]) for name in table.units if table.units[name] != "text"}
    functions = (
        many_core.core_voltage,
        many_core.technology_factor,
        many_core.core_dynamic_power,
        many_core.core_caches,
        many_core.socket_cores_power,
        many_core.socket_caches_power,
        many_core.socket_power,
    )
    for function in functions:
        result = function(*(values[need] for need in function.needs))
        values |= dict(zip(function.gives, result if len(function.gives) > 1 else (result,), strict=True))
    return np.asarray(values["socket_power"])


def claims() -> list[Claim]:
    """Return the rated power of each socket and their median."""
    table = sockets()
    computed, rated = rated_power(table), table["rated_power"]
    ratios = [
        Claim(
            "node_class",
            f"rated power of {name}",
            str(source),
            float(published),
            float(power),
            unit="W",
            kind="miss",
            note="a rule of thumb: no more than the order of sockets and half to one and a half times their power",
        )
        for name, source, published, power in zip(table["name"], table["source"], rated, computed, strict=True)
    ]
    ratio = float(np.median(computed / rated))
    ratios.append(FIGURES.claim("median of computed over rated power of five sockets", ratio))
    within = bool((np.abs(computed / rated - 1.0) <= 0.5).all())
    return [*ratios, FIGURES.claim("every socket within half of its rated power", within)]
