"""Co-design: a program, by its laws, on whole machines: cores, caches, memory, cards and network in one search.

A study takes ``models = ["codesign"]``, which is `processor`, `node`, `network` and `system` with modelled nodes,
messages and collective operations of a profile, and gives the laws of a program (``dse profile fit``) as
``[tables.profile]``. Ranks follow from nodes and cores, and the profile of a rank from the laws at so many ranks and
the problem size of the study. Beside what the families have:

============================== ==================================================================================
Slot                           Components
============================== ==================================================================================
``node_ranks``                 ``fill`` (default): one rank for each `threads_per_process` cores; ``given``
``prefetching``                ``none`` (default): the published model; ``streams``; ``strides`` as recorded
``cache_latency``              also ``measured``: latencies of the user's machine
``offload``                    ``none`` (default); ``kernels`` on devices of a node, with transfers over their links
``page_costs``                 ``none`` (default), ``faults``, ``measured``: pages given to a rank, and walked for
``pattern``                    also ``profile``, ``neighbour-2d``, ``neighbour-3d`` of several ranks per node
``thread_split``               ``recorded`` (default); ``even``: a rank that was recorded with one thread has several
============================== ==================================================================================
"""

from __future__ import annotations

from dse.authoring.declare.declaration import declarations
from dse.models.codesign import (
    branches,
    measured_latencies,
    node_ranks,
    offload,
    page_costs,
    points,
    prefetching,
    run,
    strides,
)
from dse.models.codesign.assembly import joined
from dse.models.codesign.patterns import pattern_functions
from dse.models.codesign.pictures import account_of_time
from dse.models.codesign.prefetching import coverage

__all__ = ["coverage"]

_own = declarations(points, node_ranks, branches, prefetching, strides, measured_latencies, page_costs, offload, run)
globals().update(joined({**_own, **pattern_functions()}))
globals().update(account_of_time())
