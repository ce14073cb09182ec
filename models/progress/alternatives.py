"""Ways to make progress for one-sided messages in a whole machine: slot ``progress``.

============= ================================ ==============================================================
``progress``  computing                        waiting of a process
============= ================================ ==============================================================
``off``       as it is                         none (the model `system` alone)
``none``      as it is                         N E[w], until the target calls
``core``      c / (c - 1): a core is kept      N s_p and the queue at that core
``doubled``   2: a thread for every process    N s_p
``interrupt`` as it is                         2 N t_int, once as target and once as origin
============= ================================ ==============================================================

N are the messages of a process, one burst of computing for each. The queue at the core is that of the run: as many
requests as its processes send come in, evenly over the time it takes (`dse.models.hybrid.queue`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.models.hybrid.queue import waiting_time
from dse.models.sources import HERMANNS_2012

__all__: list[str] = []

_OURS = f"ours, for the wait of {HERMANNS_2012}"
_NO_TIME = float(np.finfo(float).tiny)
_BURSTS = f"{_OURS}: N u E[C] (1 + cv^2) / 2 (1 - phi), with E[C] = computing / N"
_QUEUE = f"{_OURS}: Pollaczek and Khinchine over the time of the run"


def _of(provider: str) -> dict[str, Any]:
    return {"slot": "progress", "provider": provider}


burst_variation = assumption(
    1.0,
    unit="1",
    source="ours: exponential bursts, as of independent ends",
    doc="Standard deviation of the times between calls over their mean, cv",
    minimum=0,
)
progress_together = assumption(
    0.0,
    unit="1",
    source="ours: ranks call independently of each other",
    doc="Share of the wait that is not there because ranks call together, phi",
    minimum=0,
    maximum=1,
)
progress_cores = parameter(
    unit="1", doc="Cores of a node, of which one is kept for progress, c", minimum=2, integer=True
)
progress_service_time = parameter(unit="s", doc="Time that progress of one message takes, s_p", minimum=0)
progress_service_variation = assumption(
    0.0,
    unit="1",
    source="ours: all messages take the same service",
    doc="Standard deviation of the service time of progress over its mean",
    minimum=0,
)
interrupt_time = parameter(unit="s", doc="Time an interrupt for one message takes, t_int", minimum=0)


@quantity(unit="1", name="progress_compute_factor", source=_OURS, **_of("none"))
def polling_keeps_all_cores():
    """1: all cores compute."""
    return np.ones(1)


@quantity(unit="1", name="progress_compute_factor", source=_OURS, **_of("core"))
def a_core_is_kept(progress_cores):
    """Time of computing on one core less: c / (c - 1)."""
    return progress_cores / (progress_cores - 1.0)


@quantity(unit="1", name="progress_compute_factor", source=_OURS, **_of("doubled"))
def half_the_cores_compute():
    """2: every process has a core of its own for progress."""
    return np.full(1, 2.0)


@quantity(unit="1", name="progress_compute_factor", source=_OURS, **_of("interrupt"))
def interrupts_keep_all_cores():
    """1: all cores compute."""
    return np.ones(1)


@quantity(unit="s", name="progress_wait_time", source=_BURSTS, **_of("none"))
def polling_wait_time(computing_time, call_time, messages, burst_variation, progress_together):
    """Time a process waits until its targets call."""
    share = computing_time / np.maximum(computing_time + call_time, _NO_TIME)
    spread = (1.0 + burst_variation * burst_variation) * 0.5 * (1.0 - progress_together)
    return np.where(messages > 0.0, share * computing_time * spread, 0.0)


@quantity(unit="s", source=_OURS, **_of("core"))
def progress_busy_time(messages, progress_service_time, processes_per_node):
    """Time the core for progress of a node is busy in the run."""
    return messages * processes_per_node * progress_service_time


@quantity(unit="s", source=_QUEUE, **_of("core"))
def progress_queue_time(
    computing_time, call_time, messages, progress_service_time, progress_service_variation, progress_busy_time
):
    """Time the messages of a process wait for others at the core for progress."""
    service = messages * progress_service_time
    weight = service * ((1.0 + progress_service_variation * progress_service_variation) * 0.5)
    return waiting_time(computing_time + call_time + service, progress_busy_time, weight)


@quantity(unit="s", name="progress_wait_time", source=_QUEUE, **_of("core"))
def core_wait_time(messages, progress_service_time, progress_queue_time):
    """Time a process waits for service at the cores for progress."""
    return messages * progress_service_time + progress_queue_time


@quantity(unit="s", name="progress_wait_time", source=_OURS, **_of("doubled"))
def thread_wait_time(messages, progress_service_time):
    """Time a process waits for service by the thread of its targets."""
    return messages * progress_service_time


@quantity(unit="s", name="progress_wait_time", source=_OURS, **_of("interrupt"))
def interrupt_wait_time(messages, interrupt_time):
    """Time of interrupts: as many as a process sends come in, and it waits for those it sends."""
    return messages * (2.0 * interrupt_time)


@quantity(unit="1", name="progress_modelled", source=_OURS, **_of("none"))
def polling_is_modelled():
    """1."""
    return np.ones(1)


@quantity(unit="1", name="progress_modelled", source=_OURS, **_of("core"))
def core_is_modelled():
    """1."""
    return np.ones(1)


@quantity(unit="1", name="progress_modelled", source=_OURS, **_of("doubled"))
def thread_is_modelled():
    """1."""
    return np.ones(1)


@quantity(unit="1", name="progress_modelled", source=_OURS, **_of("interrupt"))
def interrupt_is_modelled():
    """1."""
    return np.ones(1)
