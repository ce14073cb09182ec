"""Real machines: HPL, power at HPL and HPCG of machines that were built, from the figures of their nodes and networks.

The slots ``node_class``, ``topology`` and ``interconnect`` take ``real-machine``, whose parameters are rows of
``spaces/machines/systems.csv`` (``machine = { enumerate = "real_machines", given = {} }``). What machines sustain of
their peak rate, bandwidth and rated efficiency are means of classes (`classes`) and factors of devices
(`device_laws`, columns of ``spaces/machines/devices.csv``), fitted on that table (`laws`, `shrinkage`). Every machine
is judged by laws that were fitted without it (`comparison`; ``dse validate machines``), and the ratings of the table
are checked (`rating_checks`). Nodes of the other components, ``many-core`` and ``accelerated`` of
`dse.models.node_class`, get the means of their class and the factors of their device.
"""

from __future__ import annotations

from dse.authoring.declare.declaration import declarations
from dse.models.machines import classes, designed_nodes, power_at_load, real_machine
from dse.models.machines.catalogue import parts
from dse.models.machines.rows import real_machines

__all__ = ["real_machines"]

globals().update(declarations(classes, real_machine, parts, designed_nodes, power_at_load))
