"""A published error that is another one at each value of an input, as the interval of a fitted law is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dse.authoring.declare.declaration import RelativeError

__all__ = ["ErrorOver"]


@dataclass(frozen=True)
class ErrorOver:
    """Deviations of a quantity by the value of one input.

    Attributes
    ----------
    input : str
        The quantity it depends on, such as ``fitted_size``.
    deviations : dict of float to (float, float)
        Ends of the deviation, as shares of the quantity, at each value that a study asks for.
    of : str
        Whose figure it is.
    """

    input: str
    deviations: dict[float, tuple[float, float]]
    of: str = ""

    @property
    def widest(self) -> RelativeError:
        """The farthest end of all values, with the value it belongs to."""
        value, ends = max(self.deviations.items(), key=lambda item: float(np.abs(item[1]).max()))
        return RelativeError(float(np.abs(ends).max()), of=f"{self.of} at {self.input} = {value:g}, its widest here")
