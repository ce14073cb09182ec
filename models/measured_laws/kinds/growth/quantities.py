"""What a fitted model gives a study: its value over the size, with a unit, and how far it was extrapolated."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import document_parameter, parameter, quantities, quantity
from dse.errors import InputError
from dse.models.measured_laws.fitting.parameters import REFUSE_BEYOND, WARN_BEYOND
from dse.models.measured_laws.kinds.growth.fitted_file import FittedModel, read_law
from dse.units import same_dimension

__all__ = ["fitted_bytes", "fitted_distance", "fitted_energy", "fitted_model", "fitted_power", "fitted_size"]
__all__ += ["fitted_relative_half_width", "fitted_time", "fitted_value"]

_SOURCE = "the measurements named by the file of the fitted model"

fitted_model = document_parameter(read=read_law, doc="Fitted model, written by dse fit (docs/guide/measurements.md)")
fitted_size = parameter(
    unit="1", doc="Size at which a fitted model is asked: its parameter, such as processes", above=0
)


def _gives(name: str, unit: str) -> dict[str, Any]:
    far = f"{name}_extrapolated"
    words = f"ask {name} more than {WARN_BEYOND:g} times beyond the runs of its law"
    return {"gives": {name: unit, far: "1"}, "marks": (far,), "mark_words": {far: words}, "points_only": True}


def _value(model: FittedModel, sizes: np.ndarray, unit: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the law at sizes, and 1 where they are farther beyond the runs than it is to be trusted."""
    law = model.content.model
    if unit is not None and not same_dimension(unit, law.unit):
        raise InputError(f"'{law.metric}' is in {law.unit}, not in {unit}", file=model.name)
    far = law.distance(sizes)
    if (far > REFUSE_BEYOND).any():
        size = float(np.asarray(sizes)[far > REFUSE_BEYOND].flat[0])
        raise InputError(
            f"{law.parameter} = {size:g} is {far.max():g} times beyond the runs",
            file=model.name,
            allowed=f"{law.smallest / REFUSE_BEYOND:g} to {law.largest * REFUSE_BEYOND:g}",
        )
    return law.value(sizes), (far > WARN_BEYOND).astype(float)


@quantities(source=_SOURCE, signed=("fitted_value",), **_gives("fitted_value", "1"))
def fitted_value(fitted_model, fitted_size):
    """Value of the law in the SI unit of its file, as a plain number: sum of c x^i log2(x)^j."""
    return _value(fitted_model, fitted_size)


@quantities(source=_SOURCE, **_gives("fitted_time", "s"))
def fitted_time(fitted_model, fitted_size):
    """Value of the law of a time: sum of c x^i log2(x)^j."""
    return _value(fitted_model, fitted_size, "s")


@quantities(source=_SOURCE, **_gives("fitted_energy", "J"))
def fitted_energy(fitted_model, fitted_size):
    """Value of the law of an energy: sum of c x^i log2(x)^j."""
    return _value(fitted_model, fitted_size, "J")


@quantities(source=_SOURCE, **_gives("fitted_power", "W"))
def fitted_power(fitted_model, fitted_size):
    """Value of the law of a power: sum of c x^i log2(x)^j."""
    return _value(fitted_model, fitted_size, "W")


@quantities(source=_SOURCE, **_gives("fitted_bytes", "B"))
def fitted_bytes(fitted_model, fitted_size):
    """Value of the law of a volume of data: sum of c x^i log2(x)^j."""
    return _value(fitted_model, fitted_size, "B")


@quantity(unit="1", source=_SOURCE, points_only=True)
def fitted_distance(fitted_model, fitted_size):
    """How many times a size lies beyond the runs, 1 inside them: over 64 is too far to trust."""
    return fitted_model.content.model.distance(fitted_size)


@quantity(unit="1", source=_SOURCE, points_only=True)
def fitted_relative_half_width(fitted_model, fitted_size):
    """Half the width of the interval of the law, over its value; ``error = "model"`` takes its farther end."""
    law = fitted_model.content.model
    sizes, places = np.unique(np.asarray(fitted_size, dtype=float), return_inverse=True)
    ends = np.array([law.interval(float(size)) for size in sizes])
    scale = np.maximum(np.abs(law.value(sizes)), np.finfo(float).tiny)
    return (0.5 * (ends[:, 1] - ends[:, 0]) / scale)[places].reshape(np.shape(fitted_size))
