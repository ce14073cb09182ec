"""The fit of the law of sockets: least squares of logarithms, with priors.

Residuals are ln(law / rated) / 0.10, those of guessed clocks and of anchors over 1.6, ln(constant / prior) over its
width, and offsets of processes over 0.10; all under the soft L1 loss. Rows of `NEVER_FITTED` are refused.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from dse.errors import InputError
from dse.models.node_class.sockets.law import CONSTANTS, SocketLaw
from dse.models.node_class.sockets.table import NEVER_FITTED, Sockets

__all__ = ["PRIORS", "fit", "rated"]

PRIORS = {
    "core_energy": (0.5e-9, 0.5),
    "issue_energy": (100e-12, 0.5),
    "arithmetic_energy": (6e-12, 0.5),
    "operand_energy": (4e-12, 0.5),
    "process_exponent": (1.0, 0.2),
    "lean_core_share": (0.3, 0.5),
    "core_static_power": (0.6, 0.5),
    "cache_static_power": (0.1 / 2**20, 0.5),
    "outside_memory_energy": (8 * 12e-12, 0.4),
    "package_memory_energy": (8 * 4e-12, 0.3),
    "base_power": (8.0, 0.5),
}
"""Value of each constant before any socket is seen, and the standard deviation of its logarithm: rules of thumb."""

_WIDTH = 0.10  # of a rating, and of what a process is off the law of its class
_TOLERANCE = 1e-12


def rated(sockets: Sockets) -> Sockets:
    """Return those with a rated power and a top clock, without the blind ones."""
    return sockets.rows(np.isfinite(sockets.rated_power) & np.isfinite(sockets.top_clock) & ~sockets.blind)


def fit(sockets: Sockets) -> SocketLaw:
    """Fit the law.

    Parameters
    ----------
    some : Sockets
        All with a rated power.

    Raises
    ------
    InputError
        One of them is of the blind test, or has no rated power or clock.
    """
    if sockets.blind.any():
        raise InputError(
            f"'{sockets.names[sockets.blind][0]}' is the blind test and in no fit",
            allowed=f"sockets other than {' and '.join(NEVER_FITTED)}",
        )
    wrong = ~(np.isfinite(sockets.rated_power) & np.isfinite(sockets.top_clock))
    if wrong.any():
        raise InputError(
            f"'{sockets.names[wrong][0]}' has no rated power or no top clock", allowed="both, to be fitted"
        )
    processes = sorted({str(name) for name in sockets.process} - {""})
    middle = np.log([value for value, _ in PRIORS.values()])
    widths = np.array([width for _, width in PRIORS.values()])
    count = len(CONSTANTS)

    def law(values: np.ndarray) -> SocketLaw:
        constants = dict(zip(CONSTANTS, np.exp(values[:count]).tolist(), strict=True))
        return SocketLaw(**constants, offsets=dict(zip(processes, values[count:].tolist(), strict=True)))

    def residuals(values: np.ndarray) -> np.ndarray:
        off = np.log(law(values).power(sockets) / sockets.rated_power) / _WIDTH * sockets.weight
        return np.concatenate([off, (values[:count] - middle) / widths, values[count:] / _WIDTH])

    start = np.concatenate([middle, np.zeros(len(processes))])
    solution = least_squares(
        residuals, start, loss="soft_l1", xtol=_TOLERANCE, ftol=_TOLERANCE, gtol=_TOLERANCE, max_nfev=2000
    )
    return law(solution.x)
