"""What is asked of a worker, and how a model is cut over it: t devices share the attention, d have copies of it.

A worker has G = t d devices; e of them are ranks of experts, so that t_e = G/e share an expert. Lengths are **means**
of what is sent, not the nominal ones of a benchmark.
"""

from __future__ import annotations

import numpy as np

from dse.arithmetic.power import power
from dse.authoring.declare.declaration import assumption, parameter, quantity
from dse.authoring.declare.requirement import requirement

__all__: list[str] = []

_CUT = "ours: devices counted"

requests = parameter(unit="1", doc="Requests in flight on a worker that decodes, n", minimum=1)
input_tokens = parameter(unit="1", doc="Tokens of a prompt, s_i: the mean, not a nominal length", minimum=1)
output_tokens = parameter(unit="1", doc="Tokens of an answer, s_o: the mean, not a nominal length", minimum=2)
worker_devices = parameter(unit="1", doc="Devices of a worker, G = t d", minimum=1, integer=True)
attention_tensor = parameter(unit="1", doc="Devices that share the attention, t", minimum=1, integer=True)
attention_copies = parameter(
    unit="1", doc="Copies of the attention, each with its own requests, d", minimum=1, integer=True
)
expert_parallel = parameter(
    unit="1", doc="Ranks of experts, e; it divides the devices of a worker", minimum=1, integer=True
)
draft_rows = assumption(
    1.0, unit="1", source="no drafts", doc="Rows of a request in a step, v: 1, and one for each draft", minimum=1
)
acceptance = assumption(
    0.85,
    unit="1",
    source="ours: what models with a module for drafts are said to reach (recalled; confidence low)",
    doc="Share of drafts that is accepted, alpha; an input of the architecture and the workload",
    minimum=0,
    maximum=0.999999,
)
domain_limit = assumption(
    1e9,
    unit="1",
    source="the device as it is sold",
    doc="Devices of a scale-up domain that are joined at most",
    minimum=1,
)
whole_worker = requirement(
    "worker_devices == attention_tensor * attention_copies",
    name="worker",
    source=_CUT,
    doc="a worker has the devices that share its attention, times its copies",
)
whole_ranks = requirement(
    "rank_remainder <= 0",
    name="ranks",
    source=_CUT,
    doc="the ranks of experts divide the devices of a worker, and the experts",
)
enough_requests = requirement(
    "attention_copies <= requests",
    name="copies",
    source="ours: never a fraction of a request per copy",
    doc="fewer requests than copies of the attention are no design",
)
within_domain = requirement(
    "worker_devices <= joined_devices",
    name="domain",
    source="ours: exchanges of a worker stay within a scale-up domain",
    doc="a worker is no wider than the scale-up domain of its devices",
)


@quantity(unit="1", source=_CUT)
def joined_devices(scale_up_devices, domain_limit):
    """Devices of a scale-up domain that are joined, S."""
    return np.minimum(scale_up_devices, domain_limit)


@quantity(unit="1", source=_CUT)
def expert_tensor(worker_devices, expert_parallel):
    """Devices that share an expert, t_e = G/e."""
    return worker_devices / expert_parallel


@quantity(unit="1", source=_CUT)
def rank_remainder(worker_devices, expert_parallel, experts):
    """What is left of devices and of experts when they are divided among the ranks; all of it where there are none."""
    devices = worker_devices - expert_parallel * np.floor(worker_devices / expert_parallel)
    rest = experts - expert_parallel * np.floor(experts / expert_parallel)
    none = np.where(experts > 0.0, 0.0, 1.0)
    return devices + np.where(expert_parallel > 1.0, rest + none, 0.0)


@quantity(unit="1", source="Leviathan et al. 2023: independent acceptance of each draft")
def accepted(draft_rows, acceptance):
    """Tokens that a step yields, A = (1 - alpha^v)/(1 - alpha); 1 without drafts."""
    return (1.0 - power(acceptance, draft_rows)) / (1.0 - acceptance)
