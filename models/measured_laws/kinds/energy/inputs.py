"""What a study gives for the energy of one job over its nodes."""

from __future__ import annotations

from dse.authoring.declare.declaration import document_parameter, parameter
from dse.models.measured_laws.kinds.energy.document import read_job_measurements

__all__: list[str] = []

nodes = parameter(unit="1", doc="Nodes that the job runs on", minimum=1, integer=True)
job_measurements = document_parameter(
    read=read_job_measurements,
    doc="Energy, power or time of one job by nodes: measurements (.csv), or a fitted model (.json)",
)
job_one_node_time = parameter(unit="s", doc="Time of the job on one node, T(1)", above=0)
job_node_power = parameter(unit="W", doc="Power of a node that works, P_node", above=0)
job_idle_share = parameter(
    unit="1", doc="Power of a node that waits over that of one that works, k", minimum=0, maximum=1
)
job_parallel_share = parameter(
    unit="1", doc="Share of the time on one node that is spread over the nodes, p", minimum=0, maximum=1
)
job_scaled_parallel_share = parameter(
    unit="1", doc="Share of the time on all nodes that is parallel, p*", minimum=0, maximum=1
)
job_parallel_growth = parameter(
    unit="1", doc="Share of the work added with each node that runs beside the rest, q", minimum=0, maximum=1
)
