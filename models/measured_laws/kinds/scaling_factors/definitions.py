r"""Parallel efficiency as a product of factors, and what they say of other numbers of ranks (Rosas et al. 2014).

With :math:`t_i` the seconds that rank i of P computes, T the elapsed time and :math:`T_\mathrm{ideal}` that of the same
run on a network that costs nothing,

.. math::

    \frac{\bar t}{\max t} \cdot \frac{\max t}{T_\mathrm{ideal}} \cdot \frac{T_\mathrm{ideal}}{T}
    = \frac{\bar t}{T}

is load balance times serialisation times transfer, whatever the data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError

__all__ = ["MeasuredFactors", "computation_scaling", "ideal_time", "measured_factors", "speedup", "weak_time"]

_HAIR = 1e-9


class MeasuredFactors(NamedTuple):
    """Factors of one run, each above 0 and at most 1.

    Attributes
    ----------
    load_balance : float
        LB = mean t / max t.
    serialization, transfer : float
        Ser = max t / T_ideal and Trf = T_ideal / T; NaN where the ideal time is not known.
    communication : float
        CommEff = Ser Trf = max t / T.
    clipped : bool
        Whether times within the slack were set to the least they can be.
    """

    load_balance: float
    serialization: float
    transfer: float
    communication: float
    clipped: bool

    @property
    def efficiency(self) -> float:
        """Return the parallel efficiency eta = LB CommEff, mean t / T."""
        return self.load_balance * self.communication


def measured_factors(compute: Any, time: float, ideal: float | None = None, slack: float = _HAIR) -> MeasuredFactors:
    """Return the factors of a run.

    Parameters
    ----------
    compute : array_like, (P,)
        Seconds each rank computes outside of message passing.
    time : float
        Elapsed time T [s].
    ideal : float, optional
        Elapsed time on a network without latency and of infinite bandwidth, T_ideal [s].
    slack : float
        Relative violation of T >= T_ideal >= max t that clocks may cause; what is within it is clipped.

    Raises
    ------
    InputError
        A rank computes for no time or less, or the times stand in another order.
    """
    seconds = np.asarray(compute, dtype=float)
    if (
        seconds.ndim != 1
        or not seconds.size
        or not np.isfinite(seconds).all()
        or seconds.min() < 0
        or seconds.max() == 0
    ):
        raise InputError("ranks that compute for no time", allowed="seconds of at least one rank above 0, none below")
    most = float(seconds.max())
    bound, clipped = _at_least(time, most if ideal is None else ideal, "T", "T_ideal" if ideal else "max t", slack)
    if ideal is None:
        return MeasuredFactors(float(seconds.mean()) / most, np.nan, np.nan, most / bound, clipped)
    floor, also = _at_least(ideal, most, "T_ideal", "max t", slack)
    bound = max(bound, floor)
    return MeasuredFactors(float(seconds.mean()) / most, most / floor, floor / bound, most / bound, clipped or also)


def _at_least(value: float, least: float, name: str, other: str, slack: float) -> tuple[float, bool]:
    if not (np.isfinite(value) and value >= least * (1.0 - slack)):
        raise InputError(
            f"{name} = {value:.12g} s is less than {other} = {least:.12g} s",
            allowed="T >= T_ideal >= the computing time of the busiest rank; --slack 0.01 accepts clocks that far off",
        )
    return max(value, least), value < least


def computation_scaling(
    ranks: Any, instructions: Any, cycles: Any, frequency: Any, mode: str, reference: int = 0
) -> dict[str, np.ndarray]:
    """Return how the computing itself scales over a reference run: IPC, instructions, frequency, and their product.

    Parameters
    ----------
    ranks, instructions, cycles : array_like, (runs,)
        P, and the instructions and cycles of all ranks together.
    frequency : array_like, (runs,)
        Cycles per second [Hz].
    mode : {"strong", "weak"}
    reference : int
        Which run is the reference.

    Returns
    -------
    dict of str to ndarray
        `IPCscal` = IPC(P)/IPC(P0), `InstrScal` = I(P0)/I(P) (weak: of instructions per rank), `FreqScal` = f(P)/f(P0)
        and `CompScal`, their product.
    """
    _known(mode)
    count, work, ticks, clock = (np.asarray(column, dtype=float) for column in (ranks, instructions, cycles, frequency))
    done = work / ticks
    each = work / count if mode == "weak" else work
    scalings = {
        "IPCscal": done / done[reference],
        "InstrScal": each[reference] / each,
        "FreqScal": clock / clock[reference],
    }
    return {**scalings, "CompScal": scalings["IPCscal"] * scalings["InstrScal"] * scalings["FreqScal"]}


def ideal_time(
    useful_seconds: float,
    reference_ranks: float,
    ranks: Any,
    load_balance: Any,
    serialization: Any,
    computation: Any = 1.0,
    mode: str = "strong",
) -> np.ndarray:
    """Return the time on an ideal network, T_ideal(P) = W / (P LB Ser CompScal) [s].

    Parameters
    ----------
    useful_seconds : float
        W [s]: seconds that all ranks of the reference compute together.
    reference_ranks : float
        P0. Under weak scaling W / P0 is what stays, under strong scaling W.
    ranks, load_balance, serialization, computation : array_like
        P, LB, Ser and CompScal there; they broadcast.
    mode : {"strong", "weak"}
    """
    _known(mode)
    each = useful_seconds / (reference_ranks if mode == "weak" else np.asarray(ranks, dtype=float))
    return np.asarray(each / (np.asarray(load_balance) * np.asarray(serialization) * np.asarray(computation)))


def speedup(ranks: Any, efficiency: Any, reference_ranks: float, reference_efficiency: float) -> np.ndarray:
    """Return the speed over the reference under strong scaling, (P/P0) G(P) / eta(P0), with G = eta CompScal."""
    return np.asarray(np.asarray(ranks) / reference_ranks * np.asarray(efficiency) / reference_efficiency)


def weak_time(time: float, reference_efficiency: float, efficiency: Any) -> np.ndarray:
    """Return the time under weak scaling, T(P0) eta(P0) / G(P) [s]."""
    return np.asarray(time * reference_efficiency / np.asarray(efficiency))


def _known(mode: str) -> None:
    if mode not in ("strong", "weak"):
        raise InputError(f"'{mode}' is no mode of scaling", key="mode", allowed="strong or weak", wrong=mode)
