"""Where the time of an asynchronous program goes, from three measured runs of it (Anghel 2017, Chapter 2).

A real run; a replay of the recorded messages at ideal speed without any order between the processes; and a run on a
network without delay, where every receive still waits for its send. The differences are what the processes compute,
what they wait for because of each other, and what the network adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dse.errors import InputError

__all__ = ["Breakdown", "breakdown"]


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Parts of the time of a run, in seconds, and what a network can gain; all of one shape.

    Attributes
    ----------
    compute : ndarray
        What the processes compute.
    data_dependencies : ndarray
        What they wait for data that is not sent yet, whatever the network.
    network_delay : ndarray
        What the network adds. Only this can be improved by a better one.
    point_to_point, all_reduce : ndarray
        Time inside calls for messages and for reductions, as the trace shows it.
    speedup_bound : ndarray
        How many times faster the program can get by its network at most.
    """

    compute: np.ndarray
    data_dependencies: np.ndarray
    network_delay: np.ndarray
    point_to_point: np.ndarray
    all_reduce: np.ndarray
    speedup_bound: np.ndarray

    @property
    def run_time(self) -> np.ndarray:
        """Time of the real run, the sum of the parts."""
        parts = self.compute + self.data_dependencies + self.network_delay
        return np.asarray(parts + self.point_to_point + self.all_reduce)

    @property
    def communication_share(self) -> np.ndarray:
        """Share of everything but computing."""
        return np.asarray(1.0 - self.compute / self.run_time)

    @property
    def waiting_share(self) -> np.ndarray:
        """Share of waiting for data that is not sent yet."""
        return np.asarray(self.data_dependencies / self.run_time)


def breakdown(
    real_time: Any, unordered_time: Any, zero_delay_time: Any, *, point_to_point: Any = 0.0, all_reduce: Any = 0.0
) -> Breakdown:
    """Split the time of a run.

    Parameters
    ----------
    real_time : float or array
        Time of the real run [s], T_a.
    unordered_time : float or array
        Time of the replay at ideal speed without order between processes [s], T_b.
    zero_delay_time : float or array
        Time on a network without delay, every receive after its send [s], T_c.
    point_to_point, all_reduce : float or array
        Time inside calls for messages and for reductions in the replay [s], which is no computing.

    Returns
    -------
    Breakdown
        Of the shape the arguments broadcast to.

    Raises
    ------
    InputError
        A time that is not finite and positive; a run that is faster than one that does less.

    Notes
    -----
    Anghel 2017, Chapter 2: compute = T_b less the calls, dependencies = T_c - T_b, network delay = T_a - T_c. A better
    network can remove T_a - T_c at most, so the program gets at most T_a/T_c times as fast.

    Examples
    --------
    >>> found = breakdown(10.0, 2.0, 8.0)
    >>> float(found.data_dependencies), float(found.network_delay), float(found.speedup_bound)
    (6.0, 2.0, 1.25)
    """
    real, unordered, zero_delay, calls, reductions = np.broadcast_arrays(
        _seconds("real_time", real_time),
        _seconds("unordered_time", unordered_time),
        _seconds("zero_delay_time", zero_delay_time),
        _seconds("point_to_point", point_to_point, positive=False),
        _seconds("all_reduce", all_reduce, positive=False),
    )
    _refuse(real < zero_delay, "real_time", real, "zero_delay_time", zero_delay)
    _refuse(zero_delay < unordered, "zero_delay_time", zero_delay, "unordered_time", unordered)
    _refuse(unordered < calls + reductions, "unordered_time", unordered, "the calls in it", calls + reductions)
    return Breakdown(
        compute=unordered - calls - reductions,
        data_dependencies=zero_delay - unordered,
        network_delay=real - zero_delay,
        point_to_point=calls.copy(),
        all_reduce=reductions.copy(),
        speedup_bound=real / zero_delay,
    )


def _seconds(name: str, value: Any, *, positive: bool = True) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    wrong = ~np.isfinite(array) | ((array <= 0) if positive else (array < 0))
    if wrong.any():
        allowed = "seconds > 0" if positive else "seconds >= 0"
        raise InputError(f"'{name}' is {array[wrong].flat[0]:g}", allowed=allowed)
    return array


def _refuse(wrong: np.ndarray, more: str, longer: np.ndarray, less: str, other: np.ndarray) -> None:
    if wrong.any():
        raise InputError(
            f"'{more}' is {longer[wrong].flat[0]:g} s, less than {less}, {other[wrong].flat[0]:g} s",
            allowed="real_time >= zero_delay_time >= unordered_time >= the calls in it",
        )
