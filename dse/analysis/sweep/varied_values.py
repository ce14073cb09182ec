"""The values that a parameter is varied over: from a range or a list with units, to SI."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from dse.errors import InputError
from dse.study.study import Study
from dse.units import TEXT, parse_quantity, unit_of

__all__ = ["is_whole", "values_of"]

LARGEST = 1000  # values of a sweep


def values_of(study: Study, name: str, text: str, steps: int) -> tuple[list[float], str]:
    """Return the values of a sweep in SI, and their unit.

    Parameters
    ----------
    study : Study
    name : str
        A parameter, an assumption or an axis of numbers.
    text : str
        ``"100..800 Gbit/s"``, of which `steps` evenly spaced values are taken, or a list: ``"100, 200, 400 Gbit/s"``.
    steps : int
    """
    key = f"--vary {name}"
    declared = study.declarations.of_input(name)
    units = {
        axis.name: axis.units[axis.name]
        for product in study.space.products
        for axis in product.axes
        if not axis.is_part
    }
    unit = declared.unit if declared is not None else units.get(name)
    if unit is None or unit == TEXT:
        inputs = study.declarations.units | units
        known = sorted(parameter for parameter, of in inputs.items() if of != TEXT)
        raise InputError(
            f"the study has no number '{name}' to vary", key=key, allowed=known, wrong=name, candidates=known
        )
    ends = [part.strip() for part in re.split(r"\.\.", text)]
    parts = ends if len(ends) == 2 else [part.strip() for part in text.split(",")]
    if len(parts) < 2 or not all(parts):
        example = "100..800 Gbit/s or 100, 200, 400 Gbit/s"
        raise InputError(f"'{text}' is neither a range nor a list of values", key=key, allowed=example)
    last = unit_of(parts[-1])
    try:
        values = [parse_quantity(part if unit_of(part) or not last else f"{part} {last}", unit) for part in parts]
    except InputError as error:
        raise error.within(key=key) from None
    if any(low >= high for low, high in pairwise(values)):
        raise InputError(f"'{text}' does not run upwards", key=key, allowed="values in rising order")
    if len(ends) == 2:
        if not 2 <= steps <= LARGEST:
            raise InputError(f"{steps} steps", key="--steps", allowed=f"2 to {LARGEST}")
        values = np.linspace(values[0], values[1], steps).tolist()
        if is_whole(study, name):
            values = sorted({float(round(value)) for value in values})
    return values, unit


def is_whole(study: Study, name: str) -> bool:
    """Tell whether an input is a whole number."""
    return bool(getattr(study.declarations.of_input(name), "integer", False))
