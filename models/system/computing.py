"""Time a process is busy or waits beside its messages: what progress takes of the cores, and uneven work.

Both are off by default. The slot ``application_efficiency`` takes ``fitted`` of the model `scaling_factors`: a process
then waits for others as the measured load balance and serialisation say. The slot ``progress`` takes what the model
`progress` has for one-sided messages. Measured factors have all waiting in them, so they refuse the other slot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import quantity
from dse.models.sources import ANGHEL_2017

__all__: list[str] = []

_ALONE: dict[str, Any] = {"slot": "application_efficiency", "provider": "none", "default": True}
_OFF: dict[str, Any] = {"slot": "progress", "provider": "off", "default": True}
_PLAIN = f"{ANGHEL_2017}, Eq. 6.1: no process waits for another"


@quantity(unit="1", name="application_efficiency", source=_PLAIN, **_ALONE)
def no_uneven_work():
    """1: a process waits for no other."""
    return np.ones(1)


@quantity(unit="1", name="progress_compute_factor", source=_PLAIN, **_OFF)
def all_cores_compute():
    """1: no core is kept for the progress of messages."""
    return np.ones(1)


@quantity(unit="s", name="progress_wait_time", source=_PLAIN, **_OFF)
def targets_answer_at_once():
    """0: the target of a message needs to do nothing."""
    return np.zeros(1)


@quantity(unit="1", name="progress_modelled", source=_PLAIN, **_OFF)
def progress_is_not_modelled():
    """0: progress of messages is not modelled."""
    return np.zeros(1)


@quantity(unit="s", source=f"{ANGHEL_2017}, Eq. 6.2; cores kept for progress are ours")
def computing_time(compute_time, progress_compute_factor):
    """Time a process computes, on the cores that progress leaves."""
    return compute_time * progress_compute_factor


@quantity(unit="s", source=f"{_PLAIN}; the efficiency of the application is ours")
def application_wait_time(computing_time, application_efficiency):
    """Time a process waits for others that have more to do, or do it later, on any network."""
    return computing_time / application_efficiency - computing_time


@quantity(
    unit="s",
    source=f"{_PLAIN}; the efficiency of the application is ours",
    sum_of=("computing_time", "application_wait_time"),
)
def occupied_time(computing_time, application_efficiency):
    """Time of a process on an ideal network: it computes, or waits for others."""
    return computing_time / application_efficiency
