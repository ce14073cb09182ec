"""A published error that is another one at each value of an input, as the interval of a fitted law is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dse.authoring.declare.declaration import RelativeError

__all__ = ["ErrorOver"]


@dataclass(frozen=True, init=False)
class ErrorOver(RelativeError):
    """Deviations of a quantity by the value of one input; where a single figure is asked for, the farthest end of all.

    Attributes
    ----------
    input : str
        The quantity it depends on, such as ``fitted_size``.
    deviations : dict of float to (float, float)
        Ends of the deviation, as shares of the quantity, at each value that a study asks for.
    of : str
        Whose figure it is.
    """

    input: str = ""
    deviations: Mapping[float, tuple[float, float]] = field(default_factory=dict)

    def __init__(self, input: str, deviations: Mapping[float, tuple[float, float]], of: str = "") -> None:
        farthest = max((float(np.abs(ends).max()) for ends in deviations.values()), default=0.0)
        values = {"mean": farthest, "std": None, "of": of, "input": input, "deviations": deviations}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def widest(self) -> RelativeError:
        """The farthest end of all values, with the value it belongs to."""
        value, ends = max(self.deviations.items(), key=lambda item: float(np.abs(item[1]).max()))
        return RelativeError(float(np.abs(ends).max()), of=f"{self.of} at {self.input} = {value:g}, its widest here")
