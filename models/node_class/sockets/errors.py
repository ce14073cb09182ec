"""How far the law of sockets is off: of sockets it was fitted on, left out one at a time, or a generation at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from dse.models.node_class.sockets.fit import fit, rated
from dse.models.node_class.sockets.law import SocketLaw
from dse.models.node_class.sockets.table import Sockets, anchors, joined, sockets

__all__ = ["Errors", "fitted_law", "generation", "generation_out", "left_out", "spread"]

_GENERATIONS = {"28 nm and above": 25e-9, "22 nm": 18e-9, "14 to 16 nm": 12e-9, "10 nm": 8e-9, "6 to 7 nm": 5.5e-9}
_NEWEST = "3 to 5 nm"


@dataclass(frozen=True)
class Errors:
    """Errors over some sockets: power over rated, less 1.

    Attributes
    ----------
    what : str
    sockets : int
    mean, median, bias : float
        Mean and median of absolute errors, mean of signed ones.
    worst : float
    worst_socket : str
    deviation : float
        Standard deviation of the logarithm.
    """

    what: str
    sockets: int
    mean: float
    median: float
    bias: float
    worst: float
    worst_socket: str
    deviation: float


def spread(what: str, names: Sequence[str] | np.ndarray, ratios: np.ndarray) -> Errors:
    """Return the errors of computed over rated powers."""
    off = ratios - 1.0
    at = int(np.argmax(np.abs(off)))
    return Errors(
        what,
        len(off),
        float(np.abs(off).mean()),
        float(np.median(np.abs(off))),
        float(off.mean()),
        float(off[at]),
        str(names[at]),
        float(np.log(ratios).std()),
    )


@cache
def fitted_law() -> SocketLaw:
    """Return the law fitted on the sockets and anchors that come with the project."""
    return fit(joined([rated(sockets()), anchors()]))


def generation(energy_class: float) -> str:
    """Return which generation of processes an energy class [m] belongs to."""
    return next((name for name, least in _GENERATIONS.items() if energy_class > least), _NEWEST)


@cache
def left_out() -> np.ndarray:
    """Return computed over rated power of each rated socket by a law that was fitted without it."""
    kept_sockets = rated(sockets())
    places = np.arange(len(kept_sockets))
    return np.array([_ratio(kept_sockets, places != place)[0] for place in places])


@cache
def generation_out() -> np.ndarray:
    """Return computed over rated power of each rated socket by a law fitted without its generation of processes."""
    kept_sockets = rated(sockets())
    of = np.array([generation(float(energy)) for energy in kept_sockets.energy_class])
    ratios = np.empty(len(kept_sockets))
    for name in dict.fromkeys(of.tolist()):
        ratios[of == name] = _ratio(kept_sockets, of != name)
    return ratios


def _ratio(kept_sockets: Sockets, kept: np.ndarray) -> np.ndarray:
    """Return computed over rated power of the sockets that are not kept; offsets of their processes as others say."""
    law = fit(joined([kept_sockets.rows(kept), anchors()]))
    others = kept_sockets.rows(~kept)
    return np.asarray(law.power(others) / others.rated_power)
